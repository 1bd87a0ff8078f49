"""duel.run: what is asked is in the log, however the run ends."""

import asyncio
import json
import subprocess
import sys
import threading
import time

import pytest

import duel


def test_a_run_goes_on_with_more_duels(tmp_path):
    log = tmp_path / "run.jsonl"
    duel.run(["a", "b"], lambda *_: "tie", log=log, max_duels=4)
    assert duel.result(log)["duels"]["served"] == 4
    assert "'a'" in duel.run(["a", "b"], min, log=log, max_duels=1000).verdict
    again = duel.run(["a", "b"], lambda *_: pytest.fail("asked"), log=log)
    assert "'a'" in again.verdict


def test_what_differs_from_a_log_is_named(tmp_path):
    log = tmp_path / "run.jsonl"
    duel.run(["a", "b"], min, log=log, max_duels=4)
    for field, options in {"alpha": {"alpha": 0.2}, "policy": {"policy": "rucb"},
                           "aa_rate": {"aa_rate": 0.1}, "name": {"name": "other"},
                           "pairs_independent": {"pairs_independent": False}}.items():
        with pytest.raises(duel.Conflict) as caught:
            duel.run(["a", "b"], min, log=log, **options)
        assert caught.value.field == field


def fates(log):
    """What became of each duel."""
    fate = {}
    for line in log.read_text().splitlines():
        record = json.loads(line)
        if "duel_id" in record:
            fate[record["duel_id"]] = record["record"]
    return fate


def test_an_answer_that_was_paid_for_is_recorded_when_another_judge_fails(tmp_path):
    log = tmp_path / "run.jsonl"
    began = threading.Barrier(3)
    gone = threading.Event()
    asked = []

    def judge(one, two):
        asked.append(one)
        turn = len(asked)
        began.wait()
        if turn == 1:
            gone.set()
            raise OSError("the judge is gone")
        gone.wait()
        time.sleep(0.3)
        return min(one, two)

    with pytest.raises(OSError, match="gone") as caught:
        duel.run(["a", "b", "c"], judge, log=log, parallel=3)
    assert "judge" in [entry.name for entry in caught.traceback]
    assert len(asked) == 3
    assert sorted(fates(log).values()) == ["expired", "outcome", "outcome"]


def test_asyncio_judges_are_awaited_when_one_raises(tmp_path):
    log = tmp_path / "run.jsonl"
    asked = []

    async def judge(one, two):
        asked.append(one)
        turn = len(asked)
        await asyncio.sleep(0.05 * turn)
        if turn == 1:
            raise KeyboardInterrupt  # would end a loop of asyncio with all of its tasks
        return min(one, two)

    with pytest.raises(KeyboardInterrupt):
        duel.run(["a", "b", "c"], judge, log=log, parallel=4)
    assert len(asked) == 4
    assert sorted(fates(log).values()) == ["expired", "outcome", "outcome", "outcome"]


def test_an_experiment_is_not_closed_under_its_judges():
    with pytest.raises(duel.Unsupported, match="judges"):
        duel.run(["a", "b"], min, progress=lambda experiment: experiment.close())


INTERRUPTED = """
import asyncio, os, signal, sys, threading, time, duel

def interrupt(times):
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.4)

asked = []

def judge(one, two):
    asked.append(one)
    if len(asked) == 4:
        threading.Thread(target=interrupt, args=(int(sys.argv[2]),)).start()
    time.sleep(0 if len(asked) < 4 else 1.5)
    return min(one, two)

async def judge_async(one, two):
    asked.append(one)
    if len(asked) == 4:
        threading.Thread(target=interrupt, args=(int(sys.argv[2]),)).start()
    await asyncio.sleep(0 if len(asked) < 4 else 1.5)
    return min(one, two)

try:
    duel.run(["a", "b", "c"], judge_async if sys.argv[3] == "tasks" else judge, log=sys.argv[1],
             parallel=4)
except KeyboardInterrupt:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print(len(asked))
    sys.exit(7)
"""


@pytest.mark.parametrize("kind", ["threads", "tasks"])
@pytest.mark.parametrize("times", [1, 2])
def test_the_first_interrupt_waits_for_answers_and_the_second_gives_them_up(tmp_path, kind, times):
    log = tmp_path / "run.jsonl"
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED, log, str(times), kind],
                           stdout=subprocess.PIPE, text=True, timeout=120)
    assert ended.returncode == 7
    found = list(fates(log).values())
    assert len(found) == int(ended.stdout)
    assert found.count("serve") == 0
    assert (found.count("expired") == 0) == (times == 1)
    assert duel.verify(log)["verified"]
