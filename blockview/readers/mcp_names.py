"""Which server and tool a recorded tool name means: Claude Code writes `mcp__<server>__<tool>`."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from blockview.core.names import sanitised

_PREFIX = "mcp__"


class ToolName(NamedTuple):
    """A resolved name. `inferred` says that server and tool were only guessed by splitting."""

    server: str | None
    tool: str
    mcp: bool
    inferred: bool = False


def resolve(name: str, servers: Collection[str] = ()) -> ToolName:
    """Split a recorded tool name by the longest known server name, else at the first `__` as a guess.

    Args:
        name: The recorded name, such as `mcp__github__get_issue` or `Bash`.
        servers: The names of servers that the recording mentions, as configured.
    """
    if not name.startswith(_PREFIX):
        return ToolName(None, name, mcp=False)
    rest = name[len(_PREFIX) :]
    fitting = [server for server in servers if server and rest.startswith(sanitised(server) + "__")]
    for server in sorted(fitting, key=len, reverse=True):
        if tool := rest[len(server) + 2 :]:
            return ToolName(server, tool, mcp=True)
    server, separator, tool = rest.partition("__")
    if not (server and separator and tool):
        return ToolName(None, rest or name, mcp=True, inferred=True)
    return ToolName(server, tool, mcp=True, inferred=True)
