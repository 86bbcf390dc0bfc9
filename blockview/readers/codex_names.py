"""Names of tools as Codex hands them to the model, and the tools that a rollout describes.

Codex wrote `server__tool` until August 2025, `mcp__server__tool` later, and since 2026 the namespace `mcp__server` with
a name beside it. All are made of the permitted characters only; the real names stand in the host's events alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from blockview.core.model import ToolSpec
from blockview.core.names import sanitised
from blockview.core.raw import ABSENT, part_of, present, text_of
from blockview.readers.mcp_names import ToolName, resolve

_MCP = "mcp__"


def flat(name: str, namespace: str | None) -> str:
    """A name and its namespace as one name."""
    return f"{namespace.removesuffix('__')}__{name.removeprefix('__')}" if namespace else name


def tool_name(name: str, namespace: str | None, servers: Collection[str]) -> ToolName:
    """Which server and tool a name means to the host. A namespace of other tools than MCP's counts as their server."""
    if not namespace:
        return resolve(name if name.startswith(_MCP) or not _is_split(name) else _MCP + name, servers)
    server, name = namespace.removesuffix("__"), name.removeprefix("__")
    if not server.startswith(_MCP):
        return ToolName(server, name, mcp=False)
    server = server.removeprefix(_MCP)
    return ToolName(next((known for known in servers if sanitised(known) == server), server), name, mcp=True)


def _is_split(name: str) -> bool:
    server, _, tool = name.partition("__")
    return bool(server and tool)


class _Described(msgspec.Struct, frozen=True, gc=False):
    """A tool, or a namespace of tools, as `session_meta` and `tool_search_output` describe them."""

    name: str = ""
    namespace: str | None = None
    tools: msgspec.Raw = ABSENT
    schema: msgspec.Raw = msgspec.field(default=ABSENT, name="inputSchema")
    parameters: msgspec.Raw = ABSENT


class Described(msgspec.Struct, frozen=True):
    """A tool's name, its input schema as recorded, and the line that describes it."""

    name: str
    namespace: str | None
    schema: str | None
    line: int

    def spec(self, servers: Collection[str]) -> ToolSpec:
        """The tool under the names that calls of it have."""
        resolved = tool_name(self.name, self.namespace, servers)
        return ToolSpec(resolved.server, resolved.tool, self.schema, since=self.line)


_DESCRIBED = msgspec.json.Decoder(_Described)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])


def described(tools: msgspec.Raw, line: int, namespace: str | None = None) -> Iterator[Described]:
    """The tools in a list of tools and of namespaces that hold lists of tools; one alone may stand without a list."""
    for raw in part_of(_LIST, tools) or ([tools] if present(tools) else ()):
        tool = part_of(_DESCRIBED, raw)
        if tool is None:
            continue
        if not present(tool.tools):
            schema = next((text_of(one) for one in (tool.schema, tool.parameters) if present(one)), None)
            if tool.name:
                yield Described(tool.name, tool.namespace or namespace, schema, line)
        elif namespace is None:
            yield from described(tool.tools, line, tool.name)
