"""Tuning by comparisons: a space of numbers in the place of arms."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
from typing import Any, Callable, Mapping, NamedTuple, Sequence, cast

from . import _native
from ._arms import Tasks
from ._experiment import _number, _path, _seed, _text, _whole
from ._judging import Calls, CountsInterrupts, Question
from ._policies import spec_of
from ._progress import Told, progress_of
from ._result import ExperimentResult
from .errors import Error, InvalidArgument, RunInterrupted, Unsupported, in_field

_MOST_DUELS = 10**12
_WINNERS = "'first', 'second', a point's id, or the point"
_OF_A_DIMENSION = ("low", "high", "default", "scale", "step")


class Pair(NamedTuple):
    """Two points to be compared: ``first`` and ``second`` as dicts of numbers, in the order to show,
    on ``task`` where there are tasks.

    ``first_id`` and ``second_id`` name them in the log; the point in use is ``"default"``.
    """

    duel_id: str
    first: dict[str, float]
    second: dict[str, float]
    first_id: str
    second_id: str
    task: Any = None


class Guess(NamedTuple):
    """The best guess so far, and with what probability the learner believes that it beats the point
    in use (None where the learner holds no belief). It proves nothing."""

    point: dict[str, float]
    beats_in_use: float | None


def _dimension(name: Any, given: Any) -> dict[str, Any]:
    """``(low, high, default)``, or a dict of what a dimension has."""
    if not isinstance(name, str):
        raise TypeError(f"space: names of dimensions are texts, not {type(name).__name__}")
    if isinstance(given, Mapping):
        return {str(key): value for key, value in given.items()}
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 3:
        return dict(zip(("low", "high", "default"), given))
    raise TypeError(f"space: {name} is a dict of {', '.join(_OF_A_DIMENSION)}, or "
                    f"(low, high, default), not {given!r:.80}")


def _point(given: Any) -> dict[str, float]:
    return {name: float(value) for name, value in given.items()}


class Study:
    """A search for a better point of a space: ``ask`` for two points, ``tell`` which is better.

    ``space`` has a dict for each number: ``{"weight": {"low": 0, "high": 1, "default": 0.5}}``, or
    ``(low, high, default)``; ``scale="log"`` and ``step`` are optional. The defaults are the point
    in use today. After ``warmup`` answers the best guess becomes a candidate, which new answers
    alone can prove to beat the point in use; the study is ``done`` once it is certified, or after
    ``max_duels``. ``tasks`` are what is compared on (a list, a table or a file of JSON Lines), and
    ``about`` is as for ``duel.Experiment``; a pair has one of them. With ``log`` every record is on
    disk before it counts, and the same call goes on with a log that is there.

        study = duel.Study({"weight": (0, 1, 0.5)}, log="weight.jsonl")
        while not study.done:
            pair = study.ask()
            study.tell(pair, winner="first" if better(pair.first, pair.second) else "second")
        print(study.verdict)
    """

    def __init__(self, space: Mapping[str, Any], *, learner: Any = "auto", alpha: float = 0.05,
                 max_duels: int | None = 2000, warmup: int | None = None,
                 log: str | os.PathLike[str] | None = None, name: str = "tuned",
                 tasks: Any = None, about: str = "tasks-like-these", order: str = "random",
                 adopt: bool = False, seed: int | None = 0) -> None:
        if not isinstance(space, Mapping):
            raise TypeError(f"space: a dict is needed, not {type(space).__name__}")
        if not isinstance(adopt, bool):
            raise TypeError(f"adopt: True or False is needed, not {type(adopt).__name__}")
        if order == "both":
            raise InvalidArgument("a pair of points gets one answer", hint="random or fixed",
                                  field="order")
        known = None if tasks is None else Tasks(tasks)
        request: dict[str, Any] = {
            "tasks": None if known is None else known.text, "about": _text(about, "about"),
            "space": {name: _dimension(name, given) for name, given in space.items()},
            "policy": spec_of(learner, "learner"), "alpha": _number(alpha, "alpha", 0, 1),
            "name": _text(name, "name"), "order": _text(order, "order"),
            "max_duels": 0 if max_duels is None else _whole(max_duels, "max_duels", 1, _MOST_DUELS),
            "warmup": 0 if warmup is None else _whole(warmup, "warmup", 1, _MOST_DUELS),
            "adopt": adopt,
        }
        self._adopt = adopt
        self._log = "" if log is None else _path(log, "log")
        if log is not None and not self._log:
            raise InvalidArgument("the name of the file is empty", field="log")
        request["seed"] = _seed(seed, self._log)
        try:
            self._native = _native.Experiment(request, self._log)
        except Error as error:
            raise (in_field(error, "learner") if error.field == "policy" else error) from None
        self._max_duels: int = request["max_duels"]
        self._tasks = {} if known is None else {
            called: task.shown for called, task in zip(self._native.tasks, known)}

    # --- Ask and tell ---------------------------------------------------------------------------

    def ask(self) -> Pair | None:
        """Two points, which count as served; None where nothing is left to ask."""
        if self.done:
            return None
        duel = self._native.next("", "", "")
        if duel is None:
            return None
        return Pair(duel["duel_id"], _point(duel["first_point"]), _point(duel["second_point"]),
                    duel["first"], duel["second"], self._tasks.get(duel["task"]))

    def tell(self, pair: Pair | str, winner: Any = None, *, tie: bool = False,
             both_bad: bool = False, skip: bool = False, source: str = "",
             response_ms: int | None = None) -> str:
        """The answer: the winner, ``"first"`` or ``"second"`` or a point's id, or one of tie,
        both_bad and skip. Gives ``applied``, ``duplicate``, ``conflict`` or ``late``."""
        said = [word for word, given in (("tie", tie), ("both_bad", both_bad), ("skip", skip),
                                         ("win", winner is not None)) if given]
        if len(said) != 1:
            raise InvalidArgument("exactly one of winner, tie, both_bad and skip is needed",
                                  field="winner")
        duel_id = pair if isinstance(pair, str) else pair.duel_id
        answer = said[0]
        if answer == "win":
            first, second = self._native.shown(duel_id)
            answer = _winner(winner, first, second,
                             None if isinstance(pair, str) else pair)
        return self._native.report(duel_id, answer, None, False, "program" if source else "",
                                   _text(source, "source"), response_ms)

    def reject(self, pair: Pair | str) -> None:
        """The answer makes no sense. It is final, and no loss for either point."""
        self._native.report(pair if isinstance(pair, str) else pair.duel_id, None, None, True, "",
                            "", None)

    def lose(self, pair: Pair | str, why: str = "") -> None:
        """No answer will come. It is final, and no loss for either point."""
        self._native.expire(pair if isinstance(pair, str) else pair.duel_id,
                            _text(why, "why").encode(errors="replace").decode())

    # --- Where it stands ------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Certified (unless ``adopt``), or all duels that ``max_duels`` allows are final."""
        if self._adopt:
            return 0 < self._max_duels <= self.served and not self._native.pending
        return self._native.done

    @property
    def pending(self) -> list[str]:
        """Ids of the duels without an answer."""
        return self._native.pending

    @property
    def max_duels(self) -> int:
        """How many duels it may serve; 0: any number."""
        return self._max_duels

    @property
    def adopts(self) -> bool:
        """Whether a certified point comes into use, and the search goes on against it."""
        return self._adopt

    @property
    def certified(self) -> bool:
        """Whether a point is certified to beat the one that was in use."""
        return self._native.certified

    @property
    def served(self) -> int:
        """How many duels were served."""
        return self._native.served

    @property
    def resumed(self) -> bool:
        """Whether the log was there already."""
        return self._native.resumed

    @property
    def learner(self) -> str:
        """The learner, with all its options."""
        return self._native.policy

    @property
    def verdict(self) -> str:
        """What can be said now, in a sentence."""
        return self._native.verdict

    @property
    def best_guess(self) -> Guess:
        """What the learner recommends. Only a certificate says that it is better."""
        told = self._standing()["recommended"]
        return Guess(_point(told["point"]), told.get("beats_in_use"))

    @property
    def certified_point(self) -> dict[str, float] | None:
        """The point that is certified; None before there is one."""
        found = [one for one in self._standing()["tried"] if one["state"] == "certified"]
        return _point(found[-1]["point"]) if found else None

    def _standing(self) -> dict[str, Any]:
        standing = cast("dict[str, Any]", self._native.result()["space"])
        return standing

    def result(self) -> ExperimentResult:
        """All that is known, as ``duel result --json`` has it; ``["space"]`` is the space."""
        return ExperimentResult(self._native.result(), self._native.fresh_answers())

    def slices(self, steps: int = 33) -> dict[str, list[tuple[float, float]]]:
        """What the learner believes along each dimension, through the best guess: numbers with the
        probability that a point there beats the point in use. Empty where it holds no belief."""
        shown = self._native.slices(_whole(steps, "steps", 2, 10_000))
        return {one["name"]: [(point["value"], point["beats_in_use"]) for point in one["points"]]
                for one in shown["slices"]}

    def to_pandas(self) -> Any:
        """The path of the recommendation: duels served, belief, and a column for each number."""
        try:
            import pandas
        except ImportError as error:
            raise Unsupported("pandas is not installed", hint="pip install pandas") from error
        rows = [{"served": step["served"], "beats_in_use": step.get("beats_in_use"),
                 **_point(step["point"])} for step in self._standing()["path"]]
        return pandas.DataFrame(rows)

    def plot(self, axes: Any = None) -> Any:
        """A picture for each dimension: the belief, the point in use and the best guess."""
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise Unsupported("matplotlib is not installed", hint="pip install matplotlib") \
                from error
        standing = self._standing()
        dimensions = standing["dimensions"]
        if axes is None:
            _, axes = pyplot.subplots(1, len(dimensions), squeeze=False,
                                      figsize=(4 * len(dimensions), 3), layout="constrained")
            axes = list(axes[0])
        slices = self.slices()
        for axis, dimension in zip(axes, dimensions):
            name = dimension["name"]
            points = slices.get(name, [])
            axis.plot([value for value, _ in points], [belief for _, belief in points])
            axis.axhline(0.5, linewidth=0.5, color="gray")
            axis.axvline(dimension["in_use"], linestyle=":", color="gray", label="in use")
            axis.axvline(dimension["recommended"], linestyle="--", label="best guess")
            if dimension["scale"] == "log":
                axis.set_xscale("log")
            axis.set(xlabel=name, ylim=(0, 1), ylabel="P(beats the point in use), believed")
        axes[0].legend()
        return axes

    def certificate(self) -> str:
        """The text of the certificate, which ``duel verify`` checks against the log."""
        if not self._log:
            raise Unsupported("a certificate speaks of a log, and this study has none",
                              hint="give log='weight.jsonl'")
        return _native.certificate_of_log(self._log)

    def complete(self) -> None:
        """Ends the study; what is still out has expired."""
        self._native.complete()

    def close(self) -> None:
        """Lets go of the log."""
        self._native.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Study, {self.served} duels: {self.verdict}>"


def _winner(said: Any, first: str, second: str, pair: Pair | None) -> str:
    """``first`` or ``second``."""
    for word, known in (("first", ("first", 1, first)), ("second", ("second", 2, second))):
        if any(type(said) is type(one) and said == one for one in known):
            return word
    if pair is not None and isinstance(said, Mapping):
        point = dict(said)
        if point == pair.first:
            return "first"
        if point == pair.second:
            return "second"
    raise InvalidArgument(f"{said!r:.80} is neither point of the pair",
                          hint=_WINNERS, field="winner")


def tune(space: Mapping[str, Any], compare: Callable[..., Any], *, parallel: int = 1,
         max_failures: int = 5, progress: Any = None, **options: Any) -> Study:
    """Searches the space with ``compare(first, second)`` and proves what it finds; gives the study.

    ``compare`` is called with two points, dicts of numbers, and with the task where there are
    ``tasks``. It gives back ``"first"`` or ``"second"`` (or the point), ``"tie"``, ``"both_bad"`` or
    ``"skip"``, or an awaitable of one; with ``parallel`` so many are out at a time. What it raises
    and what makes no sense is no answer; ``max_failures`` in a row end it with the last error.
    Whatever ends it, what is out is awaited and recorded, and ``result`` of the error has it. Ctrl-C
    does the same and raises ``duel.RunInterrupted``; a second one gives up what is out. The other
    arguments are those of ``Study``.

        study = duel.tune({"weight": (0, 1, 0.5)}, compare, max_duels=1000, log="weight.jsonl")
        print(study.verdict)
    """
    if not callable(compare):
        raise TypeError(f"compare: a function is needed, not {type(compare).__name__}")
    parallel = _whole(parallel, "parallel", 1, 1000)
    max_failures = _whole(max_failures, "max_failures", 1, _MOST_DUELS)
    told = progress_of(progress, "duels")
    study = Study(space, **options)
    # Asked again, the answers that are slow to come would be drawn until a fast one comes.
    for duel_id in study.pending:
        study.lose(duel_id, "the run that asked it ended before the answer")
    try:
        _Tuning(study, compare, parallel, max_failures, told).drive()
    except BaseException as raised:
        with contextlib.suppress(Exception):  # an error may have no place for it
            if getattr(raised, "result", None) is None:
                setattr(raised, "result", study.result())
        study.close()
        raise
    return study


class _Tuning:
    """The loop of ``tune``. An answer is paid for when it is asked, so that none is left behind."""

    def __init__(self, study: Study, compare: Callable[..., Any], parallel: int, max_failures: int,
                 told: Told | None) -> None:
        self._study = study
        self._calls = Calls(compare, parallel, 0, 0.0, None)
        self._parallel = parallel
        self._max_failures = max_failures
        self._told = told
        self._out: dict[concurrent.futures.Future[Any], Pair] = {}
        self._failures = 0
        self._ended: BaseException | None = None
        self._interrupts = 0

    def _interrupt(self, *_: object) -> None:
        self._interrupts += 1

    def drive(self) -> None:
        try:
            with CountsInterrupts(self._interrupt):
                self._ask_to_the_end()
        finally:
            self._calls.close()
        if self._ended is not None:
            raise self._ended
        if self._study.certified and not self._study.adopts:
            self._study.complete()
        self._show(last=True)
        if self._interrupts > 0:
            raise RunInterrupted(self._study.result())

    def _ask_to_the_end(self) -> None:
        while self._fill() > 0:
            finished, _ = concurrent.futures.wait(self._out, 0.1,
                                                  concurrent.futures.FIRST_COMPLETED)
            for call in finished:
                self._take(self._out.pop(call), call.result())
            if self._interrupts > 1:
                self._calls.give_up()
                for pair in self._out.values():
                    self._study.lose(pair, "the run was interrupted")
                return
            self._show()

    def _fill(self) -> int:
        """Asks as long as somebody is free; how many are out then."""
        while self._ended is None and self._interrupts == 0 and len(self._out) < self._parallel:
            pair = self._study.ask()
            if pair is None:
                break
            task = () if pair.task is None else (pair.task,)
            question = Question(pair.duel_id, pair.first_id, pair.second_id,
                                (pair.first, pair.second, *task))
            self._out[self._calls.submit(question)] = pair
        return len(self._out)

    def _take(self, pair: Pair, said: Any) -> None:
        raised: BaseException | None = said.raised
        if raised is None:
            try:
                _tell(self._study, pair, said.answer)
                self._failures = 0
                return
            except InvalidArgument as error:
                raised = in_field(error, "compare")
                self._study.reject(pair)
        else:
            self._study.lose(pair, f"{type(raised).__name__}: {raised}"[:200])
        self._failures += 1
        if self._failures >= self._max_failures or not isinstance(raised, Exception):
            self._ended = self._ended or raised

    def _show(self, last: bool = False) -> None:
        if self._told is None:
            return
        done = self._study.served - len(self._out)
        # Without a limit the total is unknown; the last call reports that all is done.
        total = done if last else max(done + 1, self._study.max_duels)
        if total:
            self._told(done, total)


def _tell(study: Study, pair: Pair, said: Any) -> None:
    if isinstance(said, str) and said in ("tie", "both_bad", "skip"):
        study.tell(pair, tie=said == "tie", both_bad=said == "both_bad", skip=said == "skip")
    elif said is None:
        raise InvalidArgument("None is no answer", hint=_WINNERS, field="winner")
    else:
        study.tell(pair, winner=said)
