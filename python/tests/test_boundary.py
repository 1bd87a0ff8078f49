"""Nothing that Python can pass may end the interpreter: wrong types, shapes and numbers, calls from
inside of calls, threads, forks. Each call either works or raises an exception of a kind that says
whose mistake it was, in words that speak of what was given: nothing of pybind11's signatures, and no
mistake in Duel itself."""

import asyncio
import copy
import gc
import itertools
import math
import os
import pickle
import random
import signal
import threading

import numpy
import pytest

import duel
from duel import _native


class HostileError(Exception):
    """Raised by what the user gave, and passed on as it is."""


class Hostile:
    """Raises whatever it is asked."""

    def __getattr__(self, name):
        raise HostileError(name)

    def __iter__(self):
        raise HostileError("iter")

    def __index__(self):
        raise HostileError("index")

    def __float__(self):
        raise HostileError("float")

    def __bool__(self):
        raise HostileError("bool")

    def __len__(self):
        raise HostileError("len")

    def __call__(self, *arguments, **options):
        raise HostileError("call")

    def __hash__(self):
        raise HostileError("hash")

    def __repr__(self):
        raise HostileError("repr")


def nested():
    value = []
    value.append(value)
    return value


NONSENSE = [
    None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**32, 2**53, 2**63, 2**64, -(2**63), 10**40, 0.5,
    -0.0, 1e-320, 1e18, 1e300, math.nan, math.inf, -math.inf, 1j, "", "a", "rucb", "arxiv", "first",
    "rucb(", "rucb(alpha=nan)", "rucb(alpha=1e999)", "(" * 2000, "\0", "\ud800", "é\U0001f600",
    "x" * 100_000, b"", b"rucb", bytearray(b"a"), [], [0], [0, 1], [[]], [["a"]], ["a", "b"],
    ["a", "a"], nested(), (), (0, 1), (0, 0), (-1, 5), (1, 2, 3), ("a", 1), {}, {"a": 1}, {1: 2},
    {"a": math.nan}, {"a": nested()}, set(), {1}, range(3), iter([1, 2]), object(), Hostile(), int,
    Hostile, len, lambda *a: None, lambda *a: a, Ellipsis, numpy.int64(3), numpy.float32(0.5),
    numpy.bool_(True), numpy.array(3), numpy.array([]), numpy.zeros((0, 0)), numpy.zeros((2, 2)),
    numpy.full((2, 2), 0.5), numpy.full((3, 3), numpy.nan), numpy.full((2, 3), 0.5),
    numpy.full((2, 2, 2), 0.5), numpy.array([["a", "b"], ["c", "d"]]),
    numpy.full((2, 2), 0.5 + 0j), numpy.array([[None, 1], [1, None]], dtype=object),
    numpy.ones((3, 3), dtype=[("x", "f8")]), numpy.full((1, 1), 0.5), memoryview(b"abcd"),
    duel.Duel(0, 1), duel.Duel(4294967295, 4294967295, 2**63), duel.Policy("rucb", arms=3),
    duel.PreferenceMatrix("arxiv"), duel.policies, duel,
]


# What speaks of the inside: of signatures in C++, of casts, of mistakes that are ours.
INSIDE = ("incompatible function arguments", "Unable to cast", "nternal error", "std::", "pybind",
          "check failed", "not enough values", "object has no attribute")


# What leaves the reader to guess which argument is meant.
NAMELESS = ("a value has a type", "an argument has", "the value is nested", "the number is",
            "the keys of a dict", "a value of type")


def attempt(function, *arguments, **options):
    """The value of a call, or None where it raised what a user can make sense of."""
    try:
        return function(*arguments, **options)
    except duel.InternalError:
        raise
    except HostileError:
        return None
    except duel.JudgeFailed:
        return None
    except (TypeError, ValueError, OSError, LookupError, MemoryError, duel.Error) as error:
        text = str(error)
        assert not any(words in text for words in INSIDE), text
        assert not text.startswith(NAMELESS) and "(): an argument has" not in text, text
        assert not isinstance(error, KeyError), repr(error)
        return None


def survive(function, *arguments):
    """The same for what no user writes, such as objects that were never made: any exception will
    do that is none of a mistake in Duel."""
    try:
        return function(*arguments)
    except duel.InternalError:
        raise
    except Exception:
        return None


def small(value):
    """Whether a count is small enough to be worked through here."""
    return not isinstance(value, (int, float)) or not 1000 < value < math.inf


CALLS = {
    "policy": lambda a, b: duel.Policy(a, arms=b),
    "policy with seed": lambda a, b: duel.Policy("dts", arms=3, seed=a, trial=b),
    "policy with rounds": lambda a, b: duel.Policy("rmed2fh", arms=a, rounds=b),
    "observe": lambda a, b: duel.Policy("rucb", arms=3).observe(a, b),
    "duel": lambda a, b: duel.Duel(a, b),
    "duel's item": lambda a, b: duel.Duel(0, 1)[a] == b,
    "matrix": lambda a, b: duel.PreferenceMatrix(a, b),
    "matrix with names": lambda a, b: duel.PreferenceMatrix(numpy.full((2, 2), 0.5), a, b),
    "matrix from text": lambda a, b: duel.PreferenceMatrix.from_csv(a, b),
    "check": lambda a, b: duel.PreferenceMatrix("arxiv").check(a, b),
    "answers": lambda a, b: duel.PreferenceMatrix("arxiv").answers(a)(b, 1),
    "answer": lambda a, b: duel.PreferenceMatrix("arxiv").answers()(a, b),
    "simulate": lambda a, b: small(b) and duel.simulate(a, "rucb", rounds=50, trials=b),
    "simulate policies": lambda a, b: duel.simulate("arxiv", a, rounds=20, trials=2, seed=b),
    "simulate rounds": lambda a, b: small(a) and duel.simulate(
        "arxiv", "rucb", rounds=a, trials=2, checkpoints=b),
    "simulate regret": lambda a, b: duel.simulate(
        "arxiv", "rucb", rounds=20, trials=2, regret=a, threads=b if small(b) else 1),
    "simulate environment": lambda a, b: duel.simulate(
        lambda *_: a, "rucb", rounds=20, trials=2, arms=3, truth=b),
    "simulate arms": lambda a, b: duel.simulate(
        lambda *_: True, "rucb", rounds=20, trials=2, arms=a if small(a) else -1, truth=b),
    "simulate progress": lambda a, b: duel.simulate(
        "arxiv", "rucb", rounds=20, trials=2, progress=a),
    "simulate executor": lambda a, b: duel.simulate(
        "arxiv", "rucb", rounds=20, trials=2, executor=a, shards=b),
    "register": lambda a, b: duel.register_policy(a, b),
    "option": lambda a, b: duel.policies.rucb(alpha=a, ties=b),
    "league": lambda a, b: duel.league(a if a != () else "rucb", [b], rounds=20, trials=2),
    "plan": lambda a, b: duel.plan(arms=a if small(a) else -1, gap=b, trials=2, max_duels=100),
    "plan of a matrix": lambda a, b: duel.plan(a, trials=2, max_duels=100, alpha=b),
    "experiment": lambda a, b: duel.Experiment(a, b),
    "experiment's numbers": lambda a, b: duel.Experiment(["a", "b"], alpha=a, max_duels=b),
    "experiment's goal": lambda a, b: duel.Experiment(["a", "b", "c"], goal=a, top=b),
    "experiment's payload": lambda a, b: duel.Experiment({"a": a, "b": b}),
    "next": lambda a, b: duel.Experiment(["a", "b"]).next(a),
    "report": lambda a, b: duel.Experiment(["a", "b"]).report(a, b),
    "report to a duel": lambda a, b: (lambda e: e.report(e.next(), a, response_ms=b))(
        duel.Experiment(["a", "b"])),
    "expire": lambda a, b: duel.Experiment(["a", "b"]).expire(a, b),
    "run": lambda a, b: duel.run(["a", "b"], lambda *_: a, max_duels=5, parallel=2),
    "run's tasks": lambda a, b: duel.run(["a", "b"], lambda *_: "tie", tasks=a, about=b,
                                         max_duels=4),
    "run's people": lambda a, b: duel.run(["a", "b"], lambda *_: "tie", subject=a, order=b,
                                          max_duels=4),
    "run's retries": lambda a, b: small(a) and duel.run(
        ["a", "b"], lambda *_: "tie", retries=a, retry_delay=b if small(b) else 0, max_duels=4),
    "run's limits": lambda a, b: duel.run(["a", "b"], lambda *_: "tie", max_cost=a,
                                          max_failures=b, max_duels=4),
    "run's numbers": lambda a, b: small(a) and duel.run(["a", "b"], lambda *_: "tie", parallel=a,
                                                        max_duels=b if small(b) else 1),
    "run's judge": lambda a, b: duel.run({"a": a, "b": b}, a, max_duels=4, retries=0),
    "run's arms": lambda a, b: duel.run([a, b], lambda *_: "tie", max_duels=4),
    "run's arms by name": lambda a, b: duel.run({a: 1, b: 2}, lambda *_: "tie", max_duels=4),
    "run's answers": lambda a, b: duel.run(["a", "b"], lambda *_: (a, b), max_duels=4),
    "run's progress": lambda a, b: duel.run(["a", "b"], lambda *_: "tie", progress=a, max_duels=2,
                                            pairs_independent=b),
    "run's options": lambda a, b: duel.run(["a", "b"], lambda *_: "tie", goal=a, assume=b,
                                           max_duels=2),
    "run's log": lambda a, b: duel.run(["a", "b"], lambda *_: "tie", log=a, name=b, max_duels=2),
    "run_async": lambda a, b: asyncio.run(duel.run_async(["a", "b"], lambda *_: a, tasks=b,
                                                         max_duels=2)),
    "next for somebody": lambda a, b: duel.Experiment(["a", "b"], subject=a).next(subject=b),
    "turned": lambda a, b: (lambda e: e.report(e.next(), a, turned=b))(
        duel.Experiment(["a", "b"], order="both")),
    "policies": lambda a, b: duel.policies(a),
    "league's matrices": lambda a, b: duel.league("rucb", {a: b}, rounds=20, trials=2),
    "plan's words": lambda a, b: duel.plan("arxiv", trials=2, max_duels=50, goal=a, policies=b),
    "plan's pilot": lambda a, b: duel.plan(pilot=a, trials=2, max_duels=50, tie_rate=b),
    "result": lambda a, b: duel.result(a, b),
    "result of votes": lambda a, b: duel.result(
        [{"model_a": a, "model_b": b, "winner": "model_a"}]),
    "verify": lambda a, b: duel.verify(a, b),
    "bradley_terry": lambda a, b: duel.bradley_terry(a, b),
    "bradley_terry's prior": lambda a, b: duel.bradley_terry([[0, 3], [1, 0]], model=a, prior=b),
    "native policy state": lambda a, b: duel.Policy("rucb", arms=3).__setstate__(
        ("rucb", 3, a, b, None, 0, 0, None, [], b"")),
    "native state": lambda a, b: duel.Policy("rucb", arms=3).__setstate__(a),
    "native simulate": lambda a, b: _native.simulate(a, b, None, True, None),
    "native experiment": lambda a, b: _native.Experiment(a, b),
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
    pairs = list(itertools.product(NONSENSE, NONSENSE))
    for one, two in rng.sample(pairs, 150):
        attempt(call, one, two)
    gc.collect()


def test_objects_that_were_never_made():
    for kind in (duel.Duel, duel.Policy, _native.Matrix, _native.Problem, _native.Answers,
                 _native.Experiment):
        raw = survive(kind.__new__, kind)
        for name in dir(kind):
            if name.startswith("__") and name not in ("__len__", "__iter__", "__repr__", "__copy__",
                                                      "__hash__", "__reduce__", "__getstate__"):
                continue
            survive(lambda: getattr(raw, name)())
        survive(pickle.dumps, raw)
        survive(copy.deepcopy, raw)


def test_saved_policies_that_were_changed():
    policy = duel.Policy("dts", arms=4, seed=3)
    for _ in range(20):
        policy.observe(policy.select(), "first")
    policy.select()
    saved = policy.__getstate__()
    rng = random.Random(5)
    for _ in range(400):
        state = list(saved)
        where = rng.randrange(len(state))
        if where == len(state) - 1 and rng.random() < 0.8:
            raw = bytearray(state[where])
            for _ in range(rng.randrange(1, 4)):
                raw[rng.randrange(len(raw))] = rng.randrange(256)
            if rng.random() < 0.3:
                raw = raw[: rng.randrange(len(raw))]
            state[where] = bytes(raw)
        else:
            value = rng.choice(NONSENSE)
            if where == 1 and not small(value):
                continue
            state[where] = value
        other = duel.Policy.__new__(duel.Policy)
        survive(other.__setstate__, tuple(state))
        for _ in range(3):
            survive(lambda: other.observe(other.select(), "second"))
        survive(lambda: other.recommend())
    text = pickle.dumps(policy)
    for _ in range(200):
        raw = bytearray(text)
        raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        if b"os" in raw or b"sys" in raw:
            continue
        broken = survive(pickle.loads, bytes(raw))
        if isinstance(broken, duel.Policy):
            survive(lambda: broken.observe(broken.select(), "first"))


class Nested:
    """Plays a simulation of its own in the middle of one."""

    def __init__(self, arms, rng):
        pass

    def select(self, round):
        duel.simulate("arxiv", "rucb", rounds=5, trials=1)
        duel.policies()
        return 0, 1

    def observe(self, chosen, outcome):
        duel.simulate(lambda *_: True, "uniform", rounds=5, trials=1, arms=2)


def test_a_simulation_inside_a_simulation():
    out = duel.simulate("arxiv", [("nested", Nested), "rucb"], rounds=10, trials=4, threads=2)
    assert out.trials == 4
    out = duel.simulate(lambda i, j, u: duel.simulate("arxiv", "rucb", rounds=3, trials=1).trials
                        == 1, "rucb", rounds=10, trials=2, arms=3)
    assert out.trials == 2


def test_registration_in_the_middle_of_a_league():
    names = itertools.count()

    class Registering(Nested):
        def select(self, round):
            with pytest.raises(duel.Unsupported):
                duel.register_policy(f"late-{next(names)}", Nested)
            return 0, 1

        def observe(self, chosen, outcome):
            pass

    duel.league([("registering", Registering)], ["arxiv"], rounds=5, trials=2)


def test_threads_on_one_object():
    policy = duel.Policy("rucb", arms=5)
    experiment = duel.Experiment(["a", "b", "c"], max_duels=100_000)
    failures = []

    def play():
        try:
            for _ in range(300):
                chosen = policy.select()
                policy.observe(chosen, "first")
                policy.copy().recommend()
                asked = experiment.next()
                if asked is not None:
                    experiment.report(asked, winner=asked.first)
                experiment.result()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=play) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert policy.round == 1800 and policy.outstanding == 0


def test_simulations_in_several_threads():
    alone = duel.simulate("arxiv", ["rucb", "dts"], rounds=300, trials=4)
    found = []
    threads = [threading.Thread(target=lambda: found.append(
        duel.simulate("arxiv", ["rucb", "dts"], rounds=300, trials=4))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 5 and all((out.regret == alone.regret).all() for out in found)


def test_a_child_of_fork_works_while_a_thread_simulates():
    stop = threading.Event()

    def work():
        while not stop.is_set():
            duel.simulate("arxiv", "rucb", rounds=3000, trials=4)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                signal.alarm(240)  # a child that hangs is a failure, not a hang
                good = duel.simulate("arxiv", "rucb", rounds=100, trials=4).trials == 4
                os._exit(0 if good else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        thread.join()


def test_huge_numbers_are_refused_before_they_take_memory():
    for arguments in (dict(trials=10**9, rounds=10), dict(trials=2**32, rounds=10),
                      dict(trials=10, rounds=10**30), dict(threads=10**9),
                      dict(seed=2**64), dict(seed=-1)):
        with pytest.raises((duel.Error, TypeError)):
            duel.simulate("arxiv", "rucb", **arguments)
    with pytest.raises(duel.Error):
        duel.Policy("rucb", arms=10**8)
    with pytest.raises(duel.Error):
        duel.simulate(lambda *_: True, "rucb", arms=10**8)


def test_the_base_of_all_classes_cannot_be_made():
    base = duel.Duel.__mro__[1]
    made = type(base)("Made", (base,), {})
    for kind in (base, made):
        with pytest.raises(TypeError):
            kind()
        with pytest.raises(TypeError):
            kind.__new__(kind)
    assert pickle.loads(pickle.dumps(duel.Policy("rucb", arms=3))).select() is not None
