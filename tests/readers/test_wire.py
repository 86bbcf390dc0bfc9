"""Captures of JSON-RPC traffic: the rules that hold whatever the envelope."""

import pytest

from blockview.core.model import Provenance, Status
from blockview.readers.lazy import LazyBlocks
from tests.readers.captures import (
    ENVELOPES,
    INITIALIZE,
    INITIALIZED,
    LIST,
    Recording,
    answer,
    call,
    calls,
    read,
    shown,
    tools,
    traffic,
)
from tests.work import calls_in


@pytest.fixture(params=ENVELOPES)
def recording(request: pytest.FixtureRequest) -> Recording:
    return Recording(request.param)


def test_a_call_and_its_answer_keep_all_characters(recording: Recording) -> None:
    arguments = '{ "a": 5.0, "b":1e3,"c":1.10, "id":1234567890123456789, "a":-0 }'
    result = '{"content":[{"type":"text","text":"7.50"}], "structuredContent": {"id": 1234567890123456789, "v":2.50}}'
    recording.client(call("7", arguments)).server(f'{{"jsonrpc":"2.0","id":7,"result":{result}}}')
    session = recording.read()

    (block,) = session.blocks
    (made,) = block.calls
    assert (block.prompt, block.label, block.place.line) == ("", "tools/call", 1)
    assert (made.id, made.name, made.tool, made.mcp, made.provenance) == ("7", "add", "add", True, Provenance.WIRE)
    assert made.arguments == arguments
    assert made.status is Status.OK
    assert made.result is not None
    assert made.result.raw == result
    assert made.result.structured == '{"id": 1234567890123456789, "v":2.50}'
    assert made.result.text == "7.50"
    assert made.result.place is not None and made.result.place.line == 2
    assert session.read_raw(made.place) == recording.lines[0]
    assert session.read_raw(made.result.place) == recording.lines[1]
    assert session.call_counts == (1,)


def test_times(recording: Recording) -> None:
    made = calls(recording.client(call("1")).server(answer("1")).read())[0]
    if recording.form in ("mcp-jsonrpc", "mcp-vcr"):
        assert (made.started, made.duration_ms) == (None, None if recording.form == "mcp-jsonrpc" else 1000.0)
    else:
        assert made.started is not None and made.started.utcoffset() is not None
        assert made.duration_ms == 1000.0


def test_ids_are_told_apart_by_type_and_keep_their_digits(recording: Recording) -> None:
    ids = ["1", '"1"', "1234567890123456789", "1234567890123456788"]
    recording.client(*(call(id_, f'{{"n":{number}}}') for number, id_ in enumerate(ids)))
    recording.server(*(answer(id_, f"for {number}") for number, id_ in reversed(list(enumerate(ids)))))
    made = calls(recording.read())
    assert [one.id for one in made] == ["1", "1", "1234567890123456789", "1234567890123456788"]
    assert [one.result.text for one in made if one.result] == ["for 0", "for 1", "for 2", "for 3"]


def test_an_id_that_comes_back_as_a_float_is_the_same_id(recording: Recording) -> None:
    recording.client(call("1"), call("2.5")).server(answer("1.0", "one"), answer("2.5", "more"))
    made = calls(recording.read())
    assert [one.result and one.result.text for one in made] == ["one", "more"]


def test_parallel_calls_are_blocks_in_the_order_of_their_requests(recording: Recording) -> None:
    recording.client(call("1", name="slow"), call("2", name="quick")).server(answer("2", "b"), answer("1", "a"))
    made = calls(recording.read())
    assert [(one.tool, one.result and one.result.text) for one in made] == [("slow", "a"), ("quick", "b")]


def test_a_call_without_an_answer(recording: Recording) -> None:
    made = calls(recording.client(call("1"), call("2")).server(answer("2")).read())
    assert [one.status for one in made] == [Status.NO_RESULT, Status.OK]
    assert (made[0].result, made[0].duration_ms) == (None, None)


def test_both_kinds_of_error(recording: Recording) -> None:
    recording.client(call("1"), call("2"))
    recording.server(
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such tool","data":{"n":1.0}}}',
        '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"5.0 is no integer"}],"isError":true}}',
    )
    protocol, tool = calls(recording.read())
    assert (protocol.status, protocol.status_note) == (Status.PROTOCOL_ERROR, "code -32602: no such tool")
    assert protocol.result is not None and protocol.result.is_error
    assert protocol.result.text == "no such tool"
    assert protocol.result.raw == '{"code":-32602,"message":"no such tool","data":{"n":1.0}}'
    assert tool.status is Status.TOOL_ERROR
    assert tool.result is not None and tool.result.is_error and tool.result.text == "5.0 is no integer"


def test_an_empty_error_beside_a_result_is_no_error(recording: Recording) -> None:
    recording.client(call("1"), call("2"))
    recording.server('{"id":1,"result":{"content":[]},"error":null}', '{"id":2,"method":null,"result":{},"error":{}}')
    assert [one.status for one in calls(recording.read())] == [Status.OK, Status.OK]


def test_absent_arguments_stay_absent(recording: Recording) -> None:
    recording.client(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}',
        call("2", "{}"),
        call("3", "null"),
        call("4", "[5.0]"),
        '{"jsonrpc":"2.0","id":5,"method":"tools/call"}',
    )
    assert [one.arguments for one in calls(recording.read())] == [None, "{}", "null", "[5.0]", None]


def test_a_response_without_a_request_is_counted_and_shown(recording: Recording) -> None:
    session = recording.client(call("1")).server(answer("9", "lost"), answer("1")).read()
    assert session.counts.orphan_results == 1
    (block,) = traffic(session)
    assert block.prompt == "1 unasked response"
    assert shown(block)[0].startswith("← response without request ") and "lost" in shown(block)[0]
    assert calls(session)[0].status is Status.OK


def test_a_truncated_last_line(recording: Recording) -> None:
    recording.client(call("1")).server(answer("1"))
    session = read(recording.text() + Recording(recording.form).client(call("2")).lines[0][:-20], recording.form)
    assert [one.status for one in calls(session)] == [Status.OK]
    (found,) = session.diagnostics
    assert (found.kind, found.place.line) == ("truncated_tail", 3)
    assert found.place.byte == len(recording.text().encode())


def test_noise_between_the_lines_ends_in_a_diagnostic_that_says_where(recording: Recording) -> None:
    first, second = recording.client(call("1")).server(answer("1")).lines
    session = read(f"{first}\r\n\nServer listening on port 3000\n{second}\n", recording.form)
    assert [one.status for one in calls(session)] == [Status.OK]
    assert [found.place.line for found in session.diagnostics] == [3]
    assert session.read_raw(session.diagnostics[0].place) == "Server listening on port 3000"


def test_an_unknown_record_is_counted_and_stays_viewable(recording: Recording) -> None:
    recording.client(call("1")).server(answer("1"))
    session = read(recording.text() + '{"hello":"world"}\n', recording.form)
    assert session.counts.unknown == 1
    assert session.counts.calls == 1
    assert [item.place.line for block in traffic(session) for item in block.items if item.place] == [3]


def test_the_traffic_block_stands_first_and_says_what_was_seen(recording: Recording) -> None:
    recording.client(INITIALIZE).server(INITIALIZED)
    recording.client('{"jsonrpc":"2.0","method":"notifications/initialized"}', LIST, call("2"))
    recording.server('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}', answer("2"))
    recording.server('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}')
    session = recording.read()
    first, second = session.blocks
    assert (first.label, first.prompt) == ("traffic", "initialize, tools/list, 2 notifications")
    assert [text.partition(" {")[0] for text in shown(first)] == [
        "→ initialize",
        "← result of initialize",
        "→ notifications/initialized",
        "→ tools/list",
        "← result of tools/list",
        "← notifications/progress",
    ]
    assert INITIALIZE[:-1] in shown(first)[0]
    assert session.call_counts == (0, 1)
    assert (second.calls[0].server, second.calls[0].connection) == ("calc", "1")
    assert session.title == "calc"


def test_requests_of_the_server_are_traffic_and_pair_the_other_way(recording: Recording) -> None:
    recording.client(INITIALIZE).server(INITIALIZED).client(call("1"))
    recording.server('{"jsonrpc":"2.0","id":1,"method":"roots/list"}')
    recording.client('{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}').server(answer("1", "mine"))
    session = recording.read()
    (made,) = calls(session)
    assert made.result is not None and made.result.text == "mine"
    assert [text.partition(" {")[0] for text in shown(traffic(session)[0])[2:]] == [
        "← roots/list",
        "→ result of roots/list",
    ]
    assert session.counts.orphan_results == 0


def test_initialize_begins_a_new_connection_whose_ids_start_anew(recording: Recording) -> None:
    for text in ("first", "second"):
        recording.client(INITIALIZE).server(INITIALIZED).client(call("1"), call("2")).server(answer("1", text))
    session = recording.read()
    assert [(block.label, block.place.line) for block in traffic(session)] == [("traffic", 1), ("traffic", 6)]
    assert [(one.connection, one.status, one.result and one.result.text) for one in calls(session)] == [
        ("1", Status.OK, "first"),
        ("1", Status.NO_RESULT, None),
        ("2", Status.OK, "second"),
        ("2", Status.NO_RESULT, None),
    ]
    assert [block.index for block in session.blocks] == list(range(6))


def test_an_answer_does_not_reach_back_into_an_earlier_connection(recording: Recording) -> None:
    recording.client(INITIALIZE).server(INITIALIZED).client(call("1"), INITIALIZE).server(answer("1"))
    session = recording.read()
    assert [one.status for one in calls(session)] == [Status.NO_RESULT]
    assert session.counts.orphan_results == 1


def test_a_client_that_refuses_what_the_server_asks(recording: Recording) -> None:
    recording.server('{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{}}')
    recording.client('{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}')
    session = recording.read()
    assert shown(traffic(session)[0])[1].startswith("→ error of elicitation/create ")
    assert session.counts.orphan_results == 0


def test_cancelled_calls(recording: Recording) -> None:
    def cancel(id_: str) -> str:
        return (
            f'{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id_},"reason":"too slow"}}}}'
        )

    recording.client(call("1"), call("2"), call("3"), call("4"), cancel("1"), cancel("2"), cancel("3"), cancel('"4"'))
    recording.server(
        answer("2", "late"), '{"jsonrpc":"2.0","id":3,"error":{"code":0,"message":"stopped"}}', answer("4")
    )
    made = calls(recording.read())
    assert [one.status for one in made] == [Status.CANCELLED, Status.LATE_RESULT, Status.CANCELLED, Status.OK]
    assert [one.status_note for one in made] == ["too slow", "too slow", "too slow; code 0: stopped", ""]
    assert made[1].result is not None and made[1].result.text == "late"


def test_input_required_and_server_info_of_2026(recording: Recording) -> None:
    meta = '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"calc","version":"2"}}'
    recording.client(call("1")).server(f'{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"input_required",{meta}}}}}')
    recording.client(call("2")).server(
        f'{{"jsonrpc":"2.0","id":2,"result":{{"resultType":"complete","content":[],"structuredContent":[1.0],{meta}}}}}'
    )
    first, second = calls(recording.read())
    assert (first.status, second.status) == (Status.INPUT_REQUIRED, Status.OK)
    assert (first.server, first.connection) == ("calc", "1")
    assert second.result is not None and second.result.structured == "[1.0]"


def test_a_task_handle_is_no_result_yet(recording: Recording) -> None:
    recording.client(call("1")).server('{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t-9","status":"working"}}}')
    (made,) = calls(recording.read())
    assert (made.status, made.status_note) == (Status.BACKGROUND, "runs as task t-9")


def test_content_that_is_not_text_is_noted(recording: Recording) -> None:
    parts = [
        '{"type":"text","text":"see"}',
        f'{{"type":"image","data":"{"QUJD" * 1000}","mimeType":"image/png"}}',
        '{"type":"audio","data":"QUI=","mimeType":"audio/wav"}',
        '{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"abc"}}',
        '{"type":"resource_link","uri":"file:///b","name":"b"}',
        "17",
    ]
    recording.client(call("1")).server(f'{{"jsonrpc":"2.0","id":1,"result":{{"content":[{",".join(parts)}]}}}}')
    (made,) = calls(recording.read())
    assert made.result is not None
    assert [(part.kind, part.note) for part in made.result.content] == [
        ("text", ""),
        ("image", "image/png, 3.0 KB"),
        ("audio", "audio/wav, 2 B"),
        ("resource", "file:///a.txt, text/plain, 3 B"),
        ("resource_link", "file:///b, b"),
        ("malformed", "not a content block"),
    ]
    assert made.result.text.startswith("see\n[image block]\n")


def test_schemas_keep_their_characters(recording: Recording) -> None:
    schema = '{"type": "object", "properties": {"n": {"type": "integer", "maximum": 1e3}}}'
    listed = f'{{"tools":[{{"name":"add","inputSchema":{schema},"outputSchema":{{"x": 1.0}}}},{{"name":"bare"}}]}}'
    recording.client(INITIALIZE).server(INITIALIZED).client(LIST)
    session = recording.server(f'{{"jsonrpc":"2.0","id":1,"result":{listed}}}').read()
    add, bare = session.tools
    assert (add.name, add.schema, add.output_schema) == ("add", schema, '{"x": 1.0}')
    assert (add.server, add.connection, add.since, add.until) == ("calc", "1", 4, None)
    assert (bare.name, bare.schema, bare.output_schema) == ("bare", None, None)


def test_pages_are_joined_and_a_change_ends_them(recording: Recording) -> None:
    changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
    recording.client(LIST).server(f'{{"jsonrpc":"2.0","id":1,"result":{tools("a", cursor="p2")}}}')
    recording.client('{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"p2"}}')
    recording.server(f'{{"jsonrpc":"2.0","id":2,"result":{tools("b")}}}', changed)
    recording.client('{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}}')
    recording.server(f'{{"jsonrpc":"2.0","id":3,"result":{tools("c")}}}')
    listed = [(tool.name, tool.since, tool.until) for tool in recording.read().tools]
    assert listed == [("a", 2, 5), ("b", 4, 5), ("c", 7, None)]


def test_a_later_complete_list_replaces_the_one_before(recording: Recording) -> None:
    recording.client(LIST).server(f'{{"jsonrpc":"2.0","id":1,"result":{tools("a", "b")}}}')
    recording.client(LIST).server(f'{{"jsonrpc":"2.0","id":1,"result":{tools("a", cursor="x")}}}')
    recording.client('{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"x"}}')
    recording.server(f'{{"jsonrpc":"2.0","id":2,"result":{tools("c")}}}')
    listed = [(tool.name, tool.since, tool.until) for tool in recording.read().tools]
    assert listed == [("a", 2, 6), ("b", 2, 6), ("a", 4, None), ("c", 6, None)]


def test_a_malformed_tool_is_left_out_and_the_others_stay(recording: Recording) -> None:
    listed = '{"tools":[{"name":"a","inputSchema":{}},{"name":5},"x",{"name":"b","inputSchema":"?"}]}'
    session = recording.client(LIST).server(f'{{"jsonrpc":"2.0","id":1,"result":{listed}}}').read()
    assert [(tool.name, tool.schema) for tool in session.tools] == [("a", "{}"), ("b", '"?"')]
    assert [(found.place.line, found.problem.split(" of ")[0]) for found in session.diagnostics] == [
        (2, "tool 2"),
        (2, "tool 3"),
    ]


def test_what_json_does_not_allow_is_taken_as_it_stands(recording: Recording) -> None:
    arguments = '{"a": NaN, "s": "\\ud800", "raw": "x\ty", "n": 1.50, "big": ' + "9" * 5000 + "}"
    recording.client(call("1", arguments)).server(answer("1", "\\ud800"))
    (made,) = calls(recording.read())
    assert made.arguments == arguments
    assert made.result is not None and made.result.text == "\ud800"


def test_deep_nesting_is_read(recording: Recording) -> None:
    arguments = '{"a":' + "[" * 3000 + "1.0" + "]" * 3000 + "}"
    (made,) = calls(recording.client(call("1", arguments)).server(answer("1")).read())
    assert made.arguments == arguments
    assert made.status is Status.OK


def test_large_traffic_is_cut_on_screen_only(recording: Recording) -> None:
    recording.client('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}')
    recording.server(f'{{"jsonrpc":"2.0","id":1,"result":{{"contents":[{{"blob":"{"A" * 100_000}"}}]}}}}')
    session = recording.read()
    block = traffic(session)[0]
    assert shown(block)[1].endswith("more characters)") and len(shown(block)[1]) < 5000
    place = block.items[1].place
    assert place is not None and session.read_raw(place) == recording.lines[1]


def test_blocks_are_read_when_they_are_looked_at(recording: Recording) -> None:
    recording.client(*(call(str(number), f'{{"n":{number}.0}}') for number in range(400)))
    session = recording.read()
    assert isinstance(session.blocks, LazyBlocks)
    assert len(session.blocks) == len(session.call_counts) == session.counts.calls == 400
    assert session.blocks[-1].calls[0].arguments == '{"n":399.0}'
    assert [block.index for block in session.blocks[5:8]] == [5, 6, 7]
    assert session.blocks[7] is session.blocks[7]
    with pytest.raises(IndexError):
        session.blocks[400]


def test_a_batch_is_decoded_once_for_all_its_messages() -> None:
    call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}'

    def look(count: int) -> int:
        session = read('{"jsonrpc":"2.0","id":0,"method":"ping"}\n[' + ",".join([call] * count) + "]\n")
        return calls_in(lambda: [block.calls for block in session.blocks])

    look(5)
    assert look(400) < 5 * look(100)
