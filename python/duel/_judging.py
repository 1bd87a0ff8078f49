"""Judges at work: functions of Python, called in threads or awaited, each tried again when it fails.

The loop that asks is the library's (src/duel/judging/judge_loop.h). It calls ``free``, ``ask``,
``wait`` and ``abandon`` of ``Judges``.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import inspect
import itertools
import operator
import queue
import signal
import threading
import time
from typing import (Any, Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, NamedTuple)

from ._answers import outcome_of
from ._arms import Arms
from .errors import InvalidArgument

_LONGEST_PAUSE_S = 30.0
# How long a judge that is given up may take to notice it.
_GIVING_UP_S = 2.0
# Mistakes in the judge itself. Where it has answered nothing yet, trying again wastes time.
_MISTAKES = (TypeError, NameError, AttributeError, ImportError, NotImplementedError, SyntaxError)


class Question(NamedTuple):
    """What the judge is called with."""

    duel_id: str
    first: str
    second: str
    arguments: tuple[Any, ...]


class _Said(NamedTuple):
    """What came of a question: an answer, or the error of the last try."""

    answer: Any
    raised: BaseException | None
    ms: float
    failed_tries: int


def short(answer: Any) -> str:
    try:
        text = repr(answer)
    except Exception:  # an answer may be anything
        text = object.__repr__(answer)
    return text if len(text) <= 80 else text[:77] + "..."


def gives_awaitables(judge: Any) -> bool:
    """Whether it is known before a call that a judge is to be awaited."""
    while isinstance(judge, functools.partial):
        judge = judge.func
    return inspect.iscoroutinefunction(judge) or inspect.iscoroutinefunction(
        getattr(judge, "__call__", None))


class _Workers:
    """Threads that do not keep the process alive: a judge that hangs can be left behind."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._idle = 0
        self._threads = 0
        self._lock = threading.Lock()
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()

    def submit(self, work: Callable[[], None]) -> None:
        with self._lock:
            starts = self._idle == 0 and self._threads < self._most
            self._threads += starts
            self._idle -= not starts and self._idle > 0
        self._work.put(work)
        if starts:
            threading.Thread(target=self._run, name="duel judge", daemon=True).start()

    def _run(self) -> None:
        while True:
            work = self._work.get()
            if work is None:
                return
            work()
            with self._lock:
                self._idle += 1

    def close(self) -> None:
        with self._lock:
            threads = self._threads
        for _ in range(threads):
            self._work.put(None)


class _OwnLoop:
    """A loop of asyncio on a thread of its own, so that a running loop is no obstacle."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="duel judges",
                                        daemon=True)
        self._thread.start()

    async def _cancel(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_GIVING_UP_S)
        await self.loop.shutdown_asyncgens()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._cancel(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class _Tries:
    """How often a question is tried, and what is paused in between."""

    def __init__(self, retries: int, delay: float) -> None:
        self._retries, self._delay = retries, delay
        self.failed = 0

    def pause_after(self, error: BaseException, answered: bool) -> float | None:
        """Seconds until the next try; None where there is none."""
        if not isinstance(error, Exception) or (isinstance(error, _MISTAKES) and not answered):
            return None
        self.failed += 1
        if self.failed > self._retries:
            return None
        return min(_LONGEST_PAUSE_S, self._delay * 2.0 ** (self.failed - 1))


class Calls:
    """Calls of a judge, of whichever kind it is, at most ``parallel`` at a time.

    What a judge gives may be awaitable whatever kind of callable it is. It is awaited on ``loop``,
    or where none is given on one of its own.
    """

    def __init__(self, judge: Any, parallel: int, retries: int, delay: float,
                 loop: asyncio.AbstractEventLoop | None) -> None:
        self._judge = judge
        self._retries, self._delay = retries, delay
        self._is_async = gives_awaitables(judge)
        self._workers = _Workers(parallel)
        self._given_loop = loop
        self._own: _OwnLoop | None = None
        self._lock = threading.Lock()
        self._given_up = threading.Event()
        self._awaited: set[asyncio.Task[Any]] = set()  # on a loop that is not ours
        self.answered = False  # whether any call has

    def _loop(self) -> asyncio.AbstractEventLoop:
        if self._given_loop is not None:
            return self._given_loop
        with self._lock:
            if self._own is None:
                self._own = _OwnLoop()
            return self._own.loop

    def submit(self, question: Question) -> concurrent.futures.Future[_Said]:
        if self._is_async:
            return self._schedule(self._await_tries(question.arguments))
        future: concurrent.futures.Future[_Said] = concurrent.futures.Future()

        def work() -> None:
            future.set_result(self._call_tries(question.arguments))

        self._workers.submit(work)
        return future

    def _schedule(self, work: Coroutine[Any, Any, Any]) -> concurrent.futures.Future[Any]:
        return asyncio.run_coroutine_threadsafe(self._followed(work), self._loop())

    async def _followed(self, work: Coroutine[Any, Any, Any]) -> Any:
        task = asyncio.current_task()
        assert task is not None
        self._awaited.add(task)
        try:
            return await work
        finally:
            self._awaited.discard(task)

    def _done(self, answer: Any, raised: BaseException | None, begun: float,
              tries: _Tries) -> _Said:
        if raised is None:
            self.answered = True
        return _Said(answer, raised, 1000 * (time.monotonic() - begun), tries.failed)

    def _call_tries(self, arguments: tuple[Any, ...]) -> _Said:
        tries = _Tries(self._retries, self._delay)
        while True:
            begun = time.monotonic()
            try:
                answer = self._judge(*arguments)
                if inspect.isawaitable(answer):
                    answer = self._schedule(_awaited(answer)).result()
                return self._done(answer, None, begun, tries)
            except BaseException as error:
                pause = tries.pause_after(error, self.answered)
                if pause is None or self._given_up.wait(pause):
                    return self._done(None, error, begun, tries)

    async def _await_tries(self, arguments: tuple[Any, ...]) -> _Said:
        tries = _Tries(self._retries, self._delay)
        while True:
            begun = time.monotonic()
            try:
                answer = self._judge(*arguments)
                if inspect.isawaitable(answer):
                    answer = await answer
                return self._done(answer, None, begun, tries)
            except BaseException as error:  # also what would end the loop, and all other tasks
                pause = tries.pause_after(error, self.answered)
                if pause is None:
                    return self._done(None, error, begun, tries)
                await asyncio.sleep(pause)

    def give_up(self) -> None:
        """Nothing is waited for any more."""
        self._given_up.set()
        if self._given_loop is not None:
            for task in list(self._awaited):
                self._given_loop.call_soon_threadsafe(task.cancel)

    def close(self) -> None:
        self._workers.close()
        if self._own is not None:
            self._own.close()


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer


class Paid(NamedTuple):
    """An answer, and what the judge said beside it."""

    answer: Any
    cost: float | None = None
    reason: str = ""
    tokens: int = 0


_MOST_COST = 1e15
_MOST_TOKENS = 2**53
_BESIDE = ("answer", "cost", "reason", "tokens")


def _cost_of(given: Any) -> float | None:
    """A price, or None where it is none: the tuple or dict it is in may be an answer itself."""
    if isinstance(given, bool) or not hasattr(given, "__float__"):
        return None
    value = float(given)
    if not 0 <= value < _MOST_COST:
        raise InvalidArgument(f"{value} is no cost", hint="a number from 0", field="judge")
    return value


def _of_dict(said: Mapping[Any, Any]) -> Paid:
    for name in said:
        if name not in _BESIDE:
            raise InvalidArgument(f"an answer as a dict has no {short(name)}",
                                  hint=", ".join(_BESIDE), field="judge")
    cost = None if said.get("cost") is None else _cost_of(said["cost"])
    if cost is None and said.get("cost") is not None:
        raise InvalidArgument(f"{short(said['cost'])} is no cost", hint="a number from 0",
                              field="judge")
    reason, tokens = said.get("reason") or "", said.get("tokens") or 0
    if not isinstance(reason, str):
        raise InvalidArgument(f"{short(reason)} is no reason", hint="a text", field="judge")
    if isinstance(tokens, bool) or not hasattr(tokens, "__index__") or \
            not 0 <= operator.index(tokens) < _MOST_TOKENS:
        raise InvalidArgument(f"{short(tokens)} is no count of tokens", hint="an int from 0",
                              field="judge")
    return Paid(said["answer"], cost, _encodable(reason), operator.index(tokens))


def paid(said: Any, arms: Arms) -> Paid:
    """What a judge gave back: an answer alone, ``(answer, cost)``, or a dict with an ``answer``."""
    if any(said is payload for payload in arms.payloads.values()):
        return Paid(said)
    if isinstance(said, tuple) and len(said) == 2:
        cost = _cost_of(said[1])
        return Paid(said) if cost is None else Paid(said[0], cost)
    if isinstance(said, Mapping) and "answer" in said:
        return _of_dict(said)
    return Paid(said)


def _encodable(text: str) -> str:
    return text.encode(errors="replace").decode()


class Done(NamedTuple):
    """What came of a question, as the native module takes it (PythonJudges::wait).

    ``fate`` is ``""`` for an answer, also one that makes no sense (``outcome`` is None then);
    ``"failed"`` where none came; ``"ends"`` where none came and the run has to end; ``"last"`` for
    an answer, with or without sense, after which the run has to end.
    """

    duel_id: str
    outcome: str | float | None
    ms: float
    failed_tries: int
    failure: str = ""
    fate: str = ""
    cost: float = 0.0
    reason: str = ""
    tokens: int = 0


class Judges:
    """What the loop of the library asks, waits for and gives up."""

    def __init__(self, calls: Calls, parallel: int, arms: Arms, tasks: dict[str, Any],
                 subjects: Iterator[str] | None, names_subject: bool, max_cost: float | None,
                 calls_per_duel: int, spent: float = 0.0) -> None:
        self._calls = calls
        self._parallel = parallel
        self._arms = arms
        self._tasks = tasks
        self._names_subject = names_subject
        self._out: dict[concurrent.futures.Future[_Said], Question] = {}
        self._subject_of: dict[str, str] = {}
        self._coming = ""
        self._subjects = subjects
        self.next_subject = None if subjects is None else self._next_subject
        self._max_cost = max_cost
        self._calls_per_duel = calls_per_duel
        self._dearest: float | None = None  # of one call
        self._spent = spent  # by earlier runs of the log
        self.cost = 0.0  # of this one
        self.has_cost = False
        self.money_is_out = False
        self.nobody_is_left = False
        self.interruptions = 0
        self.failure: BaseException | None = None  # that ends the run
        self.last_error: BaseException | None = None  # of a try; None: the answer made no sense
        self.last_nonsense = ""

    @property
    def interrupts(self) -> int:
        """1: nothing new is asked, and what is out is awaited; 2: it is given up."""
        return max(self.interruptions, 1 if self.money_is_out else 0)

    def interrupt(self, *_: object) -> None:
        self.interruptions += 1

    def _next_subject(self) -> str | None:
        assert self._subjects is not None
        subject = next(self._subjects, None)
        if subject is None:
            self.nobody_is_left = True
            return None
        if not isinstance(subject, str) or not subject:
            raise TypeError("subject: a person is named by a text, not "
                            + type(subject).__name__)
        self._coming = subject
        return subject

    def chosen(self, duel_id: str) -> None:
        """Who came last will be asked this, perhaps after others have come: in a batch."""
        self._subject_of[duel_id] = self._coming

    def free(self) -> int:
        free = self._parallel - len(self._out)
        if self._max_cost is None or self.money_is_out:
            return free
        # Sums of prices are not exact: six answers of 0.01 fit into 0.06.
        left = self._max_cost * (1 + 1e-9) - self._spent - self.cost
        if left <= self._max_cost * 2e-9:
            self.money_is_out = not self._out
            return 0
        # Each duel that is out may cost as much as the dearest so far. Until one has told its
        # price, one is asked at a time.
        if self._dearest is None:
            return 0 if self._out else min(free, 1)
        duel = self._dearest * self._calls_per_duel
        if duel == 0:
            return free
        affordable = int(max(0.0, min(float(free), left / duel - len(self._out))))
        if affordable == 0 and not self._out:
            self.money_is_out = True
        return affordable

    def ask(self, duel_id: str, first: str, second: str, task: str) -> None:
        one, other = self._arms.name_of[first], self._arms.name_of[second]
        arguments: list[Any] = [self._arms.shown(one), self._arms.shown(other)]
        if task:
            arguments.append(self._tasks[task])
        if self._names_subject:
            arguments.append(self._subject_of[duel_id])
        question = Question(duel_id, one, other, tuple(arguments))
        self._out[self._calls.submit(question)] = question

    def wait(self, seconds: float) -> list[Done]:
        if not self._out:
            time.sleep(min(seconds, 0.01))
        finished, _ = concurrent.futures.wait(self._out, seconds,
                                              concurrent.futures.FIRST_COMPLETED)
        return [self._taken(asked.result(), self._out.pop(asked)) for asked in finished]

    def _taken(self, said: _Said, question: Question) -> Done:
        done = Done(question.duel_id, None, said.ms, said.failed_tries)
        if said.raised is not None:
            self.last_error = said.raised
            why = _encodable(f"{type(said.raised).__name__}: {said.raised}"[:200])
            mistake = isinstance(said.raised, _MISTAKES) and not self._calls.answered
            if mistake or not isinstance(said.raised, Exception):
                self.failure = self.failure or said.raised
                return done._replace(failure=why, fate="ends")
            return done._replace(failure=why, fate="failed")
        try:
            given = self._paid(said.answer)
            done = done._replace(cost=given.cost or 0.0, reason=given.reason, tokens=given.tokens)
            outcome = outcome_of(given.answer, self._arms, question.first, question.second)
        except InvalidArgument as error:
            self.failure = self.failure or error
            return done._replace(failure=_encodable(str(error)), fate="last")
        done = done._replace(outcome=outcome)
        if outcome is None:
            self.last_error = None
            self.last_nonsense = _encodable("the last was " + short(given.answer))
            return done._replace(failure=self.last_nonsense)
        if self._max_cost is not None and given.cost is None:
            self.failure = self.failure or InvalidArgument(
                "with max_cost each answer comes with its cost", hint="give back (answer, cost)",
                field="judge")
            return done._replace(fate="last")
        return done

    def _paid(self, said: Any) -> Paid:
        given = paid(said, self._arms)
        if given.cost is not None:
            self.has_cost = True
            self.cost += given.cost
            self._dearest = max(self._dearest or 0.0, given.cost)
        return given

    def abandon(self) -> None:
        self._calls.give_up()

    def close(self) -> None:
        self._calls.close()


def subjects_of(subject: Any) -> tuple[Iterator[str] | None, bool]:
    """Who is asked, one after another, and whether the judge is told."""
    if subject is None:
        return None, False
    if isinstance(subject, str):
        if not subject:
            raise InvalidArgument("it is empty", field="subject")
        return itertools.repeat(subject), False
    if callable(subject):
        return iter(subject, None), True
    if isinstance(subject, Iterable):
        return iter(subject), True
    raise TypeError("subject: a text, a list of texts or a function that gives the next one is "
                    f"needed, not {type(subject).__name__}")


def _only_interrupts(handler: Any) -> bool:
    """Whether a handler of SIGINT does no more than end what runs: Python's own, or that of
    ``asyncio.run``, which cancels its task and so changes nothing while a run blocks the loop."""
    if handler is signal.default_int_handler:
        return True
    runner = getattr(asyncio, "Runner", None)  # from Python 3.11 on
    if runner is None or not isinstance(handler, functools.partial):
        return False
    return isinstance(getattr(handler.func, "__self__", None), runner)


class CountsInterrupts:
    """Ctrl-C must not fall between an answer and its record: it is counted, and the loop looks."""

    def __init__(self, interrupt: Callable[..., None]) -> None:
        self._interrupt = interrupt
        self._handler: Any = None

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread() and \
                _only_interrupts(signal.getsignal(signal.SIGINT)):
            self._handler = signal.signal(signal.SIGINT, self._interrupt)

    def __exit__(self, *_: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
