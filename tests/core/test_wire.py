"""What the display prints is, character for character, what the MCP SDK writes to a real server for the same call."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from blockview.core.coercion import Depth
from blockview.core.jsontext import parse
from blockview.core.model import Place, ToolCall
from blockview.core.prepare import Found, Prepared, prepare
from tests.core.strategies import ARGUMENTS, SCHEMAS, json_texts

SERVER = Path(__file__).with_name("byte_server.py")


def prepared_calls() -> list[Prepared]:
    """Three hundred different calls with schemas, prepared at every depth."""
    found: list[Prepared] = []

    @settings(max_examples=300, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(json_texts(ARGUMENTS), SCHEMAS, st.sampled_from(Depth))
    def collect(text: str, schema: dict[str, object], depth: Depth) -> None:
        call = ToolCall("1", "t", "t", text, Place(1, 0))
        found.append(prepare(call, lambda _: Found(schema, "drawn"), depth))

    collect()
    return found


async def send(calls: list[Prepared], kept: Path) -> None:
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(command=sys.executable, args=[str(SERVER), str(kept)])
    with anyio.fail_after(60):
        async with Client(server, mode="legacy") as client:
            await client.list_tools()
            for prepared in calls:
                await client.call_tool("t", prepared.arguments)


def test_display_equals_wire(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    extremes = ['{"a":1e-5,"b":1E400,"c":-0,"d":0.10}', '{"a":NaN}', '{"a":1,"a":2}', "{}", '{"n":' + "7" * 5000 + "}"]
    calls = [prepare(ToolCall("1", "t", "t", text, Place(1, 0))) for text in extremes] + prepared_calls()
    kept = tmp_path / "bytes"
    anyio.run(send, calls, kept)
    lines = [line.decode() for line in kept.read_bytes().split(b"\n") if b'"tools/call"' in line]
    assert len(lines) == len(calls) > 300
    for line, prepared in zip(lines, calls, strict=True):
        assert sent_arguments(line) == prepared.dispatched


def sent_arguments(line: str) -> str:
    """The characters of `params.arguments` in a message."""
    tree = parse(line)
    (number,) = (at for at in range(len(tree.nodes)) if tree.pointer(at) == "/params/arguments")
    return tree.literal(number)
