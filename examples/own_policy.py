# %% [markdown]
# # Write a policy of your own and beat the league
#
# A policy is a class with `select` and `observe`. Duel plays it beside the native ones, on the same
# outcomes, and the league ranks them all. This one assumes that the arms have strengths
# (Bradley-Terry), which the policies of the league do not, and wins where that is true.

# %%
import math

import numpy

import duel


class Strengths:
    """Thompson sampling on Bradley-Terry strengths, by a Gaussian around the best fit."""

    def __init__(self, arms, rng, refit=10):
        self.rng, self.refit = rng, refit
        self.wins = numpy.zeros((arms, arms))
        self.strength = numpy.zeros(arms)
        self.root = numpy.eye(arms)
        self.heard = 0

    def select(self, round):
        # Two draws of the strengths; the best arm of each.
        noise = self.rng.standard_normal((2, len(self.root)))
        first, second = (self.strength + noise @ self.root.T).argmax(axis=1)
        return first, second

    def observe(self, chosen, outcome):
        if chosen.is_self:
            return
        first, second = chosen
        won, lost = (first, second) if outcome == "first" else (second, first)
        self.wins[won, lost] += 1
        self.heard += 1
        # Refitting costs a linear system, so it becomes rarer as the fit settles.
        if self.heard % self.refit == 0 or self.heard < 50:
            self.fit()
            self.refit = max(self.refit, self.heard // 20)

    def fit(self):
        """One Newton step towards the strengths of greatest posterior density (prior N(0, 1))."""
        games = self.wins + self.wins.T
        expected = 1 / (1 + numpy.exp(self.strength[None, :] - self.strength[:, None]))
        gradient = self.wins.sum(axis=1) - (games * expected).sum(axis=1) - self.strength
        weight = games * expected * (1 - expected)
        precision = numpy.diag(weight.sum(axis=1) + 1) - weight
        self.strength = self.strength + numpy.linalg.solve(precision, gradient)
        self.root = numpy.linalg.cholesky(numpy.linalg.inv(precision))

    def recommend(self):
        return int(self.strength.argmax())


# %% [markdown]
# Try it as you would any policy. Options are keywords of the class.

# %%
duel.register_policy("strengths", Strengths)
problem = "bradley-terry(k=16,seed=1,spread=1)"
out = duel.simulate(problem, ["strengths", "imed", "rmed1", "dts"], rounds=3000, trials=8, seed=2)
print(out)

# %% [markdown]
# The league: problems where arms have strengths, drawn from other seeds.

# %%
names = ["strengths", "imed", "rmed1", "dts", "rucb"]
matrices = {f"{arms} arms": f"bradley-terry(k={arms},seed={arms},spread=1)" for arms in (8, 16, 24)}
league = duel.league(names, matrices, rounds=3000, trials=20, seed=2, max_wrong=1)


def show(league):
    for row in league["ranking"]:
        print(f"{row['rank']}. {row['policy']:<10} {math.exp(row['log_ratio']):.2f} times the best "
              f"regret, worst on {row['worst_problem']}")


show(league)
assert league["ranking"][0]["policy"] == "strengths"

# %% [markdown]
# An assumption has a price. On a cycle no strengths fit, and the same policy is no longer first.

# %%
show(duel.league(names, ["cyclic"], rounds=3000, trials=20, seed=2))

# %%
try:
    axes = out.plot(scale="log")
except ImportError:
    print("no figure: matplotlib is not installed")
else:
    axes.figure.tight_layout()
    axes.figure.savefig("own_policy.png", dpi=120)
    print("wrote own_policy.png")
