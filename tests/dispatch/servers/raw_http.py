"""An HTTP server on 127.0.0.1 that answers with exactly the bytes a test wants, and keeps what it got."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Reply(NamedTuple):
    """What the server sends back. With `cut` the connection ends before the promised length is there."""

    body: bytes = b""
    status: int = 200
    kind: str = "application/json"
    cut: bool = False
    headers: tuple[tuple[str, str], ...] = ()


def message(number: Any, result: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode()


def event(data: bytes, **fields: str) -> bytes:
    lines = [f"{name}: {value}\n" for name, value in fields.items()]
    return "".join(lines).encode() + b"data: " + data + b"\n\n"


def sse(*events: bytes) -> Reply:
    return Reply(b"".join(events), kind="text/event-stream")


OK = {"content": [{"type": "text", "text": "ok"}]}
TOOL = {"name": "t", "inputSchema": {"type": "object", "properties": {"line": {"type": "integer"}}}}

Answer = Callable[[Any], Reply]
"""What to reply to the tools/call of this id."""


class RawHttp:
    """A Streamable HTTP server: the handshake and the list are right, calls of the tool `t` get what the test wants."""

    def __init__(self, call: Answer, connect: Reply | None = None) -> None:
        self.call, self.connect = call, connect
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.methods: list[str] = []
        self.release = threading.Event()
        """Ends the waiting of a mute answer."""

    def reply(self, method: str, body: bytes) -> Reply:
        if method != "POST":
            return Reply(status=405)
        said = json.loads(body)
        number, what = said.get("id"), said["method"]
        self.methods.append(what)
        if self.connect is not None:
            return self.connect
        if number is None:
            return Reply(status=202)
        if what == "initialize":
            info = {"name": "raw", "version": "1"}
            return Reply(message(number, {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": info}))
        if what == "tools/list":
            return Reply(message(number, {"tools": [TOOL]}))
        if said["params"]["name"] == "ok":
            return Reply(message(number, OK))
        return self.call(number)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    raw: RawHttp

    def handle_one(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.raw.bodies.append(body)
        self.raw.headers.append(dict(self.headers))
        reply = self.raw.reply(self.command, body)
        self.send_response(reply.status)
        self.send_header("content-type", reply.kind)
        self.send_header("content-length", str(len(reply.body) + (1000 if reply.cut else 0)))
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)
        self.close_connection = self.close_connection or reply.cut

    do_POST = do_GET = do_DELETE = handle_one

    def log_message(self, format: str, *args: object) -> None:
        pass


class Quiet(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves early is no error here."""


@contextmanager
def serving(raw: RawHttp, handler: type[Handler] = Handler) -> Iterator[str]:
    """Run the server; gives its URL."""
    server = Quiet(("127.0.0.1", 0), type("Bound", (handler,), {"raw": raw}))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    finally:
        raw.release.set()
        server.shutdown()
        thread.join()
        server.server_close()
