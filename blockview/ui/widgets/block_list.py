"""The list of blocks and calls."""

from __future__ import annotations

from collections.abc import Callable

from blockview.core.find import Position
from blockview.core.lines import Line, Role, Span
from blockview.core.render import block_row, call_row
from blockview.core.rows import fit
from blockview.core.view import View
from blockview.ui.widgets.pane import Pane

_WORDS_FROM = 70
"""Cells from which the mark of a live answer has its word beside it."""


class BlockList(Pane):
    """Draws a `View`: its cursor is the view's cursor."""

    def __init__(self, view: View, *, id: str | None = None) -> None:
        """The list of `view`."""
        super().__init__(id=id)
        self.view = view

    @property
    def line_count(self) -> int:
        """The rows that are not folded away."""
        return self.view.lines

    @property
    def cursor_line(self) -> int:
        """The line of the view's cursor."""
        return self.view.cursor_line

    def put_cursor(self, y: int) -> None:
        """Move the view's cursor."""
        self.view.move_to(y)

    def line_at(self, y: int) -> Line:
        """The row of a block, of a call, or of what could not be read."""
        position, width = self.view.position(y), self.text_width
        if position == self.view.diagnostics_position:
            count = len(self.view.session.diagnostics)
            return fit([Span("  "), Span(f"{count:,} not read: enter shows what, and where", Role.ERROR)], width)
        block = self.view.block(position.block)
        call = self.view.call(position)
        if call is not None:
            outcomes = self.view.live.get(position)
            live = outcomes[-1].mark(word=width >= _WORDS_FROM) if outcomes else None
            return call_row(call, self.view.prepared(position), width, live)
        return block_row(block, len(block.calls), width, not self.view.is_open(position.block))

    def go(self, position: Position) -> None:
        """Put the cursor on a row, opening its block if need be."""
        before = self.view.cursor
        self.view.go(position)
        self.changed()
        self.show_cursor()
        if self.view.cursor != before:
            self.post_message(self.Moved(self))

    def grow(self, change: Callable[[], int], *, stay_at_end: bool) -> None:
        """Let the view grow. What is on screen stays where it is, or the cursor on the last line if it is there.

        Args:
            change: Lets it grow, and tells how many lines at the top are as they were.
            stay_at_end: Whether a cursor on the last line stays on the last line.
        """
        at_end = stay_at_end and self.cursor_line >= self.line_count - 1
        row = self.cursor_line - self.scroll_offset.y
        self.changed_from(change())
        if at_end and self.line_count:
            self.put_cursor(self.line_count - 1)
            self.show_cursor()
        elif 0 <= row < self.page:
            self.scroll_to(y=max(0, self.cursor_line - row), animate=False)

    # Folds

    def toggle_line(self, y: int) -> None:
        """Fold or unfold the block of line `y`."""
        if y >= self.line_count:
            return
        block = self.view.position(y).block
        self._folding(lambda: self.view.set_open(block, not self.view.is_open(block)))

    def set_all_open(self, opened: bool) -> None:
        """Fold or unfold every block."""
        self._folding(lambda: self.view.set_all_open(opened))

    def step_out(self) -> None:
        """Go from a call to its block, or fold the block."""
        self._folding(self.view.step_out)

    def step_in(self) -> bool:
        """Unfold the block, or go to its first call; False where there is nothing further in."""
        went = False

        def step() -> None:
            nonlocal went
            went = self.view.step_in()

        self._folding(step)
        return went

    def _folding(self, change: Callable[[], object]) -> None:
        """Change folds or cursor and keep the cursor's line where it is on screen."""
        cursor, row = self.view.cursor, self.cursor_line - self.scroll_offset.y
        change()
        self.changed()
        if 0 <= row < self.page:
            self.scroll_to(y=max(0, self.cursor_line - row), animate=False)
        self.show_cursor()
        if self.view.cursor != cursor:
            self.post_message(self.Moved(self))
