"""The copy menu: what can be copied from a row, each with its key and the start of its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from blockview.core.lines import Line, Role, Span
from blockview.core.rows import ends, fit
from blockview.core.safetext import one_line
from blockview.ui.actions import Where
from blockview.ui.screens.base import PaneScreen, bindings
from blockview.ui.widgets.lines_pane import LinesPane
from blockview.ui.widgets.pane import Pane

_TEXTS_FROM = 56
"""Cells from which the start of each text is shown."""


class Choice(NamedTuple):
    """One thing to copy: its keys, what it is called, its text."""

    keys: tuple[str, ...]
    word: str
    text: str


class CopyMenu(PaneScreen):
    """Waits for a key of one of the choices, or Enter on one."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.EVERYWHERE), ("enter", "choose", "copy")]

    def __init__(self, choices: Sequence[Choice], copy: Callable[[Choice], None]) -> None:
        """Offer `choices`, of which there is at least one; `copy` gets the one that is chosen."""
        super().__init__()
        self._choices = choices
        self._copy = copy

    def compose(self) -> ComposeResult:
        """One pane with a line for each choice."""
        pane = LinesPane(self._lines, id="copy")
        pane.border_title = "copy"
        pane.border_subtitle = "a key, or Enter   Esc back"
        pane.styles.height = len(self._choices) + 2
        yield pane

    def _lines(self, width: int) -> list[Line]:
        lines = []
        for keys, word, text in self._choices:
            key, size = Span(f" {keys[0]} ", Role.KEY), f"{len(text):,}"
            if width < _TEXTS_FROM:
                lines.append(ends([key, Span(word)], [Span(f"{size} ", Role.QUIET)], width))
            else:
                sample = Span(one_line(text, width), Role.STRING)
                lines.append(fit([key, Span(f"{word:<22} "), Span(f"{size:>9}  ", Role.QUIET), sample], width))
        return lines

    def on_key(self, event: events.Key) -> None:
        """Copy what the key stands for."""
        for choice in self._choices:
            if event.character in choice.keys:
                event.stop()
                self._take(choice)
                return

    def on_pane_chosen(self, event: Pane.Chosen) -> None:
        """Copy what was double-clicked."""
        self.action_choose()

    def action_choose(self) -> None:
        """Copy what the cursor is on."""
        self._take(self._choices[self.pane.cursor_line])

    def _take(self, choice: Choice) -> None:
        # Of two keys in one burst the second one comes when the menu is gone already.
        if self.is_current:
            self.app.pop_screen()
            self._copy(choice)
