"""Lines as Claude Code writes them, and ways to read them."""

import json
from typing import Any

from blockview.core.model import Session, ToolCall
from blockview.readers.registry import read_session
from blockview.readers.source import Source

ADD = "mcp__demo__add"


def line(kind: str, uuid: str, parent: str | None, second: float = 0, **members: Any) -> str:
    """A line of a transcript; `members` add to it or replace what it has, and one that is `...` is left out."""
    whole = {
        "parentUuid": parent,
        "isSidechain": False,
        "cwd": "/home/someone/project",
        "sessionId": "session-1",
        "version": "2.1.4",
        "type": kind,
        "uuid": uuid,
        "timestamp": f"2026-03-01T10:00:{second:06.3f}Z",
        **members,
    }
    return json.dumps({name: value for name, value in whole.items() if value is not ...}, separators=(",", ":"))


def prompt(text: Any, uuid: str = "u1", parent: str | None = None, second: float = 0, **members: Any) -> str:
    return line("user", uuid, parent, second, message={"role": "user", "content": text}, **members)


def says(*content: Any, uuid: str = "a1", parent: str | None = "u1", second: float = 1, **members: Any) -> str:
    """An assistant line with these content blocks; a string is a text block."""
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]
    message = {"id": members.pop("message_id", f"msg_{uuid}"), "role": "assistant", "content": blocks}
    return line("assistant", uuid, parent, second, message=message, **members)


def use(call_id: str = "t1", name: str = ADD, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str = "t1", content: Any = "5", **members: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **members}


def answers(*results: Any, uuid: str = "r1", parent: str | None = "a1", second: float = 2, **members: Any) -> str:
    """A user line that carries results."""
    return line("user", uuid, parent, second, message={"role": "user", "content": list(results)}, **members)


def read(*lines: str | bytes, end: bytes = b"\n") -> Session:
    """The session that a file of these lines tells."""
    data = end.join(line.encode() if isinstance(line, str) else line for line in lines) + end
    return read_bytes(data)


def read_bytes(data: bytes) -> Session:
    return read_session(Source.of_bytes("recording", data))


def calls(session: Session) -> list[ToolCall]:
    return [call for block in session.blocks for call in block.calls]


def only_call(session: Session) -> ToolCall:
    (call,) = calls(session)
    return call


def texts(session: Session, *roles: str) -> list[str]:
    """All texts of the session, in order; only those with one of the roles when some are given."""
    return [
        item.text
        for block in session.blocks
        for item in block.items
        if not isinstance(item, ToolCall) and (not roles or item.role in roles)
    ]
