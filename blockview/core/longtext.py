"""A text of many lines as rows that are made when they are asked for."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cached_property

from blockview.core.lines import Line, Paint, Role, Span, printed
from blockview.core.rows import Row, Target
from blockview.core.safetext import is_narrow, narrow_rows, wrap, wrap_lines

LONG = 1_000_000
"""Characters from which it pays not to make all rows at once."""

_PLAIN = -1


class _Places:
    """Where each row stands in a text."""

    def __init__(self, text: str, width: int) -> None:
        self.starts, self.ends, self.parts = array("q"), array("q"), array("q")
        """`parts`: which row of the line from start to end it is, where that has to be made visible first."""
        position, length = 0, len(text)
        while position <= length:
            end = text.find("\n", position)
            end = length if end < 0 else end
            self._add(text, position, end - text.endswith("\r", position, end), width)
            position = end + 1

    def _add(self, text: str, start: int, end: int, width: int) -> None:
        line = text[start:end]
        if not is_narrow(line):
            for part, _ in enumerate(wrap_lines(line, width)):
                self.starts.append(start)
                self.ends.append(end)
                self.parts.append(part)
            return
        for first, last in narrow_rows(line, width):
            self.starts.append(start + first)
            self.ends.append(start + last)
            self.parts.append(_PLAIN)


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
        self._wrapped: tuple[int, list[str]] = (-1, [])

    @cached_property
    def _places(self) -> _Places:
        return _Places(self._text, self._width)

    def __len__(self) -> int:
        return len(self._places.starts)

    def __getitem__(self, index: int, /) -> Row:
        places = self._places
        start, end, part = places.starts[index], places.ends[index], places.parts[index]
        line = self._text[start:end]
        if part != _PLAIN:
            if self._wrapped[0] != start:
                self._wrapped = start, wrap(line, self._width)
            line = self._wrapped[1][part]
        return Row(self._line(line), self._target, True)

    def _line(self, text: str) -> Line:
        return (*self._lead, Span(text, self._role)) if text else ()

    def index_of(self, target: Target) -> int | None:
        """The first row, which stands for the text."""
        return 0 if target == self._target else None

    def printed(self, paint: Paint) -> Iterator[str]:
        """All rows as text. Nothing is noted for it."""
        return (printed(self._line(line), paint) for line in wrap_lines(self._text, self._width))

    @property
    def ends_empty(self) -> bool:
        """Whether nothing stands in the last row."""
        *_, last = wrap_lines(self._text[self._text.rfind("\n") + 1 :], self._width)
        return not last
