"""Panels: a statement about these people, by counting."""

import itertools
import json
import os
import subprocess
import warnings

import pytest

import duel

PROGRAM = os.environ.get("DUEL_PROGRAM", "duel")
ARMS = ["a", "b", "c"]
PEOPLE = {"about": "these-people"}


def prefers_early_letters(first, second, person=None):
    return min(first, second)


def test_a_run_asks_one_person_after_the_other_until_it_is_certain(tmp_path):
    asked = []

    def judge(first, second, person):
        asked.append(person)
        return min(first, second)

    log = tmp_path / "panel.jsonl"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is taken for granted here
        found = duel.run(ARMS, judge, **PEOPLE, panel=3, subject=["ann", "bob", "cem"], log=log)
    assert found.winner == "a" and found.ended == "certified" and found.takes_for_granted == ""
    assert asked == sorted(asked) and "cem" not in asked  # two of three are certain
    assert "2 of 3 asked, and the other one cannot change it" in found.verdict
    panel = found["panel"]
    assert panel["size"] == 3 and panel["answered"] == 2 and found.why_not_yet == []
    first = json.loads(log.read_text().splitlines()[0])
    assert first["about"] == "these_people" and "shared_causes" not in first["stopping"]
    assert json.loads(duel.Experiment(ARMS, **PEOPLE, panel=3, subject=True, log=log)
                      .certificate())["by"] == "counting"
    assert duel.verify(log, replay=True)["verified"]


def test_a_person_who_has_nothing_left_is_given_none_and_the_others_go_on():
    with duel.Experiment(ARMS, **PEOPLE, panel=["ann", "bob", "cem"], subject=True) as exp:
        answers = 0
        while (served := exp.next(subject="ann")) is not None:
            assert served.subject == "ann"
            exp.report(served, min(served.first, served.second))
            answers += 1
        assert answers == 3 and not exp.done
        assert exp.next(subject="eve") is None  # who is not on the list
        whys = [why.reason for why in exp.result().why_not_yet]
        assert "people" in whys
        exp.report(exp.next(subject="bob"), "a")
        with pytest.raises(duel.InvalidArgument, match="who will be asked"):
            exp.next()


def test_the_same_call_goes_on_with_whoever_has_not_answered(tmp_path):
    options = {**PEOPLE, "panel": 3, "log": tmp_path / "panel.jsonl"}
    found = duel.run(ARMS, min, subject="ann", **options)
    assert found.ended == "nobody_left" and found["panel"]["answered"] == 1
    assert not found.certified and "people" in [why.reason for why in found.why_not_yet]
    again = duel.run(ARMS, lambda *_: pytest.fail("asked twice"), subject="ann", **options)
    assert again.ended == "nobody_left"
    assert duel.run(ARMS, min, subject="bob", **options).winner == "a"


@pytest.mark.parametrize("people", [
    lambda: itertools.cycle(["ann", "bob"]), lambda: itertools.repeat("ann"),
    lambda: (lambda: "ann")])
def test_a_run_ends_when_people_come_round_who_have_said_everything(people):
    found = duel.run(ARMS, prefers_early_letters, **PEOPLE, panel=9, subject=people())
    assert found.ended == "nobody_left" and found["panel"]["answered"] in (1, 2)


@pytest.mark.parametrize("options", [{"parallel": 4}, {"parallel": 4, "batch": 3}])
def test_people_are_asked_in_parallel(options):
    people = [f"m{k}" for k in range(7)]
    seen = set()

    def judge(first, second, person):
        assert (person, frozenset((first, second))) not in seen, "asked twice"
        seen.add((person, frozenset((first, second))))
        return min(first, second)

    found = duel.run(ARMS, judge, **PEOPLE, panel=people, subject=people, **options)
    assert found.winner == "a" and found["panel"]["size"] == 7


def test_a_panel_without_a_size_is_closed(tmp_path):
    options = {**PEOPLE, "log": tmp_path / "panel.jsonl"}
    found = duel.run(ARMS, prefers_early_letters, subject=["ann", "bob"], **options)
    assert found.ended == "nobody_left"
    assert "panel_open" in [why.reason for why in found.why_not_yet]
    with duel.Experiment(ARMS, subject=True, **options) as exp:
        exp.close_panel()
        assert exp.certified and exp.result().winner == "a"
        assert exp.result()["panel"]["size"] == 2
        with pytest.raises(duel.Error):
            exp.absent(["ann"])


def test_an_early_panel_is_decided_in_its_drawn_order():
    people = [f"m{k}" for k in range(60)]
    options = {**PEOPLE, "panel": people, "early": True, "subject": True, "alpha": 0.1}
    with duel.Experiment(["a", "b"], **options) as exp:
        exp.absent(["m3", "m4"])
        assert exp.next(subject="m3") is None
        answered = 0
        for person in people:
            served = exp.next(subject=person)
            if served is not None:
                exp.report(served, "a")
                answered += 1
        panel = exp.result()["panel"]
        assert exp.certified and panel["absent"] == 2 and answered <= 31
        with pytest.raises(TypeError, match="names"):
            exp.absent("m5")
        with pytest.raises(duel.Error):
            exp.absent(["eve"])


def test_about_tasks_each_person_answers_each_task():
    asked = []

    def judge(first, second, task, person):
        asked.append((person, task))
        return min(first, second)

    found = duel.run(["a", "b"], judge, **PEOPLE, panel=1, subject=["ann"], tasks=["x", "y", "z"])
    assert found.winner == "a" and set(asked) <= {("ann", task) for task in "xyz"}
    assert len(asked) == len(set(asked)) == 2  # two of three are certain


def test_python_and_the_command_line_go_on_with_each_other(tmp_path):
    log = tmp_path / "panel.jsonl"
    options = {**PEOPLE, "panel": ["ann", "bob", "cem"], "log": log, "name": "p"}
    duel.run(["a", "b"], prefers_early_letters, subject="ann", **options)
    # To the program ann has answered, and bob decides it. `1` is the arm shown first.
    ask = [PROGRAM, "vote", "--arms", "a,b", "--about", "these-people", "--panel", "ann,bob,cem",
           "--name", "p", "--log", str(log)]
    done = subprocess.run([*ask, "--voter", "ann"], input="1\n", text=True, capture_output=True,
                          check=False)
    assert duel.result(log)["duels"]["served"] == 1, done.stderr
    subprocess.run([*ask, "--voter", "bob"], input="1\n", text=True, capture_output=True,
                   check=False)
    assert duel.result(log)["panel"]["answered"] == 2


@pytest.mark.parametrize("field, options", [
    ("subject", {}), ("panel", {"panel": 0, "subject": "ann"}),
    ("panel", {"panel": [], "subject": "ann"}), ("panel", {"panel": [""], "subject": "ann"}),
    ("panel", {"panel": ["\ud800"], "subject": "ann"}),
    ("panel.members", {"panel": ["ann", "ann"], "subject": "ann"}),
    ("panel.early", {"panel": ["ann"], "early": True, "subject": "ann"}),
    ("pairs_independent", {"panel": 2, "subject": "ann", "pairs_independent": True}),
    ("goal", {"goal": "borda", "subject": "ann"}),
])
def test_what_is_wrong_with_a_panel_is_named(field, options):
    for about in ("these-people", "these_people"):
        with pytest.raises((duel.InvalidArgument, duel.Unsupported)) as caught:
            duel.run(ARMS, min, about=about, **options)
        assert caught.value.field == field


def test_a_panel_is_for_these_people():
    with pytest.raises(duel.InvalidArgument) as caught:
        duel.Experiment(ARMS, panel=3)
    assert caught.value.field == "about"
    for wrong in ("ann,bob", {1: 2}.values, 2.5, True, [7]):
        with pytest.raises((TypeError, duel.InvalidArgument), match="panel|whole"):
            duel.Experiment(ARMS, **PEOPLE, panel=wrong, subject="ann")
    with pytest.raises((duel.InvalidArgument, duel.Unsupported)) as caught:
        duel.run(ARMS, min, **PEOPLE, panel=2, subject="ann", audit=min)
    assert caught.value.field == "audit"
    with duel.Experiment(ARMS) as exp, pytest.raises(duel.Error):
        exp.close_panel()


def test_people_like_these_is_what_a_certificate_without_tasks_is_about(tmp_path):
    log = tmp_path / "run.jsonl"
    duel.run(["a", "b"], min, about="people-like-these", subject=(f"p{k}" for k in range(40)),
             log=log, max_duels=3)
    # The same experiment under the other name.
    duel.Experiment(["a", "b"], subject=True, log=log).close()
    with pytest.raises(duel.InvalidArgument) as caught:
        duel.Experiment(["a", "b"], about="people-like-these", tasks=["x"])
    assert caught.value.field == "about"
