"""HAR files: MCP over HTTP as a browser or a proxy keeps it."""

from __future__ import annotations

import base64
import json
from typing import Any

from blockview.core.model import Session, Status
from blockview.readers.registry import read_session
from blockview.readers.source import Source
from tests.readers.captures import answer, call, calls, shown, traffic


def entry(
    asked: str = "",
    answered: str | None = None,
    *,
    method: str = "POST",
    url: str = "http://h/mcp",
    status: int = 200,
    session: str = "",
    encoding: str = "",
    time: float = 10,
) -> dict[str, Any]:
    headers = [{"name": "Mcp-Session-Id", "value": session}] if session else []
    request = {"method": method, "url": url, "headers": headers, "postData": {"text": asked}}
    content = {"size": 0} | ({"text": answered, "encoding": encoding} if answered is not None else {})
    response = {"status": status, "headers": [], "content": content}
    return {"startedDateTime": "2026-01-01T00:00:00.5+01:00", "time": time, "request": request, "response": response}


def read(*entries: object) -> Session:
    data = json.dumps({"log": {"version": "1.2", "creator": {}, "entries": entries}})
    session = read_session(Source.of_bytes("har", data.encode()))
    assert session.format == "har"
    return session


def test_a_json_body_keeps_its_digits() -> None:
    text = '{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"id":1234567890123456789,"v":2.50}}}'
    session = read(entry(call("1", '{ "a": 5.0, "b":1e3 }'), text))
    (made,) = calls(session)
    assert made.arguments == '{ "a": 5.0, "b":1e3 }'
    assert made.result is not None and made.result.structured == '{"id":1234567890123456789,"v":2.50}'
    assert made.duration_ms == 10
    assert made.started is not None and made.started.isoformat() == "2026-01-01T00:00:00.500000+01:00"


def test_a_stream_holds_notifications_before_the_answer() -> None:
    progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}'
    first, second = answer("1", "done")[:17], answer("1", "done")[17:]
    stream = f": ping\r\nevent: message\r\ndata: {progress}\r\n\r\nid: 7\r\ndata: {first}\r\ndata: {second}\r\n\r\n"
    session = read(entry(call("1"), stream))
    (made,) = calls(session)
    assert made.result is not None and made.result.text == "done"
    assert shown(traffic(session)[0]) == [f"← notifications/progress {progress}"]


def test_a_body_in_base64() -> None:
    (made,) = calls(read(entry(call("1"), base64.b64encode(answer("1", "é").encode()).decode(), encoding="base64")))
    assert made.result is not None and made.result.text == "é"
    (made,) = calls(read(entry(call("1"), "no base64!", encoding="base64")))
    assert made.status is Status.NO_RESULT


def test_answers_in_a_stream_that_was_opened_first() -> None:
    def stream(number: int, *answers: str) -> dict[str, object]:
        events = [f"event: endpoint\ndata: /messages?id={number}", *(f"data: {one}" for one in answers)]
        return entry(method="GET", url="http://h/sse", answered="\n\n".join(events))

    def post(number: int, id_: str) -> dict[str, object]:
        return entry(call(id_), "Accepted", url=f"http://h/messages?id={number}", status=202)

    first = stream(1, answer("2", "two"), answer("1", "one"))
    session = read(first, stream(2, answer("1", "other")), post(1, "1"), post(2, "1"), post(1, "2"))
    assert [made.result and made.result.text for made in calls(session)] == ["one", "other", "two"]
    assert session.counts.orphan_results == 0


def test_what_the_answer_was_instead_of_a_message() -> None:
    session = read(entry(call("1")), entry(call("2"), "gateway", status=502), entry(call("3"), "<html>"))
    assert [(made.status, made.status_note) for made in calls(session)] == [
        (Status.NO_RESULT, "the capture holds no body of the answer"),
        (Status.NO_RESULT, "the answer had the HTTP status 502"),
        (Status.NO_RESULT, ""),
    ]


def test_sessions_and_servers_have_ids_of_their_own() -> None:
    entries = [
        entry(call("1"), answer("1", "a"), session="a"),
        entry(call("1"), answer("1", "b"), session="b"),
        entry(call("1"), answer("1", "c"), url="http://other/mcp"),
    ]
    made = calls(read(*entries))
    assert [one.result and one.result.text for one in made] == ["a", "b", "c"]
    assert [one.connection for one in made] == ["1", "2", "3"]


def test_what_else_a_browser_loaded_is_counted() -> None:
    page = {"request": {"method": "GET", "url": "http://h/"}, "response": {"content": {"text": '{"users": []}'}}}
    session = read(
        page,
        entry(call("1"), answer("1")),
        7,
        {
            "request": {"headers": "none", "url": "http://[/"},
            "response": {"content": {"text": "event: endpoint\ndata: x"}},
        },
    )
    assert (session.counts.calls, session.counts.unknown) == (1, 2)
    assert [found.problem for found in session.diagnostics] == ["not a JSON object"]


def test_no_mcp_at_all() -> None:
    session = read({"request": {"method": "GET", "url": "http://h/"}})
    assert (len(session.blocks), session.counts.unknown) == (0, 1)
