"""Interleaving: two or more rankings become one list to show, and clicks on it become credit.

    merged = duel.interleave.team_draft({"h30": l1, "bm25": l2}, duel_id="q-17", length=10)
    merged.ids                              # what to show
    merged = duel.interleave.team_draft(.., clicks=["d3"])
    merged.outcome                          # "h30 wins"

Each function is ``duel interleave --method NAME``: the same seed, id and rankings give the same
list there, on a server, and on every machine. ``methods()`` lists all methods with their options.
"""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

from . import _native
from ._policies import call_text
from .errors import InvalidArgument

__all__ = ["Impression", "Item", "balanced", "interleave", "methods", "multileave", "optimised",
           "probabilistic", "team_draft"]

Lists = Mapping[str, Sequence[str]]


class Item(NamedTuple):
    """A place of the merged list.

    ``team`` names the ranking whose pick it is, None where it is nobody's. ``competitive`` says
    whether a click on it counts; team draft alone tells. ``ranks`` are its ranks in the rankings,
    from 1, and ``credit`` is what a click gives to each, where the method can say so beforehand.
    """

    object_id: str
    ordinal: int
    team: str | None
    competitive: bool | None
    ranks: list[int]
    credit: list[float]


class Impression:
    """A merged list, and what clicks on it said. ``to_dict()`` is what the command line prints."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content
        self.method: str = content["method"]
        self.rankings: list[str] = content["rankings"]
        self.items: list[Item] = [
            Item(item["object_id"], item["ordinal"], item.get("team"), item.get("competitive"),
                 item.get("ranks", []), item.get("credit", []))
            for item in content["items"]
        ]

    @property
    def ids(self) -> list[str]:
        """The documents to show, best first."""
        return [item.object_id for item in self.items]

    @property
    def next_offset(self) -> int | None:
        """Where the next page of a team draft begins; None where it ends with this one."""
        offset: int | None = self._content.get("next_offset")
        return offset

    @property
    def competitive_coverage(self) -> float | None:
        """The share of items on which a click counts. Of team draft only."""
        share: float | None = self._content.get("competitive_coverage")
        return share

    @property
    def outcome(self) -> dict[str, Any] | None:
        """Credit and preferences, where clicks were given."""
        said: dict[str, Any] | None = self._content.get("outcome")
        return said

    def to_dict(self) -> dict[str, Any]:
        return self._content

    def to_pandas(self) -> Any:
        """One row per item."""
        import pandas

        return pandas.DataFrame(self._content["items"])

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __repr__(self) -> str:
        shown = ", ".join(self.ids[:5]) + (", .." if len(self) > 5 else "")
        return f"<Impression of {len(self)} items by {self.method}: {shown}>"

    def _repr_html_(self) -> str:
        from ._html import table

        rows = [[item.ordinal, item.object_id, item.team or ""] for item in self.items]
        return table(["#", "document", "team"], rows, self.method)


def _ids(values: Iterable[Any], field: str) -> list[str]:
    if isinstance(values, (str, bytes)):
        raise InvalidArgument("a list of ids is needed, not one text", field=field)
    ids = []
    for value in values:
        if isinstance(value, (list, tuple, dict, set, float, bool)) or value is None:
            raise TypeError(f"{field}: the id of a document is a text or a whole number")
        ids.append(str(value))
    return ids


def interleave(lists: Lists, method: Any = "team-draft", *, duel_id: str, length: int = 10,
               offset: int = 0, seed: int = 0, clicks: Iterable[str] | None = None) -> Impression:
    """Merges rankings by any method, such as ``"probabilistic(tau=1)"``.

    ``lists`` maps the name of each ranking to its documents, best first. ``duel_id`` names the
    impression: the same id gives the same list again. ``offset`` is the number of documents on
    earlier pages (team draft only). With ``clicks``, the ids that were clicked, perhaps none, the
    impression has an ``outcome``.
    """
    if not isinstance(lists, Mapping):
        raise TypeError("lists must be a dict of rankings by name")
    names = [str(name) for name in lists]
    rankings = [_ids(ranking, f"lists[{name!r}]") for name, ranking in lists.items()]
    request = {"method": str(method), "id": duel_id, "length": length, "offset": offset,
               "seed": seed}
    clicked = None if clicks is None else _ids(clicks, "clicks")
    return Impression(_native.interleave(request, names, rankings, clicked))


def team_draft(lists: Lists, *, duel_id: str, length: int = 10, offset: int = 0, seed: int = 0,
               clicks: Iterable[str] | None = None, **options: Any) -> Impression:
    """Team draft (Radlinski, Kurup, Joachims, CIKM 2008), in the form that a server uses.

    Without options it has pages and marks items as competitive; with options (``fill``,
    ``shared``) it is the published method.
    """
    return interleave(lists, call_text("team-draft", options), duel_id=duel_id, length=length,
                      offset=offset, seed=seed, clicks=clicks)


def balanced(lists: Lists, *, duel_id: str, length: int = 10, seed: int = 0,
             clicks: Iterable[str] | None = None, **options: Any) -> Impression:
    """Balanced interleaving (Joachims, KDD 2002). It is biased for some rankings."""
    return interleave(lists, call_text("balanced", options), duel_id=duel_id, length=length,
                      seed=seed, clicks=clicks)


def probabilistic(lists: Lists, *, duel_id: str, length: int = 10, seed: int = 0,
                  clicks: Iterable[str] | None = None, **options: Any) -> Impression:
    """Probabilistic interleaving (Hofmann, Whiteson, de Rijke, CIKM 2011); options ``tau``,
    ``credit``, ``coins``."""
    return interleave(lists, call_text("probabilistic", options), duel_id=duel_id, length=length,
                      seed=seed, clicks=clicks)


def optimised(lists: Lists, *, duel_id: str, length: int = 10, seed: int = 0,
              clicks: Iterable[str] | None = None, **options: Any) -> Impression:
    """Optimised interleaving (Radlinski and Craswell, WSDM 2013)."""
    return interleave(lists, call_text("optimised", options), duel_id=duel_id, length=length,
                      seed=seed, clicks=clicks)


def multileave(lists: Lists, method: str = "team-draft-multileave", *, duel_id: str,
               length: int = 10, seed: int = 0, clicks: Iterable[str] | None = None,
               **options: Any) -> Impression:
    """Merges any number of rankings; ``methods()`` lists the methods that can."""
    text = call_text(method, options) if options else method
    return interleave(lists, text, duel_id=duel_id, length=length, seed=seed, clicks=clicks)


def methods() -> list[dict[str, Any]]:
    """All methods: name, what it is, paper, options, and whether it takes more than two."""
    return _native.interleaving_methods()
