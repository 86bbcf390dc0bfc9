"""The subagents of a session, each looked up once, when a call that started it is shown."""

from __future__ import annotations

import asyncio

from blockview.core.model import Session
from blockview.core.subagents import Subagent, find_subagent, inline_subagent
from blockview.ui.threads import in_thread


class Subagents:
    """What is known of the subagents of one session."""

    def __init__(self, session: Session) -> None:
        """Know nothing yet."""
        self._session = session
        self._known: dict[str, Subagent] = {}
        self._asked: dict[str, asyncio.Task[Subagent]] = {}

    def known(self, agent: str) -> Subagent | None:
        """A subagent that was looked up, or that needs no looking up; None for any other."""
        return self._known.get(agent) or inline_subagent(self._session, agent)

    async def find(self, agent: str) -> Subagent:
        """A subagent, looked up in a thread. Who asks again meanwhile, or is cancelled, does not start that anew."""
        if (known := self.known(agent)) is not None:
            return known
        if agent not in self._asked:
            self._asked[agent] = asyncio.create_task(in_thread(find_subagent, self._session, agent))
        found = self._known[agent] = await asyncio.shield(self._asked[agent])
        return found
