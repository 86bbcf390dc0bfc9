"""What Cline and Roo Code showed to the person: rows with calls whose arguments are a text within a text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, texts, told, whole_until


def row(kind: str, text: str | None = None, way: str = "say", ts: int = 1000, **more: Any) -> str:
    said = {} if text is None else {"text": text}
    return json.dumps({"ts": ts, "type": way, way: kind, **said, **more})


def call(tool: str, arguments: str | None, ts: int = 1000, **more: Any) -> str:
    given = {} if arguments is None else {"arguments": arguments}
    text = json.dumps({"type": "use_mcp_tool", "serverName": "demo", "toolName": tool, **given})
    return row("use_mcp_server", text, more.pop("way", "ask"), ts, **more)


def rows(*listed: str) -> str:
    return "[" + ",".join(listed) + "]"


CONVERSATION = rows(
    row("text", "hello"),
    row("api_req_started", "{}"),
    row("reasoning", "hm"),
    row("text", "I a", partial=True),
    row("text", "I add"),
    call("add", BIG[:9], partial=True),
    call("add", BIG, ts=2000),
    row("mcp_server_request_started", ts=3000),
    row("mcp_server_response", "6.50", ts=4500),
    row("hologram", "x"),
    call("fail", '{"e":1e3}', way="say"),
    row("mcp_server_response", "Error:\nboom"),
    row("user_feedback", "and now both"),
    call("one", "{}"),
    row("mcp_server_response", "first"),
    call("two", '{"k":[1.10,-0]}'),
    row("mcp_server_response", "9007199254740993"),
    call("lost", '{"q":null}'),
)


def test_rows_tell_the_conversation() -> None:
    session = read(CONVERSATION)
    wanted = [
        (prompt, [(*one[:4], f"Error:\n{one[4]}") if one[3] == "tool-error" else one for one in found])
        for prompt, found in TOLD
    ]
    assert told(session) == wanted
    assert (session.title, session.counts.unknown) == ("hello", 1)
    assert [found.kind for found in session.diagnostics] == ["unknown"]
    assert (texts(session, "thinking"), texts(session, "assistant")) == (["hm"], ["I add"])
    first = calls(session)[0]
    assert (first.mcp, first.inferred, first.provenance, first.duration_ms) == (True, False, "host", 2500.0)
    assert json.loads(session.read_raw(first.place))["ts"] == 2000


def test_a_row_that_came_in_pieces_counts_once() -> None:
    session = read(rows(row("text", "t"), call("add", "{", partial=True), call("add", "{}", partial=True)))
    assert [(one.arguments, one.status_note) for one in calls(session)] == [("{}", "the call was still being written")]


def test_a_call_without_arguments_has_none() -> None:
    assert [one.arguments for one in calls(read(rows(call("add", None))))] == [None]


def test_resources_are_no_calls() -> None:
    text = json.dumps({"type": "access_mcp_resource", "serverName": "demo", "uri": "file:///x"})
    session = read(rows(row("text", "t"), row("use_mcp_server", text)))
    assert (calls(session), texts(session, "note")) == ([], ["reads the resource file:///x of demo"])


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"toolName":7}', None])
def test_a_call_that_cannot_be_read_is_shown_as_one(text: str | None) -> None:
    assert [(one.tool, one.arguments) for one in calls(read(rows(row("use_mcp_server", text))))] == [("", None)]


def test_what_else_was_shown_is_a_note() -> None:
    session = read(
        rows(row("text", "t"), row("tool", '{"tool":"readFile"}', "ask"), row("error", "e"), row("text", "a"))
    )
    assert texts(session, "note") == ['tool: {"tool":"readFile"}', "error: e"]
    assert texts(session, "assistant") == ["a"]


def test_a_cut_document_tells_what_stands_before_the_cut() -> None:
    whole = CONVERSATION.encode()
    ends = [one.place.byte + one.place.length for one in calls(read(whole))]
    for cut in range(100, len(whole), 5):
        found = whole_until(whole, cut)
        assert found is not None
        assert len(found) >= sum(end <= cut for end in ends)


def test_harmed_documents_survive() -> None:
    assert sum(map(survives, harmed(CONVERSATION.encode()))) > 50


def test_the_shared_sample(shared: Path) -> None:
    session = read((shared / "samples" / "roo" / "cli-continues_ui_messages.json").read_bytes())
    assert [block.prompt for block in session.blocks] == [
        "Set up a CI/CD pipeline with GitHub Actions for our Node.js project",
        "Add a matrix strategy to test on Node 18 and 20",
    ]
    assert [len(text) for text in texts(session, "assistant")] == [133, 89]
    assert session.counts.unknown == 0
