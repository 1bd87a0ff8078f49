"""Judged queries, as numpy arrays.

    data = duel.letor.load("train.txt.gz")
    data.features.shape, data.grades.max(), len(data)
    for query in data:
        query.features, query.grades, query.qid
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

from . import _native
from ._policies import call_text
from .errors import InvalidArgument

__all__ = ["JudgedQueries", "Query", "from_arrays", "load", "loads", "synthetic"]


class Query(NamedTuple):
    """The documents of one query: a row of features and a grade for each."""

    qid: int
    features: Any
    grades: Any


class JudgedQueries:
    """Queries whose documents have features and grades.

    ``features`` is a read-only float32 array with a row per document, ``grades`` has a grade per
    document, ``qids`` an id per query, and the documents of query q are the rows ``offsets[q]`` to
    ``offsets[q + 1]``.
    """

    def __init__(self, native: Any) -> None:
        if not isinstance(native, _native.JudgedQueries):
            raise TypeError("duel.letor.load and from_arrays make judged queries")
        self._queries = native
        self.features: Any = native.features()
        self.grades: Any = native.grades()
        self.qids: Any = native.qids()
        self.offsets: Any = native.offsets()

    @property
    def num_documents(self) -> int:
        return int(self.features.shape[0])

    @property
    def num_features(self) -> int:
        return int(self.features.shape[1])

    def __len__(self) -> int:
        return len(self.qids)

    def __getitem__(self, query: int) -> Query:
        size = len(self)
        if not -size <= query < size:
            raise IndexError(f"there are {size} queries")
        query %= size
        rows = slice(int(self.offsets[query]), int(self.offsets[query + 1]))
        return Query(int(self.qids[query]), self.features[rows], self.grades[rows])

    def __iter__(self) -> Iterator[Query]:
        return (self[query] for query in range(len(self)))

    def to_text(self) -> str:
        """The data in LETOR's format; it reads back to the same numbers."""
        return self._queries.text()

    def save(self, path: str | os.PathLike[str]) -> None:
        with open(path, "w", encoding="ascii") as file:
            file.write(self.to_text())

    def to_pandas(self) -> Any:
        """One row per document: qid, grade, and the features f1, f2, .."""
        import numpy
        import pandas

        frame = pandas.DataFrame(self.features,
                                 columns=[f"f{k + 1}" for k in range(self.num_features)])
        frame.insert(0, "grade", self.grades)
        frame.insert(0, "qid", numpy.repeat(self.qids, numpy.diff(self.offsets)))
        return frame

    def __reduce__(self) -> tuple[Any, ...]:
        return loads, (self.to_text(),)

    def __repr__(self) -> str:
        return (f"<JudgedQueries: {len(self)} queries, {self.num_documents} documents, "
                f"{self.num_features} features>")


def load(data: str | os.PathLike[str], *, normalise: str = "none",
         zero_based: bool = False) -> JudgedQueries:
    """Reads a LETOR (SVMlight) file, plain or gzip, or makes data by ``synthetic(queries=200)``.

    ``normalise`` scales features within each query: ``none``, ``min-max`` or ``z-score``.
    ``zero_based`` is for files that number features from 0.
    """
    return JudgedQueries(_native.JudgedQueries.load(os.fspath(data), zero_based, normalise))


def loads(text: str, *, normalise: str = "none", zero_based: bool = False) -> JudgedQueries:
    """The same of the text of a file."""
    return JudgedQueries(_native.JudgedQueries.parse(text, zero_based, normalise))


def from_arrays(features: Any, grades: Any, qids: Any, *,
                normalise: str = "none") -> JudgedQueries:
    """From a row of features, a grade and the id of its query for every document.

    The documents of a query stand together.
    """
    return JudgedQueries(_native.JudgedQueries.from_arrays(features, grades, qids, normalise))


def synthetic(**options: Any) -> JudgedQueries:
    """Random documents judged by a hidden linear ranker.

    Options: ``queries``, ``documents``, ``features``, ``grades``, ``noise``, ``seed``,
    ``factors``, ``own`` (docs/judged-data.md).
    """
    return load(call_text("synthetic", options))


@contextlib.contextmanager
def data_text(data: Any) -> Iterator[str]:
    """What the library means by `data`: a text as it is; arrays by way of a file."""
    if isinstance(data, (str, os.PathLike)):
        yield os.fspath(data)
        return
    if not isinstance(data, JudgedQueries):
        raise TypeError("data must be a path, a text such as 'synthetic(queries=200)', or what "
                        "duel.letor.load gave")
    with _temporary(data.to_text()) as path:
        yield path


@contextlib.contextmanager
def rankers_text(rankers: Any) -> Iterator[str]:
    """Rankers by name or file as they are; a dict of names and weights by way of a file."""
    if isinstance(rankers, (str, os.PathLike)):
        yield os.fspath(rankers)
        return
    if not isinstance(rankers, Mapping):
        if isinstance(rankers, Sequence) and all(isinstance(name, str) for name in rankers):
            yield ",".join(rankers)
            return
        raise TypeError("rankers must be a text, a list of texts, or a dict of weights by name")
    lines = []
    for name, weights in rankers.items():
        if not str(name) or any(c.isspace() or c == "#" for c in str(name)):
            raise InvalidArgument(f"{name!r} is not a name", hint="without blanks and #",
                                  field="rankers")
        lines.append(" ".join([str(name), *(repr(float(weight)) for weight in weights)]))
    with _temporary("\n".join(lines) + "\n") as path:
        yield path


@contextlib.contextmanager
def _temporary(text: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="duel-") as folder:
        path = os.path.join(folder, "data.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield path
