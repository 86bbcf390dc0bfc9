"""Recordings with a record per line, taken in step by step, and on while they are written."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from blockview.core.growing import Grown
from blockview.core.model import Session
from blockview.readers.head import Reader
from blockview.readers.source import Source

_PIECE = 1 << 20
_BETWEEN_RESTS = 0.004
"""Seconds of work on a piece, as far as a larger or smaller piece can bring that about."""
_PROOF = 256
"""Bytes before the end of what was read by which a recording that was rewritten in place is told."""
_FRESH = 2.0
"""Seconds for which an incomplete last line may be one that is just being written."""
_BOM = b"\xef\xbb\xbf"


class Taker(Protocol):
    """Makes a session of the lines of one recording."""

    def take(self, number: int, start: int, lines: bytes) -> int:
        """Take in the next lines.

        Args:
            number: The number of the first one, from 1.
            start: Its offset.
            lines: Their bytes. Each line ends with a line feed and may be blank or broken; what follows the last line
                feed is the beginning of a line that comes later.

        Returns:
            How many lines it took.
        """
        ...

    def session(self) -> Session:
        """What is known now."""
        ...

    def settle(self) -> Collection[int]:
        """The blocks that were known when this was called before, and that tell something else since."""
        ...


def whole_lines(number: int, start: int, lines: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The number, the offset and the bytes of each whole line of those that `Taker.take` gets."""
    begin = 0
    while (end := lines.find(b"\n", begin)) >= 0:
        yield number, start + begin, lines[begin:end]
        number += 1
        begin = end + 1


@runtime_checkable
class StepReader(Reader, Protocol):
    """Reads a format whose recordings are taken in line by line."""

    def begin(self, source: Source) -> Taker:
        """Make the taker of a recording."""
        ...


class _Line(msgspec.Struct):
    """Any record: nothing of it is kept."""


_COMPLETE = msgspec.json.Decoder(_Line)


class Stepwise:
    """Reads a file of lines in steps, and what is appended to it later.

    Args:
        source: The file, open.
        begin: Makes the taker of a recording.
    """

    def __init__(self, source: Source, begin: Callable[[Source], Taker]) -> None:
        self._begin = begin
        self._replaced = False
        self._blocks = self._redo = 0
        self._start_over(source)

    def _start_over(self, source: Source) -> None:
        self._source = source
        self._taker = self._begin(source)
        self._next = len(_BOM) if source.read(0, len(_BOM)) == _BOM else 0
        """The offset of the line that is read next."""
        self._number = 1
        self._length = self._piece = _PIECE
        self._proof = self._tail = b""
        self._complete = self._took_tail = self._cut = False

    def read_on(self, seconds: float, rest: Callable[[], object] = bool) -> Grown | None:
        """Read for about so long, or what is new at the end. See `Growing`."""
        if self._complete and not self._look():
            return None
        deadline = time.perf_counter() + seconds
        began = time.thread_time()
        while self._step() and (self._next < self._redo or time.perf_counter() < deadline):
            share = _BETWEEN_RESTS / max(1e-6, time.thread_time() - began)
            self._piece = min(_PIECE, max(_PIECE // 16, int(self._piece * share)))
            rest()
            began = time.thread_time()
        replaced, self._replaced = self._replaced, False
        settled = self._taker.settle()
        session = self._taker.session()
        touched = range(self._blocks) if self._redo and not replaced else settled
        self._redo, self._blocks = 0, len(session.blocks)
        self._cut = any(one.kind == "truncated_tail" for one in session.diagnostics)
        return Grown(session, touched, self._next, self._source.size, self._complete, replaced)

    def read_all(self) -> Session:
        """Read to the end."""
        while self._step():
            pass
        self._take_tail(self._tail)
        return self._taker.session()

    def _step(self) -> bool:
        """Take in what the next piece holds; False when there are no more whole lines."""
        lines = self._source.read(self._next, min(self._length, self._source.size - self._next))
        end = lines.rfind(b"\n") + 1
        if not end and self._next + len(lines) < self._source.size and lines:
            self._length *= 2  # a line that is longer than a piece
            return True
        self._length = self._piece
        if not end:
            self._complete, self._tail = True, lines
            if not self._is_being_written(lines):
                self._take_tail(lines)
            return False
        self._complete, self._tail = False, b""
        self._number += self._taker.take(self._number, self._next, lines)
        self._next += end
        self._proof = lines[max(0, end - _PROOF) : end]
        return True

    def _is_being_written(self, tail: bytes) -> bool:
        """Whether the last line has no end yet and may get one soon."""
        if not tail or self._source.path is None:
            return False
        try:
            _COMPLETE.decode(tail)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._age() < _FRESH
        return False

    def _age(self) -> float:
        try:
            return time.time() - self._source.path.stat().st_mtime if self._source.path else _FRESH
        except OSError:
            return _FRESH

    def _take_tail(self, tail: bytes) -> None:
        if tail and not self._took_tail:
            self._taker.take(self._number, self._next, tail + b"\n")
            self._took_tail = True

    def _look(self) -> bool:
        """Whether there is something new since the end was reached."""
        path, source = self._source.path, self._source
        if path is None:
            return False
        found = path.stat()
        source.refresh()
        end = self._next + len(self._tail)
        if found.st_ino != source.number or source.size < end or not self._is_as_it_was():
            return self._reopen(path)
        if source.size == end:
            return bool(self._tail) and not self._took_tail and not self._is_being_written(self._tail)
        if self._cut or (self._took_tail and source.read(end, 1) != b"\n"):
            # What was taken for the incomplete end of the recording was not: all of it is read once more.
            self._start_over(source)
            self._redo = end
        elif self._took_tail:
            self._next, self._number, self._took_tail = end + 1, self._number + 1, False
        return True

    def _is_as_it_was(self) -> bool:
        """Whether the last bytes that were read are still there."""
        held = self._proof + self._tail
        return self._source.read(self._next - len(self._proof), len(held)) == held

    def _reopen(self, path: Path) -> bool:
        try:
            source = Source.open(path)
        except OSError:
            return False
        self._source.close()
        self._start_over(source)
        self._replaced, self._redo = True, 0
        return True
