"""Measures of rankings against judgements, and of logs of clicks.

``ranked`` are the grades of the documents in the order shown, best place first, as a list or a
numpy array of whole numbers. ``judged`` are the grades of all judged documents of the query, in any
order; without it, those shown. ``duel.metrics.rankers`` measures rankers over a data set as
``duel metrics`` does.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Sequence

from . import _native
from ._progress import progress_of
from .errors import InvalidArgument
from .letor import data_text, rankers_text

__all__ = ["average_precision", "click_log", "dcg", "expected_reciprocal_rank",
           "mean_average_precision", "mean_reciprocal_rank", "ndcg", "ndcg_of_scores", "precision",
           "rankers", "reciprocal_rank"]


def dcg(ranked: Any, k: int = 10, *, gain: str = "exponential", discount: str = "log2") -> float:
    """Discounted cumulative gain of the first k.

    ``gain`` is ``exponential`` (2^grade - 1) or ``linear``; ``discount`` is ``log2``, ``ln``, or
    ``letor`` (1 at rank 1, 1/log2(rank) below).
    """
    return _native.dcg(ranked, k, gain, discount)


def ndcg(ranked: Any, judged: Any = None, k: int = 10, *, gain: str = "exponential",
         discount: str = "log2") -> float:
    """DCG@k over that of the best order of ``judged``; 0 without a relevant document."""
    return _native.ndcg(ranked, judged, k, gain, discount)


def ndcg_of_scores(scores: Any, grades: Any, k: int = 10, *, gain: str = "exponential") -> float:
    """NDCG@k of documents sorted by score, exactly averaged over the orders of equal scores."""
    return _native.ndcg_of_scores(scores, grades, k, gain)


def precision(ranked: Any, k: int = 10, *, relevant: int = 1) -> float:
    """The share of relevant documents among the first k; empty places count as not relevant."""
    return _native.precision(ranked, k, relevant)


def average_precision(ranked: Any, judged: Any = None, *, relevant: int = 1) -> float:
    """The mean precision at the ranks of the relevant documents; those not shown count 0."""
    return _native.average_precision(ranked, judged, relevant)


def reciprocal_rank(ranked: Any, *, relevant: int = 1) -> float:
    """1/(rank of the first relevant document), 0 without one."""
    return _native.reciprocal_rank(ranked, relevant)


def expected_reciprocal_rank(ranked: Any, k: int = 10, *, highest: int = 4) -> float:
    """ERR of the first k (Chapelle et al., CIKM 2009); ``highest`` is the top of the scale."""
    return _native.expected_reciprocal_rank(ranked, k, highest)


def _mean(queries: Iterable[Any], measure: Callable[[Any], float]) -> float:
    values = [measure(query) for query in queries]
    if not values:
        raise InvalidArgument("there is no query", field="queries")
    return sum(values) / len(values)


def mean_average_precision(queries: Iterable[Any], *, relevant: int = 1) -> float:
    """MAP: the mean of ``average_precision`` over queries, each a list of ranked grades."""
    return _mean(queries, lambda ranked: average_precision(ranked, relevant=relevant))


def mean_reciprocal_rank(queries: Iterable[Any], *, relevant: int = 1) -> float:
    """MRR: the mean of ``reciprocal_rank`` over queries."""
    return _mean(queries, lambda ranked: reciprocal_rank(ranked, relevant=relevant))


def rankers(data: Any, rankers: Any = "features", *, k: int = 10, gain: str = "exponential",
            discount: str = "log2", relevant: int = 1, no_relevant: str = "zero",
            normalise: str = "none", grades: int = 0, threads: int = 0,
            progress: Any = None) -> dict[str, Any]:
    """NDCG, MAP, MRR, ERR and precision of rankers over judged queries: ``duel metrics --json``.

    ``data`` is what ``duel.letor.load`` takes, or what it gave; ``rankers`` is as for
    ``duel.estimate``.
    """
    with data_text(data) as text, rankers_text(rankers) as ranker_text:
        return _native.measure_rankings(
            {"data": text, "rankers": ranker_text, "k": k, "gain": gain, "discount": discount,
             "relevant": relevant, "no_relevant": no_relevant, "normalise": normalise,
             "grades": grades, "threads": threads}, progress_of(progress, "queries"))


def click_log(log: str | os.PathLike[str] | Sequence[str], *, session_gap: float = 30.0,
              resamples: int = 1000, seed: int = 1, progress: Any = None) -> dict[str, Any]:
    """The absolute click metrics of a log: ``duel metrics --clicks LOG --json``.

    ``log`` is a file, or the lines of one. ``session_gap`` is in minutes.
    """
    name, text = "log", None
    if isinstance(log, (str, os.PathLike)):
        name = os.fspath(log)
    else:
        try:
            lines = list(log)
        except TypeError:
            raise TypeError("log: a file or its lines are needed, not "
                            + type(log).__name__) from None
        for line in lines:
            if not isinstance(line, str):
                raise TypeError(f"log: a line is a text, not {type(line).__name__}")
        text = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
    return _native.measure_clicks(name, text, session_gap, resamples, seed,
                                  progress_of(progress, "steps"))
