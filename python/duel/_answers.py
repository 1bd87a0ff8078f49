"""What a judge may say, and what it means."""

from __future__ import annotations

import enum
import math
import numbers
from typing import TYPE_CHECKING, Any

from .errors import InvalidArgument

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


def number_kind(said: Any) -> str:
    """ "bool", "float" or "other" for Python's numbers and numpy's, "" for anything else."""
    if isinstance(said, (bool, float)):
        return "bool" if isinstance(said, bool) else "float"
    kind = getattr(getattr(said, "dtype", None), "kind", "")
    if kind and getattr(said, "shape", None) == ():
        return {"b": "bool", "f": "float", "i": "other", "u": "other", "c": "other"}.get(kind, "")
    return "other" if isinstance(said, numbers.Number) else ""


def _refuse_two_meanings(said: Any, kind: str, arms: Arms, field: str) -> None:
    """A score beside arms that are floats could be one of them, and so for truth values."""
    if kind not in arms.number_kinds:
        return
    is_float = kind == "float"
    what, means = ("float", "a score") if is_float else ("bool", "a place")
    raise InvalidArgument(
        f"{said!r:.40} could be {means} or an arm, since there are arms that are {what}s",
        hint="give back the arm's name, duel.FIRST or duel.SECOND" +
             ("" if is_float else ", or a float from 0 to 1"), field=field)


def outcome_of(said: Any, arms: Arms, first: str, second: str,
               field: str = "judge") -> str | float | None:
    """What a judge said about two arms, by their names; None where it is no answer.

    A word, or a score of the first between 0 and 1; 1, 0 and 0.5 are words, too.

    Nothing is guessed. An int could be an arm, a place or a truth value, so it is no answer. No
    number names the arm that has it for its payload: small ones are the same object wherever they
    come from. A float or a bool that could be an arm is an error.
    """
    kind = number_kind(said)
    if kind:
        _refuse_two_meanings(said, kind, arms, field)
    if kind == "bool":
        return FIRST.value if bool(said) else SECOND.value
    if kind == "float":
        score = float(said)
        if not 0 <= score <= 1 or math.isnan(score):
            return None
        if score in (0, 1):
            return (FIRST if score else SECOND).value
        return TIE.value if score == 0.5 else score
    if kind or said is None:
        return None
    if isinstance(said, str):
        text = str(said)
        if text in RESERVED:
            return text
        shown = arms.meant_by(text)
    else:
        shown = next((arm for arm in (first, second) if said is arms.shown(arm)), None)
    if first == second:
        # An arm shown twice: that it is named says nothing of a place.
        return TIE.value if shown == first else None
    return FIRST.value if shown == first else SECOND.value if shown == second else None
