"""Filter: a line to type in, and a list of only those blocks and calls for which it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events, work
from textual.containers import Horizontal
from textual.screen import Screen

from blockview.core.find import Position
from blockview.core.lines import Line, Role, Span
from blockview.core.rows import ends
from blockview.core.safetext import one_line
from blockview.core.view import View
from blockview.ui.header import number
from blockview.ui.slices import URGENT, in_slices
from blockview.ui.widgets.bar import Bar
from blockview.ui.widgets.block_list import BlockList
from blockview.ui.widgets.detail import Detail

if TYPE_CHECKING:
    from textual.widgets import Input

    from blockview.core.query import Query
    from blockview.ui.widgets.find_input import FindInput

_KEYS_FROM = 70
"""Cells from which it is said which keys do what."""


class Filtering(Screen[None]):
    """The part of the session screen that filters. The list follows what is typed."""

    view: View
    blocks: BlockList
    detail: Detail

    if TYPE_CHECKING:  # other parts of the screen have these

        def count_found(self) -> None:
            """Look for the needle anew, because other blocks are shown."""
            ...

    @property
    def in_detail(self) -> bool:
        """Whether the detail has the focus, or had it last."""
        raise NotImplementedError

    def __init__(self) -> None:
        """Nothing is hidden."""
        super().__init__()
        self.filter_line = Bar(self._filter_text, id="filter")
        self.filter_row = Horizontal(self.filter_line, id="filter-row")
        self._filter_input: FindInput | None = None
        self._before: tuple[Position, Query | None] = Position(0), None
        self._no_filter = ""
        self._end: Position | None = None
        self._empty = False
        """Whether nothing was shown when that was looked at last."""

    def _filter_text(self, width: int) -> Line:
        query, kept = self.view.filter, self.view.kept
        typing = self._filter_input is not None
        if self._no_filter:
            return ends((), [Span(f" {one_line(self._no_filter, width - 2)} ", Role.ERROR)], width)
        if query is None or kept is None:
            hint = "tool: server: is: status: text: arg: before: after: dur>"
            return ends((), [Span(f" {hint} ", Role.QUIET)] if typing else [], width)
        more = "" if kept.complete else "…"
        blocks = self.view.blocks_shown
        right = [Span(f" {blocks:,}{more} of {number(self.view.blocks, 'block')} ", Role.CHANGED)]
        if typing:
            return ends((), right, width)
        keys = [Span("  f", Role.KEY), Span(" edit  ", Role.QUIET), Span("Esc", Role.KEY), Span(" clear ", Role.QUIET)]
        left = [Span(" filter ", Role.KEY), Span(one_line(query.text, width), Role.PLAIN)]
        return ends(left, [*right, *keys] if width >= _KEYS_FROM else right, width)

    def action_filter(self) -> None:
        """Open the line to type in."""
        from blockview.ui.widgets.find_input import FindInput

        if self._filter_input is not None:
            return
        self._before = self.view.cursor, self.view.filter
        text = self.view.filter.text if self.view.filter else ""
        self._filter_input = FindInput(
            self._keep_filter,
            self._drop_filter,
            text=text,
            placeholder="filter",
            complete=self._complete,
        )
        self.add_class("-filtering", "-typing-filter")
        self.filter_row.mount(self._filter_input, before=self.filter_line)
        self._filter_input.focus()

    def on_key(self, event: events.Key) -> None:
        """Take what comes in one burst with the key for the filter, before the input can have the focus."""
        if self._filter_input is None:
            if event.character == "f":
                event.stop()
                self.action_filter()
        elif self.focused is not self._filter_input:
            event.stop()
            self._filter_input.take(event)

    def filter_typed(self, event: Input.Changed) -> bool:
        """Filter by what is typed so far; False when it was typed elsewhere."""
        if self._filter_input is None or event.input is not self._filter_input:
            return False
        self._filter_by(event.value)
        return True

    def _filter_by(self, text: str) -> None:
        from blockview.core.query import QueryError, parse

        self._no_filter = ""
        self.remove_class("-no-filter")
        try:
            query = parse(text) if text.strip() else None
        except QueryError as error:
            self._no_filter = str(error)
            self.add_class("-no-filter")
            query = self._before[1]
        if query is not self.view.filter:
            self._set_filter(query)
        self.filter_line.refresh()

    def _set_filter(self, query: Query | None) -> None:
        self.workers.cancel_group(self, "kept")
        self.view.set_filter(query)
        self._show_kept()
        self.count_found()
        self.look_through()

    def _keep_filter(self) -> bool:
        """Stay with what is shown; False when what is typed is no filter, and is still to be corrected."""
        text = self._filter_input.value if self._filter_input else ""
        if (self.view.filter.text if self.view.filter else "") != text:
            self._filter_by(text)
        if self._no_filter:
            return False
        self._close_filter_input()
        if self.view.filter is None:
            self.end_filter()
        return True

    def _drop_filter(self) -> None:
        """Go back to what was shown before somebody typed."""
        cursor, query = self._before
        self._close_filter_input()
        self._set_filter(query)
        self.blocks.go(cursor)
        self.set_class(query is not None, "-filtering")

    def _close_filter_input(self) -> None:
        self._no_filter = ""
        self.remove_class("-no-filter")
        if self._filter_input is not None:
            self._filter_input.remove()
            self._filter_input = None
            self.remove_class("-typing-filter")
            self.set_focus(self.detail if self.in_detail else self.blocks)
        self.filter_line.refresh()

    def end_filter(self) -> bool:
        """Hide nothing any more.

        Returns:
            False when nothing was hidden.
        """
        if self.view.filter is None:
            self.remove_class("-filtering")
            return False
        self._set_filter(None)
        self.remove_class("-filtering")
        self.blocks.go(self.view.cursor)
        return True

    def look_through(self) -> None:
        """Look for what the filter keeps in all blocks that nobody has looked into, in the background."""
        if self.view.kept is not None and not self.view.kept.complete:
            self._explore_kept()

    @work(group="kept", description="kept", exclusive=True)
    async def _explore_kept(self) -> None:
        kept = self.view.kept
        if kept is not None:
            await in_slices(kept.explore(), self._show_kept, work=URGENT)
            self._show_kept()

    def _show_kept(self) -> None:
        before, empty = self.view.cursor, self._empty
        self._empty = not self.blocks.line_count
        self.view.stay_shown()
        self.blocks.changed()
        if self._end == before and self.blocks.line_count:
            self.blocks.put_cursor(self.blocks.line_count - 1)
            self.hold_end()
        self.blocks.show_cursor()
        if self.view.cursor != before:
            self.detail.show(self.view.cursor)
        if empty or self._empty:
            self.detail.changed()
        self.filter_line.refresh()

    def hold_end(self) -> None:
        """The cursor stays on the last row for as long as rows are found that the filter keeps, if nobody moves it."""
        self._end = None if self.view.kept_all else self.view.cursor

    def _complete(self, text: str) -> list[str]:
        from blockview.core.query import Names, completions

        specs = self.view.session.tools
        tools = {*self.view.tools, *(spec.name for spec in specs)}
        servers = {*self.view.servers, *(spec.server for spec in specs if spec.server)}
        return completions(text, Names(tools, servers))
