"""Rows and the lines they take in a list with folds: a closed row takes one line, an open one its children as well.

Only the rows that differ from the common state (all closed, or all open) are stored, so a list of a million rows costs
nothing until somebody opens rows one by one, and opening or closing all of them is one step.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, MutableSequence, Sequence
from itertools import accumulate


class Extents:
    """Where each row of a list begins, and which row a line belongs to.

    Row `r` takes one line, and `counts[r]` more while it is open. Lines and rows count from 0.
    """

    def __init__(self, counts: Sequence[int], *, opened: bool = False) -> None:
        """Start with every row closed, or every row open.

        Args:
            counts: The number of lines below each row while it is open.
            opened: Whether the rows start open.
        """
        self._counts = counts
        self._opened = opened
        self._others: list[int] = []
        """The rows that are not in the common state, sorted."""
        self._other_lines: list[int] | None = None
        """How many lines the first n of `_others` take below their rows while open; None when out of date."""
        self._prefix: array[int] | None = None
        """How many lines the first n rows take below them when all are open; made when first asked for."""

    def recount(self, counts: Sequence[int], since: int = 0) -> None:
        """Take other numbers of lines, and more rows or fewer. Rows stay open or closed as they were.

        Args:
            counts: The number of lines below each row while it is open.
            since: The first row for which it may be another number than before.
        """
        since = min(since, len(counts))
        self._counts = counts
        del self._others[bisect_left(self._others, len(counts)) :]
        if self._other_lines is not None:
            del self._other_lines[bisect_left(self._others, since) + 1 :]
            known = len(self._other_lines) - 1
            self._extend(self._other_lines, (counts[other] for other in self._others[known:]))
        if self._prefix is not None:
            del self._prefix[since + 1 :]
            self._extend(self._prefix, counts[since:])

    @staticmethod
    def _extend(sums: MutableSequence[int], counts: Iterable[int]) -> None:
        """Go on with running sums."""
        more = accumulate(counts, initial=sums[-1])
        next(more)
        sums.extend(more)

    def insert(self, row: int) -> None:
        """A row has come in before `row`; it is in the common state."""
        self._others = [other + (other >= row) for other in self._others]

    def remove(self, row: int) -> None:
        """A row is gone."""
        self._others = [other - (other > row) for other in self._others if other != row]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self._counts)

    @property
    def lines(self) -> int:
        """The number of lines that all rows take together."""
        return self.top(self.rows)

    def is_open(self, row: int) -> bool:
        """Whether the lines below `row` are shown."""
        at = bisect_left(self._others, row)
        return self._opened ^ (at < len(self._others) and self._others[at] == row)

    def set_open(self, row: int, opened: bool) -> None:
        """Open or close one row."""
        if self.is_open(row) == opened:
            return
        if opened == self._opened:
            del self._others[bisect_left(self._others, row)]
        else:
            insort(self._others, row)
        self._other_lines = None

    def set_all(self, opened: bool) -> None:
        """Open or close every row."""
        self._opened = opened
        self._others = []
        self._other_lines = None

    def top(self, row: int) -> int:
        """The line on which `row` begins; for `row == rows` the number of lines."""
        if self._other_lines is None:
            self._other_lines = list(accumulate((self._counts[other] for other in self._others), initial=0))
        below = self._other_lines[bisect_left(self._others, row)]
        if not self._opened:
            return row + below
        if self._prefix is None:
            self._prefix = array("q", accumulate(self._counts, initial=0))
        return row + self._prefix[row] - below

    def locate(self, line: int) -> tuple[int, int]:
        """The row that `line` belongs to, and how far the line is below the row's first line.

        Raises:
            IndexError: there is no such line.
        """
        if not 0 <= line < self.lines:
            raise IndexError(line)
        row = bisect_right(range(self.rows), line, key=self.top) - 1
        return row, line - self.top(row)
