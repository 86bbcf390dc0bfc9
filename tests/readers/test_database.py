"""SQLite files: read beside a writer, when locked, from memory, and when something is wrong with them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockview.core.listing import Listing
from blockview.core.model import Diagnostic
from blockview.readers.database import UnreadableDatabase, all_rows, columns, open_database, rows, tables
from blockview.readers.glance import look
from blockview.readers.head import Head
from blockview.readers.opening import open_session
from blockview.readers.source import Source
from tests.readers import test_goose, test_mcp_captures, test_opencode


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed database with a write-ahead log, as most programs keep theirs; its name needs escaping in a URI."""
    path = tmp_path / "a?b #1%.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)")
        made.execute("INSERT INTO notes (body) VALUES ('one'), (CAST(x'22ff22' AS TEXT))")
        made.commit()
    return path


@pytest.fixture
def owner(path: Path) -> Iterator[sqlite3.Connection]:
    """The program that has the database open."""
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute("SELECT id FROM notes").fetchall()
        yield owner


def bodies(source: Source) -> list[object]:
    with closing(open_database(source)) as connection:
        return [body for (body,) in connection.execute("SELECT body FROM notes ORDER BY id")]


def test_a_closed_database_is_read_and_nothing_appears_beside_it(path: Path) -> None:
    with Source.open(path) as source:
        assert bodies(source) == ["one", '"\udcff"']
        assert Head.of(source).tables == {"notes"}
    assert os.listdir(path.parent) == [path.name]


def test_what_came_through_a_pipe(path: Path) -> None:
    source = Source.of_bytes("stdin", path.read_bytes())
    assert bodies(source) == ["one", '"\udcff"']
    assert Head.of(source).tables == {"notes"}


def test_what_the_owner_has_just_written_is_there(path: Path, owner: sqlite3.Connection) -> None:
    owner.execute("INSERT INTO notes (body) VALUES ('two')")
    with Source.open(path) as source:
        assert bodies(source)[2:] == ["two"]
        owner.execute("BEGIN IMMEDIATE")
        owner.execute("INSERT INTO notes (body) VALUES ('not yet')")
        assert bodies(source)[2:] == ["two"]
        owner.execute("COMMIT")
        assert bodies(source)[2:] == ["two", "not yet"]


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_database_that_its_owner_has_locked(path: Path, owner: sqlite3.Connection, journal: str) -> None:
    owner.execute(f"PRAGMA journal_mode = {journal}")
    owner.execute("PRAGMA locking_mode = EXCLUSIVE")
    owner.execute("BEGIN EXCLUSIVE")
    owner.execute("INSERT INTO notes (body) VALUES ('two')")
    with Source.open(path) as source:
        with pytest.raises(UnreadableDatabase, match="locked by another program: try again"):
            open_database(source)
        with pytest.raises(OSError, match="locked by another program"):
            Head.of(source)


def test_the_command_line_says_so_in_one_line(path: Path, owner: sqlite3.Connection) -> None:
    owner.execute("PRAGMA journal_mode = delete")
    owner.execute("BEGIN EXCLUSIVE")
    command = [sys.executable, "-m", "blockview", "render", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "locked by another program" in line


def test_nothing_can_be_written(path: Path) -> None:
    for source in (Source.open(path), Source.of_bytes("stdin", path.read_bytes())):
        with closing(open_database(source)) as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM notes")


def test_a_view_is_no_table(path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    with closing(sqlite3.connect(path)) as made:
        made.execute(f"CREATE VIEW messages AS {endless}")
    with Source.open(path) as source, closing(open_database(source)) as connection:
        assert tables(connection) == {"notes"}


def test_the_columns_of_a_table(path: Path) -> None:
    with Source.open(path) as source, closing(open_database(source)) as connection:
        assert columns(connection, "notes") == {"id", "body"}
        assert columns(connection, 'no "such') == frozenset()


def test_a_value_that_is_too_long_ends_in_a_diagnostic(path: Path) -> None:
    found: list[Diagnostic] = []
    with Source.open(path) as source, closing(open_database(source)) as connection:
        query = "SELECT id, length(zeroblob(CASE id WHEN 2 THEN ? ELSE 3 END)) FROM notes ORDER BY id"
        assert list(rows(connection, query, (10,), found.append)) == [(1, 3), (2, 10)]
        assert not found
        list(rows(connection, query, (1 << 29,), found.append))
    assert [one.problem for one in found] == [
        "no more rows can be read: the database cannot be read: string or blob too big"
    ]


def test_all_rows_are_those_before_the_damage_or_an_error(path: Path) -> None:
    with Source.open(path) as source, closing(open_database(source)) as connection:
        three = "(SELECT 1 AS id UNION ALL SELECT 2 UNION ALL SELECT 3)"
        query = f"SELECT id, length(zeroblob(CASE id WHEN ? THEN 1 << 29 ELSE 0 END)) FROM {three}"
        assert all_rows(connection, query, (7,)) == [(1, 0), (2, 0), (3, 0)]
        assert all_rows(connection, query, (3,))[:1] == [(1, 0)]  # Python drops a row when the next one fails
        with pytest.raises(UnreadableDatabase, match="too big"):
            all_rows(connection, query, (1,))


def damaged(path: Path, table: str) -> Path:
    """The database with the table's first page overwritten."""
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode = DELETE")
        (page,) = made.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        (size,) = made.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("tool", ["opencode", "goose", "mcp-debugger"])
def test_a_list_of_sessions_that_is_damaged_or_empty_says_so(tmp_path: Path, tool: str) -> None:
    path, table = tmp_path / "x.db", "session" if tool == "opencode" else "sessions"
    match tool:
        case "opencode":
            test_opencode.database(path, {"ses_1": test_opencode.CONVERSATION})
        case "goose":
            test_goose.database(path, {"a": test_goose.CONVERSATION})
        case _:
            path.write_bytes(test_mcp_captures.database(test_mcp_captures.CONVERSATION))
    with closing(sqlite3.connect(path)) as made:
        made.execute(f"DELETE FROM {table}")
        made.commit()
    session = open_session(path)
    assert (session.format, session.diagnostics[0].problem) == (tool, "it lists no session")
    damaged(path, table)
    with pytest.raises(UnreadableDatabase, match="malformed"):
        open_session(path)
    (listed,) = look([Listing(str(path), 0)])
    assert [one.problem for one in listed] == ["the database cannot be read: database disk image is malformed"]


@pytest.mark.parametrize("data", [b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 5000])
def test_something_else_behind_the_first_bytes(data: bytes) -> None:
    with pytest.raises(UnreadableDatabase, match=r"cannot be (read|opened)"):
        open_database(Source.of_bytes("stdin", data))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(16, 8191), st.binary(min_size=1, max_size=64)), max_size=6), st.integers(16, 8192)
)
def test_a_damaged_database_never_raises_anything_else(changes: list[tuple[int, bytes]], length: int) -> None:
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)")
        made.executemany("INSERT INTO notes (body) VALUES (?)", [("x" * 40,)] * 20)
        made.commit()
        whole = made.serialize()
    data = bytearray(whole)
    for position, piece in changes:
        data[position : position + len(piece)] = piece
    found: list[Diagnostic] = []
    try:
        connection = open_database(Source.of_bytes("stdin", bytes(data[:length])))
    except UnreadableDatabase:
        assert bytes(data[:length]) != whole
        return
    with closing(connection):
        read = list(rows(connection, "SELECT body FROM notes", (), found.append))
    assert read == [("x" * 40,)] * 20 or bytes(data[:length]) != whole
