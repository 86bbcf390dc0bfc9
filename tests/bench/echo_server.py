"""An echo server over the SDK's low-level server: on stdio, or with `http` on a free port, whose URL it prints."""

from __future__ import annotations

import socket
import sys
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

PROPERTIES = {"line": {"type": "integer"}, "path": {"type": "string"}, "scale": {"type": "number"}}
TOOL = types.Tool(name="echo", input_schema={"type": "object", "properties": PROPERTIES})


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[TOOL])


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(params.arguments))])


async def over_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def over_http(server: Server[Any]) -> None:
    import uvicorn

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sends at once then
    listening.bind(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.streamable_http_app(json_response=True), log_level="error")
    uvicorn.Server(config).run([listening])


def main() -> None:
    server: Server[Any] = Server("echo", on_list_tools=list_tools, on_call_tool=call_tool)
    if sys.argv[1:] == ["http"]:
        over_http(server)
    else:
        anyio.run(over_stdio, server)


if __name__ == "__main__":
    main()
