"""What `codex exec` prints: events of items as JSON, the host's own events of old, and the log for people."""

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
START = '{"type":"thread.started","thread_id":"thread-1"}'
TURN = '{"type":"turn.started"}'


def item(event: str, identity: str, kind: str, **members: Any) -> str:
    told = {"type": f"item.{event}", "item": {"id": identity, "type": kind, **members}}
    return json.dumps(told, separators=(",", ":"))


def call(event: str, identity: str, arguments: str = "{}", status: str = "completed", **members: Any) -> str:
    """An event of an MCP call; the arguments are put in as they are written."""
    members = {"server": "demo", "tool": "add", "arguments": "<arguments>", "result": None, "error": None, **members}
    return item(event, identity, "mcp_tool_call", **members, status=status).replace('"<arguments>"', arguments)


def content(text: str, **members: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "structured_content": None, **members}


WHOLE = [
    START,
    TURN,
    item("completed", "item_0", "reasoning", text="**Adding**"),
    item("completed", "item_1", "agent_message", text="I will add."),
    call("started", "item_2", ARGUMENTS, "in_progress"),
    call("started", "item_3", '{"n":1}', "in_progress"),
    call("started", "item_4", "{}", "in_progress"),
    call("completed", "item_3", '{"n":1}', "failed", error={"message": "Mcp error: -32602: no"}),
    call("completed", "item_2", ARGUMENTS, result=content(BIG)),
    item("completed", "item_5", "hologram", depth=3),
    '{"type":"turn.completed","usage":{"input_tokens":1}}',
    '{"type":"smell.of.coffee"}',
]


def told(session: Session) -> list[tuple[str, str | None, str, Status]]:
    return [(call.id, call.server, call.tool, call.status) for call in calls(session)]


EXPECTED = [
    ("item_2", "demo", "add", Status.OK),
    ("item_3", "demo", "add", Status.PROTOCOL_ERROR),
    ("item_4", "demo", "add", Status.NO_RESULT),
]
NOISE = ["Reading prompt from stdin...", "2026-01-01T00:00:00Z ERROR codex: x", "", "{", '  "a": 1', "}", "[1]"]


def test_a_run_is_read_whole() -> None:
    session = read(*WHOLE, '{"type":"item.compl')
    assert (session.format, session.id, session.title) == ("codex-exec", "thread-1", "")
    assert [(block.prompt, block.started) for block in session.blocks] == [("", None)]
    assert texts(session) == ["**Adding**", "I will add."]
    assert told(session) == EXPECTED
    first, second, _ = calls(session)
    assert first.result is not None
    assert (first.arguments, first.result.text, first.provenance) == (ARGUMENTS, BIG, Provenance.HOST)
    assert (first.started, first.duration_ms, second.status_note) == (None, None, "code -32602")
    assert (session.counts.unknown, session.counts.calls) == (2, 3)
    assert [(found.place.line, found.kind) for found in session.diagnostics] == [
        (13, "truncated_tail"),
        (10, "unknown"),
    ]


def test_noise_around_the_events_is_left_out() -> None:
    noisy = [line for one in WHOLE for line in (*NOISE, one)]
    session = read(*noisy, *NOISE)
    assert (session.format, told(session)) == ("codex-exec", EXPECTED)
    assert [(found.kind, found.problem) for found in session.diagnostics] == [
        ("unknown", "not shown: of a kind that is not known (and 1 more)")
    ]
    far = read(*NOISE * 20_000, *WHOLE)
    assert (far.format, told(far)) == ("codex-exec", EXPECTED)


def test_ids_of_a_second_run_are_its_own() -> None:
    session = read(*WHOLE, START.replace("1", "2"), *WHOLE[1:])
    assert [[call.id for call in block.calls] for block in session.blocks] == [
        ["item_2", "item_3", "item_4"],
        ["2:item_2", "2:item_3", "2:item_4"],
    ]
    assert session.id == "thread-1"


@pytest.mark.parametrize(
    ("members", "status", "value"),
    [
        ({"result": content("5")}, Status.OK, ("5", None)),
        ({"result": content("5", structured_content={"n": 5.0})}, Status.OK, ("5", '{"n":5.0}')),
        ({"result": content("no"), "status": "failed"}, Status.TOOL_ERROR, ("no", None)),
        ({"error": {"message": "user rejected MCP tool call"}}, Status.REJECTED, ("user rejected MCP tool call", None)),
        ({"error": "broken"}, Status.PROTOCOL_ERROR, ("broken", None)),
    ],
)
def test_items_say_how_a_call_ended(members: dict[str, Any], status: Status, value: tuple[str, str | None]) -> None:
    made = only_call(read(START, TURN, call("completed", "i", **members)))
    assert made.result is not None
    assert (made.status, (made.result.text, made.result.structured)) == (status, value)
    assert made.result.is_error is status.failed


def test_the_agents_own_tools_are_calls_without_a_server() -> None:
    session = read(
        START,
        TURN,
        item(
            "started",
            "a",
            "command_execution",
            command="ls",
            aggregated_output="",
            exit_code=None,
            status="in_progress",
        ),
        item("completed", "a", "command_execution", command="ls", aggregated_output="no", exit_code=2, status="failed"),
        item("completed", "b", "file_change", changes=[{"path": "a", "kind": "add"}], status="completed"),
        item("completed", "c", "command_execution", command="rm", status="declined"),
        item("completed", "d", "todo_list", items=[]),
        item("completed", "e", "error", message="slow"),
        '{"type":"turn.failed","error":{"message":"limit"}}',
        '{"type":"error","message":"gone"}',
    )
    assert [(one.tool, one.mcp, one.arguments, one.status, one.status_note) for one in calls(session)] == [
        ("command_execution", False, '"ls"', Status.TOOL_ERROR, "exit code 2"),
        ("file_change", False, '[{"path":"a","kind":"add"}]', Status.OK, ""),
        ("command_execution", False, '"rm"', Status.REJECTED, ""),
    ]
    assert texts(session, "note") == ["error: slow", "turn failed: limit", "error: gone"]
    assert session.counts.unknown == 0


def test_older_names_of_items_are_known() -> None:
    session = read(
        START, TURN, json.dumps({"type": "item.completed", "item": {"item_type": "assistant_message", "text": "a"}})
    )
    assert texts(session) == ["a"]


def old(kind: str, **members: Any) -> str:
    return json.dumps({"id": "0", "msg": {"type": kind, **members}}, separators=(",", ":"))


def test_the_hosts_own_events_of_old_are_read() -> None:
    invocation = {"server": "demo", "tool": "add", "arguments": {"n": 5.0}}
    session = read(
        '{"model":"m","workdir":"/w"}',
        '{"prompt":"Add them"}',
        old("task_started"),
        old("agent_reasoning", text="hm"),
        old("mcp_tool_call_begin", call_id="c1", invocation=invocation),
        old("mcp_tool_call_begin", call_id="c2", invocation=invocation),
        old(
            "mcp_tool_call_end",
            call_id="c1",
            invocation=invocation,
            duration={"secs": 0, "nanos": 2_000_000},
            result={"Ok": {"content": [{"type": "text", "text": "5"}], "isError": False}},
        ),
        old("agent_message", message="5"),
    )
    assert (session.format, session.title, texts(session)) == ("codex-exec", "Add them", ["hm", "5"])
    assert [(one.id, one.arguments, one.status, one.duration_ms) for one in calls(session)] == [
        ("c1", '{"n":5.0}', Status.OK, 2.0),
        ("c2", '{"n":5.0}', Status.NO_RESULT, None),
    ]


@settings(max_examples=100, deadline=None)
@given(harm(len(WHOLE)), st.booleans())
def test_what_was_not_harmed_is_read(change: tuple[int, float, bytes], cut: bool) -> None:
    session = read_harmed(harmed(WHOLE, change, cut=cut))
    assert session is not None
    found = {one.id.removeprefix("2:"): one for one in calls(session)}
    for identity, answered in (("item_2", 8), ("item_3", 7)):
        if change[0] != answered:
            assert found[identity].result is not None


PRINTED = (
    '{\n  "content": [\n    {\n      "text": "{\\"id\\": 1234567890123456789}",\n      "type": "text"\n    }\n  ]\n}'
)
STAMP = "[2025-08-31T12:37:{:02}] "
LOG = [
    STAMP.format(0) + "OpenAI Codex v0.27.0 (research preview)\n--------\nmodel: m\n--------",
    STAMP.format(1) + "User instructions:\nAdd them\nand say so",
    STAMP.format(2) + "thinking\n**Adding**",
    STAMP.format(3) + "codex\nI will add.",
    STAMP.format(4) + f"tool demo.add({ARGUMENTS})",
    STAMP.format(4) + "tool demo.add({})",
    STAMP.format(4) + f"tool demo.add({ARGUMENTS})",
    STAMP.format(5) + "demo.add({}) failed in 1m 02s:\n" + '{\n  "content": [],\n  "isError": true\n}',
    STAMP.format(6) + f"demo.add({ARGUMENTS}) success in 250ms:\n{PRINTED}",
    STAMP.format(7) + "exec bash -lc ls in /w",
    STAMP.format(8) + "demo.gone() success in 1.50s:",
    STAMP.format(9) + "tokens used: 14582",
]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_log_for_people_is_read(end: bytes) -> None:
    session = read("Reading additional input from stdin...", *"\n".join(LOG).split("\n"), end=end)
    (_, block) = session.blocks if len(session.blocks) == 2 else ((), session.blocks[0])
    assert (session.format, session.title, block.prompt) == ("codex-log", "Add them", "Add them\nand say so")
    assert texts(session) == ["**Adding**", "I will add."]
    first, second, third, lost = calls(session)
    assert [(one.server, one.tool, one.arguments, one.status, one.duration_ms) for one in (first, second, third)] == [
        ("demo", "add", ARGUMENTS, Status.OK, 250.0),
        ("demo", "add", "{}", Status.TOOL_ERROR, 62_000.0),
        ("demo", "add", ARGUMENTS, Status.NO_RESULT, None),
    ]
    assert first.result is not None
    assert first.result.text == '{"id": 1234567890123456789}'
    assert lost.status is Status.RESULT_WITHOUT_CALL
    assert session.read_raw(first.place) == LOG[4]
    assert session.counts.unknown == 0


def test_a_result_that_the_log_cuts_off_says_so() -> None:
    cut = "\n".join(PRINTED.split("\n")[:4])
    made = only_call(
        read(STAMP.format(1) + "tool demo.add({})", STAMP.format(2) + f"demo.add({{}}) success in 2ms:\n{cut}")
    )
    assert made.result is not None
    assert (made.status, made.status_note) == (Status.OK, "the log has only the beginning of the result")
    assert made.result.text == cut


def test_colours_of_a_log_are_left_out() -> None:
    grey, plain = "\x1b[2m", "\x1b[0m"
    session = read(f"{grey}[2025-08-31T12:37:33]{plain} \x1b[35mtool{plain} demo.add({{}})")
    assert (only_call(session).tool, only_call(session).arguments) == ("add", "{}")


@settings(max_examples=100, deadline=None)
@given(harm(len(LOG)), st.booleans())
def test_what_was_not_harmed_of_a_log_is_read(change: tuple[int, float, bytes], cut: bool) -> None:
    session = read_harmed(harmed(LOG, change, cut=cut))
    assert session is not None
    wanted = [line for line in (4, 5, 6) if line not in (change[0], change[0] + 1)]
    assert sum(one.tool == "add" and one.arguments in (ARGUMENTS, "{}") for one in calls(session)) >= len(wanted)
