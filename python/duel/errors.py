"""What goes wrong, as exceptions. Each says what was wrong, where, and what would be right."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """The base of all errors of Duel.

    ``message`` says what is wrong, ``where`` in which file, line or option, ``hint`` what is
    allowed or was meant, and ``field`` names the argument at fault. Any of the last three may be
    empty. ``result`` is where a run stood that the error ended; None for other errors.
    """

    def __init__(self, message: str, *, where: str = "", hint: str = "", field: str = "") -> None:
        text = "".join(part + ": " for part in (field, where) if part) + message
        super().__init__(text + (f" ({hint})" if hint else ""))
        self.message = message
        self.where = where
        self.hint = hint
        self.field = field
        self.result: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        state = None if self.result is None else {"result": self.result}
        return _rebuilt, (type(self), self.message, self.where, self.hint, self.field), state


def _rebuilt(kind: type[Error], message: str, where: str, hint: str, field: str) -> Error:
    return kind(message, where=where, hint=hint, field=field)


def in_field(error: Error, field: str, message: str = "") -> Error:
    """The same error about another argument: what a caller knows by another name."""
    return type(error)(message or error.message, where=error.where, hint=error.hint, field=field)


class InvalidArgument(Error, ValueError):
    """An option, a number or a spelling that is not allowed."""


class InvalidData(Error, ValueError):
    """The content of a file or of saved state is not what it should be."""


class NotFound(Error, LookupError):
    """There is no such file, policy or matrix."""


class Unsupported(Error, ValueError):
    """Each part is legal, but not this combination."""


class Conflict(Error, ValueError):
    """What is there already says otherwise."""


class StorageError(Error, OSError):
    """Reading or writing failed."""


class Interrupted(Error):
    """The work was stopped before there was a result."""


class JudgeFailed(Error, RuntimeError):
    """The judge gave no answer to too many duels in a row. Its last error is the cause, and
    ``result`` has all that it answered before."""


class RunInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. What was out was awaited and recorded; ``result`` is where it stands."""

    def __init__(self, result: Any = None) -> None:
        super().__init__("the run was interrupted")
        self.result = result


class FreshAnswersWarning(UserWarning):
    """Nothing says what the answers of a judge are about, and the certificate depends on it."""


class InternalError(Error, RuntimeError):
    """A mistake in Duel itself. Please report it."""
