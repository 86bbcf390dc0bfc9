"""The older HTTP transport: requests are posted, and all answers come over one event stream."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from blockview.core.jsontext import Transport
from blockview.core.outcome import Ended
from blockview.dispatch.connection import Connection
from blockview.dispatch.servers import Server
from tests.dispatch.live import PATIENCE, refused, send
from tests.dispatch.servers.raw_http import OK, TOOL, Handler, RawHttp, Reply, event, message, serving


class Streams(Handler):
    """GET opens the event stream; what a POST is answered with goes there."""

    events: queue.Queue[bytes | None]

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(event(b"/messages", event="endpoint"))
        while (part := self.events.get()) is not None:
            self.wfile.write(part)
        self.close_connection = True

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.raw.bodies.append(body)
        said = json.loads(body)
        reply = self.raw.reply("POST", body)
        if reply.status < 300 and "id" in said:
            self.events.put(event(reply.body) if reply.body else None)
        self.send_response(202 if reply.status < 300 else reply.status)
        self.send_header("content-length", "0")
        self.end_headers()


class Moved(Streams):
    """Redirects from the paths that it is asked for at first to others."""

    def moved(self) -> bool:
        if self.path.endswith("/"):
            return False
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(307)
        self.send_header("location", f"{self.path}/")
        self.send_header("content-length", "0")
        self.end_headers()
        return True

    def do_GET(self) -> None:
        return None if self.moved() else super().do_GET()

    def do_POST(self) -> None:
        return None if self.moved() else super().do_POST()


@contextmanager
def reached(raw: RawHttp, kind: type[Streams] = Streams, **options: Any) -> Iterator[Connection]:
    handler = type("Bound", (kind,), {"events": queue.Queue()})
    with serving(raw, handler) as url:
        one = Connection(Server("old", "sse", url=url), **options)
        try:
            yield one
        finally:
            one.close()
            handler.events.put(None)
            assert one.join(PATIENCE)


def test_a_call() -> None:
    raw = RawHttp(lambda n: Reply(message(n, OK)))
    with reached(raw) as one:
        one.connect().result(PATIENCE)
        outcome = send(one, '{"line":5.0,"small":1e-5}')
        assert one.transport is Transport.HTTP
        assert (outcome.ended, outcome.sent) == (Ended.RESULT, '{"line":5,"small":1e-05}')
        assert f'"arguments":{outcome.sent}'.encode() in raw.bodies[-1]


@pytest.mark.parametrize(
    ("reply", "ended", "detail"),
    [
        (lambda n: Reply(message(n, {"content": [{"type": "text", "text": "x" * (2 << 20)}]})), Ended.RESULT, ""),
        (lambda n: Reply(b"noise"), Ended.TIMED_OUT, "no answer within 0.5 s; not a message: noise"),
        (lambda n: Reply(status=500), Ended.PROTOCOL_ERROR, "HTTP 500 Internal Server Error"),
        (lambda n: Reply(), Ended.SERVER_DIED, "the server closed the event stream"),
    ],
    ids=["2-mb", "noise", "500", "stream-ends"],
)
def test_what_can_happen(reply: Any, ended: Ended, detail: str) -> None:
    with reached(RawHttp(reply), timeout=PATIENCE if ended is not Ended.TIMED_OUT else 0.5) as one:
        one.connect().result(PATIENCE)
        outcome = send(one)
        assert (outcome.ended, outcome.detail) == (ended, detail)
        after = send(one, tool="ok").ended
        assert after is (Ended.SERVER_DIED if ended is Ended.SERVER_DIED else Ended.RESULT)


def test_a_list_of_tools_that_is_too_long_for_the_sdk() -> None:
    class Long(RawHttp):
        def reply(self, method: str, body: bytes) -> Reply:
            said = json.loads(body)
            if said["method"] == "tools/list":
                return Reply(message(said["id"], {"tools": [{**TOOL, "description": "x" * (2 << 20)}]}))
            return super().reply(method, body)

    with reached(Long(lambda n: Reply(message(n, OK)))) as one:
        one.connect().result(PATIENCE)
        assert [tool.name for tool in one.tools] == ["t"]
        assert send(one).sent == '{"line":5}'


def test_redirects_on_the_same_server_are_followed() -> None:
    raw = RawHttp(lambda n: Reply(message(n, OK)))
    with reached(raw, Moved) as one:
        one.connect().result(PATIENCE)
        outcome = send(one)
        assert (outcome.ended, outcome.sent) == (Ended.RESULT, '{"line":5}')
    assert b'"arguments":{"line":5}' in next(body for body in raw.bodies if b"tools/call" in body)


def test_refused_at_the_door() -> None:
    with serving(RawHttp(lambda n: Reply(), Reply(b"no entry", 401))) as url:
        one = Connection(Server("old", "sse", url=url.replace("/mcp", "/other")))

        outcome = refused(one)
        assert (outcome.ended, outcome.detail) == (Ended.SERVER_DIED, "HTTP 405 Method Not Allowed")
        assert one.join(PATIENCE)
