"""The same seed gives the same numbers as the command line."""

import numpy
import pytest

import duel
from program import ask, without_times

POLICIES = ["imed", "rmed1", "rucb(alpha=0.6)", "dts", "rex3", "if1", "ws-w", "merge-rucb", "ccb"]


@pytest.mark.parametrize("matrix", ["arxiv", "changing(1=arxiv,500=arxiv)",
                                    "bradley-terry(k=9,seed=1,spread=1)"])
def test_simulation(matrix):
    arguments = dict(rounds=2000, trials=4, seed=11)
    said = ask("simulate", "--policy", ",".join(POLICIES), "--matrix", matrix, "--rounds", "2e3",
               "--trials", 4, "--seed", 11, "--json", "--quiet")
    out = duel.simulate(matrix, POLICIES, **arguments)
    assert without_times(out.to_dict()) == without_times(said)
    for threads in (1, 2, 7):
        again = duel.simulate(matrix, POLICIES, threads=threads, **arguments)
        assert (again.regret == out.regret).all() and (again.correct == out.correct).all()


def test_simulation_with_every_option():
    said = ask("simulate", "--policy", "rmed2fh,rucb", "--matrix", "arxiv", "--rounds", 900,
               "--trials", 3, "--seed", 2**40, "--checkpoints", "10,100", "--regret",
               "weak,strong,copeland,borda", "--horizon-per-checkpoint", "--json", "--quiet")
    out = duel.simulate("arxiv", "rmed2fh,rucb", rounds=900, trials=3, seed=2**40,
                        checkpoints=[10, 100], regret=["weak", "strong", "copeland", "borda"],
                        horizon_per_checkpoint=True)
    assert without_times(out.to_dict()) == without_times(said)
    assert out.notions == ["weak", "strong", "copeland", "borda"]
    assert list(out.rounds) == [10, 100, 900]


def test_batches_and_delays_are_those_of_the_command_line():
    said = ask("simulate", "--policy", "imed,dts", "--matrix", "arxiv", "--rounds", 600,
               "--trials", 3, "--batch", 50, "--delay", 7, "--json", "--quiet")
    out = duel.simulate("arxiv", "imed,dts", rounds=600, trials=3, batch=50, delay=7)
    assert without_times(out.to_dict()) == without_times(said)
    at_once = duel.simulate("arxiv", "imed,dts", rounds=600, trials=3)
    assert (out.regret != at_once.regret).any()
    with pytest.raises(duel.InvalidArgument, match="batch"):
        duel.simulate("arxiv", "imed", batch=0)


def test_a_policy_leaves_the_numbers_of_the_others_alone():
    alone = duel.simulate("arxiv", "rmed1", rounds=500, trials=3)
    beside = duel.simulate("arxiv", ["dts", "rmed1"], rounds=500, trials=3)
    assert (alone.regret[0] == beside.regret[1]).all()


def test_mean_and_standard_error_are_those_of_the_trials():
    out = duel.simulate("arxiv", "rucb", rounds=1000, trials=20)
    trials = out.regret[0, :, -1]
    assert out.mean[0, -1] == pytest.approx(trials.mean(), rel=1e-12)
    assert out.se[0, -1] == pytest.approx(trials.std(ddof=1) / numpy.sqrt(20), rel=1e-9)


def test_league():
    said = ask("league", "--matrix", "arxiv,cyclic", "--policy", "rucb,dts", "--rounds", 500,
               "--trials", 5, "--seed", 3, "--json", "--quiet")
    table = duel.league(["rucb", "dts"], ["arxiv", "cyclic"], rounds=500, trials=5, seed=3)
    assert without_times(table) == without_times(said)


def test_plan():
    said = ask("plan", "--arms", 4, "--gap", 0.2, "--trials", 20, "--seed", 5, "--max-duels", 2000,
               "--cost-per-duel", 0.5, "--json", "--quiet")
    plan = duel.plan(arms=4, gap=0.2, trials=20, seed=5, max_duels=2000, cost_per_duel=0.5)
    assert without_times(plan) == without_times(said)


def test_matrix():
    for name in ("arxiv", "cyclic"):
        said = ask("matrix", "show", name, "--json")
        assert duel.PreferenceMatrix(name).describe() == said


def test_policies():
    listed = {entry["name"] for entry in ask("policies", "--json")["policies"]}
    mine = {facts.name for facts in duel.policies() if facts.kind != "python"}
    assert listed == mine


def test_result_of_votes(tmp_path):
    file = tmp_path / "votes.csv"
    lines = ["model_a,model_b,winner"]
    lines += ["x,y,model_a"] * 30 + ["x,z,model_a"] * 25 + ["y,z,model_b"] * 7 + ["z,y,tie"] * 3
    file.write_text("\n".join(lines) + "\n")
    said = ask("result", "--log", file, "--json")
    assert duel.result(file).to_dict() == said
