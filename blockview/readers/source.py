"""A recording's bytes: a file mapped into memory, or what came in on stdin."""

from __future__ import annotations

import mmap
from functools import cached_property
from pathlib import Path
from types import TracebackType

from blockview.core.model import Place

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BACKWARDS = 65536


class Source:
    """The bytes of one recording.

    `data` is a read-only map of the file, or bytes. A file that starts with a UTF-16 mark is decoded once and held as
    UTF-8: then `transcoded` is True and all places count bytes of that UTF-8 text.
    """

    def __init__(self, name: str, path: Path | None, data: mmap.mmap | bytes) -> None:
        self.name = name
        self.path = path
        self.transcoded = data[:2] in _UTF16_MARKS
        self.data: mmap.mmap | bytes = data
        if self.transcoded:
            self.data = data[:].decode("utf-16", "replace").encode()
            if isinstance(data, mmap.mmap):
                data.close()
        self.size = len(self.data)

    @classmethod
    def open(cls, path: Path) -> Source:
        """Map a file read-only; an empty file is fine.

        Raises:
            OSError: the file is missing, a directory, or may not be read.
        """
        with path.open("rb") as file:
            # An empty file cannot be mapped, and a pipe has no size: both are simply read.
            if path.is_file() and path.stat().st_size:
                return cls(str(path), path, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            return cls(str(path), path, file.read())

    @classmethod
    def of_bytes(cls, name: str, data: bytes) -> Source:
        """A recording that is in memory already, such as stdin."""
        return cls(name, None, data)

    def text(self, place: Place) -> str:
        """The recorded text at a place. A byte that is not UTF-8 becomes a lone surrogate, so nothing is lost."""
        return self.data[place.byte : place.byte + place.length].decode("utf-8", "surrogateescape")

    @cached_property
    def content_end(self) -> int:
        """The offset behind the last byte that is neither white space nor NUL: what follows is padding."""
        end = self.size
        while end:
            start = max(0, end - _BACKWARDS)
            kept = self.data[start:end].rstrip(b" \t\r\n\0")
            if kept:
                return start + len(kept)
            end = start
        return 0

    def close(self) -> None:
        """Unmap the file. Nothing can be read afterwards."""
        if isinstance(self.data, mmap.mmap):
            self.data.close()
        self.data = b""

    def __enter__(self) -> Source:
        """Return the source itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the source."""
        self.close()
