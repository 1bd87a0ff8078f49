"""Preference matrices."""

from __future__ import annotations

import html
import os
from typing import Any, Sequence

from . import _native
from .errors import InvalidArgument


def _names(arms: Any) -> list[str] | None:
    if arms is None:
        return None
    if isinstance(arms, (str, bytes)):
        raise TypeError("arms: a list of names is needed, not one text")
    try:
        return [str(arm) for arm in arms]
    except TypeError:
        raise TypeError(f"arms: a list of names is needed, not {type(arms).__name__}") from None


def _evened(values: Any) -> Any:
    """Numbers of a smaller float type as doubles, with P + P' = 1 where they say so as precisely as
    they can. Anything else as it is."""
    import numpy

    if not isinstance(values, numpy.ndarray):
        try:
            values = numpy.asarray(values)
        except ValueError:
            raise InvalidArgument("the rows have different lengths", field="matrix") from None
    dtype = values.dtype
    if dtype.kind == "O":
        try:
            return values.astype(numpy.float64)
        except (TypeError, ValueError):
            pass
    if dtype.kind not in "biuf":
        raise TypeError(f"matrix: an array of numbers is needed, not of {dtype}")
    if dtype.kind != "f" or dtype.itemsize >= 8 or values.ndim != 2 or \
            values.shape[0] != values.shape[1]:
        return values
    double = values.astype(numpy.float64)
    off = numpy.abs(double + double.T - 1)
    if not (off <= 8 * numpy.finfo(dtype).eps).all():
        return double
    return (double + (1 - double.T)) / 2


class PreferenceMatrix:
    """P, where ``P[i, j]`` is the probability that arm i beats arm j.

    ``values`` is a square array (a float64 array in C order is read where it lies), a pandas
    DataFrame, whose columns name the arms, or a text: the name of a built-in matrix such as
    ``"arxiv"`` or ``"bradley-terry(k=64,seed=1,spread=1)"``, or a file. Entries lie in [0, 1], the
    diagonal is 1/2, and ``P[i, j] + P[j, i]`` is 1 within 1e-9, of smaller floats within their
    precision; it is then made exact.
    """

    _matrix: _native.Matrix

    def __init__(self, values: Any, arms: Sequence[str] | None = None, name: str = "matrix") -> None:
        if isinstance(values, PreferenceMatrix):
            self._matrix = values._matrix
        elif isinstance(values, _native.Matrix):
            self._matrix = values
        elif isinstance(values, (str, os.PathLike)):
            self._matrix = _native.Matrix.resolve(os.fspath(values))
        else:
            if arms is None and hasattr(values, "columns") and hasattr(values, "to_numpy"):
                arms = [str(column) for column in values.columns]
                values = values.to_numpy()
            self._matrix = _native.Matrix(_evened(values), _names(arms), name)

    @classmethod
    def from_csv(cls, text: str, name: str = "matrix") -> PreferenceMatrix:
        """From the text of a CSV file (docs/formats.md). A path goes to the constructor."""
        return cls(_native.Matrix.parse(text, name))

    @property
    def name(self) -> str:
        return self._matrix.name

    @property
    def arms(self) -> list[str]:
        return self._matrix.arms

    @property
    def values(self) -> Any:
        """The numbers, as a read-only array that shares the matrix's memory."""
        return self._matrix.array()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        values = self.values
        return values if dtype is None else values.astype(dtype)

    def __len__(self) -> int:
        return len(self._matrix)

    @property
    def shape(self) -> tuple[int, int]:
        return (len(self), len(self))

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, PreferenceMatrix) and self.arms == other.arms
                and bool((self.values == other.values).all()))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return PreferenceMatrix, (self.values.copy(), self.arms, self.name)

    @property
    def condorcet_winner(self) -> int | None:
        """The arm that beats every other with probability above 1/2; None where there is none."""
        return self._matrix.condorcet_winner()

    @property
    def copeland_winners(self) -> list[int]:
        """The arms that beat the most others."""
        return self._matrix.copeland_winners()

    @property
    def borda_scores(self) -> Any:
        """Each arm's mean probability of beating another."""
        import numpy

        return numpy.array(self._matrix.borda_scores())

    @property
    def smith_set(self) -> list[int]:
        """The smallest set of arms that each beat everyone outside it."""
        return self._matrix.smith_set()

    @property
    def von_neumann_winner(self) -> Any:
        """A lottery over arms that no arm beats, as weights."""
        import numpy

        return numpy.array(self._matrix.von_neumann_winner())

    @property
    def lower_bound(self) -> float:
        """The coefficient of ln T in the asymptotic lower bound on average regret."""
        return self._matrix.lower_bound()

    def assumptions(self) -> dict[str, Any]:
        """Which of condorcet, total-order, wst, sst and sti hold, and the worst violation."""
        return self.check()

    def check(self, *require: str) -> dict[str, Any]:
        """Whether the named assumptions hold; all of them where none is named."""
        names = list(require) or ["condorcet", "total-order", "wst", "sst", "sti"]
        return self._matrix.check(names)

    def describe(self) -> dict[str, Any]:
        """All there is to say of the matrix: what ``duel matrix show --json`` prints."""
        return self._matrix.describe()

    to_dict = describe

    def to_csv(self) -> str:
        return self._matrix.csv()

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self.values, index=self.arms, columns=self.arms)

    def answers(self, seed: int = 0, trial: int = 0) -> Any:
        """A callable that answers duels by this matrix as the simulator does in one trial."""
        return _native.Answers(self._matrix, seed, trial)

    def __repr__(self) -> str:
        winner = self.condorcet_winner
        says = "no Condorcet winner" if winner is None else f"Condorcet winner {self.arms[winner]}"
        return f"<PreferenceMatrix {self.name}: {len(self)} arms, {says}>"

    def _repr_html_(self) -> str:
        from ._html import shade

        most = 20
        arms, values = self.arms[:most], self.values[:most, :most]
        head = "".join(f"<th>{html.escape(arm)}</th>" for arm in arms)
        rows = "".join(f"<tr><th>{html.escape(arm)}</th>"
                       + "".join(f'<td style="{shade(p)}">{p:.3f}</td>' for p in row) + "</tr>"
                       for arm, row in zip(arms, values))
        note = html.escape(repr(self)[1:-1])
        if len(self) > most:
            note += f"; the first {most} arms"
        return f"<table><caption>{note}</caption><tr><th></th>{head}</tr>{rows}</table>"


def as_matrix(values: Any) -> PreferenceMatrix:
    if values is None:
        raise InvalidArgument("a matrix is needed", field="matrix")
    return values if isinstance(values, PreferenceMatrix) else PreferenceMatrix(values)


def named_matrices() -> list[dict[str, str]]:
    """The built-in matrices and generators: name, what it is, where it is from, an example."""
    return _native.named_matrices()
