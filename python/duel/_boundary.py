"""Errors of the native module in the words of its callers.

pybind11 answers an argument of a wrong type by listing signatures in C++. Here such an error becomes
a TypeError that names the argument. It costs nothing where no error is raised, but a call of Python,
so what is called once per duel is left as it is.
"""

from __future__ import annotations

import functools
import inspect
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
    for name, value in given.items():
        why = _unfit(value)
        if why:
            return f"{name}: {why}"
    return f"{called}(): one of {', '.join(known)} has a wrong type or is out of range"


def _unfit(value: Any, depth: int = 3) -> str:
    """Why a value of the right type does not fit, where that can be told; or ""."""
    if isinstance(value, int) and not -2**63 <= value < 2**64:
        return "the number is too large"
    if isinstance(value, int) and not 0 <= value < 2**32:
        return f"{value} is out of range"
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return "a text has half of a surrogate pair"
    if isinstance(value, (list, tuple)) and depth > 0:
        return next((why for item in value if (why := _unfit(item, depth - 1))), "")
    return ""


# What the native module says where a value inside of an argument is of no use (src/errors.cc).
_MISPLACED = "a value has a type that does not belong where it is"


def _misplaced(called: str, signature: str, arguments: tuple[Any, ...],
               named: dict[str, Any]) -> str:
    known = [name for name, _, _ in _parameters("1. " + signature) if name != "self"]
    given = dict(zip(known, arguments), **named)
    # A request is a dict of arguments, which its caller knows by their keys.
    for name, value in list(given.items()):
        if isinstance(value, dict):
            given.update((str(key), item) for key, item in value.items())
    for name, value in given.items():
        why = _unfit(value)
        if why:
            return f"{name}: {why}"
    return f"{called}(): one of {', '.join(given)} holds a value of a wrong type"


def _wrapped(function: Any, called: str, is_method: bool) -> Any:
    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except TypeError as error:
            message = str(error)
            given = arguments[1:] if is_method else arguments
            if message == _MISPLACED:
                explained = _misplaced(called, function.__doc__ or "", given, named)
            elif "incompatible" in message and "argument" in message:
                explained = _explained(called, message, given, named)
            else:
                raise
        raise TypeError(explained) from None

    return call


_POLICY = """A policy that is asked for duels and told their outcomes.

``policy`` is a string such as ``"rucb(alpha=0.6)"`` or what ``duel.policies.rucb(alpha=0.6)`` gives,
``arms`` how many arms there are, and ``rounds`` the horizon for policies that need one. With ``seed``
and ``trial`` it plays that very trial of the simulator.

    p = duel.Policy("rucb", arms=6, seed=1)
    d = p.select()                   # Duel(first=2, second=5, round=1)
    p.observe(d, "first")
    p.recommend()
"""


def _described(kind: Any, doc: str, parameters: list[tuple[str, Any]]) -> None:
    """A docstring and a signature for a class of the module, for help() and inspect."""
    kind.__doc__ = doc
    kind.__signature__ = inspect.Signature([
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for name, default in parameters])


def speak_plainly() -> None:
    """Changes the module's functions and methods in place."""
    needed = inspect.Parameter.empty
    _described(_native.Policy, _POLICY, [("policy", needed), ("arms", needed), ("seed", 0),
                                         ("trial", 0), ("rounds", None)])
    _described(_native.Duel, "Two arms to compare: ``first``, ``second``, and the ``round``.",
               [("first", needed), ("second", needed), ("round", 0)])
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
