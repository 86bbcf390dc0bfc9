"""Rollouts of Codex, in the ways in which its versions wrote them."""

import json
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from blockview.core.model import Provenance, Session, Status, ToolCall
from tests.readers.damage import harm, harmed, read_harmed
from tests.readers.lines import calls, only_call, read, read_bytes, texts

ARGUMENTS = '{"line": 5.0, "ratio":0.10, "count":3, "id":1234567890123456789}'
BIG = '{"id":1234567890123456789}'


def row(kind: str, payload: dict[str, Any], second: float = 0, **members: Any) -> str:
    stamp = f"2026-03-01T10:00:{second:06.3f}Z"
    return json.dumps({"timestamp": stamp, **members, "type": kind, "payload": payload}, separators=(",", ":"))


def meta(**members: Any) -> str:
    return row("session_meta", {"id": "thread-1", "cwd": "/w", "cli_version": "0.50.0", **members})


def item(kind: str, second: float = 0, **members: Any) -> str:
    return row("response_item", {"type": kind, **members}, second)


def event(kind: str, second: float = 0, **members: Any) -> str:
    return row("event_msg", {"type": kind, **members}, second)


def message(role: str, *said: str) -> str:
    kind = "input_text" if role == "user" else "output_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in said])


def asks(call_id: str, arguments: str = "{}", name: str = "mcp__demo__add", second: float = 1, **members: Any) -> str:
    return item("function_call", second, name=name, arguments=arguments, call_id=call_id, **members)


def hears(call_id: str, output: Any = "5", second: float = 2) -> str:
    return item("function_call_output", second, call_id=call_id, output=output)


def done(call_id: str, arguments: str = "{}", result: Any = None, second: float = 2, **members: Any) -> str:
    """A host's event; the arguments are put in as they are written."""
    told = event(
        "mcp_tool_call_end",
        second,
        call_id=call_id,
        invocation={"server": "demo", "tool": "add", "arguments": "<arguments>", **members},
        duration={"secs": 0, "nanos": 250_000_000},
        result=result or {"Ok": {"content": [{"type": "text", "text": "5"}]}},
    )
    return told.replace('"<arguments>"', arguments)


WHOLE = [
    meta(),
    row("turn_context", {"model": "model-1"}),
    message("user", "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"),
    message("user", "Add them"),
    event("user_message", message="Add them", images=[]),
    event("agent_reasoning", text="**Adding**"),
    item("reasoning", summary=[{"type": "summary_text", "text": "**Adding**"}], encrypted_content="x"),
    message("assistant", "I will add."),
    event("agent_message", message="I will add."),
    asks("c1", ARGUMENTS, second=1),
    asks("c2", '{"n":1}', second=2),
    asks("c3", "{}", second=3),
    done("c2", '{"n":1}', {"Err": "tool call failed for `demo/add`: Mcp error: -32602: no"}, 4),
    hears("c2", "tool call error: no", 4),
    done("c1", ARGUMENTS, {"Ok": {"content": [{"type": "text", "text": BIG}]}}, 5),
    hears("c1", "Wall time: 4 seconds\nOutput:\n" + BIG, 5),
    row("hologram", {"depth": 3}),
    event("smell_of_coffee"),
]


def told(session: Session) -> list[tuple[str, str | None, str, Status]]:
    return [(call.id, call.server, call.tool, call.status) for call in calls(session)]


def check_whole(session: Session) -> None:
    (block,) = session.blocks
    assert (session.format, session.id, session.title) == ("codex", "thread-1", "Add them")
    assert (block.prompt, texts(session, "thinking"), texts(session, "assistant", "note")) == (
        "Add them",
        ["**Adding**"],
        ["I will add."],
    )
    first, second, third = block.calls
    assert told(session) == [
        ("c1", "demo", "add", Status.OK),
        ("c2", "demo", "add", Status.PROTOCOL_ERROR),
        ("c3", "demo", "add", Status.NO_RESULT),
    ]
    assert (first.arguments, first.provenance, first.duration_ms) == (ARGUMENTS, Provenance.HOST, 250.0)
    assert first.started is not None
    assert first.started.isoformat() == "2026-03-01T10:00:04.750000+00:00"
    assert first.result is not None
    assert (first.result.text, session.read_raw(first.place)) == (BIG, WHOLE[14])
    assert (second.status_note, third.provenance) == ("code -32602", Provenance.MODEL)
    assert (session.counts.messages, session.counts.calls, session.counts.unknown) == (2, 3, 2)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_a_rollout_is_read_whole(end: bytes, start: bytes) -> None:
    cut = '{"timestamp":"2026-03-01T10:00:09.000Z","type":"event_msg","payl'
    session = read_bytes(start + end.join(line.encode() for line in [*WHOLE, cut]))
    check_whole(session)
    assert [(found.place.line, found.kind) for found in session.diagnostics] == [
        (len(WHOLE) + 1, "truncated_tail"),
        (17, "unknown"),
    ]


def test_a_compressed_rollout_is_read_whole() -> None:
    check_whole(read_bytes(zstandard.compress("\n".join(WHOLE).encode())))


def test_a_rollout_without_events_tells_what_the_model_was_told() -> None:
    session = read(*[line for line in WHOLE if '"event_msg"' not in line or "coffee" in line])
    assert [block.prompt for block in session.blocks] == ["Add them"]
    assert texts(session) == ["**Adding**", "I will add."]
    assert told(session) == [
        ("c1", "demo", "add", Status.OK),
        ("c2", "demo", "add", Status.PROTOCOL_ERROR),
        ("c3", "demo", "add", Status.NO_RESULT),
    ]
    first = calls(session)[0]
    assert (first.arguments, first.provenance, first.duration_ms, first.inferred) == (
        ARGUMENTS,
        Provenance.MODEL,
        4000.0,
        True,
    )


def test_an_old_rollout_without_envelopes_is_read() -> None:
    old = [
        '{"id":"old-1","timestamp":"2025-07-01T10:00:00.000Z","instructions":null,"git":{"branch":"main"}}',
        '{"record_type":"state"}',
        *[json.dumps(json.loads(line)["payload"]) for line in WHOLE if '"response_item"' in line],
    ]
    session = read(*old)
    assert (session.format, session.id, session.counts.unknown) == ("codex", "old-1", 0)
    assert [block.prompt for block in session.blocks] == ["Add them"]
    assert [call.arguments for call in calls(session)] == [ARGUMENTS, '{"n":1}', "{}"]


def completed(second: float = 0, **members: Any) -> str:
    return row(
        "event_msg", {"type": "item_completed", "item": members, "completed_at_ms": 1772359205000}, second, ordinal=7
    )


def test_a_paginated_rollout_tells_each_thing_once() -> None:
    call = {"type": "McpToolCall", "id": "c1", "server": "demo", "tool": "add", "arguments": {"n": 5.0}}
    result = {"content": [{"type": "text", "text": "no"}], "structuredContent": {"id": 1}, "isError": True}
    session = read(
        meta(history_mode="paginated"),
        completed(type="UserMessage", id="u", content=[{"type": "text", "text": "Add them", "text_elements": []}]),
        message("user", "Add them"),
        message("assistant", "Adding."),
        completed(type="AgentMessage", id="a", content=[{"type": "Text", "text": "Adding."}]),
        asks("c1", '{"n":5.0}', "add", namespace="mcp__demo"),
        completed(**call, status="failed", result=result, duration={"secs": 1, "nanos": 500_000_000}),
        hears("c1", '{"id":1}'),
        completed(type="FileChange", id="f", changes={}),
    )
    (block,) = session.blocks
    assert (block.prompt, texts(session)) == ("Add them", ["Adding."])
    made = only_call(session)
    assert (made.server, made.tool, made.arguments, made.status) == ("demo", "add", '{"n":5.0}', Status.TOOL_ERROR)
    assert made.result is not None
    assert (made.result.structured, made.result.text, made.duration_ms) == ('{"id":1}', "no", 1500.0)
    assert session.counts.unknown == 0


def test_an_item_that_failed_has_the_hosts_words() -> None:
    error = {"message": "user cancelled MCP tool call"}
    session = read(
        meta(),
        completed(type="McpToolCall", id="c1", server="d", tool="t", arguments=None, status="failed", error=error),
        completed(type="McpToolCall", id="c2", server="d", tool="t", arguments={}, status="inProgress"),
    )
    assert [(call.status, call.arguments) for call in calls(session)] == [
        (Status.CANCELLED, None),
        (Status.NO_RESULT, "{}"),
    ]


def test_what_the_model_asked_for_stands_beside_what_was_sent() -> None:
    session = read(meta(), asks("c1", '{"n":5.0,"m":1}'), done("c1", '{"m":1,"n":5}'), hears("c1"))
    assert only_call(session).arguments == '{"m":1,"n":5}'
    assert texts(session, "note") == ['the model asked mcp__demo__add for: {"n":5.0,"m":1}']


def test_calls_of_a_script_are_told_by_the_host() -> None:
    script = 'const a = await tools.mcp__demo__add({"n": 1});\ntext(a);'
    session = read(
        meta(),
        event("user_message", message="go"),
        item("custom_tool_call", status="completed", call_id="c1", name="exec", input=script),
        done("exec-1", '{"n":1}'),
        done("exec-2", '{"n":2}'),
        item("custom_tool_call_output", call_id="c1", output=[{"type": "input_text", "text": "5"}]),
    )
    assert [(call.id, call.mcp, call.server, call.arguments) for call in calls(session)] == [
        ("c1", False, None, json.dumps(script)),
        ("exec-1", True, "demo", '{"n":1}'),
        ("exec-2", True, "demo", '{"n":2}'),
    ]
    assert calls(session)[0].status is Status.OK


@pytest.mark.parametrize(
    ("name", "members", "expected"),
    [
        ("shell", {}, (None, "shell", False, False)),
        ("functions.exec", {}, (None, "functions.exec", False, False)),
        ("demo__add", {}, ("demo", "add", True, False)),
        ("mcp__demo__add", {}, ("demo", "add", True, False)),
        ("my_srv__x__get", {}, ("my srv__x", "get", True, False)),
        ("mcp__other__get__one", {}, ("other", "get__one", True, True)),
        ("get", {"namespace": "mcp__my_srv__x"}, ("my srv__x", "get", True, False)),
        ("get", {"namespace": "mcp__other__"}, ("other", "get", True, False)),
        ("get", {"namespace": "apps"}, ("apps", "get", False, False)),
        ("get", {"namespace": None}, (None, "get", False, False)),
    ],
)
def test_names_mean_servers_and_tools(name: str, members: dict[str, Any], expected: tuple[Any, ...]) -> None:
    session = read(meta(), asks("c1", "{}", name, **members), done("x"), done("y", server="my srv__x", tool="t"))
    call = calls(session)[0]
    assert (call.server, call.tool, call.mcp, call.inferred) == expected


@pytest.mark.parametrize("recorded", ['""', "null", '"  "', None])
def test_no_arguments_stay_absent(recorded: str | None) -> None:
    line = asks("c1", "<arguments>").replace('"<arguments>"', recorded or "0")
    line = line if recorded else line.replace('"arguments":0,', "")
    assert only_call(read(meta(), line)).arguments is None


@pytest.mark.parametrize("text", ["{", "5", '{"a":1}}', "not json \u001b[31m", '{"a":1,"a":1e400}', '{"a":"\\ud800"}'])
def test_the_models_own_characters_are_kept(text: str) -> None:
    assert only_call(read(meta(), asks("c1", text), hears("c1", "err: expected value"))).arguments == text


@pytest.mark.parametrize(
    ("output", "status", "text"),
    [
        ("fine", Status.OK, "fine"),
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], Status.OK, "a\nb"),
        ({"type": "input_text", "text": "a"}, Status.OK, "a"),
        ({"content": "bad", "success": False}, Status.TOOL_ERROR, "bad"),
        ({"content": "good", "success": True}, Status.OK, "good"),
        ([{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}], Status.OK, "[image block]"),
        ("err: expected value at line 1", Status.NEVER_SENT, "err: expected value at line 1"),
        ("unsupported call: demo__add", Status.NEVER_SENT, "unsupported call: demo__add"),
        ("user rejected MCP tool call", Status.REJECTED, "user rejected MCP tool call"),
        ("user cancelled MCP tool call", Status.CANCELLED, "user cancelled MCP tool call"),
        ("aborted", Status.CANCELLED, "aborted"),
        ("aborted landing", Status.OK, "aborted landing"),
        ("Exit code: 2\nWall time: 1 seconds", Status.TOOL_ERROR, "Exit code: 2\nWall time: 1 seconds"),
        ("Exit code: 0\nok", Status.OK, "Exit code: 0\nok"),
        (None, Status.OK, ""),
        (17, Status.OK, "[malformed block]"),
    ],
)
def test_outputs_say_how_a_call_ended(output: Any, status: Status, text: str) -> None:
    call = only_call(read(meta(), asks("c1"), hears("c1", output)))
    assert call.result is not None
    assert (call.status, call.result.text, call.result.is_error) == (status, text, status.failed)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ("user rejected MCP tool call", Status.REJECTED),
        ("user cancelled MCP tool call", Status.CANCELLED),
        ("MCP tool call blocked by app configuration", Status.DENIED),
        ("connection lost", Status.PROTOCOL_ERROR),
    ],
)
def test_errors_of_the_host_are_told_apart(error: str, status: Status) -> None:
    call = only_call(read(meta(), done("c1", result={"Err": error})))
    assert call.result is not None
    assert (call.status, call.result.text) == (status, error)


def test_an_answer_without_a_call_is_kept() -> None:
    session = read(meta(), message("user", "go"), hears("lost", "5"))
    assert [(call.id, call.status) for call in calls(session)] == [("lost", Status.RESULT_WITHOUT_CALL)]
    assert session.counts.orphan_results == 1


def test_a_text_said_twice_is_shown_twice_and_told_twice_only_once() -> None:
    pair = [message("assistant", "yes"), event("agent_message", message="yes")]
    session = read(meta(), event("user_message", message="go"), message("user", "go"), *pair, *pair)
    assert texts(session) == ["yes", "yes"]
    assert [block.prompt for block in session.blocks] == ["go"]


def test_an_image_beside_a_prompt_makes_no_second_prompt() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    parts = [{"type": "input_text", "text": text} for text in ("look", "<image>", "</image>")]
    session = read(
        meta(),
        event("user_message", message="look", local_images=["a.png"]),
        item("message", role="user", content=[parts[0], parts[1], image, parts[2]]),
    )
    assert [block.prompt for block in session.blocks] == ["look"]


def test_turns_that_were_rolled_back_are_labelled() -> None:
    session = read(
        meta(),
        *[event("user_message", message=text) for text in "abc"],
        event("thread_rolled_back", num_turns=2),
        event("user_message", message="d"),
        event("thread_rolled_back", num_turns=0),
    )
    assert [(block.prompt, block.label) for block in session.blocks] == [
        ("a", ""),
        ("b", "rolled back"),
        ("c", "rolled back"),
        ("d", ""),
    ]
    assert texts(session, "note") == ["rolled back: 2 turns", "rolled back: 0 turns"]


def test_compaction_and_interruption_are_told_and_history_is_not_counted_again() -> None:
    again = [json.loads(line)["payload"] for line in WHOLE if '"response_item"' in line]
    session = read(
        *WHOLE,
        row("compacted", {"message": "So far: added.", "replacement_history": again}),
        event("context_compacted"),
        event("turn_aborted", reason="interrupted"),
        event("error", message="no more"),
    )
    assert len(calls(session)) == 3
    assert session.counts.compactions == 1
    assert texts(session, "note") == [
        "the history was compacted\nSo far: added.",
        "turn aborted: interrupted",
        "error: no more",
    ]


def test_the_first_session_line_names_the_thread_and_the_last_title_counts() -> None:
    session = read(
        meta(),
        meta(id="parent"),
        event("user_message", message="go"),
        event("thread_name_updated", thread_name="One"),
        event("thread_name_updated", thread_name="Two"),
    )
    assert (session.id, session.title) == ("thread-1", "Two")


def test_described_tools_are_listed() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    flat = {"namespace": "apps", "name": "get", "description": "", "inputSchema": schema, "deferLoading": True}
    nested = {
        "type": "namespace",
        "name": "mcp__my_srv",
        "tools": [{"type": "function", "name": "put", "parameters": schema}],
    }
    session = read(
        meta(dynamic_tools=[flat, 7, {"name": 3}]),
        meta(dynamic_tools={"name": "alone"}),
        item("tool_search_call", call_id="s1", arguments={"query": "put"}),
        item("tool_search_output", call_id="s1", tools=[nested]),
        done("c1", server="my srv", tool="put"),
    )
    text = json.dumps(schema, separators=(",", ":"))
    assert [(spec.server, spec.name, spec.schema, spec.since) for spec in session.tools] == [
        ("apps", "get", text, 1),
        (None, "alone", None, 2),
        ("my srv", "put", text, 4),
    ]
    assert [(call.tool, call.status) for call in calls(session)] == [("tool_search", Status.OK), ("put", Status.OK)]


def test_tools_of_the_host_program_are_calls_too() -> None:
    session = read(
        meta(),
        event("dynamic_tool_call_request", callId="d1", namespace="apps", tool="get", arguments={"n": 1}),
        event(
            "dynamic_tool_call_response",
            call_id="d1",
            namespace="apps",
            tool="get",
            arguments={"n": 1},
            content_items=[{"type": "inputText", "text": "no"}],
            success=False,
            error=None,
            duration={"secs": 2, "nanos": 0},
        ),
        item("web_search_call", id="w1", status="completed", action={"type": "search", "query": "q"}),
    )
    first, second = calls(session)
    assert first.result is not None
    assert (first.server, first.tool, first.mcp, first.status, first.result.text) == (
        "apps",
        "get",
        False,
        Status.TOOL_ERROR,
        "no",
    )
    assert (second.tool, second.arguments, second.status) == ("web_search", '{"type":"search","query":"q"}', Status.OK)


MEMBERS = [
    "payload",
    "type",
    "timestamp",
    "call_id",
    "arguments",
    "output",
    "invocation",
    "result",
    "duration",
    "content",
]


@pytest.mark.parametrize("odd", ["[]", "{}", "1", "null", '"x"', "1e400", '"\\ud800"', "[[[]]]", "9" * 400])
@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_of_another_type_is_no_danger(member: str, odd: str) -> None:
    lines = [line.replace(f'"{member}":', f'"{member}":{odd},"was_{member}":', 1) for line in WHOLE[1:]]
    session = read(meta(), *lines)
    assert [len(block.calls) for block in session.blocks] == list(session.call_counts)


@settings(max_examples=100, deadline=None)
@given(harm(len(WHOLE)), st.booleans())
def test_what_was_not_harmed_is_read(change: tuple[int, float, bytes], cut: bool) -> None:
    session = read_harmed(harmed(WHOLE, change, cut=cut))
    assert session is not None
    found: dict[str, ToolCall] = {call.id: call for call in calls(session)}
    number = change[0]
    for call_id, answered in (("c1", 14), ("c2", 12)):
        if number not in (answered, answered + 1):
            assert found[call_id].result is not None
    if number not in (9, 14):
        assert found["c1"].arguments == ARGUMENTS
