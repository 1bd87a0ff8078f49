"""Preference matrices of rankers, by simulated clicks."""

from __future__ import annotations

from typing import Any

from . import _native
from ._content import Content
from ._matrix import PreferenceMatrix
from ._progress import progress_of
from .letor import data_text, rankers_text


class Estimate(Content):
    """A preference matrix of rankers, and a mapping: ``to_dict()`` is what ``duel estimate --json``
    prints."""

    def __init__(self, content: dict[str, Any], matrix: PreferenceMatrix) -> None:
        super().__init__(content)
        self._content: dict[str, Any] = content
        self.matrix = matrix

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """Outcomes, probability and standard error of each pair."""
        pairs: list[dict[str, Any]] = self._content["pairs"]
        return pairs

    def to_dict(self) -> dict[str, Any]:
        return self._content

    def to_pandas(self) -> Any:
        """One row per pair."""
        import pandas

        return pandas.json_normalize(self.pairs)

    def __repr__(self) -> str:
        return f"<Estimate of {len(self.matrix)} rankers, {len(self.pairs)} pairs>"

    def _repr_html_(self) -> str:
        return self.matrix._repr_html_()


def estimate(data: Any, rankers: Any = "features", *, interleave: str = "probabilistic",
             clicks: str = "navigational", comparisons: int = 4000, length: int = 10,
             ties: str = "half", normalise: str = "none", grades: int = 0, seed: int = 0,
             threads: int = 0, exact: bool = False, name: str = "estimate",
             progress: Any = None) -> Estimate:
    """Compares rankers by simulated clicks: ``duel estimate``.

    ``data`` is what ``duel.letor.load`` takes, or what it gave. ``rankers`` is ``"features"`` (one
    ranker per feature), a text such as ``"feature(index=3),bm25(tf=25,length=15)"``, a file of
    linear rankers, or a dict of names and weights. ``interleave`` and ``clicks`` name a method of
    ``duel.interleave.methods()`` and a user of ``duel.clicks.models()``. With ``exact`` nothing is
    sampled. The numbers depend on the seed alone, never on the threads.
    """
    with data_text(data) as text, rankers_text(rankers) as ranker_text:
        content, matrix = _native.estimate(
            {"data": text, "rankers": ranker_text, "interleave": interleave, "clicks": clicks,
             "comparisons": comparisons, "length": length, "ties": ties, "normalise": normalise,
             "grades": grades, "seed": seed, "threads": threads, "exact": exact, "name": name},
            progress_of(progress, "pairs"))
    return Estimate(content, PreferenceMatrix(matrix))
