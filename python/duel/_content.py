"""Results that are what a command prints as JSON, and more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Iterator


class Content(Mapping):  # type: ignore[type-arg]
    """A mapping with the keys of a JSON object."""

    def __init__(self, content: Any) -> None:
        self._content = content

    def __getitem__(self, name: str) -> Any:
        return self._content[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    __hash__ = None  # type: ignore[assignment]
