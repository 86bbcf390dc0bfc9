"""What only one of the documents holds that captures are kept in: cassettes, and exports of two tools."""

from __future__ import annotations

from pathlib import Path

from blockview.core.model import Session, Status, ToolCall
from blockview.readers.opening import open_session
from blockview.readers.registry import read_session
from blockview.readers.source import Source
from tests.readers.captures import answer, call, calls, shown, traffic


def read(text: str, form: str) -> Session:
    session = read_session(Source.of_bytes("document", text.encode()))
    assert session.format == form
    return session


def only(session: Session) -> ToolCall:
    (made,) = calls(session)
    return made


def test_a_cassette_of_everything_but_calls() -> None:
    session = read(
        '{"version":"1.0","metadata":{},"interactions":[\n'
        '{"type":"lifecycle","request":null,"response":null,"http_method":"GET","http_path":"/mcp","latency_ms":3},\n'
        '{"type":"notification","request":{"jsonrpc":"2.0","method":"notifications/initialized"},"response":null},\n'
        '7,{"odd":true}]}',
        "mcp-recorder",
    )
    (block,) = session.blocks
    assert block.prompt == "GET /mcp, not a message, 1 notification"
    assert (session.counts.records, session.counts.messages, session.counts.unknown) == (3, 1, 1)
    assert [(found.place.line, found.problem) for found in session.diagnostics] == [(4, "not a JSON object")]
    assert shown(block)[0].startswith("· GET /mcp {")


def test_a_cassette_of_a_call_that_the_http_server_refused() -> None:
    asked = f'{{"type":"jsonrpc_request","request":{call("1")},"response":null,"response_status":503}}'
    made = only(read(f'{{"version":"1.0","interactions":[{asked}]}}', "mcp-recorder"))
    assert (made.status, made.status_note) == (Status.NO_RESULT, "the answer had the HTTP status 503")


def test_a_cassette_whose_first_event_was_not_the_answer() -> None:
    first = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}'
    asked = f'{{"request":{call("1")},"response":{first},"response_is_sse":true,"latency_ms":5}}'
    session = read(f'{{"version":"1.0","interactions":[{asked}]}}', "mcp-recorder")
    assert only(session).status is Status.NO_RESULT
    assert shown(traffic(session)[0]) == [f"← notifications/progress {first}"]


def test_the_inspector_keeps_both_ways() -> None:
    entries = [
        f'{{"id":"a","timestamp":"2026-01-01T00:00:00Z","direction":"request","origin":"server",'
        f'"message":{{"jsonrpc":"2.0","id":1,"method":"roots/list"}},"response":{answer("1")},"duration":2}}',
        f'{{"id":"b","timestamp":"2026-01-01T00:00:01Z","direction":"request","message":{call("1")},'
        f'"response":{answer("1", "mine")},"duration":2.5,"clientError":"bad schema"}}',
        '{"id":"c","direction":"notification","message":{"jsonrpc":"2.0","method":"notifications/message"}}',
        '{"id":"d","direction":"request"}',
    ]
    session = read("[" + ",\n".join(entries) + "]", "mcp-inspector")
    made = only(session)
    assert made.result is not None
    assert (made.result.text, made.duration_ms) == ("mine", 2.5)
    assert made.status_note == "the client could not take the answer: bad schema"
    assert made.result.place == made.place
    (block,) = traffic(session)
    assert [text.partition(" {")[0] for text in shown(block)] == [
        "← roots/list",
        "→ result of roots/list",
        "← notifications/message",
        "· not a message",
    ]
    assert session.counts.unknown == 1


def exported(*messages: str, tools: str = "[]") -> str:
    about = '"session":{"id":4,"friendly_name":null,"server_command":"run calc"}'
    return f'{{{about},"messages":[{",".join(messages)}],"tools":{tools},"errors":[],"stats":{{}}}}'


def asked(second: float, text: str) -> str:
    return (
        f'{{"direction":"client_to_server","method":"tools/call","timestamp":"2026-01-01T00:00:{second:06.3f}+00:00",'
        f'"params":{{"name":"add","arguments":{{"n":{text}}}}},"message_type":"request"}}'
    )


def answered(second: float, latency: float | None, text: str) -> str:
    took = "null" if latency is None else latency
    return (
        f'{{"direction":"server_to_client","method":"tools/call","timestamp":"2026-01-01T00:00:{second:06.3f}+00:00",'
        f'"latency_ms":{took},"result":{{"content":[{{"type":"text","text":"{text}"}}]}},"message_type":"response"}}'
    )


def test_an_exported_answer_belongs_to_the_call_that_was_sent_when_it_says() -> None:
    session = read(
        exported(
            asked(1, "1.0"),
            asked(1.5, "2"),
            asked(2, "3"),
            answered(4, 2000.001, "to 3"),
            answered(5, None, "to the one that has waited longest"),
            answered(6, 1.0, "to 2: no other is left"),
            answered(7, 1.0, "to none"),
        ),
        "mcp-debugger-export",
    )
    assert [made.result and made.result.text for made in calls(session)] == [
        "to the one that has waited longest",
        "to 2: no other is left",
        "to 3",
    ]
    assert session.counts.orphan_results == 1
    assert (session.id, session.title) == ("4", "run calc")


def test_an_export_lists_its_tools() -> None:
    listed = '[{"name":"add","input_schema":{"type": "object"}},{"input_schema":{}},{"name":"sub"}]'
    session = read(exported(asked(1, "1"), tools=listed), "mcp-debugger-export")
    assert [(tool.name, tool.schema) for tool in session.tools] == [("add", '{"type": "object"}'), ("sub", None)]


# Real recordings; the numbers were counted by hand


def test_sample_of_a_cassette(shared: Path) -> None:
    session = open_session(shared / "samples/mcp-wire/mcp-recorder_mock_session.json")
    assert (session.counts.records, session.counts.messages, session.counts.unknown) == (9, 13, 0)
    assert [(made.tool, made.result and made.result.text) for made in calls(session)][:2] == [
        ("add", "5"),
        ("multiply", "7.0"),
    ]
    assert calls(session)[1].arguments is not None and '"b": 2.0' in calls(session)[1].arguments
    assert (len(calls(session)), len(session.tools), session.title) == (4, 4, "Test Calculator")


def test_sample_of_an_export(shared: Path) -> None:
    session = open_session(shared / "samples/mcp-wire/mcp-debugger_export.json")
    assert (session.counts.records, session.counts.messages, session.counts.orphan_results) == (28, 28, 0)
    made = calls(session)
    assert [one.status for one in made].count(Status.TOOL_ERROR) == 2
    assert (len(made), len(session.tools)) == (9, 13)
    assert made[7].tool == "trigger-long-running-operation" and made[7].duration_ms == 1005.32421875
