"""Subagents from the session: entered from the call that started them, and left again to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work
from textual.screen import Screen

from blockview.core.find import Position
from blockview.ui.widgets.block_list import BlockList
from blockview.ui.widgets.detail import Detail
from blockview.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from blockview.core.model import Session


class Nesting(Screen[None]):
    """The part of the session screen that enters subagents.

    One with a recording of its own gets a screen of its own. One whose blocks stand in the same recording is gone to,
    and the way back is kept.
    """

    blocks: BlockList
    detail: Detail
    ways_back: list[Position]
    """The calls from which subagents in the same recording were entered, the latest last."""

    def open_nested(self, session: Session, agent: str) -> None:
        """Open a screen for the session of a subagent."""
        raise NotImplementedError

    def focus_pane(self, pane: Pane) -> None:
        """Bring a pane to the front and give it the focus."""
        raise NotImplementedError

    @work(group="enter", description="enter", exclusive=True)
    async def enter_subagent(self, agent: str) -> None:
        """Show the conversation of a subagent, or tell why there is none."""
        came_from = self.detail.position
        found = await self.detail.subagents.find(agent)
        if not self.is_current:
            return
        if found.first is not None:
            self.ways_back.append(came_from)
            self.blocks.go(Position(found.first))
            self.focus_pane(self.blocks)
        elif found.session is not None:
            self.open_nested(found.session, agent)
        else:
            self.notify(f"subagent {agent}: {found.problem}", markup=False)

    def leave_subagent(self) -> bool:
        """Go back to the call from which a subagent in the same recording was entered; False where none was."""
        if not self.ways_back:
            return False
        self.blocks.go(self.ways_back.pop())
        self.focus_pane(self.detail)
        return True
