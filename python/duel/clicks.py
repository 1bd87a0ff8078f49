"""Clicks: simulated users, and the credit of whole logs.

    user = duel.clicks.ClickModel("navigational", grades=5)
    user.click([4, 0, 2], users=1000, seed=1).mean(axis=0)   # close to ..
    user.probabilities([4, 0, 2])                            # .. the exact chances

    found = duel.clicks.credit("impressions.jsonl", "clicks.jsonl")
    found.verdict
"""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Mapping, Union

from . import _native
from ._content import Content
from ._progress import progress_of
from .errors import InvalidArgument

__all__ = ["ClickModel", "CreditedLog", "credit", "models"]

# A file, or the events at hand.
Log = Union[str, "os.PathLike[str]", Iterable[Mapping[str, Any]]]


class ClickModel:
    """A user who scans a list from the top and clicks.

    ``model`` is a name with options, as in ``"position-based(eta=2)"``; ``models()`` lists them.
    ``grades`` is how many grades documents may have, from 0.
    """

    def __init__(self, model: str, grades: int = 5) -> None:
        self._model = _native.click_model(str(model), grades)

    @property
    def name(self) -> str:
        """The text that makes the same user again."""
        return self._model.canonical

    @property
    def num_grades(self) -> int:
        return self._model.num_grades

    def click(self, grades: Any, users: int = 1, seed: int = 0) -> Any:
        """Draws the clicks of ``users`` users on a list whose documents have these grades.

        Gives an array of bools of shape (users, documents). User u of a seed clicks the same
        whatever the number of users.
        """
        return self._model.click(grades, users, seed)

    def probabilities(self, grades: Any) -> Any:
        """The exact probability of a click at each position."""
        return self._model.probabilities(grades)

    def count_distribution(self, grades: Any) -> Any:
        """Entry n is the exact probability of n clicks."""
        return self._model.count_distribution(grades)

    def pattern_probability(self, grades: Any, clicked: Any) -> float:
        """The exact probability that these positions, and no others, are clicked."""
        return self._model.pattern_probability(grades, clicked)

    def __reduce__(self) -> tuple[Any, ...]:
        return ClickModel, (self.name, self.num_grades)

    def __repr__(self) -> str:
        return f"<ClickModel {self.name}>"


def models() -> list[dict[str, Any]]:
    """All click models: name, what the user does, source, options."""
    return _native.click_models()


class CreditedLog(Content):
    """What a log of impressions and clicks says of its rankers.

    ``votes`` has a dict per impression, in the order of serving where that is known. ``to_dict()``
    is what ``duel credit --json`` prints, whose keys it has as a mapping.
    """

    def __init__(self, content: dict[str, Any], votes: list[dict[str, Any]]) -> None:
        super().__init__(content)
        self._content: dict[str, Any] = content
        self.votes = votes

    @property
    def verdict(self) -> str | None:
        """The certificate's sentence, which holds whenever you look; None without an answer."""
        sentence: str | None = self._content["verdict"]
        return sentence

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """Wins, Delta_AB, its error and sign tests of each pair of rankings, at one look."""
        pairs: list[dict[str, Any]] = self._content["pairs"]
        return pairs

    def to_dict(self) -> dict[str, Any]:
        return self._content

    def to_pandas(self) -> Any:
        """One row per impression."""
        import pandas

        return pandas.DataFrame(self.votes)

    def __repr__(self) -> str:
        return f"<CreditedLog of {len(self.votes)} impressions: {self.verdict}>"


def _log(log: Log, field: str) -> tuple[str, str | None]:
    """The name and, where it is at hand, the text of a log."""
    if isinstance(log, (str, os.PathLike)):
        return os.fspath(log), None
    if isinstance(log, Mapping):
        raise InvalidArgument("a list of events is needed, not one", field=field)
    lines = []
    try:
        for event in log:
            lines.append(json.dumps(dict(event), allow_nan=False))
    except ValueError as error:
        raise InvalidArgument(str(error), field=field) from None
    except RecursionError:
        raise InvalidArgument("it is nested too deep", field=field) from None
    return field, "\n".join(lines) + ("\n" if lines else "")


def _pairs_text(weights: Any) -> str | None:
    if weights is None or isinstance(weights, str):
        return weights
    if isinstance(weights, Mapping):
        return ",".join(f"{name}={float(value)!r}" for name, value in weights.items())
    return ",".join(repr(float(value)) for value in weights)


def credit(impressions: Log, clicks: Log, *, weights: Any = None, position_weights: Any = None,
           item_cap: float = 0.0, cluster: str | None = None, in_order: bool = False,
           length: int = 10, seed: int = 0, alpha: float = 0.05,
           resamples: int = 1000, ordinals: int | None = None,
           partial: bool = False, progress: Any = None) -> CreditedLog:
    """Turns impressions and clicks into votes and a verdict: ``duel credit``.

    Both logs are files or lists of dicts. An impression has ``query_id`` and either ``lists``, two
    rankings by name, or ``rankings`` and ``items`` as a server or ``duel interleave`` gave them; a
    click is a UBI event. ``weights`` says what actions are worth (``{"click": 1,
    "add_to_cart": 3}``), ``position_weights`` what they are multiplied by at each position, and
    ``cluster`` what is independent: ``"user"``, ``"query"`` or ``"impression"``. ``ordinals`` says
    whether events count positions from 0 or from 1; by default one position 0 tells. A log of whose
    pages or events a fifth or more cannot be used is an error, unless ``partial`` is true.
    """
    shown, shown_text = _log(impressions, "impressions")
    clicked, clicked_text = _log(clicks, "clicks")
    name = "clicks" if shown_text is not None else os.path.splitext(os.path.basename(shown))[0]
    request = {
        "weights": _pairs_text(weights),
        "position_weights": _pairs_text(position_weights),
        "item_cap": item_cap, "cluster": cluster, "in_order": in_order, "length": length,
        "seed": seed, "alpha": alpha, "resamples": resamples, "ordinals": ordinals,
        "partial": partial,
        "name": _native.id_from(name),
    }
    content, votes = _native.credit(shown, shown_text, clicked, clicked_text, request,
                                    progress_of(progress, "steps"))
    return CreditedLog(content, votes)
