"""What Warp's agent prints, and the YAML files of a conversation."""

from __future__ import annotations

import json

import pytest

from blockview.core.model import Provenance, Status
from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, texts, told

START = '{"type":"system","event_type":"conversation_started","conversation_id":"w1"}'


def call(name: str, arguments: str) -> str:
    return f'{{"type":"tool_call","tool":"call_mcp_tool","name":"{name}","input":{arguments}}}'


def result(text: str) -> str:
    content = f'{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}'
    return f'{{"type":"tool_result","tool":"call_mcp_tool","result":{content}}}'


LINES = (
    START,
    '{"type":"agent_reasoning","text":"hm"}',
    '{"type":"agent","text":"I add"}',
    call("add", BIG),
    result("6.50"),
    call("fail", '{"e":1e3}'),
    '{"type":"tool_error","error":"boom"}',
    '{"type":"hologram"}',
    call("one", "{}"),
    result("first"),
    call("two", '{"k":[1.10,-0]}'),
    result("9007199254740993"),
    call("lost", '{"q":null}'),
)


def test_a_run() -> None:
    session = read("\n".join(LINES))
    assert (session.format, session.id, session.counts.unknown) == ("warp-agent", "w1", 1)
    expected = [(None, *listed[1:]) for _, block in TOLD for listed in block]
    assert told(session) == [("", expected)]
    assert texts(session, "thinking") == ["hm"]
    assert texts(session, "assistant") == ["I add"]
    assert {one.provenance for one in calls(session)} == {Provenance.BEFORE_COERCION}
    assert session.read_raw(calls(session)[0].place) == LINES[3]


def test_calls_beside_each_other_are_paired_by_order_and_that_is_said() -> None:
    command = '{"type":"tool_call","tool":"run_command","command":"ls"}'
    ran = '{"type":"tool_result","tool":"run_command","status":"complete","exit_code":2,"output":"none"}'
    session = read("\n".join((START, call("one", "{}"), command, call("two", "{}"), ran, result("a"), result("b"))))
    assert [(one.tool, one.result and one.result.text, one.status_note) for one in calls(session)] == [
        ("one", "a", "the recorder writes no ids: paired by order"),
        ("run_command", "none", "exit code 2"),
        ("two", "b", ""),
    ]
    assert (calls(session)[1].arguments, calls(session)[1].mcp) == ('{"command":"ls"}', False)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ('{"type":"tool_canceled"}', Status.CANCELLED),
        ('{"type":"tool_error","error":"Command was not allowed to run due to presence on denylist"}', Status.DENIED),
        ('{"type":"tool_result","tool":"call_mcp_tool","result":{"content":[],"isError":true}}', Status.TOOL_ERROR),
    ],
)
def test_how_a_call_ended(line: str, status: Status) -> None:
    (one,) = calls(read("\n".join((START, call("add", "{}"), line))))
    assert one.status is status


def test_other_events_are_notes() -> None:
    lines = (
        START,
        '{"type":"system","event_type":"run_started","run_id":"r"}',
        '{"type":"artifact_created","artifact_type":"pull_request","branch":"b"}',
    )
    assert texts(read("\n".join(lines)), "note") == [
        'run started: {"run_id":"r"}',
        'artifact created: {"artifact_type":"pull_request","branch":"b"}',
    ]


def test_a_cut_last_line_is_told() -> None:
    session = read("\n".join(LINES) + "\n" + call("add", BIG)[:-5])
    assert len(calls(session)) == 5
    assert [(found.kind, found.place.line) for found in session.diagnostics] == [
        ("truncated_tail", len(LINES) + 1),
        ("unknown", 8),
    ]


def test_nothing_that_is_harmed_ends_in_a_failure() -> None:
    assert sum(map(survives, harmed("\n".join(LINES).encode()))) > 50
    assert sum(map(survives, harmed(YAML.encode()))) > 50


def test_lines_beside_a_harmed_one_are_read_whole() -> None:
    lines = [line.encode() for line in LINES]
    for some in harmed(lines[8]):
        data = b"\n".join([*lines[:8], some.replace(b"\n", b""), *lines[9:]])
        found = [one.arguments for one in calls(read(data))]
        assert [one for one in found if one in (BIG, '{"e":1e3}', '{"k":[1.10,-0]}', '{"q":null}')] == [
            BIG,
            '{"e":1e3}',
            '{"k":[1.10,-0]}',
            '{"q":null}',
        ]


def block(text: str, indent: str = "  ") -> str:
    return "".join(f"{indent}{line}\n" for line in text.split("\n"))


def yaml_call(identity: str, name: str, arguments: str) -> str:
    head = f"type: tool_call\ntool_name: call_mcp_tool\ntool_call_id: {identity}\nname: {name}\n"
    return head + "args: |\n" + block(arguments)


def yaml_result(identity: str, inner: str) -> str:
    return f"type: tool_call_result\ntool_name: call_mcp_tool\ntool_call_id: {identity}\n{inner}"


def yaml_text(text: str) -> str:
    return f"results:\n  - type: text\n    content: |\n{block(text, '      ')}"


PRETTY = '{\n  "n": 5.0,\n  "x": 1.50,\n  "id": 1234567890123456789\n}'
YAML = "---\n".join(
    (
        f"type: user_query\nquery: |\n{block('hello')}working_directory: /w\n",
        f"type: agent_reasoning\nreasoning: |\n{block('hm')}",
        f"type: agent_output\ntext: |\n{block('I add')}",
        yaml_call("c1", "add", PRETTY),
        yaml_call("c2", "fail", '{"e":1e3}'),
        yaml_result("c2", "error: boom: it is\n  not: YAML\n"),
        yaml_result("c1", yaml_text('{\n  "type: x": "6.50"\n}')),
        "type: user_query\nquery: |\n    two\n  \n  lines\n",
        yaml_call("7", "one", "{}"),
        yaml_result("7", "status: cancelled\n"),
    )
)


def test_yaml_keeps_every_character() -> None:
    session = read(YAML)
    assert session.format == "warp-yaml"
    assert [(one.prompt, len(one.calls)) for one in session.blocks] == [("hello", 2), ("  two\n\nlines", 1)]
    add, fail, one = calls(session)
    assert (add.arguments, add.provenance) == (PRETTY, Provenance.BEFORE_COERCION)
    assert add.result is not None
    assert add.result.text == '{\n  "type: x": "6.50"\n}'
    assert (fail.status, fail.result and fail.result.text) == (Status.TOOL_ERROR, "boom: it is\n  not: YAML")
    assert (one.id, one.status) == ("7", Status.CANCELLED)
    assert session.read_raw(add.place) == yaml_call("c1", "add", PRETTY)
    assert add.place.line == YAML[: YAML.index(yaml_call("c1", "add", PRETTY))].count("\n") + 1


def test_one_file_is_one_message() -> None:
    (one,) = calls(read(yaml_call("c1", "add", PRETTY).replace("\n", "\r\n")))
    assert (one.tool, one.arguments, one.status) == ("add", PRETTY, Status.NO_RESULT)


def test_what_the_recorder_cut_is_said() -> None:
    long = yaml_result("c1", yaml_text("x" * 4096))
    (one,) = calls(read(yaml_call("c1", "add", "{}") + "---\n" + long))
    assert one.status_note == "the recorder keeps no more than 4096 bytes of a text"


def test_another_tools_members_are_its_arguments() -> None:
    grep = 'type: tool_call\ntool_name: grep\ntool_call_id: g\nqueries:\n  - "a"\npath: /w\n'
    (one,) = calls(read(grep))
    assert (one.name, one.mcp, json.loads(one.arguments or "")) == ("grep", False, {"queries": '  - "a"', "path": "/w"})
