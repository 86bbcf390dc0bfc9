"""Reading in steps: every recording can be opened so; those that are read as one go in a single step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from blockview.core.growing import Grown
from blockview.core.model import Session

Stamp = tuple[int, int, int]


def stamp(path: Path) -> Stamp:
    """What changes when a file is written to or replaced: its number, size and time.

    Raises:
        OSError: there is no file.
    """
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


class Whole:
    """A recording that is read as one, and read again when its file has changed.

    Args:
        path: The file.
        read: Reads the recording.
    """

    def __init__(self, path: Path, read: Callable[[], Session]) -> None:
        self._path = path
        self._read = read
        self._stamp: Stamp | None = None
        self._known = 0

    def read_on(self, seconds: float, rest: Callable[[], object] = bool) -> Grown | None:
        """The whole session, when the file is another one than at the time before."""
        found = stamp(self._path)
        if found == self._stamp:
            return None
        self._stamp = found
        session = self._read()
        before, self._known = self._known, len(session.blocks)
        _, size, _ = found
        return Grown(session, range(min(before, self._known)), size, size, replaced=self._known < before)
