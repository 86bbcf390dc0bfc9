"""One conversation as each recorder of MCP's traffic keeps it: the same calls, whatever they were kept in."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockview.core.model import Session, Status
from blockview.readers.registry import UnknownFormat, read_session, reader_for
from blockview.readers.source import Source
from tests.readers.captures import LIST, Recording, answer, call, tools

Spoken = list[tuple[str, str]]
"""Which way each message went, and its text."""

ARGUMENTS = ('{"a":5.0,"b":2.50,"n":-0}', '{"id":1234567890123456789}', "{}", "{}", '{"list":[1.0,{}]}')
SCHEMA = '{"type":"object","properties":{"a":{"type":"integer"}}}'
CONVERSATION: Spoken = [
    ("→", '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}'),
    ("←", '{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"calc","version":"1"}}}'),
    ("→", '{"jsonrpc":"2.0","method":"notifications/initialized"}'),
    ("→", LIST),
    ("←", f'{{"jsonrpc":"2.0","id":1,"result":{tools("add", "sub", schema=SCHEMA)}}}'),
    ("→", call("2", ARGUMENTS[0])),
    ("→", call("3", ARGUMENTS[1], "sub")),
    ("←", answer("3", "second")),
    ("←", answer("2", "first")),
    ("→", call("4", ARGUMENTS[2])),
    ("←", '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"refused"}],"isError":true}}'),
    ("→", call("5", ARGUMENTS[3])),
    ("←", '{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"no such tool"}}'),
    ("→", call("6", ARGUMENTS[4])),
]
CALLS = [
    ("add", ARGUMENTS[0], Status.OK, "first"),
    ("sub", ARGUMENTS[1], Status.OK, "second"),
    ("add", ARGUMENTS[2], Status.TOOL_ERROR, "refused"),
    ("add", ARGUMENTS[3], Status.PROTOCOL_ERROR, "no such tool"),
    ("add", ARGUMENTS[4], Status.NO_RESULT, None),
]
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def enveloped(form: str) -> Callable[[Spoken], bytes]:
    def write(spoken: Spoken) -> bytes:
        recording = Recording(form)
        for way, message in spoken:
            (recording.client if way == "→" else recording.server)(message)
        return recording.text().encode()

    return write


def time(number: int) -> str:
    return (START + timedelta(seconds=number)).isoformat()


def yaml(spoken: Spoken) -> bytes:
    items = (
        f"- dir: {'c2s' if way == '→' else 's2c'}\n  payload: {message}\n  t: {number * 1000}"
        for number, (way, message) in enumerate(spoken)
    )
    return "\n".join(["messages:", *items, "meta: {session_id: 'abc', version: 1}"]).encode()


def exchanges(spoken: Spoken) -> list[tuple[int, str, str]]:
    """Each message of the client with its number, and the answer to it or nothing."""
    found: list[tuple[int, str, str]] = []
    answers = {json.loads(message)["id"]: message for way, message in spoken if way == "←"}
    for number, (way, message) in enumerate(spoken):
        if way == "→":
            found.append((number, message, answers.get(json.loads(message).get("id"), "null")))
    return found


def cassette(spoken: Spoken) -> bytes:
    items = (
        f'{{"type":"jsonrpc_request","request":{asked},"response":{answered},"latency_ms":1000,"response_status":200}}'
        for _, asked, answered in exchanges(spoken)
    )
    about = '"version":"1.0",\n"metadata":{"server_info":{"name":"calc"}}'
    return f'{{{about},"interactions":[{",".join(items)}]}}'.encode()


def inspector(spoken: Spoken) -> bytes:
    items = (
        f'{{"id":"{number}","timestamp":"{time(number)}","direction":"request","origin":"client","message":{asked},'
        f'"duration":1000{"" if answered == "null" else f",{chr(34)}response{chr(34)}:{answered}"}}}'
        for number, asked, answered in exchanges(spoken)
    )
    return f"[{','.join(items)}]".encode()


def har(spoken: Spoken) -> bytes:
    entries = []
    for number, asked, answered in exchanges(spoken):
        progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}'
        stream = "" if answered == "null" else f"event: message\nid: 1\ndata: {progress}\n\n: hi\ndata: {answered}\n\n"
        request = {"method": "POST", "url": "http://localhost:80/mcp", "postData": {"text": asked}, "headers": []}
        response = {"status": 200, "headers": [], "content": {"mimeType": "text/event-stream", "text": stream}}
        entries.append({"startedDateTime": time(number), "time": 1000, "request": request, "response": response})
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "x"}, "entries": entries}}, indent=1).encode()


def rows(spoken: Spoken) -> list[tuple[object, ...]]:
    """The rows that mcp-debugger makes."""
    made: list[tuple[object, ...]] = []
    asked: dict[str, tuple[int, str]] = {}
    for number, (way, text) in enumerate(spoken):
        message = json.loads(text)
        parts = [member(text, name) for name in ("params", "result", "error")]
        kind = "notification" if "id" not in message else "request" if "method" in message else "response"
        id_ = str(message["id"]) if "id" in message else None
        method, latency = message.get("method"), None
        if kind == "request" and id_ is not None:
            asked[id_] = (number, message["method"])
        elif kind == "response" and id_ in asked:
            latency, method = (number - asked[id_][0]) * 1000.0, asked[id_][1]
        direction = "client_to_server" if way == "→" else "server_to_client"
        at = (START + timedelta(seconds=number)).timestamp() * 1000
        made.append((1, id_, direction, method, *parts, at, latency, kind))
    return made


def member(text: str, name: str) -> str | None:
    """The text of a member that is the last one of a message, but for `id`."""
    found = re.search(rf'"{name}":(.*)\}}$', text)
    return found[1] if found else None


def database(spoken: Spoken) -> bytes:
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(
            "CREATE TABLE sessions (id INTEGER PRIMARY KEY, friendly_name TEXT, server_command TEXT, started_at TEXT);"
            "CREATE TABLE tools (session_id INTEGER, name TEXT, input_schema TEXT);"
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id INTEGER, message_id TEXT, direction TEXT,"
            " method TEXT, params TEXT, result TEXT, error TEXT, timestamp REAL, latency_ms REAL, message_type TEXT);"
            "INSERT INTO sessions VALUES (1, 'calc', 'run', '2026-03-01 12:00:00')"
        )
        columns = (
            "session_id, message_id, direction, method, params, result, error, timestamp, latency_ms, message_type"
        )
        made.executemany(f"INSERT INTO messages ({columns}) VALUES ({', '.join('?' * 10)})", rows(spoken))
        made.commit()
        return made.serialize()


def export(spoken: Spoken) -> bytes:
    items = []
    for number, row in enumerate(rows(spoken), 1):
        _, _, direction, method, params, result, error, at, latency, kind = row
        when = datetime.fromtimestamp(float(str(at)) / 1000, UTC).isoformat()
        items.append(
            f'{{"id":{number},"direction":"{direction}","method":{json.dumps(method)},"timestamp":"{when}",'
            f'"latency_ms":{json.dumps(latency)},"params":{params or "null"},"result":{result or "null"},'
            f'"error":{error or "null"},"message_type":"{kind}"}}'
        )
    about = '"session":{"id":1,"friendly_name":"calc","server_command":"run"}'
    return f'{{{about},"messages":[{",".join(items)}],"tools":[],"errors":[],"stats":{{}}}}'.encode()


def desktop(spoken: Spoken) -> bytes:
    said = (
        f"2026-03-01T12:00:{at:02}.000Z [calc] [info] Message from {'client' if way == '→' else 'server'}: {message}"
        for at, (way, message) in enumerate(spoken)
    )
    noise = (
        "2026-03-01T11:59:00.000Z [calc] [info] Initializing server... { metadata: undefined }\nINFO: up\n{ x: 1 }\n"
    )
    return (noise + "".join(f"{line} {{ metadata: undefined }}\n" for line in said)).encode()


def debug_log(spoken: Spoken) -> bytes:
    said = (
        f'[ERROR] MCP server "calc" Server stderr: [calc] {"recv" if way == "→" else "send"}: {message}\n'
        for way, message in spoken
    )
    return ('[DEBUG] MCP server "calc": Starting\n' + "[DEBUG] noise\n".join(said)).encode()


def snoop(spoken: Spoken) -> bytes:
    said = (
        f"[12:00:{number:02}.000] {'→SERVER' if way == '→' else '←CLIENT'} #? summary\n{pretty(message)}\n"
        for number, (way, message) in enumerate(spoken)
    )
    return "".join(said).encode()


def pretty(text: str) -> str:
    """The message over several lines, with its numbers as they are written."""
    return re.sub(r"([{,])(?=\S)", r"\1\n  ", text).removesuffix("}") + "\n}"


WRITERS: dict[str, Callable[[Spoken], bytes]] = {
    "mcp-rec": enveloped("mcp-rec"),
    "mcporter": enveloped("mcporter"),
    "mcpsnoop": enveloped("mcpsnoop"),
    "mcpspy": enveloped("mcpspy"),
    "mcp-jsonrpc": enveloped("mcp-jsonrpc"),
    "mcp-vcr": yaml,
    "mcp-recorder": cassette,
    "mcp-inspector": inspector,
    "har": har,
    "mcp-debugger": database,
    "mcp-debugger-export": export,
    "claude-desktop": desktop,
    "claude-code-debug": debug_log,
    "mcp-snoop": snoop,
}
WITHOUT_TIMES = {"mcp-jsonrpc", "claude-code-debug"}


def read(form: str, data: bytes) -> Session:
    session = read_session(Source.of_bytes(form, data))
    assert session.format == form
    return session


def squeezed(text: str | None) -> str | None:
    return text and re.sub(r"\s", "", text)


def told(session: Session) -> list[tuple[str, str | None, Status, str | None]]:
    return [
        (made.tool, squeezed(made.arguments), made.status, made.result.text if made.result else None)
        for block in session.blocks
        for made in block.calls
    ]


@pytest.mark.parametrize("form", WRITERS)
def test_the_same_conversation(form: str) -> None:
    session = read(form, WRITERS[form](CONVERSATION))
    assert told(session) == CALLS
    assert session.title == "calc"
    calls = [made for block in session.blocks for made in block.calls]
    assert {made.server for made in calls} == {"calc"}
    assert [(tool.name, squeezed(tool.schema)) for tool in session.tools] == [("add", SCHEMA), ("sub", SCHEMA)]
    assert list(session.call_counts) == [len(block.calls) for block in session.blocks]
    assert all(made.duration_ms == (None if form in WITHOUT_TIMES else 1000.0) for made in calls[1:4:2])
    assert [found.kind for found in session.diagnostics] == (["no_ids"] if form == "mcp-debugger-export" else [])
    if form not in ("mcp-debugger-export", "mcp-snoop"):
        assert [made.id for made in calls] == ["2", "3", "4", "5", "6"]
    for made in calls:
        raw = session.read_raw(made.place).replace("\\", "")  # within a string, or not
        assert made.tool in raw and (squeezed(made.arguments) or "?") in (squeezed(raw) or "")


@pytest.mark.parametrize("form", [form for form in WRITERS if form != "mcp-debugger"])
@pytest.mark.parametrize("lost", [3, 40, 150])
def test_a_recording_that_was_cut_short(form: str, lost: int) -> None:
    whole = WRITERS[form]([*CONVERSATION, ("→", call("7", '{"n":1}'))])
    session = read(form, whole.rstrip()[:-lost])
    assert told(session)[:4] == CALLS[:4]
    assert [one.kind for one in session.diagnostics if one.kind != "no_ids"] or form in STILL_WHOLE


STILL_WHOLE = {"claude-code-debug", "claude-desktop", "mcp-vcr"}
"""A line of a log without the end, and YAML that ends anywhere, may be none the worse."""


EDITS = st.lists(st.tuples(st.integers(0, 6000), st.binary(min_size=1, max_size=6)), min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(WRITERS)), EDITS)
def test_damage_never_raises(form: str, edits: list[tuple[int, bytes]]) -> None:
    whole = WRITERS[form](CONVERSATION)
    data = bytearray(whole)
    for at, put in edits:
        data[at % len(data) : at % len(data) + len(put)] = put
    source = Source.of_bytes(form, bytes(data))
    try:
        session = read_session(source)
    except (UnknownFormat, OSError):
        return
    found = told(session)
    for block in session.blocks:
        session.read_raw(block.place)
    for one in session.diagnostics:
        session.read_raw(one.place)
    assert len(found) == sum(session.call_counts)
    assert found == CALLS or bytes(data) != whole


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["claude-desktop", "claude-code-debug", "mcp-rec", "mcpspy"]), st.data())
def test_the_calls_of_unharmed_lines_are_all_there(form: str, data: st.DataObject) -> None:
    lines = WRITERS[form](CONVERSATION).split(b"\n")
    harmed = data.draw(st.integers(len(lines) - 3, len(lines) - 1))
    line = bytearray(lines[harmed])
    for at, put in data.draw(EDITS):
        if line:
            line[at % len(line) : at % len(line) + len(put)] = put.replace(b"\n", b"?")
    session = read(form, b"\n".join([*lines[:harmed], bytes(line), *lines[harmed + 1 :]]))
    assert told(session)[:3] == CALLS[:3]


@pytest.mark.parametrize("form", WRITERS)
def test_no_reader_takes_what_another_one_wrote(form: str) -> None:
    reader = reader_for(Source.of_bytes(form, WRITERS[form](CONVERSATION)))
    assert reader is not None and reader.format == form
