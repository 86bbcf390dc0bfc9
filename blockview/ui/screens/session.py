"""The session screen: the list of blocks and calls, and the detail of what the cursor is on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from blockview.core.coercion import Depth
from blockview.core.find import HEAD, Position
from blockview.core.lines import Line
from blockview.core.render import Section, Target
from blockview.core.view import View
from blockview.ui.actions import Action, Where, footer_actions
from blockview.ui.header import header_line
from blockview.ui.screens.base import PaneScreen, bindings
from blockview.ui.screens.filtering import Filtering
from blockview.ui.screens.finding import Finding
from blockview.ui.screens.growing import Growth
from blockview.ui.screens.nesting import Nesting
from blockview.ui.screens.replaying import Replaying
from blockview.ui.slices import URGENT, in_slices
from blockview.ui.widgets.bar import Bar, Footer
from blockview.ui.widgets.block_list import BlockList
from blockview.ui.widgets.detail import Detail
from blockview.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from blockview.core.model import Session
    from blockview.core.prepare import Lookup
    from blockview.ui.replays import Replays

_NEXT_DEPTH = {Depth.TOP: Depth.DEEP, Depth.DEEP: Depth.OFF, Depth.OFF: Depth.TOP}
_ROOT = 'path of the root, ""'
"""What the JSON Pointer of the whole document is called, which holds no character."""
_BOTH_FROM = 100
"""Cells from which list and detail stand side by side."""


class SessionScreen(Growth, Filtering, Finding, Replaying, Nesting, PaneScreen):
    """Browses one session. Side by side from 100 columns, one pane below that or when zoomed."""

    BINDINGS = bindings(Where.EVERYWHERE, Where.ROWS, Where.SESSION)
    AUTO_FOCUS = "#list"

    def __init__(
        self,
        view: View,
        replays: Callable[[], Replays] | None = None,
        lookups: Callable[[Session], Lookup] | None = None,
        *,
        above: SessionScreen | None = None,
        agent: str = "",
    ) -> None:
        """Browse a session.

        Args:
            view: The session with its catalog.
            replays: Gives what sends calls; a ValueError says why there is none.
            lookups: The catalogs of the recordings of subagents; without it they have that of `view`.
            above: The screen of the session from which this one, that of a subagent, was entered.
            agent: The id of that subagent.
        """
        super().__init__()
        self.view = view
        self.replays = replays
        self.lookups = lookups
        self.ways_back = []
        self._above = above
        source = view.session.source
        self.path: tuple[str, ...] = (*above.path, f"subagent {agent}") if above else (PurePath(source).name or source,)
        """The names of the sessions through which a person came here, and this one's."""
        self.blocks = BlockList(view, id="list")
        self.detail = Detail(view, id="detail")
        self._panes = Horizontal(self.blocks, self.detail, id="panes")
        self.header = Bar(self._header_line, id="header")
        self._footer = Footer(self._footer_actions, id="footer")

    def compose(self) -> ComposeResult:
        """Header, both panes, what is looked for, footer."""
        yield self.header
        yield self._panes
        yield self.filter_row
        yield self.find_row
        yield self._footer

    def on_mount(self) -> None:
        """Start to count the marks, once everything is read."""
        if not self.reading:
            self.call_after_refresh(self.look_for_marks)

    # Header and footer

    def _header_line(self, width: int) -> Line:
        recorded, progress = self.detail.recorded, self.progress
        return header_line(self.view, self.path, recorded=recorded, progress=progress, width=width)

    def _footer_actions(self) -> Sequence[Action]:
        where = Where.DETAIL if self.in_detail else Where.LIST
        return footer_actions(where, replay=self.replays is not None)

    def look_for_marks(self) -> None:
        """Look for marks in all blocks, in the background, and show how many there are."""
        self._count_marks()

    @work(group="marks", description="marks", exclusive=True)
    async def _count_marks(self) -> None:
        start = min(self.view.cursor.block, max(0, self.view.blocks - 1))
        await in_slices(self.view.marked.explore(start), self.header.refresh)
        self.header.refresh()

    # Panes

    @property
    def in_detail(self) -> bool:
        """Whether the detail has the focus, or had it last."""
        return self._panes.has_class("-in-detail")

    def on_resize(self, event: events.Resize) -> None:
        """Show one pane where there is no room for both."""
        self._panes.set_class(event.size.width < _BOTH_FROM, "-narrow")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Take note of which pane the keys go to."""
        if isinstance(self.focused, Pane):  # the focus may have gone on since the event was sent
            self._panes.set_class(self.focused is self.detail, "-in-detail")
            self._footer.refresh()

    def focus_pane(self, pane: Widget) -> None:
        """Bring a pane to the front and give it the focus."""
        self._panes.set_class(pane is self.detail, "-in-detail")
        self.set_focus(pane)

    def on_pane_moved(self, event: Pane.Moved) -> None:
        """Let the detail follow the list."""
        if event.pane is self.blocks:
            self.detail.show(self.view.cursor)

    def on_pane_chosen(self, event: Pane.Chosen) -> None:
        """Open what was double-clicked."""
        self.action_open()

    def action_open(self) -> None:
        """From the list to the detail, from a block's detail to a call, from a call to its subagent; elsewhere fold."""
        if not self.in_detail:
            self.focus_pane(self.detail)
        elif (position := self.detail.chosen_call) is not None:
            self.blocks.go(position)
        elif (outcome := self.detail.chosen_outcome) is not None:
            self.show_outcome(self.detail.position, outcome)
        elif (agent := self.detail.chosen_agent) is not None:
            self.enter_subagent(agent)
        else:
            self.detail.toggle_line(self.detail.cursor_line)

    def open_nested(self, session: Session, agent: str) -> None:
        """Open a screen for the session of a subagent."""
        lookup = self.lookups(session) if self.lookups else self.view.lookup
        nested = View(session, lookup, self.view.depth)
        self.app.push_screen(SessionScreen(nested, self.replays, self.lookups, above=self, agent=agent))

    def action_switch_pane(self) -> None:
        """Go to the other pane."""
        self.focus_pane(self.blocks if self.in_detail else self.detail)

    def action_zoom(self) -> None:
        """Show the focused pane alone, or both."""
        self._panes.toggle_class("-zoom")

    def action_back(self) -> None:
        """One level back: selection, find, zoom, detail, subagent, reading, screen."""
        if self.selections:
            self.clear_selection()
        elif self.end_find() or self.end_filter():
            pass
        elif self._panes.has_class("-zoom"):
            self._panes.remove_class("-zoom")
        elif self.in_detail:
            self.focus_pane(self.blocks)
        elif not self.leave_subagent() and not self.stop_reading():
            super().action_back()

    def action_leave(self) -> None:
        """One level back where the detail hides the list, else leave."""
        if self.in_detail and not self.blocks.display:
            self.focus_pane(self.blocks)
        else:
            super().action_leave()

    # Folds

    def action_fold(self) -> None:
        """Fold or unfold the row under the cursor."""
        if self.pane.line_count:
            self.pane.toggle_line(self.pane.cursor_line)

    def action_step_in(self) -> None:
        """One level further in."""
        if self.in_detail:
            self.detail.step_in()
        elif not self.blocks.step_in():
            self.focus_pane(self.detail)

    def action_step_out(self) -> None:
        """One level further out."""
        if not self.in_detail:
            self.blocks.step_out()
        elif not self.detail.step_out():
            self.focus_pane(self.blocks)

    def action_expand_all(self) -> None:
        """Unfold everything in the pane."""
        (self.detail if self.in_detail else self.blocks).set_all_open(True)

    def action_collapse_all(self) -> None:
        """Fold everything in the pane."""
        (self.detail if self.in_detail else self.blocks).set_all_open(False)

    # What is shown

    def action_depth(self) -> None:
        """The next coercion depth, for everything that is shown and copied."""
        self._prepare_anew(_NEXT_DEPTH[self.view.depth])

    def catalog_changed(self) -> None:
        """Follow what the catalog knows now."""
        self._prepare_anew(self.view.depth)

    def _prepare_anew(self, depth: Depth) -> None:
        self.view.set_depth(depth)
        self.blocks.changed()
        self.detail.changed()
        self.header.refresh()
        if not self.reading:
            self.look_for_marks()
        self.count_found()
        self.look_through()
        if self._above is not None:
            self._above._prepare_anew(depth)

    def action_recorded(self) -> None:
        """The recorded text of the arguments, or what is dispatched."""
        self.detail.recorded = not self.detail.recorded
        self.detail.changed()
        self.header.refresh()

    def action_result(self) -> None:
        """The result as its value, as its text, or as the raw record."""
        self.detail.next_result_view()

    def action_diagnostics(self) -> None:
        """Go to what could not be read."""
        if self.view.session.diagnostics:
            self.blocks.go(self.view.diagnostics_position)
            self.focus_pane(self.detail)
        else:
            self.notify("everything could be read", markup=False)

    def action_next_mark(self) -> None:
        """The next call with a mark."""
        self._seek_mark(forward=True)

    def action_previous_mark(self) -> None:
        """The previous call with a mark."""
        self._seek_mark(forward=False)

    def action_next_error(self) -> None:
        """The next call with an error."""
        self._seek_error(forward=True)

    def action_previous_error(self) -> None:
        """The previous call with an error."""
        self._seek_error(forward=False)

    def _seek_mark(self, *, forward: bool) -> None:
        self._go_where(self.view.seek_mark(forward=forward), "no call has a mark")

    def _seek_error(self, *, forward: bool) -> None:
        self._go_where(self.view.seek_mark(forward=forward, errors=True), "no call has an error")

    @work(group="seek", description="seek", exclusive=True)
    async def _go_where(self, steps: Iterator[Position | None], nothing: str) -> None:
        position = await in_slices(steps, work=URGENT)
        if position is None:
            self.notify(nothing, markup=False)
        else:
            self.blocks.go(position)

    # Copy

    @property
    def _target(self) -> tuple[Position, Target]:
        """What a copy is about: the row under the cursor of the focused pane."""
        position = self.detail.position if self.in_detail else self.view.cursor
        row = self.detail.row if self.in_detail else None
        if row is not None and row.target is not None:
            return Position(position.block, row.target.call), row.target
        if position.call == HEAD:
            return position, Target(HEAD, Section.PROMPT)
        return position, Target(position.call, Section.ARGUMENTS)

    def action_copy(self) -> None:
        """Offer what can be copied from the row under the cursor."""
        from blockview.core.copying import Copy, copy_text
        from blockview.ui.screens.copy_menu import Choice, CopyMenu

        position, target = self._target
        if position.block >= self.view.blocks:
            self.notify("nothing to copy here", markup=False)
            return
        block, call = self.view.block(position.block), self.view.call(position)
        prepared = self.view.prepared(position) if call else None
        choices = [
            Choice(keys, _ROOT if what is Copy.PATH and not text else word, text)
            for keys, word, what in (
                (("v", "y"), "value", Copy.VALUE),
                (("a",), "arguments as sent", Copy.ARGUMENTS),
                (("o",), "arguments as recorded", Copy.RECORDED),
                (("r",), "result", Copy.RESULT),
                (("p",), "path", Copy.PATH),
                (("k",), "key", Copy.KEY),
            )
            if (text := copy_text(block, call, prepared, target, what)) is not None
        ]
        choices.append(Choice(("Y",), "whole block", self._block_text(position.block)))
        self.app.push_screen(CopyMenu(choices, lambda choice: self.copy(choice.word, choice.text)))

    def action_copy_block(self) -> None:
        """Copy the whole block."""
        block = self._target[0].block
        if block < self.view.blocks:
            self.copy("whole block", self._block_text(block))
        else:
            self.notify("nothing to copy here", markup=False)

    def _block_text(self, index: int) -> str:
        from blockview.core.copying import copy_block

        block = self.view.block(index)
        return copy_block(block, [self.view.prepared(Position(index, number)) for number in range(len(block.calls))])
