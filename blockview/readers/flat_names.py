"""Tool names of the form `mcp_<server>_<tool>`, in which nothing tells where the server's name ends."""

from __future__ import annotations

from collections.abc import Collection

from blockview.core.names import sanitised
from blockview.readers.mcp_names import ToolName

_PREFIX = "mcp_"


def resolve_flat(name: str, servers: Collection[str] = ()) -> ToolName:
    """Split a name by the longest known server name, else at the first `_` behind the prefix as a guess.

    Args:
        name: The recorded name, such as `mcp_github_get_issue`.
        servers: The names of servers that the recording mentions, as configured.
    """
    rest = name.removeprefix(_PREFIX)
    if rest == name:
        return ToolName(None, name, mcp=False)
    for server in sorted(filter(None, servers), key=len, reverse=True):
        begin = sanitised(server) + "_"
        if rest.startswith(begin) and len(rest) > len(begin):
            return ToolName(server, rest[len(begin) :], mcp=True)
    server, _, tool = rest.partition("_")
    if not (server and tool):
        return ToolName(None, rest or name, mcp=True, inferred=True)
    return ToolName(server, tool, mcp=True, inferred=True)
