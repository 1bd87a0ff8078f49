"""Ctrl-C ends long work with KeyboardInterrupt, and the interpreter goes on."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

WORK = {
    "native": "duel.simulate('arxiv', 'uniform', rounds=1e12, trials=4, progress=ready)",
    "python policy": "duel.simulate('arxiv', [('slow', Slow)], rounds=1e12, trials=4, progress=ready)",
    "environment": "duel.simulate(answer, 'uniform', rounds=1e12, trials=4, arms=3, progress=ready)",
    "league": "duel.league(['uniform'], ['arxiv'], rounds=1e12, trials=4, progress=ready)",
    "plan": "duel.plan(arms=5, gap=0.1, trials=10**6, progress=ready)",
}

PROGRAM = """
import sys, threading, duel

def ready(done, total):
    print("ready", flush=True)

def answer(first, second, u):
    ready(0, 1)
    return u < 0.5

class Slow:
    def __init__(self, arms, rng):
        self.rng = rng
    def select(self, round):
        return 0, 1
    def observe(self, duel, outcome):
        pass

# Work that shows no progress until a first trial ends has begun after a while all the same.
threading.Timer(1.0, ready, (0, 1)).start()
try:
    WORK
except KeyboardInterrupt:
    print("interrupted", flush=True)
    assert duel.simulate("arxiv", "rucb", rounds=100, trials=2).trials == 2
    sys.exit(7)
sys.exit("nobody interrupted it")
"""


@pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())
def test_work_is_interrupted(work):
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(PROGRAM).replace("WORK", work)],
                               stdout=subprocess.PIPE, text=True, env=os.environ)
    try:
        for line in process.stdout:
            if line.strip() == "ready":
                break
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(timeout=120) == 7
    finally:
        process.kill()
        process.wait()
