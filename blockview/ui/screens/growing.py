"""A recording that is still being read, or still being written: the list grows with it and nobody loses his place."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from textual import work
from textual.screen import Screen
from textual.worker import Worker

from blockview.core.find import Position
from blockview.core.growing import Growing, Grown
from blockview.core.view import View
from blockview.ui.threads import in_thread, turns
from blockview.ui.widgets.bar import Bar
from blockview.ui.widgets.block_list import BlockList
from blockview.ui.widgets.detail import Detail

if TYPE_CHECKING:
    from collections.abc import Callable

    from blockview.core.model import Session
    from blockview.core.prepare import Lookup

_SLICE = 0.25
"""Seconds of reading between two times that the list grows, as long as that is quick."""
_SHARE = 10
"""How many times longer is read than it takes to let the list grow."""
_POLL = 0.2
"""Seconds after which a recording that is followed is looked at again."""
_LOOKING = ("marks", "seek", "found", "rest", "kept")
"""The groups of work that looks into blocks."""
_SWITCH = 0.0005
"""Seconds after which the thread that reads lets others go on."""


class Growth(Screen[None]):
    """The part of the session screen that reads on. While the reader's place is the end, it stays the end."""

    view: View
    blocks: BlockList
    detail: Detail
    header: Bar
    lookups: Callable[[Session], Lookup] | None
    _told: Callable[[Session], object] | None = None

    def __init__(self) -> None:
        """Nothing is read on."""
        super().__init__()
        self.growing: Growing | None = None
        self.following = False
        self._done = self._whole = 0
        self._reading = False
        self._stays_at_end = False
        self._partial = False
        self._lost = False
        self._awaited: tuple[Position, Position] | None = None
        self._reader: Worker[None] | None = None

    if TYPE_CHECKING:  # other parts of the screen have these

        def look_further(self, *, anew: bool) -> None:
            """Look for what is to be found in blocks that are new, or in all of them anew."""
            ...

        def hold_end(self) -> None:
            """Stay on the last row while a filter finds more."""
            ...

        def look_through(self) -> None:
            """Look for what the filter keeps in blocks that are new."""
            ...

    @property
    def in_detail(self) -> bool:
        """Whether the detail has the focus, or had it last."""
        raise NotImplementedError

    def look_for_marks(self) -> None:
        """Look for marks in all blocks, in the background."""
        raise NotImplementedError

    def let_grow(
        self,
        growing: Growing | None,
        *,
        complete: bool,
        following: bool,
        told: Callable[[Session], object] | None = None,
    ) -> None:
        """Read a recording on, once the screen is there.

        Args:
            growing: What reads it; None for one that is whole.
            complete: Whether all that is there was read.
            following: Whether to go on when the end is reached.
            told: Is called with what the session has grown to.
        """
        self.growing, self.following = growing, following and growing is not None
        self._reading = self._partial = growing is not None and not complete
        self._stays_at_end = self.following
        self._told = told

    def go_when_read(self, position: Position) -> None:
        """Go to a row once its block is there, unless the cursor moves before. For a screen that is not shown yet."""
        if position.block >= self.view.blocks:
            self._awaited = self.view.cursor, position

    def on_mount(self) -> None:
        """Start to read on when the first screen is painted."""
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        if self.following:
            self.action_bottom()
        self._go_on()

    def _go_on(self) -> None:
        """Read on, if there is something to read or to wait for, and nobody reads."""
        if self.growing is None or not (self._reading or self.following):
            return
        if self._reader is None or self._reader.is_finished:
            self._reader = self._read_on(self.growing)

    @property
    def progress(self) -> str:
        """What the header says of it; empty when there is nothing to say."""
        if self._reading:
            return f"reading {self._percent} %"
        if self.following:
            return "following"
        return f"{self._percent} % read" if self._partial else ""

    @property
    def _percent(self) -> int:
        return 100 * self._done // max(1, self._whole)

    @property
    def reading(self) -> bool:
        """Whether the end has not been reached yet."""
        return self._reading

    def action_follow(self) -> None:
        """Follow the recording, or stop that. A cursor in the list goes to the last row, and stays there."""
        if self.growing is None:
            self.notify("only a file can be followed", markup=False)
            return
        self.following = not self.following
        if self.following:
            if not self.in_detail:
                self.action_bottom()
            self._stays_at_end = True
            self._go_on()
        self.header.refresh()

    def stop_reading(self) -> bool:
        """Read no further, if this is the only screen and there is more to read: so Esc has something to end.

        Returns:
            False when there was nothing to stop.
        """
        if not self._reading or len(self.app.screen_stack) > 1:
            return False
        self.following = False
        self._finish()
        self.notify("reading was stopped; F reads on", markup=False)
        return True

    def action_bottom(self) -> None:
        """Last row; while the recording grows, it stays the last one."""
        pane = self.detail if self.in_detail else self.blocks
        pane.move(pane.line_count - 1)
        self._stays_at_end = pane is self.blocks and (self._reading or self.following)
        if pane is self.blocks:
            self.hold_end()

    @work(group="growing", description="growing")
    async def _read_on(self, growing: Growing) -> None:
        slice_, rest = _SLICE, turns()
        with _quick_switches():
            while self._reading or self.following:
                grown = None
                try:
                    grown = await in_thread(growing.read_on, slice_, rest)
                    self._lost = False
                except (OSError, ValueError) as error:
                    self._tell_lost(error)
                if grown is not None:
                    began = perf_counter()
                    self._take(grown)
                    slice_ = max(_SLICE, _SHARE * (perf_counter() - began))
                elif self._reading:
                    self._finish()
                if not self._reading:
                    await asyncio.sleep(_POLL if self.following else 0)

    def _tell_lost(self, error: Exception) -> None:
        """Tell once that the recording cannot be read."""
        if not self._lost:
            self._lost = True
            gone = isinstance(error, FileNotFoundError)
            problem = "the file is gone" if gone else getattr(error, "strerror", None) or str(error)
            hope = "; it is followed again when that is over" if self.following else ""
            self.notify(f"{problem}{hope}", severity="warning" if gone else "error", markup=False)

    def _take(self, grown: Grown) -> None:
        """Let the list grow."""
        self._done, self._whole = grown.read, grown.size
        if grown.replaced:
            self.notify("the recording was written anew", markup=False)
            for group in _LOOKING:
                self.workers.cancel_group(self, group)
            self.detail.forget()
        tools = grown.session.tools
        changed = self.lookups is not None and tools != self.view.session.tools
        lookup = self.lookups(grown.session) if self.lookups is not None and changed else None
        if self._told is not None:
            self._told(grown.session)
        touched = grown.replaced or changed or self.view.cursor.block in grown.touched
        self.blocks.grow(lambda: self.view.grow(grown, lookup), stay_at_end=self._stays_at_end)
        self._arrive()
        self.detail.grow(self.view.cursor, touched=touched)
        self._partial = not grown.complete
        was_reading, self._reading = self._reading, self._partial and (self._reading or self.following)
        if was_reading and not self._reading:
            self._finish()
        elif not self._reading:
            self.look_for_marks()
            self.look_further(anew=grown.replaced)
        self.look_through()
        self.header.refresh()

    def _arrive(self) -> None:
        """Go to the row that is waited for, if it is there."""
        if self._awaited is None:
            return
        begun, position = self._awaited
        if self.view.cursor != begun:
            self._awaited = None
        elif position.block < self.view.blocks:
            self._awaited = None
            self.blocks.go(position)

    def _finish(self) -> None:
        self._reading = False
        self._stays_at_end = self.following
        self.workers.cancel_group(self, "rest")
        self.look_for_marks()
        self.look_further(anew=True)
        self.header.refresh()


@contextmanager
def _quick_switches() -> Iterator[None]:
    """Let threads take turns more often, so that a key does not wait for the one that reads."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
