"""Opens a recording from where it is: a file, or bytes that came through a pipe."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from blockview.core.model import Session
from blockview.readers.registry import read_session
from blockview.readers.source import Source


def open_session(path: str | PathLike[str]) -> Session:
    """Open a recording of any known format. Its blocks are read when somebody looks at them.

    Raises:
        UnknownFormat: no reader knows the recording.
        OSError: the file is missing, a folder, or may not be read.
    """
    return read_session(Source.open(Path(path)))


def session_of_bytes(name: str, data: bytes) -> Session:
    """Read a recording that is in memory already.

    Raises:
        UnknownFormat: no reader knows the recording.
    """
    return read_session(Source.of_bytes(name, data))
