"""Bytes that come in pieces, cut into lines or into server-sent events; nothing is copied twice."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec


class Lines:
    """Cuts a stream of bytes at newlines.

    Args:
        longest: Bytes of the longest line; a longer one is dropped while it comes, so that memory stays bounded.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """The lines that `chunk` completes, without their newlines; None for a line that was dropped."""
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._add(piece)
            yield b"".join(self._parts) if self._size <= self._longest else None
            self._parts, self._size = [], 0
        self._add(rest)

    def end(self) -> bytes:
        """What came after the last newline."""
        return b"".join(self._parts)

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._longest:
            self._parts.append(piece)
        else:
            self._parts.clear()


class Event(msgspec.Struct, frozen=True):
    """One server-sent event: its data, its type, and its other fields as they were written."""

    data: bytes
    type: bytes
    others: bytes

    def written(self, data: bytes | None) -> bytes:
        """The event with other data, as it goes over the wire; None leaves the data out."""
        lines = b"" if data is None else b"".join(b"data: %b\n" % line for line in data.split(b"\n"))
        return b"%b%b\n" % (self.others, lines)


class Events:
    """Cuts a stream of bytes into server-sent events (HTML standard, section 9.2).

    Args:
        longest: Bytes of the longest event; the data of a longer one is dropped.
    """

    def __init__(self, longest: int) -> None:
        self._lines = Lines(longest)
        self._longest = longest
        self._held_return = False
        self._data: list[bytes] = []
        self._type = b"message"
        self._others: list[bytes] = []
        self._size = 0
        self._dropped = False

    def feed(self, chunk: bytes) -> Iterator[Event | None]:
        """The events that `chunk` completes; None for one that was dropped."""
        if self._held_return:
            chunk = b"\r" + chunk
        self._held_return = chunk.endswith(b"\r")  # its newline may be on the way
        if self._held_return:
            chunk = chunk[:-1]
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        for line in self._lines.feed(chunk):
            if line is None:
                self._dropped = True
            elif line:
                self._field(line)
            elif self._dropped:
                yield None
                self._clear()
            elif self._data or self._others:
                yield Event(b"\n".join(self._data), self._type, b"".join(self._others))
                self._clear()

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            self._size += len(value)
            if self._size > self._longest:
                self._dropped = True
                self._data.clear()
        elif name:  # a line that begins with a colon is a comment
            if name == b"event":
                self._type = value.removeprefix(b" ")
            self._others.append(line + b"\n")

    def _clear(self) -> None:
        self._data, self._others = [], []
        self._type, self._size, self._dropped = b"message", 0, False
