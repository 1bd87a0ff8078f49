"""Learning from duels: rankers from simulated clicks, and points from any comparison.

    out = duel.learn.run("train.txt", learner="pdgd", impressions=10_000, trials=5)
    out.curve["offline"], out.weights.mean(axis=0)

    best = duel.dbgd(lambda a, b: taste(a) > taste(b), start=numpy.zeros(3), delta=1, gamma=0.1,
                     duels=2000)
    best.point
"""

from __future__ import annotations

import os
from typing import Any, Callable, NamedTuple

from . import _native
from ._content import Content
from ._policies import call_text
from ._progress import progress_of
from .errors import InvalidArgument, InvalidData
from .letor import data_text

__all__ = ["DbgdResult", "LearnResult", "PointDuel", "PointLearner", "dbgd", "learners", "run"]


class LearnResult(Content):
    """What a run of learning showed. ``to_dict()`` is what ``duel learn --json`` prints, whose keys it
    has as a mapping.

    ``weights`` has the learned ranker of every trial as a row.
    """

    def __init__(self, content: dict[str, Any], weights: Any) -> None:
        super().__init__(content)
        self._content: dict[str, Any] = content
        self.weights = weights

    @property
    def curve(self) -> dict[str, Any]:
        """Arrays over the checkpoints: ``impressions``; ``online`` (NDCG of the lists shown since
        the checkpoint before), ``discounted`` (its sum up to here) and ``offline`` (NDCG of the
        ranker); and their standard errors as ``online_se``, .. NaN for a single trial. Empty for
        a learner that sees the grades."""
        import numpy

        rows = self._content.get("curve", [])
        series: dict[str, Any] = {"impressions": numpy.array(
            [row["impressions"] for row in rows], dtype=numpy.int64)}
        for name, field in (("online", "online_ndcg"), ("discounted", "online_discounted_ndcg"),
                            ("offline", "offline_ndcg")):
            for suffix, part in (("", "mean"), ("_se", "standard_error")):
                series[name + suffix] = numpy.array(
                    [numpy.nan if row[field][part] is None else row[field][part] for row in rows],
                    dtype=float)
        return series

    @property
    def learner(self) -> str:
        """The learner as it names itself."""
        name: str = self._content.get("settings", self._content)["learner"]
        return name

    def to_dict(self) -> dict[str, Any]:
        return self._content

    def to_pandas(self) -> Any:
        """One row per checkpoint."""
        import pandas

        return pandas.DataFrame(self.curve)

    def plot(self, ax: Any = None) -> Any:
        """Offline NDCG over the impressions, with a band of two standard errors."""
        from ._plot import axes

        ax = axes(ax)
        curve = self.curve
        (line,) = ax.plot(curve["impressions"], curve["offline"],
                          label=self.learner)
        ax.fill_between(curve["impressions"], curve["offline"] - 2 * curve["offline_se"],
                        curve["offline"] + 2 * curve["offline_se"], color=line.get_color(),
                        alpha=0.2, linewidth=0)
        ax.set_xscale("log")
        ax.set_xlabel("impressions")
        ax.set_ylabel("offline NDCG (mean, ± 2 standard errors)")
        ax.legend(frameon=False)
        return ax

    def __repr__(self) -> str:
        return f"<LearnResult of {self.learner}>"


def run(data: Any = "", *, learner: Any = "dbgd(delta=1,gamma=0.01)", heldout: Any = None,
        interleave: str | None = None, clicks: str = "perfect", compare: str = "clicks",
        impressions: int = 10_000, batch: int | None = None, trials: int = 5, length: int = 10,
        discount: float = 0.9995, normalise: str = "none", grades: int = 0, seed: int = 0,
        threads: int = 0, output: str | os.PathLike[str] | None = None,
        resume: str | os.PathLike[str] | None = None, progress: Any = None) -> LearnResult:
    """Learns a linear ranker from simulated clicks, online: ``duel learn``.

    ``data`` and ``heldout`` are what ``duel.letor.load`` takes, or what it gave. With ``output``
    the files of the command line are written to that folder, and with ``resume`` a run that is
    there goes on up to ``impressions``; the data are then those of that run.
    """
    request: dict[str, Any] = {
        "learner": str(learner), "interleave": interleave, "clicks": clicks, "compare": compare,
        "impressions": impressions, "batch": batch, "trials": trials, "length": length,
        "discount": discount, "normalise": normalise, "grades": grades, "seed": seed,
        "threads": threads,
    }
    to = "" if output is None else os.fspath(output)
    of = "" if resume is None else os.fspath(resume)
    if of and not isinstance(data, str):
        raise InvalidArgument("they are those of the run that goes on", hint="leave them out",
                              field="data")
    with data_text(data) as text, data_text("" if heldout is None else heldout) as held:
        content, weights = _native.learn({**request, "data": text, "heldout": held}, to, of,
                                         progress_of(progress))
    return LearnResult(content, weights)


def learners() -> list[dict[str, Any]]:
    """All learners of points and of rankers: name, paper, guarantee, options."""
    return _native.learners()


class PointDuel(NamedTuple):
    """Two points to compare: where the learner stands, and what it tries."""

    first: Any
    second: Any
    ticket: int


class PointLearner:
    """A learner of points that is asked for two points and told which is better.

    ``start`` is where it begins. ``set`` is where it may go: ``"space"``, ``"ball"`` of
    ``radius``, ``"sphere"`` (the unit sphere), ``"simplex"`` whose coordinates sum to ``radius``,
    or ``"box"`` between the corners ``low`` and ``high``. ``duels`` is how many are planned, from
    which a learner derives step sizes that you do not give. It can be pickled and copied.
    """

    def __init__(self, learner: str = "dbgd", start: Any = None, *, set: str = "space",
                 radius: float = 1.0, low: Any = None, high: Any = None, duels: int = 0,
                 seed: int = 0, trial: int = 0, **options: Any) -> None:
        import numpy

        if start is None:
            raise InvalidArgument("a point to start from is needed", field="start")
        text = call_text(str(learner), options) if options else str(learner)
        begin = numpy.array(start, dtype=float)
        where = {"set": set, "radius": radius, "low": low, "high": high}
        self._made_of = (text, begin, where, duels, seed, trial)
        self._learner = _native.point_learner(text, begin, where, duels, seed, trial)

    @property
    def name(self) -> str:
        return self._learner.canonical

    @property
    def delta(self) -> float:
        """The length of a proposal."""
        return float(self._learner.steps[0])

    @property
    def gamma(self) -> float:
        """The length of a move."""
        return float(self._learner.steps[1])

    @property
    def point(self) -> Any:
        """The point that it would return now."""
        return self._learner.recommend()

    @property
    def moves(self) -> int:
        return self._learner.moves

    @property
    def observed(self) -> int:
        """Answers so far."""
        return self._learner.observed

    def select(self) -> PointDuel:
        """Two points to compare; the same ones until enough answers came."""
        return PointDuel(*self._learner.select())

    def observe(self, duel: PointDuel, outcome: Any, probability: float | None = None) -> None:
        """The answer: True or ``"first"``, False or ``"second"``, ``"tie"``, ``"skip"``, None.

        An answer to an earlier proposal is ignored. ``probability`` is for learners of a
        simulation that see the chance itself.
        """
        if not isinstance(duel, PointDuel):
            raise TypeError(f"duel: what select() gave is needed, not {type(duel).__name__}")
        self._learner.observe(duel.ticket, outcome, probability)

    def __getstate__(self) -> tuple[Any, ...]:
        return (self._made_of, self._learner.save())

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        try:
            self._made_of, (saved, observed) = state
        except (TypeError, ValueError):
            raise InvalidData("the saved learner has not the form of one") from None
        self._learner = _native.point_learner(*self._made_of)
        self._learner.restore(saved, observed)

    def __repr__(self) -> str:
        return f"<PointLearner {self.name} after {self.observed} duels>"


class DbgdResult(NamedTuple):
    """``point`` is the point found, ``moves`` how often it moved in ``duels`` comparisons, and
    ``path`` where it stood after each move, with the start as the first row."""

    point: Any
    moves: int
    duels: int
    path: Any
    learner: PointLearner


def dbgd(compare: Callable[[Any, Any], Any], start: Any, *, duels: int = 1000,
         learner: str = "dbgd", set: str = "space", radius: float = 1.0, low: Any = None,
         high: Any = None, seed: int = 0, progress: Any = None, **options: Any) -> DbgdResult:
    """Dueling bandit gradient descent (Yue and Joachims, ICML 2009) over any comparison.

    ``compare(first, second)`` gets two points as arrays and says which is better, as
    ``PointLearner.observe`` takes it. Options are those of the learner: ``delta`` is how far a
    proposal lies from the point, ``gamma`` how far a move goes, ``batch`` how many answers a move
    takes. On a set with a radius they may be left out, and follow from ``duels``.
    """
    import numpy

    if not callable(compare):
        raise TypeError("compare must be callable")
    if not isinstance(duels, (int, float)) or isinstance(duels, bool) or duels != duels // 1:
        raise TypeError("duels must be a whole number")
    if not 1 <= duels <= 10**12:
        raise InvalidArgument(f"{duels} is out of range", hint="1 to 1e12", field="duels")
    asked = PointLearner(learner, start, set=set, radius=radius, low=low, high=high,
                         duels=int(duels), seed=seed, **options)
    tell = progress_of(progress, "duels")
    path = [asked.point]
    moves = asked.moves
    for number in range(1, int(duels) + 1):
        pair = asked.select()
        asked.observe(pair, compare(pair.first, pair.second))
        if asked.moves != moves:
            moves = asked.moves
            path.append(asked.point)
        if tell is not None and (number % 1000 == 0 or number == duels):
            tell(number, int(duels))
    return DbgdResult(asked.point, moves, int(duels), numpy.array(path), asked)
