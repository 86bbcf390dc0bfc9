"""Compact columns for what an index keeps of each record: a few machine integers, not an object."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator

from blockview.core.model import Place

_FIRST_SLOTS = 1024


class Rows:
    """Places of records; a record is called by its number, its row."""

    def __init__(self) -> None:
        self._lines = array("I")
        self._bytes = array("Q")
        self._lengths = array("Q")

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._lines)

    def add(self, line: int, byte: int, length: int) -> int:
        """Keep a place; its row."""
        self._lines.append(line)
        self._bytes.append(byte)
        self._lengths.append(length)
        return len(self._lines) - 1

    def __getitem__(self, row: int) -> Place:
        """The place of a row."""
        return Place(self._lines[row], self._bytes[row], self._lengths[row])

    def at(self, byte: int) -> int:
        """The row that begins at an offset, or before it and nearest to it; -1 for none."""
        return bisect_right(self._bytes, byte) - 1


class Chains:
    """Lists of rows, one for each block, that grow in any order; each entry holds the number of the next one."""

    def __init__(self) -> None:
        self._rows = array("I")
        self._next = array("I")
        self._first = array("I")
        self._last = array("I")

    def open(self) -> None:
        """Begin the list of the next block."""
        self._first.append(0)
        self._last.append(0)

    def append(self, block: int, row: int) -> None:
        """Put a row at the end of a block's list, unless it stands there."""
        last = self._last[block]
        if last and self._rows[last - 1] == row:
            return
        self._rows.append(row)
        self._next.append(0)
        number = len(self._rows)
        if last:
            self._next[last - 1] = number
        else:
            self._first[block] = number
        self._last[block] = number

    def of(self, block: int) -> Iterator[int]:
        """The rows in a block's list, in the order in which they came."""
        entry = self._first[block]
        while entry:
            yield self._rows[entry - 1]
            entry = self._next[entry - 1]


class RowsByName:
    """Finds the row of a name: a hash table of machine integers, which holds no names.

    Two names of which one is taken for the other are as rare as equal 64-bit hashes of two texts.
    """

    def __init__(self) -> None:
        self._keys = array("q", [0]) * _FIRST_SLOTS
        self._rows = array("I", [0]) * _FIRST_SLOTS
        self._mask = _FIRST_SLOTS - 1
        self._count = 0

    def get(self, name: str) -> int:
        """The row of a name; -1 for one that was not set."""
        key = hash(name) or 1
        keys, mask = self._keys, self._mask
        at = key & mask
        while held := keys[at]:
            if held == key:
                return self._rows[at]
            at = (at + 1) & mask
        return -1

    def setdefault(self, name: str, row: int) -> int:
        """The row of a name; for one that was not set, -1, and it is set to `row`."""
        key = hash(name) or 1
        keys, mask = self._keys, self._mask
        at = key & mask
        while held := keys[at]:
            if held == key:
                return self._rows[at]
            at = (at + 1) & mask
        keys[at], self._rows[at] = key, row
        self._count += 1
        if 3 * self._count > 2 * mask:
            self._double()
        return -1

    def _double(self) -> None:
        old_keys, old_rows = self._keys, self._rows
        size = 2 * len(old_keys)
        keys, rows, mask = array("q", [0]) * size, array("I", [0]) * size, size - 1
        for key, row in zip(old_keys, old_rows, strict=True):
            if key:
                at = key & mask
                while keys[at]:
                    at = (at + 1) & mask
                keys[at], rows[at] = key, row
        self._keys, self._rows, self._mask = keys, rows, mask
