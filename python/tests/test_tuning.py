"""duel.tune and duel.Study: a space in the place of arms."""

import json
import math
import random

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
