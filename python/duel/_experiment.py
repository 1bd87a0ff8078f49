"""Live experiments: ask, report, stop with a certificate."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import json
import os
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
        return f"<ExperimentResult: {self.verdict}>"

    def _repr_html_(self) -> str:
        from ._html import table

        rows = [[arm["arm_id"], arm["rate"]] for arm in self._content["arms"]]
        return table(["arm", "share won"], rows, self.verdict)


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


class _Patience:
    """How many useless answers in a row a judge may give."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._in_a_row = 0

    def heard(self, said: Any, useful: bool) -> None:
        self._in_a_row = 0 if useful else self._in_a_row + 1
        if self._in_a_row >= self._most:
            shown = repr(said)
            raise InvalidArgument(
                f"no answer to {self._in_a_row} duels in a row; the last was "
                f"{shown if len(shown) <= 80 else shown[:77] + '...'}",
                hint='an answer is the id of the better arm, "first", "second", "tie", "both_bad" '
                     'or "skip"', field="judge")


def _answer(experiment: Experiment, duel: ServedDuel, said: Any, begun: float,
            shown: Callable[[str], Any]) -> bool:
    """Records it; False where it is no answer."""
    ms = int(1000 * (time.monotonic() - begun))
    if said is True or (isinstance(said, str) and said == "first"):
        experiment.report(duel, winner=duel.first, response_ms=ms)
    elif said is False or (isinstance(said, str) and said == "second"):
        experiment.report(duel, winner=duel.second, response_ms=ms)
    elif isinstance(said, str) and said in ("tie", "both_bad", "skip"):
        experiment.report(duel, tie=said == "tie", both_bad=said == "both_bad",
                          skip=said == "skip", response_ms=ms)
    elif isinstance(said, str) and said in (duel.first, duel.second):
        experiment.report(duel, winner=said, response_ms=ms)
    elif said is not None and _same(said, shown(duel.first)) != _same(said, shown(duel.second)):
        winner = duel.first if _same(said, shown(duel.first)) else duel.second
        experiment.report(duel, winner=winner, response_ms=ms)
    else:
        experiment.report(duel, invalid=True, response_ms=ms)
        return False
    return True


def run(arms: Any, judge: Judge, *, parallel: int = 1, max_duels: int = 10_000,
        max_failures: int = 5, progress: Any = None, **options: Any) -> ExperimentResult:
    """Finds the best arm by asking ``judge(first, second)`` until there is a certificate.

    The judge gives the winning arm's id, ``"first"``, ``"second"``, ``"tie"``, ``"both_bad"`` or
    ``"skip"``; anything else is recorded as invalid, and ``max_failures`` of those in a row end the
    run with an error, as for ``duel run``. ``parallel`` judges are asked at a time, in
    threads, or as tasks of asyncio where the judge is a coroutine function. Where ``arms`` is a
    dict, the judge gets its values and may give back the better one. An exception of the judge ends
    the run; what was out then is awaited and recorded, and so it is at the first Ctrl-C. Other
    options are those of Experiment.
    """
    if not callable(judge):
        raise InvalidArgument("the judge must be callable", field="judge")
    if not 1 <= parallel <= 10_000:
        raise InvalidArgument(f"{parallel} is out of range", hint="1 to 10000", field="parallel")
    if max_failures < 1:
        raise InvalidArgument(f"{max_failures} is out of range", hint="at least 1",
                              field="max_failures")
    experiment = Experiment(arms, max_duels=max_duels, **options)
    payloads = {str(name): payload for name, payload in arms.items()} \
        if isinstance(arms, Mapping) else None

    def shown(arm: str) -> Any:
        return arm if payloads is None else payloads[arm]

    with experiment:
        for duel_id in experiment.pending:
            experiment.expire(duel_id, "the run that asked it ended before the answer")
        judged = _JudgedRun(experiment, shown, _Patience(max_failures), progress)
        if inspect.iscoroutinefunction(judge):
            asyncio.run(judged.with_tasks(judge, parallel))
        else:
            judged.with_threads(judge, parallel)
        if judged.failure is not None:
            raise judged.failure
        if experiment.certified:
            experiment.complete()
        return experiment.result()


class _JudgedRun:
    """Asks a judge, several duels at a time, until there is a certificate or nothing to ask.

    Answers are paid for, so none is thrown away: at the certificate, after an exception of the judge
    and at the first Ctrl-C nothing new is asked, and what is out is awaited and recorded. A second
    Ctrl-C gives it up.
    """

    def __init__(self, experiment: Experiment, shown: Callable[[str], Any], patience: _Patience,
                 progress: Any) -> None:
        self._experiment = experiment
        self._shown = shown
        self._patience = patience
        self._progress = progress
        self._out: dict[Any, tuple[ServedDuel, float]] = {}
        self.failure: BaseException | None = None

    def _ask(self, parallel: int, submit: Callable[[Any, Any], Any]) -> bool:
        """Keeps the judge busy; False where nothing is out any more."""
        while self.failure is None and len(self._out) < parallel and not self._experiment.done:
            duel = self._experiment.next()
            if duel is None:
                break
            asked = submit(self._shown(duel.first), self._shown(duel.second))
            self._out[asked] = (duel, time.monotonic())
        return bool(self._out)

    def _take(self, asked: Any) -> None:
        duel, begun = self._out.pop(asked)
        try:
            said = asked.result()
        except BaseException as error:
            self._experiment.expire(duel, "the judge raised an exception")
            self._fail(error)
            return
        try:
            self._patience.heard(said, _answer(self._experiment, duel, said, begun, self._shown))
        except InvalidArgument as error:
            self._fail(error)
        if self._progress is not None:
            self._progress(self._experiment)

    def _fail(self, error: BaseException) -> None:
        if self.failure is None:
            self.failure = error

    def _give_up(self) -> None:
        for asked, (duel, _) in self._out.items():
            asked.cancel()
            if duel.duel_id in self._experiment.pending:
                self._experiment.expire(duel, "the run ended before the answer")
        self._out.clear()

    def with_threads(self, judge: Any, parallel: int) -> None:
        with concurrent.futures.ThreadPoolExecutor(parallel) as pool:
            try:
                while self._ask(parallel, lambda first, second: pool.submit(judge, first, second)):
                    try:
                        finished, _ = concurrent.futures.wait(
                            self._out, return_when=concurrent.futures.FIRST_COMPLETED)
                    except KeyboardInterrupt as interrupt:
                        if isinstance(self.failure, KeyboardInterrupt):
                            raise
                        self._fail(interrupt)
                        continue
                    for asked in finished:
                        self._take(asked)
            finally:
                self._give_up()

    async def with_tasks(self, judge: Any, parallel: int) -> None:
        try:
            while self._ask(parallel, lambda first, second: asyncio.ensure_future(
                    judge(first, second))):
                try:
                    finished, _ = await asyncio.wait(
                        self._out, return_when=asyncio.FIRST_COMPLETED)
                except asyncio.CancelledError:  # the first Ctrl-C, as asyncio passes it on
                    if self.failure is not None:
                        raise
                    self._fail(KeyboardInterrupt())
                    continue
                for asked in finished:
                    self._take(asked)
        finally:
            self._give_up()


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
