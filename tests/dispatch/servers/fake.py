"""A stdio MCP server that misbehaves in one way: `python fake.py MODE`. It writes bytes, so nothing is made right."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

OUT = sys.stdout.buffer
RESULT = {"content": [{"type": "text", "text": "ok"}]}
CACHED = {"ttlMs": 0, "cacheScope": "private"}
TOOL = {"name": "t", "inputSchema": {"type": "object", "properties": {"line": {"type": "integer"}}}}


def line(text: str | bytes) -> None:
    OUT.write((text.encode() if isinstance(text, str) else text) + b"\n")
    OUT.flush()


def say(message: dict[str, Any]) -> None:
    line(json.dumps({"jsonrpc": "2.0", **message}))


def result(number: Any, value: object) -> None:
    say({"id": number, "result": value})


def raw_result(number: int, text: str | bytes) -> None:
    """An answer whose result has exactly these characters."""
    line(b'{"jsonrpc":"2.0","id":%d,"result":' % number + (text.encode() if isinstance(text, str) else text) + b"}")


def text_of_size(size: int) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": "x" * size}]}


def twice(number: int, first: Callable[[], None]) -> None:
    """Something odd, then the right answer."""
    first()
    result(number, RESULT)


def sleep_forever() -> None:
    while True:
        time.sleep(60)


def flood(stream: Any, size: int) -> None:
    chunk = b"x" * 65536
    for _ in range(size // len(chunk)):
        stream.write(chunk)
    stream.flush()


def nested(depth: int) -> str:
    return '{"content":[],"structuredContent":{"x":' + "[" * depth + "]" * depth + "}}"


def echo(message: dict[str, Any]) -> None:
    result(message["id"], {"content": [{"type": "text", "text": json.dumps(message["params"])}]})


def elicit(number: int) -> None:
    form = {"type": "object", "properties": {}}
    say({"id": "ask", "method": "elicitation/create", "params": {"message": "who?", "requestedSchema": form}})
    answer = json.loads(sys.stdin.readline())
    result(number, {"content": [{"type": "text", "text": json.dumps(answer.get("error", "no error"))}]})


def with_child(number: int) -> None:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    os._exit(3)


CALLS: dict[str, Callable[[int], object]] = {
    "mute": lambda n: None,
    "dies": lambda n: (sys.stderr.write("it broke\n"), sys.stderr.flush(), os._exit(7)),
    "dies-mid-line": lambda n: (OUT.write(b'{"jsonrpc":"2.0","id":'), OUT.flush(), os._exit(0)),
    "killed": lambda n: os.kill(os.getpid(), signal.SIGKILL),
    "ended-by-35": lambda n: os.kill(os.getpid(), 35),
    "closes-stdout": lambda n: os.close(1),
    "noise": lambda n: twice(n, lambda: line("starting \x1b[31mup…")),
    "malformed": lambda n: line('{"jsonrpc":"2.0","result":{"content":[}}'),
    "malformed-id": lambda n: raw_result(n, '{"content":[}'),
    "wrong-id": lambda n: result(n + 1000, RESULT),
    "text-id": lambda n: result(str(n), RESULT),
    "late": lambda n: twice(n, lambda: result(n - 1, RESULT)),
    "invalid-utf8": lambda n: raw_result(n, b'{"content":[{"type":"text","text":"\xff"}]}'),
    "invalid-utf8-noise": lambda n: twice(n, lambda: line(b"\xff\xfe")),
    "digits": lambda n: raw_result(n, '{"content":[],"structuredContent":{"x":%s}}' % ("7" * 4301)),
    "surrogate": lambda n: raw_result(n, '{"content":[{"type":"text","text":"\\ud800"}]}'),
    "nested": lambda n: raw_result(n, nested(300)),
    "no-content": lambda n: result(n, {"structuredContent": {"x": 1}}),
    "unknown-content": lambda n: result(n, {"content": [{"type": "hologram", "data": "aGk="}]}),
    "list-result": lambda n: result(n, [1]),
    "batch": lambda n: line(json.dumps([{"jsonrpc": "2.0", "id": n, "result": RESULT}])),
    "no-jsonrpc": lambda n: line(json.dumps({"id": n, "result": RESULT})),
    "crlf": lambda n: line(json.dumps({"jsonrpc": "2.0", "id": n, "result": RESULT}) + "\r"),
    "tool-error": lambda n: result(n, {**RESULT, "isError": True}),
    "error": lambda n: say({"id": n, "error": {"code": -32603, "message": "broken"}}),
    "refuses": lambda n: say({"id": n, "error": {"code": -32602, "message": "no such line"}}),
    "large": lambda n: result(n, text_of_size(10_000_000)),
    "flood": lambda n: (flood(OUT, 50_000_000), line(""), result(n, RESULT)),
    "stderr-flood": lambda n: (flood(sys.stderr.buffer, 50_000_000), result(n, RESULT)),
    "violates": lambda n: result(n, {"content": [], "structuredContent": {"x": 5}}),
    "no-structured": lambda n: result(n, {"content": []}),
    "elicits": elicit,
    "grandchild": with_child,
}


def tools(mode: str, cursor: str | None) -> dict[str, Any]:
    if mode == "bad-tool":
        bad = {"name": "no-schema"}
        return {"tools": [TOOL, bad, {"name": 5}, {"name": "odd", "inputSchema": {"type": None}}]}
    if mode == "endless-pages":
        number = int(cursor or 0) + 1
        return {"tools": [{**TOOL, "name": f"t{number}"}], "nextCursor": str(number)}
    if mode == "same-cursor":
        return {"tools": [TOOL], "nextCursor": "again"}
    if mode in ("violates", "no-structured"):
        output = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
        return {"tools": [{**TOOL, "outputSchema": output}]}
    return {"tools": [TOOL]}


def main(mode: str) -> None:
    if mode == "dies-at-start":
        sys.exit("cannot open the database")
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    listed = 0
    for text in sys.stdin:
        message = json.loads(text)
        method, number = message.get("method"), message.get("id")
        if mode == "modern" and method == "initialize":
            say({"id": number, "error": {"code": -32601, "message": "Method not found"}})
        elif mode == "modern" and method == "server/discover":
            found = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **CACHED}
            result(number, {**found, "serverInfo": {"name": "fake", "version": "1"}, "resultType": "complete"})
        elif mode == "modern" and method == "tools/list":
            result(number, {"tools": [TOOL], **CACHED, "resultType": "complete"})
        elif mode == "modern" and method == "tools/call":
            result(number, {**RESULT, "resultType": "complete"})
        elif method == "initialize" and mode != "mute-at-connect":
            info = {"name": "fake", "version": "1"}
            result(number, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info})
        elif method == "tools/list" and mode == "no-tools":
            say({"id": number, "error": {"code": -32601, "message": "Method not found"}})
        elif method == "tools/list" and mode == "changing":
            listed += 1
            result(number, {"tools": [{**TOOL, "name": f"t{listed}"}]})
        elif method == "tools/list":
            result(number, tools(mode, message.get("params", {}).get("cursor")))
        elif method == "tools/call" and mode == "changing":
            say({"method": "notifications/tools/list_changed"})
            echo(message)
        elif method == "tools/call":
            once = message["params"].get("name") == "ok"
            echo(message) if once or mode not in CALLS else CALLS[mode](number)
    if mode == "stubborn":
        sleep_forever()


if __name__ == "__main__":
    main(sys.argv[1])
