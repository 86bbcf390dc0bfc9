"""The picker: recordings to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from textual.app import ComposeResult
from textual.message import Message

from blockview.core.lines import Line, Role, Span
from blockview.core.rows import ends, fit
from blockview.core.safetext import cell_width, one_line
from blockview.ui.actions import Where, footer_actions
from blockview.ui.screens.base import PaneScreen, bindings
from blockview.ui.widgets.bar import Bar, Footer
from blockview.ui.widgets.lines_pane import LinesPane
from blockview.ui.widgets.pane import Pane


class Entry(NamedTuple):
    """A recording to choose: what it is called, when it was made (as it is to be shown), where it is."""

    label: str
    when: str
    path: Path


class Picker(PaneScreen):
    """A plain list of recordings, in the order in which they are given."""

    BINDINGS = bindings(Where.EVERYWHERE, Where.PICKER)
    AUTO_FOCUS = "#entries"

    class Picked(Message):
        """A recording was chosen."""

        def __init__(self, path: Path) -> None:
            """Tell that the recording at `path` was chosen."""
            super().__init__()
            self.path = path

    def __init__(self, entries: Sequence[Entry]) -> None:
        """Offer `entries`."""
        super().__init__()
        self._entries = entries

    def compose(self) -> ComposeResult:
        """Header, list, footer."""
        yield Bar(self._header_line, id="header")
        yield LinesPane(self._lines, id="entries")
        yield Footer(lambda: footer_actions(Where.PICKER), id="footer")

    def _header_line(self, width: int) -> Line:
        count = f"{len(self._entries):,} recording{'' if len(self._entries) == 1 else 's'} "
        return ends([Span(" blockview", Role.TITLE)], [Span(count, Role.QUIET)], width)

    def _lines(self, width: int) -> list[Line]:
        when = max((cell_width(entry.when) for entry in self._entries), default=0)
        return [
            fit(
                [
                    Span(f" {entry.when}{' ' * (when - cell_width(entry.when))}  ", Role.QUIET),
                    Span(one_line(entry.label, width), Role.PROMPT),
                ],
                width,
            )
            for entry in self._entries
        ]

    def on_pane_chosen(self, event: Pane.Chosen) -> None:
        """Open what was double-clicked."""
        self.action_pick()

    def action_pick(self) -> None:
        """Open the recording under the cursor."""
        if self._entries:
            self.post_message(self.Picked(self._entries[self.pane.cursor_line].path))
