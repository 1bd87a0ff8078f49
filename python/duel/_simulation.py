"""Simulations: policies against a known truth, many trials, on this machine or on others."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterable, Sequence

from . import _native
from ._matrix import PreferenceMatrix, as_matrix
from ._policies import PolicyFacts, factories_of, spec_of
from ._progress import progress_of
from .errors import InvalidArgument, Interrupted


class SimulationResult:
    """What the trials showed, at every checkpoint.

    ``policies`` are the canonical policy strings and ``rounds`` the checkpoints. ``regret`` has the
    shape (policies, trials, checkpoints), of the first notion asked for; ``regrets`` maps every
    notion to such an array. ``correct`` says whether the recommended arm was right, and
    ``informative`` counts the duels between different arms.
    """

    def __init__(self, summary: dict[str, Any], notions: Sequence[str],
                 records: list[dict[str, Any]], rounds: Any) -> None:
        import numpy

        self._summary = summary
        self.policies: list[str] = [record["policy"] for record in records]
        self.rounds = rounds
        self.regrets = {
            notion: numpy.stack([record["regret"][r] for record in records])
            for r, notion in enumerate(notions)
        }
        self.correct = numpy.stack([record["correct"] for record in records])
        self.informative = numpy.stack([record["informative"] for record in records])
        self.seconds: dict[str, float] = {r["policy"]: r["seconds"] for r in records}
        self.cpu_seconds: dict[str, float] = {r["policy"]: r["cpu_seconds"] for r in records}

    @property
    def notions(self) -> list[str]:
        return list(self.regrets)

    @property
    def regret(self) -> Any:
        return next(iter(self.regrets.values()))

    @property
    def seed(self) -> int:
        """What the draws were made from."""
        return int(self._summary["seed"])

    @property
    def trials(self) -> int:
        return int(self.correct.shape[1])

    @property
    def mean(self) -> Any:
        """Mean regret, of shape (policies, checkpoints)."""
        return self._field("mean")

    @property
    def se(self) -> Any:
        """Standard errors of the mean; NaN for a single trial."""
        return self._field("se")

    @property
    def accuracy(self) -> Any:
        return self.correct.mean(axis=1)

    def _field(self, name: str) -> Any:
        import numpy

        notion = self.notions[0]
        # None, which is no number to JSON, becomes NaN.
        return numpy.array([[row["regret"][notion][name] for row in policy["checkpoints"]]
                            for policy in self._summary["policies"]], dtype=float)

    def to_dict(self) -> dict[str, Any]:
        """What ``duel simulate --json`` prints."""
        return self._summary

    def to_pandas(self) -> Any:
        """A row per policy, notion and checkpoint."""
        import pandas

        return pandas.DataFrame([
            {"matrix": self._summary["matrix"], "policy": policy["policy"], "regret": notion,
             "round": row["round"], **row["regret"][notion], "trials": self.trials}
            for policy in self._summary["policies"] for row in policy["checkpoints"]
            for notion in self.notions])

    def plot(self, ax: Any = None, notion: str | None = None, scale: str = "log") -> Any:
        """Mean regret over the rounds with a band of two standard errors; the lower bound too."""
        from ._plot import plot_simulation

        return plot_simulation(self, ax, notion, scale)

    def __repr__(self) -> str:
        width = max(len(policy) for policy in self.policies)
        lines = [
            f"{self._summary['matrix']}: {self.notions[0]} regret after {self.rounds[-1]} rounds, "
            f"{self.trials} trials"
        ]
        for policy, mean, se in zip(self.policies, self.mean[:, -1], self.se[:, -1]):
            lines.append(f"  {policy:<{width}}  {mean:.6g} ± {se:.3g}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ._html import table

        rows = sorted(zip(self.policies, self.mean[:, -1].tolist(), self.se[:, -1].tolist(),
                          self.accuracy[:, -1].tolist()), key=lambda row: float(row[1]))
        caption = f"{self._summary['matrix']}: after {self.rounds[-1]} rounds, {self.trials} trials"
        return table(["policy", f"{self.notions[0]} regret", "±", "accuracy"], rows, caption)


def _problem(matrix: Any, arms: Any, truth: Any, threads: int) -> tuple[Any, Any, bool, Any]:
    """(problem, environment, whether the matrix is the truth, what can be sent to others)."""
    if callable(matrix) and not isinstance(matrix, (PreferenceMatrix, str)):
        if truth is not None:
            known = as_matrix(truth)
            return _native.Problem(known._matrix), matrix, True, ("matrix", known)
        if arms is None:
            raise InvalidArgument("an environment does not say how many arms there are",
                                  hint="give arms=K, or truth=P", field="arms")
        import numpy

        names = [str(arm) for arm in arms] if not isinstance(arms, int) else None
        number = arms if names is None else len(names)
        if not 1 <= number <= 5000:
            raise InvalidArgument(f"{number} is out of range", hint="1 to 5000", field="arms")
        even = PreferenceMatrix(numpy.full((number, number), 0.5), names, "environment")
        return _native.Problem(even._matrix), matrix, False, ("matrix", even)
    if truth is not None:
        raise InvalidArgument("the truth goes with an environment", field="truth")
    if isinstance(matrix, str):
        problem = _native.Problem.resolve(matrix, threads)
        return problem, None, True, ("text", matrix)
    known = PreferenceMatrix(matrix, arms if arms is None else list(arms)) \
        if not isinstance(matrix, PreferenceMatrix) else matrix
    return _native.Problem(known._matrix), None, True, ("matrix", known)


def _registered(policies: Any) -> tuple[list[str], list[tuple[str, Any]]]:
    """The strings of policies, and those among them that are written in Python."""
    is_one = isinstance(policies, (str, tuple)) and not _is_many(policies)
    is_one = is_one or isinstance(policies, PolicyFacts) or hasattr(policies, "select")
    if is_one or callable(policies):
        policies = [policies]
    try:
        policies = list(policies)
    except TypeError:
        raise TypeError("policies: a policy or a list of them is needed, not "
                        + type(policies).__name__) from None
    texts: list[str] = []
    for policy in policies:
        if isinstance(policy, str):
            # A comma outside parentheses separates policies, as on the command line.
            texts.extend(_split(policy))
            continue
        text = spec_of(policy)
        texts.append(text)
    return texts, factories_of(texts)


def _is_many(policies: Any) -> bool:
    """Whether a tuple is several policies, and not a name with what makes the policy."""
    return isinstance(policies, tuple) and not (
        len(policies) == 2 and isinstance(policies[0], str) and callable(policies[1]))


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[start:k].strip())
            start = k + 1
    parts.append(text[start:].strip())
    return parts


def _play_shard(job: tuple[Any, ...]) -> list[dict[str, Any]]:
    """The work of one shard, wherever it runs."""
    from ._policies import register_policy

    (kind, content), request, environment, truth, own = job
    for name, factory in own:
        register_policy(name, factory)
    if kind == "text":
        problem = _native.Problem.resolve(content, request["threads"])
    else:
        problem = _native.Problem(content._matrix)
    return _native.simulate(problem, request, environment, truth, None)


def _workers_of(executor: Any) -> int:
    """How many workers an executor has, as far as it says; a guess otherwise."""
    for name in ("_max_workers", "num_workers"):
        workers = getattr(executor, name, None)
        if isinstance(workers, int) and workers > 0:
            return workers
    return 4


def _nothing() -> None:
    pass


def _give_up(executor: Any, futures: Iterable[Any]) -> None:
    import concurrent.futures

    for future in futures:
        future.cancel()
    # Up to Python 3.11, a pool of processes whose last work was cancelled waits for it for ever
    # when it is shut down. Work that is done gets it going.
    if isinstance(executor, concurrent.futures.ProcessPoolExecutor) and sys.version_info < (3, 12):
        with contextlib.suppress(RuntimeError):  # the pool is broken or shut down already
            executor.submit(_nothing)


def _play_on(executor: Any, shards: int, sent: Any, request: dict[str, Any], environment: Any,
             truth: bool, own: list[tuple[str, Any]],
             progress: Callable[[int, int], None] | None) -> list[dict[str, Any]]:
    import concurrent.futures

    import numpy

    trials = request["trials"]
    futures = []
    for shard in range(1, shards + 1):
        part = dict(request, shard=shard, shards=shards, threads=request["threads"] or 1)
        futures.append(executor.submit(_play_shard, (sent, part, environment, truth, own)))
    total = trials * len(request["policies"])
    try:
        done = 0
        parts = []
        for future in futures:
            parts.append(future.result())
            done += sum(len(record["correct"]) for record in parts[-1])
            if progress is not None:
                progress(done, total)
    except concurrent.futures.CancelledError:
        raise Interrupted("the executor cancelled the work") from None
    except BaseException:
        _give_up(executor, futures)
        raise
    joined = []
    for p, records in enumerate(zip(*parts)):
        one = records[0]
        regret = numpy.empty((len(one["regret"]), trials, one["regret"].shape[2]))
        correct = numpy.empty((trials, one["correct"].shape[1]), dtype=bool)
        informative = numpy.empty_like(correct, dtype="uint64")
        for shard, record in enumerate(records):
            # Trials are dealt like cards, through all policies: every `shards`-th from here.
            own_trials = slice((shard - p * trials) % shards, None, shards)
            regret[:, own_trials] = record["regret"]
            correct[own_trials] = record["correct"]
            informative[own_trials] = record["informative"]
        joined.append({"policy": one["policy"], "regret": regret, "correct": correct,
                       "informative": informative,
                       "seconds": max(record["seconds"] for record in records),
                       "cpu_seconds": sum(record["cpu_seconds"] for record in records)})
    return joined


def simulate(matrix: Any, policies: Any, rounds: int | float = 100_000, trials: int = 100,
             seed: int | None = 0, *, checkpoints: Iterable[int] = (),
             regret: str | Sequence[str] = "average", horizon_per_checkpoint: bool = False,
             batch: int = 1, delay: int = 0, threads: int = 0, progress: Any = None,
             arms: Any = None, truth: Any = None, executor: Any = None,
             shards: int | None = None) -> SimulationResult:
    """Plays policies against a known truth and gives their regret as arrays.

    ``matrix`` is a square array, a PreferenceMatrix, a DataFrame, a text as on the command line
    (``"arxiv"``, a file, ``"changing(..)"``, ``"clicks(..)"``), or an environment written in
    Python: a callable ``answer(first, second, u)`` that says how a duel ends, where ``u`` is
    uniform on [0, 1) and the same for all policies at the same meeting of the pair. An environment
    needs ``arms=K``, or ``truth=P``, against which regret is then counted; without a truth regret
    is NaN.

    ``policies`` is one or several of: strings such as ``"rucb(alpha=0.6)"``, what
    ``duel.policies.rucb(alpha=0.6)`` or ``duel.policies("condorcet")`` gives, policies as objects,
    and classes written in Python (see ``duel.register_policy``). All meet the same outcomes in the
    same trial.

    ``batch`` duels are asked before any of their answers is heard, and answers come ``delay``
    rounds later than that.

    The same ``seed`` gives the same numbers; None takes another one each time, which is then in
    ``out.seed``. They are the numbers of ``duel simulate``, on any number of ``threads`` and on
    any ``executor``: an object with ``submit`` as in ``concurrent.futures`` (processes, MPI, Dask,
    Ray), to which the trials go in ``shards`` parts, dealt as ``duel simulate --shard`` deals them.
    """
    texts, own = _registered(policies)
    problem, environment, is_truth, sent = _problem(matrix, arms, truth, threads)
    if seed is None:
        import secrets

        seed = secrets.randbelow(2**53)
    notions = [regret] if isinstance(regret, str) else list(regret)
    request: dict[str, Any] = {
        "policies": texts, "rounds": rounds, "checkpoints": list(checkpoints), "trials": trials,
        "seed": seed, "regret": notions, "threads": threads,
        "horizon_per_checkpoint": bool(horizon_per_checkpoint), "batch": batch, "delay": delay,
        "shard": 1, "shards": 1,
    }
    shown = progress_of(progress)
    if executor is None:
        records = _native.simulate(problem, request, environment, is_truth, shown)
    else:
        if not hasattr(executor, "submit"):
            raise InvalidArgument("an executor has a method submit, as those of concurrent.futures",
                                  field="executor")
        request["trials"] = trials = int(trials)
        if trials < 1:
            raise InvalidArgument("at least one trial is needed", field="trials")
        if shards is not None and int(shards) < 1:
            raise InvalidArgument("at least one shard is needed", field="shards")
        count = int(shards) if shards is not None else 4 * _workers_of(executor)
        count = min(count, trials * len(texts))
        records = _play_on(executor, count, sent, request, environment, is_truth, own, shown)
    import numpy

    rounds_seen = numpy.array(_native.checkpoints(rounds, request["checkpoints"]), dtype="uint64")
    summary = _native.summarize(problem, request, is_truth, records)
    return SimulationResult(summary, notions, records, rounds_seen)
