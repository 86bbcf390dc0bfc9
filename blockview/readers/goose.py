"""Reads the sessions of Goose: the rows of its database, and the files of lines it wrote before that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from blockview.core import media
from blockview.core.answers import read_answer
from blockview.core.jsonrpc import Message
from blockview.core.lenient import BadRecord
from blockview.core.model import ContentBlock, Counts, Diagnostic, Place, Session, Status, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, present, text_of
from blockview.readers.claude_lines import moment
from blockview.readers.conversation import Answer, Conversation, Event, Prompt
from blockview.readers.document import unreadable
from blockview.readers.head import Head, Reader
from blockview.readers.kept import Kept
from blockview.readers.mcp_names import ToolName
from blockview.readers.records import Record, Report, decoded
from blockview.readers.several import Listed, newest, none_listed, or_note
from blockview.readers.source import Source
from blockview.readers.times import at_either
from blockview.readers.unknown import left_out_at

_TABLES = frozenset({"sessions", "messages"})
_CALLS = frozenset({"toolRequest", "frontendToolRequest"})
_SILENT = frozenset({"toolConfirmationRequest", "actionRequired", "summarizationRequested"})
_SAID = frozenset({"text", "image"})
_PROSE = (
    ("The user has declined to run this tool", Status.REJECTED, "declined by the user or by a rule"),
    ("Let the user know the tool call was skipped", Status.NEVER_SENT, "skipped in chat mode"),
)
_RPC_ERROR = re.compile(r"-\d+: ")


class _Called(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    arguments: msgspec.Raw = ABSENT


class _ToolCall(msgspec.Struct, frozen=True, gc=False):
    status: str = ""
    value: _Called = _Called()
    error: str = ""


class _ToolResult(msgspec.Struct, frozen=True, gc=False):
    status: str = ""
    value: msgspec.Raw = ABSENT
    error: str = ""


class _Meta(msgspec.Struct, frozen=True, gc=False):
    extension: str = msgspec.field(default="", name="goose_extension")


class _Part(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    text: str = ""
    thinking: str = ""
    msg: str = ""
    id: str = ""
    call: _ToolCall = msgspec.field(default=_ToolCall(), name="toolCall")
    result: _ToolResult = msgspec.field(default=_ToolResult(), name="toolResult")
    told: _Meta = msgspec.field(default=_Meta(), name="_meta")
    metadata: _Meta = _Meta()
    data: msgspec.Raw = ABSENT
    mime: str = msgspec.field(default="", name="mimeType")


class _Seen(msgspec.Struct, frozen=True, gc=False):
    by_user: bool = msgspec.field(default=True, name="userVisible")


class _Line(msgspec.Struct, frozen=True, gc=False):
    """A message, or the first line of a file, which tells of the session."""

    role: str = ""
    created: float | None = None
    content: list[msgspec.Raw] | None = None
    metadata: _Seen = _Seen()
    working_dir: str | None = None
    description: str = ""


_LINE = msgspec.json.Decoder(_Line)
_CONTENT = msgspec.json.Decoder(list[msgspec.Raw])
_SEEN = msgspec.json.Decoder(_Seen)
_PART = msgspec.json.Decoder(_Part)


class _Events:
    """Turns messages into events, and keeps where content stands that is not known."""

    def __init__(self) -> None:
        self.unknown: set[tuple[Place, int]] = set()

    def of(self, place: Place, line: _Line) -> Iterator[Event]:
        """The events of one message."""
        parts = [(part_of(_PART, raw) or _Part("unknown"), raw) for raw in line.content or ()]
        typed = line.role == "user" and line.metadata.by_user
        typed = typed and not any(part.type == "toolResponse" for part, _ in parts)
        said = [part.text if part.type == "text" else _picture(part) for part, _ in parts if part.type in _SAID]
        if typed and said:
            yield Prompt("\n".join(said), when=at_either(line.created))
        for number, (part, raw) in enumerate(parts):
            if part.type in _CALLS:
                yield _call(part, line, place)
            elif part.type == "toolResponse":
                yield _answer(part, raw, line, place)
            elif part.type in _SAID:
                text = part.text if part.type == "text" else _picture(part)
                if text and not typed:
                    yield Text("assistant" if line.role == "assistant" else "note", text, place)
            elif part.type in ("thinking", "reasoning"):
                yield Text("thinking", part.thinking or part.text, place)
            elif part.type == "redactedThinking":
                yield Text("thinking", "[redacted thinking]", place)
            elif part.msg:
                yield Text("note", part.msg, place)
            elif part.type not in _SILENT:
                self.unknown.add((place, number))


def _picture(part: _Part) -> str:
    return f"[image: {media.note(part.mime, media.base64_size(part.data))}]"


def _call(part: _Part, line: _Line, place: Place) -> ToolCall:
    called = part.call.value
    name = _name(called.name, part.told.extension or part.metadata.extension)
    failed = part.call.status == "error"
    return ToolCall(
        id=part.id,
        name=called.name,
        tool=name.tool,
        arguments=text_of(called.arguments) if present(called.arguments) else None,
        place=place,
        server=name.server,
        mcp=name.mcp,
        inferred=name.inferred,
        status=Status.NEVER_SENT if failed else Status.NO_RESULT,
        status_note=f"the call was never sent: {part.call.error}" if failed else "no result is recorded",
        started=at_either(line.created),
    )


def _name(name: str, extension: str) -> ToolName:
    """Every tool of Goose is an MCP tool; its server is an extension, named beside the call or before `__`."""
    if extension:
        return ToolName(extension, name.removeprefix(f"{extension}__") or name, mcp=True)
    server, joined, tool = name.partition("__")
    if server and joined and tool:
        return ToolName(server, tool, mcp=True, inferred=True)
    return ToolName(None, name, mcp=True, inferred=True)


def _answer(part: _Part, raw: msgspec.Raw, line: _Line, place: Place) -> Answer:
    told, text = part.result, text_of(raw)
    if told.status == "error" or not present(told.value):
        status = Status.PROTOCOL_ERROR if _RPC_ERROR.match(told.error) else Status.TOOL_ERROR
        result = ToolResult((ContentBlock("text", told.error),), None, True, text, place)
        return Answer(part.id, status, result, when=_exact(line.created))
    listed = bytes(told.value)[:1] == b"["  # content without a result around it, in older versions
    value = msgspec.Raw(b'{"content":' + bytes(told.value) + b"}") if listed else told.value
    answer = read_answer(Message(result=value), place)
    status, note = answer.status, answer.note
    for start, ending, why in _PROSE:
        if answer.result.text.startswith(start):
            status, note = ending, why
    result = replace(answer.result, raw=text, is_error=status.failed)
    return Answer(part.id, status, result, note, _exact(line.created))


def _exact(created: float | None) -> datetime | None:
    """A time for a duration: not one that is rounded to seconds."""
    when = at_either(created)
    return when if when is not None and when.timestamp() != created else None


class _Store(Protocol):
    """One session's messages, wherever they are kept."""

    def all(self, report: Report) -> Iterator[tuple[Place, _Line]]:
        """All messages in order."""
        ...

    def one(self, place: Place) -> _Line:
        """The message of that place; an empty one when it is gone."""
        ...

    def text(self, place: Place) -> str:
        """The recorded text of a message."""
        ...


def _read(name: str, told: Listed, store: _Store) -> Session:
    diagnostics: list[Diagnostic] = []
    events = _Events()
    kept: Kept[tuple[Event, ...]] = Kept()

    def again(place: Place) -> Iterable[Event]:
        found = kept.get(place)
        return events.of(place, store.one(place)) if found is None else found

    conversation = Conversation(or_note(again))
    records, messages, title = 0, 0, told.title
    for place, line in store.all(diagnostics.append):
        records += 1
        messages += line.content is not None
        title = title or line.description
        said_here = tuple(events.of(place, line))
        kept.keep(place, said_here, place.length)
        conversation.add(place, said_here)
    blocks, calls = conversation.blocks()
    return Session(
        name,
        "goose",
        blocks,
        id=told.id,
        title=title,
        diagnostics=(*diagnostics, *left_out_at([place for place, _ in events.unknown])),
        counts=Counts(
            records=records,
            messages=messages,
            calls=sum(calls),
            orphan_results=conversation.orphans,
            unknown=len(events.unknown),
        ),
        call_counts=calls,
        read_raw=store.text,
    )


class _Lines:
    """Messages as lines of a file, behind a line that tells of the session."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def all(self, report: Report) -> Iterator[tuple[Place, _Line]]:
        for record, line in decoded(self._source, _LINE, report):
            yield record.place, line

    def one(self, place: Place) -> _Line:
        return part_of(_LINE, self._source.recorded(place)) or _Line()

    def text(self, place: Place) -> str:
        return self._source.text(place)


class LinesReader:
    """One session as a file of lines."""

    format = "goose"

    def sniff(self, head: Head) -> bool:
        """True when the first line tells of a session in Goose's words, or a message holds Goose's content."""
        return not head.document and any(
            record.keys() >= {"working_dir", "message_count"} or _is_message(record) for record in head.records
        )

    def read(self, source: Source) -> Session:
        """Read the file in one pass; blocks are decoded when they are looked at."""
        return _read(source.name, Listed(source.path.stem if source.path else ""), _Lines(source))


def _is_message(record: dict[str, Any]) -> bool:
    content = record.get("content")
    if not isinstance(content, list) or record.get("role") not in ("user", "assistant"):
        return False
    return any(isinstance(part, dict) and part.get("type") in _TELLING for part in content)


_TELLING = ("toolRequest", "toolResponse")


class _Rows:
    """Messages as rows of a table; a place's line is the number of the row."""

    def __init__(self, source: Source, session_id: str) -> None:
        self._source = source
        self._session = session_id

    def all(self, report: Report) -> Iterator[tuple[Place, _Line]]:
        for place, role, created, content, metadata in self._rows("session_id", self._session, report):
            line = _line(role, created, content, metadata)
            if line is None:
                report(unreadable(Record(place, content), BadRecord("the content is not a list")))
            else:
                yield place, line

    def one(self, place: Place) -> _Line:
        found = [row[1:] for row in self._rows("rowid", place.line, lambda _: None)]
        return (_line(*found[0]) if found else None) or _Line()

    def text(self, place: Place) -> str:
        try:
            found = [row[3] for row in self._rows("rowid", place.line, lambda _: None)]
        except OSError:
            return ""
        return found[0].decode("utf-8", "surrogateescape") if found else ""

    def _rows(
        self, which: str, value: object, report: Report
    ) -> Iterator[tuple[Place, str, float | None, bytes, bytes]]:
        from blockview.readers.database import column_bytes, columns, open_database, rows

        wanted = ("rowid", "role", "created_timestamp", "content_json", "metadata_json")
        with closing(open_database(self._source)) as connection:
            known = columns(connection, "messages") | {"rowid"}
            selected = ", ".join(name if name in known else "NULL" for name in wanted)
            query = f"SELECT {selected} FROM messages WHERE {which} = ? ORDER BY rowid"
            for number, role, created, content, metadata in rows(connection, query, (value,), report):
                held = column_bytes(content)
                place = Place(number if isinstance(number, int) else 0, 0, len(held))
                when = float(created) if isinstance(created, (int, float)) else None
                yield place, role if isinstance(role, str) else "", when, held, column_bytes(metadata)


def _line(role: str, created: float | None, content: bytes, metadata: bytes) -> _Line | None:
    parts = part_of(_CONTENT, content)
    seen = part_of(_SEEN, metadata) if metadata else None
    return None if parts is None else _Line(role, created, parts, seen or _Seen())


class DatabaseReader:
    """The database with all sessions of a machine."""

    format = "goose"

    def sniff(self, head: Head) -> bool:
        """True for a database of messages whose content is JSON."""
        from blockview.readers.database import columns, open_database

        if not head.tables >= _TABLES:
            return False
        with closing(open_database(head.source)) as connection:
            return columns(connection, "messages") >= {"session_id", "role", "content_json"}

    def read(self, source: Source) -> Session:
        """Read the session that was written last."""
        listed = self.list_sessions(source)
        return self.read_one(source, listed[0].id) if listed else none_listed(source, self.format)

    def list_sessions(self, source: Source) -> tuple[Listed, ...]:
        """All sessions of the database, the one that was written last first."""
        return newest(_listed(source))

    def read_one(self, source: Source, session_id: str) -> Session:
        """Read one session in one pass, and the rows of a block again when it is looked at."""
        told = next((one for one in _listed(source, session_id) if one.id == session_id), Listed(session_id))
        return _read(source.name, told, _Rows(source, session_id))


def _listed(source: Source, session_id: str | None = None) -> list[Listed]:
    """The sessions of a database, or the one of that id."""
    from blockview.readers.database import all_rows, columns, open_database, rows

    wanted = ("id", "name", "description", "created_at", "updated_at", "working_dir")
    with closing(open_database(source)) as connection:
        known = columns(connection, "sessions")
        query = f"SELECT {', '.join(name if name in known else 'NULL' for name in wanted)} FROM sessions"
        if session_id is None:
            return [_listing(row) for row in all_rows(connection, query)]
        return [_listing(row) for row in rows(connection, f"{query} WHERE id = ?", (session_id,), lambda _: None)]


def _listing(row: Sequence[object]) -> Listed:
    id_, name, description, created, updated, folder = (value if isinstance(value, str) else "" for value in row)
    return Listed(id_, name or description, moment(created), moment(updated), folder)


READERS: tuple[Reader, ...] = (DatabaseReader(), LinesReader())
