"""The strict demo server, as a process of its own: what it refuses, what it answers, and its faults."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import blockview
from blockview.catalog.file import FileCatalog, read_tools
from blockview.core.answers import Answer, read_answer
from blockview.core.coercion import Depth
from blockview.core.jsonrpc import message_of
from blockview.core.jsontext import loads
from blockview.core.model import Place, Status, ToolCall, ToolSpec
from blockview.core.prepare import prepare
from blockview.core.result import result_value

FOLDER = Path(blockview.__file__).parent / "demo"
GUARD = 60.0
"""Seconds after which a server that hangs is killed, so that its test fails."""


class Demo:
    """A running demo server, spoken to in lines."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "blockview.demo.server", *arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.guard = threading.Timer(GUARD, self.process.kill)
        self.guard.start()
        self.id = 0
        client = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}'
        self.ask("initialize", client)
        self.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def send(self, method: str, params: str) -> None:
        self.id += 1
        self.write(f'{{"jsonrpc":"2.0","id":{self.id},"method":"{method}","params":{params}}}')

    def read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def ask(self, method: str, params: str = "{}") -> str:
        self.send(method, params)
        return self.read()

    def call(self, tool: str, arguments: str = "{}") -> Answer:
        message = message_of(self.ask("tools/call", f'{{"name":"{tool}","arguments":{arguments}}}').encode())
        assert message is not None
        return read_answer(message, Place(1, 0))

    def tools(self) -> dict[str, ToolSpec]:
        listed = json.loads(self.ask("tools/list"))["result"]["tools"]
        return {tool["name"]: ToolSpec(None, tool["name"], json.dumps(tool["inputSchema"])) for tool in listed}

    def end(self) -> int:
        """Close stdin and wait for the server to leave."""
        try:
            self.process.communicate()
        finally:
            self.guard.cancel()
        return self.process.returncode


@pytest.fixture(scope="module")
def demo() -> Iterator[Demo]:
    server = Demo()
    yield server
    assert server.end() == 0


@pytest.mark.parametrize("literal", ["5.0", "5.5", "5e0", "5.00", "5E+0", "-0.0", "1e3", "99999999999999999999", '"5"'])
def test_a_literal_that_is_no_integer_is_refused_as_it_came(demo: Demo, literal: str) -> None:
    answer = demo.call("open", f'{{"line":{literal},"filePath":"server.go"}}')
    assert answer.status is Status.TOOL_ERROR
    assert answer.result.text == f"Failed to parse literal '{literal}' as an int value at element: $.line"


def test_an_integer_is_accepted(demo: Demo) -> None:
    answer = demo.call("open", '{"line": 5 ,"column":1,"filePath":"server.go"}')
    assert answer.status is Status.OK
    assert answer.result.text == "5: func retry(ctx context.Context, attempts int) error {"


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("query", '{"name":"upload.errors","scale":2.0}', None),
        ("query", '{"name":"upload.errors","scale":2}', None),
        ("query", '{"name":"upload.errors","unknown":2.0}', None),
        ("chart", '{"name":"upload.errors","height":null}', None),
        ("search", '{"text":"x","owner":null}', "Failed to parse literal 'null' as an int value at element: $.owner"),
        ("search", '{"text":"x","page":[1]}', "Expected integer, got [1] at element: $.page"),
        ("search", '{"text":7}', "Expected string, got 7 at element: $.text"),
        ("search", "{}", "Field 'text' is required, but it was missing at element: $"),
        (
            "create",
            '{"title":"x","labels":[{"id":7},{"id":12.0}]}',
            "'12.0' as an int value at element: $.labels[1].id",
        ),
        ("create", '{"title":"x","notify":{"retries":3.0}}', "'3.0' as an int value at element: $.notify.retries"),
        ("open", '{"filePath":"server.go","line":5,"line":6.0}', "'6.0' as an int value at element: $.line"),
    ],
)
def test_the_whole_schema_is_held_against_the_arguments(demo: Demo, tool: str, arguments: str, why: str | None) -> None:
    answer = demo.call(tool, arguments)
    assert answer.status is (Status.TOOL_ERROR if why else Status.OK)
    assert (why or "") in answer.result.text


def test_arguments_may_be_absent(demo: Demo) -> None:
    message = message_of(demo.ask("tools/call", '{"name":"image"}').encode())
    assert message is not None
    assert read_answer(message, Place(1, 0)).status is Status.OK


def test_an_unknown_tool_is_a_protocol_error(demo: Demo) -> None:
    answer = demo.call("nonsense")
    assert answer.status is Status.PROTOCOL_ERROR
    assert answer.note == "code -32602: Unknown tool: nonsense"


def recorded() -> list[ToolCall]:
    session = blockview.open_session(FOLDER / "session.jsonl")
    return [call for block in session.blocks for call in block.calls if call.mcp]


UNANSWERED = {"delete": "deleted old_retry.go", "start": '{"service":"uploader","build":119,"state":"running"}'}
"""What the calls that the session has no answer for say now."""


@pytest.mark.parametrize("call", recorded(), ids=lambda call: f"{call.tool}-{call.id}")
def test_a_recorded_call_sent_again_is_answered_as_recorded(demo: Demo, call: ToolCall) -> None:
    lookup = FileCatalog(tuple(demo.tools().values()), "live").lookup
    answer = demo.call(call.tool, prepare(call, lookup).dispatched or "{}")
    if call.tool in UNANSWERED:
        assert answer.result.text == UNANSWERED[call.tool]
        return
    assert call.result is not None
    assert answer.status is call.status
    assert answer.result.text == call.result.text
    assert answer.result.structured == call.result.structured


def test_without_coercion_every_float_for_an_integer_is_refused(demo: Demo) -> None:
    refused: list[str] = []
    for call in recorded():
        answer = demo.call(call.tool, prepare(call, depth=Depth.OFF).dispatched or "{}")
        if "Failed to parse literal" in answer.result.text:
            refused.append(f"{call.tool} {answer.result.text.split()[4]}")
    assert refused == [
        "open '5.0'",
        "select '5.5'",
        "select '6.0'",
        "query '-42.0'",
        "sample '1e+20'",
        "chart '240.0'",
        "search '\"5\"'",
        "search '1.0'",
        "get '9007199254740992.0'",
        "create '7.0'",
        "comments '3.0'",
        "status '118.0'",
        "start '119.0'",
    ]


def test_deep_coercion_makes_the_refused_call_succeed(demo: Demo) -> None:
    (create,) = [call for call in recorded() if call.tool == "create"]
    lookup = FileCatalog(read_tools(FOLDER / "tools.json"), "tools.json").lookup
    assert create.status is Status.TOOL_ERROR
    answer = demo.call("create", prepare(create, lookup, Depth.DEEP).dispatched or "")
    assert answer.status is Status.OK
    assert result_value(answer.result) == {
        "id": "1234567890123456790",
        "title": "Pause between retries",
        "parent": "1234567890123456789",
    }


def test_big_ids_arrive_with_all_digits(demo: Demo) -> None:
    result = demo.call("big_ids").result
    text = '{"ids":[9007199254740993,1234567890123456789,-9007199254740993],"next":18446744073709551617}'
    assert result.text == result.structured == text


def test_an_output_may_break_its_own_schema(demo: Demo) -> None:
    (tool,) = [tool for tool in json.loads(demo.ask("tools/list"))["result"]["tools"] if tool["name"] == "bad_output"]
    assert tool["outputSchema"]["properties"] == {"count": {"type": "integer"}}
    assert demo.call("bad_output").result.structured == '{"count":"three"}'


def test_an_image_is_a_png(demo: Demo) -> None:
    (block,) = json.loads(demo.ask("tools/call", '{"name":"image","arguments":{}}'))["result"]["content"]
    assert (block["type"], block["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(block["data"], validate=True).startswith(b"\x89PNG\r\n\x1a\n")


def test_sleep_lets_other_calls_pass(demo: Demo) -> None:
    demo.send("tools/call", '{"name":"sleep","arguments":{"seconds":1e9}}')
    sleeping = demo.id
    assert demo.call("open", '{"filePath":"server.go"}').status is Status.OK
    demo.write(f'{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{sleeping}}}}}')
    assert demo.call("sleep", '{"seconds":0}').result.text == "slept for 0 s"


def test_what_is_no_message_is_survived(demo: Demo) -> None:
    demo.write("{nonsense")
    demo.write('{"jsonrpc":"2.0","id":[],"method":"tools/call"}')
    assert demo.call("open", '{"filePath":"server.go"}').status is Status.OK


def test_crash_ends_the_process_in_the_middle_of_the_call() -> None:
    server = Demo("faults")
    assert set(server.tools()) == {"sleep", "crash", "big_ids", "bad_output", "image"}
    assert server.ask("tools/call", '{"name":"crash","arguments":{"code":3}}') == ""
    assert server.process.stderr is not None
    assert server.process.stderr.read() == "demo server: crashed, as it was asked to\n"
    assert server.end() == 3


@pytest.mark.parametrize("file", ["tools.json", "unlisted_tools.json"])
def test_what_a_tool_may_do_is_said(file: str) -> None:
    tools = json.loads((FOLDER / file).read_bytes())["tools"]
    destructive = {tool["name"] for tool in tools if tool["annotations"].get("destructiveHint")}
    assert destructive == {"tools.json": {"delete"}, "unlisted_tools.json": {"start", "crash"}}[file]
    assert all(tool["annotations"]["readOnlyHint"] is not True for tool in tools if tool["name"] in destructive)


def test_each_server_of_the_session_has_its_own_tools() -> None:
    from blockview.demo.server import tools_of

    called = {(call.server, call.tool) for call in recorded()}
    assert all(tool in tools_of(server) for server, tool in called)
    assert set(tools_of("editor")) == {"open", "select", "delete"}
    assert set(tools_of(None)) == {
        tool for name in ("editor", "metrics", "tickets", "deploy", "faults") for tool in tools_of(name)
    }
    assert "server" not in tools_of("editor")["open"]


def test_an_unknown_name_is_refused() -> None:
    command = [sys.executable, "-m", "blockview.demo.server", "nonsense"]
    done = subprocess.run(command, input="", capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "no demo server of the name 'nonsense'\n")


def test_a_client_of_the_newest_protocol_gets_the_same_spelling() -> None:
    import anyio
    from mcp import Client, StdioServerParameters

    async def call() -> tuple[object, object]:
        parameters = StdioServerParameters(command=sys.executable, args=["-m", "blockview.demo.server", "metrics"])
        with anyio.fail_after(GUARD):
            async with Client(parameters, mode="2026-07-28") as client:
                await client.list_tools()
                good = await client.call_tool("query", {"name": "upload.errors", "limit": 1000})
                refused = await client.call_tool("query", {"name": "upload.errors", "limit": 1e3})
                return good.structured_content, refused

    structured, refused = anyio.run(call)
    assert structured == loads('{"points":1000,"mean":0.040,"max":1.10,"first":-0,"sum":1e400}')
    assert refused.is_error  # type: ignore[attr-defined]
    assert "literal '1000.0'" in refused.content[0].text  # type: ignore[attr-defined]
