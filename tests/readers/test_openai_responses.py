"""Logs of OpenAI's Responses API, and the run states of its Agents SDK."""

from __future__ import annotations

import json

import pytest

from blockview.core.model import Provenance, Status, ToolSpec
from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, texts, told

SCHEMA = '{"type":"object","properties":{"n":{"type":"integer"}}}'
LIST = (
    '{"type":"mcp_list_tools","id":"l1","server_label":"demo",'
    f'"tools":[{{"name":"add","input_schema":{SCHEMA}}},{{"name":"one","input_schema":{{}}}}]}}'
)


def mcp_call(
    identity: str, tool: str, arguments: str, output: str = "null", error: str = "null", more: str = ""
) -> str:
    return (
        f'{{"type":"mcp_call","id":"{identity}","server_label":"demo","name":"{tool}",'
        f'"arguments":{json.dumps(arguments)},"output":{output},"error":{error}{more}}}'
    )


FAILED = '{"type":"mcp_tool_execution_error","content":[{"type":"text","text":"boom"}]}'
PROMPT = '{"role":"user","content":[{"type":"input_text","text":"hello"}]}'
FIRST = (
    LIST,
    '{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hm"}]}',
    '{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"I add"}]}',
    mcp_call("mcp_1", "add", BIG, '"6.50"'),
    mcp_call("mcp_2", "fail", '{"e":1e3}', error=FAILED),
)
SECOND = (
    mcp_call("mcp_3", "one", "{}", '"first"'),
    mcp_call("mcp_4", "two", '{"k":[1.10,-0]}', '"9007199254740993"'),
    mcp_call("mcp_5", "lost", '{"q":null}', more=',"status":"in_progress"'),
)
NEXT = '{"type":"message","role":"user","content":"and now both"}'


def response(identity: str, items: tuple[str, ...]) -> str:
    return f'{{"id":"{identity}","object":"response","created_at":1,"output":[{",".join(items)}],"tools":[]}}'


def request(*items: str, more: str = "") -> str:
    tools = '"tools":[{"type":"mcp","server_label":"demo","server_url":"http://localhost/"}]'
    return f'{{"model":"m",{tools}{more},"input":[{",".join(items)}]}}'


def event(kind: str, **members: str) -> str:
    inner = "".join(f',"{name}":{value}' for name, value in members.items())
    return f'event: {kind}\ndata: {{"type":"{kind}"{inner}}}\n\n'


def stream(items: tuple[str, ...]) -> str:
    """A response as a stream of whole items."""
    done = (event("response.output_item.done", output_index=str(at), item=item) for at, item in enumerate(items))
    return event("response.created", response="{}") + "".join(done) + event("response.completed", response="{}")


SHAPES = {
    "whole history": "\n".join(
        (
            request(PROMPT),
            response("resp_1", FIRST),
            request(PROMPT, *FIRST, NEXT),
            response("resp_2", SECOND),
            '{"ping":1}',
        )
    ),
    "by the response before": "\n".join(
        (
            '{"model":"m","instructions":"Be brief.","input":"hello"}',
            response("resp_1", FIRST),
            request(NEXT, more=',"previous_response_id":"resp_1"'),
            response("resp_2", SECOND),
            '{"ping":1}',
        )
    ),
    "streams": "\n".join(
        (
            request(PROMPT),
            json.dumps({"body": stream(FIRST)}),
            request(NEXT, more=',"previous_response_id":"resp_1"'),
            json.dumps({"body": stream(SECOND)}),
            '{"ping":1}',
        )
    ),
    "items in lines": "\n".join((PROMPT, *FIRST, NEXT, *SECOND, '{"ping":1}')),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_tells_the_same(shape: str) -> None:
    session = read(SHAPES[shape])
    assert session.format == "openai-responses"
    assert told(session) == TOLD
    assert (texts(session, "thinking"), texts(session, "assistant")) == (["hm"], ["I add"])
    assert [found.kind for found in session.diagnostics] == ["unknown"]
    assert session.counts.unknown == 1
    assert [(tool.server, tool.name, tool.schema) for tool in session.tools] == [
        ("demo", "add", SCHEMA),
        ("demo", "one", "{}"),
    ]
    assert {(one.provenance, one.inferred, one.mcp) for one in calls(session)} == {(Provenance.HOST, False, True)}


def test_functions_are_asked_for_and_answered_apart() -> None:
    tools = (
        f'"tools":[{{"type":"function","name":"mcp__demo__add","parameters":{SCHEMA}}},'
        '{"type":"namespace","name":"crm","tools":[{"type":"function","name":"find","parameters":{}}]}]'
    )
    made = f'{{"type":"function_call","call_id":"c1","name":"mcp__demo__add","arguments":{json.dumps(BIG)}}}'
    other = '{"type":"function_call","call_id":"c2","namespace":"crm","name":"find","arguments":"{}"}'
    custom = '{"type":"custom_tool_call","call_id":"c3","name":"patch","input":"*** Begin"}'
    outputs = (
        '{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"two"}]}',
        '{"type":"function_call_output","call_id":"c1","output":"one"}',
        '{"type":"custom_tool_call_output","call_id":"c3","output":"ok"}',
    )
    log = f'{{"model":"m",{tools},"input":[{",".join((PROMPT, made, other, custom, *outputs))}]}}'
    session = read(log)
    assert [
        (one.server, one.tool, one.mcp, one.arguments, one.result and one.result.text) for one in calls(session)
    ] == [
        ("demo", "add", True, BIG, "one"),
        ("crm", "find", False, "{}", "two"),
        (None, "patch", False, "*** Begin", "ok"),
    ]
    assert calls(session)[0].provenance == Provenance.MODEL
    assert session.tools == (ToolSpec("demo", "add", SCHEMA, 1), ToolSpec("crm", "find", "{}", 1))


ASKED = f'{{"type":"mcp_approval_request","id":"a1","server_label":"demo","name":"add","arguments":{json.dumps(BIG)}}}'


def decided(approve: str) -> str:
    return f'{{"type":"mcp_approval_response","approval_request_id":"a1","approve":{approve},"reason":"too big"}}'


def test_an_approved_call_and_its_request_are_one() -> None:
    made = mcp_call("mcp_9", "add", BIG.replace("5.0", "5"), '"11"', more=',"approval_request_id":"a1"')
    session = read("\n".join((PROMPT, ASKED, decided("true"), made)))
    (one,) = calls(session)
    assert (one.arguments, one.status, one.result and one.result.text) == (BIG.replace("5.0", "5"), Status.OK, "11")
    assert texts(session, "note") == [f"the model asked add for: {BIG}"]


def test_a_call_that_was_not_allowed() -> None:
    (one,) = calls(read("\n".join((PROMPT, ASKED, decided("false")))))
    assert (one.arguments, one.status, one.status_note) == (BIG, Status.REJECTED, "rejected: too big")


@pytest.mark.parametrize(
    ("error", "status", "note", "text"),
    [
        ('"no such thing"', Status.TOOL_ERROR, "", "no such thing"),
        (FAILED, Status.TOOL_ERROR, "", "boom"),
        (
            '{"type":"mcp_protocol_error","code":-32602,"message":"bad"}',
            Status.PROTOCOL_ERROR,
            "code -32602: bad",
            "bad",
        ),
        ('{"type":"http_error","code":502,"message":"gone"}', Status.PROTOCOL_ERROR, "code 502: gone", "gone"),
    ],
)
def test_errors_of_old_and_new_responses(error: str, status: Status, note: str, text: str) -> None:
    (one,) = calls(read(mcp_call("m", "add", BIG, error=error)))
    assert (one.status, one.status_note) == (status, note)
    assert one.result is not None
    assert (one.result.text, one.result.is_error) == (text, True)


ADDED = mcp_call("mcp_1", "add", "", more=',"status":"in_progress"')
DELTAS = [
    event("response.mcp_call_arguments.delta", output_index="0", delta=json.dumps(BIG[at : at + 10]))
    for at in range(0, len(BIG), 10)
]


@pytest.mark.parametrize(
    "more",
    [
        [event("response.mcp_call_arguments.done", output_index="0", arguments=json.dumps(BIG))],
        [],
    ],
)
def test_pieces_of_arguments_are_joined(more: list[str]) -> None:
    start = event("response.created", response="{}") + event("response.output_item.added", output_index="0", item=ADDED)
    session = read(start + "".join(DELTAS + more))
    (one,) = calls(session)
    assert (one.arguments, one.status) == (BIG, Status.NO_RESULT)
    assert texts(session, "note") == ["the recorded stream ends before the message does"]


@pytest.mark.parametrize(
    ("end", "status", "note"),
    [
        ("", Status.NO_RESULT, "the arguments are cut off: the recorded stream ends"),
        (
            event("response.incomplete", response='{"incomplete_details":{"reason":"max_output_tokens"}}'),
            Status.NEVER_SENT,
            "the arguments are cut off: the model stopped (max_output_tokens)",
        ),
    ],
)
def test_cut_arguments_keep_what_came_and_say_so(end: str, status: Status, note: str) -> None:
    start = event("response.created", response="{}") + event("response.output_item.added", output_index="0", item=ADDED)
    session = read(start + DELTAS[0] + end)
    (one,) = calls(session)
    assert (one.arguments, one.status, one.status_note) == (BIG[:10], status, note)
    assert [found.kind for found in session.diagnostics] == ["truncated_tail"]


def test_a_run_state() -> None:
    items = [
        f'{{"type":"tool_call_item","raw_item":{item},"agent":{{"name":"a"}}}}' for item in (*FIRST, NEXT, *SECOND)
    ]
    told_so_far = f'"original_input":"hello","generated_items":[{",".join(items)}]'
    state = f'{{"$schemaVersion":"1.4",{told_so_far},"model_responses":[]}}'
    for text in (state, state.replace('"original_input"', '\n"original_input"').replace("{", "{\n", 1)):
        session = read(text)
        assert session.format == "openai-agents"
        assert told(session) == TOLD


def test_the_providers_own_tools() -> None:
    item = '{"type":"web_search_call","id":"ws","status":"completed","action":{"type":"search","query":"q"}}'
    (one,) = calls(read("\n".join((PROMPT, item, mcp_call("m", "add", "{}")))))[:1]
    assert (one.name, one.arguments, one.mcp, one.status) == (
        "web_search",
        '{"type":"search","query":"q"}',
        False,
        Status.OK,
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_that_is_harmed_ends_in_a_failure(shape: str) -> None:
    assert sum(map(survives, harmed(SHAPES[shape].encode()))) > 50


def test_lines_beside_a_harmed_one_are_read_whole() -> None:
    lines = SHAPES["items in lines"].encode().split(b"\n")
    for some in harmed(lines[5]):
        data = b"\n".join([*lines[:5], some.replace(b"\n", b""), *lines[6:]])
        found = {one.id: one.arguments for one in calls(read(data))}
        assert found.items() >= {"mcp_1": BIG, "mcp_3": "{}", "mcp_4": '{"k":[1.10,-0]}'}.items()
