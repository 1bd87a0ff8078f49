"""Results of experiments as objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

from . import _native
from ._content import Content

if TYPE_CHECKING:
    from . import _shapes


class BoardRow(NamedTuple):
    """An arm of the board.

    ``rank_range`` are the places that the evidence leaves open, whenever you look. ``strength`` is
    in Elo points, 0 for the average arm, with its 95 % ``interval``; None where none is fitted.
    """

    rank: int
    arm: str
    rank_range: tuple[int, int]
    wins: int
    losses: int
    ties: int
    rate: float
    strength: float | None
    interval: tuple[float, float] | None
    probability_best: float


class HealthCheck(NamedTuple):
    """Whether the answers can be trusted, in one respect: passed, failed or unknown."""

    name: str
    verdict: str
    detail: str


@dataclass(frozen=True)
class Obstacle:
    """What stands between the answers and a certificate."""

    reason: str
    count: int
    detail: str
    until: str | None

    def __str__(self) -> str:
        return self.detail


def _span(ends: Sequence[float]) -> str:
    low, high = ends
    return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"


# What a certificate takes for granted where no tasks and no people are named.
_TAKEN_FOR_GRANTED = ("A certificate takes each answer for a fresh draw that has nothing to do with the "
                      "others. If your judge answers about questions, give them as tasks.")


class ExperimentResult(Content):
    """Where an experiment stands.

    It is a mapping with the keys of ``duel result --json`` (docs/python.md lists them), and has
    what most want of it as attributes.
    """

    def __init__(self, content: _shapes.ExperimentResult,
                 fresh_answers: _shapes.HealthCheck | None = None, ended: str | None = None,
                 cost: float | None = None) -> None:
        super().__init__(content)
        self._content: _shapes.ExperimentResult = content
        self._fresh = fresh_answers
        self._ended = ended
        self._cost = cost
        self._names = {arm["arm_id"]: arm["name"] for arm in content["arms"]}

    def to_dict(self) -> _shapes.ExperimentResult:
        """What ``duel result --json`` prints."""
        return self._content

    # --- What it says

    @property
    def verdict(self) -> str:
        """What can be said now, in a sentence."""
        return self._content["verdict"]

    @property
    def certified(self) -> bool:
        """Whether there is a certificate."""
        return self._content["certificate"] is not None

    @property
    def winner(self) -> str | None:
        """The arm that is certified to be the best; None where no single arm is."""
        given = self._content["certificate"]
        return None if given is None else self._name(given["winner"])

    @property
    def leader(self) -> str | None:
        """The arm that is most probably the best; None where there is too little to tell."""
        return self._name(self._content["leader"])

    @property
    def named(self) -> list[str]:
        """The arms of a certified set, order or ranking."""
        given = self._content["certificate"]
        return [] if given is None else [str(self._name(arm)) for arm in given.get("named", [])]

    @property
    def ended(self) -> str | None:
        """Why the run of ``duel.run`` ended: ``certified``, ``max_duels``, ``tasks_used_up``,
        ``max_cost``, ``nobody_left`` or ``interrupted``. None for other results."""
        return self._ended

    @property
    def cost(self) -> float | None:
        """What the answers of this run cost, where the judge said it."""
        return self._cost

    def _name(self, arm_id: str | None) -> str | None:
        return None if arm_id is None else self._names.get(arm_id, arm_id)

    @property
    def arms(self) -> list[str]:
        """The names of the arms in the order of the board."""
        return [arm["name"] for arm in self._content["arms"]]

    @property
    def board(self) -> list[BoardRow]:
        """The arms by rank."""
        rows = []
        for arm in self._content["arms"]:
            best, worst = arm["rank_range"]
            ends = arm["elo_interval"]
            rows.append(BoardRow(arm["rank"], arm["name"], (best, worst), arm["wins"],
                                 arm["losses"], arm["ties"], arm["rate"], arm["elo"],
                                 None if ends is None else (ends[0], ends[1]),
                                 arm["probability_best"]))
        return rows

    @property
    def wins(self) -> Any:
        """``wins[i, j]``: how often arm i beat arm j, in the order of ``arms``."""
        import numpy

        place = {arm["arm_id"]: k for k, arm in enumerate(self._content["arms"])}
        wins = numpy.zeros((len(place), len(place)), dtype=numpy.int64)
        for pair in self._content["pairs"]:
            if pair["first"] in place and pair["second"] in place:
                i, j = place[pair["first"]], place[pair["second"]]
                wins[i, j] = pair["counts"]["first_wins"]
                wins[j, i] = pair["counts"]["second_wins"]
        return wins

    @property
    def matrix(self) -> Any:
        """``matrix[i, j]``: the share of decisive duels with arm j that arm i won, in the order of
        ``arms``; NaN where there were none."""
        import numpy

        wins = self.wins.astype(float)
        met = wins + wins.T
        return numpy.divide(wins, met, out=numpy.full(wins.shape, numpy.nan), where=met > 0)

    @property
    def health(self) -> list[HealthCheck]:
        """Every check, those that passed too. For a log or a live experiment ``fresh_answers`` is
        the last of them."""
        checks = list(self._content["health"])
        if self._fresh is not None:
            checks.append(self._fresh)
        return [HealthCheck(check["name"], check["verdict"], check["detail"]) for check in checks]

    @property
    def failed_checks(self) -> list[str]:
        """The names of the health checks that failed: answers that cannot be trusted as they are."""
        return [check.name for check in self.health if check.verdict == "failed"]

    @property
    def if_wrong(self) -> str:
        """How few wrong answers would take the lead, and at what level the certificate would hold
        with 1 % and 5 % of them wrong; "" while there is none."""
        return self._content.get("if_wrong", "")

    @property
    def reversed_by(self) -> _shapes.WrongAnswers | None:
        """The fewest wrong answers that take the lead; None without a certificate, and for goals
        that do not rest on leads."""
        return self._content.get("reversed_by")

    @property
    def level_if_wrong(self) -> list[_shapes.LevelIfWrong]:
        """The level at which the certificate would hold with a share of the answers wrong."""
        return self._content.get("level_if_wrong", [])

    @property
    def why_not_yet(self) -> list[Obstacle]:
        """What stands in the way of a certificate; empty once there is one."""
        return [Obstacle(why["reason"], why["count"], why["detail"], why.get("until"))
                for why in self._content["why_not_yet"]]

    @property
    def takes_for_granted(self) -> str:
        """What a certificate takes for granted where no tasks and no people are named; or ""."""
        open_question = self._fresh is not None and self._fresh["verdict"] != "passed"
        return _TAKEN_FOR_GRANTED if open_question else ""

    @property
    def headline(self) -> str:
        """The verdict, the health checks that failed, and what is taken for granted."""
        failed = self.failed_checks
        parts = [self.verdict]
        if failed:
            checks = "Health check failed" if len(failed) == 1 else "Health checks failed"
            parts.append(f"{checks}: {', '.join(failed)}.")
        if self.if_wrong:
            parts.append(self.if_wrong)
        if self.takes_for_granted:
            parts.append(self.takes_for_granted)
        return " ".join(parts)

    # --- Ways to look at it

    def to_pandas(self) -> Any:
        """A row per arm, the best first."""
        import pandas

        return pandas.json_normalize(self._content["arms"])

    def plot(self, ax: Any = None) -> Any:
        """Strengths of the arms with their intervals, by matplotlib."""
        from ._plot import plot_result

        return plot_result(self, ax)

    def __repr__(self) -> str:
        return f"<ExperimentResult: {self.headline}>"

    def __str__(self) -> str:
        """The board as text."""
        head = ["place", "arm", "strength", "won", "P(best)"]
        rows = [head] + [[str(cell) for cell in row] for row in self._rows()]
        widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                 for row in rows]
        return "\n".join([self.headline, "", *lines])

    def _rows(self) -> list[list[Any]]:
        rows: list[list[Any]] = []
        for row in self.board:
            strength = "" if row.strength is None else f"{row.strength:.0f}"
            if row.interval is not None:
                strength += f" ({_span(row.interval)})"
            rows.append([_span(row.rank_range), row.arm, strength,
                         f"{row.wins} of {row.wins + row.losses}", f"{row.probability_best:.3f}"])
        return rows

    def _repr_html_(self) -> str:
        from ._html import table

        none = ["", "no arm beats every other", "", "",
                f"{self._content['probability_no_winner']:.3f}"]
        return table(["place", "arm", "Elo (95 %)", "won", "P(best)"], [*self._rows(), none],
                     self.headline)


def result_of_file(file: str, request: dict[str, Any]) -> ExperimentResult:
    content = _native.result_of_file(file, request)
    fresh = _native.fresh_answers_of_log(file) if _native.begins_as_log(file) else None
    return ExperimentResult(content, fresh)
