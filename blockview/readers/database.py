"""SQLite files: opened read-only, also while their owner writes, with limits that a hostile one cannot pass.

How SQLite decides what a reader may do beside a writer: https://www.sqlite.org/wal.html#read_only_databases.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from blockview.core.model import Diagnostic, Place
from blockview.readers.records import Report
from blockview.readers.source import Source

_WAIT = 0.25
"""Seconds to wait for an owner that holds a lock. Somebody looks at a screen meanwhile."""
_LONGEST = 1 << 28
"""Bytes of a value or row. A small hostile file may claim to hold far more, and memory would be taken for it."""
_VERSIONS = slice(18, 20)
_WAL = b"\2\2"
_ROLLBACK = b"\1\1"
"""What the two version bytes of the header say of the journal."""


class UnreadableDatabase(OSError):
    """A SQLite file that cannot be read now, or at all; the message says why and what to do."""


def open_database(source: Source) -> sqlite3.Connection:
    """Open a SQLite file for reading; nothing is written, neither into it nor beside it.

    A text that is not UTF-8 has lone surrogates in the places of the bytes, so nothing is lost. The connection may be
    used by any thread. Close it after use.

    Raises:
        UnreadableDatabase: it is locked, damaged or no SQLite file.
    """
    try:
        connection = _connect(source)
    except sqlite3.Error as error:
        raise _unreadable(error) from None
    try:
        connection.text_factory = _text
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        connection.close()
        raise _unreadable(error) from None
    return connection


def tables(connection: sqlite3.Connection) -> frozenset[str]:
    """The names of the ordinary tables.

    Views and virtual tables do not count: what stands behind one may be a query without an end.

    Raises:
        UnreadableDatabase: the list cannot be read.
    """
    ordinary = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
    try:
        return frozenset(str(name) for (name,) in connection.execute(ordinary))
    except sqlite3.Error as error:
        raise _unreadable(error) from None


def tables_of(source: Source) -> frozenset[str]:
    """The names of a file's ordinary tables.

    Raises:
        UnreadableDatabase: it cannot be opened or read.
    """
    with closing(open_database(source)) as connection:
        return tables(connection)


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of a table's columns; none when there is no such table, or it cannot be read."""
    try:
        return frozenset(str(row[1]) for row in connection.execute(f"PRAGMA table_info({_quoted(table)})"))
    except sqlite3.Error:
        return frozenset()


def rows(
    connection: sqlite3.Connection, query: str, parameters: tuple[object, ...], report: Report
) -> Iterator[tuple[object, ...]]:
    """The rows of a query, up to where the file is damaged or locked: that ends in a diagnostic.

    Go through them without a stop: until the last one is read, the owner may have to wait with its next change.
    """
    read = 0
    try:
        for row in connection.execute(query, parameters):
            read += 1
            yield row
    except sqlite3.Error as error:
        report(Diagnostic(Place(read + 1, 0), f"no more rows can be read: {_unreadable(error)}"))


def all_rows(
    connection: sqlite3.Connection, query: str, parameters: tuple[object, ...] = ()
) -> list[tuple[object, ...]]:
    """The rows of a query as far as the file can be read.

    Raises:
        UnreadableDatabase: not one of them can be.
    """
    found: list[tuple[object, ...]] = []
    try:
        found.extend(connection.execute(query, parameters))
    except sqlite3.Error as error:
        if not found:
            raise _unreadable(error) from None
    return found


def column_bytes(value: object) -> bytes:
    """The recorded bytes of a column that holds text or a blob; none of any other value."""
    if isinstance(value, bytes):
        return value
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else b""


def _connect(source: Source) -> sqlite3.Connection:
    start = source.read(0, 100)
    if source.path is None or not source.path.is_file():
        return _from_memory(source, start)
    # With a write-ahead log, even a reader makes the two files of it where they are missing, and leaves them there.
    # They are missing when nobody has the database open: then it can be read as one that does not change.
    unused = start[_VERSIONS] == _WAL and not Path(f"{source.path}-wal").exists()
    uri = f"file:{quote(str(source.path.absolute()))}?mode=ro{'&immutable=1' if unused else ''}"
    return sqlite3.connect(uri, uri=True, timeout=_WAIT, check_same_thread=False)


def _from_memory(source: Source, start: bytes) -> sqlite3.Connection:
    data = source.read(0, source.size)
    if start[_VERSIONS] == _WAL:  # a database in memory cannot have a write-ahead log
        data = data[: _VERSIONS.start] + _ROLLBACK + data[_VERSIONS.stop :]
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.deserialize(data)
    return connection


def _unreadable(error: sqlite3.Error) -> UnreadableDatabase:
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return UnreadableDatabase("the database is locked by another program: try again when that has finished")
        case sqlite3.SQLITE_READONLY:
            return UnreadableDatabase(
                "the database was left in the middle of a change: open it once with the program that owns it"
            )
        case sqlite3.SQLITE_CANTOPEN:
            return UnreadableDatabase(
                "the database cannot be opened: copy it, together with the files beside it that end in -wal and -shm, "
                "to a folder of your own"
            )
        case _:
            return UnreadableDatabase(f"the database cannot be read: {error}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
