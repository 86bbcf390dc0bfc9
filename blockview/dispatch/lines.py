"""Bytes that come in pieces, cut into lines or into server-sent events; nothing is copied twice."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

_BEGINNING = 16
"""Bytes by which it is clear how a line begins."""

_FIELDS = (b"data", b"event", b"id", b"retry")
"""The fields of events; others have no meaning and are ignored (HTML standard, section 9.2.6)."""


class Lines:
    """Cuts a stream of bytes at newlines. What is held is what has come of one line, whatever pieces it came in.

    Args:
        longest: Bytes of the longest line; a longer one is dropped while it comes, so that memory stays bounded.
        wanted: How lines begin that are wanted, in at most 16 bytes; a longer line that begins otherwise is left out
            while it comes. Without any, all lines are wanted.
    """

    def __init__(self, longest: int, wanted: tuple[bytes, ...] = ()) -> None:
        self._longest = longest
        self._wanted = wanted
        self._held = bytearray()
        self._size = 0
        self._unwanted = False

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """The lines that `chunk` completes, without their newlines; None for a line that was dropped."""
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            if self._size or len(piece) > self._longest:
                self._add(piece)
                piece = bytes(self._held)
            size, unwanted = self._size, self._unwanted
            self._forget()
            if not unwanted:
                yield piece if size <= self._longest else None
        self._add(rest)

    def end(self) -> bytes:
        """What came after the last newline."""
        return bytes(self._held)

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._unwanted or self._size > self._longest:
            self._held = bytearray()
            return
        self._held += piece
        if self._wanted and len(self._held) > _BEGINNING and not self._held.startswith(self._wanted):
            self._unwanted, self._held = True, bytearray()

    def _forget(self) -> None:
        self._held, self._size, self._unwanted = bytearray(), 0, False


class Event(msgspec.Struct, frozen=True):
    """One server-sent event: its data, its type, and the last of each of its other fields as they were written."""

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
        longest: Bytes of the longest event; what came of a longer one is dropped.
    """

    def __init__(self, longest: int) -> None:
        self._lines = Lines(longest, tuple(field + b":" for field in _FIELDS))
        self._longest = longest
        self._held_return = False
        self._data: bytearray | None = None
        self._others: dict[bytes, bytes] = {}
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
                self._drop()
            elif line:
                self._field(line)
            elif self._dropped:
                self._clear()
                yield None
            elif self._data is not None or self._others:
                event = self._event()
                self._clear()
                yield event

    def _event(self) -> Event:
        kind = self._others.get(b"event", b"event: message\n").partition(b":")[2]
        return Event(bytes(self._data or b""), kind[:-1].removeprefix(b" "), b"".join(self._others.values()))

    def _field(self, line: bytes) -> None:
        colon = line.find(b":")
        name = line if colon < 0 else line[:colon]
        if name not in _FIELDS or self._dropped:
            return
        if name == b"data":
            start = len(line) if colon < 0 else colon + (2 if line[colon + 1 : colon + 2] == b" " else 1)
            if self._data is None:
                self._data = bytearray()
            else:
                self._data += b"\n"
            self._data += memoryview(line)[start:]
        else:
            self._others[name] = line + b"\n"
        if len(self._data or b"") + sum(map(len, self._others.values())) > self._longest:
            self._drop()

    def _drop(self) -> None:
        self._clear()
        self._dropped = True

    def _clear(self) -> None:
        self._data, self._others, self._dropped = None, {}, False
