"""Rankings, clicks and learning: the numbers of the command line, and exceptions for wrong input.

DUEL_PROGRAM names the program.
"""

import copy
import json
import math
import os
import pickle
import subprocess

import numpy
import pytest

import duel

PROGRAM = os.environ.get("DUEL_PROGRAM", "duel")
DATA = "synthetic(queries=30,documents=12,features=5,grades=3)"


def command(*arguments):
    text = subprocess.check_output([PROGRAM, *arguments, "--json", "--quiet"],
                                   stderr=subprocess.DEVNULL)
    return json.loads(text)


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if "seconds" not in key}
    if isinstance(value, list):
        return [without_times(item) for item in value]
    return value


# --- interleaving ---------------------------------------------------------------------------------

LISTS = {"A": [f"d{k}" for k in range(1, 13)],
         "B": ["d3", "d1", "d20", "d5", "d21", "d2", "d22"],
         "C": ["d30", "d1", "d3"]}


def files_of(folder, names):
    paths = []
    for name in names:
        (folder / name).write_text("\n".join(LISTS[name]) + "\n")
        paths.append(name)
    return paths


@pytest.mark.parametrize("method", [m["name"] for m in duel.interleave.methods()])
def test_every_method_shows_the_list_of_the_command_line(method, tmp_path):
    multileaves = {m["name"]: m["multileaves"] for m in duel.interleave.methods()}[method]
    names = ["A", "B", "C"] if multileaves else ["A", "B"]
    files_of(tmp_path, names)
    for seed in (0, 7):
        for clicks in (None, [], ["d3", "d1"]):
            try:
                said = duel.interleave.interleave({name: LISTS[name] for name in names}, method,
                                                  duel_id="q-1", length=6, seed=seed,
                                                  clicks=clicks)
            except duel.InvalidArgument as error:  # a click on what this list does not show
                assert "clicks" in str(error)
                continue
            arguments = [] if clicks is None else ["--clicks", ",".join(clicks)]
            printed = subprocess.check_output(
                [PROGRAM, "interleave", "--method", method, "--id", "q-1", "--length", "6",
                 "--seed", str(seed), "--json", *arguments, *names],
                cwd=tmp_path, stderr=subprocess.DEVNULL)
            assert said.to_dict() == json.loads(printed)


def test_team_draft_has_pages_and_credits_clicks():
    lists = {name: LISTS[name] for name in ("A", "B")}
    whole = duel.interleave.team_draft(lists, duel_id="x", length=12)
    first = duel.interleave.team_draft(lists, duel_id="x", length=5)
    second = duel.interleave.team_draft(lists, duel_id="x", length=7, offset=first.next_offset)
    assert first.ids + second.ids == whole.ids
    item = next(item for item in whole if item.competitive)
    clicked = duel.interleave.team_draft(lists, duel_id="x", length=12, clicks=[item.object_id])
    assert clicked.outcome["winner"] == item.team
    assert whole.outcome is None and len(whole.to_pandas()) == 12


def test_named_methods_are_the_general_one():
    lists = {name: LISTS[name] for name in ("A", "B")}
    for function, text in ((duel.interleave.balanced, "balanced"),
                           (duel.interleave.optimised, "optimised")):
        assert (function(lists, duel_id="y").to_dict()
                == duel.interleave.interleave(lists, text, duel_id="y").to_dict())
    assert (duel.interleave.probabilistic(lists, duel_id="y", tau=1.0).to_dict()
            == duel.interleave.interleave(lists, "probabilistic(tau=1)", duel_id="y").to_dict())
    assert len(duel.interleave.multileave(LISTS, duel_id="y")) == 10


# --- clicks ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("model", [m["name"] for m in duel.clicks.models()])
def test_simulated_clicks_follow_the_exact_probabilities(model):
    grades = [2, 0, 1, 2, 0]
    user = duel.clicks.ClickModel(model, grades=3)
    chances = user.probabilities(grades)
    n = 20_000
    clicked = user.click(grades, users=n, seed=3)
    assert clicked.shape == (n, 5) and clicked.dtype == bool
    # Five standard errors: a false alarm below 1e-6 per position.
    error = 5 * numpy.sqrt(chances * (1 - chances) / n) + 1e-12
    assert (abs(clicked.mean(axis=0) - chances) <= error).all()
    counts = user.count_distribution(grades)
    assert math.isclose(counts.sum(), 1) and math.isclose(
        (counts * numpy.arange(len(counts))).sum(), chances.sum())
    patterns = [[bool(k >> place & 1) for place in range(5)] for k in range(32)]
    assert math.isclose(sum(user.pattern_probability(grades, p) for p in patterns), 1)
    # The first users are the same, however many follow.
    assert (user.click(grades, users=10, seed=3) == clicked[:10]).all()
    assert pickle.loads(pickle.dumps(user)).name == user.name


def log_of_clicks(count=400):
    rng = numpy.random.default_rng(5)
    impressions, events = [], []
    for number in range(count):
        query = f"q{number}"
        lists = {"old": ["a", "b", "c", "d"], "new": ["c", "e", "a", "f"]}
        time = f"2026-01-01T00:{number // 60:02d}:{number % 60:02d}Z"
        impressions.append({"query_id": query, "lists": lists, "user_id": f"u{number % 150}",
                            "timestamp": time})
        if rng.random() < 0.7:
            picked = "e" if rng.random() < 0.6 else "b"
            events.append({"action_name": "click", "query_id": query, "timestamp": time,
                           "event_attributes": {"object": {"object_id": picked}}})
    return impressions, events


def test_credit_of_a_log_is_that_of_the_command_line(tmp_path):
    impressions, events = log_of_clicks()
    for name, rows in (("impressions.jsonl", impressions), ("clicks.jsonl", events)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = duel.clicks.credit(impressions, events, weights={"click": 2}, seed=4)
    printed = command("credit", "--impressions", str(tmp_path / "impressions.jsonl"), "--clicks",
                      str(tmp_path / "clicks.jsonl"), "--weights", "click=2", "--seed", "4",
                      "-o", str(tmp_path / "votes.csv"), "--all")
    assert said.to_dict() == printed
    of_files = duel.clicks.credit(tmp_path / "impressions.jsonl", tmp_path / "clicks.jsonl",
                                  weights="click=2", seed=4)
    assert of_files.to_dict() == printed and of_files.votes == said.votes
    assert len(said.votes) == 400
    rows = (tmp_path / "votes.csv").read_text().splitlines()[1:]
    assert [row.split(",")[11] for row in rows] == [vote["outcome"] for vote in said.votes]


# --- metrics --------------------------------------------------------------------------------------

def test_measures_by_hand():
    ranked = numpy.array([3, 0, 2, 1])
    expected = 7 + 3 / math.log2(4) + 1 / math.log2(5)
    ideal = 7 + 3 / math.log2(3) + 1 / math.log2(4)
    assert math.isclose(duel.metrics.dcg(ranked), expected)
    assert math.isclose(duel.metrics.ndcg(ranked), expected / ideal)
    assert math.isclose(duel.metrics.ndcg([0, 2], judged=[3, 2, 0], k=2),
                        (3 / math.log2(3)) / (7 + 3 / math.log2(3)))
    assert duel.metrics.precision(ranked, 2) == 0.5
    assert math.isclose(duel.metrics.average_precision(ranked), (1 + 2 / 3 + 3 / 4) / 3)
    assert duel.metrics.reciprocal_rank([0, 0, 1]) == 1 / 3
    assert math.isclose(duel.metrics.expected_reciprocal_rank([1, 2], highest=2),
                        1 / 4 + (3 / 4) * (3 / 4) / 2)
    # Two documents of equal score: the mean of both orders.
    assert math.isclose(duel.metrics.ndcg_of_scores([1.0, 1.0], [1, 0]),
                        (1 + 1 / math.log2(3)) / 2)
    assert math.isclose(duel.metrics.mean_reciprocal_rank([[0, 1], [1, 0]]), 0.75)
    assert math.isclose(duel.metrics.mean_average_precision([[0, 1], [1, 0]]), 0.75)


def test_rankers_are_measured_as_by_the_command_line(tmp_path):
    printed = command("metrics", "--data", DATA, "--k", "5", "--gain", "linear")
    assert duel.metrics.rankers(DATA, k=5, gain="linear") == printed
    # The same data from arrays, by way of a file.
    again = duel.metrics.rankers(duel.letor.load(DATA), k=5, gain="linear")
    assert again["rankers"] == printed["rankers"]
    weights = {"best": [1, 0.5, 0, -1, 0.25]}
    one = duel.metrics.rankers(DATA, weights)
    (tmp_path / "rankers.txt").write_text("best 1 0.5 0 -1 0.25\n")
    other = command("metrics", "--data", DATA, "--rankers", str(tmp_path / "rankers.txt"))
    assert one["rankers"] == other["rankers"]


def test_click_metrics_are_those_of_the_command_line(tmp_path):
    lines = ["user,time,query,ranks,seconds"]
    lines += [f"u{k % 7},{60 * k},q{k},{'1;3' if k % 3 else ''},{'2;9' if k % 3 else ''}"
              for k in range(60)]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(lines) + "\n")
    printed = command("metrics", "--clicks", str(log), "--resamples", "200")
    assert duel.metrics.click_log(log, resamples=200) == printed
    assert duel.metrics.click_log(lines, resamples=200) == printed


# --- letor ----------------------------------------------------------------------------------------

def test_letor_files_become_arrays_and_come_back(tmp_path):
    file = tmp_path / "data.txt"
    file.write_text("2 qid:10 1:0.5 3:1e-3 # a\n0 qid:10 2:-1\n1 qid:12 1:7\n")
    data = duel.letor.load(file)
    assert len(data) == 2 and data.num_documents == 3 and data.num_features == 3
    assert data.features.dtype == numpy.float32 and not data.features.flags.writeable
    assert data.features.tolist() == numpy.array(
        [[0.5, 0, 1e-3], [0, -1, 0], [7, 0, 0]], dtype=numpy.float32).tolist()
    assert data.grades.tolist() == [2, 0, 1] and data.qids.tolist() == [10, 12]
    assert data.offsets.tolist() == [0, 2, 3]
    assert data[1].qid == 12 and data[-1].features.shape == (1, 3)
    assert [query.qid for query in data] == [10, 12]
    features = data.features
    again = duel.letor.from_arrays(features, data.grades, [10, 10, 12])
    assert (again.features == features).all() and again.to_text() == data.to_text()
    other = pickle.loads(pickle.dumps(data))
    assert (other.features == features).all()
    other.save(tmp_path / "copy.txt")
    assert duel.letor.load(tmp_path / "copy.txt").to_text() == data.to_text()
    scaled = duel.letor.load(file, normalise="min-max")
    assert scaled.features.max() == 1 and scaled.features.min() == 0
    # The arrays live as long as they are used.
    kept = duel.letor.synthetic(queries=50).features
    assert kept.shape == (1000, 10) and math.isfinite(float(kept.sum()))
    assert len(data.to_pandas().columns) == 5


# --- estimation and learning ----------------------------------------------------------------------

@pytest.mark.parametrize("options", [
    {"interleave": "team-draft", "clicks": "informational", "comparisons": 300, "seed": 3},
    {"interleave": "team-draft", "exact": True},
    {"interleave": "team-draft-multileave", "comparisons": 500},
])
def test_estimate_is_that_of_the_command_line(options):
    arguments = []
    for name, value in options.items():
        arguments += [f"--{name}"] + ([] if value is True else [str(value)])
    printed = command("estimate", "--data", DATA, *arguments)
    said = duel.estimate(DATA, **options)
    assert said.to_dict() == printed
    assert duel.estimate(DATA, threads=2, **options).to_dict() == printed
    assert len(said.matrix) == 5 and said.matrix.arms == ["f1", "f2", "f3", "f4", "f5"]
    assert said.matrix.values.tolist() == printed["matrix"]
    out = duel.simulate(said.matrix, "rmed1", rounds=100, trials=2)
    assert out.trials == 2


def test_learning_is_that_of_the_command_line(tmp_path):
    for learner in ("dbgd(delta=1,gamma=0.01)", "pdgd", "mgd"):
        printed = command("learn", "--data", DATA, "--learner", learner, "--impressions", "60",
                          "--trials", "3", "--clicks", "navigational", "--seed", "2", "-o",
                          str(tmp_path / "cli"))
        said = duel.learn.run(DATA, learner=learner, impressions=60, trials=3, seed=2,
                              clicks="navigational", output=tmp_path / "py")
        assert without_times(said.to_dict()) == without_times(printed)
        assert said.weights.shape == (3, 5)
        for name in ("rankers.txt", "weights.txt", "curve.csv", "model.json", "states.bin"):
            assert (tmp_path / "py" / name).read_bytes() == (tmp_path / "cli" / name).read_bytes()
        curve = said.curve
        assert curve["impressions"][-1] == 60
        assert curve["offline"][-1] == printed["offline_ndcg"]["mean"]
        assert curve["offline_se"][-1] == printed["offline_ndcg"]["standard_error"]
    further = duel.learn.run(resume=tmp_path / "py", impressions=120)
    whole = duel.learn.run(DATA, learner="mgd", impressions=120, trials=3, seed=2,
                           clicks="navigational")
    assert (further.weights == whole.weights).all()
    svm = duel.learn.run(DATA, learner="ranking-svm")
    assert svm.weights.shape == (1, 5) and "ranking-svm" in repr(svm)
    assert {"dbgd", "pdgd"} <= {one["name"] for one in duel.learn.learners()}


def test_dbgd_climbs_any_comparison():
    aim = numpy.array([0.3, -0.2, 0.5])

    def closer(first, second):
        return ((first - aim) ** 2).sum() < ((second - aim) ** 2).sum()

    found = duel.dbgd(closer, numpy.zeros(3), delta=0.2, gamma=0.05, duels=1500)
    assert numpy.linalg.norm(found.point - aim) < 0.1 < numpy.linalg.norm(aim)
    assert len(found.path) == found.moves + 1 and (found.path[-1] == found.point).all()
    again = duel.dbgd(closer, [0, 0, 0], delta=0.2, gamma=0.05, duels=1500)
    assert (again.point == found.point).all()
    other = duel.dbgd(closer, [0, 0, 0], delta=0.2, gamma=0.05, duels=1500, seed=1)
    assert (other.point != found.point).any()
    # On a ball the step sizes follow from the number of duels.
    ball = duel.dbgd(closer, numpy.zeros(3), set="ball", radius=2.0, duels=500)
    assert numpy.linalg.norm(ball.point) <= 2 + 1e-9 and ball.learner.delta > 0
    box = duel.dbgd(closer, numpy.zeros(3), set="box", low=[-1, -1, -1], high=[0.1, 1, 1],
                    delta=0.2, gamma=0.05, duels=500)
    assert box.point[0] <= 0.1


def test_point_learner_is_copied_in_the_middle():
    learner = duel.PointLearner("dbgd", [0.0, 0.0], delta=0.5, gamma=0.1, batch=3, seed=4)
    for number in range(20):
        learner.observe(learner.select(), number % 3 == 0)
    twins = [pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)]
    for number in range(20):
        for one in [learner, *twins]:
            one.observe(one.select(), "second" if number % 2 else "tie")
    for twin in twins:
        assert (twin.point == learner.point).all() and twin.observed == 40
    stale = learner.select()
    moves = learner.moves
    learner.observe(stale._replace(ticket=0), "second")
    assert learner.moves == moves


def test_exception_of_the_comparison_arrives():
    def broken(first, second):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        duel.dbgd(broken, [0.0], delta=1, gamma=1)


# --- the boundary ---------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
L2 = {"A": ["a", "b"], "B": ["b", "c"]}
WRONG = [
    # interleaving
    lambda: duel.interleave.team_draft([["a"], ["b"]], duel_id="x"),
    lambda: duel.interleave.team_draft({"A": "abc", "B": ["a"]}, duel_id="x"),
    lambda: duel.interleave.team_draft({"A": [1.5], "B": [None]}, duel_id="x"),
    lambda: duel.interleave.team_draft({}, duel_id="x"),
    lambda: duel.interleave.team_draft({"A": ["a"]}, duel_id="x"),
    lambda: duel.interleave.team_draft({**L2, "C": ["a"]}, duel_id="x"),
    lambda: duel.interleave.team_draft(L2, duel_id=""),
    lambda: duel.interleave.team_draft(L2, duel_id=7),
    lambda: duel.interleave.team_draft(L2, duel_id=None),
    lambda: duel.interleave.team_draft(L2, duel_id="x", length=0),
    lambda: duel.interleave.team_draft(L2, duel_id="x", length=10**30),
    lambda: duel.interleave.team_draft(L2, duel_id="x", length=NAN),
    lambda: duel.interleave.team_draft(L2, duel_id="x", seed=-1),
    lambda: duel.interleave.team_draft(L2, duel_id="x", clicks=["z"]),
    lambda: duel.interleave.team_draft(L2, duel_id="x", clicks="a"),
    lambda: duel.interleave.team_draft({"A": ["\ud800"], "B": ["b"]}, duel_id="x"),
    lambda: duel.interleave.balanced(L2, duel_id="x", offset=3),
    lambda: duel.interleave.probabilistic(L2, duel_id="x", tau=NAN),
    lambda: duel.interleave.probabilistic(L2, duel_id="x", tau="many"),
    lambda: duel.interleave.interleave(L2, "teem-draft", duel_id="x"),
    lambda: duel.interleave.interleave(L2, "(((", duel_id="x"),
    # clicks
    lambda: duel.clicks.ClickModel("navigatonal"),
    lambda: duel.clicks.ClickModel("navigational", grades=0),
    lambda: duel.clicks.ClickModel("navigational", grades=257),
    lambda: duel.clicks.ClickModel("navigational", grades=2.5),
    lambda: duel.clicks.ClickModel("perfect").click([5]),
    lambda: duel.clicks.ClickModel("perfect").click([-1]),
    lambda: duel.clicks.ClickModel("perfect").click([NAN]),
    lambda: duel.clicks.ClickModel("perfect").click([1.5]),
    lambda: duel.clicks.ClickModel("perfect").click([[1, 2]]),
    lambda: duel.clicks.ClickModel("perfect").click("12"),
    lambda: duel.clicks.ClickModel("perfect").click(None),
    lambda: duel.clicks.ClickModel("perfect").click([1], users=-1),
    lambda: duel.clicks.ClickModel("perfect").click([1, 2, 3], users=10**9),
    lambda: duel.clicks.ClickModel("perfect").click([1], seed="x"),
    lambda: duel.clicks.ClickModel("perfect").probabilities(numpy.zeros(10**5)),
    lambda: duel.clicks.ClickModel("perfect").pattern_probability([1, 2], [True]),
    lambda: duel.clicks.ClickModel("perfect").pattern_probability([1, 2], [NAN, 0]),
    lambda: duel.clicks.credit("/nowhere/impressions", []),
    lambda: duel.clicks.credit([{"query_id": "q"}], []),
    lambda: duel.clicks.credit([7], []),
    lambda: duel.clicks.credit({"query_id": "q"}, []),
    lambda: duel.clicks.credit([{"query_id": NAN}], []),
    lambda: duel.clicks.credit([], [], alpha=0),
    lambda: duel.clicks.credit([], [], alpha=NAN),
    lambda: duel.clicks.credit([], [], cluster="family"),
    lambda: duel.clicks.credit([], [], weights={"click": NAN}),
    lambda: duel.clicks.credit([], [], position_weights=[-1]),
    lambda: duel.clicks.credit([], [], item_cap=-1),
    lambda: duel.clicks.credit([], [], in_order="yes"),
    # metrics
    lambda: duel.metrics.ndcg([1, 2], k=0),
    lambda: duel.metrics.ndcg([1, 2], k=-1),
    lambda: duel.metrics.ndcg([1, NAN]),
    lambda: duel.metrics.ndcg([1, INF]),
    lambda: duel.metrics.ndcg([256]),
    lambda: duel.metrics.ndcg([[1]]),
    lambda: duel.metrics.ndcg(object()),
    lambda: duel.metrics.ndcg([1], judged="x"),
    lambda: duel.metrics.ndcg([1], gain="huge"),
    lambda: duel.metrics.dcg([1], discount="none"),
    lambda: duel.metrics.ndcg_of_scores([1.0], [1, 2]),
    lambda: duel.metrics.ndcg_of_scores([NAN], [1]),
    lambda: duel.metrics.precision([1], relevant=0),
    lambda: duel.metrics.precision([1], 10**40),
    lambda: duel.metrics.expected_reciprocal_rank([3], highest=2),
    lambda: duel.metrics.mean_average_precision([]),
    lambda: duel.metrics.rankers("/nowhere/data"),
    lambda: duel.metrics.rankers(DATA, "nothing"),
    lambda: duel.metrics.rankers(DATA, {"a b": [1]}),
    lambda: duel.metrics.rankers(DATA, {"a": [1]}),
    lambda: duel.metrics.rankers(DATA, {"a": [NAN] * 5}),
    lambda: duel.metrics.rankers(DATA, 7),
    lambda: duel.metrics.rankers(7),
    lambda: duel.metrics.rankers(DATA, no_relevant="guess"),
    lambda: duel.metrics.rankers(DATA, threads=-1),
    lambda: duel.metrics.click_log("/nowhere/log"),
    lambda: duel.metrics.click_log(["nonsense"]),
    lambda: duel.metrics.click_log(["user,ranks", "u,1"], session_gap=NAN),
    lambda: duel.metrics.click_log(["user,ranks", "u,1"], resamples=1),
    # letor
    lambda: duel.letor.load("/nowhere/data.txt"),
    lambda: duel.letor.load(7),
    lambda: duel.letor.loads("x qid:1 1:2\n"),
    lambda: duel.letor.loads(""),
    lambda: duel.letor.loads("1 qid:1 1:nan\n"),
    lambda: duel.letor.load(DATA, normalise="hard"),
    lambda: duel.letor.from_arrays([[1.0]], [1, 2], [1]),
    lambda: duel.letor.from_arrays([[1.0]], [1], [1, 2]),
    lambda: duel.letor.from_arrays([[NAN]], [1], [1]),
    lambda: duel.letor.from_arrays([[1e300]], [1], [1]),
    lambda: duel.letor.from_arrays([1.0], [1], [1]),
    lambda: duel.letor.from_arrays([], [], []),
    lambda: duel.letor.from_arrays([[1.0]] * 3, [1, 1, 1], [1, 2, 1]),
    lambda: duel.letor.from_arrays([[1.0]], [1], [-1]),
    lambda: duel.letor.from_arrays([[1.0]], [1], [1e30]),
    lambda: duel.letor.from_arrays("abc", [1], [1]),
    lambda: duel.letor.JudgedQueries(7),
    lambda: duel.letor.synthetic(queries=0),
    lambda: duel.letor.synthetic(quaries=3),
    lambda: duel.letor.load(DATA)[30],
    # estimation and learning
    lambda: duel.estimate(""),
    lambda: duel.estimate(None),
    lambda: duel.estimate(DATA, interleave="x"),
    lambda: duel.estimate(DATA, clicks="x"),
    lambda: duel.estimate(DATA, ties="x"),
    lambda: duel.estimate(DATA, comparisons=0),
    lambda: duel.estimate(DATA, comparisons=NAN),
    lambda: duel.estimate(DATA, length=10**9),
    lambda: duel.estimate(DATA, exact=1),
    lambda: duel.estimate(DATA, seed=2**70),
    lambda: duel.estimate(DATA, progress=7),
    lambda: duel.learn.run(),
    lambda: duel.learn.run(DATA, learner="dbgdd"),
    lambda: duel.learn.run(DATA, discount=0),
    lambda: duel.learn.run(DATA, discount=NAN),
    lambda: duel.learn.run(DATA, compare="taste"),
    lambda: duel.learn.run(DATA, impressions=0),
    lambda: duel.learn.run(resume="/nowhere/run"),
    lambda: duel.learn.run(duel.letor.load(DATA), resume="/nowhere/run"),
    lambda: duel.dbgd(7, [0.0]),
    lambda: duel.dbgd(max, [0.0], delta=1, gamma=1, duels=0),
    lambda: duel.dbgd(max, [0.0], delta=1, gamma=1, duels=NAN),
    lambda: duel.dbgd(max, [0.0], delta=1, gamma=1, duels="x"),
    lambda: duel.dbgd(max, [0.0]),
    lambda: duel.dbgd(max, []),
    lambda: duel.dbgd(max, None),
    lambda: duel.dbgd(max, [NAN], delta=1, gamma=1),
    lambda: duel.dbgd(max, [[0.0]], delta=1, gamma=1),
    lambda: duel.dbgd(max, [0.0], delta=-1, gamma=1),
    lambda: duel.dbgd(max, [0.0], set="torus"),
    lambda: duel.dbgd(max, [0.0], set="ball", radius=NAN),
    lambda: duel.dbgd(max, [0.0], set="ball", radius=-1),
    lambda: duel.dbgd(max, [0.0], set="box"),
    lambda: duel.dbgd(max, [0.0], set="box", low=[0, 0], high=[1, 1]),
    lambda: duel.dbgd(max, [0.0], set="box", low=[2], high=[1]),
    lambda: duel.dbgd(lambda a, b: 1, [0.0], delta=1, gamma=1),
    lambda: duel.dbgd(lambda a, b: "better", [0.0], delta=1, gamma=1),
    lambda: duel.dbgd(lambda a, b: True, [0.0], learner="bgd1", delta=1, gamma=1),
    lambda: duel.PointLearner("rucb", [0.0]),
    lambda: duel.PointLearner("dbgd", [0.0], delta=1, gamma=1).observe((0, 0, 0), True),
    lambda: duel.PointLearner("dbgd", [0.0], delta=1, gamma=1)._learner.restore(b"junk", 3),
    lambda: duel.PointLearner("dbgd", [0.0], delta=1, gamma=1)._learner.observe(-1, True, None),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
@pytest.mark.filterwarnings("ignore:overflow")
def test_wrong_input_is_an_exception(number):
    with pytest.raises((duel.Error, TypeError, ValueError, AttributeError, IndexError)) as raised:
        WRONG[number]()
    assert not isinstance(raised.value, duel.InternalError)
    assert str(raised.value)


def test_native_objects_are_not_made_without_content():
    """pybind11 would let methods of such an object read memory that nobody wrote to."""
    native = duel.clicks._native
    for kind in (native.ClickModel, native.JudgedQueries, native.PointLearner):
        class Heir(kind):
            pass

        for wrong in (kind, lambda: kind.__new__(kind), lambda: object.__new__(kind), Heir,
                      lambda: native.Duel.__new__(kind), lambda: Heir.__new__(Heir)):
            with pytest.raises(TypeError):
                wrong()
    for made in (duel.clicks.ClickModel("perfect")._model, duel.letor.synthetic(queries=2)._queries,
                 duel.PointLearner("dbgd", [0.0], delta=1, gamma=1)._learner):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                copied(made)


def test_long_work_can_be_interrupted():
    """A progress function that raises stops the work; so does Ctrl-C, in the same place."""
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        duel.estimate(DATA, comparisons=10**9, threads=1, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        duel.learn.run(DATA, impressions=10**9, trials=1, progress=stop)
