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

from blockview.core.growing import Growing, Grown
from blockview.core.view import View
from blockview.ui.threads import in_thread
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
_SWITCH = 0.0005
"""Seconds after which the thread that reads lets others go on."""


class Growth(Screen[None]):
    """The part of the session screen that reads on. While the reader's place is the end, it stays the end."""

    view: View
    blocks: BlockList
    detail: Detail
    header: Bar
    lookups: Callable[[Session], Lookup] | None

    def __init__(self) -> None:
        """Nothing is read on."""
        super().__init__()
        self.growing: Growing | None = None
        self.following = False
        self._done = self._whole = 0
        self._reading = False
        self._stays_at_end = False
        self._lost = False

    if TYPE_CHECKING:  # other parts of the screen have these

        def look_further(self, *, anew: bool) -> None:
            """Look for what is to be found in blocks that are new, or in all of them anew."""
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

    def let_grow(self, growing: Growing | None, *, complete: bool, following: bool) -> None:
        """Read a recording on, once the screen is there.

        Args:
            growing: What reads it; None for one that is whole.
            complete: Whether all that is there was read.
            following: Whether to go on when the end is reached.
        """
        self.growing, self.following = growing, following and growing is not None
        self._reading = growing is not None and not complete
        self._stays_at_end = self.following

    def on_mount(self) -> None:
        """Start to read on."""
        if self.growing is not None and (self._reading or self.following):
            self._read_on(self.growing)
        if self.following:
            self.call_after_refresh(self.action_bottom)

    @property
    def progress(self) -> str:
        """What the header says of it; empty when there is nothing to say."""
        if self._reading:
            return f"reading {100 * self._done // max(1, self._whole)} %"
        return "following" if self.following else ""

    @property
    def reading(self) -> bool:
        """Whether the end has not been reached yet."""
        return self._reading

    def action_follow(self) -> None:
        """Follow the recording, or stop that."""
        if self.growing is None:
            self.notify("only a file can be followed", markup=False)
            return
        self.following = not self.following
        if self.following:
            self.action_bottom()
            self._stays_at_end = True
            if not self._reading:
                self._read_on(self.growing)
        self.header.refresh()

    def action_bottom(self) -> None:
        """Last row; while the recording grows, it stays the last one."""
        pane = self.detail if self.in_detail else self.blocks
        pane.move(pane.line_count - 1)
        self._stays_at_end = pane is self.blocks and (self._reading or self.following)

    @work(group="growing", exclusive=True)
    async def _read_on(self, growing: Growing) -> None:
        slice_ = _SLICE
        with _quick_switches():
            while self._reading or self.following:
                try:
                    grown = await in_thread(growing.read_on, slice_)
                except (OSError, ValueError) as error:
                    self._tell_lost(error)
                    grown = None
                if grown is not None:
                    began = perf_counter()
                    self._take(grown)
                    slice_ = max(_SLICE, _SHARE * (perf_counter() - began))
                elif self._reading:
                    self._finish()
                if not self._reading:
                    await asyncio.sleep(_POLL if self.following else 0)

    def _tell_lost(self, error: Exception) -> None:
        if not self._lost:
            self._lost = True
            self.notify(f"it can no longer be read: {error}", severity="error", markup=False)

    def _take(self, grown: Grown) -> None:
        """Let the list grow."""
        self._lost = False
        self._done, self._whole = grown.read, grown.size
        if grown.replaced:
            self.notify("the recording was written anew", markup=False)
        tools = grown.session.tools
        changed = self.lookups is not None and tools != self.view.session.tools
        lookup = self.lookups(grown.session) if self.lookups is not None and changed else None
        touched = grown.replaced or changed or self.view.cursor.block in grown.touched
        self.blocks.grow(lambda: self.view.grow(grown, lookup), stay_at_end=self._stays_at_end)
        self.detail.grow(self.view.cursor, touched=touched)
        was_reading, self._reading = self._reading, not grown.complete
        if was_reading and not self._reading:
            self._finish()
        elif not self._reading:
            self.look_for_marks()
            self.look_further(anew=False)
        self.look_through()
        self.header.refresh()

    def _finish(self) -> None:
        self._reading = False
        self._stays_at_end = self.following
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
