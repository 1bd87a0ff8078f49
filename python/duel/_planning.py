"""Plans and leagues: how long experiments take, and which policies are best."""

from __future__ import annotations

import math
import os
from typing import Any, Dict, Iterable, Mapping, Sequence

from . import _native
from ._html import table
from ._policies import spec_of
from ._progress import progress_of
from .errors import InvalidArgument


class Plan(Dict[str, Any]):
    """What ``duel plan --json`` prints, as a dict that shows itself as a table."""

    def _rows(self) -> list[list[Any]]:
        rows = []
        for policy in self["policies"]:
            duels = policy["duels"]
            rows.append([policy["policy"], f"{duels['mean']:.0f} ± {duels['se']:.0f}",
                         f"{duels['p10']:.0f} to {duels['p90']:.0f}",
                         policy["winner_certified"] + policy["no_winner_certified"],
                         policy["undecided"], policy["wrong"]])
        return rows

    def _caption(self) -> str:
        return (f"{self['truth']}: duels until a certificate at alpha = {self['alpha']:g}, "
                f"{self['trials']} trials")

    def to_pandas(self) -> Any:
        """A row per policy."""
        import pandas

        return pandas.json_normalize(self["policies"])

    def _repr_html_(self) -> str:
        return table(["policy", "duels", "middle 80 %", "certified", "undecided", "wrong"],
                     self._rows(), self._caption())

    def __str__(self) -> str:
        return "\n".join([self._caption(), *(f"  {row[0]}: {row[1]} ({row[2]})"
                                             for row in self._rows())])


class League(Dict[str, Any]):
    """What ``duel league --json`` prints, as a dict that shows itself as a table."""

    def _rows(self) -> list[list[Any]]:
        rows = []
        for standing in self["ranking"]:
            ratio, error = standing["log_ratio"], standing["log_ratio_se"]
            rows.append(["" if standing["rank"] is None else standing["rank"], standing["policy"],
                         "" if ratio is None else f"{math.exp(ratio):.3g}",
                         "" if ratio is None or error is None
                         else f"{math.exp(ratio - 2 * error):.3g} to "
                              f"{math.exp(ratio + 2 * error):.3g}",
                         standing["problems"], standing["best_on"],
                         f"{standing['wrong']} of {standing['trials']}",
                         standing["worst_problem"]])
        return rows

    def _caption(self) -> str:
        return (f"{self['trials']} trials of {self['rounds']} rounds on each of "
                f"{len(self['problems'])} problems")

    def to_pandas(self) -> Any:
        """A row per policy, the best first."""
        import pandas

        return pandas.json_normalize(self["ranking"])

    def _repr_html_(self) -> str:
        return table(["rank", "policy", "regret, times the best", "± 2 se", "problems", "best on",
                      "wrong", "worst on"], self._rows(), self._caption())

    def __str__(self) -> str:
        return "\n".join([self._caption(), *(f"  {row[0] or '-'}. {row[1]}: {row[2]} times the best "
                                             f"regret, wrong in {row[6]} trials"
                                             for row in self._rows())])


def _matrix_file(matrix: Any) -> Any:
    """A file of the matrix, for what reads matrices by name."""
    import tempfile

    from ._matrix import as_matrix

    file = tempfile.NamedTemporaryFile("w", suffix=".csv", prefix="matrix-")
    file.write(as_matrix(matrix).to_csv())
    file.flush()
    return file


def plan(matrix: Any = None, *, pilot: str | os.PathLike[str] | None = None, arms: int | None = None,
         gap: float | None = None, spread: float | None = None,
         policies: Iterable[str] | str | None = None, progress: Any = None,
         **options: Any) -> Plan:
    """How many duels a certificate takes, by simulation: what ``duel plan --json`` prints.

    The arms are described by a ``matrix``, by a ``pilot`` (a file of votes or a log), or by a guess:
    ``arms`` and ``gap``. Options: goal, top, epsilon, assume, alpha, max_duels, tie_rate, parallel,
    shared_causes, cost_per_duel, trials, seed, threads.
    """
    known = {"goal", "top", "epsilon", "assume", "alpha", "max_duels", "tie_rate", "parallel",
             "shared_causes", "cost_per_duel", "trials", "seed", "threads"}
    for name in options:
        if name not in known:
            raise TypeError(f"plan() got an unexpected keyword argument '{name}'")
    chosen = [policies] if isinstance(policies, str) else policies
    request = dict(options, arms=arms, gap=gap, spread=spread,
                   pilot=None if pilot is None else os.fspath(pilot),
                   policies=None if chosen is None else [spec_of(policy) for policy in chosen])
    shown = progress_of(progress, "experiments")
    if matrix is None or isinstance(matrix, (str, os.PathLike)):
        request["matrix"] = None if matrix is None else os.fspath(matrix)
        return Plan(_native.plan(request, shown))
    from ._matrix import as_matrix

    known_matrix = as_matrix(matrix)
    with _matrix_file(known_matrix) as file:
        request["matrix"] = file.name
        return Plan(_native.plan(request, shown), truth=known_matrix.name)


def league(policies: Any = (), matrices: Mapping[str, Any] | Sequence[Any] = (), *,
           rounds: int | float = 100_000, trials: int = 50, seed: int = 0,
           max_wrong: float = 0.01, threads: int = 0, progress: Any = None) -> League:
    """Ranks policies by regret over problems: what ``duel league --json`` prints.

    Without ``policies`` all take part, without ``matrices`` all built-in problems are played.
    A policy whose last recommendation is wrong in a larger share of the trials than ``max_wrong``
    has no rank (``None``); 1 ranks everybody, for runs that are too short to be right.
    """
    from ._matrix import as_matrix
    from ._simulation import _registered

    texts, _ = _registered(policies)
    if isinstance(matrices, Mapping):
        problems = [(str(name), as_matrix(matrix)._matrix) for name, matrix in matrices.items()]
    else:
        known = [as_matrix(matrix) for matrix in
                 ([matrices] if isinstance(matrices, str) else matrices)]
        problems = [(matrix.name, matrix._matrix) for matrix in known]
    return League(_native.league(problems, texts, rounds, trials, seed, max_wrong, threads,
                                 progress_of(progress)))
