"""Live experiments: ask, report, stop with a certificate."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import numbers
import os
import secrets
import sys
import threading
import time
import warnings
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Protocol, Sequence, Union, cast

from . import _native
from ._answers import WHAT_AN_ANSWER_IS, outcome_of
from ._arms import Arms, Tasks, is_frame
from ._features import rows_of
from ._judging import Calls, CountsInterrupts, Judges, subjects_of
from ._policies import spec_of
from ._progress import LiveBoard, Told, in_notebook, progress_of
from ._result import ExperimentResult, result_of_file
from .errors import (Conflict, Error, FreshAnswersWarning, InvalidArgument, JudgeFailed,
                     RunInterrupted, Unsupported, in_field)

_MOST_DUELS = 10**12
_MOST_MEMBERS = 100_000  # of a panel, as the library has it


class ServedDuel(NamedTuple):
    """A duel to be judged: arms ``first`` and ``second`` as they are to be shown, about ``task``.

    ``first`` and ``second`` are names; what they stand for is what was given for ``arms``.
    """

    duel_id: str
    first: str
    second: str
    serving: str
    task: Any = None
    subject: str | None = None


def _whole(value: Any, field: str, least: int, most: int) -> int:
    """A count that a user gave: any integer, or a float that is whole."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{field}: a whole number is needed, not {type(value).__name__}")
    if not math.isfinite(value) or int(value) != value:
        raise InvalidArgument(f"{value} is not a whole number", field=field)
    if not least <= int(value) <= most:
        raise InvalidArgument(f"{value} is out of range", hint=f"{least} to {most}", field=field)
    return int(value)


def _number(value: Any, field: str, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{field}: a number is needed, not {type(value).__name__}")
    if not least <= float(value) <= most:
        raise InvalidArgument(f"{value} is out of range", hint=f"{least:g} to {most:g}",
                              field=field)
    return float(value)


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{field}: a text is needed, not {type(value).__name__}")
    return str(value)


def _path(value: Any, field: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{field}: the name of a file is needed, not {type(value).__name__}")
    path = os.fspath(value)
    if not isinstance(path, str) or "\0" in path:
        raise InvalidArgument("this is no name of a file", field=field)
    try:
        path.encode()
    except UnicodeEncodeError:
        raise InvalidArgument("this is no name of a file", field=field) from None
    return path


def _is_panel(about: str) -> bool:
    return about.replace("_", "-") == "these-people"


def _panel(panel: Any) -> int | list[str] | None:
    """How many people a panel has, or who they are; None: those who come."""
    if panel is None:
        return None
    if isinstance(panel, numbers.Real):
        return _whole(panel, "panel", 1, _MOST_MEMBERS)
    if isinstance(panel, (str, bytes)) or not isinstance(panel, Iterable):
        raise TypeError("panel: a number of people or a list of their names is needed, not "
                        + type(panel).__name__)
    return _members(panel, "panel")


def _members(names: Any, field: str) -> list[str]:
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise TypeError(f"{field}: a list of names is needed, not {type(names).__name__}")
    members = list(names)
    for name in members:
        if not isinstance(name, str):
            raise TypeError(f"{field}: a person is named by a text, not {type(name).__name__}")
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InvalidArgument("a name cannot be written as UTF-8", field=field) from None
    return members


def _shares_causes(pairs_independent: Any, tasks: Tasks | None, about: str, subject: Any) -> bool:
    """Whether one cause, a task or a person, can reach several pairs: the threshold is higher."""
    if _is_panel(about):
        # Counting has no threshold; that of early verdicts allows for all pairs as it is.
        if pairs_independent is not None:
            raise InvalidArgument("the answers of a panel are counted", hint="leave it out",
                                  field="pairs_independent")
        return False
    like_these = tasks is not None and about.replace("_", "-") == "tasks-like-these"
    shares = like_these or subject is not None
    if pairs_independent is None:
        return shares
    if not isinstance(pairs_independent, bool):
        raise TypeError("pairs_independent: True, False or None is needed, not "
                        + type(pairs_independent).__name__)
    if pairs_independent and shares:
        raise InvalidArgument("one task or one person reaches several pairs",
                              hint="leave it out", field="pairs_independent")
    return not pairs_independent


_NO_TASKS = ("without tasks a certificate takes each answer for a fresh draw that has nothing to do "
             "with the others; a judge that answers about questions, or always says the same about "
             "a pair, gets false certificates (give tasks=, or declare pairs_independent=True)")


def _callers_level() -> int:
    """The `stacklevel` of the first caller outside of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    return level


class Experiment:
    """An experiment that is asked for duels and told their outcomes.

    ``arms`` are names, a dict of names and what they stand for, or a table with a column ``name``;
    a name may be any text. ``tasks`` are what the duels are about: a list, a table, or a file of
    JSON Lines. ``about`` says what the certificate is about, ``"tasks-like-these"`` (each task is
    evidence about a pair once) or ``"these-tasks"``, ``"people-like-these"`` or ``"these-people"``,
    a panel; ``order`` which arm is shown first:
    ``"random"``, ``"both"`` (two answers, a flip is a tie) or ``"fixed"``. ``subject`` names the
    person who is asked, or is True where ``next`` names one: of one person's answers to a pair only
    the first is evidence. ``pairs_independent`` declares that no answers to different pairs have a
    common cause; where tasks or people are named they have one.

    With ``about="these-people"`` each person answers about a pair once, what they say is counted,
    and the verdict is certain. ``panel`` is how many they are or a list of their names; without it
    the panel is who has answered at ``close_panel()``. ``subject`` is required, and ``next`` gives
    None to a person of whom nothing more can matter. ``early``, for lists of 25 names or more,
    allows a verdict at ``alpha`` before counting is certain; ``absent`` names who will not come.

    With ``log`` every record is on disk before it counts; the same call goes on with a log that is
    there, also with more tasks or a larger ``max_duels``, and ``duel verify`` checks it. The
    experiment is ``done`` once it is certified or ``max_duels`` are served. ``close`` lets go of
    the log, and ``with`` does so at its end. ``duel.run`` asks in parallel.

    ``features`` are numbers of every arm by its name, which policies such as ``lin-ts`` use.
    """

    def __init__(self, arms: Any, policy: Any = "auto", alpha: float = 0.05, *,
                 log: str | os.PathLike[str] | None = None, name: str = "duel",
                 tasks: Any = None, about: str = "tasks-like-these", subject: Any = None,
                 goal: str = "condorcet", top: int = 0, epsilon: float = 0.0,
                 assume: str = "none", order: str = "random", max_duels: int | None = None,
                 min_decisive_per_pair: int = 0, pairs_independent: bool | None = None,
                 aa_rate: float = 0.0, seed: int | None = 0, audits: float | None = None,
                 audit_give_up: int = 0, audit_from_seed: bool = False,
                 features: Mapping[str, Sequence[float]] | None = None,
                 panel: Any = None, early: bool = False,
                 _gate: dict[str, Any] | None = None) -> None:
        self._closed = True  # until it is open
        self._arms = Arms(arms)
        known = None if tasks is None else Tasks(tasks)
        about = _text(about, "about")
        if subject is not None and subject is not True and not (isinstance(subject, str)
                                                                and subject):
            raise TypeError("subject: a text, or True where next() names one, is needed, not "
                            + type(subject).__name__)
        if _is_panel(about) and subject is None:
            raise InvalidArgument("it is missing, and each member of a panel counts once",
                                  hint="who is asked, or True where next() names one",
                                  field="subject")
        self._subject = subject
        request = {
            "arms": self._arms.request(), "policy": spec_of(policy, "policy"), "alpha": alpha, "name": name,
            "tasks": None if known is None else known.text, "about": about,
            "goal": goal, "top": top, "epsilon": epsilon, "assume": assume, "order": order,
            "max_duels": max_duels, "min_decisive_per_pair": min_decisive_per_pair,
            "shared_causes": _shares_causes(pairs_independent, known, about, subject),
            "aa_rate": aa_rate, "panel": _panel(panel), "early": early,
        }
        if features is not None:
            request["features"] = self._by_id(features, "features")
        if _gate is not None:  # of duel.gate
            request["gate"] = _gate
        if audits is not None:
            request["audits"] = _number(audits, "audits", 0, 1)
            request["audit_give_up"] = _whole(audit_give_up, "audit_give_up", 0, _MOST_DUELS)
            request["audit_from_seed"] = bool(audit_from_seed)
        self._order = order
        self._log = "" if log is None else _path(log, "log")
        if log is not None and not self._log:
            raise InvalidArgument("the name of the file is empty", field="log")
        request["seed"] = _seed(seed, self._log)
        if known is None and subject is None and pairs_independent is None:
            # Before the log is open: a warning may be an error.
            warnings.warn(_NO_TASKS, FreshAnswersWarning, stacklevel=_callers_level())
        try:
            self._native = _native.Experiment(request, self._log)
        except Conflict as error:
            raise self._as_given(error, pairs_independent) from None
        self._tasks = {} if known is None else {
            called: task.shown for called, task in zip(self._native.tasks, known)}
        self._closed = False

    def _as_given(self, error: Conflict, pairs_independent: Any) -> Error:
        """What a log says otherwise, by the argument that says it here."""
        if error.field == "audit":
            return in_field(error, "audits")
        if error.field != "pairs_independent" or pairs_independent is not None:
            return error
        # Naming people is what makes duels share causes, unless that was declared.
        if self._subject is not None:
            return in_field(error, "subject", "this log belongs to another experiment: nobody was "
                            "named who was asked")
        if _native.log_names_people(self._log) is False:
            return error
        return in_field(error, "subject", "this log belongs to another experiment: people were "
                        "named who were asked")

    @property
    def arms(self) -> list[str]:
        """The names of the arms."""
        return [self._arms.name_of[arm] for arm in self._native.arms]

    @property
    def policy(self) -> str:
        """The policy that chooses the pairs, with all its options."""
        return self._native.policy

    @property
    def done(self) -> bool:
        """Certified, completed, or all duels that ``max_duels`` allows are final."""
        return self._native.done

    @property
    def certified(self) -> bool:
        """Whether there is a certificate."""
        return self._native.certified

    @property
    def resumed(self) -> bool:
        """Whether the log was there already."""
        return self._native.resumed

    @property
    def served(self) -> int:
        """How many duels were served."""
        return self._native.served

    @property
    def pending(self) -> list[str]:
        """Ids of the duels without an answer."""
        return self._native.pending

    @property
    def verdict(self) -> str:
        """What can be said now, in a sentence."""
        return self._native.verdict

    def _by_id(self, given: Any, field: str) -> dict[str, list[float]]:
        """Features as the log knows their arms; of a name that no arm has it will say so."""
        return {self._arms.id_of.get(name, name): row
                for name, row in rows_of(given, field).items()}

    def next(self, duel_id: str = "", *, subject: str | None = None,
             context: Mapping[str, Sequence[float]] | None = None) -> ServedDuel | None:
        """The next duel, which counts as served; None where nothing is left to ask.

        ``subject`` names the person who will be asked; of a panel, None says that nothing is left
        to ask of them. ``context`` has features of every arm for
        this duel, in place of its own.
        """
        who = self._subject if subject is None else subject
        if who is not None and who is not True and not (isinstance(who, str) and who):
            raise TypeError(f"subject: a text is needed, not {type(who).__name__}")
        if subject is not None and self._subject is None:
            raise InvalidArgument("the experiment was made for answers of nobody in particular",
                                  hint="make it with subject=True", field="subject")
        if who is True:
            raise InvalidArgument("who will be asked?", hint="next(subject='ann')",
                                  field="subject")
        duel = self._native.next(_text(duel_id, "duel_id"), who or "", "",
                                 {} if context is None else self._by_id(context, "context"))
        if duel is None:
            return None
        name_of = self._arms.name_of
        return ServedDuel(duel["duel_id"], name_of[duel["first"]], name_of[duel["second"]],
                          duel["serving"], self._tasks.get(duel["task"]), who)

    def _word(self, said: Any, first: str, second: str) -> str | float:
        name_of = self._arms.name_of
        outcome = outcome_of(said, self._arms, name_of[first], name_of[second], "winner")
        if outcome is None:
            raise InvalidArgument(f"{said!r:.80} is no answer", hint=WHAT_AN_ANSWER_IS,
                                  field="winner")
        return outcome

    def report(self, duel: ServedDuel | str, winner: Any = None, *, tie: bool = False,
               both_bad: bool = False, skip: bool = False, invalid: bool = False,
               turned: Any = None, source: str = "", source_type: str = "",
               response_ms: int | None = None) -> str:
        """The answer: a winner, or one of tie, both_bad, skip and invalid.

        ``winner`` is what a judge may give back: an arm, ``duel.FIRST``, ``duel.TIE`` and so on.
        With ``order="both"`` there is a second answer, ``turned``, to the question with the arms in
        the other order, by whose places it is meant. Gives ``applied``, ``duplicate``, ``conflict``
        (the first answer counts) or ``late``.
        """
        said = [word for word, given in (("tie", tie), ("both_bad", both_bad), ("skip", skip),
                                         ("invalid", invalid), ("win", winner is not None))
                if given]
        if len(said) != 1:
            raise InvalidArgument("exactly one of winner, tie, both_bad, skip and invalid is needed",
                                  field="winner")
        duel_id = _duel_id(duel)
        answer: Any = None
        again: Any = None
        if said[0] != "invalid":
            first, second = self._native.shown(duel_id)
            answer = self._word(winner, first, second) if said[0] == "win" else said[0]
            if turned is not None:
                again = self._word(turned, second, first)
        return self._native.report(duel_id, answer, again, said[0] == "invalid",
                                   _text(source_type, "source_type")
                                   or ("program" if source else ""),
                                   _text(source, "source"), response_ms)

    def expire(self, duel: ServedDuel | str, note: str = "") -> str:
        """No answer will come. It is final, and no loss for either arm."""
        return self._native.expire(_duel_id(duel), _text(note, "note"))

    def close_panel(self) -> None:
        """The panel is those who have answered by now, for good."""
        self._native.close_panel()

    def absent(self, names: Iterable[str]) -> None:
        """These members of an early panel will not come, for good: later answers are late."""
        self._native.absent(_members(names, "names"))

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
        """Where it stands."""
        return ExperimentResult(self._native.result(), self._native.fresh_answers())

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


def _duel_id(duel: Any) -> str:
    if isinstance(duel, str):
        return str(duel)
    duel_id = getattr(duel, "duel_id", None)
    if not isinstance(duel_id, str):
        raise TypeError("duel: what next() gave, or its id, is needed, not "
                        + type(duel).__name__)
    return duel_id


def _seed(seed: Any, log: str = "") -> Any:
    """None: that of the log, or another one each time."""
    if seed is not None:
        return seed
    known = _native.seed_of_log(log) if log and os.path.exists(log) else None
    return secrets.randbelow(2**53) if known is None else known


class Judge(Protocol):
    """What ``duel.run`` asks: ``judge(first, second)``, with the task where there are tasks.

    The arms are what was given for them, or their names. It gives back an answer, or an awaitable
    of one, with its cost if it likes: ``(answer, cost)``, or a dict with ``answer`` and any of
    ``cost``, ``reason`` and ``tokens``.
    """

    def __call__(self, first: Any, second: Any, /, *rest: Any) -> Any: ...


# Functions with other parameters are judges, too.
AnyJudge = Union[Judge, Callable[..., Any]]


class _Run:
    """A run: its arguments, checked before anything is asked, and how it is driven."""

    def __init__(self, arms: Any, judge: AnyJudge, *, parallel: int, batch: int,
                 max_duels: int | None, retries: int, retry_delay: float, max_failures: int,
                 max_cost: float | None,
                 subject: Any, progress: Any, loop: asyncio.AbstractEventLoop | None,
                 options: dict[str, Any], audit: Any = None) -> None:
        if not callable(judge):
            raise TypeError(f"judge: a function is needed, not {type(judge).__name__}")
        if audit is not None and not callable(audit):
            raise TypeError(f"audit: a function is needed, not {type(audit).__name__}")
        audits_given = options.get("audits") is not None
        if audit is not None:
            options.setdefault("audits", 0.1)
        elif options.get("audits") is not None:
            raise InvalidArgument("nobody audits", hint="give audit=, who is asked", field="audits")
        self._parallel = _whole(parallel, "parallel", 1, 10_000)
        self._batch = _whole(batch, "batch", 1, 100_000)
        self._max_duels = None if max_duels is None else _whole(max_duels, "max_duels", 0,
                                                                _MOST_DUELS)
        self._max_failures = _whole(max_failures, "max_failures", 1, _MOST_DUELS)
        tries = _whole(retries, "retries", 0, 1_000_000)
        delay = _number(retry_delay, "retry_delay", 0, 3600)
        budget = None if max_cost is None else _number(max_cost, "max_cost", 0, 1e18)
        subjects, names_subject = subjects_of(subject)
        named = None if subject is None else subject if isinstance(subject, str) else True
        known = set(Experiment.__init__.__kwdefaults__ or {}) | {"policy", "alpha"}
        for option in options:
            if option not in known:
                raise TypeError(f"run() got an unexpected keyword argument '{option}'")
        self._board = LiveBoard() if progress is None and in_notebook() else None
        self._told = self._told_by(progress)
        try:
            self.experiment = Experiment(arms, subject=named, **options)
        except Conflict as error:
            # A share that nobody gave is that of `audit`.
            given = error.field != "audits" or audits_given
            raise (error if given else in_field(error, "audit")) from None
        self.judges = Judges(
            Calls(judge, self._parallel, tries, delay, loop), self._parallel,
            self.experiment._arms, self.experiment._tasks, subjects, names_subject, budget,
            2 if options.get("order") == "both" else 1, self.experiment._native.spent)
        # A person is asked once, in the order in which it is shown, and may take their time.
        self._auditors = None if audit is None else Judges(
            Calls(audit, 1, tries, delay, loop), 1, self.experiment._arms, self.experiment._tasks,
            None, False, None, 1)
        self._begun = self._now = self._shown = 0.0

    def _told_by(self, progress: Any) -> Told | None:
        if progress is True and in_notebook():
            self._board = LiveBoard()
            return None
        return progress_of(progress, "duels")

    def _on_turn(self, last: bool = False) -> None:
        now = time.monotonic()
        if not last and now - self._shown < 0.1:
            return
        self._shown = now
        if self._board is not None:
            self._board.show(self._result, last)
        if self._told is not None:
            done = self.experiment.served - len(self.experiment.pending)
            # Without a limit the total is unknown; the last call reports that all is done.
            total = done if last else max(done + 1, self._max_duels or 0)
            if total:
                self._told(done, total)

    def _result(self) -> ExperimentResult:
        content = dict(self.experiment.result().to_dict())
        return ExperimentResult(cast("Any", content), self.experiment._native.fresh_answers(),
                                self._ended, self.judges.cost if self.judges.has_cost else None)

    _ended: str | None = None

    def drive(self) -> ExperimentResult:
        """Asks to the end. What is out is recorded however it ends."""
        try:
            return self._driven()
        except RunInterrupted:
            raise
        except BaseException as raised:
            self._ended = "failed"
            self._hand_over(raised)
            raise

    def _hand_over(self, raised: BaseException) -> None:
        """What was answered was paid for: whoever catches the error finds it in `result`.

        It must not hide the error: an experiment may be closed, and an exception without a place
        for attributes.
        """
        with contextlib.suppress(Exception):
            if getattr(raised, "result", None) is None:
                setattr(raised, "result", self._result())

    def _driven(self) -> ExperimentResult:
        judges = self.judges
        ending = self.experiment._native.run(judges, self._max_duels, self._max_failures,
                                             self._on_turn, self._auditors, self._batch)
        if ending == "exception" and judges.failure is not None:
            raise judges.failure
        if ending == "exception" and self._auditors and self._auditors.failure is not None:
            raise self._auditors.failure
        if ending == "failed":
            raise self._failed()
        self._ended = ending
        if ending == "asked_all":
            self._ended = "nobody_left"
        elif ending == "undecided":
            self._ended = "nobody_left" if judges.nobody_is_left else "max_duels"
        elif ending == "interrupted" and judges.interruptions == 0:
            self._ended = "max_cost"
        self._on_turn(last=True)
        found = self._result()
        if judges.interruptions > 0:
            raise RunInterrupted(found)
        return found

    def _failed(self) -> Exception:
        count = self._max_failures
        error = self.judges.last_error
        if error is None:
            return InvalidArgument(
                f"no answer to {count} duels in a row; {self.judges.last_nonsense}",
                hint=WHAT_AN_ANSWER_IS, field="judge")
        failed = JudgeFailed(f"no answer to {count} duels in a row; the last error was "
                             f"{type(error).__name__}: {error}", field="judge",
                             hint="what was answered is recorded; the same call goes on"
                             if self.experiment._log else
                             "`result` has what was answered; with log= the same call goes on")
        failed.__cause__ = error
        return failed

    def close(self) -> None:
        self.judges.close()
        if self._auditors is not None:
            self._auditors.close()
        self.experiment.close()


def run(arms: Any, judge: AnyJudge, *, tasks: Any = None, parallel: int = 1, batch: int = 1,
        max_duels: int | None = 10_000, retries: int = 3, retry_delay: float = 0.5,
        max_failures: int = 5, max_cost: float | None = None, subject: Any = None,
        progress: Any = None, audit: AnyJudge | None = None, **options: Any) -> ExperimentResult:
    """Finds the best arm by asking ``judge(first, second)`` until there is a certificate.

    With ``tasks`` the judge is called as ``judge(first, second, task)``. It gets what a dict or a
    table of ``arms`` holds for the names, or the names. It gives back an arm, ``duel.FIRST``,
    ``duel.SECOND``, ``duel.TIE``, ``duel.BOTH_BAD``, ``duel.SKIP``, a bool (True: the first), or a
    float from 0 to 1 (how much better the first is); or such an answer and what it cost,
    ``(answer, cost)``. Where that is an awaitable it is awaited, so a coroutine function is a judge.
    ``parallel`` bounds how many are asked at a time, in threads or as tasks of asyncio. With
    ``batch`` so many duels are chosen together, and the next ones when all of them are answered.

    A call that raises is tried ``retries`` times more, after a pause that doubles from
    ``retry_delay`` up to 30 seconds; then its duel has no answer, which counts against no arm.
    ``max_failures`` of those in a row end the run with ``duel.JudgeFailed``. ``max_cost`` ends it
    before the next duel could cost more than is left. ``subject`` names who is asked: a text, or an
    iterable or a function that gives the next person, whom the judge then gets as its last argument.
    Each is asked about one duel; of a panel (``about="these-people"``) as long as anything that they
    can say matters.

    With ``audit``, a function like the judge that asks a person, people audit it: of a drawn share
    ``audits`` of the duels (0.1) a person is asked, too, and the verdict is about people. The result
    has ``audit``, with what the judge alone would have said and how often it agrees.

    Ctrl-C waits for what is out, records it and raises ``duel.RunInterrupted``, a
    ``KeyboardInterrupt`` with the ``result`` so far; a second one gives up what is out. With
    ``log`` the same call goes on, also with a larger ``max_duels``, which counts duels in all.
    ``progress`` is True, a class such as tqdm or a function of (done, total); in a notebook a live
    board is shown unless it is False. Other options are those of Experiment.
    """
    started = _Run(arms, judge, parallel=parallel, batch=batch, max_duels=max_duels,
                   retries=retries, retry_delay=retry_delay, max_failures=max_failures,
                   max_cost=max_cost, subject=subject, progress=progress, loop=None,
                   options=dict(options, tasks=tasks), audit=audit)
    try:
        with CountsInterrupts(started.judges.interrupt):
            return started.drive()
    finally:
        started.close()


async def run_async(arms: Any, judge: AnyJudge, *, tasks: Any = None, parallel: int = 1,
                    batch: int = 1, max_duels: int | None = 10_000, retries: int = 3, retry_delay: float = 0.5,
                    max_failures: int = 5, max_cost: float | None = None, subject: Any = None,
                    progress: Any = None, audit: AnyJudge | None = None,
                    **options: Any) -> ExperimentResult:
    """``duel.run`` for a running loop of asyncio: the judge is awaited on that loop.

    Cancelling waits for what is out and records it; cancelling again gives it up.
    """
    loop = asyncio.get_running_loop()
    started = _Run(arms, judge, parallel=parallel, batch=batch, max_duels=max_duels,
                   retries=retries, retry_delay=retry_delay, max_failures=max_failures,
                   max_cost=max_cost, subject=subject, progress=progress, loop=loop,
                   options=dict(options, tasks=tasks), audit=audit)
    # An exception as a result: a future takes no StopIteration as an exception.
    ended: asyncio.Future[ExperimentResult | BaseException] = loop.create_future()

    def work() -> None:
        found: ExperimentResult | BaseException
        try:
            found = started.drive()
        except BaseException as raised:
            found = raised
        finally:
            started.close()
        loop.call_soon_threadsafe(ended.set_result, found)

    threading.Thread(target=work, name="duel run", daemon=True).start()
    cancelled: asyncio.CancelledError | None = None
    while True:
        try:
            found = await asyncio.shield(ended)
            break
        except asyncio.CancelledError as error:
            cancelled = error
            started.judges.interrupt()
    if cancelled is not None:
        setattr(cancelled, "result", found if isinstance(found, ExperimentResult)
                else getattr(found, "result", None))
        raise cancelled
    if isinstance(found, BaseException):
        raise found
    return found


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
        return result_of_file(_path(votes, "votes"), request)
    if is_frame(votes) and hasattr(votes, "to_json"):
        text = votes.to_json(orient="records", date_format="iso")
    else:
        text = _votes_text(votes)
    return ExperimentResult(_native.result_of_votes(text, _text(name, "name"), request))


def _votes_text(votes: Any) -> str:
    from ._arms import plain

    try:
        rows = list(votes)
    except TypeError:
        raise TypeError("votes: a file, a table or a list of dicts is needed, not "
                        + type(votes).__name__) from None
    for k, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"votes: item {k} is a {type(row).__name__}, not a dict")
    try:
        return json.dumps(plain(rows), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"votes: they cannot be written as JSON ({error})") from None


def verify(log: str | os.PathLike[str], certificate: str | os.PathLike[str] | None = None, *,
           replay: bool = False) -> dict[str, Any]:
    """Checks a log, and a certificate against it: what ``duel verify --json`` prints."""
    given = "" if certificate is None else _path(certificate, "certificate")
    return _native.verify(_path(log, "log"), given, bool(replay))


def bradley_terry(wins: Any, ties: Any = None, *, model: str = "halves",
                  prior: float | None = None, arms: Sequence[str] = ()) -> dict[str, Any]:
    """Strengths by maximum likelihood from counts: ``wins[i, j]`` is how often i beat j.

    ``ties[i, j]``, symmetric, is how often the two were level. ``model`` says how ties enter:
    ``"halves"`` (half a win each), ``"davidson"`` or ``"rao_kupper"``, which fit a ``tie_parameter``.
    ``prior`` is the shape, above 1, of a gamma prior on strengths, for tables in which an arm has won
    or lost everything. ``arms`` names the arms in messages.

    Gives a dict: ``strength`` (they add up to 1), ``log_strength``, ``elo`` (0 for the average arm),
    ``covariance`` of the log strengths, ``tie_parameter``, ``added_wins``, ``log_likelihood`` and
    ``p_value`` of the lack of fit, None where there are no degrees of freedom to tell it.
    """
    return _native.bradley_terry(wins, ties, model, prior, list(arms))
