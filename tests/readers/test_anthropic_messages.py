"""Logs of Anthropic's Messages API, in the shapes in which they are kept."""

from __future__ import annotations

import json
from itertools import accumulate

import pytest

from blockview.core.model import Place, Provenance, Status, ToolSpec
from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, texts, told, whole_until

SCHEMA = '{"type":"object","properties":{"n":{"type":"integer"}}}'
TOOLS = f'"tools":[{{"name":"mcp__demo__add","input_schema":{SCHEMA}}},{{"type":"web_search_1","name":"web_search"}}]'


def use(call: str, tool: str, arguments: str) -> str:
    return f'{{"type":"tool_use","id":"{call}","name":"mcp__demo__{tool}","input":{arguments}}}'


def result(call: str, text: str, *, failed: str = "false") -> str:
    content = f'[{{"type":"text","text":"{text}"}}]'
    return f'{{"type":"tool_result","tool_use_id":"{call}","content":{content},"is_error":{failed}}}'


def message(role: str, *content: str) -> str:
    return f'{{"role":"{role}","content":[{",".join(content)}]}}'


def text(words: str) -> str:
    return f'{{"type":"text","text":"{words}"}}'


USES = (use("t1", "add", BIG), use("t2", "fail", '{"e":1e3}'))
BOTH = (use("t3", "one", "{}"), use("t4", "two", '{"k":[1.10,-0]}'), use("t5", "lost", '{"q":null}'))
THOUGHT = '{"type":"thinking","thinking":"hm","signature":"s"}'
MESSAGES = (
    '{"role":"user","content":"hello"}',
    message("assistant", THOUGHT, text("I add"), *USES),
    message("user", result("t2", "boom", failed="true"), result("t1", "6.50")),
    message("assistant", text("Done")),
    message("user", text("and now both")),
    message("assistant", *BOTH),
    message("user", result("t4", "9007199254740993"), result("t3", "first")),
)
NO_THOUGHT = message("assistant", text("I add "), *USES)
"""The way a client repeats an answer: without the thinking, and with other white space at its ends."""


def request(count: int) -> str:
    """The request that has so many messages."""
    told = (MESSAGES[0], NO_THOUGHT, *MESSAGES[2:])
    return f'{{"model":"m","max_tokens":9,"system":"Be brief.",{TOOLS},"messages":[{",".join(told[:count])}]}}'


def response(at: int) -> str:
    """The response that is the message with this index."""
    return f'{{"id":"msg_{at}","type":"message","stop_reason":"tool_use",{MESSAGES[at][1:]}'


def stream(at: int, *, pieces: int = 3, cut: int = 0, stop: str = "tool_use") -> str:
    """The response that is the message with this index as a stream, of which the last `cut` events are missing."""
    events = ['{"type":"message_start","message":{"id":"msg"}}', '{"type":"ping"}']
    for index, block in enumerate(json.loads(MESSAGES[at], parse_float=str, parse_int=str)["content"]):
        kind = {"text": "text_delta", "thinking": "thinking_delta", "tool_use": "input_json_delta"}[block["type"]]
        start = {
            **block,
            **{name: {} if name == "input" else "" for name in ("text", "thinking", "input") if name in block},
        }
        member, whole = {
            "text_delta": ("text", block.get("text")),
            "thinking_delta": ("thinking", block.get("thinking")),
            "input_json_delta": ("partial_json", ARGUMENTS.get(block.get("id", ""))),
        }[kind]
        events.append(json.dumps({"type": "content_block_start", "index": index, "content_block": start}))
        step = max(1, -(-len(whole or "") // pieces))
        for begin in range(0, len(whole or ""), step):
            delta = {"type": kind, member: (whole or "")[begin : begin + step]}
            events.append(json.dumps({"type": "content_block_delta", "index": index, "delta": delta}))
        events.append(json.dumps({"type": "content_block_stop", "index": index}))
    events += [f'{{"type":"message_delta","delta":{{"stop_reason":"{stop}"}}}}', '{"type":"message_stop"}']
    kept = events[: len(events) - cut]
    return "".join(f"event: {json.loads(event)['type']}\ndata: {event}\n\n" for event in kept)


ARGUMENTS = {"t1": BIG, "t2": '{"e":1e3}', "t3": "{}", "t4": '{"k":[1.10,-0]}', "t5": '{"q":null}'}
PAIRS = "\n".join(
    (
        f'{{"request":{{"body":{request(1)}}},"response":{{"body":{response(1)}}}}}',
        f'{{"response":{{"body":{response(3)}}},"request":{{"body":{request(3)}}}}}',
        request(5),
        response(5),
        '{"health":"good"}',
        f'{{"request":{{"body":{request(7)}}},"response":null}}',
    )
)
STREAMED = "\n".join(
    f'{{"request":{{"body":{json.dumps(request(at))}}},"response":{{"body_raw":{came}}}}}'
    for at, came in [*((at, json.dumps(stream(at))) for at in (1, 3, 5)), (7, "null")]
)
SHAPES = {
    "pairs": PAIRS,
    "texts and streams in strings": STREAMED,
    "one request": request(7),
    "one request over lines": request(7).replace('{"model"', '{\n"model"').replace(',{"role"', ',\n{"role"'),
    "an array of pairs": "[" + ",\n".join(line for line in PAIRS.split("\n") if "health" not in line) + "]",
    "messages": "[" + ",".join(MESSAGES) + "]",
    "messages in lines": "\n".join(MESSAGES),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_tells_the_same(shape: str) -> None:
    session = read(SHAPES[shape])
    assert session.format == "anthropic-messages"
    assert told(session) == TOLD
    assert texts(session, "assistant")[0].strip() == "I add"
    assert texts(session, "assistant")[1:] == ["Done"]
    assert [found.kind for found in session.diagnostics] == ["unknown"] * session.counts.unknown
    assert {call.provenance for call in calls(session)} == {Provenance.MODEL}
    assert all(call.inferred for call in calls(session))
    if "messages" not in shape:
        assert session.tools == (ToolSpec("demo", "add", SCHEMA, 1),)


def test_what_is_repeated_is_told_once() -> None:
    session = read(PAIRS)
    assert session.id == "msg_1"
    assert session.title == "hello"
    assert (session.counts.records, session.counts.messages, session.counts.unknown) == (6, 7, 1)
    assert session.counts.duplicates == 12
    assert texts(session, "thinking") == ["hm"]
    first = calls(session)[0]
    assert session.read_raw(first.place) == response(1)
    assert first.place == Place(1, PAIRS.index(response(1)), len(response(1)))


@pytest.mark.parametrize("pieces", [1, 2, 7, 1000])
def test_pieces_of_arguments_are_joined_to_what_the_model_wrote(pieces: int) -> None:
    first, second = calls(read(stream(1, pieces=pieces)))
    assert (first.arguments, second.arguments) == (BIG, '{"e":1e3}')


def test_streams_one_behind_another() -> None:
    both = stream(1) + stream(5)
    session = read(both.replace("\n", "\r\n"))
    assert [call.id for call in calls(session)] == ["t1", "t2", "t3", "t4", "t5"]
    line = 1 + stream(1).count("\n")
    assert session.blocks[0].calls[2].place == Place(
        line, len(stream(1)) + line - 1, len(stream(5)) + stream(5).count("\n") - 4
    )
    assert session.read_raw(calls(session)[2].place).startswith("event: message_start\r\n")


def test_a_stream_that_the_recording_cuts_keeps_what_came() -> None:
    # Without the last two events of the message and the last two of its last block.
    session = read(stream(1, cut=4))
    first, second = calls(session)
    assert (first.arguments, first.status, first.status_note) == (BIG, Status.NO_RESULT, "")
    assert (second.arguments, second.status) == ('{"e":1', Status.NO_RESULT)
    assert second.status_note == "the arguments are cut off: the recorded stream ends"
    assert [found.kind for found in session.diagnostics] == ["truncated_tail"]
    assert texts(session, "note") == ["the recorded stream ends before the message does"]


def test_a_call_in_whose_arguments_the_model_stopped_was_never_sent() -> None:
    cut = stream(1, stop="max_tokens").replace(json.dumps("e3}")[1:-1], "")
    call = calls(read(cut))[1]
    assert (call.arguments, call.status) == ('{"e":1', Status.NEVER_SENT)
    assert call.status_note == "the arguments are cut off: the model stopped (max_tokens)"


def test_the_connector_names_its_server_and_is_its_own_host() -> None:
    used = f'{{"type":"mcp_tool_use","id":"m1","name":"add","server_name":"my__srv","input":{BIG}}}'
    back = '{"type":"mcp_tool_result","tool_use_id":"m1","is_error":true,"content":[{"type":"text","text":"no"}]}'
    (call,) = calls(read(message("assistant", used, back)))
    assert (call.server, call.tool, call.arguments, call.inferred) == ("my__srv", "add", BIG, False)
    assert (call.status, call.provenance) == (Status.TOOL_ERROR, Provenance.HOST)


def test_conversations_that_share_a_log_do_not_mix() -> None:
    other = '{"model":"m","max_tokens":9,"system":"s","messages":[{"role":"user","content":"a title, please"}]}'
    answer = '{"type":"message","role":"assistant","content":[{"type":"text","text":"Sums"}]}'
    lines = [request(1), response(1), other, answer, request(3), response(3)]
    first, second = read("\n".join(lines)).blocks
    assert (first.prompt, second.prompt) == ("hello", "a title, please")
    assert [item.text for item in second.items if not hasattr(item, "tool")] == ["Sums"]
    assert [call.status for call in first.calls] == [Status.OK, Status.TOOL_ERROR]


def test_a_second_answer_to_the_same_request_is_another_branch() -> None:
    again = '{"id":"x","type":"message","role":"assistant","content":[{"type":"text","text":"No."}]}'
    first, second = read("\n".join([request(1), response(1), request(1), again])).blocks
    assert (second.label, [item.text for item in second.items if not hasattr(item, "tool")]) == (
        "another branch",
        ["No."],
    )
    assert len(first.calls) == 2


def test_an_error_is_told() -> None:
    lines = [request(1), '{"type":"error","error":{"type":"overloaded_error","message":"try later"}}']
    assert texts(read("\n".join(lines)), "note") == ["overloaded_error: try later"]


def test_a_changed_schema_holds_from_its_line_on() -> None:
    other = SCHEMA.replace("integer", "number")
    session = read("\n".join([request(1), request(1).replace(SCHEMA, other)]))
    assert session.tools == (ToolSpec("demo", "add", SCHEMA, 1, 2), ToolSpec("demo", "add", other, 2))


@pytest.mark.parametrize("shape", ["pairs", "texts and streams in strings", "one request over lines", "messages"])
def test_what_stands_before_a_cut_is_read(shape: str) -> None:
    data = SHAPES[shape].encode()
    whole = whole_until(data, len(data))
    assert whole is not None
    found: list[int] = []
    for cut in range(len(data) // 2, len(data), 97):
        got = whole_until(data, cut)
        assert got is not None
        assert [call[:3] for call in got] == [call[:3] for call in whole[: len(got)]]
        found.append(len(got))
    assert list(accumulate(found, max)) == found


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_that_is_harmed_ends_in_a_failure(shape: str) -> None:
    assert sum(map(survives, harmed(SHAPES[shape].encode()))) > 10


def test_lines_beside_a_harmed_one_are_read_whole() -> None:
    lines = PAIRS.encode().split(b"\n")
    for some in harmed(lines[2]):
        data = b"\n".join([*lines[:2], some.replace(b"\n", b""), *lines[3:]])
        ids = {call.id: call.arguments for call in calls(read(data))}
        assert ids.items() >= {"t1": BIG, "t2": '{"e":1e3}', "t4": '{"k":[1.10,-0]}'}.items()
