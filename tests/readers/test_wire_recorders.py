"""What only one recorder writes, hostile captures, and real recordings."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from blockview.core.model import Session, Status
from blockview.readers.head import Head, Reader
from blockview.readers.source import Source
from blockview.readers.wire import READERS
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

# Bare messages


def test_a_batch_is_taken_apart() -> None:
    first, second = call("1"), call("2", '{"n": 2.0}')
    session = read(f"[{first}, {second},3]\n[{answer('2', 'two')},{answer('1', 'one')}]\n", "mcp-jsonrpc")
    made = calls(session)
    assert [(one.arguments, one.result and one.result.text) for one in made] == [("{}", "one"), ('{"n": 2.0}', "two")]
    assert [one.place.line for one in made] == [1, 1]
    assert session.counts.unknown == 1
    assert shown(traffic(session)[0]) == ["· not a message 3"]


def test_a_batch_in_an_envelope() -> None:
    session = read(f'{{"ts":1,"dir":"client->server","msg":[{call("1")},{LIST}]}}\n', "mcp-rec")
    assert [one.tool for one in calls(session)] == ["add"]
    assert shown(traffic(session)[0]) == [f"→ tools/list {LIST}"]


def test_an_empty_batch_is_an_unknown_record() -> None:
    session = read(f"{call('1')}\n[]\n")
    assert session.counts.unknown == 1
    assert shown(traffic(session)[0]) == ["· not a message []"]


def test_a_log_line_in_front_of_a_message_is_left_out() -> None:
    session = read(f"{call('1')}\nINFO recv: {answer('1', 'here')}\n")
    (made,) = calls(session)
    assert made.result is not None and made.result.text == "here"
    assert [found.place.line for found in session.diagnostics] == [2]


def test_escaped_method_names_are_understood() -> None:
    session = read('{"jsonrpc":"2.0","id":1,"method":"tools\\/call","params":{"name":"a"}}\n')
    assert [one.tool for one in calls(session)] == ["a"]


def test_a_probe_before_initialize_is_of_the_same_connection() -> None:
    probe = '{"jsonrpc":"2.0","id":"p","method":"server/discover"}'
    session = read(f"{probe}\n{INITIALIZE}\n{INITIALIZED}\n{call('1')}\n")
    assert len(traffic(session)) == 1
    assert calls(session)[0].server == "calc"


# mcp-rec


def test_mcp_rec_lines_that_were_not_json() -> None:
    noise = '{"ts": 2.0, "dir": "server->client", "msg": {"_raw": "starting…\\u001b[0m", "_unparsed": true}}'
    session = read(f"{Recording('mcp-rec').client(call('1')).text()}{noise}\n", "mcp-rec")
    assert [(found.kind, found.place.line) for found in session.diagnostics] == [("not_json", 2)]
    assert shown(traffic(session)[0]) == ["← not JSON starting…\x1b[0m"]
    assert session.counts.unknown == 0


# mcporter


def mcporter(way: str, server: str, message: str) -> str:
    return f'{message[:-1]},"_meta":{{"dir":"{way}","server":"{server}","ts":"2026-11-30T23:31:16.378Z"}}}}'


def test_mcporter_keeps_servers_apart() -> None:
    start = '{"jsonrpc":"2.0","method":"$transport/start"}'
    close = '{"jsonrpc":"2.0","method":"$transport/close"}'
    lines = [
        mcporter("lifecycle", "one", start),
        mcporter("lifecycle", "two", start),
        mcporter("send", "one", call("1", '{"n":1}')),
        mcporter("send", "two", call("1", '{"n":2}')),
        mcporter("recv", "two", answer("1", "from two")),
        mcporter("recv", "one", answer("1", "from one")),
        mcporter("lifecycle", "one", close),
        mcporter("lifecycle", "one", start),
        mcporter("send", "one", call("1", '{"n":3}')),
    ]
    session = read("\n".join(lines), "mcporter")
    assert [(one.server, one.connection, one.result and one.result.text) for one in calls(session)] == [
        ("one", "1", "from one"),
        ("two", "2", "from two"),
        ("one", "3", None),
    ]
    assert [block.prompt for block in traffic(session)] == [
        "$transport/start, $transport/close",
        "$transport/start",
        "$transport/start",
    ]
    assert session.title == "one, two"


# mcpsnoop


def snoop(seq: int, direction: str, rest: str, session: str = "s1", label: str = "calc") -> str:
    return (
        f'{{"session_id":"{session}","server_label":"{label}","seq":{seq},"ts":"2026-11-30T23:31:16.123456789Z",'
        f'"direction":"{direction}","transport":"stdio",{rest}}}'
    )


def test_mcpsnoop_stderr_and_meta_are_traffic() -> None:
    lines = [
        snoop(1, "meta", '"raw":{"command":["calc","--stdio"],"cwd":"/srv"}'),
        snoop(2, "c2s", f'"raw":{call("1")}'),
        snoop(3, "stderr", '"text":"listening"'),
        snoop(4, "s2c", f'"raw":{answer("1")},"redacted":true'),
    ]
    session = read("\n".join(lines), "mcpsnoop")
    assert session.diagnostics == ()
    assert traffic(session)[0].prompt == "meta, stderr"
    assert shown(traffic(session)[0]) == ['· meta {"command":["calc","--stdio"],"cwd":"/srv"}', "· stderr listening"]
    assert calls(session)[0].status is Status.OK
    assert calls(session)[0].status_note == "answer redacted by the recorder"


def test_mcpsnoop_gaps_in_the_numbers_are_dropped_frames() -> None:
    numbers = [1, 2, 5, 6, 9, 8, 7]
    session = read("\n".join(snoop(number, "c2s", f'"raw":{call(str(number))}') for number in numbers), "mcpsnoop")
    assert [(found.kind, found.place.line, found.problem) for found in session.diagnostics] == [
        ("dropped_frames", 3, "the recorder dropped 2 frames before this one (numbers 3 to 4)")
    ]


def test_mcpsnoop_an_answer_that_was_cut() -> None:
    lines = [
        snoop(1, "c2s", f'"raw":{call("1")}'),
        snoop(2, "s2c", '"text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":{\\"content\\":[{","truncated":true'),
        snoop(3, "s2c", '"text":"Traceback (most recent call last):"'),
    ]
    session = read("\n".join(lines), "mcpsnoop")
    assert [(found.kind, found.place.line) for found in session.diagnostics] == [("truncated", 2), ("not_json", 3)]
    (made,) = calls(session)
    assert (made.status, made.status_note) == (Status.NO_RESULT, "the recorder cut the answer off")


def test_mcpsnoop_sessions_and_clients_have_ids_of_their_own() -> None:
    lines = [
        snoop(1, "c2s", f'"raw":{call("1")},"conn_id":"a"'),
        snoop(2, "c2s", f'"raw":{call("1")},"conn_id":"b"'),
        snoop(1, "c2s", f'"raw":{call("1")}', session="s2", label="other"),
        snoop(3, "s2c", f'"raw":{answer("1", "for b")},"conn_id":"b"'),
        snoop(4, "s2c", f'"raw":{answer("1", "for a")},"conn_id":"a"'),
        snoop(2, "s2c", f'"raw":{answer("1", "for s2")}', session="s2", label="other"),
    ]
    session = read("\n".join(lines), "mcpsnoop")
    assert [(one.server, one.connection, one.result and one.result.text) for one in calls(session)] == [
        ("calc", "1", "for a"),
        ("calc", "1", "for b"),
        ("other", "2", "for s2"),
    ]
    assert session.diagnostics == ()


def http(way: str, message: str, host: str = "127.0.0.1:80") -> str:
    told = {"pid": 7, "host": host} | ({"is_request": True} if way == "→" else {})
    return json.dumps(
        {
            "timestamp": 1,
            "transport_type": "http",
            "http_transport": told,
            "type": "request",
            "error": {},
            "raw": message,
        }
    )


def test_mcpspy_tells_processes_and_hosts_apart() -> None:
    lines = [
        http("→", call("1")),
        http("→", call("1"), "other:80"),
        http("←", answer("1", "other"), "other:80"),
        http("←", answer("1", "local")),
        http("←", '{"jsonrpc":"2.0","id":1,"method":"ping"}'),
        '{"timestamp":1,"message_type":"llm","session":1}',
        http("→", "not a message"),
    ]
    session = read("\n".join(lines), "mcpspy")
    assert [one.result and one.result.text for one in calls(session)] == ["local", "other"]
    assert [block.prompt for block in traffic(session)] == ["ping, not JSON", "llm event"]
    assert [found.kind for found in session.diagnostics] == ["not_json"]


def test_mcp_debug_pairs_calls_of_one_tool_in_their_order() -> None:
    def line(way: str, tool: str, message: str) -> str:
        told = f'"timestamp":"2026-01-01T00:00:0{len(lines)}Z","direction":"{way}","message_type":"tool_call"'
        return f'{{{told},"tool_name":"calc_{tool}","server_name":"calc","message":{message}}}'

    lines = [
        "# MCP Recording Session",
        "# Started: 2026-01-01T00:00:00Z",
        '{"start_time":"2026-01-01T00:00:00Z","server_info":"Dynamic MCP Proxy v1.0.0","messages":[]}',
    ]
    lines.append(line("request", "add", '{"method":"tools/call","params":{"name":"calc_add","arguments":{"a":5.0}}}'))
    lines.append(line("request", "sub", '{"params":{"name":"calc_sub","arguments":{"id":1234567890123456789}}}'))
    lines.append(line("request", "add", '{"name":"calc_add","arguments":{"a":2}}'))
    lines.append(line("response", "sub", '{"content":[{"type":"text","text":"sub"}],"isError":true}'))
    recorded = '{"content":[{"type":"text","text":"first"},{"type":"text","text":"\U0001f4f9 Recording: a.jsonl"}]}'
    lines.append(line("response", "add", recorded))
    session = read("\n".join(lines), "mcp-debug")
    assert session.diagnostics == ()
    assert [(one.id, one.name, one.tool, one.server, one.arguments) for one in calls(session)] == [
        ("line 4", "calc_add", "add", "calc", '{"a":5.0}'),
        ("line 5", "calc_sub", "sub", "calc", '{"id":1234567890123456789}'),
        ("line 6", "calc_add", "add", "calc", '{"a":2}'),
    ]
    assert [(one.status, one.status_note, one.duration_ms) for one in calls(session)] == [
        (Status.OK, "the recorder added the last text", 4000.0),
        (Status.TOOL_ERROR, "", 2000.0),
        (Status.NO_RESULT, "", None),
    ]


def test_each_reader_claims_its_own_envelope_first() -> None:
    for form in ENVELOPES:
        head = Head.of(Source.of_bytes("x", Recording(form).client(call("1")).text().encode()))
        assert next(reader.format for reader in READERS if reader.sniff(head)) == form
    transcript = b'{"type":"user","sessionId":"s","message":{"role":"user","content":"jsonrpc"}}\n'
    assert not any(reader.sniff(Head.of(Source.of_bytes("x", transcript))) for reader in READERS)


# Fuzz


def look_at_everything(session: Session) -> None:
    assert len(session.blocks) == len(session.call_counts)
    for block, count in zip(session.blocks, session.call_counts, strict=True):
        assert len(block.calls) == count
        for item in block.items:
            assert item.place is not None
            session.read_raw(item.place)
    for found in session.diagnostics:
        session.read_raw(found.place)


def conversation(form: str) -> bytes:
    recording = Recording(form).client(INITIALIZE).server(INITIALIZED).client(LIST)
    recording.server(f'{{"jsonrpc":"2.0","id":1,"result":{tools("a", "b", cursor="x")}}}').client(
        call("2", '{"n":5.0}')
    )
    recording.server('{"jsonrpc":"2.0","id":"s","method":"roots/list"}', answer("2"))
    recording.client('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}', call("3"))
    return recording.server('{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}}').text().encode()


FUZZED = st.sampled_from([reader for reader in READERS if reader.format in ENVELOPES])


@given(FUZZED, st.lists(st.tuples(st.integers(0, 4000), st.binary(max_size=6)), max_size=8))
def test_mutated_captures_never_raise(reader: Reader, edits: list[tuple[int, bytes]]) -> None:
    data = bytearray(conversation(reader.format))
    for at, put in edits:
        data[at % len(data) : at % len(data) + len(put)] = put
    look_at_everything(reader.read(Source.of_bytes("fuzz", bytes(data))))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = st.sampled_from(
    [
        "jsonrpc",
        "id",
        "method",
        "params",
        "result",
        "error",
        "name",
        "arguments",
        "content",
        "isError",
        "type",
        "data",
        "structuredContent",
        "resource",
        "tools",
        "nextCursor",
        "cursor",
        "requestId",
        "serverInfo",
        "msg",
        "dir",
        "ts",
        "_meta",
        "server",
        "raw",
        "text",
        "direction",
        "seq",
        "session_id",
        "truncated",
        "transport_type",
        "stdio_transport",
        "from_pid",
        "tool_name",
        "server_name",
        "message",
        "payload",
        "t",
    ]
)
VALUES = st.sampled_from(["tools/call", "tools/list", "initialize", "notifications/cancelled", 1, "send", "c2s", True])
HOSTILE = st.recursive(
    JSON | VALUES, lambda inner: st.dictionaries(MEMBERS, inner, max_size=6) | st.lists(inner, max_size=3)
)


@given(st.sampled_from(READERS), st.lists(st.dictionaries(MEMBERS, HOSTILE, max_size=7), max_size=6))
def test_hostile_members_never_raise(reader: Reader, lines: list[dict[str, object]]) -> None:
    data = "\n".join(json.dumps(line) for line in lines).encode()
    look_at_everything(reader.read(Source.of_bytes("fuzz", data)))


# Real recordings; the numbers were counted by hand


def test_sample_mcp_rec(shared: Path) -> None:
    session = read((shared / "samples/mcp-wire/mcp-rec_everything.jsonl").read_bytes(), "mcp-rec")
    assert session.diagnostics == ()
    assert (session.counts.records, session.counts.messages, session.counts.calls) == (28, 28, 9)
    assert session.call_counts == (0, *[1] * 9)
    assert session.blocks[0].prompt == "initialize, tools/list, ping, 4 notifications"
    assert len(session.tools) == 13 and {tool.since for tool in session.tools} == {10}
    made = calls(session)
    assert [one.id for one in made] == ["2", "s-3", "4", "5", "6", "7", "8", "9", "10"]
    assert made[1].arguments == '{"a": 5.0, "b": 1000.0}'
    assert made[2].arguments == '{"a": 1234567890123456789, "b": 0}'
    assert [one.status for one in made].count(Status.TOOL_ERROR) == 2
    assert {one.server for one in made} == {"mcp-servers/everything"}
    assert made[6].result is not None and [part.kind for part in made[6].result.content] == ["text", "image", "text"]
    assert made[0].duration_ms is not None and round(made[0].duration_ms) == 1132


def test_sample_mcporter_parallel(shared: Path) -> None:
    session = read((shared / "samples/mcp-wire/mcporter_multi_parallel.ndjson").read_bytes(), "mcporter")
    assert session.diagnostics == ()
    assert (session.counts.records, session.counts.messages, session.counts.calls) == (20, 18, 6)
    assert [(one.id, one.result and one.result.place and one.result.place.line) for one in calls(session)] == [
        ("2", 9),
        ("3", 11),
        ("4", 13),
        ("5", 19),
        ("6", 17),
        ("7", 18),
    ]
    assert calls(session)[1].arguments == '{"a":5,"b":1e+21}'


def test_sample_mcporter_string_number(shared: Path) -> None:
    session = read((shared / "samples/mcp-wire/mcporter_string-number_error.ndjson").read_bytes(), "mcporter")
    assert (len(session.blocks), session.counts.calls, len(session.tools)) == (2, 1, 13)
    (made,) = calls(session)
    assert (made.server, made.arguments, made.status) == ("everything", '{"a":5,"b":"2.50"}', Status.TOOL_ERROR)


def test_sample_mcpspy(shared: Path) -> None:
    for name in ("mcpspy_stdio.jsonl", "mcpspy_http.jsonl"):
        session = read((shared / "samples/mcp-wire" / name).read_bytes(), "mcpspy")
        assert session.diagnostics == ()
        assert (session.counts.records, session.counts.messages, session.counts.calls) == (27, 27, 4)
        assert session.title == "Comprehensive MCP Demo Server"
        assert [one.status for one in calls(session)] == [Status.OK, Status.TOOL_ERROR, Status.OK, Status.OK]
        assert calls(session)[2].arguments == '{"city":"New York","units":"metric"}'
        assert len(session.tools) == 4


# blockview record


def test_what_blockview_records_beside_messages() -> None:
    head = '{"blockview-record":1,"at":"2026-11-30T23:31:00.000000+00:00","server":"calc"}'
    wrap = Recording("blockview-record").wrap
    noise = [
        wrap("←", "starting…", 1),
        wrap("←", "told", 2).replace("server→client", "stderr"),
        '{"at":"2026-11-30T23:31:02Z","way":"server→client","server":"calc","base64":"/wD+"}',
        '{"at":"2026-11-30T23:31:03Z","way":"server→client","server":"calc","text":"{\\"jsonrpc\\":","cut":true}',
        '{"at":"2026-11-30T23:31:04Z","way":"sideways","server":"calc","text":"x"}',
    ]
    session = read("\n".join([head, wrap("→", call("1"), 0), *noise]) + "\n", "blockview-record")
    (made,) = calls(session)
    assert (made.server, made.status) == ("calc", Status.NO_RESULT)
    told = "\n".join(text for block in traffic(session) for text in shown(block))
    for text in ("starting…", "told", '{"jsonrpc":', "sideways"):
        assert text in told
    assert {found.place.line for found in session.diagnostics} >= {3, 5, 6}


def test_each_run_of_blockview_record_is_a_connection_of_its_own() -> None:
    head = '{"blockview-record":1,"at":"2026-11-30T23:31:00.000000+00:00","server":"calc"}'
    wrap = Recording("blockview-record").wrap
    lines = [head, wrap("→", call("1"), 0), head, wrap("→", call("1"), 1), wrap("←", answer("1", "second"), 2)]
    first, second = calls(read("\n".join(lines) + "\n", "blockview-record"))
    assert first.status is Status.NO_RESULT
    assert second.result is not None and second.result.text == "second"
