import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.core.model import Session, Status
from tests.readers.lines import ADD, calls, only_call, read, read_bytes, result, texts, use

INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": "s1",
    "cwd": "/w",
    "tools": ["Bash", ADD],
    "mcp_servers": [{"name": "demo", "status": "connected"}, {"name": "my srv__x", "status": "failed"}],
    "model": "model-1",
}


def event(kind: str, *content: Any, agent: str | None = None, **members: Any) -> dict[str, Any]:
    message = {"role": kind, "content": list(content)}
    return {"type": kind, "message": message, "parent_tool_use_id": agent, "session_id": "s1", **members}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


RUN = [
    INIT,
    event("assistant", text("I will add."), uuid="a"),
    event("assistant", use("t1", a=2), uuid="b"),
    event("user", result("t1", [text("2")]), uuid="c"),
    event("assistant", text("It is 2."), uuid="d"),
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_ms": 10857,
        "num_turns": 4,
        "session_id": "s1",
    },
]


def lines(events: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(one, separators=(",", ":")) for one in events]


def told(session: Session) -> tuple[list[str], list[tuple[str, Status, str | None]]]:
    return texts(session), [(call.id, call.status, call.result and call.result.text) for call in calls(session)]


EXPECTED = (
    [
        "session starts: model-1, 2 tools, MCP servers: demo (connected), my srv__x (failed)",
        "I will add.",
        "It is 2.",
        "session ends: success, 4 turns, 10.9 s",
    ],
    [("t1", Status.OK, "2")],
)

NOISE = [
    "npm warn exec The following package was not found",
    "[DEBUG] Watching for changes {",
    '[ERROR] MCP server "demo" Server stderr: recv: {"method":"tools/call","params":{},"jsonrpc":"2.0","id":2}',
    "{",
    '  "pretty": true',
    "}",
    "",
]


def test_a_run_is_a_block() -> None:
    session = read(*lines(RUN))
    assert (session.format, session.id, session.title, session.counts.messages) == ("claude-stream-json", "s1", "", 4)
    assert told(session) == EXPECTED
    assert [(block.prompt, block.started) for block in session.blocks] == [("", None)]
    assert list(session.call_counts) == [1]


def test_noise_between_the_lines_is_left_out() -> None:
    noisy = [line for one in lines(RUN) for line in (*NOISE, one)]
    session = read(*noisy, *NOISE)
    assert told(session) == EXPECTED
    assert session.diagnostics == ()


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("before", [[], NOISE])
def test_one_array_holds_the_same(indent: int | None, before: list[str]) -> None:
    array = json.dumps(RUN, indent=indent, ensure_ascii=False)
    session = read(*before, array)
    assert told(session) == EXPECTED
    assert session.diagnostics == ()


@pytest.mark.parametrize("indent", [None, 2])
def test_arguments_in_an_array_keep_their_characters_and_places(indent: int | None) -> None:
    array = json.dumps(
        [INIT, event("assistant", text("é\u2028"), use("t1", marker=1))], indent=indent, ensure_ascii=False
    )
    at = array.rindex('"marker": 1')
    written = array[:at] + '"n": 5.0, "n":1e3' + array[at + len('"marker": 1') :]
    session = read("[DEBUG] ü", written)
    call = only_call(session)
    assert call.arguments is not None
    assert call.arguments.strip("{ \n}") == '"n": 5.0, "n":1e3'
    recorded = session.read_raw(call.place)
    assert json.loads(recorded)["type"] == "assistant"
    file = "[DEBUG] ü\n" + written
    assert file.encode()[: call.place.byte].count(b"\n") == call.place.line - 1


def test_a_cut_array_gives_what_is_whole() -> None:
    whole = json.dumps(RUN, indent=2)
    session = read(whole[: whole.index("It is 2.")])
    assert told(session) == (EXPECTED[0][:2], EXPECTED[1])
    assert [found.kind for found in session.diagnostics] == ["truncated_tail"]


def test_servers_of_the_first_line_resolve_names() -> None:
    session = read(*lines([INIT, event("assistant", use("t1", "mcp__my_srv__x__get"), use("t2", "mcp__other__get"))]))
    assert [(call.server, call.tool, call.inferred) for call in calls(session)] == [
        ("my srv__x", "get", False),
        ("other", "get", True),
    ]


def test_each_run_in_one_log_is_a_block() -> None:
    second = [{**one, "session_id": "s2"} for one in RUN[:1]] + [event("assistant", text("again"), uuid="z")]
    session = read(*lines(RUN + second))
    assert [len(block.calls) for block in session.blocks] == [1, 0]


def test_prompts_that_are_recorded_start_blocks() -> None:
    session = read(
        *lines([INIT, event("user", text("add")), event("assistant", text("ok")), event("user", text("more"))])
    )
    assert [block.prompt for block in session.blocks] == ["", "add", "more"]
    assert session.title == "add"


def test_subagents_are_told_by_the_call_that_started_them() -> None:
    session = read(
        *lines(
            [
                INIT,
                event("assistant", use("task", "Task")),
                event("user", text("look"), agent="task"),
                event("assistant", use("t1"), agent="task"),
                event("assistant", text("meanwhile")),
                event("user", result("t1"), agent="task"),
                event("user", result("task")),
            ]
        )
    )
    assert [(block.prompt, block.label, [call.id for call in block.calls]) for block in session.blocks] == [
        ("", "", ["task"]),
        ("look", "subagent task", ["t1"]),
    ]
    assert all(call.status is Status.OK for call in calls(session))


def test_calls_that_lacked_permission_are_denied() -> None:
    end = {
        "type": "result",
        "subtype": "error_max_turns",
        "is_error": True,
        "result": "too many turns",
        "permission_denials": [{"tool_name": ADD, "tool_use_id": "t1", "tool_input": {}}],
    }
    session = read(*lines([INIT, event("assistant", use("t1")), event("user", result("t1", "no", is_error=True)), end]))
    assert only_call(session).status is Status.DENIED
    assert texts(session)[-1] == "session ends: error_max_turns\ntoo many turns"


def test_bad_lines_are_located() -> None:
    session = read(*lines(RUN[:3]), '{"type":"user","mess', *lines(RUN[3:]))
    assert told(session) == EXPECTED
    assert [(found.place.line, found.kind) for found in session.diagnostics] == [(4, "malformed")]


@given(st.integers(0, len(json.dumps(RUN))), st.binary(max_size=6), st.booleans())
def test_damage_never_raises(at: int, some: bytes, as_array: bool) -> None:
    data = json.dumps(RUN).encode() if as_array else "\n".join(lines(RUN)).encode()
    marks = json.dumps(INIT).encode() + b"\n"
    session = read_bytes(marks + data[:at] + some + data[at:])
    assert list(session.call_counts) == [len(block.calls) for block in session.blocks]
