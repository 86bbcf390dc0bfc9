"""Names of servers and tools: as clients write them, as the screen shows them, and as a person may ask for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from blockview.core.model import Session, ToolCall

_MOST_CALLS = 20_000
"""In a recording of more calls nobody looks for the names of all its servers: that would take too long."""

_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")


def sanitised(name: str) -> str:
    """A server or tool name as it stands inside a recorded tool name."""
    return _UNSAFE.sub("_", name)


def shown_name(call: ToolCall) -> str:
    """What a call is called on screen: `server.tool`, or the recorded name where no tool is known."""
    tool = call.tool or call.name
    return f"{call.server}.{tool}" if call.server else tool


def server_names(server: str | None) -> tuple[str, ...]:
    """The names by which a person may ask for a server: its own, and of a name that is a path the last part alone."""
    if not server:
        return ()
    last = server.rpartition("/")[2]
    return (server, last) if last and last != server else (server,)


def call_names(call: ToolCall) -> tuple[str, ...]:
    """The names by which a person may ask for a call: as the screen shows it, its tool alone, and as it is recorded."""
    tool = call.tool or call.name
    return (*(f"{server}.{tool}" for server in server_names(call.server)), tool, call.name)


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
