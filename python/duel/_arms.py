"""What is compared, and about what: arms and tasks as their users have them."""

from __future__ import annotations

import json
import numbers
import os
from typing import Any, Iterable, Iterator, List, Mapping, NamedTuple

from . import _native
from ._answers import RESERVED, number_kind
from .errors import InvalidArgument

# Columns and keys that name an arm, the first that is there.
_NAMES = ("name", "arm", "arm_id", "id")
_PAYLOADS = ("payload", "content")


def is_frame(value: Any) -> bool:
    """Whether it is a pandas DataFrame, or behaves like one."""
    return hasattr(value, "columns") and hasattr(value, "to_dict")


def _is_series(value: Any) -> bool:
    return hasattr(value, "index") and hasattr(value, "items") and not isinstance(
        value, (list, tuple, str))


def plain(value: Any) -> Any:
    """The value as JSON has it: numpy's numbers and arrays become Python's. Anything else stays."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if type(value).__module__.partition(".")[0] in ("numpy", "pandas"):
        for method in ("tolist", "isoformat"):
            if hasattr(value, method):
                return getattr(value, method)()
    return value


def _json_or_none(payload: Any) -> Any:
    """The payload for the log; None where it is no JSON, as of a model or a function."""
    try:
        value = plain(payload)
        json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        return None
    return value


def _name_of(name: Any, place: str) -> str:
    if isinstance(name, str):
        text = str(name)
    elif isinstance(name, os.PathLike):
        text = str(os.fspath(name))
    elif isinstance(name, numbers.Real) and not isinstance(name, bool):
        text = str(name)
    else:
        raise TypeError(f"arms: the name of an arm is a text, not {type(name).__name__} ({place})")
    if not text.strip():
        raise InvalidArgument(f"{place} has an empty name", field="arms")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"{place} has half of a surrogate pair in its name",
                              hint="Unicode that can be written as UTF-8", field="arms") from None
    if "\0" in text:
        raise InvalidArgument(f"{place} has a zero byte in its name", field="arms")
    return text


def _of_record(record: Mapping[Any, Any], place: str) -> tuple[str, Any]:
    """An arm of a dict such as {"name": "terse", "payload": ..} or of a row of a table."""
    key = next((key for key in _NAMES if key in record), None)
    if key is None:
        raise InvalidArgument(f"{place} has no name", hint="one of " + ", ".join(_NAMES),
                              field="arms")
    rest = {name: value for name, value in record.items() if name != key}
    for payload in _PAYLOADS:
        if list(rest) == [payload]:
            return _name_of(record[key], place), rest[payload]
    return _name_of(record[key], place), rest or None


def _pairs(arms: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(arms, (str, bytes)):
        raise InvalidArgument("a list of arms is needed, not one text", field="arms")
    if isinstance(arms, (set, frozenset)):
        raise TypeError("arms: a set has no order, and results depend on it; give a list")
    if is_frame(arms):
        rows = arms.to_dict("records")
        known = [str(column) for column in arms.columns]
        if not any(name in known for name in _NAMES):
            raise InvalidArgument("the table has no column that names the arms",
                                  hint="one of " + ", ".join(_NAMES), field="arms")
        for k, row in enumerate(rows):
            yield _of_record({str(key): value for key, value in row.items()}, f"row {k}")
        return
    if isinstance(arms, Mapping) or _is_series(arms):
        for name, payload in arms.items():
            yield _name_of(name, f"the arm {name!r:.60}"), payload
        return
    try:
        items = list(arms)
    except TypeError:
        raise TypeError(f"arms: a list, a dict or a table is needed, not {type(arms).__name__}"
                        ) from None
    for k, item in enumerate(items):
        place = f"arm {k}"
        if isinstance(item, Mapping):
            yield _of_record(item, place)
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
            yield _name_of(item[0], place), item[1]
        else:
            yield _name_of(item, place), None


class Arms:
    """The arms by the names that the user gave them, with the ids that the log knows them by.

    A name may be any text. Where it is no id, one is made from it, as for `duel run`.
    """

    def __init__(self, arms: Any) -> None:
        self.payloads: dict[str, Any] = {}
        for name, payload in _pairs(arms):
            if name in self.payloads:
                raise InvalidArgument(f"the arm '{name}' is named twice", field="arms")
            self.payloads[name] = payload
        if len(self.payloads) < 2:
            raise InvalidArgument("a duel needs two arms", field="arms",
                                  hint="such as ['a', 'b'] or {'a': .., 'b': ..}")
        self.names = list(self.payloads)
        self.id_of = self._ids()
        self.name_of = {arm_id: name for name, arm_id in self.id_of.items()}
        for name in self.names:
            self._refuse_two_meanings(name)
        self._name_of_text: dict[str, str] = {}
        for name, payload in self.payloads.items():
            if isinstance(payload, str):
                self._refuse_equal(name, self._name_of_text.setdefault(str(payload), name), "text")
        name_of_object: dict[int, str] = {}
        for name, payload in self.payloads.items():
            if payload is not None and not number_kind(payload):
                self._refuse_equal(name, name_of_object.setdefault(id(payload), name), "object")
        # Answers of these kinds could be arms.
        self.number_kinds = {number_kind(payload) for payload in self.payloads.values()} & {
            "bool", "float"}

    def _ids(self) -> dict[str, str]:
        ids = {name: name for name in self.names if _native.is_id(name)}
        taken = set(ids)
        for name in self.names:
            if name in ids:
                continue
            made = base = _native.id_from(name)
            number = 2
            while made in taken:
                made = f"{base[:90]}-{number}"
                number += 1
            taken.add(made)
            ids[name] = made
        return {name: ids[name] for name in self.names}

    def _refuse_two_meanings(self, name: str) -> None:
        """A judge answers by a word, a name or what it was shown: none may mean two things."""
        hint = "a judge's answer would have two meanings"
        if name.lower() in RESERVED:
            raise InvalidArgument(f"'{name}' cannot name an arm", hint=hint, field="arms")
        payload = self.payloads[name]
        if not isinstance(payload, str):
            return
        if payload in RESERVED:
            raise InvalidArgument(f"the arm '{name}' cannot be the text '{payload}'", hint=hint,
                                  field="arms")
        other = self.find(payload)
        if other is not None and other != name:
            raise InvalidArgument(f"the arm '{name}' is the text '{payload}', which names another "
                                  "arm", hint=hint, field="arms")

    @staticmethod
    def _refuse_equal(name: str, other: str, what: str) -> None:
        """What a judge is shown has to tell the arms apart, or it cannot name one by it."""
        if other != name:
            raise InvalidArgument(f"the arms '{other}' and '{name}' are the same {what}",
                                  hint="a judge could not tell them apart", field="arms")

    def find(self, said: str) -> str | None:
        """The name of an arm that is called so by its name or by its id."""
        return said if said in self.payloads else self.name_of.get(said)

    def meant_by(self, said: str) -> str | None:
        """The name of an arm by its name, its id, or the text that it is."""
        named = self.find(said)
        return self._name_of_text.get(said) if named is None else named

    def shown(self, name: str) -> Any:
        """What a judge gets: what the arm stands for, or its name."""
        payload = self.payloads[name]
        return name if payload is None else payload

    def request(self) -> list[tuple[str, str, Any]]:
        return [(self.id_of[name], "" if self.id_of[name] == name else name,
                 _json_or_none(self.payloads[name])) for name in self.names]


class _Task(NamedTuple):
    line: str
    shown: Any  # what the judge gets


def _task_line(content: Any, place: str) -> str:
    try:
        return json.dumps(plain(content), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"tasks: {place} cannot be written as JSON ({error})") from None


def _tasks_of_file(file: str) -> Iterator[_Task]:
    with open(file, encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            text = line.strip()
            if not text:
                continue
            try:
                yield _Task(text, json.loads(text))
            except ValueError:
                raise InvalidArgument("this is not JSON", where=f"{file}:{number}", field="tasks",
                                      hint='one value per line: {"question": ".."} or ".."'
                                      ) from None


def _tasks(tasks: Any) -> Iterator[_Task]:
    if isinstance(tasks, (str, os.PathLike)):
        yield from _tasks_of_file(os.fspath(tasks))
        return
    if isinstance(tasks, (set, frozenset)):
        raise TypeError("tasks: a set has no order, and results depend on it; give a list")
    if is_frame(tasks):
        for k, row in enumerate(tasks.to_dict("records")):
            yield _Task(_task_line(row, f"row {k}"), row)
        return
    if isinstance(tasks, Mapping):
        for name, content in tasks.items():
            line = _task_line({"task_id": str(name), "payload": content}, f"task {name!r:.60}")
            yield _Task(line, content)
        return
    try:
        items: Iterable[Any] = list(tasks)
    except TypeError:
        raise TypeError("tasks: a list, a table or the name of a file is needed, not "
                        + type(tasks).__name__) from None
    for k, item in enumerate(items):
        yield _Task(_task_line(item, f"task {k}"), item)


class Tasks(List[_Task]):
    """What the duels are about. Each line of `text` is a task, as in a file of `duel run`."""

    def __init__(self, tasks: Any) -> None:
        super().__init__(_tasks(tasks))
        if not self:
            raise InvalidArgument("there is no task in it", field="tasks")

    @property
    def text(self) -> str:
        return "".join(task.line + "\n" for task in self)
