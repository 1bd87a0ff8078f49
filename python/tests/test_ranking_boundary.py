"""Nonsense for rankings, clicks, learning and the client: an exception, never a crash, and none that
speaks of a mistake in Duel itself. What is passed, and how, is that of test_boundary.py."""

import gc
import itertools
import pickle
import random

import numpy
import pytest

import duel
from duel import _native
from test_boundary import NONSENSE, attempt, small

LISTS = {"A": ["a", "b"], "B": ["b", "c"]}
DATA = "synthetic(queries=4,documents=5,features=2)"
NOBODY = "http://127.0.0.1:1"


def learner():
    return duel.PointLearner("dbgd", [0.0, 0.0], delta=1, gamma=1)


CALLS = {
    "interleave": lambda a, b: duel.interleave.interleave(a, b, duel_id="q"),
    "interleave lists": lambda a, b: duel.interleave.team_draft({"A": a, "B": b}, duel_id="q"),
    "interleave names": lambda a, b: duel.interleave.team_draft({a: ["x"], b: ["y"]}, duel_id="q"),
    "interleave id": lambda a, b: duel.interleave.team_draft(LISTS, duel_id=a, length=b),
    "interleave page": lambda a, b: duel.interleave.team_draft(LISTS, duel_id="q", offset=a,
                                                               seed=b),
    "interleave clicks": lambda a, b: duel.interleave.team_draft(LISTS, duel_id="q", clicks=a),
    "interleave options": lambda a, b: duel.interleave.probabilistic(LISTS, duel_id="q", tau=a,
                                                                     credit=b),
    "multileave": lambda a, b: duel.interleave.multileave({"A": a, "B": b, "C": ["c"]},
                                                          duel_id="q"),
    "click model": lambda a, b: duel.clicks.ClickModel(a, b),
    "click": lambda a, b: small(b) and duel.clicks.ClickModel("perfect").click(a, b),
    "click seed": lambda a, b: duel.clicks.ClickModel("perfect").click([1, 2], seed=a),
    "click chances": lambda a, b: duel.clicks.ClickModel("user-browsing").probabilities(a),
    "click counts": lambda a, b: duel.clicks.ClickModel("perfect").count_distribution(a),
    "click pattern": lambda a, b: duel.clicks.ClickModel("perfect").pattern_probability(a, b),
    "credit": lambda a, b: duel.clicks.credit(a, b),
    "credit impression": lambda a, b: duel.clicks.credit(
        [{"query_id": a, "lists": {"x": b, "y": ["d"]}}], []),
    "credit click": lambda a, b: duel.clicks.credit(
        [{"query_id": "q", "lists": {"x": ["c"], "y": ["d"]}}],
        [{"action_name": "click", "query_id": "q", "timestamp": a, "event_attributes": b}]),
    "credit rule": lambda a, b: duel.clicks.credit([], [], weights=a, position_weights=b),
    "credit numbers": lambda a, b: duel.clicks.credit([], [], item_cap=a, alpha=b),
    "credit counts": lambda a, b: small(b) and duel.clicks.credit([], [], length=a, resamples=b),
    "credit kinds": lambda a, b: duel.clicks.credit([], [], cluster=a, in_order=b),
    "dcg": lambda a, b: duel.metrics.dcg(a, b),
    "ndcg": lambda a, b: duel.metrics.ndcg(a, b),
    "ndcg kinds": lambda a, b: duel.metrics.ndcg([1, 2], gain=a, discount=b),
    "ndcg of scores": lambda a, b: duel.metrics.ndcg_of_scores(a, b),
    "precision": lambda a, b: duel.metrics.precision(a, 3, relevant=b),
    "average precision": lambda a, b: duel.metrics.average_precision(a, b),
    "err": lambda a, b: duel.metrics.expected_reciprocal_rank(a, highest=b),
    "map": lambda a, b: duel.metrics.mean_average_precision(a, relevant=b),
    "rankers": lambda a, b: duel.metrics.rankers(a, b),
    "rankers of data": lambda a, b: duel.metrics.rankers(DATA, a, k=b),
    "rankers by weight": lambda a, b: duel.metrics.rankers(DATA, {"x": a, b: [1, 2]}),
    "click log": lambda a, b: small(b) and duel.metrics.click_log(a, resamples=b),
    "click log lines": lambda a, b: duel.metrics.click_log(["user,ranks", a], session_gap=b),
    "letor": lambda a, b: duel.letor.load(a, normalise=b),
    "letor text": lambda a, b: duel.letor.loads(a, zero_based=b),
    "letor arrays": lambda a, b: duel.letor.from_arrays(a, [1, 2], b),
    "letor grades": lambda a, b: duel.letor.from_arrays(numpy.ones((2, 2)), a, b),
    "letor synthetic": lambda a, b: small(a) and small(b) and duel.letor.synthetic(queries=a,
                                                                                   features=b),
    "letor query": lambda a, b: duel.letor.load(DATA)[a],
    "letor object": lambda a, b: duel.letor.JudgedQueries(a),
    "estimate": lambda a, b: duel.estimate(a, b, comparisons=10),
    "estimate kinds": lambda a, b: duel.estimate(DATA, interleave=a, clicks=b, comparisons=10),
    "estimate counts": lambda a, b: small(a) and duel.estimate(DATA, comparisons=a, length=b),
    "estimate rest": lambda a, b: duel.estimate(DATA, comparisons=10, ties=a, exact=b),
    "estimate progress": lambda a, b: duel.estimate(DATA, comparisons=10, progress=a, name=b),
    "learn": lambda a, b: duel.learn.run(a, learner=b, impressions=3, trials=1),
    "learn counts": lambda a, b: small(a) and small(b) and duel.learn.run(DATA, impressions=a,
                                                                          trials=b),
    "learn kinds": lambda a, b: duel.learn.run(DATA, impressions=3, trials=1, compare=a,
                                               heldout=b),
    "learn files": lambda a, b: duel.learn.run(DATA, impressions=3, trials=1, resume=a),
    "dbgd": lambda a, b: duel.dbgd(a, b, delta=1, gamma=1, duels=3),
    "dbgd answers": lambda a, b: duel.dbgd(lambda *_: a, [0.0], delta=1, gamma=1, duels=3),
    "dbgd steps": lambda a, b: duel.dbgd(lambda *_: True, [0.0], delta=a, gamma=b, duels=3),
    "dbgd set": lambda a, b: duel.dbgd(lambda *_: True, [0.0], set=a, radius=b, duels=3),
    "dbgd box": lambda a, b: duel.dbgd(lambda *_: True, [0.0], set="box", low=a, high=b, duels=3),
    "dbgd counts": lambda a, b: small(a) and duel.dbgd(lambda *_: True, [0.0], delta=1, gamma=1,
                                                       duels=a, seed=b),
    "point learner": lambda a, b: duel.PointLearner(a, b),
    "point learner observe": lambda a, b: learner().observe(a, b),
    "point learner ticket": lambda a, b: learner()._learner.observe(a, True, b),
    "point learner restore": lambda a, b: learner()._learner.restore(a, b),
    "point learner state": lambda a, b: learner().__setstate__((a, b)),
    "native interleave": lambda a, b: _native.interleave(a, b, [["a"], ["b"]], None),
    "native credit": lambda a, b: _native.credit("x", a, "y", b, {}, None),
    "native learner": lambda a, b: _native.point_learner("dbgd(delta=1,gamma=1)", [0.0], a, b, 0,
                                                         0),
    "client": lambda a, b: duel.Client(a if a is not None else NOBODY, b, patience=0, timeout=1),
    "client times": lambda a, b: duel.Client(NOBODY, timeout=a, patience=b),
    "client create": lambda a, b: duel.Client(NOBODY, patience=0).create(a, b),
    "client report": lambda a, b: duel.Client(NOBODY, patience=0).report("e", a, b),
    "client lists": lambda a, b: duel.Client(NOBODY, patience=0).interleave("e", a, duel_id=b),
    "client events": lambda a, b: duel.Client(NOBODY, patience=0).events(a),
    "client import": lambda a, b: duel.Client(NOBODY, patience=0).import_log(a, b),
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some texts are taken for names of files


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_nonsense(name):
    call = CALLS[name]
    for value in NONSENSE:
        attempt(call, value, 2)
        attempt(call, "a", value)
    rng = random.Random(name)
    for one, two in rng.sample(list(itertools.product(NONSENSE, NONSENSE)), 100):
        attempt(call, one, two)
    gc.collect()


def test_saved_learners_that_were_changed():
    made = learner()
    for number in range(20):
        made.observe(made.select(), number % 2 == 0)
    made_of, (state, observed) = made.__getstate__()
    rng = random.Random(5)
    for _ in range(400):
        raw = bytearray(state)
        for _ in range(rng.randrange(1, 4)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        if rng.random() < 0.3:
            raw = raw[: rng.randrange(len(raw))]
        other = duel.PointLearner.__new__(duel.PointLearner)
        attempt(other.__setstate__, (made_of, (bytes(raw), observed)))
        attempt(lambda: other.observe(other.select(), True))
    assert (pickle.loads(pickle.dumps(made)).point == made.point).all()
