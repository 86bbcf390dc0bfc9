"""Chat sessions of VS Code: one document, or a log of the changes that were made to one."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from blockview.core.model import Session
from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, texts, told, whole_until

SOURCE = '{"type":"mcp","label":"demo","collectionId":"c","definitionId":"d"}'


def part(identity: str, tool: str, arguments: str, more: str = "", source: str = SOURCE) -> str:
    """A call as the response has it, with the arguments as they ran."""
    details = f'"resultDetails":{{"input":{json.dumps(arguments)}{more}}}'
    return (
        f'{{"kind":"toolInvocationSerialized","toolId":"mcp_demo_{tool}","toolCallId":"{identity}","isConfirmed":{{"type":4}},'
        f'"isComplete":true,"source":{source},{details}}}'
    )


def output(text: str, more: str = "") -> str:
    return f',"output":[{{"type":"embed","value":{json.dumps(text)},"isText":true}}]{more}'


def asked(identity: str, name: str, arguments: str) -> str:
    return f'{{"id":"{identity}","name":"{name}","arguments":{json.dumps(arguments)}}}'


def result(*rounds: str, results: str = "{}", more: str = "") -> str:
    return (
        f'{{"metadata":{{"toolCallRounds":[{{"toolCalls":[{",".join(rounds)}]}}],"toolCallResults":{results}}}{more}}}'
    )


def request(text: str, *parts: str, told: str = "{}", more: str = "") -> str:
    prompt = f'"requestId":"r","timestamp":1700000000000,"message":{{"text":{json.dumps(text)},"parts":[]}}'
    return f'{{{prompt},"response":[{",".join(parts)}],"result":{told}{more}}}'


PARTS = (
    '{"kind":"thinking","value":"hm"}',
    '{"value":"I add "}',
    '{"kind":"inlineReference","name":"a.py","inlineReference":{}}',
    '{"value":" now"}',
    part("c1__vscode-7", "add", BIG, output("6.50")),
    '{"kind":"hologram"}',
    part("c2", "fail", '{"e":1e3}', output("boom", ',"isError":true')),
)
RESULT = result(asked("c1", "mcp_demo_add", BIG), asked("c2", "mcp_demo_fail", '{"e":1e3}'))
FIRST = request("hello", *PARTS, told=RESULT)
LOST = part("c5", "lost", '{"q":null}').replace('"isComplete":true', '"isComplete":false')
SECOND = request(
    "and now both",
    part("c3", "one", "{}", output("first")),
    part("c4", "two", '{"k":[1.10,-0]}', output("9007199254740993")),
    LOST,
)


def session(*requests: str, between: str = "") -> str:
    head = f'{{"version":3,{between}"responderUsername":"x","sessionId":"s-1","creationDate":1,"customTitle":"A title"'
    return f'{head},"requests":[{f",{between}".join(requests)}]{between}}}'


def log(*changes: str) -> str:
    return "".join(change + "\n" for change in changes)


def initial(*requests: str) -> str:
    return f'{{"kind":0,"v":{session(*requests)}}}'


LOG = log(
    initial(request("hello", told="null")),
    '{"kind":2,"k":["requests",0,"response"],"v":[{"value":"to be replaced"}]}',
    f'{{"kind":2,"k":["requests",0,"response"],"v":[{",".join(PARTS)}],"i":0}}',
    f'{{"kind":1,"k":["requests",0,"result"],"v":{RESULT}}}',
    f'{{"kind":2,"k":["requests"],"v":[{SECOND},{request("not kept")}]}}',
    '{"kind":1,"k":["requests",1,"response",0,"isComplete"],"v":true}',
    '{"kind":3,"k":["requests",2]}',
)
"""The same session, as the log of changes that made it."""


@pytest.fixture(params=["document", "document in lines", "log"])
def opened(request: pytest.FixtureRequest) -> Session:
    match request.param:
        case "log":
            return read(LOG)
        case "document":
            return read(session(FIRST, SECOND))
    return read(session(FIRST, SECOND, between="\n"))


def test_document_and_log_tell_the_same(opened: Session) -> None:
    assert told(opened) == TOLD
    assert (opened.id, opened.title) == ("s-1", "A title")
    assert [problem.kind for problem in opened.diagnostics] == ["unknown"]
    assert (opened.counts.calls, opened.counts.unknown) == (5, 1)
    assert (texts(opened, "thinking"), texts(opened, "assistant")) == (["hm"], ["I add `a.py` now"])
    assert texts(opened, "note") == []
    first, *_, lost = calls(opened)
    assert (first.id, first.mcp, first.inferred, first.provenance) == ("c1", True, False, "host")
    assert lost.status_note == "the call was not complete"
    assert opened.blocks[0].started == datetime.fromtimestamp(1_700_000_000, UTC)
    assert opened.read_raw(first.place) == part("c1__vscode-7", "add", BIG, output("6.50"))


def call_of(text: str) -> list[tuple[str, str]]:
    return [(call.status, call.result.text if call.result else "") for call in calls(read(session(request("x", text))))]


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        (part("c", "add", "{}", ',"output":"old"'), ("ok", "old")),
        (part("c", "add", "{}", ',"output":[{"type":"text","value":"older"}]'), ("ok", "older")),
        (part("c", "add", "{}", output("x")).replace('{"type":4}', '{"type":0}'), ("rejected", "")),
        (part("c", "add", "{}", output("x")).replace('{"type":4}', "false"), ("rejected", "")),
        (part("c", "add", "{}", output("x")).replace('{"type":4}', '{"type":5}'), ("rejected", "")),
        (part("c", "add", "{}", output("x")).replace('{"type":4}', "true"), ("ok", "x")),
        (part("c", "add", "{}"), ("no-result", "")),
        (
            part(
                "c", "add", "{}", output("x", ',"mcpOutput":{"content":[{"type":"text","text":"raw"}],"isError":true}')
            ),
            ("tool-error", "raw"),
        ),
    ],
)
def test_how_calls_end(text: str, ended: tuple[str, str]) -> None:
    assert call_of(text) == [ended]


def test_what_is_not_text_is_noted() -> None:
    picture = '{"type":"embed","value":"iVBORw0KGgo=","isText":false,"mimeType":"image/png"}'
    outputs = f',"output":[{picture},{{"type":"ref","uri":"x:y"}}]'
    (call,) = calls(read(session(request("x", part("c", "add", "{}", outputs)))))
    assert call.result is not None
    assert [(block.kind, block.note) for block in call.result.content] == [
        ("image", "image/png, 8 B"),
        ("resource_link", "x:y"),
    ]


def test_what_the_model_wrote_and_what_was_edited_stand_beside_what_ran() -> None:
    ran = part("c1", "add", '{"n":6}', output("x"))[:-1] + ',"toolSpecificData":{"kind":"input","rawInput":{"n":6.0}}}'
    opened = read(session(request("x", ran, told=result(asked("c1", "mcp_demo_add", '{"n":5}')))))
    (call,) = calls(opened)
    assert (call.arguments, call.provenance) == ('{"n":6}', "host")
    assert texts(opened, "note") == [
        'mcp_demo_add as the host has it: {"n":6.0}',
        'the model asked mcp_demo_add for: {"n":5}',
    ]


def test_a_call_that_only_the_model_tells_of_is_shown() -> None:
    results = '{"c1":{"content":[{"value":"text"},{"value":{"node":1}}]}}'
    opened = read(session(request("x", told=result(asked("c1", "mcp_demo_add", '{"n":5.0}'), results=results))))
    (call,) = calls(opened)
    assert (call.server, call.tool, call.inferred, call.provenance) == ("demo", "add", True, "model")
    assert call.result is not None
    assert (call.arguments, call.result.text) == ('{"n":5.0}', "text\n[prompt-tsx block]")


@pytest.mark.parametrize(
    ("tool", "source", "expected"),
    [
        ("mcp_my_server_get_x", '{"type":"mcp","label":"My Server"}', ("My Server", "get_x", True, False)),
        (
            "mcp_my_ser_get_x",
            '{"type":"mcp","label":"My Server Of Old"}',
            ("My Server Of Old", "get_x", True, False),
        ),
        ("mcp_other_get_x", '{"type":"mcp","label":"demo"}', ("demo", "mcp_other_get_x", True, True)),
        ("copilot_readFile", '{"type":"internal"}', (None, "copilot_readFile", False, False)),
        ("mcp_demo_add", "null", ("demo", "add", True, True)),
    ],
)
def test_names(tool: str, source: str, expected: tuple[str | None, str, bool, bool]) -> None:
    text = part("c", "add", "{}", source=source).replace("mcp_demo_add", tool)
    (call,) = calls(read(session(request("x", text))))
    assert (call.server, call.tool, call.mcp, call.inferred) == expected


def test_errors_and_undone_requests_are_told() -> None:
    failed = request("x", told='{"errorDetails":{"message":"quota"}}', more=',"shouldBeRemovedOnSend":true')
    opened = read(session(failed))
    assert opened.blocks[0].label == "undone"
    assert texts(opened, "note") == ["the answer ended with an error: quota"]


@pytest.mark.parametrize(
    "change",
    [
        '{"kind":1,"k":["requests",7,"x"],"v":1}',
        '{"kind":1,"k":["requests","x"],"v":1}',
        '{"kind":1,"k":[],"v":1}',
        '{"kind":2,"k":["sessionId"],"v":[1]}',
        '{"kind":2,"k":["requests"],"v":7}',
        '{"kind":1,"k":["requests",null,0],"v":1}',
        '{"kind":1,"k":["requests",0.0],"v":1}',
        '{"kind":3,"k":["requests",-1]}',
        '{"kind":9,"k":["requests"]}',
        '{"kind":1,"k":null}',
        '{"kind":1,"k":[' + '"requests",' * 100 + '"x"],"v":1}',
    ],
)
def test_a_change_of_what_is_not_there_is_reported(change: str) -> None:
    opened = read(log(initial(FIRST), change, f'{{"kind":2,"k":["requests"],"v":[{SECOND}]}}'))
    assert told(opened) == TOLD
    assert [problem.place.line for problem in opened.diagnostics] == [2, 1]


def test_a_log_without_a_beginning_has_no_blocks() -> None:
    opened = read('{"kind":1,"k":["customTitle"],"v":"x"}\n')
    assert (opened.format, len(opened.blocks), len(opened.diagnostics)) == ("vscode-chat-log", 0, 1)


def test_a_cut_document_tells_what_stands_before_the_cut() -> None:
    whole = session(FIRST, SECOND).encode()
    ends = [call.place.byte + call.place.length for call in calls(read(whole))]
    for cut in range(200, len(whole), 7):
        found = whole_until(whole, cut)
        assert found is not None
        assert len(found) >= sum(end <= cut for end in ends)


def test_a_cut_log_tells_what_was_there_before() -> None:
    whole = LOG.encode()
    opened = read(whole[: whole.rindex(b'{"kind":3')] + b'{"kind":3,"k":["requ')
    assert [block.prompt for block in opened.blocks] == ["hello", "and now both", "not kept"]
    assert [problem.kind for problem in opened.diagnostics] == ["truncated_tail", "unknown"]


@pytest.mark.parametrize("data", [session(FIRST, SECOND), LOG])
def test_harmed_recordings_survive(data: str) -> None:
    assert sum(map(survives, harmed(data.encode()))) > 40
