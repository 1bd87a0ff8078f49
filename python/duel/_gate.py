"""Gates: is a candidate no worse than the baseline? For tests and pull requests."""

from __future__ import annotations

import os
import warnings
from typing import Any, Mapping, NamedTuple

from . import _native
from ._arms import Arms
from ._experiment import AnyJudge, _path, _Run
from ._judging import CountsInterrupts
from .errors import FreshAnswersWarning, InvalidArgument


class GateCandidate(NamedTuple):
    """What a gate says of one candidate.

    ``verdict`` is "better", "not worse", "worse" or "undecided"; ``ended`` says why nothing more
    was asked: "decided", "max_duels", "tasks_used_up" or "budget". ``interval`` is of
    ``mean_score``, at the level of the candidate's statements. ``reversed_by`` says how many
    answers would have to be the reverse of what they are for the score to be on the other side;
    ``health`` has the health checks that failed.
    """

    candidate: str
    baseline: str
    verdict: str
    ended: str
    answers: int
    wins: int
    ties: int
    losses: int
    graded: int
    mean_score: float | None
    interval: tuple[float, float]
    reversed_by: int | None
    health: list[str]
    log: str
    detail: str

    @property
    def passed(self) -> bool:
        """Whether what was claimed was shown."""
        return self.verdict in ("better", "not worse")


def _candidate(found: dict[str, Any]) -> GateCandidate:
    fields = dict(found)
    fields["interval"] = tuple(fields["interval"])
    return GateCandidate(**fields)


class GateResult:
    """What ``duel.gate`` found: it prints as the report of ``duel gate``.

    ``verdict`` is the worst of the candidates' verdicts, and ``passed`` says whether all of them
    passed.
    """

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report
        found: list[dict[str, Any]] = report["json"]["candidates"]
        self.candidates = [_candidate(one) for one in found]

    @property
    def verdict(self) -> str:
        """The worst of "better", "not worse", "undecided" and "worse" over the candidates."""
        return str(self._report["json"]["verdict"])

    @property
    def passed(self) -> bool:
        """Whether every candidate passed."""
        return bool(self._report["json"]["passed"])

    @property
    def headline(self) -> str:
        """How many candidates passed."""
        return str(self._report["json"]["headline"])

    def markdown(self) -> str:
        """A table for a pull request."""
        return str(self._report["markdown"])

    def junit(self) -> str:
        """JUnit XML, one test case for each candidate: worse is a failure, undecided an error."""
        return str(self._report["junit"])

    def to_dict(self) -> dict[str, Any]:
        """What ``duel gate --json`` prints."""
        return dict(self._report["json"])

    def __str__(self) -> str:
        return str(self._report["text"])

    def __repr__(self) -> str:
        return f"<GateResult: {self.headline}>"

    def _repr_markdown_(self) -> str:
        return self.markdown()


def _named(given: Any, field: str) -> dict[str, Any]:
    """Names, and what they stand for where that is said."""
    if isinstance(given, (str, os.PathLike)):
        return {str(os.fspath(given)): None}
    if isinstance(given, Mapping):
        return {str(name): content for name, content in given.items()}
    if isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given):
        if len(set(given)) < len(given):
            raise InvalidArgument("a name is given twice", field=field)
        return dict.fromkeys(given)
    raise TypeError(f"{field}: a name, or a dict of a name and its content, is needed, not "
                    + type(given).__name__)


def gate(baseline: Any, candidates: Any, judge: AnyJudge, *, tasks: Any = None,
         margin: float = 0.05, claim: str = "not-worse", fail: str = "worse",
         alpha: float = 0.05, about: str = "tasks-like-these", order: str = "random",
         max_duels: int = 2000, parallel: int = 1, retries: int = 3, retry_delay: float = 0.5,
         max_failures: int = 5, max_cost: float | None = None, seed: int = 0,
         logs: str | os.PathLike[str] | None = None, progress: Any = None) -> GateResult:
    """Says whether each candidate is no worse than the baseline, by asking ``judge``.

    ``baseline`` is a name, or a dict of the name and what it stands for; ``candidates`` are a name,
    a list of names or a dict. ``judge`` is asked as by ``duel.run``: ``judge(first, second)``, with
    the task where there are ``tasks``, in threads or awaited, ``parallel`` at a time.

    A win scores 1, a tie 1/2. A candidate passes where its mean score is shown to be above 1/2 less
    the ``margin``, or above 1/2 with ``claim="better"``; it fails where it is shown to be below
    1/2, or below 1/2 less the margin with ``fail="beyond-margin"``. Each such statement is wrong
    with probability at most ``alpha``, shared evenly among the candidates, however often you look.
    Choose the margin before you look at answers.

    With ``logs``, a folder, every answer is kept in ``gate-CANDIDATE.duel.jsonl`` before it counts,
    and the same call goes on. ``max_duels`` is a limit for each candidate, and ``max_cost`` one for
    all of them, over all runs of the logs.
    """
    old = _named(baseline, "baseline")
    new = _named(candidates, "candidates")
    if len(old) != 1:
        raise InvalidArgument(f"there are {len(old)} baselines", field="baseline")
    if not new:
        raise InvalidArgument("none is given", field="candidates")
    base = next(iter(old))
    if base in new:
        raise InvalidArgument(f"'{base}' is the baseline", field="candidates")
    everything = Arms({**old, **new})
    share = {"alpha": alpha, "margin": margin, "claim": claim, "fail": fail}
    _native.check_gate(share)
    rule = dict(share, alpha=alpha / len(new))
    folder = None if logs is None else _path(logs, "logs")
    if folder is not None:
        os.makedirs(folder or ".", exist_ok=True)
    if tasks is None:
        warnings.warn(
            "duel.gate has no tasks: it takes each answer for a fresh draw that has nothing to do "
            "with the others; a judge that answers about questions, or always says the same, gets "
            "false statements (give tasks=)", FreshAnswersWarning, stacklevel=2)
    found = []
    spent = 0.0
    dearest: float | None = None
    for name, content in new.items():
        called = f"gate-{everything.id_of[name]}"[:100]
        started = _Run(
            {base: old[base], name: content}, judge, parallel=parallel, batch=1,
            max_duels=max_duels, retries=retries, retry_delay=retry_delay,
            max_failures=max_failures,
            max_cost=None if max_cost is None else max(0.0, max_cost - spent), subject=None,
            progress=progress, loop=None,
            options={"policy": "uniform", "alpha": rule["alpha"], "tasks": tasks, "about": about,
                     "order": order, "seed": seed, "name": called,
                     "pairs_independent": None if tasks is not None else True,
                     "log": None if folder is None
                     else os.path.join(folder, called + ".duel.jsonl"),
                     "_gate": rule})
        try:
            ended = "max_cost"
            started.judges._dearest = dearest
            if max_cost is None or spent < max_cost:
                with CountsInterrupts(started.judges.interrupt):
                    started.drive()
                ended = started._ended or ""
            # Of earlier runs of the log, too.
            spent += started.judges._spent + started.judges.cost
            dearest = started.judges._dearest
            found.append(started.experiment._native.gate_result(name, base, ended))
        finally:
            started.close()
    return GateResult(_native.gate_report(share, found))
