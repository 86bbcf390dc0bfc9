"""Names of servers: as clients write them where a name may hold few characters, and those that a recording has."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from blockview.core.model import Session

_MOST_CALLS = 20_000
"""In a recording of more calls nobody looks for the names of all its servers: that would take too long."""

_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")


def sanitised(name: str) -> str:
    """A server or tool name as it stands inside a recorded tool name."""
    return _UNSAFE.sub("_", name)


def recorded_servers(session: Session) -> Callable[[], tuple[str, ...]]:
    """Tells the names of all servers that the MCP calls of a recording name, in order.

    They are looked for once, when they are first asked for. In a very long recording nothing is told.
    """

    @cache
    def names() -> tuple[str, ...]:
        if sum(session.call_counts) > _MOST_CALLS:
            return ()
        named = (call.server for block in session.blocks for call in block.calls if call.mcp and call.server)
        return tuple(dict.fromkeys(named))

    return names
