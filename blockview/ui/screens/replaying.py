"""Replay from the session: which calls, the confirmation, and live outcomes beside the recorded results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.screen import Screen

from blockview.core.find import HEAD, Position
from blockview.core.view import View
from blockview.ui.widgets.block_list import BlockList
from blockview.ui.widgets.detail import Detail

if TYPE_CHECKING:
    from blockview.core.compare import Comparison
    from blockview.core.consentlines import Planned
    from blockview.core.live import Live
    from blockview.core.model import ToolCall
    from blockview.ui.replays import Replays

_NO_SERVERS = "no servers to send to: start with blockview --server NAME=COMMAND"


_MOST = 500
"""Calls that are replayed at a time: a person is to see what is asked."""


class Replaying(Screen[None]):
    """The part of the session screen that replays. Nothing starts and nothing is sent before the person confirms."""

    view: View
    blocks: BlockList
    detail: Detail
    replays: Callable[[], Replays] | None

    @property
    def in_detail(self) -> bool:
        """Whether the detail has the focus, or had it last."""
        raise NotImplementedError

    def catalog_changed(self) -> None:
        """Follow what the catalog knows now."""
        raise NotImplementedError

    def action_replay(self) -> None:
        """Replay the call under the cursor, or the MCP calls of the block."""
        self.replay(self._positions())

    def action_replay_shown(self) -> None:
        """Replay all MCP calls that the list shows."""
        positions = self.view.all_calls_shown(_MOST)
        if self.view.kept is not None and not self.view.kept.complete:
            self.notify("the filter has not looked at everything yet: wait for its count", markup=False)
        elif len(positions) > _MOST:
            self.notify(f"more than {_MOST:,} calls stand in the list: filter them first (f)", markup=False)
        else:
            self.replay(positions)

    def replay(self, positions: Sequence[Position], call: ToolCall | None = None) -> None:
        """Ask about the calls at `positions` and send them in order.

        Args:
            positions: Rows of calls; what is no MCP call is left out.
            call: What to send in place of the one recorded call, where a person edited it.
        """
        plan = self._plan(positions, call)
        if plan is None:
            return
        replays, chosen, planned, left_out = plan
        send = partial(self._send, replays, chosen)
        if replays.needs_no_question(planned):
            if left_out:
                self.notify(left_out, markup=False)
            send(planned)
            return
        from blockview.ui.screens.confirm import Confirm

        screen = Confirm(replays, planned, send=send, connected=self.catalog_changed, note=left_out)
        self.app.push_screen(screen)

    def action_schemas(self) -> None:
        """Ask about the servers of the calls under the cursor, and let them list their tools."""
        plan = self._plan(self._positions(), None)
        if plan is None:
            return
        replays, _, planned, _ = plan
        reachable = [each for each in planned if each.route.destination is not None]
        if not reachable:
            self.notify(f"no server: {planned[0].route.reason}", markup=False)
        elif not replays.unconnected(reachable):
            self.catalog_changed()
            self.notify("connected already: the schemas are used", markup=False)
        else:
            from blockview.ui.screens.confirm import Confirm

            self.app.push_screen(Confirm(replays, reachable, send=None, connected=self.catalog_changed))

    def _positions(self) -> list[Position]:
        """The call under the cursor, or the calls of the block under it that the list shows."""
        position = self.detail.position if self.in_detail else self.view.cursor
        if self.in_detail and self.detail.chosen_call is not None:
            position = self.detail.chosen_call
        if position.call != HEAD or position.block >= self.view.blocks:
            return [position] if position.block < self.view.blocks else []
        return [Position(position.block, call) for call in self.view.calls_shown(position.block)]

    def _plan(
        self, positions: Sequence[Position], call: ToolCall | None
    ) -> tuple[Replays, list[Position], list[Planned], str] | None:
        """The MCP calls at `positions`, what is to be sent, and what is left out, in words.

        None once the person was told why there is nothing.
        """
        from blockview.core.consentlines import NEVER_RAN, never_ran

        if self.replays is None:
            self.notify(_NO_SERVERS, markup=False)
            return None
        one = len(positions) == 1
        calls = [(each, found) for each in positions if (found := self.view.call(each)) is not None and found.mcp]
        if not calls:
            self.notify("not an MCP call: no server would get it" if one else "no MCP call here", markup=False)
            return None
        chosen = [each for each, found in calls if one or found.status not in NEVER_RAN]
        others = "" if one else never_ran(found for _, found in calls)
        left_out = f"left out: {others}; R on the call itself sends it" if others else ""
        if not chosen:
            self.notify(left_out, markup=False)
            return None
        try:
            replays = self.replays()
        except ValueError as error:
            self.notify(str(error), severity="error", markup=False)
            return None
        return replays, chosen, [replays.plan(self.view, each, call) for each in chosen], left_out

    def _send(self, replays: Replays, positions: Sequence[Position], planned: Sequence[Planned]) -> None:
        from blockview.ui.screens.sending import Sending

        screen = Sending(
            replays,
            planned,
            keep=lambda at, live: self._keep(positions[at], live),
            show=lambda at, live, compared: self._show(positions[at], live, compared, single=len(planned) == 1),
            connected=self.catalog_changed,
        )
        self.app.push_screen(screen)

    def _keep(self, position: Position, live: Live) -> None:
        outcomes = self.view.live.setdefault(position, [])
        if outcomes and outcomes[-1].outcome is live.outcome:
            outcomes.pop()
        outcomes.append(live)
        self.blocks.changed()
        self.detail.changed()

    def action_compare(self) -> None:
        """The latest live outcome of the call under the cursor beside the recorded result."""
        position = (self._positions() or [Position(0)])[0]
        if self.view.live.get(position):
            self.show_outcome(position, -1)
        else:
            self.notify("no live answer yet: R replays the call", markup=False)

    def show_outcome(self, position: Position, number: int) -> None:
        """Show one of the live outcomes of a call beside its recorded result."""
        self._show(position, self.view.live[position][number], None)

    def _show(self, position: Position, live: Live, compared: Comparison | None, *, single: bool = False) -> None:
        from blockview.ui.screens.replay import Compared

        recorded = self.view.call(position)
        if recorded is None:
            return
        again = partial(self.replay, [position], live.call if live.edited else None)
        screen = Compared(recorded, live, compared, again=again)
        if single:
            self.app.switch_screen(screen)
        else:
            self.app.push_screen(screen)
