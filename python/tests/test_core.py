"""The module against the command line and against itself. DUEL_PROGRAM names the program."""

import copy
import json
import os
import pickle
import subprocess

import numpy
import pytest

import duel

PROGRAM = os.environ.get("DUEL_PROGRAM", "duel")


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if "seconds" not in key}
    if isinstance(value, list):
        return [without_times(item) for item in value]
    return value


def test_simulation_has_the_numbers_of_the_command_line():
    text = subprocess.check_output(
        [PROGRAM, "simulate", "--policy", "rmed1,rucb(alpha=0.6),dts", "--matrix", "arxiv",
         "--rounds", "3000", "--trials", "5", "--seed", "3", "--json", "--quiet"])
    out = duel.simulate("arxiv", ["rmed1", duel.policies.rucb(alpha=0.6), "dts"], rounds=3e3,
                        trials=5, seed=3)
    assert without_times(out.to_dict()) == without_times(json.loads(text))
    assert out.regret.shape == (3, 5, len(out.rounds))
    assert numpy.allclose(out.regret.mean(axis=1), out.mean)


def test_policy_object_plays_the_trial_of_the_simulator():
    matrix = duel.PreferenceMatrix("arxiv")
    out = duel.simulate(matrix, "rucb", rounds=500, trials=2, seed=9)
    for trial in range(2):
        policy, answers = duel.Policy("rucb", arms=6, seed=9, trial=trial), matrix.answers(9, trial)
        informative = 0
        for _ in range(500):
            chosen = policy.select()
            informative += not chosen.is_self
            policy.observe(chosen, answers(chosen))
        assert informative == out.informative[0, trial, -1]


def test_environment_in_python_repeats_the_matrix():
    matrix = duel.PreferenceMatrix("arxiv")
    native = duel.simulate(matrix, "rmed1", rounds=300, trials=3)
    python = duel.simulate(lambda i, j, u: u < matrix[i, j], "rmed1", rounds=300, trials=3,
                           truth=matrix)
    assert (native.regret == python.regret).all()


class Uniform:
    """Any pair, by lot."""

    def __init__(self, arms, rng):
        self.arms, self.rng = arms, rng

    def select(self, round):
        return self.rng.integers(self.arms), self.rng.integers(self.arms)

    def observe(self, duel, outcome):
        assert outcome in ("first", "second")


def test_policy_in_python_plays_beside_native_ones():
    one = duel.simulate("arxiv", [("by-lot", Uniform), "rucb"], rounds=200, trials=4, threads=1)
    two = duel.simulate("arxiv", [("by-lot", Uniform), "rucb"], rounds=200, trials=4, threads=2)
    assert one.policies[0] == "by-lot" and (one.regret == two.regret).all()


def test_exception_of_a_policy_arrives_as_it_was_raised():
    class Broken(Uniform):
        def select(self, round):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        duel.simulate("arxiv", [("broken", Broken)], rounds=10, trials=2)


def test_policy_is_pickled_and_copied():
    policy = duel.Policy("dts", arms=5, seed=4)
    for _ in range(50):
        policy.observe(policy.select(), "first")
    for other in (pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert other.select() == policy.copy().select()


def test_wrong_input_is_an_exception_with_a_hint():
    with pytest.raises(duel.InvalidArgument, match="rucb"):
        duel.simulate("arxiv", "rucbb", rounds=10)
    with pytest.raises(duel.Error):
        duel.PreferenceMatrix(numpy.full((2, 3), 0.5))
    with pytest.raises(duel.Error):
        duel.PreferenceMatrix(numpy.full((2, 2), numpy.nan))
    with pytest.raises(duel.Error):
        duel.Policy("rucb", arms=10**9)
    policy = duel.Policy("rucb", arms=3)
    chosen = policy.select()
    with pytest.raises(TypeError):
        policy.observe(chosen, 1)
    policy.observe(chosen, "first")
    with pytest.raises(duel.InvalidArgument):
        policy.observe(chosen, "first")


def test_run_certifies_and_its_log_is_verified(tmp_path):
    log = tmp_path / "run.jsonl"
    found = duel.run(["a", "b", "c"], min, log=log, parallel=3)
    assert "'a'" in found.verdict
    assert duel.verify(log, replay=True)["certificate"]["winner"] is not None
    subprocess.check_call([PROGRAM, "verify", "--log", str(log)], stdout=subprocess.DEVNULL)


def test_result_of_votes_at_hand():
    votes = [{"model_a": "x", "model_b": "y", "winner": "model_a"}] * 40
    assert duel.result(votes).to_dict()["arms"]


def test_help_says_what_a_policy_takes():
    import inspect

    assert str(inspect.signature(duel.Policy)) == "(policy, arms, seed=0, trial=0, rounds=None)"
    assert "asked for duels" in duel.Policy.__doc__
    for method in ("select", "observe", "recommend"):
        assert getattr(duel.Policy, method).__doc__
    for words in ("ties", "prior", "elo", "covariance", "p_value"):
        assert words in duel.bradley_terry.__doc__
    for name in duel.__all__:
        assert inspect.getdoc(getattr(duel, name)), name
