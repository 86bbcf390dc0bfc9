"""A pane of lines that somebody else makes: help, menus, the picker."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from blockview.core.lines import Line
from blockview.ui.widgets.pane import Pane


class LinesPane(Pane):
    """Shows the lines that a function gives for a width."""

    def __init__(self, make: Callable[[int], Sequence[Line]], *, id: str | None = None, first: int = 0) -> None:
        """A pane of what `make` gives for a width in cells, with the cursor on line `first`."""
        super().__init__(id=id)
        self._make = make
        self._lines: Sequence[Line] = ()
        self._cursor = first

    @property
    def line_count(self) -> int:
        """The number of lines."""
        return len(self._lines)

    @property
    def cursor_line(self) -> int:
        """The line that the cursor is on."""
        return self._cursor

    def put_cursor(self, y: int) -> None:
        """Move the cursor."""
        self._cursor = y

    def line_at(self, y: int) -> Line:
        """A line."""
        return self._lines[y]

    def changed(self) -> None:
        """Make the lines anew."""
        self._lines = self._make(self.text_width)
        super().changed()
