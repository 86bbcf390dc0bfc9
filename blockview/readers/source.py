"""A recording's bytes: a file that is read piece by piece, or what came in on stdin."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import BinaryIO

from blockview.core.model import Place
from blockview.readers.packed import is_packed, unpack

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PIECE = 1 << 20
_BACKWARDS = 65536
_OVERLAP = 4096


class Source:
    """The bytes of one recording, as many as it has when it is opened.

    Files are read and not mapped: a file that another program cuts short would kill a process that has it mapped. A
    compressed file is unpacked once, and all places count bytes of what was in it; `damage` says what of it could not
    be had. A file that starts with a UTF-16 mark is decoded once and held as UTF-8: then `transcoded` is True and all
    places count bytes of that UTF-8 text. `plain` is True when neither was done, so that the bytes are the file's own.
    """

    def __init__(self, name: str, path: Path | None, file: BinaryIO) -> None:
        self.name = name
        self.path = path
        self._file = file
        self._lock = Lock()
        self.damage = ""
        self.plain = path is not None
        if is_packed(self.read(0, 4)):
            self.plain = False
            with file:
                self._file, self.damage = unpack(file)
        self.transcoded = self.read(0, 2) in _UTF16_MARKS
        if self.transcoded:
            self.plain = False
            with self._file as coded:
                coded.seek(0)
                self._file = io.BytesIO(coded.read().decode("utf-16", "replace").encode())
        self.size = self._file.seek(0, io.SEEK_END)

    @classmethod
    def open(cls, path: Path) -> Source:
        """Open a file for reading.

        Raises:
            OSError: the file is missing, a directory, or may not be read.
        """
        file = path.open("rb")
        if path.is_file():
            return cls(str(path), path, file)
        with file:
            return cls(str(path), path, io.BytesIO(file.read()))

    @cached_property
    def number(self) -> int:
        """What the file system calls the file; 0 for what is in memory."""
        try:
            return os.fstat(self._file.fileno()).st_ino
        except (OSError, io.UnsupportedOperation):
            return 0

    def refresh(self) -> None:
        """Take note of how long the file is by now."""
        with self._lock:
            self.size = self._file.seek(0, io.SEEK_END)
        self.__dict__.pop("content_end", None)

    @classmethod
    def of_bytes(cls, name: str, data: bytes) -> Source:
        """A recording that is in memory already, such as stdin."""
        return cls(name, None, io.BytesIO(data))

    def read(self, start: int, length: int) -> bytes:
        """The bytes at an offset; fewer where the file ends, or has become shorter since it was opened."""
        with self._lock:
            if self._file.closed:
                return b""
            self._file.seek(start)
            return self._file.read(length)

    def recorded(self, place: Place) -> bytes:
        """The recorded bytes at a place."""
        return self.read(place.byte, place.length)

    def text(self, place: Place) -> str:
        """The recorded text at a place. A byte that is not UTF-8 becomes a lone surrogate, so nothing is lost."""
        return self.recorded(place).decode("utf-8", "surrogateescape")

    def lines(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """The physical lines from an offset on, each with its own offset and without its line feed."""
        held: list[bytes] = []
        for piece in self._pieces(start):
            first, *more = piece.split(b"\n")
            held.append(first)
            if more:
                line = b"".join(held)
                held = [more.pop()]
                for whole in (line, *more):
                    yield start, whole
                    start += len(whole) + 1
        if last := b"".join(held):
            yield start, last

    def holds_line(self, pattern: re.Pattern[bytes]) -> bool:
        """Whether a pattern that begins with a line feed, and is short, occurs; the first line counts as well."""
        tail = b"\n"
        for piece in self._pieces(0):
            window = tail + piece
            if pattern.search(window):
                return True
            tail = window[-_OVERLAP:]
        return False

    def _pieces(self, start: int) -> Iterator[bytes]:
        while start < self.size and (piece := self.read(start, min(_PIECE, self.size - start))):
            yield piece
            start += len(piece)

    @cached_property
    def content_end(self) -> int:
        """The offset behind the last byte that is neither white space nor NUL: what follows is padding."""
        end = self.size
        while end:
            start = max(0, end - _BACKWARDS)
            kept = self.read(start, end - start).rstrip(b" \t\r\n\0")
            if kept:
                return start + len(kept)
            end = start
        return 0

    def close(self) -> None:
        """Close the file. Nothing can be read afterwards."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Source:
        """Return the source itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the source."""
        self.close()
