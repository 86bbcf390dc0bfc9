"""Looking through a session block by block: which rows have something, and which of them is next.

A survey does its work in small steps that the caller spaces out, so that a key never waits for a large session.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator
from itertools import accumulate
from typing import NamedTuple

HEAD = -1
"""The number of a block's own row, which stands above the rows of its calls."""
WHOLE = -1
"""In place of a block: the session as a whole."""


class Position(NamedTuple):
    """A row of the list: a block's own row (`call` is HEAD) or the row of one of its calls, both counted from 0."""

    block: int
    call: int = HEAD


class Survey:
    """Which rows of a session have something. Each block is looked into once, when somebody needs to know."""

    def __init__(self, blocks: int, look: Callable[[int], tuple[int, ...]]) -> None:
        """Start knowing nothing.

        Args:
            blocks: The number of blocks.
            look: Gives the rows of a block that have it, sorted: HEAD or numbers of calls.
        """
        self._blocks = blocks
        self._look = look
        self._seen = bytearray(blocks)
        self._rows: dict[int, tuple[int, ...]] = {}
        self._alike: dict[tuple[int, ...], tuple[int, ...]] = {}
        """One of each kind of rows: a million blocks have few kinds."""
        self._before: tuple[list[int], list[int]] | None = None
        self.looked = 0
        """How many blocks were looked into."""
        self.hits = 0
        """How many rows were found so far."""

    @property
    def complete(self) -> bool:
        """True when every block was looked into."""
        return self.looked == self._blocks

    def rows(self, block: int) -> tuple[int, ...]:
        """The rows of `block` that have it; looks into the block if need be."""
        if not self._seen[block]:
            self._seen[block] = 1
            self.looked += 1
            if rows := self._look(block):
                self._rows[block] = self._alike.setdefault(rows, rows)
                self.hits += len(rows)
                self._before = None
        return self._rows.get(block, ())

    def grow(self, blocks: int, touched: Collection[int] = ()) -> None:
        """The session has so many blocks now, and those that were touched are to be looked into again."""
        if len(touched) >= self._blocks:
            self._seen, self._rows, self.looked, self.hits = bytearray(self._blocks), {}, 0, 0
            touched = ()
        if blocks < self._blocks:
            touched = [*touched, *range(blocks, self._blocks)]
        for block in touched:
            if block < self._blocks and self._seen[block]:
                self._seen[block] = 0
                self.looked -= 1
                self.hits -= len(self._rows.pop(block, ()))
        self._seen = self._seen[:blocks].ljust(blocks, b"\0")
        self._blocks, self._before = blocks, None

    def explore(self, start: int = 0) -> Iterator[None]:
        """Look into every block that nobody has looked into, from `start` on and around; one step for each block."""
        while not self.complete:
            block = self._seen.find(0, start)
            if block < 0:
                block = self._seen.find(0)
            self.rows(block)
            start = block + 1
            yield

    def seek(self, origin: Position, *, forward: bool = True, here: bool = False) -> Iterator[Position | None]:
        """The nearest row that has it, going around the end of the session.

        Args:
            origin: Where to start from.
            forward: Which way to look.
            here: Whether `origin` itself counts before any other row; it counts as the last in any case.

        Yields:
            None for each block in which nothing was found, and at last the row, if there is one.
        """
        if not self._blocks:
            return
        step = 1 if forward else -1
        for number in range(self._blocks + 1):
            block = (origin.block + step * number) % self._blocks
            rows = self.rows(block)
            if number == 0:
                rows = tuple(row for row in rows if step * row > step * origin.call or (here and row == origin.call))
            if rows:
                yield Position(block, rows[0] if forward else rows[-1])
                return
            yield None

    def ordinal(self, position: Position) -> int | None:
        """The number of the hit at `position` among all hits, from 1; None where none is, or while some are unknown."""
        if not self.complete or position.call not in self._rows.get(position.block, ()):
            return None
        if self._before is None:
            blocks = sorted(self._rows)
            self._before = (blocks, list(accumulate((len(self._rows[block]) for block in blocks), initial=0)))
        blocks, before = self._before
        at = bisect_left(blocks, position.block)
        return before[at] + self._rows[position.block].index(position.call) + 1
