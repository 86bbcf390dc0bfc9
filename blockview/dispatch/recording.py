"""The file that `blockview record` writes: a line of JSON for each message, with the text as it went over the wire.

The first line of each run is `{"blockview-record":1,"at":TIME,"server":NAME}`. A message is
`{"at":TIME,"way":WAY,"server":NAME,"text":TEXT}`: TIME is UTC in ISO 8601, WAY is `client→server`, `server→client` or
`stderr`, TEXT is the line without its newline. Bytes that are not UTF-8 stand in `base64` in place of `text`, and
`"cut":true` says that the stream ended before the newline did. A line is written by one call, after the message was
passed on, so that a kill loses at most the message that is on its way. Loads nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import threading
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime

VERSION = 1
MARK = "blockview-record"

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class NotOurs(ValueError):
    """The file is there and holds something else."""


class Recording:
    """A file to which messages are added. No fault of the file stops the one who adds.

    Args:
        path: The file; a recording that is there goes on.
        server: What the server is called in it.
        warn: Told once when something cannot be written.

    Raises:
        NotOurs: the file is there and no recording of this kind.
    """

    def __init__(self, path: str, server: str, warn: Callable[[str], None]) -> None:
        self._path, self._server, self._warn = path, server, warn
        self._lock = threading.Lock()
        self._file = -1
        self._torn = False
        """Whether the last line that was written may lack its end."""
        self._told = False
        try:
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            self._look()
        except OSError as error:
            self._fail(error)
        self._write({MARK: VERSION, "at": _now(), "server": server})

    def _look(self) -> None:
        """Look at what is in the file."""
        size = os.fstat(self._file).st_size
        if not size:
            return
        os.lseek(self._file, 0, os.SEEK_SET)
        if not os.read(self._file, len(MARK) + 2).startswith(f'{{"{MARK}'.encode()):
            raise NotOurs(f"{self._path} is there, and is no recording of blockview record; choose another file")
        os.lseek(self._file, -1, os.SEEK_END)
        self._torn = os.read(self._file, 1) != b"\n"

    def add(self, way: str, line: bytes, *, cut: bool = False) -> None:
        """Add a message, or a line of stderr.

        Args:
            way: Which way it went.
            line: Its bytes, without the newline.
            cut: Whether the stream ended within it.
        """
        record: dict[str, object] = {"at": _now(), "way": way, "server": self._server}
        try:
            record["text"] = line.decode()
        except UnicodeDecodeError:
            record["base64"] = b64encode(line).decode()
        if cut:
            record["cut"] = True
        self._write(record)

    def _write(self, record: dict[str, object]) -> None:
        data = _encode(record).encode() + b"\n"
        with self._lock:
            if self._file < 0:
                return
            left = memoryview(b"\n" + data if self._torn else data)
            try:
                while left:
                    self._torn = True
                    left = left[os.write(self._file, left) :]
                self._torn = False
            except OSError as error:
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        if not self._told:
            self._told = True
            self._warn(f"{self._path}: not recorded: {error.strerror or error}; the traffic goes on")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
