"""Looks through the bytes of a recording for places where a text may stand, on all cores where that helps."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blockview.core.bytefind import Probe
    from blockview.readers.source import Source

_PIECE = 1 << 19
"""Bytes that are looked at at a time: they stay in the processor's cache, and other threads get their turn."""
_LARGE = 64_000_000
"""Bytes from which it pays to start processes."""
_MOST = 4
"""No more processes are started for one recording."""
Read = Callable[[int, int], bytes]
"""Gives the bytes from an offset on, as many as asked for, or fewer at the end."""


class ByteScanner:
    """Finds blocks that may show a text by the bytes of a recording; see `Scanner`.

    Args:
        source: The recording.
        blocks_at: Gives the blocks that show something of the record at an offset.
        added: Gives what blocks show beside that, in small letters.
    """

    def __init__(self, source: Source, blocks_at: Callable[[int], Collection[int]], added: Callable[[], str]) -> None:
        self._source = source
        self._blocks_at = blocks_at
        self._added = added

    @property
    def added(self) -> str:
        """See `Scanner`."""
        return self._added()

    def candidates(self, probe: Probe) -> Iterator[Collection[int]]:
        """See `Scanner`."""
        for found in places(self._source, probe):
            yield {block for place in found for block in self._blocks_at(place)}


def places(source: Source, probe: Probe) -> Iterator[list[int]]:
    """Offsets in a recording where a probe finds something, as they are found.

    A place may be told twice. Now and then an empty list says that nothing was found meanwhile. When the iterator is
    closed or thrown away, the search ends at once.
    """
    lanes = min(_MOST, os.cpu_count() or 1)
    if source.plain and source.path is not None and source.size >= _LARGE and lanes > 1:
        from blockview.readers.scanners import by_processes

        yield from by_processes(str(source.path), source.read, source.size, probe, lanes)
    else:
        yield from places_in(source.read, 0, source.size, probe)


def places_in(read: Read, start: int, end: int, probe: Probe) -> Iterator[list[int]]:
    """As `places`, for the bytes from `start` to `end` and a little behind them, a list for each piece."""
    from blockview.core.bytefind import OVERLAP

    tail = b""
    while start < end and (piece := read(start, min(_PIECE, end - start))):
        window = tail + piece
        first = start - len(tail)
        yield [first + place for place in probe.places(window)]
        start += len(piece)
        tail = window[-OVERLAP:]
