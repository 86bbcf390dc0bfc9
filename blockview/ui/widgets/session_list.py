"""The list of sessions."""

from __future__ import annotations

from blockview.core.lines import Line
from blockview.core.pickerlines import session_line
from blockview.core.picking import Picking
from blockview.ui.widgets.pane import Pane


class SessionList(Pane):
    """Draws a `Picking`: its cursor is the picking's cursor. A row is made when it is on screen."""

    def __init__(self, picking: Picking, *, id: str | None = None) -> None:
        """The list of `picking`."""
        super().__init__(id=id)
        self.picking = picking

    @property
    def line_count(self) -> int:
        """The sessions that are shown."""
        return len(self.picking)

    @property
    def cursor_line(self) -> int:
        """The line of the picking's cursor."""
        return self.picking.cursor

    def put_cursor(self, y: int) -> None:
        """Move the picking's cursor."""
        self.picking.move_to(y)

    def line_at(self, y: int) -> Line:
        """The row of a session."""
        return session_line(self.picking[y], self.text_width)

    @property
    def on_screen(self) -> range:
        """The lines that are on screen."""
        top = self.scroll_offset.y
        return range(top, top + self.page)
