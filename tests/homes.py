"""Homes as agents leave them: sessions of six tools where each tool keeps them, small and as many as wanted.

Each turn of a session has two calls: one that is answered, and one that fails.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

PROJECT = "/home/someone/uploader"
NEWEST = 1_780_000_000
"""Seconds since 1970 at which the newest session of a home was written; each older one an hour before."""

Row = dict[str, Any]
WriteOne = Callable[[Path, int, int], Path]
"""Writes the session of a number, with so many turns, below a home."""
WriteMany = Callable[[Path, range, int], Path]
"""Writes the sessions of these numbers into one database."""


def _said(number: int, turn: int) -> str:
    return f"prompt {turn} of session {number}: port the parser to exact numbers, and keep each digit as it is"


def _filler(turn: int) -> str:
    return f"I look at the parser first, then at its callers. {turn} " * 8


def _time(turn: int, second: int = 0) -> str:
    return f"2026-03-01T{turn % 24:02}:{second:02}:00.000Z"


def _lines(rows: list[Row]) -> str:
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


ARGUMENTS = {"path": "parser.py", "line": 5.0, "id": 1234567890123456789}
FAILING = {"text": "limit"}


def claude(number: int, turns: int) -> str:
    """A transcript of Claude Code."""
    rows: list[Row] = []

    def line(kind: str, **members: Any) -> None:
        parent = rows[-1]["uuid"] if rows else None
        rows.append(
            {
                "parentUuid": parent,
                "isSidechain": False,
                "cwd": PROJECT,
                "sessionId": f"claude-{number}",
                "version": "2.1.4",
                "type": kind,
                "uuid": f"u{len(rows)}",
                "timestamp": _time(len(rows)),
                **members,
            }
        )

    for turn in range(turns):
        line("user", message={"role": "user", "content": _said(number, turn)})
        uses = [
            {"type": "tool_use", "id": f"t{turn}a", "name": "mcp__editor__open", "input": ARGUMENTS},
            {"type": "tool_use", "id": f"t{turn}b", "name": "mcp__editor__find", "input": FAILING},
        ]
        content = [{"type": "text", "text": _filler(turn)}, *uses]
        line("assistant", message={"id": f"m{turn}", "role": "assistant", "content": content})
        results = [
            {"type": "tool_result", "tool_use_id": f"t{turn}a", "content": _filler(turn)},
            {"type": "tool_result", "tool_use_id": f"t{turn}b", "content": "no such text", "is_error": True},
        ]
        line("user", message={"role": "user", "content": results})
    return _lines(rows)


def codex(number: int, turns: int) -> str:
    """A rollout of Codex."""
    meta = {"id": f"codex-{number}", "timestamp": _time(0), "cwd": PROJECT, "originator": "codex_cli_rs"}
    rows: list[Row] = [{"timestamp": _time(0), "type": "session_meta", "payload": meta | {"cli_version": "0.120.0"}}]

    def item(kind: str, payload: Row) -> None:
        rows.append({"timestamp": _time(len(rows)), "type": kind, "payload": payload})

    def message(role: str, kind: str, text: str) -> None:
        item("response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    for turn in range(turns):
        message("user", "input_text", _said(number, turn))
        item("event_msg", {"type": "user_message", "message": _said(number, turn)})
        message("assistant", "output_text", _filler(turn))
        for call, tool, arguments, result in (
            (f"c{turn}a", "open", ARGUMENTS, {"Ok": {"content": [{"type": "text", "text": _filler(turn)}]}}),
            (f"c{turn}b", "find", FAILING, {"Ok": {"content": [{"type": "text", "text": "none"}], "isError": True}}),
        ):
            named = {"name": f"mcp__editor__{tool}", "call_id": call, "arguments": json.dumps(arguments)}
            item("response_item", {"type": "function_call", **named})
            invocation = {"server": "editor", "tool": tool, "arguments": arguments}
            end = {"call_id": call, "invocation": invocation, "duration": {"secs": 0, "nanos": 5}, "result": result}
            item("event_msg", {"type": "mcp_tool_call_end", **end})
            item("response_item", {"type": "function_call_output", "call_id": call, "output": _filler(turn)})
    return _lines(rows)


def gemini(number: int, turns: int) -> str:
    """A session of Gemini CLI."""
    rows: list[Row] = [
        {
            "sessionId": f"gemini-{number}",
            "projectHash": "5f",
            "startTime": _time(0),
            "lastUpdated": _time(0),
            "kind": "main",
            "directories": [PROJECT],
        }
    ]
    for turn in range(turns):
        calls = [
            {
                "id": f"g{turn}{tool}",
                "name": f"mcp_editor_{tool}",
                "args": arguments,
                "status": status,
                "timestamp": _time(turn),
                "result": [{"functionResponse": {"id": f"g{turn}{tool}", "name": tool, "response": {key: said}}}],
            }
            for tool, arguments, status, key, said in (
                ("open", ARGUMENTS, "success", "output", _filler(turn)),
                ("find", FAILING, "error", "error", "no such text"),
            )
        ]
        rows.append({"id": f"u{turn}", "timestamp": _time(turn), "type": "user", "content": _said(number, turn)})
        told = {"type": "gemini", "content": _filler(turn), "toolCalls": calls}
        rows.append({"id": f"m{turn}", "timestamp": _time(turn), **told})
    return _lines(rows)


def copilot(number: int, turns: int) -> str:
    """The events of a session of Copilot CLI."""
    rows: list[Row] = []

    def event(kind: str, **data: Any) -> None:
        parent = rows[-1]["id"] if rows else None
        time = _time(len(rows))
        rows.append({"type": kind, "data": data, "id": f"e{len(rows)}", "timestamp": time, "parentId": parent})

    about = {"producer": "copilot-agent", "copilotVersion": "1.0.77", "startTime": _time(0)}
    event("session.start", sessionId=f"copilot-{number}", version=1, context={"cwd": PROJECT}, **about)
    for turn in range(turns):
        event("user.message", content=_said(number, turn), attachments=[])
        event("assistant.message", messageId=f"m{turn}", content=_filler(turn), toolRequests=[])
        for tool, arguments, outcome in (
            ("open", ARGUMENTS, {"success": True, "result": {"content": _filler(turn)}}),
            ("find", FAILING, {"success": False, "error": {"code": "failure", "message": "no such text"}}),
        ):
            named = {"toolName": f"editor-{tool}", "mcpServerName": "editor", "mcpToolName": tool}
            event("tool.execution_start", toolCallId=f"p{turn}{tool}", arguments=arguments, **named)
            event("tool.execution_complete", toolCallId=f"p{turn}{tool}", **outcome)
    return _lines(rows)


def _write(path: Path, text: str, age: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (NEWEST - 3600 * age,) * 2)
    return path


def write_claude(home: Path, number: int, turns: int = 1) -> Path:
    """One session where Claude Code keeps it."""
    return _write(
        home / f".claude/projects/-home-someone-p{number % 7}/claude-{number}.jsonl", claude(number, turns), number
    )


def write_codex(home: Path, number: int, turns: int = 1) -> Path:
    """One session where Codex keeps it."""
    folder = home / f".codex/sessions/2026/03/{number % 28 + 1:02}"
    return _write(folder / f"rollout-2026-03-01T10-00-00-{number}.jsonl", codex(number, turns), number)


def write_gemini(home: Path, number: int, turns: int = 1) -> Path:
    """One session where Gemini CLI keeps it."""
    return _write(
        home / f".gemini/tmp/5f{number % 5}/chats/session-2026-03-01T10-00-{number}.jsonl",
        gemini(number, turns),
        number,
    )


def write_copilot(home: Path, number: int, turns: int = 1) -> Path:
    """One session where Copilot CLI keeps it."""
    return _write(home / f".copilot/session-state/{number}/events.jsonl", copilot(number, turns), number)


def write_opencode(home: Path, numbers: range, turns: int = 1) -> Path:
    """All these sessions in OpenCode's database."""
    path = home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, title TEXT, directory TEXT,
                time_created INTEGER, time_updated INTEGER);
            CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT, time_created INTEGER);
            CREATE INDEX message_session_idx ON message (session_id);
            CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
            CREATE INDEX part_message_idx ON part (message_id);
            """
        )
        for number in numbers:
            when = (NEWEST - 3600 * number) * 1000
            row = (f"ses_{number}", "p", None, f"Title of session {number}", PROJECT, when, when)
            connection.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            for turn in range(turns):
                for role, parts in (("user", _typed(number, turn)), ("assistant", _opencode_parts(turn))):
                    message = f"msg_{number:05}_{turn:03}_{role == 'assistant':d}"
                    data = json.dumps({"role": role, "time": {"created": when}})
                    connection.execute(
                        "INSERT INTO message VALUES (?, ?, ?, ?)", (message, f"ses_{number}", data, when)
                    )
                    for order, part in enumerate(parts):
                        held = (f"{message}_{order}", message, f"ses_{number}", json.dumps(part))
                        connection.execute("INSERT INTO part VALUES (?, ?, ?, ?)", held)
        connection.commit()
    os.utime(path, (NEWEST,) * 2)
    return path


def _typed(number: int, turn: int) -> list[Row]:
    return [{"type": "text", "text": _said(number, turn)}]


def _opencode_parts(turn: int) -> list[Row]:
    time = {"start": 10, "end": 35}
    done = {
        "status": "completed",
        "input": ARGUMENTS,
        "output": _filler(turn),
        "title": "",
        "metadata": {},
        "time": time,
    }
    failed = {"status": "error", "input": FAILING, "error": "no such text", "time": time}
    return [
        {"type": "text", "text": _filler(turn)},
        {"type": "tool", "callID": f"o{turn}a", "tool": "editor_open", "state": done},
        {"type": "tool", "callID": f"o{turn}b", "tool": "editor_find", "state": failed},
    ]


def write_goose(home: Path, numbers: range, turns: int = 1) -> Path:
    """All these sessions in Goose's database."""
    path = home / ".local/share/goose/sessions/sessions.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE schema_version (version INTEGER);
            CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT, working_dir TEXT, created_at TIMESTAMP,
                updated_at TIMESTAMP);
            CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT,
                created_timestamp INTEGER, metadata_json TEXT);
            CREATE INDEX idx_messages_session ON messages (session_id);
            """
        )
        for number in numbers:
            when = NEWEST - 3600 * number
            row = (f"goose_{number}", f"Title of session {number}", PROJECT, when, when)
            connection.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, datetime(?, 'unixepoch'), datetime(?, 'unixepoch'))", row
            )
            for turn in range(turns):
                for role, content in _goose_messages(number, turn):
                    connection.execute(
                        "INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES (?, ?, ?, ?)",
                        (f"goose_{number}", role, json.dumps(content), when),
                    )
        connection.commit()
    os.utime(path, (NEWEST,) * 2)
    return path


def _goose_messages(number: int, turn: int) -> list[tuple[str, list[Row]]]:
    def asks(call: str, tool: str, arguments: Row) -> Row:
        value = {"name": f"editor__{tool}", "arguments": arguments}
        return {"type": "toolRequest", "id": call, "toolCall": {"status": "success", "value": value}}

    def hears(call: str, text: str, failed: bool) -> Row:
        value = {"content": [{"type": "text", "text": text}], "isError": failed}
        return {"type": "toolResponse", "id": call, "toolResult": {"status": "success", "value": value}}

    return [
        ("user", _typed(number, turn)),
        ("assistant", [{"type": "text", "text": _filler(turn)}, asks(f"{turn}a", "open", ARGUMENTS)]),
        ("user", [hears(f"{turn}a", _filler(turn), False)]),
        ("assistant", [asks(f"{turn}b", "find", FAILING)]),
        ("user", [hears(f"{turn}b", "no such text", True)]),
    ]


TOOLS: dict[str, Callable[[Path, range, int], object]] = {
    "Claude Code": lambda home, numbers, turns: [write_claude(home, number, turns) for number in numbers],
    "Codex": lambda home, numbers, turns: [write_codex(home, number, turns) for number in numbers],
    "Gemini CLI": lambda home, numbers, turns: [write_gemini(home, number, turns) for number in numbers],
    "Copilot CLI": lambda home, numbers, turns: [write_copilot(home, number, turns) for number in numbers],
    "OpenCode": write_opencode,
    "Goose": write_goose,
}
"""How each tool's sessions are written, by the name that the picker gives the tool."""


def make_home(home: Path, sessions: int, turns: int = 1) -> Path:
    """A home with that many sessions, shared evenly among the tools; the lower its number the newer each is."""
    start = 0
    for place, write in enumerate(TOOLS.values(), 1):
        stop = sessions * place // len(TOOLS)
        write(home, range(start, stop), turns)
        start = stop
    return home
