"""Logs of the Agent Client Protocol."""

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from blockview.core.model import Session, Status
from tests.readers.captures import INITIALIZE, INITIALIZED
from tests.readers.damage import harm, harmed, read_harmed
from tests.readers.lines import calls, only_call, read, texts

ARGUMENTS = '{"line": 5.0, "ratio":0.10, "count":3, "id":1234567890123456789}'
BIG = '{"id":1234567890123456789}'
OPENING = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}'


def dumps(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def rpc(**members: Any) -> str:
    return dumps({"jsonrpc": "2.0", **members})


def update(kind: str, session: str = "s1", **members: Any) -> str:
    return rpc(method="session/update", params={"sessionId": session, "update": {"sessionUpdate": kind, **members}})


def chunk(text: str, kind: str = "agent_message_chunk", session: str = "s1", **members: Any) -> str:
    return update(kind, session, content={"type": "text", "text": text}, **members)


def prompt(text: str, number: int = 2, session: str = "s1") -> str:
    params = {"sessionId": session, "prompt": [{"type": "text", "text": text}]}
    return rpc(id=number, method="session/prompt", params=params)


def call(
    call_id: str, arguments: str = "{}", title: str = "mcp__demo__add", session: str = "s1", **members: Any
) -> str:
    """A new call; the arguments are put in as they are written."""
    told = update("tool_call", session, toolCallId=call_id, title=title, rawInput="<arguments>", **members)
    return told.replace('"<arguments>"', arguments)


def change(call_id: str, session: str = "s1", **members: Any) -> str:
    return update("tool_call_update", session, toolCallId=call_id, **members)


def shown(text: str) -> list[dict[str, Any]]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


NEW = rpc(id=1, method="session/new", params={"cwd": "/w", "mcpServers": [{"name": "my srv__x"}]})
WHOLE = [
    OPENING,
    rpc(id=0, result={"protocolVersion": 1, "agentCapabilities": {}}),
    NEW,
    rpc(id=1, result={"sessionId": "s1"}),
    prompt("Add them"),
    chunk("**Add", "agent_thought_chunk"),
    chunk("ing**", "agent_thought_chunk"),
    chunk("I will "),
    update("usage_update", used=1, size=2),
    chunk("add."),
    call("c1", ARGUMENTS, status="pending"),
    call("c2", '{"n":1}', status="pending"),
    call("c3", status="in_progress"),
    change("c2", status="failed", content=shown("no")),
    change("c1", status="completed", content=shown(BIG)),
    update("hologram", depth=3),
    rpc(id=2, result={"stopReason": "end_turn"}),
]


def told(session: Session) -> list[tuple[str, str | None, str, Status]]:
    return [(one.id, one.server, one.tool, one.status) for one in calls(session)]


def test_a_log_is_read_whole() -> None:
    session = read(*WHOLE, '{"jsonrpc":"2.0","method":"session/upd')
    (block,) = session.blocks
    assert (session.format, session.id, session.title, block.prompt) == ("acp", "s1", "Add them", "Add them")
    assert texts(session) == ["**Adding**", "I will add."]
    assert told(session) == [
        ("c1", "demo", "add", Status.OK),
        ("c2", "demo", "add", Status.TOOL_ERROR),
        ("c3", "demo", "add", Status.NO_RESULT),
    ]
    first, second, third = block.calls
    assert first.result is not None and second.result is not None and third.result is None
    assert (first.arguments, first.result.text, second.result.text) == (ARGUMENTS, BIG, "no")
    assert session.read_raw(first.place) == WHOLE[10]
    assert (session.counts.messages, session.counts.unknown) == (2, 1)
    assert [(found.place.line, found.kind) for found in session.diagnostics] == [
        (len(WHOLE) + 1, "truncated_tail"),
        (16, "unknown"),
    ]


@pytest.mark.parametrize(
    "unwrap",
    [
        lambda line: line,
        lambda line: {"method": line["method"], "params": line["params"]} if "params" in line else line,
        lambda line: line["params"] if line.get("method") == "session/update" else line,
        lambda line: line["params"]["update"] if line.get("method") == "session/update" else line,
    ],
    ids=["messages", "without a version", "notifications", "updates"],
)
def test_a_log_may_hold_less_than_messages(unwrap: Any) -> None:
    session = read(*[dumps(unwrap(json.loads(line))) for line in WHOLE[4:]])
    assert session.format == "acp"
    assert [one.id for one in calls(session)] == ["c1", "c2", "c3"]
    assert "".join(texts(session)) == "**Adding**I will add."


def test_messages_of_mcp_are_none_of_this_protocol() -> None:
    assert read(INITIALIZE, INITIALIZED).format == "mcp-jsonrpc"
    assert read(OPENING).format == "acp"


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"title": "Read file"}, (None, "Read file", False, False)),
        ({"title": "mcp__my_srv__x__get"}, ("my srv__x", "get", True, False)),
        ({"title": "mcp__other__get"}, ("other", "get", True, True)),
        (
            {"title": "Get", "_meta": {"claudeCode": {"toolName": "mcp__my_srv__x__get"}}},
            ("my srv__x", "get", True, False),
        ),
        ({"title": "Get", "name": "mcp__my_srv__x__get"}, ("my srv__x", "get", True, False)),
        ({"title": "Tool: demo/add"}, ("demo", "add", True, True)),
        ({"title": None}, (None, "unnamed", False, False)),
    ],
)
def test_names_mean_servers_and_tools(members: dict[str, Any], expected: tuple[Any, ...]) -> None:
    one = only_call(read(NEW, call("c1", **{"title": "", **members})))
    assert (one.server, one.tool, one.mcp, one.inferred) == expected


def test_codexs_invocation_is_the_call() -> None:
    result = {"content": [{"type": "text", "text": "no"}], "structuredContent": {"n": 1.0}, "isError": True}
    session = read(
        call("c1", '{"server":"my.srv","tool":"get","arguments":{"n": 5.0}}', "Tool: my.srv/get"),
        call("c2", '{"server":"my.srv","tool":"get"}', "Tool: my.srv/get"),
        change("c1", status="failed", rawOutput=result),
        change("c2", status="failed", rawOutput="connection lost"),
    )
    first, second = calls(session)
    assert first.result is not None and second.result is not None
    assert (first.server, first.tool, first.inferred, first.arguments) == ("my.srv", "get", False, '{"n": 5.0}')
    assert (first.result.text, first.result.structured) == ("no", '{"n":1.0}')
    assert (second.arguments, second.result.text, second.status) == (None, "connection lost", Status.TOOL_ERROR)


def test_later_reports_add_to_earlier_ones() -> None:
    session = read(
        call("c1", "{}", "Tool"),
        change("c1", title="mcp__demo__add"),
        change("c1", rawInput={"n": 5}, status=None),
        change("c1", status="completed", rawOutput={"sum": 5.0}),
    )
    one = only_call(session)
    assert one.result is not None
    assert (one.server, one.arguments, one.status, one.result.structured) == (
        "demo",
        '{"n":5}',
        Status.OK,
        '{"sum":5.0}',
    )


def test_parts_that_are_no_text_are_named() -> None:
    parts = [
        *shown("done"),
        {"type": "diff", "path": "a.py", "oldText": "a", "newText": "b"},
        {"type": "terminal", "terminalId": "t1"},
        7,
    ]
    one = only_call(read(call("c1", status="completed", content=parts)))
    assert one.result is not None
    assert one.result.text == "done\n[diff block]\n[terminal block]\n[malformed block]"


def ask(number: int, call_id: str) -> str:
    options = [
        {"optionId": "y", "kind": "allow_once", "name": "Yes"},
        {"optionId": "n", "kind": "reject_once", "name": "No"},
    ]
    params = {"sessionId": "s1", "toolCall": {"toolCallId": call_id, "title": "mcp__demo__add"}, "options": options}
    return rpc(id=number, method="session/request_permission", params=params)


@pytest.mark.parametrize(
    ("outcome", "status", "expected"),
    [
        ({"outcome": "selected", "optionId": "y"}, "completed", Status.OK),
        ({"outcome": "selected", "optionId": "n"}, "failed", Status.REJECTED),
        ({"outcome": "selected", "optionId": "n"}, None, Status.REJECTED),
        ({"outcome": "cancelled"}, "failed", Status.CANCELLED),
        ({"outcome": "selected", "optionId": "y"}, "failed", Status.TOOL_ERROR),
        (7, "failed", Status.TOOL_ERROR),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_permission_that_was_not_given_is_told(outcome: Any, status: str | None, expected: Status, known: bool) -> None:
    before = [call("c1", '{"n":1}')] if known else []
    session = read(NEW, *before, ask(5, "c1"), rpc(id=5, result={"outcome": outcome}), change("c1", status=status))
    assert told(session) == [("c1", "demo", "add", expected)]


def test_a_change_of_a_call_nobody_told_of_is_a_result_without_a_call() -> None:
    session = read(prompt("go"), change("lost", status="completed", content=shown("5")))
    assert told(session) == [("lost", None, "", Status.RESULT_WITHOUT_CALL)]
    assert session.counts.orphan_results == 1


def test_a_session_that_is_loaded_tells_its_prompts_again() -> None:
    session = read(
        rpc(id=1, method="session/load", params={"sessionId": "s1", "mcpServers": []}),
        chunk("Add ", "user_message_chunk"),
        chunk("them", "user_message_chunk"),
        chunk("Yes."),
        chunk("And more", "user_message_chunk"),
        prompt("now"),
        chunk("now", "user_message_chunk"),
        chunk("a", messageId="1"),
        chunk("b", messageId="2"),
    )
    assert [(block.prompt, block.label) for block in session.blocks] == [
        ("Add them", ""),
        ("And more", ""),
        ("now", ""),
    ]
    assert texts(session) == ["Yes.", "a", "b"]


def test_sessions_in_one_log_are_kept_apart() -> None:
    session = read(
        prompt("one", 2, "s1"),
        prompt("two", 3, "s2"),
        chunk("A", session="s1"),
        chunk("B", session="s2"),
        chunk("a", session="s1"),
        call("c1", session="s1"),
        call("c1", session="s2"),
        change("c1", session="s2", status="completed"),
        rpc(id=2, result={"stopReason": "cancelled"}),
        rpc(id=3, error={"code": -32603, "message": "broken"}),
    )
    first, second = session.blocks
    assert (first.prompt, first.label, [one.id for one in first.calls]) == ("one", "", ["c1"])
    assert (second.prompt, second.label, [one.id for one in second.calls]) == ("two", "session s2", ["2:c1"])
    assert [first.calls[0].status, second.calls[0].status] == [Status.NO_RESULT, Status.OK]
    assert texts(session) == ["Aa", "turn ends: cancelled", "B", "error -32603: broken"]


def test_what_is_no_text_in_a_prompt_is_named() -> None:
    parts = [
        {"type": "text", "text": "see"},
        {"type": "resource_link", "uri": "file:///a", "name": "a"},
        {"type": "image"},
    ]
    session = read(rpc(id=1, method="session/prompt", params={"sessionId": "s", "prompt": parts}))
    assert session.blocks[0].prompt == "see\n[resource_link: file:///a]\n[image]"


def test_a_given_title_counts() -> None:
    assert read(prompt("go"), update("session_info_update", title="Adding")).title == "Adding"


MEMBERS = ["params", "update", "sessionUpdate", "toolCallId", "rawInput", "content", "result", "id", "prompt", "status"]


@pytest.mark.parametrize("odd", ["[]", "{}", "1", "null", '"x"', "1e400", '"\\ud800"', "[[[]]]", "9" * 400])
@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_of_another_type_is_no_danger(member: str, odd: str) -> None:
    session = read(
        OPENING, *[line.replace(f'"{member}":', f'"{member}":{odd},"was_{member}":', 1) for line in WHOLE[1:]]
    )
    assert [len(block.calls) for block in session.blocks] == list(session.call_counts)


@settings(max_examples=100, deadline=None)
@given(harm(len(WHOLE)), st.booleans())
def test_what_was_not_harmed_is_read(done: tuple[int, float, bytes], cut: bool) -> None:
    assume(done[0] != 3)  # it names the session; harmed, it may name another one
    session = read_harmed(harmed(WHOLE, done, cut=cut))
    assert session is not None
    found = {one.id: one for one in calls(session)}
    for call_id, started, ended in (("c1", 10, 14), ("c2", 11, 13)):
        if done[0] != ended:
            assert found[call_id].result is not None
        if done[0] != started:
            assert found[call_id].arguments == (ARGUMENTS if call_id == "c1" else '{"n":1}')
