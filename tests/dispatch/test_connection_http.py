"""Streamable HTTP: what is sent is what was prepared, and every wrong answer ends in a named outcome."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from blockview.core.coercion import Depth
from blockview.core.jsontext import Transport
from blockview.core.outcome import Ended
from blockview.dispatch.connection import Connection
from blockview.dispatch.servers import Server
from tests.dispatch.live import PATIENCE, call, refused, send
from tests.dispatch.servers.raw_http import OK, Answer, Handler, RawHttp, Reply, event, message, serving, sse

SHORT = 0.5


def right(number: Any) -> Reply:
    return Reply(message(number, OK))


@contextmanager
def reached(raw: RawHttp, headers: dict[str, str] | None = None, **options: Any) -> Iterator[Connection]:
    with serving(raw) as url:
        one = Connection(Server("raw", "http", url=url, headers=headers or {}), **options)
        try:
            yield one
        finally:
            one.close()
            raw.release.set()
            assert one.join(PATIENCE)


@contextmanager
def connected(answer: Answer, **options: Any) -> Iterator[tuple[Connection, RawHttp]]:
    raw = RawHttp(answer)
    with reached(raw, **options) as one:
        one.connect().result(PATIENCE)
        yield one, raw


def test_what_is_shown_is_what_the_server_gets() -> None:
    with connected(right, headers={"X-Key": "secret"}) as (one, raw):
        outcome = send(one, '{"line":5.0,"small":1e-5,"é":"\U0001f600"}')
        assert one.transport is Transport.HTTP
        assert outcome.sent == '{"line":5,"small":1e-05,"é":"\U0001f600"}'
        assert outcome.prepared is not None and outcome.prepared.dispatched == outcome.sent
        assert f'"arguments":{outcome.sent}'.encode() in raw.bodies[-1]
        assert {headers.get("X-Key") for headers in raw.headers} == {"secret"}


class Elsewhere(Handler):
    """Answers at /mcp/ and, with the status that its server has, redirects from /mcp."""

    status, location = 307, "/mcp/"

    def handle_one(self) -> None:
        if self.path != "/mcp":
            return super().handle_one()
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(self.status)
        self.send_header("location", self.location)
        self.send_header("content-length", "0")
        self.end_headers()

    do_POST = do_GET = do_DELETE = handle_one


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_on_the_same_server_is_followed_with_the_same_text(status: int) -> None:
    raw = RawHttp(right)
    with serving(raw, type("Moved", (Elsewhere,), {"status": status})) as url:
        one = Connection(Server("raw", "http", url=url, headers={"X-Key": "secret"}))
        one.connect().result(PATIENCE)
        outcome = send(one)
        one.close()
        assert one.join(PATIENCE)
    assert (outcome.ended, outcome.sent) == (Ended.RESULT, '{"line":5}')
    assert b'"arguments":{"line":5}' in next(body for body in raw.bodies if b"tools/call" in body)
    assert {headers.get("X-Key") for headers in raw.headers} == {"secret"}


@pytest.mark.parametrize("how", ["http", "sse"])
def test_a_redirect_to_another_server_is_not_followed_and_told(how: str) -> None:
    other = RawHttp(right)
    with serving(other) as away, serving(RawHttp(right), type("Moved", (Elsewhere,), {"location": away})) as url:
        one = Connection(Server("raw", how, url=url, headers={"X-Key": "secret"}))
        outcome = refused(one)
        assert outcome.detail.startswith(f"HTTP 307 Temporary Redirect (Redirect to {away} not followed")
        assert one.join(PATIENCE)
    assert other.headers == []


GZIP = (("content-encoding", "gzip"),)


def padded(size: int) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": "x" * size}]}


ANSWERED: list[tuple[str, Answer, Ended, str, str]] = [
    # name, answer, how the call ends, what the result begins with, a remark
    ("json", right, Ended.RESULT, "ok", ""),
    ("sse", lambda n: sse(event(message(n, OK))), Ended.RESULT, "ok", ""),
    ("sse-crlf", lambda n: sse(event(message(n, OK)).replace(b"\n", b"\r\n")), Ended.RESULT, "ok", ""),
    ("sse-split", lambda n: sse(event(message(n, OK).replace(b", ", b",\ndata: "))), Ended.RESULT, "ok", ""),
    ("sse-noise", lambda n: sse(b": hello\n\n", event(b"noise"), event(message(n, OK))), Ended.RESULT, "ok", "noise"),
    ("sse-2-mb", lambda n: sse(event(message(n, padded(2 << 20)))), Ended.RESULT, "xxx", ""),
    ("json-50-mb", lambda n: Reply(message(n, padded(50_000_000))), Ended.RESULT, "xxx", ""),
    ("wrong-id", lambda n: Reply(message(999, OK)), Ended.RESULT, "ok", "carries the id 999 instead of"),
    ("sse-wrong-id", lambda n: sse(event(message(999, OK))), Ended.RESULT, "ok", "carries the id 999 instead of"),
    ("gzip", lambda n: Reply(gzip.compress(message(n, OK)), headers=GZIP), Ended.RESULT, "ok", ""),
    (
        "sse-gzip",
        lambda n: Reply(gzip.compress(event(message(n, OK))), kind="text/event-stream", headers=GZIP),
        Ended.RESULT,
        "ok",
        "",
    ),
    (
        "digits",
        lambda n: Reply(message(n, {"content": [], "structuredContent": {"x": 0}}).replace(b"0}", b"7" * 4301 + b"}")),
        Ended.RESULT,
        '{"x": 777',
        "the MCP SDK cannot read this answer: Invalid JSON: number out of range",
    ),
    (
        "invalid-utf8",
        lambda n: sse(event(message(n, OK).replace(b"ok", b"\xff"))),
        Ended.RESULT,
        "\udcff",
        "the MCP SDK cannot read this answer",
    ),
    (
        "400-refused",
        lambda n: Reply(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no such line"}}', 400),
        Ended.REFUSED,
        "no such line",
        "",
    ),
]


@pytest.mark.parametrize(
    ("answer", "ended", "begins", "remark"), [row[1:] for row in ANSWERED], ids=[row[0] for row in ANSWERED]
)
def test_what_came_is_shown(answer: Answer, ended: Ended, begins: str, remark: str) -> None:
    with connected(answer) as (one, _):
        outcome = send(one)
        assert outcome.ended is ended, outcome
        assert outcome.result is not None
        assert (outcome.result.structured or outcome.result.text).startswith(begins)
        assert remark in "\n".join(outcome.remarks)
        assert bool(outcome.remarks) is bool(remark)
        assert send(one, tool="ok").ended is Ended.RESULT


HTML = b"<html>\x1b[31mgateway down</html>"
UNANSWERED: list[tuple[str, Answer, Ended, str]] = [
    (
        "401",
        lambda n: Reply(b"who are you?", 401, "text/plain"),
        Ended.PROTOCOL_ERROR,
        "HTTP 401 Unauthorized: who are you?",
    ),
    (
        "500",
        lambda n: Reply(HTML, 500, "text/html"),
        Ended.PROTOCOL_ERROR,
        r"HTTP 500 Internal Server Error: <html>\x1b[31mgateway down</html>",
    ),
    (
        "html",
        lambda n: Reply(HTML, 200, "text/html"),
        Ended.PROTOCOL_ERROR,
        r"HTTP 200 OK: <html>\x1b[31mgateway down</html> (Unexpected content type: text/html)",
    ),
    (
        "202",
        lambda n: Reply(status=202),
        Ended.PROTOCOL_ERROR,
        "HTTP 202 Accepted (server answered a request with 202 Accepted)",
    ),
    ("empty", lambda n: Reply(), Ended.PROTOCOL_ERROR, "HTTP 200 OK (Failed to parse JSON response"),
    ("malformed", lambda n: Reply(b'{"jsonrpc":'), Ended.PROTOCOL_ERROR, 'the answer is not JSON: {"jsonrpc":'),
    ("redirect", lambda n: Reply(b"", 302, headers=(("location", "/x"),)), Ended.PROTOCOL_ERROR, "HTTP 302 Found"),
    (
        "sse-without-answer",
        lambda n: sse(event(b'{"jsonrpc":"2.0","method":"notifications/message"}')),
        Ended.PROTOCOL_ERROR,
        "HTTP 200 OK (SSE stream ended without a response)",
    ),
    (
        "cut",
        lambda n: Reply(b'{"jsonrpc":"2.0","id":', cut=True),
        Ended.SERVER_DIED,
        "HTTP 200 OK: the connection was cut: peer closed connection without sending complete message body",
    ),
    (
        "sse-cut",
        lambda n: Reply(b'data: {"jsonrpc":"2.0","id":', kind="text/event-stream", cut=True),
        Ended.SERVER_DIED,
        "HTTP 200 OK: the connection was cut: peer closed connection without sending complete message body",
    ),
]


@pytest.mark.parametrize(
    ("answer", "ended", "detail"), [row[1:] for row in UNANSWERED], ids=[row[0] for row in UNANSWERED]
)
def test_no_answer(answer: Answer, ended: Ended, detail: str) -> None:
    with connected(answer) as (one, _):
        outcome = send(one)
        assert outcome.ended is ended, outcome
        assert outcome.detail.startswith(detail)
        assert outcome.sent == '{"line":5}'
        assert one.alive and send(one, tool="ok").ended is Ended.RESULT


def test_a_mute_server_and_a_cancel() -> None:
    raw = RawHttp(right)

    def mute(number: Any) -> Reply:
        raw.release.wait(PATIENCE)
        return right(number)

    raw.call = mute
    with reached(raw, timeout=SHORT) as one:
        one.connect().result(PATIENCE)
        outcome = send(one)
        assert (outcome.ended, outcome.detail) == (Ended.TIMED_OUT, "no answer within 0.5 s")
        pending = one.submit(call(), Depth.TOP)
        one.cancel(pending)
        assert pending.result(PATIENCE).ended is Ended.CANCELLED
        assert send(one, tool="ok").ended is Ended.RESULT


def test_a_server_that_is_mute_from_the_start() -> None:
    class Mute(RawHttp):
        def reply(self, method: str, body: bytes) -> Reply:
            self.release.wait(PATIENCE)
            return Reply(status=500)

    with reached(Mute(right), connect_timeout=SHORT) as one:
        outcome = refused(one)
        assert (outcome.ended, outcome.detail) == (Ended.TIMED_OUT, "no answer to initialize within 0.5 s")


def test_a_session_that_the_server_has_ended() -> None:
    class Sessions(RawHttp):
        def reply(self, method: str, body: bytes) -> Reply:
            return super().reply(method, body)._replace(headers=(("mcp-session-id", "7"),))

    with reached(Sessions(lambda n: Reply(b"", 404))) as one:
        one.connect().result(PATIENCE)
        outcome = send(one)
        assert outcome.ended is Ended.SERVER_DIED
        assert outcome.detail == "HTTP 404 Not Found: the server has ended the session"
        assert not one.alive


def test_a_body_without_end_is_cut() -> None:
    with connected(lambda n: Reply(message(n, padded(2_000_000))), longest=1_000_000) as (one, _):
        outcome = send(one)
        assert outcome.ended is Ended.SERVER_DIED
        assert outcome.detail == "HTTP 200 OK: the body has more than 1,000,000 bytes"


@pytest.mark.parametrize(
    ("reply", "ended", "detail"),
    [
        (Reply(b"who are you?", 401, "text/plain"), Ended.SERVER_DIED, "HTTP 401 Unauthorized: who are you?"),
        (Reply(b"", 500), Ended.SERVER_DIED, "HTTP 500 Internal Server Error"),
        (Reply(b"<html>", 200, "text/html"), Ended.SERVER_DIED, "HTTP 200 OK: <html>"),
        (Reply(b"{", 200), Ended.PROTOCOL_ERROR, "initialize: it is not JSON"),
        (Reply(b"{", cut=True), Ended.SERVER_DIED, "HTTP 200 OK: the connection was cut"),
    ],
    ids=["401", "500", "html", "malformed", "cut"],
)
def test_no_connection(reply: Reply, ended: Ended, detail: str) -> None:
    with reached(RawHttp(right, reply)) as one:
        outcome = refused(one)
        assert outcome.ended is ended, outcome
        assert outcome.detail.startswith(detail)


def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/mcp"
    for how in ("http", "sse"):
        one = Connection(Server("gone", how, url=url))
        outcome = refused(one)
        assert outcome.ended is Ended.SERVER_DIED
        assert outcome.detail == "the server cannot be reached: connection refused"
        assert one.join(PATIENCE)


def test_a_server_that_goes_away() -> None:
    class Once(Handler):
        protocol_version = "HTTP/1.0"  # no connection is kept

    raw = RawHttp(right)
    with serving(raw, Once) as url:
        one = Connection(Server("raw", "http", url=url))
        one.connect().result(PATIENCE)
    outcome = send(one)
    assert outcome.ended is Ended.SERVER_DIED and not one.alive
    assert one.join(PATIENCE)


@pytest.mark.parametrize(
    ("server", "detail"),
    [
        (Server("x", "http", url="ftp://127.0.0.1/"), "Request URL has an unsupported protocol 'ftp://'."),
        (Server("x", "http", url="http://127.0.0.1:1/", headers={"X-Key": "sec\nret"}), "the header 'X-Key' holds"),
    ],
)
def test_what_cannot_be_reached_at_all(server: Server, detail: str) -> None:
    one = Connection(server)
    outcome = refused(one)
    assert outcome.ended is Ended.SERVER_DIED
    assert outcome.detail.startswith(detail) and "sec" not in outcome.detail
    assert one.join(PATIENCE)


def test_the_tools_as_the_server_wrote_them() -> None:
    with connected(right) as (one, _):
        (tool,) = one.tools
        assert json.loads(tool.schema or "")["properties"]["line"] == {"type": "integer"}
