"""The registry of policies: ``duel.policies()`` lists it, ``duel.policies.rucb(alpha=0.6)`` writes
a policy, and ``help(duel.policies.rucb)`` shows its paper, guarantee and options."""

from __future__ import annotations

import copy
import inspect
import re
from typing import Any, Callable, Iterable, Iterator, List

from . import _native
from .errors import InvalidArgument


class PolicyFacts:
    """What the registry says of a policy."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self._facts = facts

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_facts"][name]
        except KeyError:
            raise AttributeError(name) from None

    def to_dict(self) -> dict[str, Any]:
        return dict(self._facts)

    def __repr__(self) -> str:
        return f"<policy {self.name}: {self.title}>"


class PolicyList(List[PolicyFacts]):
    """A list of PolicyFacts that shows itself as a table."""

    _columns = ("name", "setting", "guarantee", "paper", "status")

    def to_dict(self) -> list[dict[str, Any]]:
        return [facts.to_dict() for facts in self]

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame([{column: getattr(facts, column) for column in self._columns}
                                 for facts in self])

    def _repr_html_(self) -> str:
        from ._html import table

        return table(self._columns,
                     [[getattr(facts, column) for column in self._columns] for facts in self])


def text_of(value: Any) -> str:
    """A value of an option as a policy string has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, (list, tuple)) for item in value):
            raise TypeError("options: a list of numbers or texts is needed, not one of lists")
        return "/".join(text_of(item) for item in value)
    if isinstance(value, float):
        return repr(value) if value == value and abs(value) != float("inf") else str(value)
    return str(value)


def call_text(name: str, options: dict[str, Any]) -> str:
    inner = ",".join(f"{key}={text_of(value)}" for key, value in options.items())
    return f"{name}({inner})" if inner else name


def _documentation(facts: dict[str, Any]) -> str:
    lines = [
        f"{facts['title']}.",
        "",
        f"Paper: {facts['paper']}.",
        f"Setting: {facts['setting']}.",
        f"Guarantee: {facts['guarantee']}.",
        f"Departs from the paper: {facts['departs']}.",
        f"Status: {facts['status']}.",
        "Horizon: " + ("needed." if facts["needs_horizon"] else "not needed."),
        "",
        "Options:",
    ]
    for option in facts["options"]:
        lines.append(f"  {option['name']} ({option['type']}, {option['allowed']}; "
                     f"default {option['default']}): {option['doc']}")
    return "\n".join(lines)


def _default_of(option: dict[str, Any]) -> Any:
    """The default as Python would write it."""
    text = str(option["default"])
    if option["allowed"] == "true | false":
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class PolicyCatalogue:
    """All policies. Call it for the list; its attributes write policies."""

    def __call__(self, setting: str = "") -> PolicyList:
        """The policies, and the learners of points and rankers; ``setting`` narrows the list."""
        if not isinstance(setting, str):
            raise TypeError(f"setting: a text is needed, not {type(setting).__name__}")
        known = sorted(_native.registered(), key=lambda facts: str(facts["name"]))
        return PolicyList(PolicyFacts(facts) for facts in known
                          if setting.lower() in facts["setting"].lower())

    def _named(self) -> dict[str, dict[str, Any]]:
        return {facts["name"].replace("-", "_"): facts for facts in _native.registered()}

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *self._named()])

    def __iter__(self) -> Iterator[PolicyFacts]:
        return iter(self())

    def __getitem__(self, name: str) -> PolicyFacts:
        found = [facts for facts in self() if facts.name == name]
        if not found:
            raise KeyError(name)
        return found[0]

    def __getattr__(self, attribute: str) -> Callable[..., str]:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        known = self._named()
        if attribute not in known:
            import difflib

            near = difflib.get_close_matches(attribute, known, 1)
            raise AttributeError(f"there is no policy '{attribute}'"
                                 + (f" (did you mean {near[0]}?)" if near else ""))
        facts = known[attribute]
        name = str(facts["name"])

        def policy(**options: Any) -> str:
            if facts["kind"] == "policy":
                return _native.check_policy_options(
                    name, [(key, text_of(value)) for key, value in options.items()])
            return call_text(name, options)

        policy.__name__ = policy.__qualname__ = attribute
        policy.__doc__ = _documentation(facts)
        policy.__module__ = "duel.policies"
        parameters = [
            inspect.Parameter(option["name"], inspect.Parameter.KEYWORD_ONLY,
                              default=_default_of(option))
            for option in facts["options"] if option["name"].isidentifier()
        ]
        setattr(policy, "__signature__", inspect.Signature(parameters, return_annotation=str))
        return policy

    def __repr__(self) -> str:
        return f"<{len(_native.registered())} policies; duel.policies() lists them>"

    def _repr_html_(self) -> str:
        return self()._repr_html_()


policies = PolicyCatalogue()


def registered_name(factory: Any) -> str:
    """A name of the registry's form for a policy written in Python."""
    name = getattr(factory, "name", None) or getattr(factory, "__name__", type(factory).__name__)
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", str(name)).lower()
    name = re.sub(r"[^a-z0-9_-]+", "-", name).strip("-_")
    return name or "python-policy"


def register_policy(name: str, factory: Callable[..., Any]) -> str:
    """Gives a policy written in Python a name, so that ``name`` and ``name(option=1)`` mean it.

    ``factory(arms, rng, **options)`` makes the policy of one trial; ``rng`` is a numpy generator
    that depends on the seed and the trial alone. The policy has ``select(round)``, which gives two
    arms, ``observe(duel, outcome)``, and if it likes ``recommend()``.
    """
    if not isinstance(name, str):
        raise TypeError(f"name: a text is needed, not {type(name).__name__}")
    if not callable(factory):
        raise TypeError(f"factory: what makes a policy is needed, not {type(factory).__name__}")
    doc = (inspect.getdoc(factory) or f"policy {name}, written in Python").splitlines()[0]
    _native.register_python_policy(name, factory, doc.rstrip("."))
    _factories[name] = factory
    return name


# What was registered here, so that workers elsewhere can be told.
_factories: dict[str, Callable[..., Any]] = {}


def factories_of(texts: Iterable[str]) -> list[tuple[str, Callable[..., Any]]]:
    """The registered policies that these strings name, with what makes them."""
    names = dict.fromkeys(text.partition("(")[0].strip() for text in texts)
    return [(name, _factories[name]) for name in names if name in _factories]


class _Copies:
    """Makes a policy for each trial by copying one."""

    def __init__(self, policy: Any) -> None:
        self._policy = policy
        self.__name__ = type(policy).__name__
        self.__doc__ = type(policy).__doc__

    def __call__(self, arms: int, rng: Any) -> Any:
        made = copy.deepcopy(self._policy)
        if hasattr(made, "rng"):
            made.rng = rng
        return made


def spec_of(policy: Any, field: str = "policies") -> str:
    """The string of a policy that was given as a string, an object or a Python class."""
    if isinstance(policy, str):
        return str(policy)
    if isinstance(policy, PolicyFacts):
        if policy.kind not in ("policy", "python"):
            raise InvalidArgument(f"'{policy.name}' is a {policy.kind}, and those are learners",
                                  hint="see duel.learn and duel.dbgd", field=field)
        return str(policy.name)
    if isinstance(policy, _native.Policy):
        return policy.policy
    if callable(policy):
        return register_policy(registered_name(policy), policy)
    if isinstance(policy, tuple) and len(policy) == 2 and callable(policy[1]):
        return register_policy(policy[0], policy[1])
    if hasattr(policy, "select") and hasattr(policy, "observe"):
        return register_policy(registered_name(type(policy)), _Copies(policy))
    raise TypeError(f"{field}: a policy is a string, a class, an object with select and observe, "
                    f"or a function that makes one, not {type(policy).__name__}")
