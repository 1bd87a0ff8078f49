"""Small pieces of HTML for notebooks."""

from __future__ import annotations

import html
from typing import Any, Iterable, Sequence


def cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return html.escape(str(value))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    head = "".join(f"<th>{html.escape(str(column))}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>"
                   for row in rows)
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shade(p: float) -> str:
    """The colour of a win probability: red below one half, green above."""
    strength = min(1.0, abs(p - 0.5) * 2)
    colour = "38,139,68" if p > 0.5 else "203,60,51"
    return f"background: rgba({colour},{0.65 * strength:.2f})"
