"""Events of Copilot CLI sessions."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockview.core.model import Provenance, Session, Status
from tests.readers.damage import harm, harmed, read_harmed
from tests.readers.lines import calls, only_call, read, texts

ARGUMENTS = '{"line": 5.0, "ratio":0.10, "count":3, "id":1234567890123456789}'
BIG = '{"id":1234567890123456789}'
MCP = {"mcpServerName": "demo", "mcpToolName": "add"}


def event(kind: str, second: float = 0, agent: str | None = None, **data: Any) -> str:
    envelope = {
        "type": kind,
        "data": data,
        "id": "e",
        "timestamp": f"2026-03-01T10:00:{second:06.3f}Z",
        "parentId": None,
    }
    return json.dumps({**envelope, "agentId": agent} if agent else envelope, separators=(",", ":"))


def start(call_id: str, arguments: str = "{}", second: float = 1, name: str = "demo-add", **data: Any) -> str:
    """The start of a call; the arguments are put in as they are written."""
    told = event("tool.execution_start", second, toolCallId=call_id, toolName=name, arguments="<arguments>", **data)
    return told.replace('"<arguments>"', arguments)


def complete(call_id: str, second: float = 2, **data: Any) -> str:
    data = {"success": True, "result": {"content": "5"}, **data}
    return event("tool.execution_complete", second, toolCallId=call_id, **data)


def says(content: str, *requests: dict[str, Any], **data: Any) -> str:
    return event("assistant.message", 0.5, content=content, toolRequests=list(requests), **data)


def request(call_id: str, arguments: Any, name: str = "demo-add", **members: Any) -> dict[str, Any]:
    return {"toolCallId": call_id, "name": name, "arguments": arguments, "type": "function", **members}


START = event("session.start", sessionId="s1", producer="copilot-agent", copilotVersion="1.0.77")
MODELS = {"line": 5, "ratio": 0.1, "count": 3, "id": 1234567890123456789}
FAILED = {"success": False, "result": None, "error": {"code": "failure", "message": "no"}}

WHOLE = [
    START,
    event("user.message", content="Add them", transformedContent="Add them, please", attachments=[]),
    event("assistant.turn_start", turnId="0"),
    event("assistant.reasoning", content="**Adding**"),
    says("I will add.", request("c1", MODELS), request("c2", {"n": 1}), reasoningText="**Adding**"),
    start("c1", ARGUMENTS, 1, **MCP),
    start("c2", '{"n":1}', 2, **MCP),
    start("c3", "{}", 3, **MCP),
    complete("c2", 4, **FAILED),
    complete(
        "c1",
        5,
        result={"content": BIG[:9], "contents": [{"type": "text", "text": BIG}], "structuredContent": {"a": 1.0}},
    ),
    event("hologram.shown", depth=3),
]


def told(session: Session) -> list[tuple[str, str | None, str, Status]]:
    return [(call.id, call.server, call.tool, call.status) for call in calls(session)]


def test_a_session_is_read_whole() -> None:
    session = read(*WHOLE, '{"type":"assistant.mess')
    (block,) = session.blocks
    assert (session.format, session.id, session.title, block.prompt) == ("copilot-cli", "s1", "Add them", "Add them")
    assert texts(session, "thinking", "assistant") == ["**Adding**", "I will add."]
    assert told(session) == [
        ("c1", "demo", "add", Status.OK),
        ("c2", "demo", "add", Status.TOOL_ERROR),
        ("c3", "demo", "add", Status.NO_RESULT),
    ]
    first, second, _ = block.calls
    assert first.result is not None and second.result is not None
    assert (first.arguments, first.provenance, first.duration_ms) == (ARGUMENTS, Provenance.HOST, 4000.0)
    assert (first.result.text, first.result.structured, second.result.text) == (BIG, '{"a":1.0}', "no")
    asked = json.dumps(MODELS, separators=(",", ":"))
    assert texts(session, "note") == [f"the model asked demo-add for: {asked}"]
    assert (session.counts.messages, session.counts.unknown) == (2, 1)
    assert [(found.place.line, found.kind) for found in session.diagnostics] == [
        (len(WHOLE) + 1, "truncated_tail"),
        (11, "unknown"),
    ]


@pytest.mark.parametrize(
    ("name", "members", "expected"),
    [
        ("shell", {}, (None, "shell", False, False)),
        ("demo-add", MCP, ("demo", "add", True, False)),
        ("my-srv-get-it", {}, ("my-srv", "get-it", True, False)),
        ("github-mcp-server-get_issue", {}, ("github-mcp-server", "get_issue", True, True)),
        ("lonely-", {}, (None, "lonely-", False, False)),
    ],
)
def test_names_mean_servers_and_tools(name: str, members: dict[str, Any], expected: tuple[Any, ...]) -> None:
    loaded = event("session.mcp_servers_loaded", servers=[{"name": "my"}, {"name": "my-srv"}, 3])
    call = only_call(read(START, loaded, start("c1", name=name, **members)))
    assert (call.server, call.tool, call.mcp, call.inferred) == expected


@pytest.mark.parametrize(
    ("data", "status", "text"),
    [
        ({}, Status.OK, "5"),
        (
            {"result": {"contents": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]}},
            Status.OK,
            "[image block]",
        ),
        ({"result": None}, Status.OK, ""),
        ({"success": False}, Status.TOOL_ERROR, "5"),
        ({"success": False, "error": {"code": "rejected", "message": "no"}, "result": None}, Status.REJECTED, "no"),
        ({"success": False, "error": {"code": "denied", "message": "no"}, "result": None}, Status.DENIED, "no"),
        ({"success": False, "error": {"message": "no"}}, Status.TOOL_ERROR, "5"),
        ({"result": 7, "success": 7, "error": 7}, Status.OK, ""),
    ],
)
def test_completions_say_how_a_call_ended(data: dict[str, Any], status: Status, text: str) -> None:
    call = only_call(read(START, start("c1"), complete("c1", **data)))
    assert call.result is not None
    assert (call.status, call.result.text, call.result.is_error) == (status, text, status.failed)


@pytest.mark.parametrize(
    ("arguments", "expected"), [('{"n":5.0}', '{"n":5.0}'), ("", None), (None, None), ({"n": 1}, '{"n":1}')]
)
def test_a_request_that_was_not_carried_out_is_the_models(arguments: Any, expected: str | None) -> None:
    call = only_call(read(START, says("", request("c1", arguments))))
    assert (call.arguments, call.provenance, call.status) == (expected, Provenance.MODEL, Status.NO_RESULT)


def test_subagents_have_blocks_of_their_own() -> None:
    session = read(
        START,
        event("user.message", content="go"),
        start("task", name="task"),
        event("subagent.started", toolCallId="task", agentName="explore", agentDisplayName="Explore"),
        event("assistant.message", content="looking", parentToolCallId="task"),
        start("c1", parentToolCallId="task", **MCP),
        says("meanwhile"),
        complete("c1", parentToolCallId="task"),
        event("assistant.message", agent="other", content="I am here too"),
        complete("task"),
    )
    assert [(block.prompt, block.label, [call.id for call in block.calls]) for block in session.blocks] == [
        ("go", "", ["task"]),
        ("Explore", "subagent task", ["c1"]),
        ("", "subagent other", []),
    ]
    assert all(call.status is Status.OK for call in calls(session))
    assert texts(session) == ["meanwhile", "looking", "I am here too"]


def test_what_happens_to_a_session_is_noted() -> None:
    session = read(
        START,
        event("abort", reason="user initiated"),
        event("session.error", errorType="query", message="no model"),
        event("session.compaction_complete", success=True),
        event("session.truncation", tokenLimit=1),
        event("session.snapshot_rewind", upToEventId="e", eventsRemoved=2),
        event("session.info", message="hi"),
    )
    assert texts(session) == [
        "aborted: user initiated",
        "error: no model",
        "the history was compacted",
        "the history was truncated",
        "rewound: 2 events removed",
    ]
    assert (session.counts.compactions, session.counts.unknown) == (1, 0)


def test_printed_events_are_known_without_a_start() -> None:
    session = read(event("session.mcp_servers_loaded", servers=[]), says("hi"), '{"type":"result","exitCode":0}')
    assert (session.format, texts(session), session.counts.unknown) == ("copilot-cli", ["hi"], 0)


@pytest.mark.parametrize("odd", ["[]", "{}", "1", "null", '"x"', "1e400", '"\\ud800"', "9" * 400])
@pytest.mark.parametrize(
    "member", ["data", "type", "timestamp", "toolCallId", "arguments", "result", "toolRequests", "content"]
)
def test_a_member_of_another_type_is_no_danger(member: str, odd: str) -> None:
    session = read(START, *[line.replace(f'"{member}":', f'"{member}":{odd},"was_{member}":', 1) for line in WHOLE[1:]])
    assert [len(block.calls) for block in session.blocks] == list(session.call_counts)


@settings(max_examples=100, deadline=None)
@given(harm(len(WHOLE)), st.booleans())
def test_what_was_not_harmed_is_read(change: tuple[int, float, bytes], cut: bool) -> None:
    session = read_harmed(harmed(WHOLE, change, cut=cut))
    assert session is not None
    found = {call.id: call for call in calls(session)}
    for call_id, started, ended in (("c1", 5, 9), ("c2", 6, 8)):
        if change[0] != ended:
            assert found[call_id].result is not None
        if change[0] != started:
            assert found[call_id].arguments == (ARGUMENTS if call_id == "c1" else '{"n":1}')
