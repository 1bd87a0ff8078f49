"""duel.gate: its verdicts, several candidates, its logs, and judges of each kind."""

import asyncio
import json
import subprocess
import threading
import xml.etree.ElementTree

import pytest

import duel
from program import PROGRAM

TASKS = [{"q": k} for k in range(300)]


def larger(first, second, task=None):
    return duel.TIE if first == second else first > second


def gate(candidate, *more, **options):
    options.setdefault("tasks", TASKS)
    return duel.gate({"prod": 5}, candidate, *(more or (larger,)), **options)


def test_verdicts():
    same = gate({"same": 5.0})
    assert same.verdict == "not worse" and same.passed
    assert same.candidates[0].ties == same.candidates[0].answers
    better = gate({"new": 7}, claim="better")
    assert better.verdict == "better" and better.passed
    assert better.candidates[0].mean_score == 1
    assert better.candidates[0].reversed_by == (better.candidates[0].answers + 1) // 2
    worse = gate({"old": 3})
    assert worse.verdict == "worse" and not worse.passed
    assert worse.candidates[0].interval[1] < 0.6
    undecided = gate({"same": 5}, max_duels=4)
    assert undecided.verdict == "undecided" and not undecided.passed
    assert undecided.candidates[0].ended == "max_duels"
    assert "is undecided after 4 answers" in undecided.candidates[0].detail
    used = gate({"same": 5}, tasks=TASKS[:6])
    assert used.candidates[0].ended == "tasks_used_up"


def test_beyond_the_margin():
    found = gate({"old": 3}, fail="beyond-margin")
    assert found.verdict == "worse"
    assert "by more than the margin" in found.candidates[0].detail
    assert found.candidates[0].answers > gate({"old": 3}).candidates[0].answers


def test_several_candidates_share_alpha(tmp_path):
    found = gate({"new": 7, "old": 3}, logs=tmp_path)
    assert found.verdict == "worse" and not found.passed
    assert [one.candidate for one in found.candidates] == ["new", "old"]
    assert [one.passed for one in found.candidates] == [True, False]
    for one in found.candidates:
        with open(one.log) as log:
            assert json.loads(log.readline())["stopping"]["alpha"] == 0.025
    assert found.headline == "1 of 2 candidates passed, 1 worse"
    assert "97.5 %" in str(found) and "97.5 %" in found.markdown()
    suite = xml.etree.ElementTree.fromstring(found.junit()).find("testsuite")
    assert suite.get("failures") == "1"
    assert found.to_dict()["headline"] == found.headline
    assert json.dumps(found.to_dict())


def test_names_alone_are_arms():
    def by_name(first, second):
        return "better prompt" if "better prompt" in (first, second) else duel.TIE

    with pytest.warns(duel.FreshAnswersWarning, match="duel.gate has no tasks"):
        found = duel.gate("prompt", ["better prompt", "other prompt"], by_name, claim="better",
                          max_duels=40)
    assert [one.verdict for one in found.candidates] == ["better", "undecided"]


def test_goes_on_from_its_log(tmp_path):
    asked = []

    def counted(first, second, task):
        asked.append(task)
        return larger(first, second)

    assert gate({"new": 7}, counted, claim="better", max_duels=3, logs=tmp_path).verdict == \
        "undecided"
    assert len(asked) == 3
    found = gate({"new": 7}, counted, claim="better", logs=tmp_path)
    assert found.verdict == "better" and found.candidates[0].answers == len(asked)
    again = gate({"new": 7}, counted, claim="better", logs=tmp_path)
    assert again.to_dict() == found.to_dict() and found.candidates[0].answers == len(asked)
    with pytest.raises(duel.Conflict):
        gate({"new": 7}, counted, claim="better", alpha=0.01, logs=tmp_path)
    log = tmp_path / "gate-new.duel.jsonl"
    assert subprocess.run([PROGRAM, "verify", "--log", log], capture_output=True).returncode == 0


def test_judges_are_awaited_and_asked_in_parallel_and_again():
    here, most, failed = 0, 0, set()
    lock = threading.Lock()

    async def slow(first, second, task):
        nonlocal here, most
        here += 1
        most = max(most, here)
        await asyncio.sleep(0.01)
        here -= 1
        if task["q"] % 5 == 0 and task["q"] not in failed:
            failed.add(task["q"])
            raise OSError("busy")
        return larger(first, second)

    found = gate({"new": 7}, slow, claim="better", parallel=4, retry_delay=0)
    assert found.verdict == "better" and most > 1

    def threaded(first, second, task):
        with lock:
            return 0.9 if first > second else 0.1

    graded = gate({"new": 7}, threaded, claim="better", parallel=4)
    assert graded.verdict == "better"
    assert graded.candidates[0].graded == graded.candidates[0].answers
    assert graded.candidates[0].mean_score == pytest.approx(0.9)
    serial = gate({"new": 7}, threaded, claim="better")
    assert graded.to_dict() == serial.to_dict()


def test_what_it_costs_is_limited_over_all_candidates():
    found = gate({"one": 5, "two": 5}, lambda first, second, task: (duel.TIE, 0.5), max_cost=3)
    assert [one.ended for one in found.candidates] == ["budget", "budget"]
    assert found.candidates[0].answers == 6
    assert "the budget is used up" in str(found)


def test_a_judge_that_fails_ends_it():
    def broken(first, second, task):
        raise OSError("no key")

    with pytest.raises(duel.JudgeFailed, match="no key"):
        gate({"new": 7}, broken, retries=0)


def test_health_is_shown():
    found = gate({"new": 7}, lambda first, second, task: duel.FIRST, max_duels=60)
    assert any(check.startswith("position_bias") for check in found.candidates[0].health)
    assert "health check failed: position_bias" in str(found)


@pytest.mark.parametrize("wrong, match", [
    (dict(margin=0.5), "margin"), (dict(alpha=0), "alpha"), (dict(claim="worse"), "claim"),
    (dict(fail="never"), "fail"), (dict(max_duels=1.5), "max_duels"), (dict(order="odd"), "order"),
])
def test_bad_arguments_are_named(wrong, match):
    with pytest.raises(duel.InvalidArgument, match=match):
        gate({"new": 7}, **wrong)


def test_bad_sides():
    for baseline, candidates in [({"a": 1, "b": 2}, "c"), ("a", {}), ("a", ["b", "b"]),
                                 ("a", "a")]:
        with pytest.raises(duel.InvalidArgument):
            duel.gate(baseline, candidates, larger, tasks=TASKS)
    with pytest.raises(TypeError, match="baseline"):
        duel.gate(3, "b", larger, tasks=TASKS)
    with pytest.raises(TypeError, match="judge"):
        duel.gate("a", "b", "c", tasks=TASKS)
