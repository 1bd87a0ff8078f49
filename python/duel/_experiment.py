"""Live experiments: ask, report, stop with a certificate."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import json
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, NamedTuple, Sequence, cast

from . import _native
from ._policies import spec_of
from .errors import InvalidArgument, Unsupported

if TYPE_CHECKING:
    from . import _shapes


class ServedDuel(NamedTuple):
    """A duel to be judged: arms ``first`` and ``second`` as they are to be shown."""

    duel_id: str
    first: str
    second: str
    serving: str


class ExperimentResult:
    """Where an experiment stands: what ``duel result --json`` prints, and ways to look at it."""

    def __init__(self, content: _shapes.ExperimentResult) -> None:
        self._content = content

    @property
    def verdict(self) -> str:
        """What can be said now, in a sentence."""
        return self._content["verdict"]

    @property
    def failed_checks(self) -> list[str]:
        """The names of the health checks that failed: answers that cannot be trusted as they are."""
        return [check["name"] for check in self._content["health"] if check["verdict"] == "failed"]

    @property
    def headline(self) -> str:
        """The verdict, and the health checks that failed, which stand beside it everywhere."""
        failed = self.failed_checks
        if not failed:
            return self.verdict
        checks = "Health check failed" if len(failed) == 1 else "Health checks failed"
        return f"{self.verdict} {checks}: {', '.join(failed)}."

    def __getitem__(self, name: str) -> Any:
        return cast("dict[str, Any]", self._content)[name]

    def to_dict(self) -> _shapes.ExperimentResult:
        return self._content

    def to_pandas(self) -> Any:
        """A row per arm."""
        import pandas

        return pandas.json_normalize(self._content["arms"])

    def plot(self, ax: Any = None) -> Any:
        from ._plot import plot_result

        return plot_result(self, ax)

    def __repr__(self) -> str:
        return f"<ExperimentResult: {self.headline}>"

    def _repr_html_(self) -> str:
        from ._html import table

        def span(ends: Sequence[float]) -> str:
            low, high = ends
            return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"

        rows: list[list[Any]] = []
        for arm in self._content["arms"]:
            elo, interval = arm["elo"], arm["elo_interval"]
            rows.append([span(arm["rank_range"]), arm["arm_id"],
                         "" if elo is None else round(elo),
                         "" if interval is None else span(interval),
                         f"{arm['wins']} of {arm['wins'] + arm['losses']}",
                         f"{arm['probability_best']:.3f}"])
        rows.append(["", "no arm beats every other", "", "", "",
                     f"{self._content['probability_no_winner']:.3f}"])
        return table(["place", "arm", "Elo", "95 %", "won", "P(best)"], rows, self.headline)


def _arm_pairs(arms: Any) -> list[tuple[str, Any]]:
    if isinstance(arms, str):
        raise InvalidArgument("a list of arms is needed, not one text", field="arms")
    if isinstance(arms, Mapping):
        return [(str(name), payload) for name, payload in arms.items()]
    return [(str(name), None) for name in arms]


class Experiment:
    """An experiment that is asked for duels and told their outcomes.

    ``arms`` are ids, or a dict of ids and what they stand for. With ``log`` every record is on
    disk before it counts; the same call goes on with a log that is there, and ``duel verify``
    checks it. The experiment is ``done`` once it is certified or ``max_duels`` are served.
    ``close`` lets go of the log, and ``with`` does so at its end. ``duel.run`` asks in parallel.
    """

    def __init__(self, arms: Any, policy: Any = "auto", alpha: float = 0.05, *,
                 log: str | os.PathLike[str] | None = None, name: str = "duel",
                 goal: str = "condorcet", top: int = 0, epsilon: float = 0.0,
                 assume: str = "none", order: str = "random", max_duels: int | None = None,
                 min_decisive_per_pair: int = 0, pairs_independent: bool = True,
                 aa_rate: float = 0.0, seed: int = 0) -> None:
        request = {
            "arms": _arm_pairs(arms), "policy": spec_of(policy), "alpha": alpha, "name": name,
            "goal": goal, "top": top, "epsilon": epsilon, "assume": assume, "order": order,
            "max_duels": max_duels, "min_decisive_per_pair": min_decisive_per_pair,
            "pairs_independent": pairs_independent, "aa_rate": aa_rate, "seed": seed,
        }
        self._closed = True  # until it is open
        self._log = "" if log is None else os.fspath(log)
        self._native = _native.Experiment(request, self._log)
        self._closed = False

    @property
    def arms(self) -> list[str]:
        return self._native.arms

    @property
    def policy(self) -> str:
        return self._native.policy

    @property
    def done(self) -> bool:
        """Certified, completed, or all duels that ``max_duels`` allows are final."""
        return self._native.done

    @property
    def certified(self) -> bool:
        return self._native.certified

    @property
    def resumed(self) -> bool:
        """Whether the log was there already."""
        return self._native.resumed

    @property
    def served(self) -> int:
        return self._native.served

    @property
    def pending(self) -> list[str]:
        """Ids of the duels without an answer."""
        return self._native.pending

    @property
    def verdict(self) -> str:
        return self._native.verdict

    def next(self, duel_id: str = "") -> ServedDuel | None:
        """The next duel, which counts as served; None where nothing is left to ask."""
        duel = self._native.next(duel_id)
        return None if duel is None else ServedDuel(**duel)

    def report(self, duel: ServedDuel | str, winner: str | None = None, *, tie: bool = False,
               both_bad: bool = False, skip: bool = False, invalid: bool = False,
               source: str = "", source_type: str = "",
               response_ms: int | None = None) -> str:
        """The answer: a winner, or one of tie, both_bad, skip and invalid.

        Gives ``applied``, ``duplicate``, ``conflict`` (the first answer counts) or ``late``.
        """
        said = [word for word, given in (("tie", tie), ("both_bad", both_bad), ("skip", skip),
                                         ("invalid", invalid), ("win", winner is not None))
                if given]
        if len(said) != 1:
            raise InvalidArgument("exactly one of winner, tie, both_bad, skip and invalid is needed",
                                  field="winner")
        duel_id = duel if isinstance(duel, str) else duel.duel_id
        return self._native.report(duel_id, said[0], winner or "", source_type or
                                   ("program" if source else ""), source, response_ms)

    def expire(self, duel: ServedDuel | str, note: str = "") -> str:
        """No answer will come. It is final, and no loss for either arm."""
        return self._native.expire(duel if isinstance(duel, str) else duel.duel_id, note)

    def complete(self) -> None:
        """Ends the experiment; what is still out has expired."""
        self._native.complete()

    def close(self) -> None:
        """Lets go of the log, so that another process may go on with it. It may be called twice."""
        self._native.close()
        self._closed = True

    def __enter__(self) -> Experiment:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def result(self) -> ExperimentResult:
        return ExperimentResult(self._native.result())

    def certificate(self) -> str:
        """The text of the certificate, which ``duel verify`` checks against the log."""
        if not self._log:
            raise Unsupported("a certificate speaks of a log, and this experiment has none",
                              hint="give log='run.jsonl'")
        return _native.certificate_of_log(self._log)

    def __repr__(self) -> str:
        if self._closed:
            return "<Experiment, closed>"
        return f"<Experiment of {len(self.arms)} arms, {self.served} duels: {self.verdict}>"


Judge = Callable[[str, str], Any]


def _same(said: Any, payload: Any) -> bool:
    """Whether a judge gave back what it was shown; other payloads may have no equality to ask for."""
    return said is payload or (isinstance(said, str) and isinstance(payload, str)
                               and said == payload)


def _outcome(said: Any, first: str, second: str, shown: Callable[[str], Any]) -> str | None:
    """The place that won, or "tie", "both_bad" or "skip"; None where it is no answer."""
    if said is True or said is False:
        return "first" if said else "second"
    if isinstance(said, str):
        if said in ("first", "second", "tie", "both_bad", "skip"):
            return said
        if said in (first, second):
            return "first" if said == first else "second"
    is_first, is_second = _same(said, shown(first)), _same(said, shown(second))
    if said is None or is_first == is_second:
        return None
    return "first" if is_first else "second"


def _short(answer: Any) -> str:
    try:
        text = repr(answer)
    except Exception:  # an answer may be anything
        text = object.__repr__(answer)
    return text if len(text) <= 80 else text[:77] + "..."


class _Said(NamedTuple):
    """What came of a call of the judge."""

    answer: Any
    raised: BaseException | None
    ms: float


class _Threads:
    """Calls a judge in threads."""

    def __init__(self, judge: Any, parallel: int) -> None:
        self._judge = judge
        self._pool = concurrent.futures.ThreadPoolExecutor(parallel)

    def _call(self, first: Any, second: Any) -> _Said:
        begun = time.monotonic()
        try:
            answer, raised = self._judge(first, second), None
        except BaseException as error:
            answer, raised = None, error
        return _Said(answer, raised, 1000 * (time.monotonic() - begun))

    def submit(self, first: Any, second: Any) -> concurrent.futures.Future[_Said]:
        return self._pool.submit(self._call, first, second)

    def close(self, waits: bool) -> None:
        self._pool.shutdown(wait=waits, cancel_futures=True)


class _Tasks:
    """Calls a judge that is a coroutine function, as tasks of asyncio on a thread of its own."""

    def __init__(self, judge: Any, _parallel: int) -> None:
        self._judge = judge
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    async def _call(self, first: Any, second: Any) -> _Said:
        begun = time.monotonic()
        try:
            answer, raised = await self._judge(first, second), None
        except BaseException as error:  # also what would end the loop, and all other tasks with it
            answer, raised = None, error
        return _Said(answer, raised, 1000 * (time.monotonic() - begun))

    def submit(self, first: Any, second: Any) -> concurrent.futures.Future[_Said]:
        return asyncio.run_coroutine_threadsafe(self._call(first, second), self._loop)

    async def _cancel(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._loop.shutdown_asyncgens()

    def close(self, waits: bool) -> None:
        asyncio.run_coroutine_threadsafe(self._cancel(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class _Judges:
    """What the loop of the library asks, waits for and gives up."""

    def __init__(self, judge: Any, parallel: int, shown: Callable[[str], Any]) -> None:
        self._calls: Any = (_Tasks if inspect.iscoroutinefunction(judge) else _Threads)(judge,
                                                                                       parallel)
        self._parallel = parallel
        self._shown = shown
        self._out: dict[concurrent.futures.Future[_Said], tuple[str, str, str]] = {}
        self._given_up = False
        self.interrupts = 0
        self.failure: BaseException | None = None

    def free(self) -> int:
        return self._parallel - len(self._out)

    def ask(self, duel_id: str, first: str, second: str) -> None:
        asked = self._calls.submit(self._shown(first), self._shown(second))
        self._out[asked] = (duel_id, first, second)

    def wait(self, seconds: float) -> list[tuple[str, str | None, float, str, bool]]:
        """Duel, outcome, milliseconds, why there is none, and whether nothing more is to be asked."""
        if not self._out:
            time.sleep(seconds)
        finished, _ = concurrent.futures.wait(self._out, seconds,
                                              concurrent.futures.FIRST_COMPLETED)
        return [self._taken(asked.result(), *self._out.pop(asked)) for asked in finished]

    def _taken(self, said: _Said, duel_id: str, first: str,
               second: str) -> tuple[str, str | None, float, str, bool]:
        if said.raised is not None:
            self.failure = self.failure or said.raised
            return duel_id, None, said.ms, "the judge raised an exception", True
        outcome = _outcome(said.answer, first, second, self._shown)
        failure = ""
        if outcome is None:
            failure = "the last was " + _short(said.answer)
        return duel_id, outcome, said.ms, failure, False

    def abandon(self) -> None:
        self._given_up = True

    def __enter__(self) -> _Judges:
        # Ctrl-C must not fall between an answer and its record: it is counted, and the loop looks.
        self._handler: Any = None
        if threading.current_thread() is threading.main_thread() and \
                signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._handler = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        self._calls.close(not self._given_up)

    def _interrupt(self, *_: object) -> None:
        self.interrupts += 1


def run(arms: Any, judge: Judge, *, parallel: int = 1, max_duels: int | None = 10_000,
        max_failures: int = 5, progress: Any = None, **options: Any) -> ExperimentResult:
    """Finds the best arm by asking ``judge(first, second)`` until there is a certificate.

    The judge gives the winning arm's id, ``"first"``, ``"second"``, ``"tie"``, ``"both_bad"`` or
    ``"skip"``; anything else is recorded as invalid, and ``max_failures`` of those in a row end the
    run with an error, as for ``duel run``. ``parallel`` judges are asked at a time, in
    threads, or as tasks of asyncio where the judge is a coroutine function. Where ``arms`` is a
    dict, the judge gets its values and may give back the better one. An exception of the judge ends
    the run; what was out then is awaited and recorded, and so it is at the first Ctrl-C; the second
    gives it up. ``max_duels`` are served in all; the same call with more goes on. Other options are
    those of Experiment.
    """
    if not callable(judge):
        raise InvalidArgument("the judge must be callable", field="judge")
    if not 1 <= parallel <= 10_000:
        raise InvalidArgument(f"{parallel} is out of range", hint="1 to 10000", field="parallel")
    if max_failures < 1:
        raise InvalidArgument(f"{max_failures} is out of range", hint="at least 1",
                              field="max_failures")
    if max_duels is not None and not 0 <= max_duels <= 10**12:
        raise InvalidArgument(f"{max_duels} is out of range", hint="0 to 10**12", field="max_duels")
    experiment = Experiment(arms, **options)
    payloads = {str(name): payload for name, payload in arms.items()} \
        if isinstance(arms, Mapping) else None

    def shown(arm: str) -> Any:
        return arm if payloads is None else payloads[arm]

    with experiment, _Judges(judge, parallel, shown) as judges:
        ending = experiment._native.run(
            judges, max_duels, max_failures,
            None if progress is None else lambda: progress(experiment))
        if judges.interrupts > 0:
            raise KeyboardInterrupt
        if ending == "exception" and judges.failure is not None:
            raise judges.failure
        return experiment.result()


def result(votes: Any, alpha: float = 0.05, *, goal: str = "condorcet", top: int = 0,
           epsilon: float = 0.0, assume: str = "none", prior: float | None = None,
           name: str = "votes") -> ExperimentResult:
    """The result of a log, of a file of votes (CSV, JSON), or of votes at hand.

    Votes at hand are a DataFrame or a list of dicts with the columns of the files: ``model_a``,
    ``model_b`` (or ``first``, ``second``) and ``winner``, and ``judge`` and ``tstamp`` if there are
    any. A log has its own alpha and goal.
    """
    request = {"alpha": alpha, "goal": goal, "top": top, "epsilon": epsilon, "assume": assume,
               "prior": prior}
    if isinstance(votes, (str, os.PathLike)):
        return ExperimentResult(_native.result_of_file(os.fspath(votes), request))
    if hasattr(votes, "to_json") and hasattr(votes, "columns"):
        text = votes.to_json(orient="records", date_format="iso")
    else:
        text = json.dumps([dict(vote) for vote in votes])
    return ExperimentResult(_native.result_of_votes(text, name, request))


def verify(log: str | os.PathLike[str], certificate: str | os.PathLike[str] | None = None, *,
           replay: bool = False) -> dict[str, Any]:
    """Checks a log, and a certificate against it: what ``duel verify --json`` prints."""
    given = "" if certificate is None else os.fspath(certificate)
    return _native.verify(os.fspath(log), given, replay)


def bradley_terry(wins: Any, ties: Any = None, *, model: str = "halves",
                  prior: float | None = None, arms: Sequence[str] = ()) -> dict[str, Any]:
    """Strengths by maximum likelihood from counts: ``wins[i, j]`` is how often i beat j."""
    return _native.bradley_terry(wins, ties, model, prior, list(arms))


def _matrix_file(matrix: Any) -> Any:
    """A file of the matrix, for what reads matrices by name."""
    import tempfile

    from ._matrix import as_matrix

    file = tempfile.NamedTemporaryFile("w", suffix=".csv", prefix="matrix-")
    file.write(as_matrix(matrix).to_csv())
    file.flush()
    return file


def plan(matrix: Any = None, *, pilot: str | os.PathLike[str] | None = None, arms: int | None = None,
         gap: float | None = None, spread: float | None = None,
         policies: Iterable[str] | str | None = None, progress: Any = None,
         **options: Any) -> _shapes.Plan:
    """How many duels a certificate takes, by simulation: what ``duel plan --json`` prints.

    The arms are described by a ``matrix``, by a ``pilot`` (a file of votes or a log), or by a guess:
    ``arms`` and ``gap``. Options: goal, top, epsilon, assume, alpha, max_duels, tie_rate, parallel,
    shared_causes, cost_per_duel, trials, seed, threads.
    """
    from ._simulation import progress_of

    known = {"goal", "top", "epsilon", "assume", "alpha", "max_duels", "tie_rate", "parallel",
             "shared_causes", "cost_per_duel", "trials", "seed", "threads"}
    for name in options:
        if name not in known:
            raise TypeError(f"plan() got an unexpected keyword argument '{name}'")
    chosen = [policies] if isinstance(policies, str) else policies
    request = dict(options, arms=arms, gap=gap, spread=spread,
                   pilot=None if pilot is None else os.fspath(pilot),
                   policies=None if chosen is None else [spec_of(policy) for policy in chosen])
    shown = progress_of(progress, "experiments")
    if matrix is None or isinstance(matrix, (str, os.PathLike)):
        request["matrix"] = None if matrix is None else os.fspath(matrix)
        return _native.plan(request, shown)
    with _matrix_file(matrix) as file:
        request["matrix"] = file.name
        return _native.plan(request, shown)


def league(policies: Any = (), matrices: Mapping[str, Any] | Sequence[Any] = (), *,
           rounds: int | float = 100_000, trials: int = 50, seed: int = 0, threads: int = 0,
           progress: Any = None) -> dict[str, Any]:
    """Ranks policies by regret over problems: what ``duel league --json`` prints.

    Without ``policies`` all take part, without ``matrices`` all built-in problems are played.
    """
    from ._matrix import as_matrix
    from ._simulation import _registered, progress_of

    texts, _ = _registered(policies)
    if isinstance(matrices, Mapping):
        problems = [(str(name), as_matrix(matrix)._matrix) for name, matrix in matrices.items()]
    else:
        known = [as_matrix(matrix) for matrix in
                 ([matrices] if isinstance(matrices, str) else matrices)]
        problems = [(matrix.name, matrix._matrix) for matrix in known]
    return _native.league(problems, texts, rounds, trials, seed, threads, progress_of(progress))
