# %% [markdown]
# # Choose among prompts with a judge
#
# You have five prompts for a summary and a judge, a language model or a person, that says which of
# two summaries is better. The judge is noisy and every question costs money. `duel.run` asks about
# the pairs that matter, several at a time, and stops as soon as the best prompt is certain.
#
# The judge of this example is simulated, so that it runs anywhere: it knows a quality for every
# prompt, and errs as judges do.

# %%
import math
import os
import random
import tempfile

import duel

prompts = {
    "plain": "Summarise the text.",
    "short": "Summarise the text in one sentence.",
    "reader": "Summarise the text for a reader who has no time.",
    "steps": "List the main points of the text, then summarise them in two sentences.",
    "pirate": "Summarise the text as a pirate would.",
}
quality = {"plain": 0.0, "short": 0.4, "reader": 0.8, "steps": 1.9, "pirate": -1.5}
of_prompt = {prompt: quality[name] for name, prompt in prompts.items()}
rng = random.Random(7)


def judge(first: str, second: str) -> str:
    """Which of two prompts gave the better summary. Yours would call a model here."""
    if rng.random() < 0.05:
        return "tie"
    odds = math.exp(of_prompt[first] - of_prompt[second])
    return "first" if rng.random() < odds / (1 + odds) else "second"


# %% [markdown]
# How many questions will it take? `duel.plan` simulates experiments from a guess.

# %%
plan = duel.plan(arms=5, gap=0.15, trials=100, seed=1)
duels = plan["policies"][0]["duels"]
print(f"planned: {duels['p50']:.0f} duels in the middle, {duels['p90']:.0f} in nine cases of ten")

# %% [markdown]
# The run. Every question and answer is in the log before it counts; if the program dies, the same
# call goes on where it stopped. With `parallel=8` eight questions are out at a time, in threads, or
# as tasks of asyncio where the judge is a coroutine.

# %%
log = os.path.join(tempfile.mkdtemp(), "prompts.jsonl")
found = duel.run(prompts, judge, log=log, alpha=0.05, max_duels=5000, seed=3)
print(found.verdict)
assert "'steps'" in found.verdict

# %% [markdown]
# The log proves it: anyone can check the certificate against it, here or by `duel verify`.

# %%
checked = duel.verify(log, replay=True)
assert checked["verified"]
print(f"verified: {checked['records']} records, winner {checked['certificate']['winner']}")

# %%
try:
    axes = found.plot()
except ImportError:
    print("no figure: matplotlib is not installed")
else:
    axes.figure.tight_layout()
    axes.figure.savefig("choose_prompt.png", dpi=120)
    print("wrote choose_prompt.png")
