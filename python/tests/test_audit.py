"""People who audit a judge, and judges that say how much."""

import pytest

import duel

OPTIONS = {"pairs_independent": True, "audits": 0.5, "audit_from_seed": True}


def test_the_verdict_is_about_people():
    found = duel.run(["a", "b"], lambda one, two: "b", audit=lambda one, two: "a", **OPTIONS)
    assert found.winner == "a"
    assert found["audit"]["program_winner"] == "b"
    assert found["audit"]["agreed"] == 0
    assert found["audit"]["answers"] > 0
    assert "The judge alone would have certified 'b', and not 'a'." in found["audit"]["text"]


def test_a_judge_that_knows_people_saves_their_answers():
    found = duel.run(["a", "b"], lambda one, two: "a", audit=lambda one, two: "a", **OPTIONS)
    assert found.winner == "a"
    assert found["audit"]["says_the_same"]
    assert found["audit"]["answers"] < found["audit"]["duels"]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(duel.InvalidArgument, match="nobody audits"):
        duel.run(["a", "b"], lambda one, two: "a", audits=0.5)
    with pytest.raises(TypeError, match="audit"):
        duel.run(["a", "b"], lambda one, two: "a", audit="a person")


def test_a_judge_may_say_how_much():
    found = duel.run(["a", "b"], lambda one, two: 0.8 if one == "a" else 0.2,
                     pairs_independent=True)
    assert found.winner == "a"
    assert "graded above it on average" in found.verdict
