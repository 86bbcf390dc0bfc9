"""The picker: all sessions there are, what is known of each, and ways to find one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message

from blockview.core.lines import Line, Role, Span
from blockview.core.listing import Level, Listing, Sessions
from blockview.core.pickerlines import names_line, preview_lines
from blockview.core.picking import Order, Picking
from blockview.core.rows import ends, fit
from blockview.core.safetext import one_line
from blockview.ui.actions import Where, footer_actions
from blockview.ui.header import number
from blockview.ui.screens.base import PaneScreen, bindings
from blockview.ui.threads import in_thread
from blockview.ui.widgets.bar import Bar, Footer
from blockview.ui.widgets.pane import Pane
from blockview.ui.widgets.session_list import SessionList
from blockview.ui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from blockview.core.needle import Hit
    from blockview.core.searching import Search, Wanted
    from blockview.ui.widgets.find_input import FindInput

_PREVIEW_FROM = 20
"""Lines of the screen from which the preview is shown."""
_BATCH, _BATCH_SIZE = 32, 2_000_000
"""Sessions, and bytes of them, that are looked into at a time; those on screen a few at a time."""
_SEEN_BATCH = 8
_TELL = 0.15
"""Seconds between drawings of what was found out."""
_WAIT = 0.05
"""Seconds until a lane without work looks for some again."""


class Picker(PaneScreen):
    """Lists sessions. It paints at once, and finds out about them while it is looked at, those on screen first."""

    BINDINGS = bindings(Where.EVERYWHERE, Where.PICKER)
    AUTO_FOCUS = "#sessions"

    class Picked(Message):
        """A session was chosen."""

        def __init__(self, name: str, hit: Hit | None = None, wanted: Wanted | None = None) -> None:
            """Tell that the session was chosen that opens by `name`, because of a hit in it for what was wanted."""
            super().__init__()
            self.name = name
            self.hit = hit
            self.wanted = wanted

    def __init__(self, sessions: Sessions, where: str = "", search: Search | None = None) -> None:
        """Offer sessions.

        Args:
            sessions: Finds them and finds out about them.
            where: In a word where they are, for the header.
            search: Looks through them for a text.
        """
        super().__init__()
        self._search_texts = search
        self._sessions = sessions
        self._where = where
        self._searching = True
        self.picking = Picking()
        self._asked: set[tuple[str, Level]] = set()
        self._busy = 0
        self._news = False
        self._drawn: list[Listing] = []
        self._input: FindInput | None = None
        self._list = SessionList(self.picking, id="sessions")
        self._header = Bar(self._header_line, id="header")
        self._names = Bar(self._names_line, id="names")
        self._preview = Sheet(self._preview_lines, id="preview")
        self._find_row = Horizontal(Bar(self._find_line, id="find"), id="find-row")

    def compose(self) -> ComposeResult:
        """Header, names of the columns, list, preview, what is looked for, footer."""
        yield self._header
        yield self._names
        yield self._list
        yield self._preview
        yield self._find_row
        yield Footer(lambda: footer_actions(Where.PICKER), id="footer")

    def on_mount(self) -> None:
        """Begin to find out."""
        self.set_interval(_TELL, self._tell)
        # The first screen is painted before anything else wants the processor.
        self.call_after_refresh(self._search)

    def on_unmount(self) -> None:
        """Leave nothing behind that goes on."""
        self._sessions.stop()

    def on_resize(self, event: events.Resize) -> None:
        """Show the preview where there is room."""
        self.set_class(event.size.height < _PREVIEW_FROM, "-low")

    # What is shown

    def _header_line(self, width: int) -> Line:
        picking = self.picking
        only = [one_line(each, 20) for each in (picking.tool, picking.project) if each]
        right = [Span(f"only {', '.join(only)}   ", Role.CHANGED)] if only else []
        if picking.order is not Order.WHEN:
            right.append(Span(f"by {picking.order.value}   ", Role.CHANGED))
        if self._searching or picking.open:
            right.append(Span("looking…   " if self._searching else f"{picking.open:,} to look into…   ", Role.QUIET))
        shown = f"{len(picking):,} of " if picking.narrowed else ""
        right.append(Span(f"{shown}{number(picking.found, 'session')} ", Role.QUIET))
        return ends(
            [Span(" blockview", Role.TITLE), Span(f"  {one_line(self._where, width)}", Role.QUIET)], right, width
        )

    def _names_line(self, width: int) -> Line:
        if len(self.picking):
            return names_line(width)
        if self._searching or self.picking.open:
            said = "looking for sessions…"
        elif self.picking.found:
            said = "no session is like that: Esc shows all"
        else:
            said = "no sessions here: blockview --places tells where they are looked for"
        return fit([Span(f" {said}", Role.QUIET)], width)

    def _preview_lines(self, width: int, height: int) -> Sequence[Line]:
        return preview_lines(self.picking.chosen, width, height)

    def _find_line(self, width: int) -> Line:
        if self._input is not None:
            return ()
        keys = [Span("Esc", Role.KEY), Span(" shows all ", Role.QUIET)]
        return ends([Span(" /", Role.KEY), Span(one_line(self.picking.text, width), Role.PLAIN)], keys, width)

    def _redraw(self) -> None:
        self._drawn = self._on_screen()
        self._list.changed()
        self._list.show_cursor()
        for part in (self._header, self._names, self._preview):
            part.refresh()

    def _tell(self) -> None:
        """Show what was found out since the last time; the list is drawn only where that is on screen."""
        if self._news:
            self._news = False
            if self._on_screen() != self._drawn or self._list.virtual_size.height != len(self.picking):
                self._redraw()
            self._header.refresh()
            self._names.refresh()

    def on_pane_moved(self, event: Pane.Moved) -> None:
        """Let the preview follow the list."""
        self._preview.refresh()

    # Finding out

    @work(group="search", description="search", exclusive=True)
    async def _search(self) -> None:
        """Search for sessions, again or for the first time."""
        self._searching = True
        self._header.refresh()
        found = await in_thread(self._sessions.find)
        self._searching = False
        self._asked.clear()
        self.picking.put(found)
        self._redraw()
        self._fill()

    @work(group="fill", description="fill", exclusive=True)
    async def _fill(self) -> None:
        """Look into what is not known yet, in as many lanes as make sense, and remember it."""
        await asyncio.gather(*(self._lane() for _ in range(self._sessions.lanes)))
        self._tell()
        await in_thread(self._sessions.keep)

    async def _lane(self) -> None:
        while True:
            if batch := self._next_batch():
                self._busy += 1
                try:
                    found = await in_thread(self._sessions.look, batch)
                finally:
                    self._busy -= 1
                self.picking.update(batch, found)
                self._news = True
            elif self._busy:
                await asyncio.sleep(_WAIT)
            else:
                return

    def _next_batch(self) -> list[Listing]:
        batch: list[Listing] = []
        size = 0
        seen = any(not each.settled and not self._is_asked(each) for each in self._on_screen())
        most = _SEEN_BATCH if seen else _BATCH
        for listing in self.picking.unsettled(self._list.on_screen):
            if self._is_asked(listing):
                continue
            self._asked.add((listing.name, listing.level))
            batch.append(listing)
            size += listing.size
            if len(batch) == most or size > _BATCH_SIZE:
                break
        return batch

    def _on_screen(self) -> list[Listing]:
        lines = self._list.on_screen
        return [self.picking[line] for line in range(lines.start, min(lines.stop, len(self.picking)))]

    def _is_asked(self, listing: Listing) -> bool:
        return (listing.name, listing.level) in self._asked

    # Finding one

    def action_find_session(self) -> None:
        """Open the line to type in."""
        from blockview.ui.widgets.find_input import FindInput

        if self._input is None:
            self._input = FindInput(self._accept, self._show_all)
            self._input.value = self.picking.text
            self.add_class("-finding", "-typing")
            self._find_row.mount(self._input)
            self._input.focus()

    def on_key(self, event: events.Key) -> None:
        """Take what comes in one burst with the key for find, before the input can have the focus."""
        if self._input is None:
            if event.character == "/":
                event.stop()
                self.action_find_session()
        elif self.focused is not self._input:
            event.stop()
            self._input.take(event)

    def on_input_changed(self) -> None:
        """Show what has the words typed so far."""
        if self._input is not None:
            self.picking.look_for(self._input.value)
            self._redraw()

    def _accept(self) -> None:
        """Stay with what was found."""
        if self._input is not None:
            self.picking.look_for(self._input.value)
            self._close_input()

    def _show_all(self) -> None:
        """Look for nothing any more."""
        self.picking.look_for("")
        self._close_input()

    def _close_input(self) -> None:
        if self._input is not None:
            self._input.remove()
            self._input = None
        self.remove_class("-typing")
        self.set_class(bool(self.picking.text), "-finding")
        self.set_focus(self._list)
        self._redraw()

    def action_only_tool(self) -> None:
        """Only the tool of the session under the cursor, or all tools again."""
        chosen = self.picking.chosen
        self.picking.narrow(tool="" if self.picking.tool or chosen is None else chosen.made_by)
        self._redraw()

    def action_only_project(self) -> None:
        """Only the project of the session under the cursor, or all projects again."""
        chosen = self.picking.chosen
        if chosen is not None and not chosen.project and not self.picking.project:
            self.notify("the session names no project", markup=False)
            return
        self.picking.narrow(project="" if self.picking.project or chosen is None else chosen.project)
        self._redraw()

    def action_sort(self) -> None:
        """Sort in the next way."""
        self.picking.sort(self.picking.order.next)
        self._redraw()

    def action_find_everywhere(self) -> None:
        """Find a text in all sessions that are listed."""
        from blockview.ui.screens.finding_all import FindingAll

        if self._search_texts is not None:
            paths = dict.fromkeys(self.picking[line].path for line in range(len(self.picking)))
            self.app.push_screen(FindingAll(self._search_texts, list(paths)))

    def action_reload(self) -> None:
        """Search again."""
        self._search()

    # Leaving

    def on_pane_chosen(self, event: Pane.Chosen) -> None:
        """Open what was double-clicked."""
        self.action_pick()

    def action_pick(self) -> None:
        """Open the session under the cursor."""
        if chosen := self.picking.chosen:
            self.post_message(self.Picked(chosen.name))

    def action_back(self) -> None:
        """One level back: selection, what is looked for, project, tool."""
        if self.selections:
            self.clear_selection()
        elif self.picking.widen():
            self._close_input()
        else:
            super().action_back()
