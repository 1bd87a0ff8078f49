# %% [markdown]
# # Compare policies, and draw a published figure again
#
# You have a new idea for a dueling bandit, or want to know which known one fits your problem. This
# example plays policies on the six rankers of arXiv and draws the figure that every paper on the
# subject has: regret over rounds. It is Figure 2 (six rankers) of Komiyama, Honda, Kashima and
# Nakagawa (COLT 2015), with fewer trials than the paper's 1000.

# %%
import duel

matrix = duel.PreferenceMatrix("arxiv")
print(matrix)
print("lower bound on regret:", round(matrix.lower_bound, 2), "ln T")

# %% [markdown]
# All policies meet the same outcomes in the same trial, so their differences have a small error.
# The numbers depend on the seed alone: `duel simulate` prints the same ones.

# %%
policies = ["if1", "rucb", "rmed1", duel.policies.rmed2fh(alpha=3), "imed"]
out = duel.simulate(matrix, policies, rounds=100_000, trials=40, seed=1,
                    horizon_per_checkpoint=True)
print(out)

# %% [markdown]
# The difference of two policies, trial by trial, with its standard error.

# %%
rucb, rmed1 = out.regret[1, :, -1], out.regret[2, :, -1]
difference = rucb - rmed1
error = difference.std(ddof=1) / len(difference) ** 0.5
print(f"rucb - rmed1 after {out.rounds[-1]} rounds: {difference.mean():.0f} ± {error:.0f}")
assert difference.mean() > 5 * error, "the paper has RMED1 far below RUCB, and so had we"

# %% [markdown]
# The figure. RMED1 and RMED2FH come close to the lower bound, RUCB and IF1 stay far above it. The
# bound is asymptotic, so that a policy may be below it for a while, as `imed` is here.

# %%
try:
    axes = out.plot(scale="log")
except ImportError:
    print("no figure: matplotlib is not installed")
else:
    axes.figure.tight_layout()
    axes.figure.savefig("compare_policies.png", dpi=120)
    print("wrote compare_policies.png")
