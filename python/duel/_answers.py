"""What a judge may say, and what it means."""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._arms import Arms


class Answer(str, enum.Enum):
    """The answers that name no arm: ``duel.FIRST`` and so on. Each is equal to its word."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"
    BOTH_BAD = "both_bad"
    SKIP = "skip"

    def __repr__(self) -> str:
        return f"duel.{self.name}"

    def __str__(self) -> str:
        return self.value


FIRST = Answer.FIRST
SECOND = Answer.SECOND
TIE = Answer.TIE
BOTH_BAD = Answer.BOTH_BAD
SKIP = Answer.SKIP

# Words that mean something in an answer and so can be neither an arm's name nor its text.
RESERVED = frozenset(answer.value for answer in Answer)

WHAT_AN_ANSWER_IS = ("an answer is an arm's name, duel.FIRST, duel.SECOND, duel.TIE, "
                     "duel.BOTH_BAD, duel.SKIP, True or False for the first or the second, or a "
                     "float from 0 to 1: how much better the first is")


def _number_kind(said: Any) -> str:
    """ "bool" or "float" for Python's and numpy's, "" for anything else."""
    if isinstance(said, (bool, float)):
        return "bool" if isinstance(said, bool) else "float"
    kind = getattr(getattr(said, "dtype", None), "kind", "")
    if kind in ("b", "f") and getattr(said, "shape", None) == ():
        return "bool" if kind == "b" else "float"
    return ""


def outcome_of(said: Any, arms: Arms, first: str, second: str) -> str | float | None:
    """What a judge said about two arms, by their names; None where it is no answer.

    A word, or a score of the first between 0 and 1; 1, 0 and 0.5 are words, too.

    Nothing is guessed: an int could be an arm, a place or a truth value, so it is no answer.
    """
    payloads = arms.shown(first), arms.shown(second)
    if first == second and isinstance(said, str) and said not in RESERVED:
        # An arm shown twice: that it is named says nothing of a place.
        return TIE.value if arms.find(said) == first or said == arms.payloads[first] else None
    if not isinstance(said, (str, bool, float)) and payloads[0] is not payloads[1]:
        for word, payload in zip((FIRST, SECOND), payloads):
            if said is payload:
                return word.value
    if isinstance(said, str):
        text = str(said)
        if text in RESERVED:
            return text
        name = arms.find(text)
        for word, arm, other in ((FIRST, first, second), (SECOND, second, first)):
            if name == arm:
                return word.value
            if arms.payloads[arm] == text and arms.payloads[other] != text:
                return word.value
        return None
    kind = _number_kind(said)
    if kind == "bool":
        return FIRST.value if bool(said) else SECOND.value
    if kind == "float":
        score = float(said)
        if not 0 <= score <= 1 or math.isnan(score):
            return None
        if score in (0, 1):
            return (FIRST if score else SECOND).value
        return TIE.value if score == 0.5 else score
    return None
