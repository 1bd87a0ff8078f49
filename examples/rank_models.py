# %% [markdown]
# # Rank models from a CSV of votes
#
# People compared the answers of language models, two at a time, and the votes are in a CSV: which
# models met, who won, who judged, and when. You want a ranking that says how sure it is, and you
# want to know whether the best model is the best beyond doubt.
#
# The votes of this example are simulated, so that it runs anywhere. The format is that of the
# public arenas: `model_a,model_b,winner,judge,tstamp`, where the winner is `model_a`, `model_b`,
# `tie` or `tie (bothbad)`.

# %%
import csv
import math
import os
import random
import tempfile

import numpy

import duel

strength = {"falcon": 1.3, "heron": 0.55, "osprey": 0.5, "robin": 0.0, "wren": -0.9}
rng = random.Random(11)
votes = os.path.join(tempfile.mkdtemp(), "votes.csv")

with open(votes, "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["model_a", "model_b", "winner", "judge", "tstamp"])
    for second in range(1500):
        a, b = rng.sample(sorted(strength), 2)
        # Davidson's model: the closer two models are, the more ties.
        odds = [math.exp(strength[a]), math.exp(strength[b]),
                0.25 * math.exp((strength[a] + strength[b]) / 2)]
        winner = rng.choices(["model_a", "model_b", "tie"], odds)[0]
        if winner == "tie" and rng.random() < 0.3:
            winner = "tie (bothbad)"
        rows.writerow([a, b, winner, f"judge{rng.randrange(900)}", 1_700_000_000 + second])

# %% [markdown]
# `duel.result` reads the file. The verdict needs no model of the votes: it says that one arm beats
# each other one, and holds whenever you look. The same comes from `duel result --log votes.csv`.

# %%
found = duel.result(votes, alpha=0.05)
print(found.verdict)
assert found["leader"] == "falcon"

# %% [markdown]
# The ranking is a view through the Bradley-Terry model: a strength for each model, with an interval
# and with the ranks that the intervals leave open. Two models whose ranks overlap are tied.

# %%
print(f"{'model':<8} {'Elo':>6}  {'95 % interval':>15}  ranks  {'won':>4} {'lost':>4} {'tied':>4}")
for arm in found["arms"]:
    low, high = arm["elo_interval"]
    first, last = arm["rank_range"]
    ranks = f"{first}" if first == last else f"{first}-{last}"
    print(f"{arm['arm_id']:<8} {arm['elo']:>6.0f}  {low:>6.0f} to {high:>5.0f}  {ranks:>5}  "
          f"{arm['wins']:>4} {arm['losses']:>4} {arm['ties']:>4}")

# %% [markdown]
# Does the model fit? If the votes had a cycle, or some pairs were far from what the strengths say,
# the test of fit would tell, and the ranking would mean little. Here it passes.

# %%
fit = found["bradley_terry"]["lack_of_fit"]
print(f"lack of fit: chi-squared {fit['statistic']:.1f} on {fit['degrees']:.0f} degrees, "
      f"p = {fit['p_value']:.2f}")
assert fit["p_value"] > 0.001

# %% [markdown]
# The same strengths from a table of counts, if you have no single votes.

# %%
names = [arm["arm_id"] for arm in found["arms"]]
wins = numpy.zeros((len(names), len(names)))
ties = numpy.zeros_like(wins)
for pair in found["pairs"]:
    i, j = names.index(pair["first"]), names.index(pair["second"])
    counts = pair["counts"]
    wins[i, j], wins[j, i] = counts["first_wins"], counts["second_wins"]
    ties[i, j] = ties[j, i] = counts["ties"] + counts["both_bad"]
strengths = duel.bradley_terry(wins, ties, model="davidson", arms=names)
print("from counts:", ", ".join(f"{name} {elo:.0f}" for name, elo in zip(names, strengths["elo"])))

# %%
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no figure: matplotlib is not installed")
else:
    figure, axes = plt.subplots(figsize=(7, 3.2))
    places = range(len(names))
    elo = [arm["elo"] for arm in found["arms"]]
    low = [arm["elo"] - arm["elo_interval"][0] for arm in found["arms"]]
    high = [arm["elo_interval"][1] - arm["elo"] for arm in found["arms"]]
    axes.errorbar(elo, places, xerr=[low, high], fmt="o", capsize=4, color="#4477aa")
    axes.set_yticks(list(places), names)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=1, linestyle="--")
    axes.set_xlabel("Elo, 0 for the average model (95 % intervals)")
    axes.set_title(f"{found['duels']['served']} votes", loc="left")
    figure.tight_layout()
    figure.savefig("rank_models.png", dpi=120)
    print("wrote rank_models.png")
