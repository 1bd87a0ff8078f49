"""Errors of the native module in the words of its callers.

pybind11 answers an argument of a wrong type by listing signatures in C++. Here such an error becomes
a TypeError that names the argument. It costs nothing where no error is raised, but a call of Python,
so what is called once per duel is left as it is.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Callable

from . import _native

# Their arguments are looked at by themselves, and each call counts.
_PLAIN = {("Policy", "select"), ("Policy", "observe"), ("Policy", "recommend")}
_SPECIAL = {"__init__", "__call__", "__getitem__", "__setstate__"}

# What pybind11 calls a type, what a reader calls it, and whether a value is one.
_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "int": ("a whole number", lambda value: hasattr(value, "__index__")),
    "float": ("a number", lambda value: hasattr(value, "__float__") or hasattr(value, "__index__")),
    "bool": ("True or False", lambda value: isinstance(value, bool)),
    "dict": ("a dict", lambda value: isinstance(value, dict)),
    "tuple": ("a tuple", lambda value: isinstance(value, tuple)),
    "bytes": ("bytes", lambda value: isinstance(value, bytes)),
    "List[str]": ("a list of texts", lambda value: isinstance(value, (list, tuple)) and
                  all(isinstance(item, str) for item in value)),
}


def _parameters(message: str) -> list[tuple[str, str, bool]]:
    """Name, type and whether it may be left out, from the first signature of a message."""
    found = re.search(r"1\. (?:[\w.]+)?\((.*?)\)(?: -> |\n|$)", message, re.S)
    if found is None:
        return []
    parameters, depth, part = [], 0, ""
    for letter in found.group(1) + ",":
        depth += (letter in "[(") - (letter in "])")
        if letter != "," or depth > 0:
            part += letter
            continue
        name, _, rest = part.strip().partition(": ")
        kind, _, default = rest.partition(" = ")
        if name:
            parameters.append((name, kind, bool(default)))
        part = ""
    return parameters


def _explained(called: str, message: str, arguments: tuple[Any, ...],
               named: dict[str, Any]) -> str:
    parameters = [parameter for parameter in _parameters(message) if parameter[0] != "self"]
    known = [name for name, _, _ in parameters]
    for name in named:
        if name not in known:
            return f"{called}() has no argument '{name}'"
    if len(arguments) > len(known):
        return f"{called}() takes {len(known)} arguments, not {len(arguments)}"
    given = dict(zip(known, arguments), **named)
    for name, kind, has_default in parameters:
        if name not in given:
            if not has_default:
                return f"{called}() needs the argument '{name}'"
            continue
        wanted = kind
        if kind.startswith("Optional["):
            if given[name] is None:
                continue
            wanted = kind[len("Optional["):-1]
        words, fits = _KINDS.get(wanted, ("", lambda value: True))
        if not fits(given[name]):
            return f"{name}: {words} is needed, not {type(given[name]).__name__}"
        if wanted == "str":
            try:
                given[name].encode()
            except UnicodeEncodeError:
                return f"{name}: the text has half of a surrogate pair"
    for name, kind, _ in parameters:
        if kind.startswith("duel.") and name in given and \
                type(given[name]).__name__ != kind.rsplit(".", 1)[1]:
            return f"{name}: a {kind.rsplit('.', 1)[1]} is needed, not {type(given[name]).__name__}"
    return f"{called}(): an argument has a wrong type or is out of range"


def _wrapped(function: Any, called: str, is_method: bool) -> Any:
    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except TypeError as error:
            message = str(error)
            if "incompatible" not in message or "argument" not in message:
                raise
            given = arguments[1:] if is_method else arguments
            explained = _explained(called, message, given, named)
        raise TypeError(explained) from None

    return call


def speak_plainly() -> None:
    """Changes the module's functions and methods in place."""
    for name, value in list(vars(_native).items()):
        if name.startswith("_"):
            continue
        if isinstance(value, type):
            for method, function in list(vars(value).items()):
                special = method.startswith("__")
                if (name, method) in _PLAIN or (special and method not in _SPECIAL):
                    continue
                if type(function).__name__ == "instancemethod":
                    setattr(value, method, _wrapped(
                        function, name if method == "__init__" else method, True))
                elif isinstance(function, staticmethod):
                    setattr(value, method, staticmethod(
                        _wrapped(function.__func__, method, False)))
        elif callable(value):
            setattr(_native, name, _wrapped(value, name, False))
