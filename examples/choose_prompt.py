# %% [markdown]
# # Choose among prompts with a judge
#
# You have five prompts for a summary and a judge, a language model or a person, that says which of
# two summaries is better. The judge is noisy and every question costs money. `duel.run` asks about
# the pairs that matter, several at a time, and stops as soon as the best prompt is certain.
#
# The judge of this example is simulated, so that it runs anywhere: it knows a quality for every
# prompt, and errs as judges do, text by text.

# %%
import asyncio
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
texts = [{"id": f"text-{number}", "text": f"Once upon a time, {number} .."}
         for number in range(600)]


def liking(prompt: str, text: dict) -> float:
    """How good the summary of a text by a prompt is. The same each time, as at temperature 0."""
    noise = random.Random(prompt + text["id"])
    return of_prompt[prompt] + noise.gauss(0, 1.2)


async def judge(first: str, second: str, text: dict):
    """Which of two prompts gave the better summary of a text, and the price of asking."""
    await asyncio.sleep(0)  # yours would await a model here
    one, other = liking(first, text), liking(second, text)
    said = duel.TIE if abs(one - other) < 0.1 else duel.FIRST if one > other else duel.SECOND
    return said, 0.002


# %% [markdown]
# How many questions will it take? `duel.plan` simulates experiments from a guess.

# %%
plan = duel.plan(arms=5, gap=0.15, shared_causes=True, trials=100, seed=1)
duels = plan["policies"][0]["duels"]
print(f"planned: {duels['p50']:.0f} duels in the middle, {duels['p90']:.0f} in nine cases of ten")

# %% [markdown]
# The run. The texts are the tasks: each is evidence about a pair of prompts once, so that a judge
# who always says the same about a text is no trap. Every question and answer is in the log before it
# counts; if the program dies, the same call goes on where it stopped. With `parallel=8` eight
# questions are out at a time, and with `max_cost` the run ends before it costs more.

# %%
log = os.path.join(tempfile.mkdtemp(), "prompts.jsonl")
found = duel.run(prompts, judge, tasks=texts, log=log, parallel=8, max_cost=10, seed=3)
print(found)
print(f"paid {found.cost:.2f}; checks that failed: {found.failed_checks or 'none'}")
assert found.winner == "steps" and found.ended == "certified"

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
