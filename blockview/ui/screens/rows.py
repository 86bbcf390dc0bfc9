"""A screen with one pane of rows that fold: the confirmation, the calls that are sent, recorded beside live."""

from __future__ import annotations

from blockview.ui.screens.base import PaneScreen
from blockview.ui.widgets.rows_pane import RowsPane


class RowsScreen(PaneScreen):
    """A screen with one pane of rows that fold."""

    @property
    def rows_pane(self) -> RowsPane:
        """The pane of rows."""
        return self.query_one(RowsPane)

    def action_fold(self) -> None:
        """Fold or unfold the row under the cursor."""
        self.rows_pane.toggle_line(self.rows_pane.cursor_line)

    def action_expand_all(self) -> None:
        """Unfold everything."""
        self.rows_pane.set_all_open(True)

    def action_collapse_all(self) -> None:
        """Fold everything."""
        self.rows_pane.set_all_open(False)
