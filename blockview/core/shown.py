"""Which blocks of a session stand in the list, and which of their calls: all of them, or those that a filter keeps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Protocol

from blockview.core.find import HEAD


class Shown(Protocol):
    """The rows of the list before any is folded: a row is a block, with those of its calls that are shown below it."""

    @property
    def counts(self) -> Sequence[int]:
        """The number of calls that are shown, for each row."""
        ...

    def block(self, row: int) -> int:
        """The block of a row."""
        ...

    def row(self, block: int) -> int:
        """The row of a block; where the block is not shown, that of the next one, or the number of rows."""
        ...

    def call(self, row: int, at: int) -> int:
        """The number within its block of the call at a place below a row."""
        ...

    def at(self, row: int, call: int) -> int:
        """The place of a call below its row; that of the next one where it is not shown, or the number of them."""
        ...


class All:
    """Everything is shown."""

    def __init__(self, counts: Sequence[int]) -> None:
        """Show so many calls of each block."""
        self.counts = counts

    def block(self, row: int) -> int:
        """The block of a row."""
        return row

    def row(self, block: int) -> int:
        """The row of a block."""
        return min(block, len(self.counts))

    def call(self, row: int, at: int) -> int:
        """The call at a place below a row."""
        return at

    def at(self, row: int, call: int) -> int:
        """The place of a call below its row."""
        return call


class Kept:
    """What a filter keeps, in the order of the blocks as far as they were looked into."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self.counts: list[int] = []
        self._blocks: list[int] = []
        self._calls: list[tuple[int, ...]] = []

    def keep(self, block: int, rows: tuple[int, ...]) -> int:
        """Show these rows of a block: HEAD, and numbers of calls; none hides the block.

        Returns:
            1 when a row came in for it, -1 when its row is gone, else 0.
        """
        at = bisect_left(self._blocks, block)
        known = at < len(self._blocks) and self._blocks[at] == block
        calls = tuple(row for row in rows if row != HEAD)
        if not rows:
            if known:
                del self._blocks[at], self._calls[at], self.counts[at]
            return -known
        if known:
            self._calls[at], self.counts[at] = calls, len(calls)
            return 0
        self._blocks.insert(at, block)
        self._calls.insert(at, calls)
        self.counts.insert(at, len(calls))
        return 1

    def block(self, row: int) -> int:
        """The block of a row."""
        return self._blocks[row]

    def row(self, block: int) -> int:
        """The row of a block, or of the next one that is kept."""
        return bisect_left(self._blocks, block)

    def call(self, row: int, at: int) -> int:
        """The call at a place below a row."""
        return self._calls[row][at]

    def at(self, row: int, call: int) -> int:
        """The place of a call below its row, or of the next one that is kept."""
        return bisect_left(self._calls[row], call)
