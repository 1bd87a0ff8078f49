"""duel.run: what is asked is in the log, however the run ends."""

import asyncio
import json
import pickle
import subprocess
import sys
import threading
import time

import pytest

import duel
from program import PROGRAM

pytestmark = pytest.mark.filterwarnings("ignore::duel.FreshAnswersWarning")


def test_a_run_goes_on_with_more_duels(tmp_path):
    log = tmp_path / "run.jsonl"
    duel.run(["a", "b"], lambda *_: "tie", log=log, max_duels=4)
    assert duel.result(log)["duels"]["served"] == 4
    assert "'a'" in duel.run(["a", "b"], min, log=log, max_duels=1000).verdict
    again = duel.run(["a", "b"], lambda *_: pytest.fail("asked"), log=log)
    assert "'a'" in again.verdict


MANY = [f"p{k}" for k in range(25)]
PANEL = {"about": "these-people", "subject": ["p1", "p2"]}

# What a log was begun with, what is asked of it then, and what that is called where it is given.
CHANGES = [
    ("arms", {}, {"arms": ["a", "b"]}), ("arms", {}, {"arms": ["a", "b", "d"]}),
    ("arms", {"arms": {"a": 1, "b": 2, "c": 3}}, {"arms": {"a": 1, "b": 2, "c": 4}}),
    ("policy", {}, {"policy": "rucb"}), ("alpha", {}, {"alpha": 0.2}),
    ("name", {}, {"name": "other"}), ("seed", {}, {"seed": 3}),
    ("tasks", {}, {"tasks": ["p"]}), ("tasks", {"tasks": ["p"]}, {}),
    ("tasks", {"tasks": ["p", "q"]}, {"tasks": ["p", "r"]}),
    ("about", {"tasks": ["p"]}, {"tasks": ["p"], "about": "these-tasks"}),
    ("subject", {}, {"subject": "ann"}), ("subject", {"subject": "ann"}, {}),
    ("goal", {}, {"goal": "set", "top": 2}), ("top", {"goal": "set", "top": 2},
                                             {"goal": "set", "top": 1}),
    ("epsilon", {"goal": "epsilon", "epsilon": 0.1}, {"goal": "epsilon", "epsilon": 0.2}),
    ("assume", {}, {"assume": "order"}), ("order", {}, {"order": "fixed"}),
    ("min_decisive_per_pair", {}, {"min_decisive_per_pair": 3}),
    ("pairs_independent", {}, {"pairs_independent": False}),
    ("pairs_independent", {"pairs_independent": False}, {}),
    ("pairs_independent", {"subject": "ann"}, {"pairs_independent": True}),
    ("aa_rate", {}, {"aa_rate": 0.1}),
    ("audit", {}, {"audit": min}), ("audit", {"audit": min}, {}),
    ("audits", {"audit": min}, {"audit": min, "audits": 0.3}),
    ("audits", {}, {"audit": min, "audits": 0.3}),
    ("audit_give_up", {"audit": min}, {"audit": min, "audit_give_up": 3}),
    ("audit_from_seed", {"audit": min}, {"audit": min, "audit_from_seed": True}),
    ("panel", {"panel": 3, **PANEL}, {"panel": 4, **PANEL}),
    ("panel", {"panel": MANY, **PANEL}, {"panel": MANY, "early": True, **PANEL}),
    ("features", {"policy": "lin-ts", "features": {"a": [1], "b": [2], "c": [3]}},
     {"policy": "lin-ts", "features": {"a": [1], "b": [2], "c": [4]}}),
]


@pytest.mark.parametrize("field, begun, asked", CHANGES,
                         ids=[f"{k}-{change[0]}" for k, change in enumerate(CHANGES)])
def test_what_differs_from_a_log_is_named_as_it_was_given(tmp_path, field, begun, asked):
    log = tmp_path / "run.jsonl"

    def judge(one, two, *_):
        return duel.TIE

    begun, asked = ({"arms": ["a", "b", "c"], "max_duels": 4, **options}
                    for options in (begun, asked))
    first = duel.run(judge=judge, log=log, **begun)
    with pytest.raises(duel.Conflict) as caught:
        duel.run(judge=judge, log=log, **asked)
    assert caught.value.field == field and str(caught.value).startswith(field)
    assert duel.run(judge=judge, log=log, **begun)["duels"] == first["duels"]


def test_every_option_of_a_log_is_tried():
    known = set(duel.Experiment.__init__.__kwdefaults__) | {"arms", "policy", "alpha", "audit"}
    # A run may go on with another limit, and the file is the log itself; `early` is of the panel, and `_gate` no option.
    assert {change[0] for change in CHANGES} == known - {"max_duels", "log", "early", "_gate"}


def test_an_audit_of_an_experiment_is_its_share(tmp_path):
    log = tmp_path / "run.jsonl"
    duel.Experiment(["a", "b"], log=log).close()
    with pytest.raises(duel.Conflict) as caught:
        duel.Experiment(["a", "b"], log=log, audits=0.2)
    assert caught.value.field == "audits"


def test_a_seed_that_nobody_chose_is_that_of_the_log(tmp_path):
    log = tmp_path / "run.jsonl"
    for served in (4, 8):
        found = duel.run(["a", "b"], lambda *_: duel.TIE, log=log, seed=None, max_duels=served)
        assert found["duels"]["served"] == served
    seed = json.loads(log.read_text().splitlines()[0])["seed"]
    with duel.Experiment(["a", "b"], log=log, seed=seed) as same:
        assert same.resumed
    other = tmp_path / "other.jsonl"
    duel.Experiment(["a", "b"], log=other, seed=None).close()
    assert json.loads(other.read_text().splitlines()[0])["seed"] != seed
    other.write_text("no log")
    with pytest.raises(duel.Error, match="other.jsonl"):
        duel.Experiment(["a", "b"], log=other, seed=None)


FEATURES = {"short answer": [1, 0], "b": [0.5, -2.0], "c": (0, 1)}


def test_features_and_contexts_are_in_the_log_by_the_ids_of_the_arms(tmp_path):
    log = tmp_path / "run.jsonl"
    with duel.Experiment(list(FEATURES), "lin-ts", features=FEATURES, log=log) as experiment:
        context = {name: [value + 1 for value in row] for name, row in FEATURES.items()}
        served = experiment.next(context=context)
        experiment.report(served, "first")
        experiment.report(experiment.next(), "first")
    records = [json.loads(line) for line in log.read_text().splitlines()]
    assert [arm["features"] for arm in records[0]["arms"]] == [[1, 0], [0.5, -2], [0, 1]]
    serves = [record for record in records if record["record"] == "serve"]
    assert serves[0]["context"] == {"short-answer": [2, 1], "b": [1.5, -1], "c": [1, 2]}
    assert "context" not in serves[1]


def test_features_that_do_not_fit_are_named():
    for wrong in ({"a": [1]}, {"a": [1], "b": [1, 2]}, {"a": [1], "b": [2e6]},
                  {"a": [1], "b": [float("nan")]}, {"a": [1], "b": [2], "c": [3]}):
        with pytest.raises(duel.InvalidArgument) as caught:
            duel.Experiment(["a", "b"], "lin-ts", features=wrong)
        assert caught.value.field in ("features", "arms")
    for wrong in ([[1], [2]], {"a": "12", "b": "34"}, {"a": 1, "b": 2}):
        with pytest.raises(TypeError, match="features"):
            duel.Experiment(["a", "b"], "lin-ts", features=wrong)


def test_a_context_that_does_not_fit_is_named():
    experiment = duel.Experiment(["a", "b"], "lin-ts", features={"a": [1], "b": [2]})
    for wrong in ({"a": [1]}, {"a": [1], "b": [1, 2]}, {"a": [1], "b": [1], "c": [1]},
                  {"a": [1], "b": [float("inf")]}):
        with pytest.raises(duel.InvalidArgument) as caught:
            experiment.next(context=wrong)
        assert caught.value.field == "context"
    assert experiment.served == 0
    with pytest.raises(duel.InvalidArgument, match="knows no contexts"):
        duel.Experiment(["a", "b"], "rucb").next(context={"a": [1], "b": [2]})


def test_a_batch_is_chosen_before_any_of_it_is_answered(tmp_path):
    log = tmp_path / "run.jsonl"
    duel.run(["a", "b", "c"], lambda *_: "tie", log=log, max_duels=10, batch=4)
    kinds = [json.loads(line)["record"][0] for line in log.read_text().splitlines()]
    assert "".join(kinds).replace("e", "").startswith("ssssoooossssoooossoo")
    with pytest.raises(duel.InvalidArgument) as caught:
        duel.run(["a", "b"], min, batch=0)
    assert caught.value.field == "batch"


def fates(log):
    """What became of each duel."""
    fate = {}
    for line in log.read_text().splitlines():
        record = json.loads(line)
        if "duel_id" in record:
            fate[record["duel_id"]] = record["record"]
    return fate


def test_an_answer_that_was_paid_for_is_recorded_when_another_judge_fails(tmp_path):
    log = tmp_path / "run.jsonl"
    began = threading.Barrier(3)
    gone = threading.Event()
    asked = []

    def judge(one, two):
        asked.append(one)
        turn = len(asked)
        began.wait()
        if turn == 1:
            gone.set()
            raise OSError("the judge is gone")
        gone.wait()
        time.sleep(0.3)
        return min(one, two)

    with pytest.raises(duel.JudgeFailed, match="gone") as caught:
        duel.run(["a", "b", "c"], judge, log=log, parallel=3, retries=0, max_failures=1)
    assert isinstance(caught.value.__cause__, OSError)
    assert len(asked) == 3
    assert sorted(fates(log).values()) == ["expired", "outcome", "outcome"]


def test_asyncio_judges_are_awaited_when_one_raises(tmp_path):
    log = tmp_path / "run.jsonl"
    asked = []

    async def judge(one, two):
        asked.append(one)
        turn = len(asked)
        await asyncio.sleep(0.05 * turn)
        if turn == 1:
            raise KeyboardInterrupt  # would end a loop of asyncio with all of its tasks
        return min(one, two)

    with pytest.raises(KeyboardInterrupt):
        duel.run(["a", "b", "c"], judge, log=log, parallel=4)
    assert len(asked) == 4
    assert sorted(fates(log).values()) == ["expired", "outcome", "outcome", "outcome"]


def test_an_experiment_is_not_closed_under_its_judges():
    from duel._experiment import _Run

    class Closing(_Run):
        def _on_turn(self, last=False):
            self.experiment.close()

    run = Closing(["a", "b"], min, parallel=1, batch=1, max_duels=10, retries=0, retry_delay=0,
                  max_failures=1, max_cost=None, subject=None, progress=None, loop=None,
                  options={})
    with pytest.raises(duel.Unsupported, match="judges"):
        run.drive()
    run.close()


INTERRUPTED = """
import asyncio, os, signal, sys, threading, time, duel

def interrupt(times):
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.4)

asked = []

def judge(one, two):
    asked.append(one)
    if len(asked) == 4:
        threading.Thread(target=interrupt, args=(int(sys.argv[2]),)).start()
    time.sleep(0 if len(asked) < 4 else 1.5)
    return min(one, two)

async def judge_async(one, two):
    asked.append(one)
    if len(asked) == 4:
        threading.Thread(target=interrupt, args=(int(sys.argv[2]),)).start()
    await asyncio.sleep(0 if len(asked) < 4 else 1.5)
    return min(one, two)

try:
    duel.run(["a", "b", "c"], judge_async if sys.argv[3] == "tasks" else judge, log=sys.argv[1],
             parallel=4)
except KeyboardInterrupt:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print(len(asked))
    sys.exit(7)
"""


@pytest.mark.parametrize("kind", ["threads", "tasks"])
@pytest.mark.parametrize("times", [1, 2])
def test_the_first_interrupt_waits_for_answers_and_the_second_gives_them_up(tmp_path, kind, times):
    log = tmp_path / "run.jsonl"
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED, log, str(times), kind],
                           stdout=subprocess.PIPE, text=True, timeout=120)
    assert ended.returncode == 7
    found = list(fates(log).values())
    assert len(found) == int(ended.stdout)
    assert found.count("serve") == 0
    assert (found.count("expired") == 0) == (times == 1)
    assert duel.verify(log)["verified"]


@pytest.mark.parametrize("kind", ["threads", "tasks"])
def test_a_call_that_fails_is_tried_again(tmp_path, kind):
    log = tmp_path / "run.jsonl"
    calls = {}

    def judge(one, two, task):
        calls[task] = calls.get(task, 0) + 1
        if calls[task] <= 2:
            raise TimeoutError("busy")
        return min(one, two)

    async def judge_async(one, two, task):
        await asyncio.sleep(0)
        return judge(one, two, task)

    tasks = [f"t{k}" for k in range(30)]
    found = duel.run(["a", "b"], judge_async if kind == "tasks" else judge, tasks=tasks, log=log,
                     retry_delay=0.001, parallel=3)
    assert found.winner == "a" and set(calls.values()) == {3}
    outcomes = [json.loads(line) for line in log.read_text().splitlines() if '"outcome"' in line]
    assert outcomes and all(outcome["failed_tries"] == 2 for outcome in outcomes)


def test_one_failing_call_does_not_end_a_run_and_too_many_do(tmp_path):
    log = tmp_path / "run.jsonl"
    calls = []

    def judge(one, two):
        calls.append(one)
        if len(calls) % 3 == 1:
            raise ConnectionError("lost")
        return min(one, two)

    found = duel.run(["a", "b"], judge, retries=0, log=log)
    assert found.winner == "a"
    assert found["duels"]["expired"] == len([k for k in range(len(calls)) if k % 3 == 0])
    note = [json.loads(line) for line in log.read_text().splitlines() if '"expired"' in line]
    assert note[0]["note"] == "ConnectionError: lost"

    def broken(one, two):
        raise ConnectionError("down")

    with pytest.raises(duel.JudgeFailed, match="4 duels in a row; .*down") as caught:
        duel.run(["a", "b"], broken, retries=1, retry_delay=0, max_failures=4)
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_a_mistake_in_the_judge_is_heard_at_once():
    calls = []

    def judge(one, two):
        calls.append(one)
        return one.nonsense

    with pytest.raises(AttributeError, match="nonsense") as caught:
        duel.run(["a", "b"], judge)
    assert len(calls) == 1 and "judge" in [entry.name for entry in caught.traceback]
    with pytest.raises(TypeError):
        duel.run(["a", "b"], lambda one: one)


class Callable:
    async def __call__(self, one, two):
        await asyncio.sleep(0.001)
        return min(one, two)


async def slow(names, one, two):
    names.append(threading.current_thread().name)
    await asyncio.sleep(0.001)
    return min(one, two)


def test_whatever_gives_an_awaitable_is_awaited():
    import functools

    names = []
    for judge in (functools.partial(slow, names), lambda one, two: slow(names, one, two),
                  Callable(), Callable().__call__):
        assert duel.run(["a", "b"], judge, parallel=3).winner == "a"
    assert set(names) == {"duel judges"}


@pytest.mark.parametrize("kind", ["threads", "tasks", "awaitables of a function"])
def test_parallel_bounds_what_is_out(kind):
    lock = threading.Lock()
    out = {"now": 0, "most": 0}

    def begin():
        with lock:
            out["now"] += 1
            out["most"] = max(out["most"], out["now"])

    def end():
        with lock:
            out["now"] -= 1

    def judge(one, two):
        begin()
        time.sleep(0.003)
        end()
        return min(one, two)

    async def judge_async(one, two):
        begin()
        await asyncio.sleep(0.003)
        end()
        return min(one, two)

    judges = {"threads": judge, "tasks": judge_async}
    found = duel.run(["a", "b", "c"], judges.get(kind, lambda *pair: judge_async(*pair)),
                     parallel=4)
    assert found.winner == "a" and out["most"] == 4 and out["now"] == 0


def test_run_async_awaits_on_the_running_loop():
    async def main():
        loop = asyncio.get_running_loop()

        async def judge(one, two):
            assert asyncio.get_running_loop() is loop
            await asyncio.sleep(0.001)
            return min(one, two)

        found = await duel.run_async(["a", "b", "c"], judge, parallel=4)
        assert found.winner == "a" and found.ended == "certified"
        # A plain function does not hold the loop up.
        ticks = []

        async def tick():
            while True:
                ticks.append(1)
                await asyncio.sleep(0.005)

        ticking = asyncio.ensure_future(tick())
        await duel.run_async(["a", "b"], lambda one, two: time.sleep(0.02) or min(one, two))
        ticking.cancel()
        assert len(ticks) > 5
        # A run that blocks works inside of a running loop, too, as in a notebook.
        async def other(one, two):
            return min(one, two)

        assert duel.run(["a", "b"], other).winner == "a"
        with pytest.raises(duel.InvalidArgument, match="duels in a row"):
            await duel.run_async(["a", "b"], lambda one, two: None)
        with pytest.raises(ValueError, match="alpha"):
            await duel.run_async(["a", "b"], other, alpha=3)

    asyncio.run(main())


def test_run_async_that_is_cancelled_records_what_is_out(tmp_path):
    log = tmp_path / "run.jsonl"
    asked = []

    async def judge(one, two):
        asked.append(one)
        await asyncio.sleep(0.2)
        return min(one, two)

    async def main(times):
        run = asyncio.ensure_future(duel.run_async(["a", "b", "c"], judge, parallel=4, log=log))
        while len(asked) < 4:
            await asyncio.sleep(0.01)
        for _ in range(times):
            run.cancel()
            await asyncio.sleep(0.02)
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main(1))
    assert sorted(fates(log).values()) == ["outcome"] * 4
    asked.clear()
    asyncio.run(main(2))
    assert sorted(fates(log).values()) == ["expired"] * 4 + ["outcome"] * 4
    assert duel.verify(log)["verified"]


def test_a_budget_is_not_overspent():
    spent = []

    def judge(one, two):
        spent.append(0.01)
        return "tie", 0.01

    for parallel in (1, 8):
        spent.clear()
        found = duel.run(["a", "b"], judge, max_cost=0.255, parallel=parallel)
        assert found.ended == "max_cost" and not found.certified
        assert len(spent) == 25 and found.cost == pytest.approx(0.25)
    found = duel.run(["a", "b"], lambda one, two: (min(one, two), 0.5))
    assert found.certified and found.cost == 0.5 * found["duels"]["served"]
    with pytest.raises(duel.InvalidArgument, match="cost") as caught:
        duel.run(["a", "b"], min, max_cost=1, order="fixed")
    assert caught.value.result["duels"]["first_wins"] == 1  # it has said it, and was paid somehow
    with pytest.raises(duel.InvalidArgument, match="cost"):
        duel.run(["a", "b"], lambda one, two: (one, -1.0), max_cost=1)
    assert duel.run(["a", "b"], judge, max_cost=0).ended == "max_cost"


def fails_after(answers):
    """A judge that answers so often and then breaks down."""
    calls = []

    def judge(one, two):
        calls.append(one)
        if len(calls) > answers:
            raise ConnectionError("down")
        return duel.TIE

    return judge


@pytest.mark.parametrize("logged", [False, True])
def test_a_judge_that_fails_leaves_what_it_answered(tmp_path, logged):
    log = tmp_path / "run.jsonl" if logged else None
    with pytest.raises(duel.JudgeFailed) as caught:
        duel.run(["a", "b"], fails_after(7), retries=0, max_failures=2, log=log)
    found = caught.value.result
    assert found["duels"]["ties"] == 7 and found["duels"]["expired"] == 2
    assert found.ended == "failed"
    # What the hint says holds.
    assert ("is recorded" in caught.value.hint) == logged
    assert ("`result`" in caught.value.hint) == (not logged)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value) and copy.field == "judge"
    assert copy.result.to_dict() == found.to_dict()
    assert pickle.loads(pickle.dumps(duel.InvalidArgument("x", field="y"))).result is None


def test_a_judge_of_nonsense_and_one_with_a_mistake_leave_what_was_answered():
    turn = []

    def nonsense(one, two):
        turn.append(one)
        return duel.TIE if len(turn) <= 4 else "frist"

    with pytest.raises(duel.InvalidArgument, match="'frist'") as caught:
        duel.run(["a", "b"], nonsense)
    assert caught.value.result["duels"]["ties"] == 4

    def stops(one, two):
        turn.append(one)
        if len(turn) > 3:
            raise KeyboardInterrupt
        return duel.TIE

    turn.clear()
    with pytest.raises(KeyboardInterrupt) as stopped:
        duel.run(["a", "b"], stops)
    assert stopped.value.result["duels"]["ties"] == 3

    class Full(TypeError):
        def __setattr__(self, name, value):
            raise AttributeError(name)

    def full(one, two):
        raise Full

    with pytest.raises(Full):  # which has no place for it
        duel.run(["a", "b"], full)

    def people():
        yield "ann"
        raise LookupError("no more people")

    with pytest.raises(LookupError, match="people") as caught:
        duel.run(["a", "b"], lambda one, two, who: duel.TIE, subject=people())
    assert caught.value.result["duels"]["ties"] == 1


def test_a_cancelled_run_async_leaves_what_was_answered():
    asked = []

    async def judge(one, two):
        asked.append(one)
        await asyncio.sleep(0.01)
        return duel.TIE

    async def main():
        run = asyncio.ensure_future(duel.run_async(["a", "b"], judge))
        while len(asked) < 5:
            await asyncio.sleep(0.005)
        run.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await run
        return caught.value

    assert asyncio.run(main()).result["duels"]["ties"] == len(asked) >= 5


def costs(log):
    return [json.loads(line).get("cost") for line in log.read_text().splitlines()
            if '"outcome"' in line]


def test_what_a_judge_says_beside_its_answer_is_in_the_log(tmp_path):
    log = tmp_path / "run.jsonl"
    said = iter([(duel.TIE, 0.25), ("frist", 0.5),
                 {"answer": duel.TIE, "cost": 1, "reason": "they are alike \ud800", "tokens": 12},
                 {"answer": 0.8, "reason": None}])
    found = duel.run(["a", "b"], lambda *_: next(said), log=log, max_duels=4)
    assert costs(log) == [0.25, 0.5, 1, None]
    assert found.cost == found["judging"]["cost"] == 1.75
    assert found["judging"]["tokens"] == 12 and found["judging"]["answers"] == 3
    (outcome,) = [json.loads(line) for line in log.read_text().splitlines() if "alike" in line]
    assert outcome["reason"] == "they are alike ?" and outcome["tokens"] == 12
    again = duel.result(log)
    assert again["judging"]["cost"] == 1.75
    told = json.loads(subprocess.run([PROGRAM, "result", str(log), "--json"],
                                     stdout=subprocess.PIPE, check=True, text=True).stdout)
    assert told["judging"]["cost"] == 1.75


@pytest.mark.parametrize("wrong, word", [
    ({"answer": "a", "price": 1}, "'price'"), ({"answer": "a", "cost": "x"}, "no cost"),
    ({"answer": "a", "cost": -1}, "no cost"), ({"answer": "a", "tokens": 1.5}, "tokens"),
    ({"answer": "a", "tokens": -1}, "tokens"), ({"answer": "a", "reason": 3}, "reason"),
    (("a", float("nan")), "no cost"), (("a", 1e300), "no cost")])
def test_what_makes_no_sense_beside_an_answer_is_named(wrong, word):
    with pytest.raises(duel.InvalidArgument, match=word) as caught:
        duel.run(["a", "b"], lambda *_: wrong)
    assert caught.value.field == "judge"


def test_an_arm_that_is_a_dict_is_an_answer_and_no_dict_about_one():
    arms = {"a": {"answer": "yes", "cost": 3.0}, "b": {"answer": "no", "cost": 1.0}}
    found = duel.run(arms, lambda one, two: one if one["answer"] == "yes" else two)
    assert found.winner == "a" and found.cost is None


def test_a_budget_is_that_of_the_log(tmp_path):
    log = tmp_path / "run.jsonl"
    spent = []

    def judge(one, two):
        spent.append(0.01)
        return duel.TIE if len(spent) % 3 else "nonsense", 0.01

    for budget, duels in ((0.1, 10), (0.1, 10), (0.06, 10), (0.25, 25)):
        found = duel.run(["a", "b"], judge, max_cost=budget, log=log, parallel=4)
        assert found.ended == "max_cost" and len(spent) == duels
        assert found["judging"]["cost"] == pytest.approx(0.01 * duels)
    # Sums of prices are not exact, and six of 0.01 are 0.06.
    spent.clear()
    assert duel.run(["a", "b"], judge, max_cost=0.06).ended == "max_cost" and len(spent) == 6
    spent.clear()
    assert duel.run(["a", "b"], judge, max_cost=0).ended == "max_cost" and not spent


def test_a_judge_that_costs_nothing_needs_no_budget():
    found = duel.run(["a", "b"], lambda *_: ("a", 0.0), max_cost=1, parallel=3)
    assert found.winner == "a" and found.cost == 0


ERRORS = """
import sys, duel
try:
    duel.run(["a", "b"], min, log=sys.argv[1])
except duel.FreshAnswersWarning as warning:
    print(warning)
try:
    duel.Experiment(["a", "b"], log=sys.argv[1])
except duel.FreshAnswersWarning as warning:
    print(warning)
print(duel.run(["a", "b"], min, log=sys.argv[1], pairs_independent=True).winner)
"""


def test_a_warning_that_is_an_error_leaves_no_locked_log(tmp_path):
    said = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", ERRORS,
                           tmp_path / "run.jsonl"], stdout=subprocess.PIPE, text=True, check=True)
    warned, again, winner = said.stdout.splitlines()
    assert "tasks=" in warned and "tasks=" in again and winner == "a"


@pytest.mark.filterwarnings("error::duel.FreshAnswersWarning")
def test_the_warning_points_to_the_callers_line():
    def line_of(work):
        with pytest.warns(duel.FreshAnswersWarning) as heard:
            work()
        assert len(heard) == 1
        return heard[0].filename

    async def main():
        await duel.run_async(["a", "b"], min, max_duels=2)

    for work in (lambda: duel.run(["a", "b"], min, max_duels=2), lambda: asyncio.run(main()),
                 lambda: duel.Experiment(["a", "b"])):
        assert line_of(work) == __file__
    for options in ({"tasks": ["q"]}, {"subject": "ann"}, {"pairs_independent": True},
                    {"pairs_independent": False}):
        duel.Experiment(["a", "b"], **options)


IN_A_LOOP = """
import asyncio, os, signal, sys, threading, time, duel

asked = []

def judge(one, two):
    asked.append(one)
    if len(asked) == 4:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)
    return duel.TIE

async def main():
    before = signal.getsignal(signal.SIGINT)
    try:
        duel.run(["a", "b"], judge, log=sys.argv[1], max_duels=100_000)
    except KeyboardInterrupt as interrupted:
        assert signal.getsignal(signal.SIGINT) == before
        print(len(asked), interrupted.result["duels"]["ties"])
        raise

try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.skipif(not hasattr(asyncio, "Runner"), reason="asyncio takes no SIGINT before 3.11")
def test_an_interrupt_is_counted_inside_of_asyncio_run(tmp_path):
    log = tmp_path / "run.jsonl"
    ended = subprocess.run([sys.executable, "-c", IN_A_LOOP, log], stdout=subprocess.PIPE,
                           text=True, timeout=120)
    assert ended.returncode == 7
    asked, answered = ended.stdout.split()
    assert asked == answered and int(asked) < 100
    assert set(fates(log).values()) == {"outcome"}
