"""Reads what OpenCode keeps: its database, the tree of files it had before, and what `opencode export` prints."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from glob import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Counts, Diagnostic, Place, Session
from blockview.core.raw import part_of
from blockview.readers.conversation import Conversation, Event
from blockview.readers.document import document, elements, member, members, unreadable
from blockview.readers.head import Head, Reader
from blockview.readers.kept import Kept
from blockview.readers.nested import folders_in, open_named
from blockview.readers.opencode_parts import MESSAGE, Message, Parts
from blockview.readers.records import Record, Report
from blockview.readers.several import Listed, newest, none_listed, or_note
from blockview.readers.source import Source
from blockview.readers.times import at_ms
from blockview.readers.unknown import left_out_at

if TYPE_CHECKING:
    from sqlite3 import Connection

_TABLES = frozenset({"session", "message", "part"})
_PART_TABLE, _MESSAGE_TABLE = 0, 1
_MAX_FILE = 1 << 28
"""Bytes of one file of the tree: far more than a part can be."""


class _Time(msgspec.Struct, frozen=True, gc=False):
    created: float | None = None
    updated: float | None = None


class _Info(msgspec.Struct, frozen=True, gc=False):
    """What is told of a session itself."""

    id: str = ""
    title: str = ""
    directory: str = ""
    parent: str = msgspec.field(default="", name="parentID")
    time: _Time = _Time()


_INFO = msgspec.json.Decoder(_Info)


class _Recorded(NamedTuple):
    """A message: where it stands, the text that tells of it, and its parts."""

    place: Place
    info: Record | None
    parts: Sequence[Record]


class _Store(Protocol):
    """One session's messages, wherever they are kept."""

    def all(self, report: Report) -> Iterator[_Recorded]:
        """All messages in order."""
        ...

    def one(self, place: Place) -> _Recorded:
        """The message of that place."""
        ...

    def text(self, place: Place) -> str:
        """The recorded text of a message or a part."""
        ...


def _read(name: str, format_: str, info: _Info, store: _Store, diagnostics: list[Diagnostic]) -> Session:
    parts = Parts()

    def events(recorded: _Recorded, report: Report) -> Iterator[Event]:
        message = Message()
        if recorded.info is not None:
            try:
                message = decode(MESSAGE, recorded.info.data)
            except BadRecord as error:
                report(unreadable(recorded.info, error))
        return parts.events(message, recorded.parts)

    kept: Kept[tuple[Event, ...]] = Kept()

    def again(place: Place) -> Iterable[Event]:
        found = kept.get(place)
        return events(store.one(place), _ignore) if found is None else found

    conversation = Conversation(or_note(again))
    count = 0
    for recorded in store.all(diagnostics.append):
        count += 1
        said = tuple(events(recorded, diagnostics.append))
        kept.keep(recorded.place, said, sum(len(part.data) for part in recorded.parts))
        conversation.add(recorded.place, said)
    diagnostics += (*parts.unreadable.values(), *left_out_at(parts.unknown))
    blocks, calls = conversation.blocks()
    counts = Counts(records=count, messages=count, calls=sum(calls), unknown=len(parts.unknown))
    return Session(
        name,
        format_,
        blocks,
        id=info.id,
        title=info.title,
        diagnostics=tuple(diagnostics),
        counts=counts,
        call_counts=calls,
        read_raw=store.text,
    )


def _ignore(diagnostic: Diagnostic) -> None:
    """What is wrong was reported on the pass over the whole."""


class _Exported:
    """Messages in one JSON document, each with its parts."""

    def __init__(self, source: Source, whole: Record | None) -> None:
        self._source = source
        self._whole = whole

    def all(self, report: Report) -> Iterator[_Recorded]:
        messages = member(self._whole, "messages") if self._whole else None
        self._whole = None
        for record in elements(messages) if messages else ():
            yield self._recorded(record)

    def one(self, place: Place) -> _Recorded:
        return self._recorded(Record(place, self._source.recorded(place)))

    def text(self, place: Place) -> str:
        return self._source.text(place)

    def _recorded(self, record: Record) -> _Recorded:
        held = dict(members(record))
        parts = held.get("parts")
        return _Recorded(record.place, held.get("info"), tuple(elements(parts)) if parts else ())


class ExportReader:
    """The document that `opencode export` prints."""

    format = "opencode-export"

    def sniff(self, head: Head) -> bool:
        """True for a document of messages that have `info` and `parts`."""
        return len(head.records) == 1 and head.document != "array" and _is_export(head.records[0])

    def read(self, source: Source) -> Session:
        """Read the document in one pass; blocks are decoded when they are looked at."""
        diagnostics: list[Diagnostic] = []
        whole = document(source, diagnostics.append)
        info = member(whole, "info")
        told = part_of(_INFO, info.data) if info else None
        return _read(source.name, self.format, told or _Info(), _Exported(source, whole), diagnostics)


def _is_export(record: dict[str, Any]) -> bool:
    messages, info = record.get("messages"), record.get("info")
    if isinstance(messages, list) and messages:
        return isinstance(messages[0], dict) and messages[0].keys() >= {"info", "parts"}
    return "messages" in record and isinstance(info, dict) and str(info.get("id")).startswith("ses")


class _Tree:
    """Messages in files of their own, and their parts as well: `message/<session>/*.json`, `part/<message>/*.json`.

    The names are taken from the folders, never from what the files say. A place's line is the number of the file.
    """

    def __init__(self, session: Path) -> None:
        storage = session.parent.parent.parent
        self._parts = storage / "part"
        self._files: list[Path] = [session]
        self._messages = _listed(storage / "message" / session.stem)
        self._held: dict[int, tuple[int, ...]] = {}

    def all(self, report: Report) -> Iterator[_Recorded]:
        for message in self._messages:
            number = self._number(message)
            self._held[number] = tuple(map(self._number, _listed(self._parts / message.stem)))
            info, *parts = (self._record(file, report) for file in (number, *self._held[number]))
            yield _Recorded(Place(number, 0), info, [part for part in parts if part is not None])

    def one(self, place: Place) -> _Recorded:
        numbers = (place.line, *self._held[place.line])
        info, *parts = (self._record(file, _ignore) for file in numbers)
        return _Recorded(place, info, [part for part in parts if part is not None])

    def text(self, place: Place) -> str:
        record = self._record(place.line, _ignore) if 0 < place.line <= len(self._files) else None
        return record.data.decode("utf-8", "surrogateescape") if record else ""

    def _number(self, path: Path) -> int:
        self._files.append(path)
        return len(self._files)

    def _record(self, number: int, report: Report) -> Record | None:
        path = self._files[number - 1]
        if not path.is_file():  # opening a named pipe would wait for ever
            report(Diagnostic(Place(number, 0), f"{path.name} is no file"))
            return None
        try:
            with Source.open(path) as source:
                data = source.read(0, min(source.size, _MAX_FILE))
        except OSError as error:
            report(Diagnostic(Place(number, 0), f"{path.name} cannot be read: {error.strerror or error}"))
            return None
        return Record(Place(number, 0, len(data)), data)


def _listed(folder: Path) -> list[Path]:
    """The JSON files of a folder by name, which OpenCode makes ascend with time."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except OSError:
        return []


def session_file(folder: Path) -> Path | None:
    """The session's file in a tree, when the folder is that of its messages, or of the parts of one of them."""
    storage, name = folder.absolute().parent.parent, folder.name
    if folder.absolute().parent.name == "part":
        name = next((file.parent.name for file in storage.glob(f"message/*/{escape(name)}.json")), name)
    return next(storage.glob(f"session/*/{escape(name)}.json"), None)


class TreeReader:
    """A session file of the tree below `storage`, together with the messages and parts that belong to it."""

    format = "opencode"

    def sniff(self, head: Head) -> bool:
        """True for a document that tells of a session, but holds no messages."""
        if len(head.records) != 1 or head.document == "array":
            return False
        record = head.records[0]
        named = str(record.get("id")).startswith("ses") and "messages" not in record
        return named and isinstance(record.get("time"), dict) and ("projectID" in record or "directory" in record)

    def read(self, source: Source) -> Session:
        """Read all files of the session in one pass, and those of a block again when it is looked at."""
        diagnostics: list[Diagnostic] = []
        whole = document(source, diagnostics.append)
        info = part_of(_INFO, whole.data) or _Info()
        if source.path is None:
            diagnostics.append(Diagnostic(whole.place, "the messages stand in files beside this one", "incomplete"))
            return Session(source.name, self.format, (), id=info.id, title=info.title, diagnostics=tuple(diagnostics))
        path = source.path.absolute()
        session = _read(source.name, self.format, info, _Tree(path), diagnostics)
        session = msgspec.structs.replace(session, nested=partial(self._nested, path))
        if not session.counts.records:
            missing = "no messages of this session in the folder message beside its own"
            return msgspec.structs.replace(
                session, diagnostics=(*diagnostics, Diagnostic(whole.place, missing, "incomplete"))
            )
        return session

    def _nested(self, path: Path, agent: str) -> Session | None:
        """A subagent's session is one like any other, most often of the same project."""
        projects = (path.parent, *folders_in(path.parent.parent))
        return open_named(projects, f"{agent}.json".__eq__, self.read)


_ROWS = """
    SELECT message.rowid, message.data, part.rowid, part.data
    FROM message LEFT JOIN part ON part.message_id = message.id
    WHERE message.session_id = ? ORDER BY {order}message.id, message.rowid, part.id
"""


class _Database:
    """Messages and parts as rows. A place's line is the number of the row; its byte is 1 for the table of messages."""

    def __init__(self, source: Source, session_id: str) -> None:
        self._source = source
        self._session = session_id
        self._parts: dict[int, array[int]] = {}

    def all(self, report: Report) -> Iterator[_Recorded]:
        from blockview.readers.database import columns, open_database, rows

        with closing(open_database(self._source)) as connection:
            order = "message.time_created, " if "time_created" in columns(connection, "message") else ""
            found = rows(connection, _ROWS.format(order=order), (self._session,), report)
            for (number, info), group in groupby(found, itemgetter(0, 1)):
                parts = [_row(part, _PART_TABLE, data) for _, _, part, data in group if part is not None]
                message = _row(number, _MESSAGE_TABLE, info)
                self._parts[message.place.line] = array("q", (part.place.line for part in parts))
                yield _Recorded(message.place, message, parts)

    def one(self, place: Place) -> _Recorded:
        from blockview.readers.database import open_database

        with closing(open_database(self._source)) as connection:
            info = _numbered(connection, _MESSAGE_TABLE, place.line)
            parts = [_numbered(connection, _PART_TABLE, number) for number in self._parts[place.line]]
        return _Recorded(place, info, [part for part in parts if part is not None])

    def text(self, place: Place) -> str:
        from blockview.readers.database import open_database

        try:
            with closing(open_database(self._source)) as connection:
                found = _numbered(connection, place.byte, place.line)
        except OSError:
            return ""
        return found.data.decode("utf-8", "surrogateescape") if found else ""


def _numbered(connection: Connection, table: int, number: int) -> Record | None:
    from blockview.readers.database import rows

    query = f"SELECT data FROM {'message' if table == _MESSAGE_TABLE else 'part'} WHERE rowid = ?"
    return next((_row(number, table, data) for (data,) in rows(connection, query, (number,), _ignore)), None)


def _row(number: object, table: int, data: object) -> Record:
    from blockview.readers.database import column_bytes

    held = column_bytes(data)
    return Record(Place(number if isinstance(number, int) else 0, table, len(held)), held)


class DatabaseReader:
    """The database with all sessions of a machine."""

    format = "opencode"

    def sniff(self, head: Head) -> bool:
        """True for a database with OpenCode's three tables."""
        return head.tables >= _TABLES

    def read(self, source: Source) -> Session:
        """Read the session that was written last."""
        listed = self.list_sessions(source)
        return self.read_one(source, listed[0].id) if listed else none_listed(source, self.format)

    def list_sessions(self, source: Source) -> tuple[Listed, ...]:
        """All sessions of the database, the one that was written last first."""
        return newest(_known(source))

    def read_one(self, source: Source, session_id: str) -> Session:
        """Read one session in one pass, and the rows of a block again when it is looked at."""
        known = next((one for one in _known(source, session_id) if one.id == session_id), Listed(session_id))
        info = _Info(session_id, known.title)
        session = _read(source.name, self.format, info, _Database(source, session_id), [])
        return msgspec.structs.replace(session, nested=partial(self._nested, source))

    def _nested(self, source: Source, agent: str) -> Session | None:
        known = any(one.id == agent for one in _known(source))  # a recorded id may be no text that SQLite takes
        return self.read_one(source, agent) if known else None


def _known(source: Source, session_id: str | None = None) -> list[Listed]:
    """The sessions of a database, or the one of that id."""
    from blockview.readers.database import all_rows, columns, open_database, rows

    wanted = ("id", "title", "time_created", "time_updated", "directory", "parent_id")
    with closing(open_database(source)) as connection:
        known = columns(connection, "session")
        query = f"SELECT {', '.join(name if name in known else 'NULL' for name in wanted)} FROM session"
        if session_id is None:
            return [_listing(row) for row in all_rows(connection, query)]
        return [_listing(row) for row in rows(connection, f"{query} WHERE id = ?", (session_id,), _ignore)]


def _listing(row: Sequence[object]) -> Listed:
    id_, title, created, updated, directory, parent = row
    times = [at_ms(float(time)) if isinstance(time, (int, float)) else None for time in (created, updated)]
    texts = [text if isinstance(text, str) else "" for text in (id_, title, directory, parent)]
    return Listed(texts[0], texts[1], times[0], times[1], texts[2], texts[3])


READERS: tuple[Reader, ...] = (DatabaseReader(), ExportReader(), TreeReader())
