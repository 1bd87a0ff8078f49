"""What a judge may say and how arms may be called: nothing has two meanings."""

import pathlib

import numpy
import pytest

import duel
from duel._answers import outcome_of
from duel._arms import Arms

pytestmark = pytest.mark.filterwarnings("ignore::duel.FreshAnswersWarning")

SAID = [
    ("x", "first"), ("y", "second"), ("z", None), ("red one", "first"), ("blue one", "second"),
    (duel.FIRST, "first"), (duel.SECOND, "second"), (duel.TIE, "tie"), (duel.BOTH_BAD, "both_bad"),
    (duel.SKIP, "skip"), ("first", "first"), ("tie", "tie"), ("Tie", None), ("frist", None),
    (True, "first"), (False, "second"), (numpy.bool_(True), "first"),
    (numpy.array(False), "second"), (0.9, 0.9), (0.1, 0.1), (0.5, "tie"),
    (numpy.float32(0.75), 0.75), (numpy.float64(0), "second"), (1.0, "first"),
    (1.5, None), (-0.1, None), (float("nan"), None), (float("inf"), None),
    (0, None), (1, None), (2, None), (numpy.int64(1), None), (None, None), ([], None),
    (object(), None), (b"x", None), (numpy.array([True, False]), None), (numpy.str_("x"), "first"),
]


@pytest.mark.parametrize("said, means", SAID, ids=[repr(said) for said, _ in SAID])
def test_what_an_answer_means(said, means):
    arms = Arms({"x": "red one", "y": "blue one", "z": "grey one"})
    assert outcome_of(said, arms, "x", "y") == means


def test_an_arm_that_is_an_object_may_be_given_back():
    models = {"big": {"temperature": 0}, "small": {"temperature": 1}, "odd": object()}
    arms = Arms(models)
    assert outcome_of(models["small"], arms, "big", "small") == "second"
    assert outcome_of(models["odd"], arms, "odd", "small") == "first"
    assert outcome_of({"temperature": 1}, arms, "big", "small") is None  # equal is not the same
    assert outcome_of("big", arms, "big", "big") == "tie"  # an arm shown twice
    found = duel.run(models, lambda one, two: one if one is models["odd"] else two is
                     models["odd"] and two or duel.TIE)
    assert found.winner == "odd"


NUMBERS = {"cold": 0.2, "hot": 0.8}


@pytest.mark.parametrize("arms, said", [
    (NUMBERS, NUMBERS["hot"]), (NUMBERS, 0.5), (NUMBERS, numpy.float32(0.8)), (NUMBERS, 1.0),
    ({"a": numpy.float64(0.2), "b": "text"}, 0.2), ({"off": False, "on": True}, True),
    ({"off": False, "on": True}, numpy.bool_(False)), ({"a": numpy.bool_(True), "b": 1}, True)])
def test_a_number_that_could_be_an_arm_is_refused(arms, said):
    one, other = arms
    for first, second in ((one, other), (other, one)):
        with pytest.raises(duel.InvalidArgument, match="or an arm") as caught:
            outcome_of(said, Arms(arms), first, second)
        assert caught.value.field == "judge" and "duel.FIRST" in caught.value.hint
    experiment = duel.Experiment(arms)
    with pytest.raises(duel.InvalidArgument, match="or an arm") as caught:
        experiment.report(experiment.next(), said)
    assert caught.value.field == "winner"


def test_a_judge_that_gives_back_a_number_it_was_shown_ends_at_once():
    asked = []

    def hotter(one, two):
        asked.append(one)
        return max(one, two)

    with pytest.raises(duel.InvalidArgument, match="0.8 could be a score or an arm") as caught:
        duel.run(NUMBERS, hotter, order="fixed")
    assert len(asked) == 1 and caught.value.field == "judge"
    # What has one meaning is taken: a truth value beside floats, a score beside truth values.
    assert duel.run(NUMBERS, lambda one, two: one > two).winner == "hot"
    assert duel.run({"off": False, "on": True}, lambda one, two: 0.9 if one else 0.1).leader == "on"


def test_an_int_names_no_arm():
    for arms in ({"a": 0, "b": 1}, {"a": numpy.int64(0), "b": numpy.int64(1)}):
        for said in (0, 1, arms["a"], arms["b"], 2):
            assert outcome_of(said, Arms(arms), "a", "b") is None
            assert outcome_of(said, Arms(arms), "b", "a") is None
    with pytest.raises(duel.InvalidArgument, match="the last was 1"):
        duel.run({"a": 0, "b": 1}, lambda one, two: 1)
    assert duel.run({"a": 0, "b": 1}, lambda one, two: one > two).winner == "b"


def test_an_arm_that_is_an_object_and_shown_twice_is_no_place():
    models = {"big": object(), "small": object()}
    assert outcome_of(models["big"], Arms(models), "big", "big") == "tie"


@pytest.mark.parametrize("arms, word", [
    ({"a": "same", "b": "same", "c": "other"}, "'a' and 'b' are the same text"),
    ({"a": "", "b": ""}, "same text"), (dict.fromkeys(["a", "b"], Arms), "same object"),
    (["a", "tie"], "tie"), (["First", "b"], "First"), ({"a": "skip", "b": "x"}, "skip"),
    ({"a": "b", "b": "c"}, "another"), ({"GPT 4o": "x", "b": "GPT-4o"}, "another"),
    (["a", "a"], "twice"), (["a", ""], "empty"), (["a", "  "], "empty"), (["a"], "two arms"),
    ([], "two arms"), ("ab", "one text"), ([1, 1], "twice"), ([{"colour": 1}, "b"], "name")])
def test_arms_with_two_meanings_are_refused_before_anything_is_asked(arms, word):
    for make in (lambda: duel.Experiment(arms), lambda: duel.run(arms, lambda *_: pytest.fail())):
        with pytest.raises(duel.InvalidArgument, match=word) as caught:
            make()
        assert caught.value.field == "arms"


@pytest.mark.parametrize("arms", [{"a", "b"}, 3, None, [None, "b"], [True, "b"], [b"a", "b"]])
def test_arms_of_a_wrong_type_are_a_type_error(arms):
    with pytest.raises(TypeError, match="arms"):
        duel.Experiment(arms)


def test_any_text_is_a_name(tmp_path):
    log = tmp_path / "run.jsonl"
    names = ["meta/llama-3", "GPT 4o", "é", "GPT-4o", "日本", "a" * 300, "GPT+4o", "<b>&"]
    best = names[2]

    def judge(one, two):
        assert one in names and two in names
        return best if best in (one, two) else min(one, two)

    found = duel.run(names, judge, log=log)
    assert found.winner == found.leader == best and best in found.verdict
    assert set(found.arms) == set(names) and "<b>" not in found._repr_html_()
    assert duel.result(log).winner == best and duel.verify(log)["verified"]
    again = duel.Experiment(names, log=log)
    assert again.resumed and again.arms == names
    again.close()
    exp = duel.Experiment(names)
    served = exp.next()
    assert served.first in names and exp.report(served, winner=served.first) == "applied"
    with pytest.raises(duel.InvalidArgument, match="no answer"):
        exp.report(exp.next(), winner="nobody")


def test_arms_of_a_table_and_of_a_series(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"name": ["plain", "short"], "prompt": ["Go on.", "Go."],
                              "temperature": [0.5, 1.0]})
    seen = []

    def judge(one, two):
        seen.append(one)
        return one if len(one["prompt"]) < len(two["prompt"]) else two

    log = tmp_path / "run.jsonl"
    assert duel.run(frame, judge, log=log).winner == "short"
    assert {"prompt": "Go.", "temperature": 1.0} in seen
    assert '"prompt":"Go."' in log.read_text().replace(": ", ":")
    series = pandas.Series({"plain": "Go on.", "short": "Go."})
    assert duel.run(series, max).winner == "short"
    assert duel.run(pandas.DataFrame({"arm": ["a", "b"]}), min).winner == "a"
    with pytest.raises(duel.InvalidArgument, match="column"):
        duel.run(pandas.DataFrame({"colour": ["a", "b"]}), min)
    changed = frame.assign(temperature=[0.5, 2.0])
    with pytest.raises(duel.Conflict, match="'short' has changed"):
        duel.run(changed, judge, log=log)


def test_arms_may_be_equal_where_a_judge_can_tell_them_apart_by_no_answer_of_its_own():
    # Numbers name no arm, and equal objects are not the same one.
    assert duel.Experiment({"a": 3, "b": 3}).arms == ["a", "b"]
    assert duel.Experiment({"a": {"t": 1}, "b": {"t": 1}}).arms == ["a", "b"]
    assert duel.Experiment({"a": None, "b": None}).arms == ["a", "b"]


def test_arms_by_numbers_tuples_and_paths():
    assert duel.Experiment((1, numpy.int64(2))).arms == ["1", "2"]
    assert duel.Experiment(numpy.array(["a", "b"])).arms == ["a", "b"]
    assert duel.Experiment([("a", 1), ("b", 2)]).arms == ["a", "b"]
    assert duel.Experiment([pathlib.PurePosixPath("p/a.txt"), "b"]).arms == ["p/a.txt", "b"]
    assert duel.Experiment([{"name": "a", "payload": 1}, {"id": "b"}]).arms == ["a", "b"]


def test_report_takes_what_a_judge_may_say():
    exp = duel.Experiment({"a": "red", "b": "blue"})
    for winner in (duel.FIRST, "a", "red", True, 0.2, duel.TIE, duel.SKIP, numpy.bool_(False)):
        assert exp.report(exp.next(), winner) == "applied"
    assert exp.report(exp.next(), tie=True) == "applied"
    assert exp.report(exp.next(), invalid=True) == "applied"
    counts = exp.result()["duels"]
    assert counts["ties"] == 2 and counts["skips"] == 1 and counts["invalid"] == 1
    served = exp.next()
    for wrong in (1, "nobody", None, float("nan")):
        with pytest.raises(duel.InvalidArgument) as caught:
            exp.report(served, wrong)
        assert caught.value.field == "winner"
    with pytest.raises(TypeError, match="duel"):
        exp.report(17, "a")
