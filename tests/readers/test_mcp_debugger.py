"""The database of mcp-debugger."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from blockview.core.model import Status
from blockview.readers.mcp_debugger import DebuggerReader
from blockview.readers.opening import open_session
from blockview.readers.registry import read_session, sessions_in
from blockview.readers.source import Source
from tests.readers.captures import calls, shown, traffic
from tests.readers.test_mcp_captures import CALLS, CONVERSATION, database, told

COLUMNS = "session_id, message_id, direction, method, params, result, error, timestamp, message_type"


def write(path: Path, *rows: tuple[object, ...]) -> sqlite3.Connection:
    """Make a database as the recorder does, add rows to it, and leave it open."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.deserialize(database(CONVERSATION))
        made.executemany(f"INSERT INTO messages ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        made.commit()
        path.write_bytes(made.serialize())
    owner = sqlite3.connect(path, isolation_level=None)
    owner.execute("PRAGMA journal_mode = WAL")
    return owner


def test_it_is_read_while_its_owner_writes(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with closing(write(path)) as owner:
        session = open_session(path)
        owner.execute("BEGIN IMMEDIATE")
        owner.execute("UPDATE messages SET method = 'tools/call' WHERE id = 1")
        assert told(session) == CALLS
        owner.execute("COMMIT")


def test_a_row_that_is_gone_or_locked_says_so(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with closing(write(path)) as owner:
        session = open_session(path)
        owner.execute("DELETE FROM messages WHERE message_id = '2'")
        block = session.blocks[1]
        assert [note.text for note in block.items if hasattr(note, "text")] == ["line 6 can no longer be read"]
        owner.execute("PRAGMA locking_mode = EXCLUSIVE")
        owner.execute("BEGIN EXCLUSIVE")
        assert session.blocks[2].calls[0].tool == ""
        assert session.read_raw(session.blocks[2].place) == ""


def test_rows_that_are_not_as_the_recorder_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    rows: list[tuple[object, ...]] = [
        (1, "9", "client_to_server", "tools/call", '{"name":"add","arguments":{"a":1.50}', None, None, 1e15, "request"),
        (1, "8", "sideways", "tools/call", '{"name":"sub"}', None, None, 2e15, "request"),
        (1, "8", "server_to_client", "tools/call", None, None, None, 3e15, "response"),
        (1, None, "server_to_client", None, b"\xff\0", None, None, "soon", None),
    ]
    write(path, *rows).close()
    session = open_session(path)
    assert told(session)[:5] == CALLS
    assert [(made.tool, made.arguments, made.status) for made in calls(session)][5:] == [
        ("", None, Status.NO_RESULT),
        ("sub", None, Status.OK),
    ]
    assert session.counts.unknown == 1
    assert [made.place.line for made in calls(session)][5:] == [15, 16]
    assert '"params": {"name":"sub"}' in session.read_raw(calls(session)[6].place)
    assert "not a message" in shown(traffic(session)[0])[-1]


def test_its_sessions_newest_first(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with closing(write(path)) as owner:
        owner.execute("INSERT INTO sessions VALUES (2, NULL, 'other server', '2026-04-01 00:00:00')")
        owner.execute("UPDATE messages SET session_id = 2 WHERE message_id = '6'")
    with Source.open(path) as source:
        assert [(one.id, one.title) for one in sessions_in(source)] == [("2", "other server"), ("1", "calc")]
        assert told(read_session(source)) == CALLS[4:]
        assert told(read_session(source, "1")) == CALLS[:4]
        assert len(DebuggerReader().read_one(source, "77").blocks) == 0
    assert os.listdir(tmp_path) == ["sessions.db"]


def test_tools_that_no_recorded_list_holds(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with closing(write(path)) as owner:
        owner.execute("DELETE FROM messages WHERE method = 'tools/list'")
        owner.execute("INSERT INTO tools VALUES (1, 'add', '{\"type\": \"object\"}')")
    assert [(tool.name, tool.schema) for tool in open_session(path).tools] == [("add", '{"type": "object"}')]


@pytest.mark.parametrize("way", ["file", "pipe"])
def test_sample(shared: Path, way: str) -> None:
    path = shared / "samples/mcp-wire/mcp-debugger_sessions.db"
    session = open_session(path) if way == "file" else read_session(Source.of_bytes("stdin", path.read_bytes()))
    assert (session.format, session.title, session.id) == ("mcp-debugger", "everything", "1")
    assert (session.counts.records, session.counts.messages, session.counts.orphan_results) == (28, 28, 0)
    made = calls(session)
    assert [one.id for one in made] == ["2", "s-3", "4", "5", "6", "7", "8", "9", "10"]
    assert made[2].arguments == '{"a": 1234567890123456789, "b": 0}'
    assert [one.status for one in made].count(Status.TOOL_ERROR) == 2
    assert (len(session.tools), session.diagnostics) == (13, ())
