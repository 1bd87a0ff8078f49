"""duel.run about tasks and people: what counts as evidence, and what its user is told."""

import json
import random
import subprocess
import warnings

import pytest

import duel
from program import PROGRAM

QUESTIONS = [f"question {k}" for k in range(20)]


def judge_of(seed):
    """Two models that are equal: which answers a question better is a coin, tossed once."""
    rng = random.Random(seed)
    better = {question: rng.choice(["x", "y"]) for question in QUESTIONS}
    return better, rng


def test_tasks_trap():
    # A judge that draws one of 20 questions for each call and always says the same about it. The
    # share of questions that x wins is binomial, mostly not one half, and the answers to those 20
    # can be had for ever: without tasks most runs certify something that is not so.
    runs, alpha = 40, 0.05
    false_with, false_without = 0, 0
    for seed in range(runs):
        better, rng = judge_of(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = duel.run(["x", "y"], lambda one, two, task: better[task], tasks=QUESTIONS,
                             alpha=alpha, seed=seed, max_duels=500)
        false_with += found.certified
        assert not found.takes_for_granted
        with pytest.warns(duel.FreshAnswersWarning, match="tasks="):
            found = duel.run(["x", "y"], lambda one, two: better[rng.choice(QUESTIONS)],
                             alpha=alpha, seed=seed, max_duels=500)
        false_without += found.certified
        assert found.health[-1].name == "fresh_answers" and found.health[-1].verdict != "passed"
        assert "tasks" in found.takes_for_granted
        assert "give them as tasks" in found.headline
    # A binomial(40, 0.05) is above 7 with probability 5e-4.
    assert false_with <= 7
    assert false_without > runs / 2  # what the warning is about


def test_each_task_is_evidence_about_a_pair_once(tmp_path):
    log = tmp_path / "run.jsonl"
    asked = []

    def judge(one, two, task):
        asked.append((min(one, two), max(one, two), task["q"]))
        return "tie"

    tasks = [{"q": k} for k in range(6)]
    found = duel.run(["a", "b", "c"], judge, tasks=tasks, log=log, max_duels=200)
    assert found.ended == "tasks_used_up" and not found.certified
    records = [json.loads(line) for line in log.read_text().splitlines()]
    assert records[0]["tasks"]["count"] == 6
    evidence = [(min(r["first"], r["second"]), max(r["first"], r["second"]), r["task"])
                for r in records if r["record"] == "serve" and r.get("evidence", True)]
    assert len(evidence) == len(set(evidence))
    assert len(asked) == len([r for r in records if r["record"] == "serve"])


def test_exactly_these_tasks_come_again():
    asked = []

    def judge(one, two, task):
        asked.append(task)
        return min(one, two)

    found = duel.run(["a", "b"], judge, tasks=["p", "q"], about="these-tasks", max_duels=100)
    assert found.winner == "a" and len(asked) > 2 and set(asked) == {"p", "q"}
    with pytest.raises(duel.InvalidArgument, match="tasks") as caught:
        duel.run(["a", "b"], judge, about="these-tasks")
    assert caught.value.field == "about"
    with pytest.raises(duel.InvalidArgument) as caught:
        duel.run(["a", "b"], judge, tasks=["p"], about="tasks-like-thees")
    assert caught.value.field == "about" and "tasks" in str(caught.value)


def threshold_of(**options):
    """The threshold of two arms: ln(3/alpha + 1) or ln(K/alpha), whichever is smaller."""
    exp = duel.Experiment(["a", "b", "c", "d", "e"], alpha=0.05, **options)
    for _ in range(40):
        served = exp.next(subject="ann" if options.get("subject") is True else None)
        if served is None:
            break
        exp.report(served, winner=min(served.first, served.second))
    rivals = [arm["log_threshold"] for arm in exp.result()["arms"] if "log_threshold" in arm]
    return round(2.718281828459045 ** rivals[0])


def test_thresholds_follow_what_is_declared():
    assert threshold_of() == 61  # 3/alpha + 1
    assert threshold_of(tasks=QUESTIONS) == 100  # K/alpha
    assert threshold_of(tasks=QUESTIONS, about="these-tasks") == 61
    assert threshold_of(pairs_independent=False) == 100
    assert threshold_of(subject=True) == 100
    for options in ({"tasks": QUESTIONS}, {"subject": "ann"}):
        with pytest.raises(duel.InvalidArgument) as caught:
            duel.Experiment(["a", "b"], pairs_independent=True, **options)
        assert caught.value.field == "pairs_independent"


def test_tasks_are_lists_tables_dicts_and_files(tmp_path):
    pandas = pytest.importorskip("pandas")
    seen = []

    def judge(one, two, task):
        seen.append(task)
        return min(one, two)

    frame = pandas.DataFrame({"question": ["p", "q", "r"], "weight": [1, 2, 3]})
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"question": "p"}\n\n"q"\n')
    for tasks, shown in [(frame, {"question": "p", "weight": 1}), (("p", "q"), "p"),
                         ({"t1": "p", "t2": "q"}, "p"), (file, {"question": "p"})]:
        seen.clear()
        duel.run(["a", "b"], judge, tasks=tasks, max_duels=30)
        assert shown in seen
    for tasks, error in [([], ValueError), (["p", "p"], ValueError), ([object()], TypeError),
                         ({"p"}, TypeError), (3, TypeError), ([float("nan")], TypeError)]:
        with pytest.raises(error, match="task"):
            duel.run(["a", "b"], judge, tasks=tasks)
    with pytest.raises(FileNotFoundError):
        duel.run(["a", "b"], judge, tasks=tmp_path / "none.jsonl")


def test_a_run_goes_on_with_more_tasks(tmp_path):
    log = tmp_path / "run.jsonl"
    judge = lambda one, two, task: min(one, two) if task != "t0" else max(one, two)  # noqa: E731
    tasks = [f"t{k}" for k in range(40)]
    first = duel.run(["a", "b"], judge, tasks=tasks[:4], log=log)
    assert first.ended == "tasks_used_up" and first["duels"]["served"] == 4
    again = duel.run(["a", "b"], judge, tasks=tasks, log=log)
    assert again.winner == "a"
    assert duel.verify(log)["verified"]
    for changed in (["other"] + tasks[1:], tasks[:3], None):
        with pytest.raises(duel.Conflict) as caught:
            duel.run(["a", "b"], judge, tasks=changed, log=log)
        assert caught.value.field == "tasks"
    with pytest.raises(duel.Conflict) as caught:
        duel.run(["a", "b"], judge, tasks=tasks, about="these-tasks", log=log)
    assert caught.value.field == "about"


@pytest.mark.filterwarnings("ignore::duel.FreshAnswersWarning")
def test_both_orders_make_a_flip_a_tie():
    asked = []

    def first_place(one, two):
        asked.append((one, two))
        return duel.FIRST

    found = duel.run(["a", "b"], first_place, order="both", max_duels=30)
    assert found["duels"]["ties"] == 30 and len(asked) == 60
    assert asked[0] == asked[1][::-1]
    assert duel.run(["a", "b"], min, order="both").winner == "a"


def test_an_experiment_in_both_orders_takes_two_answers():
    exp = duel.Experiment(["a", "b"], order="both")
    served = exp.next()
    with pytest.raises(duel.Error):
        exp.report(served, served.first)
    assert exp.report(served, duel.FIRST, turned=duel.FIRST) == "applied"
    assert exp.result()["duels"]["ties"] == 1
    served = exp.next()
    assert exp.report(served, served.first, turned=duel.SECOND) == "applied"
    assert exp.result()["duels"]["first_wins"] + exp.result()["duels"]["second_wins"] == 1


def test_of_one_persons_answers_to_a_pair_the_first_is_evidence(tmp_path):
    log = tmp_path / "run.jsonl"
    exp = duel.Experiment(["a", "b"], subject=True, log=log)
    for person in ["ann", "bob", "ann"]:
        exp.report(exp.next(subject=person), "a")
    with pytest.raises(duel.InvalidArgument, match="who"):
        exp.next()
    exp.close()
    serves = [json.loads(line) for line in log.read_text().splitlines() if '"serve"' in line]
    assert [serve.get("evidence", True) for serve in serves] == [True, True, False]
    assert "ann" not in log.read_text()
    exp = duel.Experiment(["a", "b"], subject=True, log=log)
    exp.report(exp.next(subject="bob"), "a")  # known from the log, too
    exp.close()
    assert json.loads(log.read_text().splitlines()[-2])["evidence"] is False
    with pytest.raises(duel.InvalidArgument, match="subject=True"):
        duel.Experiment(["a", "b"]).next(subject="ann")


def test_a_person_is_one_whoever_writes_the_log(tmp_path):
    by_vote = tmp_path / "vote.jsonl"
    subprocess.run([PROGRAM, "vote", "--arms", "a,b", "--about", "these-people", "--voter", "ann é",
                    "--log", by_vote], input="1\n", text=True, cwd=tmp_path,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    records = [json.loads(line) for line in by_vote.read_text().splitlines()]
    begun = records[0]
    of_vote = {record["subject"] for record in records if "subject" in record}
    assert len(of_vote) == 1
    log = tmp_path / "run.jsonl"
    options = {"name": begun["experiment_id"], "seed": begun["seed"], "log": log}
    duel.run(["a", "b"], min, subject="ann é", max_duels=1, **options)
    with duel.Experiment(["a", "b"], subject=True, **options) as experiment:
        experiment.next(subject="ann é")
        experiment.next(subject="bob")
    subjects = [json.loads(line)["subject"] for line in log.read_text().splitlines()
                if '"serve"' in line]
    assert {subjects[0]} == {subjects[1]} == of_vote != {subjects[2]}


def test_a_run_asks_person_after_person():
    told = []

    def judge(one, two, person):
        told.append(person)
        return min(one, two)

    people = (f"person {k}" for k in range(200))
    found = duel.run(["a", "b"], judge, subject=people)
    assert found.winner == "a" and told == [f"person {k}" for k in range(len(told))]
    # Also where several duels are chosen before the first of them is asked.
    del told[:]
    duel.run(["a", "b"], judge, subject=(f"person {k}" for k in range(200)), batch=4)
    assert told == [f"person {k}" for k in range(len(told))]
    found = duel.run(["a", "b"], judge, subject=["ann", "bob"])
    assert found.ended == "nobody_left" and found["duels"]["served"] == 2
    found = duel.run(["a", "b"], lambda one, two: min(one, two), subject="ann", max_duels=50)
    assert not found.certified  # she has said it once
    with pytest.raises(TypeError, match="subject"):
        duel.run(["a", "b"], judge, subject=iter([3]))


@pytest.mark.filterwarnings("ignore::duel.FreshAnswersWarning")
def test_a_judge_that_repeats_itself_is_told_so():
    always = duel.run(["a", "b", "c"], min).health[-1]
    assert always.name == "fresh_answers" and always.verdict == "unknown"
    assert "each time has said it once" in always.detail
    # Questions in a circle, through all pairs alike, or for each pair its own.
    rng = random.Random(1)
    says = {(pair, k): rng.random() < 0.5 for pair in ("ab", "ac", "bc") for k in range(7)}
    turn = {"": 0}

    def circle(one, two):
        turn[""] += 1
        low, high = sorted((one, two))
        return low if says[low + high, turn[""] % 7] else high

    def own_circle(one, two):
        low, high = sorted((one, two))
        turn[low + high] = turn.get(low + high, 0) + 1
        return low if says[low + high, turn[low + high] % 7] else high

    for judge in (circle, own_circle):
        found = duel.run(["a", "b", "c"], judge, alpha=1e-6, max_duels=300)
        check = found.health[-1]
        assert check.verdict == "failed" and "every 7 duels" in check.detail, check
        assert "fresh_answers" in found.headline
    # Coins in no circle.
    coin = duel.run(["a", "b", "c"], lambda *_: rng.random() < 0.5, alpha=1e-6, max_duels=300)
    assert coin.health[-1].verdict == "unknown" and "afresh" in coin.health[-1].detail
    # Different scores are no repetition.
    graded = duel.run(["a", "b"], lambda *_: rng.uniform(0.1, 0.9), alpha=1e-6, max_duels=60)
    assert "afresh" in graded.health[-1].detail
    # An experiment and its log say the same, also before there is a certificate.
    begun = duel.Experiment(["a", "b"]).result()
    assert begun.health[-1].name == "fresh_answers"
    assert not begun.certified and "give them as tasks" in str(begun)
