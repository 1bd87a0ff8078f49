"""Features of arms as their users have them: a dict of arms and their numbers."""

from __future__ import annotations

import math
import numbers
from typing import Any, Mapping

from .errors import InvalidArgument


def _number(value: Any, arm: str, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{field}: the features of '{arm}' are numbers, not "
                        + type(value).__name__)
    if not math.isfinite(value):
        raise InvalidArgument(f"{value} is no feature of '{arm}'", field=field)
    return float(value)


def row_of(numbers_of_arm: Any, arm: str, field: str) -> list[float]:
    """The features of one arm, from anything that can be gone through."""
    if isinstance(numbers_of_arm, (str, bytes, Mapping)):
        raise TypeError(f"{field}: the features of '{arm}' are a list of numbers")
    try:
        row = list(numbers_of_arm)
    except TypeError:
        raise TypeError(f"{field}: the features of '{arm}' are a list of numbers, not "
                        + type(numbers_of_arm).__name__) from None
    return [_number(value, arm, field) for value in row]


def rows_of(given: Any, field: str) -> dict[str, list[float]]:
    """The features of each arm that is named."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{field}: a dict of arms and their numbers is needed, not "
                        + type(given).__name__)
    return {str(arm): row_of(row, str(arm), field) for arm, row in given.items()}
