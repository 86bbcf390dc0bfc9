"""How much work a piece of code does, counted and not timed: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


def calls_in(work: Callable[[], object]) -> int:
    """The number of function calls, Python's and C's, that `work` makes."""
    counted = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


_watching: list[list[str]] = []
_EVENTS = frozenset({"open", "sqlite3.connect", "subprocess.Popen"})


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event in _EVENTS:
        for heard in _watching:
            heard.append(f"{event} {arguments[0]!s}")


@contextmanager
def watched() -> Iterator[list[str]]:
    """Collects what is opened, and which programs are started, by this process: `open /path`, `subprocess.Popen x`."""
    if not _hooks:
        sys.addaudithook(_hear)  # a hook stays for good
        _hooks.append(_hear)
    heard: list[str] = []
    _watching.append(heard)
    try:
        yield heard
    finally:
        _watching.remove(heard)


_hooks: list[object] = []
