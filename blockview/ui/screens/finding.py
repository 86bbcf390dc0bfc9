"""Find: a line to type in, hits in list and detail, and their number. Nothing is hidden by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events, work
from textual.containers import Horizontal
from textual.screen import Screen

from blockview.core.find import Position, Survey
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
    from blockview.ui.widgets.find_input import FindInput


class Finding(Screen[None]):
    """The part of the session screen that finds. While somebody types, the cursor goes to the first hit."""

    view: View
    blocks: BlockList
    detail: Detail

    @property
    def in_detail(self) -> bool:
        """Whether the detail has the focus, or had it last."""
        raise NotImplementedError

    def __init__(self) -> None:
        """Nothing is looked for."""
        super().__init__()
        self.find_line = Bar(self._find_text, id="find")
        self.find_row = Horizontal(self.find_line, id="find-row")
        self._origin = Position(0)
        self._input: FindInput | None = None
        self._busy = False

    def _find_text(self, width: int) -> Line:
        found, needle = self.view.found, self.view.needle
        if found is None or needle is None:
            return ()
        ordinal = found.ordinal(self.view.cursor)
        count = number(found.hits, "hit")
        if not found.complete:
            count = f"{found.hits:,} so far…"
        elif not found.hits:
            count = "not found"
        elif ordinal:
            count = f"{ordinal:,} of {found.hits:,}"
        keys = [Span("  n", Role.KEY), Span(" next  ", Role.QUIET), Span("N", Role.KEY), Span(" previous ", Role.QUIET)]
        left = [] if self._input else [Span(" /", Role.KEY), Span(one_line(needle.text, width), Role.PLAIN)]
        right = [Span(f" {count} ", Role.CHANGED if found.hits else Role.QUIET)]
        return ends(left, [*right, *keys] if width >= 60 and not self._input else right, width)

    def action_find(self) -> None:
        """Open the line to type in."""
        from blockview.ui.widgets.find_input import FindInput

        if self._input is not None:
            return
        self._origin = self.view.cursor
        self._input = FindInput(self._accept, self.end_find)
        self.add_class("-finding", "-typing")
        self.find_row.mount(self._input, before=self.find_line)
        self._input.focus()

    def on_key(self, event: events.Key) -> None:
        """Take what comes in one burst with the key for find, before the input can have the focus."""
        if self._input is None:
            if event.character == "/":
                event.stop()
                self.action_find()
        elif self.focused is not self._input:
            event.stop()
            self._input.take(event)

    def on_input_changed(self) -> None:
        """Look for what is typed so far."""
        if self._input is None:
            return
        self._look_for(self._input.value)
        if self.view.found is None:
            self.blocks.go(self._origin)
            return
        self.view.cursor = self._origin
        self._seek(forward=True, here=True)

    def _accept(self) -> None:
        """Stay with what was found."""
        text = self._input.value if self._input else ""
        if text and (self.view.needle is None or self.view.needle.text != text):
            self.on_input_changed()
        if not text:
            self.end_find()
        else:
            self._close_input()

    def _close_input(self) -> None:
        if self._input is not None:
            self._input.remove()
            self._input = None
            self.remove_class("-typing")
            self.set_focus(self.detail if self.in_detail else self.blocks)
            self.find_line.refresh()

    def end_find(self) -> bool:
        """Look for nothing any more; while somebody types, also go back to where the cursor was.

        Returns:
            False when nothing was looked for.
        """
        if self._input is None and self.view.found is None:
            return False
        typing = self._input is not None
        self._close_input()
        self.workers.cancel_group(self, "seek")
        self.workers.cancel_group(self, "found")
        self._look_for("")
        self.remove_class("-finding")
        if typing:
            self.blocks.go(self._origin)
        return True

    def _look_for(self, text: str) -> None:
        self.view.find(text)
        for pane in (self.blocks, self.detail):
            pane.look_for(self.view.needle)
        self.count_found()

    def count_found(self) -> None:
        """Look for the needle in all blocks, in the background, and show how many hits there are."""
        self.workers.cancel_group(self, "found")
        self.find_line.refresh()
        if self.view.found is not None:
            self._explore(self.view.found)

    @work(group="found", exclusive=True)
    async def _explore(self, found: Survey) -> None:
        await in_slices(found.explore(self._origin.block), self.find_line.refresh)
        self.find_line.refresh()

    def action_next_found(self) -> None:
        """The next hit."""
        self._seek(forward=True)

    def action_previous_found(self) -> None:
        """The previous hit."""
        self._seek(forward=False)

    @work(group="seek", exclusive=True)
    async def _seek(self, *, forward: bool, here: bool = False) -> None:
        """Go to a hit: in the detail while it has the focus and holds another, else in the list."""
        if self.view.needle is None:
            return
        if self.in_detail and not here:
            line = await in_slices(self.detail.seek_line(forward=forward), work=URGENT)
            if line is not None:
                self.detail.move(line)
                return
        position = await in_slices(self.view.seek_found(forward=forward, here=here), work=URGENT)
        if position is not None:
            self.blocks.go(position)
            self.detail.show(position)
            await self._show_hit(forward=forward)
        self.find_line.refresh()

    async def _show_hit(self, *, forward: bool) -> None:
        """Put the detail's cursor on its first or last hit, unfolding everything if the hit is folded away."""
        if not await self._go_to_hit(forward=forward):
            lines = self.detail.line_count
            self.detail.set_all_open(True)
            await self.detail.ready()
            if self.detail.line_count != lines:
                await self._go_to_hit(forward=forward)

    async def _go_to_hit(self, *, forward: bool) -> bool:
        detail = self.detail
        await detail.ready()
        detail.put_cursor(0 if forward else max(0, detail.line_count - 1))
        line = await in_slices(detail.seek_line(forward=forward, here=True), work=URGENT)
        if line is not None:
            detail.move(line)
        detail.refresh()
        return line is not None
