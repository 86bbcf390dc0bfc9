"""Find: a line to type in, hits in list and detail, and their number. Nothing is hidden by it."""

from __future__ import annotations

from asyncio import Event
from collections.abc import Collection, Generator, Iterator
from contextlib import aclosing
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

from textual import events, work
from textual.containers import Horizontal
from textual.screen import Screen

from blockview.core.find import WHOLE, Position, Survey
from blockview.core.lines import Line, Role, Span
from blockview.core.rows import ends
from blockview.core.safetext import one_line
from blockview.core.view import View
from blockview.ui.header import number
from blockview.ui.slices import URGENT, in_slices
from blockview.ui.threads import batches, in_thread
from blockview.ui.widgets.bar import Bar
from blockview.ui.widgets.block_list import BlockList
from blockview.ui.widgets.detail import Detail

if TYPE_CHECKING:
    from textual.widgets import Input

    from blockview.core.needle import Hit
    from blockview.core.searching import Wanted
    from blockview.ui.widgets.find_input import FindInput


_HINT_FROM = 24
"""Cells of the find line from which it tells of the key for regular expressions."""
_NEAR = 40
"""Blocks from the cursor on that are looked into before the bytes have told anything."""
_NEAR_LINES = 2_000
"""Lines of the detail that are looked at before anything else."""
_NEWS = 0.03
"""Seconds between two times that what the bytes tell is looked at."""
_AT_ONCE = 20
"""Blocks that are looked into for each piece of news, while there is more to come."""


def _nothing(rows: tuple[int, ...]) -> None:
    """Makes a step that has found nothing of what a step gives."""


class Finding(Screen[None]):
    """The part of the session screen that finds. While somebody types, the cursor goes to the first hit."""

    view: View
    blocks: BlockList
    detail: Detail

    if TYPE_CHECKING:  # other parts of the screen have these

        def filter_typed(self, event: Input.Changed) -> bool:
            """Filter by what is typed so far; False when it was typed elsewhere."""
            ...

    @property
    def in_detail(self) -> bool:
        """Whether the detail has the focus, or had it last."""
        raise NotImplementedError

    @property
    def reading(self) -> bool:
        """Whether the recording is still being read, so that there is more than is known."""
        raise NotImplementedError

    def __init__(self) -> None:
        """Nothing is looked for."""
        super().__init__()
        self.find_line = Bar(self._find_text, id="find")
        self.find_row = Horizontal(self.find_line, id="find-row")
        self._origin = Position(0)
        self._input: FindInput | None = None
        self._regex = False
        """Whether what is typed is a regular expression."""
        self._no_regex = ""
        """Why it is none."""
        self._wanted: Wanted | None = None
        self._looked_quickly = Event()
        self._looked_surely = Event()
        """Whether the two looks through the bytes are over, if there are any."""

    def _find_text(self, width: int) -> Line:
        found, needle = self.view.found, self.view.needle
        if self._input is not None and (self._no_regex or needle is None):
            said = [Span(f" {self._no_regex} ", Role.ERROR)] if self._no_regex else []
            return ends((), [*said, *self._regex_hint(width)], width)
        if found is None or needle is None:
            return ()
        ordinal = found.ordinal(self.view.cursor)
        count = number(found.hits, "hit")
        if self.reading or not found.complete:
            count = f"{found.hits:,} so far…"
        elif not found.hits:
            count = "not found"
        elif ordinal:
            count = f"{ordinal:,} of {found.hits:,}"
        right = [Span(f" {count} ", Role.CHANGED if found.hits else Role.QUIET)]
        if self._input:
            return ends((), [*right, *self._regex_hint(width)], width)
        keys = [Span("  n", Role.KEY), Span(" next  ", Role.QUIET), Span("N", Role.KEY), Span(" previous ", Role.QUIET)]
        kind = " regex /" if needle.regex else " /"
        left = [Span(kind, Role.KEY), Span(one_line(needle.text, width), Role.PLAIN)]
        return ends(left, [*right, *keys] if width >= 60 else right, width)

    def _regex_hint(self, width: int) -> list[Span]:
        """What is typed, and how to change that."""
        if self._regex:
            return [Span("regex ", Role.CHANGED)]
        return [Span("^r", Role.KEY), Span(" regex ", Role.QUIET)] if width >= _HINT_FROM else []

    def begin_at(self, hit: Hit, wanted: Wanted) -> None:
        """Be at a hit when the screen is first shown, and look for what was found there; before it is shown."""
        if WHOLE < hit.block < self.view.blocks:
            self.view.go(Position(hit.block, hit.call))
        self._origin = self.view.cursor
        self._wanted = wanted

    def on_mount(self) -> None:
        """Look for what was found before the screen was opened."""
        if self._wanted is not None:
            self._regex = self._wanted.regex
            self.add_class("-finding")
            self._look_for(self._wanted.text)
            self._show_begin()

    @work(group="seek", description="seek", exclusive=True)
    async def _show_begin(self) -> None:
        self.detail.show(self.view.cursor)
        await self._show_hit(forward=True)

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

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for what is typed so far, or filter by it."""
        if not self.filter_typed(event):
            self._look_for_typed()

    def _look_for_typed(self) -> None:
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
            self._look_for_typed()
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
        self.remove_class("-finding", "-no-regex")
        if typing:
            self.blocks.go(self._origin)
        return True

    def action_find_regex(self) -> None:
        """Take what is looked for as a regular expression, or as a text again."""
        needle = self.view.needle
        if self._input is not None:
            self._regex = not self._regex
            self._look_for_typed()
        elif needle is not None:
            self._regex = not needle.regex
            self._look_for(needle.text)

    def _look_for(self, text: str) -> None:
        self._no_regex = ""
        try:
            self.view.find(text, regex=self._regex)
        except ValueError as error:
            self._no_regex = f"not a regex: {error}"
        self.set_class(bool(self._no_regex), "-no-regex")
        for pane in (self.blocks, self.detail):
            pane.look_for(self.view.needle)
        self.count_found()

    def count_found(self) -> None:
        """Look for the needle in all blocks, in the background, and show how many hits there are."""
        self.workers.cancel_group(self, "found")
        self.find_line.refresh()
        for looked in (self._looked_quickly, self._looked_surely):
            looked.set()  # nobody is to wait for what will not come any more
        self._looked_quickly, self._looked_surely = Event(), Event()
        if self.view.found is not None:
            self._explore(self.view.found)

    def look_further(self, *, anew: bool) -> None:
        """Look for the needle in blocks that are new; or, now that the whole recording is known, anew in all of it."""
        if anew and self.view.needle is not None:
            self.view.look_again()
            self.count_found()
        elif self.view.found is not None and not self.view.found.complete:
            self._explore_rest(self.view.found)

    @work(group="rest", description="rest", exclusive=True)
    async def _explore_rest(self, found: Survey) -> None:
        await self._looked_surely.wait()
        await in_slices(found.explore(self._origin.block), self.find_line.refresh)
        self.find_line.refresh()

    @work(group="found", description="found", exclusive=True)
    async def _explore(self, found: Survey) -> None:
        hunt, quickly, surely = self.view.hunt, self._looked_quickly, self._looked_surely
        if hunt is not None:
            await self._hunt(hunt.quick(), found)
            quickly.set()
            await self._hunt(hunt.sure(), found)
        quickly.set()
        surely.set()
        await in_slices(found.explore(self._origin.block), self.find_line.refresh)
        self.find_line.refresh()

    async def _hunt(self, blocks: Generator[Collection[int], None, None], found: Survey) -> None:
        """Look through the bytes in a thread, and into a few of the blocks that this tells as soon as it tells them."""
        async with aclosing(batches(blocks, _NEWS)) as news:
            async for told in news:
                if likely := list(islice(chain.from_iterable(told), _AT_ONCE)):
                    await in_slices(map(_nothing, map(found.rows, likely)), self.find_line.refresh)
                    self.find_line.refresh()

    def action_next_found(self) -> None:
        """The next hit."""
        self._seek(forward=True)

    def action_previous_found(self) -> None:
        """The previous hit."""
        self._seek(forward=False)

    @work(group="seek", description="seek", exclusive=True)
    async def _seek(self, *, forward: bool, here: bool = False) -> None:
        """Go to a hit: in the detail while it has the focus and holds another, else in the list."""
        if self.view.needle is None:
            return
        if self.in_detail and not here:
            line = await in_slices(self.detail.seek_line(forward=forward), work=URGENT)
            if line is not None:
                self.detail.move(line)
                return
        position = await self._found_position(forward=forward, here=here)
        if position is not None:
            self.blocks.go(position)
            self.detail.show(position)
            await self._show_hit(forward=forward)
        self.find_line.refresh()

    async def _found_position(self, *, forward: bool, here: bool) -> Position | None:
        """The next hit: soon if it is near, else as soon as the bytes tell where it is."""

        def seek() -> Iterator[Position | None]:
            return self.view.seek_found(forward=forward, here=here)

        if self.view.hunt is None:
            return await in_slices(seek(), work=URGENT)
        if near := await in_slices(islice(seek(), _NEAR), work=URGENT):
            return near
        await self._looked_quickly.wait()
        if likely := await in_slices(self.view.seek_likely(forward=forward, here=here), work=URGENT):
            return likely
        await self._looked_surely.wait()
        return await in_slices(seek(), work=URGENT)

    async def _show_hit(self, *, forward: bool) -> None:
        """Put the detail's cursor on its first or last hit, unfolding what holds it, or else everything."""
        detail = self.detail
        await detail.ready()
        detail.put_cursor(0 if forward else max(0, detail.line_count - 1))
        if await self._go_to_hit(islice(detail.seek_line(forward=forward, here=True), _NEAR_LINES)):
            return
        if inside := await in_thread(partial(detail.values_around, forward=forward)):
            await detail.go_into(inside)
            detail.move(detail.cursor_line)
            await self._go_to_hit(islice(detail.seek_line(forward=True, here=True), _NEAR_LINES))
            return
        if await self._go_to_hit(detail.seek_line(forward=forward, here=True)):
            return
        lines = detail.line_count
        detail.set_all_open(True)
        await detail.ready()
        if detail.line_count != lines:
            detail.put_cursor(0 if forward else max(0, detail.line_count - 1))
            await self._go_to_hit(detail.seek_line(forward=forward, here=True))

    async def _go_to_hit(self, lines: Iterator[int | None]) -> bool:
        line = await in_slices(lines, work=URGENT)
        if line is not None:
            self.detail.move(line)
        self.detail.refresh()
        return line is not None
