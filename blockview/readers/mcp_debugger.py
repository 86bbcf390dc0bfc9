"""Reads the database in which mcp-debugger keeps the messages that went through it, one row each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from blockview.core.jsonrpc import Direction, Message
from blockview.core.model import Diagnostic, Place, Session, ToolSpec
from blockview.core.raw import ABSENT, raw_of
from blockview.readers.capture_session import gone, read_capture
from blockview.readers.claude_lines import moment
from blockview.readers.envelopes import Frame
from blockview.readers.head import Head, Reader
from blockview.readers.records import Report
from blockview.readers.several import Listed, newest, none_listed
from blockview.readers.source import Source

if TYPE_CHECKING:
    from sqlite3 import Connection

_TABLES = frozenset({"sessions", "messages", "tools"})
_WAYS = {"client_to_server": Direction.TO_SERVER, "server_to_client": Direction.TO_CLIENT}
_SESSION = ("id", "friendly_name", "server_name", "server_command", "started_at", "ended_at")
_MESSAGE = (
    "id", "message_id", "direction", "method", "params", "result", "error", "timestamp", "latency_ms", "message_type"
)  # fmt: skip
_TOOL = ("name", "input_schema", "output_schema")


class DebuggerReader:
    """The database of mcp-debugger. The id of a message is kept as a text there, whatever it was."""

    format = "mcp-debugger"

    def sniff(self, head: Head) -> bool:
        """True for a database of messages that have a direction, and of tools that have a schema."""
        from blockview.readers.database import columns, open_database

        if not head.tables >= _TABLES:
            return False
        with closing(open_database(head.source)) as connection:
            return "direction" in columns(connection, "messages") and "input_schema" in columns(connection, "tools")

    def read(self, source: Source) -> Session:
        """Read the session that was written last."""
        listed = self.list_sessions(source)
        return self.read_one(source, listed[0].id) if listed else none_listed(source, self.format)

    def list_sessions(self, source: Source) -> tuple[Listed, ...]:
        """All sessions of the database, the one that was written last first."""
        from blockview.readers.database import all_rows, open_database

        with closing(open_database(source)) as connection:
            return newest([_listed(row) for row in all_rows(connection, _query(connection, "sessions", _SESSION))])

    def read_one(self, source: Source, session_id: str) -> Session:
        """Read one session in one pass, and a row again when its block is looked at."""
        told = next((one for one in self.list_sessions(source) if one.id == session_id), Listed(session_id))
        rows = _Rows(source, session_id)
        diagnostics: list[Diagnostic] = []
        tools = tuple(rows.tools(diagnostics.append))
        return read_capture(
            source,
            self.format,
            rows,
            id=session_id,
            title=told.title,
            diagnostics=diagnostics,
            tools=tools,
            read_raw=lambda place: _shown(rows.at(place)),
        )


class _Rows(msgspec.Struct, frozen=True):
    """The messages of one session. A message's place is the number of its row."""

    source: Source
    session: str

    def all(self, report: Report) -> Iterator[tuple[Place, Sequence[Frame]]]:
        """The frames of all rows, by their times."""
        which = "WHERE session_id = ? ORDER BY timestamp, id"
        for row in _rows(self.source, "messages", _MESSAGE, which, (self.session,), report):
            yield Place(row[0] if isinstance(row[0], int) else 0, 0), (_frame(row),)

    def at(self, place: Place) -> Sequence[Frame]:
        """The frame in a row."""
        try:
            found = _rows(self.source, "messages", _MESSAGE, "WHERE id = ?", (place.line,), lambda _: None)
            return tuple(_frame(row) for row in found) or (gone(""),)
        except OSError:
            return (gone(""),)

    def tools(self, report: Report) -> Iterator[ToolSpec]:
        """The tools that the database lists. They are those of the recorded lists, without the time they were given."""
        for row in _rows(self.source, "tools", _TOOL, "WHERE session_id = ?", (self.session,), report):
            name, schema, output = map(_text, row)
            yield ToolSpec(None, name, schema or None, output_schema=output or None)


def _rows(
    source: Source, table: str, wanted: Sequence[str], which: str, values: tuple[object, ...], report: Report
) -> Iterator[tuple[object, ...]]:
    """The rows of a table; a column that a version of the recorder does not have is NULL."""
    from blockview.readers.database import open_database, rows

    with closing(open_database(source)) as connection:
        yield from rows(connection, f"{_query(connection, table, wanted)} {which}", values, report)


def _query(connection: Connection, table: str, wanted: Sequence[str]) -> str:
    from blockview.readers.database import columns

    known = columns(connection, table)
    return f"SELECT {', '.join(name if name in known else 'NULL' for name in wanted)} FROM {table}"


def _listed(row: Sequence[object]) -> Listed:
    friendly, server, command, started, ended = map(_text, row[1:])
    return Listed(str(row[0]), friendly or server or command, moment(started), moment(ended))


def _frame(row: Sequence[object]) -> Frame:
    message_id, direction, method, params, result, error, _, _, kind = map(_text, row[1:])
    time, latency = (float(value) if isinstance(value, (int, float)) else None for value in row[7:9])
    answer = kind == "response"
    message = Message(
        id=ABSENT if row[1] is None else _raw(json.dumps(message_id)),
        method=None if answer or not method else method,
        params=_raw(params),
        result=ABSENT if error or not answer else _raw(result or "null"),
        error=_raw(error),
    )
    return Frame(
        message,
        _as_json(row),
        _WAYS.get(direction),
        time=ABSENT if time is None else _raw(repr(time / 1000)),
        latency=latency,
    )


def _as_json(row: Sequence[object]) -> str:
    """A row as the JSON object of its columns; what is JSON in the database stands there as it is."""
    held = ("params", "result", "error")
    parts = (
        f"{json.dumps(name)}: {value if name in held and isinstance(value, str) else json.dumps(_plain(value))}"
        for name, value in zip(_MESSAGE, row, strict=True)
        if value is not None
    )
    return f"{{{', '.join(parts)}}}"


def _plain(value: object) -> object:
    return value if isinstance(value, (str, int, float)) else repr(value)


def _shown(frames: Sequence[Frame]) -> str:
    return "\n".join(str(frame.text) for frame in frames)


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _raw(text: str) -> msgspec.Raw:
    return raw_of(text) if text else ABSENT


READERS: tuple[Reader, ...] = (DebuggerReader(),)
