"""Captures in the making, and what the tests ask a session for."""

import json

from blockview.core.model import Block, Session, Text, ToolCall
from blockview.readers.head import Head
from blockview.readers.source import Source
from blockview.readers.wire import READERS

ENVELOPES = ["mcp-jsonrpc", "mcp-rec", "mcporter", "mcpsnoop", "mcpspy", "mcp-vcr", "blockview-record"]
INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}'
INITIALIZED = '{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"calc","version":"1"}}}'
LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'


def read(data: bytes | str, form: str | None = None) -> Session:
    """The session in a capture, by the reader that claims it."""
    source = Source.of_bytes("capture", data if isinstance(data, bytes) else data.encode())
    head = Head.of(source)
    reader = next(reader for reader in READERS if reader.sniff(head))
    assert form is None or reader.format == form
    return reader.read(source)


class Recording:
    """A capture in the making: messages are wrapped as the recorder would."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.lines: list[str] = []

    def client(self, *messages: str) -> "Recording":
        self.lines += [self.wrap("→", message, number) for number, message in enumerate(messages, len(self.lines))]
        return self

    def server(self, *messages: str) -> "Recording":
        self.lines += [self.wrap("←", message, number) for number, message in enumerate(messages, len(self.lines))]
        return self

    def wrap(self, way: str, message: str, number: int) -> str:
        up = way == "→"
        time = f'"2026-11-30T23:31:{number:02}.000Z"'
        match self.form:
            case "mcp-rec":
                arrow = "client->server" if up else "server->client"
                return f'{{"ts": {1796081400 + number}.0, "dir": "{arrow}", "msg": {message}}}'
            case "mcporter":
                return f'{message[:-1]},"_meta":{{"dir":"{"send" if up else "recv"}","server":"calc","ts":{time}}}}}'
            case "mcpsnoop":
                return (
                    f'{{"session_id":"s1","server_label":"calc","seq":{number},"ts":{time},'
                    f'"direction":"{"c2s" if up else "s2c"}","transport":"stdio","raw":{message}}}'
                )
            case "mcpspy":
                ends = '"from_pid":7,"to_pid":8' if up else '"from_pid":8,"to_pid":7'
                return (
                    f'{{"timestamp":{time},"transport_type":"stdio","stdio_transport":{{{ends}}},'
                    f'"type":"request","params":{{"n":5}},"error":{{}},"raw":{json.dumps(message)}}}'
                )
            case "blockview-record":
                arrow = "client→server" if up else "server→client"
                return f'{{"at":{time},"way":"{arrow}","server":"calc","text":{json.dumps(message)}}}'
            case "mcp-vcr":
                return f'{{"t": {number * 1000}, "dir": "{"c2s" if up else "s2c"}", "payload": {message}}}'
        return message

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def read(self) -> Session:
        return read(self.text(), self.form)


def call(id_: str, arguments: str = "{}", name: str = "add") -> str:
    return f'{{"jsonrpc":"2.0","id":{id_},"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}'


def answer(id_: str, text: str = "fine") -> str:
    return f'{{"jsonrpc":"2.0","id":{id_},"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}'


def calls(session: Session) -> list[ToolCall]:
    return [item for block in session.blocks for item in block.calls]


def traffic(session: Session) -> list[Block]:
    return [block for block in session.blocks if block.label == "traffic"]


def shown(block: Block) -> list[str]:
    return [item.text for item in block.items if isinstance(item, Text)]


def tools(*names: str, schema: str = '{"type":"object"}', cursor: str = "") -> str:
    listed = ",".join(f'{{"name":"{name}","inputSchema":{schema}}}' for name in names)
    more = f',"nextCursor":"{cursor}"' if cursor else ""
    return f'{{"tools":[{listed}]{more}}}'
