"""A text of many lines as rows that are made when they are asked for."""

from __future__ import annotations

from array import array

from blockview.core.lines import Role, Span
from blockview.core.rows import Row, Target
from blockview.core.safetext import narrow_rows, wrap, wrap_lines

LONG = 1_000_000
"""Characters from which it pays not to make all rows at once."""

_PLAIN = -1


class LongText:
    """The rows that `text_rows` makes of an opened text. Kept is only where each of them stands in the text.

    Args:
        text: The recorded text.
        role: The role of its characters.
        target: What all rows stand for.
        width: Cells per row.
        indent: Cells before each row.
    """

    def __init__(self, text: str, role: Role, target: Target, *, width: int, indent: int = 2) -> None:
        self._text, self._role, self._target = text, role, target
        pad = max(0, min(indent, width - 1))
        self._lead = (Span(" " * pad),) if pad else ()
        self._width = max(width - pad, 1)
        self._starts, self._ends = array("q"), array("q")
        self._parts = array("q")
        """Which row of the line from start to end it is, where that has to be made visible first."""
        self._wrapped: tuple[int, list[str]] = (-1, [])
        position, length = 0, len(text)
        while position <= length:
            end = text.find("\n", position)
            end = length if end < 0 else end
            self._add(position, end - text.endswith("\r", position, end))
            position = end + 1

    def _add(self, start: int, end: int) -> None:
        line = self._text[start:end]
        if not (line.isascii() and line.isprintable()):
            for part, _ in enumerate(wrap_lines(line, self._width)):
                self._starts.append(start)
                self._ends.append(end)
                self._parts.append(part)
            return
        for first, last in narrow_rows(line, self._width):
            self._starts.append(start + first)
            self._ends.append(start + last)
            self._parts.append(_PLAIN)

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, index: int, /) -> Row:
        start, end, part = self._starts[index], self._ends[index], self._parts[index]
        line = self._text[start:end]
        if part != _PLAIN:
            if self._wrapped[0] != start:
                self._wrapped = start, wrap(line, self._width)
            line = self._wrapped[1][part]
        return Row((*self._lead, Span(line, self._role)) if line else (), self._target, True)

    def index_of(self, target: Target) -> int | None:
        """The first row, which stands for the text."""
        return 0 if target == self._target else None
