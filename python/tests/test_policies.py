"""Policies as objects, as strings, and written in Python."""

import copy
import inspect
import pickle
import pydoc

import numpy
import pytest

import duel

NATIVE = [facts.name for facts in duel.policies() if facts.kind == "policy"]


def played(name, rounds=60, seed=5):
    """A policy in the middle of its work, or None where it needs another number of arms."""
    policy = duel.Policy(name, arms=5, seed=seed, rounds=1000)
    answers = duel.PreferenceMatrix(numpy.array(
        [[0.5 + 0.05 * (j - i) for j in range(5)] for i in range(5)])).answers(seed)
    for _ in range(rounds):
        chosen = policy.select()
        policy.observe(chosen, answers(chosen))
    return policy, answers


@pytest.mark.parametrize("name", NATIVE)
def test_every_policy_is_pickled_and_copied_in_the_middle(name):
    policy, answers = played(name)
    others = [*(pickle.loads(pickle.dumps(policy, protocol)) for protocol in range(6)), copy.copy(policy), copy.deepcopy(policy),
              policy.copy()]
    for _ in range(100):
        chosen = policy.select()
        outcome = answers(chosen)
        policy.observe(chosen, outcome)
        for other in others:
            assert other.select() == chosen
            other.observe(chosen, outcome)
    for other in others:
        assert other.recommend() == policy.recommend() and other.round == policy.round


def test_a_call_and_its_string_are_the_same():
    assert duel.policies.rucb(alpha=0.6) == "rucb(alpha=0.6)"
    assert duel.policies.rucb() == "rucb"
    assert duel.policies.dts_plus() == "dts-plus"
    assert duel.Policy(duel.policies.rucb(alpha=0.6), arms=3).policy == "rucb(alpha=0.6)"
    assert duel.policies.rucb(alpha=0.6, deterministic_ties=True) == \
        "rucb(alpha=0.6,deterministic_ties=true)"


@pytest.mark.parametrize("name", NATIVE)
def test_help_shows_paper_guarantee_and_options(name):
    function = getattr(duel.policies, name.replace("-", "_"))
    facts = duel.policies[name]
    text = pydoc.plain(pydoc.render_doc(function))
    assert facts.title in text and f"Guarantee: {facts.guarantee}" in text
    assert facts.paper in text
    for option in facts.options:
        assert option["doc"] in text
        assert option["name"] in inspect.signature(function).parameters
    function()  # the defaults are allowed


def test_signature_has_the_defaults():
    parameters = inspect.signature(duel.policies.rucb).parameters
    assert parameters["alpha"].default == 0.51
    assert parameters["deterministic_ties"].default is False


def test_a_wrong_option_names_the_right_ones():
    with pytest.raises(duel.InvalidArgument, match="alpha"):
        duel.policies.rucb(alhpa=1)
    with pytest.raises(duel.InvalidArgument, match="alpha"):
        duel.policies.rucb(alpha=-1)
    with pytest.raises(AttributeError, match="rucb"):
        duel.policies.rucc


def test_the_list_is_a_table():
    listed = duel.policies()
    assert "rucb" in listed._repr_html_()
    assert duel.policies["rucb"].paper.startswith("Zoghi")
    assert [facts.name for facts in duel.policies("condorcet")]
    assert "rmed1" in dir(duel.policies)


def test_answers_may_be_late_missing_or_of_others():
    policy = duel.Policy("rucb", arms=4, seed=1)
    first, second, third = policy.select(), policy.select(), policy.select()
    assert policy.outstanding == 3
    policy.observe(third, "tie")
    policy.observe(first, None)
    policy.observe(second, numpy.bool_(True))
    policy.observe((0, 3), "first")
    assert policy.outstanding == 0
    with pytest.raises(duel.InvalidArgument):
        policy.observe(second, "first")


class Greedy:
    """The arm with the most wins against one by lot."""

    def __init__(self, arms, rng, explore=0.1):
        self.wins, self.rng, self.explore = numpy.ones(arms), rng, explore

    def select(self, round):
        best = int(self.wins.argmax())
        if self.rng.random() < self.explore:
            best = int(self.rng.integers(len(self.wins)))
        return best, int(self.rng.integers(len(self.wins)))

    def observe(self, duel, outcome):
        self.wins[duel.first if outcome == "first" else duel.second] += 1

    def recommend(self):
        return int(self.wins.argmax())


def test_a_policy_in_python_takes_options_as_a_native_one_does():
    duel.register_policy("greedy-by-wins", Greedy)
    out = duel.simulate("arxiv", ["greedy-by-wins", "greedy-by-wins(explore=1)", "rucb"],
                        rounds=500, trials=8)
    assert out.policies[1] == "greedy-by-wins(explore=1)"
    assert out.mean[0, -1] < out.mean[1, -1]
    native = duel.simulate("arxiv", "rucb", rounds=500, trials=8)
    assert (native.regret[0] == out.regret[2]).all()
    assert duel.policies["greedy-by-wins"].title == "The arm with the most wins against one by lot"
    table = duel.league(["greedy-by-wins", "rucb"], ["arxiv"], rounds=200, trials=3)
    assert "greedy-by-wins" in str(table)


def test_a_name_of_a_native_policy_is_refused():
    with pytest.raises(duel.Conflict, match="rucb"):
        duel.register_policy("rucb", Greedy)


@pytest.mark.parametrize("select, error", [
    (lambda self, round: None, TypeError),
    (lambda self, round: (0, 99), duel.InvalidArgument),
    (lambda self, round: (0, -1), duel.InvalidArgument),
    (lambda self, round: (0, 1, 2), TypeError),
    (lambda self, round: (0, "1"), TypeError),
    (lambda self, round: 1 / 0, ZeroDivisionError),
])
def test_a_broken_policy_ends_the_simulation_with_its_exception(select, error):
    broken = type("Broken", (Greedy,), {"select": select})
    with pytest.raises(error):
        duel.simulate("arxiv", [("broken-policy", broken)], rounds=10, trials=4, threads=2)
    with pytest.raises(error):
        duel.league([("broken-policy", broken)], ["arxiv"], rounds=10, trials=4)


def test_an_environment_may_give_every_answer():
    says = {"first": 0.25, "tie": 0.5, "skip": 0.75, None: 1.0}

    def answer(first, second, u):
        return next(word for word, edge in says.items() if u < edge)

    out = duel.simulate(answer, ["rucb", "dts"], rounds=200, trials=3, arms=["a", "b", "c"])
    assert numpy.isnan(out.regret).all()
    assert out.informative[:, :, -1].max() <= 200


def test_an_environment_that_fails_is_heard():
    def answer(first, second, u):
        raise LookupError("no judge")

    with pytest.raises(LookupError, match="no judge"):
        duel.simulate(answer, "rucb", rounds=10, trials=4, arms=3)
    with pytest.raises(TypeError, match="outcome"):
        duel.simulate(lambda i, j, u: 0.3, "rucb", rounds=10, trials=4, arms=3)
    with pytest.raises(duel.InvalidArgument, match="arms"):
        duel.simulate(answer, "rucb", rounds=10)
