"""Sessions of Gemini CLI, of both kinds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blockview.core.model import Place, Status
from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, texts, told, whole_until

META = '"sessionId":"s1","projectHash":"h","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-01T00:00:00Z"'
TIME = '"timestamp":"2026-01-01T00:00:01.000Z"'


def call(identity: str, tool: str, arguments: str, said: str | None, status: str = "success", more: str = "") -> str:
    answer = f'[{{"functionResponse":{{"id":"{identity}","name":"x","response":{said}}}}}]' if said else "null"
    return (
        f'{{"id":"{identity}","name":"mcp_demo_{tool}","args":{arguments},"result":{answer},'
        f'"status":"{status}",{TIME}{more}}}'
    )


def user(identity: str, text: str) -> str:
    return f'{{"id":"{identity}",{TIME},"type":"user","content":[{{"text":"{text}"}}]}}'


def model(identity: str, text: str, *made: str, thoughts: str = "") -> str:
    more = f'"thoughts":[{thoughts}],"tokens":{{"input":1}},"model":"m","toolCalls":[{",".join(made)}]'
    return f'{{"id":"{identity}",{TIME},"type":"gemini","content":"{text}",{more}}}'


ADD = call("c1", "add", BIG, '{"output":"6.50"}')
FAIL = call("c2", "fail", '{"e":1e3}', '{"error":"boom"}', "error")
BOTH = (
    call("c3", "one", "{}", '{"output":"first"}'),
    call("c4", "two", '{"k":[1.10,-0]}', '{"output":"9007199254740993"}'),
    call("c5", "lost", '{"q":null}', None, "executing"),
)
FIRST = model("m2", "I add", ADD, FAIL, thoughts='{"subject":"On sums","description":"hm"}')
MESSAGES = (
    user("m1", "hello"),
    FIRST,
    f'{{"id":"m2b",{TIME},"type":"info","content":"Request cancelled."}}',
    user("m3", "and now both"),
    model("m4", "", *BOTH),
)
LINES = (
    f'{{{META},"kind":"main"}}',
    MESSAGES[0],
    '{"$set":{"lastUpdated":"2026-01-01T00:00:02Z","summary":"Sums"}}',
    model("m2", "", call("c1", "add", BIG, None, "scheduled")),
    '{"hologram":1}',
    *MESSAGES[1:],
)
SHAPES = {
    "lines": "\n".join(LINES),
    "document": f'{{\n{META},\n"summary":"Sums","messages":[\n' + ",\n".join(MESSAGES) + "\n]}",
    "document on one line": f'{{{META},"summary":"Sums","messages":[{",".join(MESSAGES)}]}}',
    "rebuilt": "\n".join((LINES[0], f'{{"$set":{{"summary":"Sums","messages":[{",".join(MESSAGES)}]}}}}')),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_tells_the_same(shape: str) -> None:
    session = read(SHAPES[shape])
    assert (session.format, session.id, session.title) == ("gemini-cli", "s1", "Sums")
    assert told(session) == TOLD
    assert texts(session, "thinking") == ["On sums: hm"]
    assert texts(session, "assistant") == ["I add"]
    assert texts(session, "note") == ["Request cancelled."]
    assert [found.kind for found in session.diagnostics] == ["unknown"] * session.counts.unknown
    assert session.counts.messages == 4
    assert session.blocks[0].started == datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert [call.status_note for call in calls(session)][-1] == "executing"


def test_a_message_written_again_replaces_the_one_before() -> None:
    session = read(SHAPES["lines"])
    assert (session.counts.duplicates, session.counts.unknown, session.counts.records) == (1, 1, len(LINES))
    assert session.read_raw(calls(session)[0].place) == FIRST
    assert calls(session)[0].place == Place(6, SHAPES["lines"].index(FIRST), len(FIRST))


def test_what_was_taken_back_is_kept_and_labelled() -> None:
    lines = [*LINES, '{"$rewindTo":"m3"}', user("m3", "only one"), model("m4", "", BOTH[0])]
    first, gone, last = read("\n".join(lines)).blocks
    assert [(block.prompt, block.label, len(block.calls)) for block in (first, gone, last)] == [
        ("hello", "", 2),
        ("and now both", "rewound", 3),
        ("only one", "", 1),
    ]


def test_an_answer_that_was_taken_back_stands_beside_the_one_that_counts() -> None:
    lines = [*LINES, '{"$rewindTo":"m4"}', model("m5", "Now", BOTH[1])]
    _, block, gone = read("\n".join(lines)).blocks
    assert (block.prompt, [made.id for made in block.calls]) == ("and now both", ["c4"])
    assert (gone.prompt, gone.label, [made.id for made in gone.calls]) == ("", "rewound", ["c3", "c4", "c5"])


@pytest.mark.parametrize("change", ['{"$rewindTo":"nobody"}', '{"$set":{"messages":[]}}'])
def test_all_can_be_taken_back(change: str) -> None:
    session = read("\n".join([*LINES, change]))
    assert [block.label for block in session.blocks] == ["rewound", "rewound"]
    assert session.counts.messages == 0


def test_a_rebuilt_session_keeps_what_is_not_in_it_any_more() -> None:
    session = read("\n".join([*LINES, f'{{"$set":{{"messages":[{user("m9", "summary")},{MESSAGES[3]}]}}}}']))
    assert [(block.prompt, block.label) for block in session.blocks] == [
        ("hello", "rewound"),
        ("summary", ""),
        ("and now both", ""),
    ]


@pytest.mark.parametrize(
    ("name", "display", "server", "tool", "mcp", "inferred"),
    [
        ("mcp_a_b_c", "b_c (a MCP Server)", "a", "b_c", True, False),
        ("get", "get (my srv MCP Server)", "my srv", "get", True, False),
        ("mcp_my_srv_get", "Get", "my srv", "get", True, False),
        ("mcp_x_y_z", "", "x", "y_z", True, True),
        ("old__get", "", "old", "get", True, True),
        ("run_shell_command", "Shell", None, "run_shell_command", False, False),
    ],
)
def test_names(name: str, display: str, server: str | None, tool: str, mcp: bool, inferred: bool) -> None:
    def named(one: str, shown: str) -> str:
        return call("i", "t", "{}", '{"output":""}', more=f',"displayName":"{shown}"').replace("mcp_demo_t", one)

    session = read(
        "\n".join((LINES[0], model("m", "", named("mcp_my_srv_x", "x (my srv MCP Server)"), named(name, display))))
    )
    made = calls(session)[1]
    assert (made.name, made.server, made.tool, made.mcp, made.inferred) == (name, server, tool, mcp, inferred)


def test_a_result_may_hold_more_than_text() -> None:
    parts = '[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"text":"see"}]'
    made = call("c", "add", "{}", '{"output":"drawn"}').replace('"result":[', f'"result":[{parts[1:-1]},')
    (one,) = calls(read("\n".join((LINES[0], model("m", "", made)))))
    assert one.result is not None
    assert [(block.kind, block.text, block.note) for block in one.result.content] == [
        ("image", "", "image/png, 8 B"),
        ("text", "see", ""),
        ("text", "drawn", ""),
    ]


@pytest.mark.parametrize(
    ("status", "said", "wanted"),
    [
        ("cancelled", '{"error":"no"}', Status.CANCELLED),
        ("success", '{"error":"no"}', Status.TOOL_ERROR),
        ("awaiting_approval", None, Status.NO_RESULT),
    ],
)
def test_how_a_call_ended(status: str, said: str | None, wanted: Status) -> None:
    (one,) = calls(read("\n".join((LINES[0], model("m", "", call("c", "add", "{}", said, status))))))
    assert one.status is wanted


def test_a_document_that_is_cut_keeps_what_stands_before() -> None:
    data = SHAPES["document"].encode()
    assert len(whole_until(data, data.index(b'"m3"')) or ()) == 2
    session = read(data[: data.index(b'"m3"')])
    assert [found.kind for found in session.diagnostics] == ["truncated_tail"]


def test_a_cut_last_line_is_told() -> None:
    session = read("\n".join(LINES) + "\n" + user("m5", "cut")[:-9])
    assert told(session) == TOLD
    assert [(found.kind, found.place.line) for found in session.diagnostics] == [
        ("truncated_tail", len(LINES) + 1),
        ("unknown", 5),
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_that_is_harmed_ends_in_a_failure(shape: str) -> None:
    assert sum(map(survives, harmed(SHAPES[shape].encode()))) > 10


def test_lines_beside_a_harmed_one_are_read_whole() -> None:
    lines = [line.encode() for line in LINES]
    for some in harmed(lines[7]):
        data = b"\n".join([*lines[:7], some.replace(b"\n", b""), *lines[8:]])
        assert {one.id for one in calls(read(data))} >= {"c1", "c2", "c3", "c4", "c5"}
