"""Logs of the Chat Completions API, and of servers that copy it loosely."""

from __future__ import annotations

import json

import pytest

from blockview.core.model import Provenance, Status, ToolSpec
from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, texts, told

SCHEMA = '{"type":"object","properties":{"n":{"type":"integer"}}}'
TOOLS = f'"tools":[{{"type":"function","function":{{"name":"mcp__demo__add","parameters":{SCHEMA}}}}}]'


def call(identity: str, name: str, arguments: str) -> str:
    return f'{{"id":"{identity}","type":"function","function":{{"name":"{name}","arguments":{json.dumps(arguments)}}}}}'


def asks(*listed: str, text: str = "null") -> str:
    return f'{{"role":"assistant","content":{text},"tool_calls":[{",".join(listed)}]}}'


def answer(identity: str, text: str) -> str:
    return f'{{"role":"tool","tool_call_id":"{identity}","content":"{text}"}}'


FIRST = (call("c1", "mcp__demo__add", BIG), call("c2", "mcp__demo__fail", '{"e":1e3}'))
BOTH = (
    call("c3", "mcp__demo__one", "{}"),
    call("c4", "mcp__demo__two", '{"k":[1.10,-0]}'),
    call("c5", "mcp__demo__lost", '{"q":null}'),
)
MESSAGES = (
    '{"role":"system","content":"Be brief."}',
    '{"role":"user","content":[{"type":"text","text":"hello"}]}',
    asks(*FIRST, text='"I add"')[:-1] + ',"reasoning_content":"hm"}',
    answer("c2", "boom"),
    answer("c1", "6.50"),
    '{"role":"assistant","content":"Done"}',
    '{"role":"user","content":"and now both"}',
    asks(*BOTH),
    answer("c4", "9007199254740993"),
    answer("c3", "first"),
)
EXPECTED = [
    (prompt, [(*listed[:3], "ok" if listed[3] == "tool-error" else listed[3], listed[4]) for listed in block])
    for prompt, block in TOLD
]
"""Nothing in this API says that a tool failed."""


def request(count: int) -> str:
    return f'{{"model":"m",{TOOLS},"messages":[{",".join(MESSAGES[:count])}]}}'


def response(at: int) -> str:
    choice = f'{{"index":0,"finish_reason":"tool_calls","message":{MESSAGES[at]}}}'
    return f'{{"id":"chatcmpl-{at}","object":"chat.completion","choices":[{choice}]}}'


def chunk(delta: str, finish: str = "null", identity: str = "x") -> str:
    choice = f'{{"index":0,"delta":{delta},"finish_reason":{finish}}}'
    return f'data: {{"id":"{identity}","object":"chat.completion.chunk","choices":[{choice}]}}\n\n'


def pieces(index: int | None, identity: str, name: str, *arguments: str) -> list[str]:
    """The chunks of a call: id and name in the first, arguments in the others."""
    at = "" if index is None else f'"index":{index},'
    first = f'{{"tool_calls":[{{{at}"id":"{identity}","function":{{"name":"{name}","arguments":""}}}}]}}'
    others = [f'{{"tool_calls":[{{{at}"function":{{"arguments":{json.dumps(one)}}}}}]}}' for one in arguments]
    return [first, *others]


STREAM = "".join(
    [
        chunk('{"role":"assistant","content":""}'),
        chunk('{"reasoning_content":"hm"}'),
        chunk('{"content":"I "}'),
        chunk('{"content":"add"}'),
        *map(chunk, pieces(0, "c1", "mcp__demo__add", *(BIG[at : at + 9] for at in range(0, len(BIG), 9)))),
        *map(chunk, pieces(1, "c2", "mcp__demo__fail", '{"e":', "1e3}")),
        chunk("{}", '"tool_calls"'),
        'data: {"choices":[],"usage":{}}\n\n',
        "data: [DONE]\n\n",
    ]
)
PAIRS = "\n".join(
    (request(2), response(2), request(5), response(5), request(7), response(7), '{"ping":1}', request(10))
)
SHAPES = {
    "pairs": PAIRS,
    "a stream among them": "\n".join((request(2), json.dumps({"out": STREAM}), request(7), response(7), request(10))),
    "a line of training data": f'{{"messages":[{",".join(MESSAGES)}]}}',
    "messages in lines": "\n".join(MESSAGES),
    "over lines": request(10).replace('{"role"', '\n{"role"').replace('{"model"', '{\n"model"'),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_tells_the_same(shape: str) -> None:
    session = read(SHAPES[shape])
    assert session.format == "openai-chat"
    assert told(session) == EXPECTED
    assert (texts(session, "thinking"), texts(session, "assistant")) == (["hm"], ["I add", "Done"])
    assert [found.kind for found in session.diagnostics] == ["unknown"] * session.counts.unknown
    assert {one.provenance for one in calls(session)} == {Provenance.MODEL}


def test_what_is_around_the_messages() -> None:
    session = read(PAIRS)
    assert (session.id, session.title) == ("chatcmpl-2", "hello")
    assert (session.counts.records, session.counts.messages, session.counts.unknown) == (8, 9, 1)
    assert session.tools == (ToolSpec("demo", "add", SCHEMA, 1),)
    assert session.read_raw(calls(session)[0].place) == MESSAGES[2]


def test_a_stream_alone() -> None:
    session = read(STREAM)
    assert [(one.id, one.tool, one.arguments) for one in calls(session)] == [
        ("c1", "add", BIG),
        ("c2", "fail", '{"e":1e3}'),
    ]
    assert texts(session, "note") == []


def test_a_cut_stream_keeps_what_came_and_says_so() -> None:
    session = read(STREAM[: STREAM.index("1e3}")])
    assert (calls(session)[1].arguments, calls(session)[1].status) == ('{"e":', Status.NO_RESULT)
    assert calls(session)[1].status_note == "the arguments are cut off: the recorded stream ends"
    assert texts(session, "note") == ["the recorded stream ends before the message does"]
    assert [found.kind for found in session.diagnostics] == ["truncated_tail"]


@pytest.mark.parametrize("index", [0, None])
def test_servers_that_count_calls_wrongly(index: int | None) -> None:
    chunks = [*pieces(index, "a", "x__y", '{"n":', "1.0}"), *pieces(index, "b", "x__z", "{}")]
    session = read("".join(chunk(one, identity=str(at)) for at, one in enumerate(chunks)) + chunk("{}", '"stop"'))
    assert [(one.id, one.server, one.tool, one.arguments) for one in calls(session)] == [
        ("a", "x", "y", '{"n":1.0}'),
        ("b", "x", "z", "{}"),
    ]


@pytest.mark.parametrize("identity", ["", "call_0"])
def test_ids_that_are_empty_or_come_again(identity: str) -> None:
    lines = [
        '{"role":"user","content":"p"}',
        asks(call(identity, "a", '{"n":1}'), call(identity, "b", '{"n":2}')),
        answer(identity, "first"),
        answer(identity, "second"),
        asks(call(identity, "a", '{"n":1}')),
        answer(identity, "third"),
    ]
    session = read("\n".join(lines))
    made = calls(session)
    assert [(one.name, one.result and one.result.text) for one in made] == [
        ("a", "first"),
        ("b", "second"),
        ("a", "third"),
    ]
    assert len({one.id for one in made}) == 3
    assert session.blocks[0].calls == tuple(made), "read again, it is the same"


def test_arguments_as_an_object_and_none_at_all() -> None:
    one = f'{{"id":"a","function":{{"name":"f","arguments":{BIG}}}}}'
    other = '{"id":"b","function":{"name":"mcp_srv_get_it"}}'
    third = call("c", "g", "not {json")
    session = read(asks(one, other, third))
    assert [(made.arguments, made.mcp) for made in calls(session)] == [(BIG, False), (None, True), ("not {json", False)]
    assert [(made.server, made.tool, made.inferred) for made in calls(session)][1] == ("srv", "get_it", True)


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_that_is_harmed_ends_in_a_failure(shape: str) -> None:
    assert sum(map(survives, harmed(SHAPES[shape].encode()))) > 10


def test_lines_beside_a_harmed_one_are_read_whole() -> None:
    lines = SHAPES["messages in lines"].encode().split(b"\n")
    for some in harmed(lines[5]):
        data = b"\n".join([*lines[:5], some.replace(b"\n", b""), *lines[6:]])
        assert [one.arguments for one in calls(read(data)) if one.id[:1] == "c"][:2] == [BIG, '{"e":1e3}']
