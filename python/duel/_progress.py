"""How far long work is: a line, a bar of tqdm, a function, or a live board in a notebook."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable

Told = Callable[[int, int], None]


class ProgressBar:
    """A line on stderr, in the manner of tqdm, about ten times a second."""

    def __init__(self, unit: str = "trials", stream: Any = None) -> None:
        self._unit = unit
        self._stream = stream or sys.stderr
        self._begun = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        seconds = max(1e-9, time.monotonic() - self._begun)
        width = 30
        filled = int(width * done / total)
        rate = done / seconds
        left = f", {(total - done) / rate:.0f} s left" if done and done < total else ""
        bar = "#" * filled + "-" * (width - filled)
        end = "\n" if done >= total else ""
        self._stream.write(f"\r{bar} {done}/{total} {self._unit}, {rate:.1f}/s{left}   {end}")
        self._stream.flush()


def _updates(bar: Any) -> Told:
    def update(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done >= total and hasattr(bar, "refresh"):
            bar.refresh()

    return update


def _of_class(make: Any, unit: str) -> Told:
    """A bar that a class such as tqdm makes once there is something to show."""
    made: list[Any] = []

    def update(done: int, total: int) -> None:
        if not made:
            made.append(make(total=total, unit=f" {unit}"))
        _updates(made[0])(done, total)
        if done >= total and hasattr(made[0], "close"):
            made[0].close()

    return update


def progress_of(progress: Any, unit: str = "trials") -> Told | None:
    """What ``progress`` means, for every function alike.

    None or False: nothing; True: a line on stderr; a class such as ``tqdm.tqdm``, or a bar that it
    made: the bar is updated; a function: it is called with (done, total).
    """
    if progress is None or progress is False:
        return None
    if progress is True:
        return ProgressBar(unit)
    if isinstance(progress, type) and hasattr(progress, "update"):
        return _of_class(progress, unit)
    if hasattr(progress, "update") and hasattr(progress, "n"):
        return _updates(progress)
    if callable(progress):
        told: Told = progress
        return told
    raise TypeError("progress: True, False, a class such as tqdm, one of its bars or a function of "
                    f"(done, total) is needed, not {type(progress).__name__}")


def in_notebook() -> bool:
    """Whether what is displayed is seen by somebody, as in Jupyter."""
    module = sys.modules.get("IPython")
    if module is None:
        return False
    try:
        shell = module.get_ipython()
    except Exception:
        return False
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


class LiveBoard:
    """A board in a notebook that is drawn again in its place."""

    _SECONDS = 0.5

    def __init__(self) -> None:
        self._handle: Any = None
        self._drawn = 0.0

    def show(self, make: Callable[[], Any], last: bool) -> None:
        now = time.monotonic()
        if not last and now - self._drawn < self._SECONDS:
            return
        self._drawn = now
        from IPython.display import display

        if self._handle is None:
            self._handle = display(make(), display_id=True)
        else:
            self._handle.update(make())
