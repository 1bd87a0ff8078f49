# %% [markdown]
# # A test that the new prompt is no worse
#
# You changed a prompt, and the change is to be merged only if it does no harm. This is a test for
# pytest: it asks a judge which of two answers is better, question by question, until it can say
# that the new prompt is not worse than the one in use, or that it is. Ties count as one half each,
# so that a change that makes no difference passes.
#
# The judge of this example is simulated, so that it runs anywhere. Yours would send both answers to
# a model. `margin` says how much worse is still accepted: choose it before you look at answers.

# %%
import hashlib

import duel

QUESTIONS = [{"question": f"What is {n} times {n + 1}?"} for n in range(2000)]
PROD = "Answer the question."
NEW = "Answer the question in one sentence."
BROKEN = "Answer the question in one word that rhymes."


def judge(first, second, task):
    """Prefers what its model would: mostly neither, and nobody likes the rhymes."""
    text = f"{first}/{second}/{task['question']}"
    draw = hashlib.sha256(text.encode()).digest()[0] / 256
    if BROKEN in (first, second):
        return first != BROKEN if draw < 0.8 else duel.TIE
    return duel.TIE if draw < 0.7 else draw < 0.85


# %%
def test_new_prompt_is_no_worse(tmp_path):
    gate = duel.gate({"prod": PROD}, {"new": NEW}, judge, tasks=QUESTIONS, margin=0.05,
                     parallel=8, logs=tmp_path)
    assert gate.passed, gate


# %% [markdown]
# What is worse is found out soon, and the message of the failed test is the report.

# %%
def test_broken_prompt_is_found_out():
    gate = duel.gate({"prod": PROD}, {"broken": BROKEN}, judge, tasks=QUESTIONS, margin=0.05)
    assert gate.verdict == "worse", gate
    assert gate.candidates[0].answers < 100
