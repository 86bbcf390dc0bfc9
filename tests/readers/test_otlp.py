"""Traces of agents in OTLP/JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from blockview.core.model import Status, ToolSpec
from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, told, whole_until

SECOND = 1_000_000_000
BEGIN = 1_767_225_600 * SECOND


def text(value: str) -> str:
    return f'{{"stringValue":{json.dumps(value)}}}'


def span(
    identity: str, name: str, start: int, end: int, attributes: dict[str, str], parent: str = "", status: str = "{}"
) -> str:
    listed = ",".join(f'{{"key":"{key}","value":{value}}}' for key, value in attributes.items())
    times = f'"startTimeUnixNano":"{BEGIN + start * SECOND}","endTimeUnixNano":"{BEGIN + end * SECOND if end else 0}"'
    ids = f'"traceId":"0123456789abcdef","spanId":"{identity}","parentSpanId":"{parent}"'
    return f'{{{ids},"name":"{name}",{times},"attributes":[{listed}],"status":{status}}}'


def agent(identity: str, prompt: str, start: int) -> str:
    attributes = {
        "gen_ai.operation.name": text("invoke_agent"),
        "gen_ai.conversation.id": text("conv"),
        "gen_ai.input.messages": text(prompt),
    }
    return span(identity, "invoke_agent a", start, start + 9, attributes)


def tool(identity: str, name: str, arguments: str, said: str | None, start: int, parent: str, error: str = "") -> str:
    attributes = {
        "gen_ai.operation.name": text("execute_tool"),
        "gen_ai.tool.name": text(f"mcp__demo__{name}"),
        "gen_ai.tool.call.id": text(f"call_{identity}"),
        "mcp.server.name": text("demo"),
        "gen_ai.tool.call.arguments": text(arguments),
    }
    if said is not None:
        attributes["gen_ai.tool.call.result"] = text(said)
    if error:
        attributes["error.type"] = text(error)
    return span(identity, f"execute_tool {name}", start, start + 2 if said else 0, attributes, parent)


def traces(*spans: str) -> str:
    return f'{{"resourceSpans":[{{"resource":{{}},"scopeSpans":[{{"scope":{{}},"spans":[{",".join(spans)}]}}]}}]}}'


SPANS = (
    tool("s2", "fail", '{"e":1e3}', "boom", 2, "a1", "tool_error"),
    tool("s1", "add", BIG, "6.50", 1, "a1"),
    agent("a1", "hello", 1),
    tool("s4", "two", '{"k":[1.10,-0]}', "9007199254740993", 12, "h1"),
    tool("s3", "one", "{}", "first", 11, "a2"),
    span("h1", "POST /", 11, 12, {}, "a2"),
    tool("s5", "lost", '{"q":null}', None, 13, "a2"),
    agent("a2", "and now both", 10),
)
SHAPES = {
    "a span a line": "\n".join((*map(traces, SPANS), '{"resourceMetrics":[]}')),
    "all on a line": traces(*SPANS),
    "document": traces(*SPANS).replace("{", "{\n", 1).replace(',{"traceId"', ',\n{"traceId"'),
    "an older name": traces(*SPANS).replace("scopeSpans", "instrumentationLibrarySpans"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_tells_the_same(shape: str) -> None:
    session = read(SHAPES[shape])
    assert (session.format, session.id, session.title) == ("otlp-genai", "conv", "hello")
    assert told(session) == TOLD
    assert session.counts.unknown == (shape == "a span a line")
    assert [found.kind for found in session.diagnostics] == ["unknown"] * (shape == "a span a line")
    first = calls(session)[0]
    assert (first.id, first.mcp, first.inferred, first.duration_ms) == ("call_s1", True, False, 2000.0)
    assert first.started == datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert session.read_raw(first.place) == SPANS[1]
    assert session.blocks[0].label == "invoke_agent a"


def test_calls_without_an_agent_belong_to_their_trace() -> None:
    session = read(traces(SPANS[0], SPANS[1]))
    assert [(block.label, [call.tool for call in block.calls]) for block in session.blocks] == [
        ("trace 01234567", ["add", "fail"])
    ]


def test_an_attribute_with_parts_keeps_its_numbers() -> None:
    listed = (
        '{"kvlistValue":{"values":[{"key":"n","value":{"doubleValue":5.0}},{"key":"id","value":{"intValue":'
        '"1234567890123456789"}},{"key":"l","value":{"arrayValue":{"values":[{"boolValue":true},{"doubleValue":1e3},'
        '{"stringValue":"\\u00e9"},{}]}}}]}}'
    )
    one = tool("s", "add", "x", "", 1, "").replace(text("x"), listed)
    (call,) = calls(read(traces(one)))
    assert call.arguments == '{"n":5.0,"id":1234567890123456789,"l":[true,1e3,"\\u00e9",null]}'


def test_a_span_of_the_client_inside_one_of_the_call_is_the_same_call() -> None:
    outer = tool("s1", "add", BIG, "6.50", 1, "a1")
    inner = span("s9", "tools/call add", 1, 2, {"mcp.method.name": text("tools/call")}, "s1")
    (call,) = calls(read(traces(inner, outer, SPANS[2])))
    assert (call.id, call.arguments) == ("call_s1", BIG)


@pytest.mark.parametrize(
    ("attributes", "status", "wanted", "note"),
    [
        ({"error.type": text("tool_error")}, "{}", Status.TOOL_ERROR, "tool_error"),
        ({}, '{"code":2,"message":"bad"}', Status.TOOL_ERROR, "bad"),
        (
            {"error.type": text("-32602"), "rpc.response.status_code": text("-32602")},
            '{"code":"STATUS_CODE_ERROR"}',
            Status.PROTOCOL_ERROR,
            "code -32602",
        ),
        ({}, "{}", Status.OK, "the result is not recorded"),
    ],
)
def test_how_a_call_ended(attributes: dict[str, str], status: str, wanted: Status, note: str) -> None:
    told_by = {"mcp.method.name": text("tools/call"), "gen_ai.tool.name": text("add"), **attributes}
    (call,) = calls(read(traces(span("s", "tools/call add", 1, 2, told_by, status=status))))
    assert (call.status, call.status_note, call.mcp, call.server, call.arguments) == (wanted, note, True, None, None)


@pytest.mark.parametrize(
    "attributes",
    [
        {"openinference.span.kind": "TOOL", "tool.name": "add", "input.value": BIG, "output.value": "6.50"},
        {"ai.toolCall.name": "add", "ai.toolCall.args": BIG, "ai.toolCall.result": "6.50"},
    ],
)
def test_other_conventions(attributes: dict[str, str]) -> None:
    (call,) = calls(read(traces(span("s", "t", 1, 2, {key: text(value) for key, value in attributes.items()}))))
    assert (call.tool, call.arguments, call.result and call.result.text) == ("add", BIG, "6.50")


def test_definitions_of_tools() -> None:
    defined = text('[{"type":"function","name":"mcp__demo__add","parameters":{"n":1.0}},{"function":{"name":"x"}},7]')
    chat = span("c", "chat", 1, 2, {"gen_ai.tool.definitions": defined})
    session = read("\n".join((traces(chat), traces(chat), traces(SPANS[1]))))
    assert session.tools == (ToolSpec("demo", "add", '{"n":1.0}', 1), ToolSpec(None, "x", None, 1))


def test_a_document_that_is_cut_keeps_what_stands_before() -> None:
    data = SHAPES["document"].replace("{", '{"version":1,', 1).encode()
    assert [call[1] for call in whole_until(data, data.index(b'"s4"')) or ()] == ["add", "fail"]
    session = read(data[: data.index(b'"s4"')])
    assert [found.kind for found in session.diagnostics] == ["truncated_tail"]


def test_spans_that_are_their_own_parents() -> None:
    one = span("x", "n", 1, 2, {}, "y")
    other = tool("y", "add", BIG, "6.50", 1, "x")
    assert [call.arguments for call in calls(read(traces(one, other)))] == [BIG]


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_that_is_harmed_ends_in_a_failure(shape: str) -> None:
    assert sum(map(survives, harmed(SHAPES[shape].encode()))) > 10


def test_lines_beside_a_harmed_one_are_read_whole() -> None:
    lines = [traces(one).encode() for one in SPANS]
    for some in harmed(lines[3]):
        data = b"\n".join([*lines[:3], some.replace(b"\n", b""), *lines[4:]])
        found = {call.id: call.arguments for call in calls(read(data))}
        assert found.items() >= {"call_s1": BIG, "call_s2": '{"e":1e3}', "call_s3": "{}"}.items()
