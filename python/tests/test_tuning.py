"""duel.tune and duel.Study: a space in the place of arms."""

import asyncio
import itertools
import json
import math
import random
import subprocess
import sys
import threading
import time

import pytest

import duel

pytestmark = pytest.mark.filterwarnings("ignore::duel.FreshAnswersWarning")

SPACE = {"weight": (0, 1, 0.2)}


def closer(first, second):
    return "first" if abs(first["weight"] - 0.7) < abs(second["weight"] - 0.7) else "second"


def test_a_better_point_is_found_and_certified(tmp_path):
    log = tmp_path / "weight.jsonl"
    with duel.tune(SPACE, closer, max_duels=400, log=log) as study:
        assert study.certified and study.done
        assert "beats the point in use" in study.verdict
        assert abs(study.certified_point["weight"] - 0.7) < 0.5
        assert study.learner.startswith("kernel-ts")
    found = duel.verify(log, replay=True)
    assert found["verified"]
    assert found["certificate"]["kind"] == "point"
    assert duel.result(log)["space"]["tried"][-1]["state"] == "certified"


def test_ask_and_tell():
    study = duel.Study(SPACE, warmup=5, max_duels=30)
    seen = set()
    while (pair := study.ask()) is not None:
        assert pair.first != pair.second
        assert 0 <= pair.first["weight"] <= 1
        seen |= {pair.first_id, pair.second_id}
        assert study.tell(pair, winner=closer(pair.first, pair.second)) == "applied"
    assert study.served <= 30 and study.done
    assert "default" in seen
    guess = study.best_guess
    assert set(guess.point) == {"weight"}
    assert guess.beats_in_use is None or 0 <= guess.beats_in_use <= 1


def test_a_winner_can_be_named_in_several_ways():
    study = duel.Study(SPACE)
    for name in (lambda pair: "first", lambda pair: pair.second_id, lambda pair: pair.first,
                 lambda pair: 2):
        pair = study.ask()
        assert study.tell(pair, winner=name(pair)) == "applied"
    pair = study.ask()
    assert study.tell(pair, tie=True) == "applied"
    assert study.tell(pair, tie=True) == "duplicate"
    with pytest.raises(duel.InvalidArgument) as caught:
        study.tell(study.ask(), winner="p999")
    assert caught.value.field == "winner"
    with pytest.raises(duel.InvalidArgument):
        study.tell(pair)


def test_a_log_is_gone_on_with(tmp_path):
    log = tmp_path / "weight.jsonl"
    with duel.tune(SPACE, closer, max_duels=12, log=log) as study:
        assert not study.certified
    with duel.tune(SPACE, closer, max_duels=400, log=log) as study:
        assert study.resumed and study.certified
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert sum(line["record"] == "experiment" for line in lines) == 1
    with pytest.raises(duel.Conflict) as caught:
        duel.Study({"weight": (0, 2, 0.2)}, log=log)
    assert caught.value.field == "space"


@pytest.mark.parametrize("field, changed", [
    ("learner", {"learner": "dbgd"}), ("alpha", {"alpha": 0.2}), ("warmup", {"warmup": 7}),
    ("name", {"name": "other"}), ("order", {"order": "fixed"}), ("adopt", {"adopt": True}),
    ("seed", {"seed": 3}), ("space", {"space": {"weight": (0, 2, 0.2)}})])
def test_what_differs_from_a_log_is_named_as_it_was_given(tmp_path, field, changed):
    log = tmp_path / "weight.jsonl"
    begun = {"space": SPACE, "log": log}
    duel.Study(**begun).close()
    with pytest.raises(duel.Conflict) as caught:
        duel.Study(**{**begun, **changed})
    assert caught.value.field == field
    with pytest.raises(duel.InvalidArgument) as caught:
        duel.Study(SPACE, learner="rucb")
    assert caught.value.field == "learner"


def test_slices_are_what_the_learner_believes():
    study = duel.tune(SPACE, closer, max_duels=60, warmup=50)
    slices = study.slices(11)
    assert [len(points) for points in slices.values()] == [11]
    values = dict(slices["weight"])
    assert math.isclose(min(values), 0) and math.isclose(max(values), 1)
    assert all(0 <= belief <= 1 for belief in values.values())
    assert duel.tune(SPACE, closer, max_duels=20, learner="dbgd").slices() == {}


def test_what_is_wrong_is_named():
    for space, field in ({"weight": (1, 0, 0.5)}, "weight"), ({}, "space"), \
            ({"weight": {"low": 0, "high": 1}}, "weight.default"):
        with pytest.raises(duel.InvalidArgument) as caught:
            duel.Study(space)
        assert caught.value.field == field
    with pytest.raises(duel.InvalidArgument):
        duel.Study(SPACE, learner="rucb")
    with pytest.raises(TypeError):
        duel.Study(["weight"])
    with pytest.raises(TypeError):
        duel.tune(SPACE, "compare")


def test_a_compare_that_fails_ends_it_with_its_error():
    calls = []

    def broken(first, second):
        calls.append(1)
        raise ValueError("no printer")

    with pytest.raises(ValueError, match="no printer"):
        duel.tune(SPACE, broken, max_failures=3)
    assert len(calls) == 3


def outcomes(log):
    """What became of each duel."""
    return [json.loads(line)["record"] for line in log.read_text().splitlines()
            if '"outcome"' in line or '"expired"' in line]


def at_once(log, parallel, last):
    """A tuning whose first compare ends it with what `last` gives while the others are out."""
    began = threading.Barrier(parallel)
    gone = threading.Event()
    turn = itertools.count()

    def compare(first, second):
        mine = next(turn)
        began.wait()
        if mine == 0:
            gone.set()
            return last()
        gone.wait()
        time.sleep(0.2)
        return "tie"

    return duel.tune(SPACE, compare, parallel=parallel, max_failures=1, log=log)


@pytest.mark.parametrize("last, error", [
    (lambda: "nonsense", duel.InvalidArgument), (lambda: None, duel.InvalidArgument),
    (lambda: 1 / 0, ZeroDivisionError), (lambda: sys.exit(3), SystemExit)])
def test_what_is_out_is_recorded_however_it_ends(tmp_path, last, error):
    log = tmp_path / "weight.jsonl"
    with pytest.raises(error) as caught:
        at_once(log, 4, last)
    assert caught.value.result["duels"]["ties"] == 3
    assert len(outcomes(log)) == 4
    # The log is not held by what nobody can reach.
    with duel.Study(SPACE, log=log) as study:
        assert study.served == 4 and study.pending == []


def test_nonsense_is_no_answer_and_ends_it_if_there_is_no_end_of_it():
    turn = itertools.count()
    study = duel.tune(SPACE, lambda *_: "tie" if next(turn) % 3 else "frist", max_duels=12)
    duels = study.result()["duels"]
    assert (duels["ties"], duels["invalid"]) == (8, 4)
    with pytest.raises(duel.InvalidArgument, match="'frist' is neither") as caught:
        duel.tune(SPACE, lambda *_: "frist", max_failures=3)
    assert caught.value.field == "compare" and caught.value.result["duels"]["invalid"] == 3


INTERRUPTED = """
import os, signal, sys, threading, time, duel

asked = []

def interrupt():
    for _ in range(int(sys.argv[2])):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.4)

def compare(first, second):
    asked.append(first)
    if len(asked) == 4:
        threading.Thread(target=interrupt).start()
    time.sleep(0 if len(asked) < 4 else 1.5)
    return "tie"

try:
    duel.tune({"weight": (0, 1, 0.2)}, compare, log=sys.argv[1], parallel=4)
except duel.RunInterrupted as interrupted:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print(len(asked), interrupted.result["duels"]["ties"])
"""


@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupt_waits_for_what_is_out_and_a_second_one_gives_it_up(tmp_path, times):
    log = tmp_path / "weight.jsonl"
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED, log, str(times)],
                           stdout=subprocess.PIPE, text=True, timeout=120, check=True)
    asked, ties = map(int, ended.stdout.split())
    found = outcomes(log)
    assert len(found) == asked and found.count("outcome") == ties
    assert (ties == asked) == (times == 1)
    assert duel.verify(log)["verified"]


def test_an_answer_that_another_run_waited_for_is_lost(tmp_path):
    log = tmp_path / "weight.jsonl"
    with duel.Study(SPACE, log=log) as study:
        study.ask()
    with duel.tune(SPACE, closer, max_duels=3, log=log) as study:
        assert study.done and study.result()["duels"]["expired"] == 1


def test_compare_may_be_awaited():
    async def compare(first, second):
        await asyncio.sleep(0.001)
        return closer(first, second)

    assert duel.tune(SPACE, compare, parallel=3, max_duels=30).served == 30


def test_a_pair_has_its_task(tmp_path):
    log = tmp_path / "weight.jsonl"
    seen = []

    def compare(first, second, task):
        seen.append(task["q"])
        return closer(first, second)

    tasks = [{"q": f"question {k}"} for k in range(12)]
    with duel.tune(SPACE, compare, tasks=tasks, max_duels=40, log=log) as study:
        assert study.pending == []
    assert seen and set(seen) <= {task["q"] for task in tasks}
    assert json.loads(log.read_text().splitlines()[0])["tasks"]["count"] == 12
    with duel.Study(SPACE, tasks=["only"], about="these-tasks") as study:
        assert study.ask().task == "only"
    with duel.Study(SPACE) as study:
        assert study.ask().task is None
    with pytest.raises(duel.Conflict) as caught:
        duel.Study(SPACE, log=log)
    assert caught.value.field == "tasks"


def test_a_study_takes_one_answer_to_a_pair():
    with pytest.raises(duel.InvalidArgument) as caught:
        duel.Study(SPACE, order="both")
    assert caught.value.field == "order"


def test_several_at_a_time():
    rng = random.Random(1)
    study = duel.tune(SPACE, lambda *_: rng.choice(["first", "second", "tie"]), parallel=4,
                      max_duels=60)
    assert study.served == 60


def test_the_path_as_a_table():
    pandas = pytest.importorskip("pandas")
    study = duel.tune(SPACE, closer, max_duels=40)
    path = study.to_pandas()
    assert isinstance(path, pandas.DataFrame)
    assert list(path.columns) == ["served", "beats_in_use", "weight"]
    assert path["served"].is_monotonic_increasing


def test_plot():
    pytest.importorskip("matplotlib").use("Agg")
    axes = duel.tune({"weight": (0, 1, 0.2), "k1": {"low": 0.1, "high": 10, "default": 1,
                                                   "scale": "log"}}, closer, max_duels=30).plot()
    assert [axis.get_xlabel() for axis in axes] == ["weight", "k1"]
