"""Results as dicts, frames, HTML and figures; experiments end to end."""

import asyncio
import io
import json
import subprocess

import numpy
import pytest

import duel
from program import PROGRAM

pytestmark = pytest.mark.filterwarnings("ignore::duel.FreshAnswersWarning")


CLICKED = ["user,time,query,ranks,seconds", "u1,60,q1,1;3,2;9", "u2,90,q2,,"]
WHEN = "2026-01-01T00:00:00Z"
SHOWN = [{"query_id": f"q{k}", "user_id": f"u{k}", "timestamp": WHEN,
          "lists": {"old": ["a", "b", "c", "d"], "new": ["c", "e", "a", "f"]}} for k in range(20)]
EVENTS = [{"action_name": "click", "query_id": f"q{k}", "timestamp": WHEN,
           "event_attributes": {"object": {"object_id": "e"}}} for k in range(20)]


@pytest.fixture(scope="module")
def out():
    return duel.simulate("arxiv", ["rmed1", "rucb"], rounds=2000, trials=6,
                         regret=["average", "weak"])


def test_simulation_as_dict_is_json(out):
    assert json.loads(json.dumps(out.to_dict())) == out.to_dict()


def test_simulation_as_frame(out):
    pytest.importorskip("pandas")
    frame = out.to_pandas()
    assert len(frame) == 2 * 2 * len(out.rounds)
    last = frame[(frame["policy"] == "rmed1") & (frame["round"] == 2000)]
    regret = last[last["regret"] == "average"]["mean"].iloc[0]
    assert regret == pytest.approx(out.mean[0, -1])


def test_simulation_as_html(out):
    assert "rmed1" in out._repr_html_() and "<table>" in out._repr_html_()


def png_of(axes):
    file = io.BytesIO()
    axes.figure.savefig(file, format="png")
    return file.getvalue()


def test_figures(out):
    pytest.importorskip("matplotlib")
    axes = out.plot()
    assert [line.get_label() for line in axes.get_lines()][:2] == out.policies
    assert axes.get_lines()[0].get_ydata()[-1] == pytest.approx(out.mean[0, -1])
    assert png_of(axes)[:4] == b"\x89PNG"
    weak = out.plot(notion="weak")
    assert "weak" in weak.get_ylabel()
    with pytest.raises(ValueError, match="average, weak"):
        out.plot(notion="copeland")
    found = duel.run(["a", "b", "c"], min)
    assert png_of(found.plot())[:4] == b"\x89PNG"
    # By name, with and without strengths.
    for duels in (1, 100):
        found = duel.run(["GPT 4o", "é", "c"], min, max_duels=duels)
        labels = [label.get_text() for label in found.plot().get_yticklabels()]
        assert labels == found.arms[::-1] and "GPT 4o" in labels


def test_experiment_is_asked_and_told(tmp_path):
    log = tmp_path / "run.jsonl"
    experiment = duel.Experiment(["a", "b", "c"], policy="auto", alpha=0.05, log=log)
    first = experiment.next()
    assert {first.first, first.second} <= {"a", "b", "c"} and first.first != first.second
    assert experiment.report(first, winner=min(first.first, first.second)) == "applied"
    assert experiment.report(first, winner=min(first.first, first.second)) == "duplicate"
    with pytest.raises(duel.InvalidArgument):
        experiment.report(experiment.next())
    with pytest.raises(duel.Error):
        experiment.report("no-such-duel", tie=True)
    assert experiment.served == 2 and len(experiment.pending) == 1
    experiment.expire(experiment.pending[0])
    experiment.close()
    with pytest.raises(duel.Unsupported, match="closed"):
        experiment.next()
    again = duel.Experiment(["a", "b", "c"], policy="auto", alpha=0.05, log=log)
    assert again.resumed and again.served == 2
    while not again.done:
        asked = again.next()
        again.report(asked, winner=min(asked.first, asked.second))
    again.complete()
    with pytest.raises(duel.StorageError, match="another"):
        duel.Experiment(["a", "b", "c"], log=log)
    assert again.certified and "'a'" in again.verdict
    certificate = tmp_path / "certificate.json"
    certificate.write_text(again.certificate())
    assert duel.verify(log, certificate, replay=True)["verified"]
    subprocess.check_call([PROGRAM, "verify", str(certificate), "--log", str(log)],
                          stdout=subprocess.DEVNULL)
    again.close()
    with pytest.raises(duel.Conflict, match="arms"):
        duel.Experiment(["a", "b"], log=log)


def test_a_log_that_was_changed_is_found_out(tmp_path):
    log = tmp_path / "run.jsonl"
    duel.run(["a", "b", "c"], min, log=log)
    text = log.read_text().replace('"winner":"a"', '"winner":"b"', 1)
    log.write_text(text)
    found = duel.verify(log)
    assert not found["verified"] and found["mismatch"]


def test_run_with_threads_tasks_and_payloads():
    texts = {"long": "a longer text", "short": "text", "empty": ""}
    longest = duel.run(texts, lambda one, two: one if len(one) > len(two) else two, parallel=4)
    assert "'long'" in longest.verdict

    async def judge(one, two):
        await asyncio.sleep(0)
        return "first" if len(one) > len(two) else "second"

    assert "'long'" in duel.run(texts, judge, parallel=4).verdict


def test_run_takes_ties_and_nonsense_and_stops_at_max_duels():
    found = duel.run(["a", "b"], lambda one, two: "tie", max_duels=30)
    assert "ndecided" in found.verdict
    found = duel.run(["a", "b"], lambda one, two: object(), max_duels=30, max_failures=1000)
    assert found.to_dict()["arms"]


def test_exceptions_of_the_judge_end_the_run_and_keep_the_log(tmp_path):
    log = tmp_path / "run.jsonl"
    asked = []

    def judge(one, two):
        asked.append((one, two))
        if len(asked) > 5:
            raise OSError("the judge is gone")
        return min(one, two)

    with pytest.raises(duel.JudgeFailed, match="gone"):
        duel.run(["a", "b", "c"], judge, log=log, parallel=2, retries=0)
    assert duel.verify(log)["verified"]
    assert "'a'" in duel.run(["a", "b", "c"], min, log=log, parallel=2).verdict


def test_votes_in_a_frame():
    pandas = pytest.importorskip("pandas")
    votes = [{"model_a": "x", "model_b": "y", "winner": "model_a"}] * 40
    assert duel.result(pandas.DataFrame(votes)).to_dict() == duel.result(votes).to_dict()
    assert len(duel.result(votes).to_pandas()) == 2
    assert "<table>" in duel.result(votes)._repr_html_()


def test_arms_are_shown_by_their_strength_and_not_by_the_share_that_they_won():
    # "easy" has won the largest share, since it hardly met others than "last".
    won = {("best", "good"): 30, ("good", "best"): 10, ("good", "easy"): 4, ("easy", "good"): 1,
           ("easy", "last"): 20, ("last", "easy"): 1}
    votes = [{"model_a": one, "model_b": other, "winner": "model_a"}
             for (one, other), times in won.items() for _ in range(times)]
    result = duel.result(votes)
    page = result._repr_html_()
    places = [page.index(f"<td>{arm}</td>") for arm in ("best", "good", "easy", "last")]
    assert places == sorted(places)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = result.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["last", "easy", "good", "best"]
    assert "Elo" in ax.get_xlabel()


def test_a_failed_check_and_the_share_without_a_winner_stand_beside_the_verdict():
    # The arm in the first place wins whichever it is.
    votes = [{"model_a": one, "model_b": other, "winner": "model_a"}
             for one, other in [("a", "b"), ("b", "a")] * 60]
    result = duel.result(votes)
    assert result.failed_checks == ["position_bias"]
    assert result.headline == f"{result.verdict} Health check failed: position_bias."
    page = result._repr_html_()
    assert "Health check failed: position_bias" in page
    assert "no arm beats every other" in page
    assert "Health check failed" in repr(result)


def test_bradley_terry_by_hand():
    # Two arms, 30 to 10: the odds are 3.
    fit = duel.bradley_terry([[0, 30], [10, 0]])
    assert fit["log_strength"][0] - fit["log_strength"][1] == pytest.approx(numpy.log(3), abs=1e-6)
    with pytest.raises(duel.InvalidArgument, match="symmetric"):
        duel.bradley_terry([[0, 3], [1, 0]], [[0, 1], [2, 0]])


class Bar:
    """As much of tqdm as is used."""

    def __init__(self):
        self.n, self.total = 0, None

    def update(self, more):
        self.n += more


def test_progress():
    heard = []
    duel.simulate("arxiv", "rucb", rounds=100, trials=7,
                  progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (7, 7)
    bar = Bar()
    duel.simulate("arxiv", "rucb", rounds=100, trials=7, progress=bar)
    assert (bar.n, bar.total) == (7, 7)
    stream = io.StringIO()
    duel.simulate("arxiv", "rucb", rounds=100, trials=7, progress=duel.ProgressBar(stream=stream))
    assert "7/7 trials" in stream.getvalue()

    def broken(done, total):
        raise RuntimeError("no terminal")

    with pytest.raises(RuntimeError, match="no terminal"):
        duel.simulate("arxiv", "rucb", rounds=100, trials=7, progress=broken)


def test_a_judge_that_gives_no_answers_is_stopped(tmp_path):
    asked = []

    def forgetful(first, second):
        asked.append(first)
        return "first" if len(asked) == 3 else None

    log = str(tmp_path / "log.jsonl")
    with pytest.raises(duel.InvalidArgument, match="5 duels in a row; the last was None") as caught:
        duel.run(["a", "b"], forgetful, log=log)
    assert len(asked) == 8 and caught.value.field == "judge"
    assert duel.result(log).to_dict()["duels"]["invalid"] == 7  # what was asked is kept

    async def wrong(first, second):
        return "frist"

    with pytest.raises(duel.InvalidArgument, match="2 duels in a row; the last was 'frist'"):
        duel.run(["a", "b"], wrong, max_failures=2)
    with pytest.raises(duel.InvalidArgument, match="out of range"):
        duel.run(["a", "b"], wrong, max_failures=0)


def test_a_result_says_what_is_wanted_of_it():
    found = duel.run({"GPT 4o": 3, "b": 2, "c": 1}, lambda one, two: one > two, seed=1)
    assert found.certified and found.winner == found.leader == "GPT 4o" and found.ended == "certified"
    assert [row.arm for row in found.board] == found.arms and found.board[0].rank == 1
    assert found.board[0].rank_range == (1, 1) and found.why_not_yet == []
    assert found.board[0].interval[0] < found.board[0].strength < found.board[0].interval[1]
    place = {arm: k for k, arm in enumerate(found.arms)}
    for pair in found["pairs"]:
        names = {arm["arm_id"]: arm["name"] for arm in found["arms"]}
        i, j = place[names[pair["first"]]], place[names[pair["second"]]]
        assert found.wins[i, j] == pair["counts"]["first_wins"]
        assert found.matrix[i, j] == pytest.approx(1 - found.matrix[j, i])
    assert numpy.isnan(found.matrix[0, 0])
    # A mapping, whole.
    assert "verdict" in found and "nothing" not in found and found.get("nothing", 3) == 3
    assert list(found) == list(found.to_dict()) and len(found) == len(found.to_dict())
    assert dict(found) == found.to_dict() and dict(found.items())["goal"] == "condorcet"
    with pytest.raises(KeyError):
        found["nothing"]
    assert "GPT 4o" in str(found) and str(found).splitlines()[2].startswith("place")
    begun = duel.Experiment(["a", "b"]).result()
    assert begun.winner is None and begun.leader is None and not begun.certified
    assert begun.why_not_yet and all(str(why) == why.detail for why in begun.why_not_yet)
    assert begun.ended is None and begun.cost is None
    pandas = pytest.importorskip("pandas")
    assert list(found.to_pandas()["rank"]) == [1, 2, 3]
    assert isinstance(found.to_pandas(), pandas.DataFrame)


def test_plans_and_leagues_are_dicts_that_show_themselves():
    plan = duel.plan("arxiv", trials=20, max_duels=2000)
    assert json.loads(json.dumps(plan)) == plan and "<table>" in plan._repr_html_()
    assert plan["policies"][0]["policy"] in plan._repr_html_() and "arxiv" in str(plan)
    own = duel.plan([[0.5, 0.8], [0.2, 0.5]], trials=20, max_duels=2000)
    assert own["truth"] == "matrix"
    league = duel.league(["rucb", "rmed1"], ["arxiv"], rounds=500, trials=5)
    assert json.loads(json.dumps(league)) == league and "rmed1" in league._repr_html_()
    assert "rucb" in str(league) and "<table>" in duel.policies._repr_html_()
    pytest.importorskip("pandas")
    assert len(league.to_pandas()) == 2 and len(plan.to_pandas()) == len(plan["policies"])


class BarClass(Bar):
    """As much of the class tqdm as is used."""

    made = []

    def __init__(self, total=None, unit="it"):
        super().__init__()
        self.total, self.unit, self.closed = total, unit, False
        self.made.append(self)

    def close(self):
        self.closed = True


@pytest.mark.parametrize("work", [
    lambda progress: duel.simulate("arxiv", "rucb", rounds=100, trials=7, progress=progress),
    lambda progress: duel.league("rucb", ["arxiv"], rounds=100, trials=7, progress=progress),
    lambda progress: duel.plan("arxiv", trials=7, max_duels=100, progress=progress),
    lambda progress: duel.run(["a", "b"], min, progress=progress),
    lambda progress: asyncio.run(duel.run_async(["a", "b"], min, max_duels=None,
                                                progress=progress)),
    lambda progress: duel.estimate("synthetic(queries=4)", comparisons=10, progress=progress),
    lambda progress: duel.learn.run("synthetic(queries=4)", impressions=5, trials=2,
                                    progress=progress),
    lambda progress: duel.tune({"weight": (0, 1, 0.2)}, lambda *_: "tie", max_duels=4,
                               progress=progress),
    lambda progress: duel.metrics.rankers("synthetic(queries=4)", progress=progress),
    lambda progress: duel.metrics.click_log(CLICKED, resamples=2, progress=progress),
    lambda progress: duel.clicks.credit(SHOWN, EVENTS, resamples=2, partial=True,
                                        progress=progress)])
def test_progress_means_the_same_everywhere(work, capsys):
    heard = []
    work(lambda done, total: heard.append((done, total)))
    assert heard and heard[-1][0] == heard[-1][1] > 0
    assert all(0 <= done <= total for done, total in heard)
    BarClass.made.clear()
    work(BarClass)
    (bar,) = BarClass.made
    assert bar.n == bar.total > 0 and bar.closed
    bar = Bar()
    work(bar)
    assert bar.n == bar.total > 0
    capsys.readouterr()
    work(True)
    assert "/s" in capsys.readouterr().err
    work(None)
    work(False)
    assert capsys.readouterr().err == ""
    with pytest.raises(TypeError, match="progress"):
        work(17)


def test_results_are_mappings():
    estimate = duel.estimate("synthetic(queries=4)", comparisons=10)
    learned = duel.learn.run("synthetic(queries=4)", impressions=5, trials=2)
    credited = duel.clicks.credit(SHOWN, EVENTS, resamples=2, partial=True)
    for found in (estimate, learned, credited):
        assert dict(found) == found.to_dict() and len(found) == len(list(found)) > 0
        assert next(iter(found)) in found and "nothing" not in found and 0 not in found
        assert found.get("nothing", 3) == 3


class Handle:
    def __init__(self, shown):
        self.shown = shown

    def update(self, thing):
        self.shown.append(thing)


def test_a_notebook_shows_a_live_board(monkeypatch):
    import sys
    import types

    shown = []

    def display(thing, display_id):
        assert display_id is True
        shown.append(thing)
        return Handle(shown)

    class Shell:
        config = {"IPKernelApp": {}}

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = Shell
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    found = duel.run(["a", "b", "c"], min)
    assert shown[-1].winner == found.winner == "a" and "<table>" in shown[-1]._repr_html_()
    shown.clear()
    duel.run(["a", "b", "c"], min, progress=False)
    assert shown == []
    duel.run(["a", "b", "c"], min, progress=True)
    assert shown


@pytest.mark.parametrize("problem", [
    "linear(k=4,d=2,seed=1,scale=5)", "linear(k=4,d=2,seed=1,scale=5,fresh=true)",
    "choice(matrix=plackett-luce(k=5,seed=1,spread=1),m=3)", "multileave(matrix=arxiv,m=3)",
    "corrupt(base=arxiv,budget=20)", "switching(base=arxiv,changes=2,rounds=60)"])
def test_every_kind_of_problem_can_be_simulated(problem):
    out = duel.simulate(problem, ["uniform", "self-sparring"], rounds=60, trials=2)
    assert "self-sparring" in str(out)


def test_a_league_ranks_nobody_who_is_wrong_too_often():
    strict = duel.league("uniform", ["arxiv"], rounds=20, trials=30)
    assert strict["ranking"][0]["rank"] is None and strict["ranking"][0]["wrong"] > 1
    assert strict["problems"][0]["policies"][0]["wrong"] == strict["ranking"][0]["wrong"]
    assert duel.league("uniform", ["arxiv"], rounds=20, trials=30,
                       max_wrong=1)["ranking"][0]["rank"] == 1
    with pytest.raises(duel.InvalidArgument):
        duel.league("uniform", ["arxiv"], rounds=20, trials=2, max_wrong=2)
