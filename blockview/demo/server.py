"""A strict MCP server on stdio for the bundled session: `python -m blockview.demo.server [NAME]`.

NAME is one of the servers that the session calls, or "faults" for tools that misbehave on purpose; without it all tools
are served. A program of its own: nothing else imports it.

Arguments are refused by the literals that came over the wire, which a JSON decoder does not keep. Therefore it brings
its own transport: each request carries its line, and structured content leaves as it is spelled here, where the SDK's
encoder would write `1.1` for `1.10` and `null` for `1e400`. A refusal is a tool result with `isError`, as the protocol
asks for what a tool finds wrong with its input and as such servers do; an unknown tool is the error -32602.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import msgspec
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from blockview import __version__
from blockview.core.jsonrpc import message_of
from blockview.core.jsontext import JsonError
from blockview.core.raw import ABSENT, part_of, present, text_of
from blockview.demo.answers import ANSWERS, Answer
from blockview.demo.strict import refusal

_LISTS = ("tools.json", "unlisted_tools.json")
"""The tools file of the demo, and the tools that only a running server tells of."""

_STAND_IN = {"stands": "in"}
_STAND_IN_TEXT = json.dumps(_STAND_IN, separators=(",", ":"))


class _Params(msgspec.Struct, frozen=True):
    arguments: msgspec.Raw = ABSENT


_PARAMS = msgspec.json.Decoder(_Params)


class DemoServer:
    """Serves a set of tools over stdin and stdout."""

    def __init__(self, name: str, tools: Mapping[str, Mapping[str, Any]]) -> None:
        self._tools = tools
        self._spelled: dict[types.RequestId, str] = {}
        """Structured content that waits to be written, by the id of its request."""
        self._server: Server[Any] = Server(
            name, version=__version__, on_list_tools=self._list_tools, on_call_tool=self._call_tool
        )

    async def run(self) -> None:
        """Serve until stdin ends."""
        incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        answers, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, incoming)
            tasks.start_soon(self._write, outgoing)
            await self._server.run(received, answers, self._server.create_initialization_options())

    async def _read(self, incoming: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with incoming:
            async for line in anyio.wrap_file(sys.stdin.buffer):
                try:
                    message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError as error:
                    await incoming.send(error)
                else:
                    await incoming.send(SessionMessage(message, ServerMessageMetadata(request_context=line)))

    async def _write(self, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        stdout = anyio.wrap_file(sys.stdout.buffer)
        async with outgoing:
            async for sent in outgoing:
                message = sent.message
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                if isinstance(message, types.JSONRPCResponse) and message.id in self._spelled:
                    text = text.replace(_STAND_IN_TEXT, self._spelled.pop(message.id))
                await stdout.write(text.encode() + b"\n")
                await stdout.flush()

    async def _list_tools(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in self._tools.values()])

    async def _call_tool(
        self, context: ServerRequestContext[Any, bytes], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in self._tools:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        arguments = params.arguments or {}
        refused = _refused(self._tools[params.name]["inputSchema"], context.request or b"")
        answer = Answer(refused, is_error=True) if refused else await _answer(params.name, arguments)
        if answer.structured is not None and context.request_id is not None:
            self._spelled[context.request_id] = answer.structured
        return _result(answer)


def _refused(schema: Mapping[str, Any], line: bytes) -> str | None:
    """Why the arguments of the request on `line` are refused, if they are."""
    message = message_of(line)
    params = part_of(_PARAMS, message.params) if message else None
    arguments = text_of(params.arguments) if params and present(params.arguments) else "{}"
    try:
        return refusal(schema, arguments)
    except JsonError as error:
        return f"The arguments are not JSON: {error}"


async def _answer(tool: str, arguments: Mapping[str, Any]) -> Answer:
    """What a tool answers to arguments that are accepted. Two tools do something beside it."""
    if tool == "sleep":
        await anyio.sleep(max(arguments["seconds"], 0))
        return Answer(f"slept for {arguments['seconds']} s")
    if tool == "crash":
        print("demo server: crashed, as it was asked to", file=sys.stderr, flush=True)
        os._exit(arguments.get("code", 1) & 0xFF)
    return ANSWERS[tool](arguments)


def _result(answer: Answer) -> types.CallToolResult:
    content: list[types.ContentBlock] = []
    if answer.image:
        content.append(types.ImageContent(type="image", data=answer.image, mime_type="image/png"))
    if answer.text:
        content.append(types.TextContent(type="text", text=answer.text))
    structured = None if answer.structured is None else _STAND_IN
    return types.CallToolResult(content=content, structured_content=structured, is_error=answer.is_error)


def tools_of(name: str | None) -> dict[str, Mapping[str, Any]]:
    """The tools of one of the demo's servers, or of all of them, as the protocol lists them, by name."""
    folder = Path(__file__).parent
    listed = [tool for file in _LISTS for tool in json.loads((folder / file).read_bytes())["tools"]]
    chosen = [tool for tool in listed if name in (None, tool["server"])]
    return {tool["name"]: {key: tool[key] for key in tool if key != "server"} for tool in chosen}


def main(arguments: list[str]) -> int:
    """Run the server that the first argument names; 2 when there is none of that name."""
    name = arguments[0] if arguments else None
    tools = tools_of(name)
    if not tools:
        print(f"no demo server of the name {name!r}", file=sys.stderr)
        return 2
    anyio.run(DemoServer(name or "demo", tools).run)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
