"""A pane of rows that somebody else makes and that fold: what is sent, what came back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import work

from blockview.core.lines import Line
from blockview.core.rows import Fold, Row, Target
from blockview.ui.threads import in_thread
from blockview.ui.widgets.pane import Pane

MakeRows = Callable[[int, frozenset[Target], Fold], Sequence[Row]]
"""Makes the rows for a width in cells, with the targets that were toggled and what is open to begin with."""


class RowsPane(Pane):
    """Shows the rows that a function gives, and keeps what is open and where the cursor is."""

    def __init__(self, make: MakeRows, *, id: str | None = None, heavy: bool = False) -> None:
        """A pane of what `make` gives.

        Args:
            make: Makes the rows, by itself and anywhere.
            id: The widget's id.
            heavy: Whether that takes so long that it is done in a thread.
        """
        super().__init__(id=id)
        self.make = make
        self.heavy = heavy
        self.rows: Sequence[Row] = ()
        self._toggled: frozenset[Target] = frozenset()
        self._fold = Fold.AUTO
        self._cursor = 0

    @property
    def line_count(self) -> int:
        """The rows that are not folded away."""
        return len(self.rows)

    @property
    def cursor_line(self) -> int:
        """The line of the cursor."""
        return min(self._cursor, max(0, len(self.rows) - 1))

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor_line] if len(self.rows) else None

    def put_cursor(self, y: int) -> None:
        """Move the cursor."""
        self._cursor = y

    def line_at(self, y: int) -> Line:
        """The line of a row."""
        return self.rows[y].line if y < len(self.rows) else ()

    def changed(self) -> None:
        """Make the rows anew."""
        width = self.text_width
        if width <= 0:
            return
        if self.heavy:
            self._make_later(width, self._toggled, self._fold)
        else:
            self._take(self.make(width, self._toggled, self._fold))

    @work(group="rows", description="rows", exclusive=True)
    async def _make_later(self, width: int, toggled: frozenset[Target], fold: Fold) -> None:
        self._take(await in_thread(self.make, width, toggled, fold))

    def _take(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        super().changed()
        self.show_cursor()

    def toggle_line(self, y: int) -> None:
        """Fold or unfold what line `y` stands for."""
        row = self.rows[y] if y < len(self.rows) else None
        if row is None or not row.foldable or row.target is None:
            return
        # Folding from the middle of a long text leaves the cursor at the text's first row.
        while y and self.rows[y - 1].target == row.target:
            y -= 1
        self._cursor = y
        self._toggled ^= {row.target}
        self.changed()

    def set_all_open(self, opened: bool) -> None:
        """Fold or unfold everything there is."""
        self._fold, self._toggled = Fold.OPEN if opened else Fold.CLOSED, frozenset()
        self.changed()
