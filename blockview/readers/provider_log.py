"""Logs of what was sent to a model's provider and what came back, whatever is around it: the frame for all dialects.

Requests and responses are known by their shape and may stand anywhere: bare, in pairs, in an envelope of a proxy, as a
text inside a JSON string, or as a stream of server-sent events. System prompts are no part of an exchange and are not
shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

import msgspec

from blockview.core.jsontext import JsonError, decode_string, loads
from blockview.core.model import Counts, Diagnostic, Place, Session, Status, ToolCall, ToolSpec
from blockview.readers.conversation import Event, Prompt
from blockview.readers.document import elements, is_whole, members
from blockview.readers.head import Head
from blockview.readers.history import History
from blockview.readers.records import Record, Report, report_state
from blockview.readers.source import Source
from blockview.readers.sse import is_stream, server_events, streams
from blockview.readers.telling import Entry, Pairing, tell
from blockview.readers.unknown import left_out_at
from blockview.readers.values import values

Parts = Mapping[str, Record]
"""The members of an object, as recorded."""

STREAM_ENDS = "the recorded stream ends before the message does"
_DEPTH = 6
_LOOKED_AT = 1 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")
_ANSWERS = re.compile(r"respon|output|completion|result", re.IGNORECASE)


class Shape(Enum):
    """What a JSON object is: a request repeats the conversation so far, a response or a message goes on with it."""

    REQUEST = "request"
    RESPONSE = "response"
    MESSAGE = "message"


class Listed(NamedTuple):
    """A tool that a request offers to the model."""

    server: str | None
    name: str
    schema: str | None


def no_tools(text: str) -> Iterator[Listed]:
    """The tools of a stream that lists none."""
    yield from ()


class Dialect(msgspec.Struct, frozen=True):
    """How one provider's requests and responses look.

    `marks` recognises an object of the dialect by its parsed members, `streamed` one event of a stream. `shape` says
    what an object is once the dialect is known, `messages` gives the messages of a request or response, `tools` the
    tools it lists, `events` what a message tells, and `stream` what a stream of events tells. `begins` is found in the
    first event of a stream. `pairs` says that ids of calls may be empty or repeated, `stream_tools`
    gives the tools that a stream lists.
    """

    format: str
    marks: Callable[[Mapping[str, Any]], bool]
    streamed: Callable[[Mapping[str, Any]], bool]
    shape: Callable[[Parts], Shape | None]
    messages: Callable[[Record, Parts], Iterator[Record]]
    tools: Callable[[Parts], Iterator[Listed]]
    events: Callable[[Record], Iterator[Event]]
    stream: Callable[[str, Place], Iterator[Event]]
    begins: re.Pattern[bytes]
    pairs: bool = False
    stream_tools: Callable[[str], Iterator[Listed]] = no_tools


class ProviderLogReader(msgspec.Struct, frozen=True):
    """Reads the logs of one dialect."""

    dialect: Dialect

    @property
    def format(self) -> str:
        """The dialect's name."""
        return self.dialect.format

    def sniff(self, head: Head) -> bool:
        """True when one of the first records holds an object or a stream of the dialect."""
        text = head.start.decode("utf-8-sig", "replace")
        if is_stream(text):
            return _is_streamed(text, self.dialect)
        return any(_is_marked(record, self.dialect, _DEPTH) for record in head.records)

    def read(self, source: Source) -> Session:
        """Read a log in one pass; blocks are decoded when they are looked at."""
        diagnostics: list[Diagnostic] = []
        log = _Log(source, self.dialect, diagnostics.append)
        if is_stream(source.read(0, _LOOKED_AT).decode("utf-8-sig", "replace")):
            report_state(source, diagnostics.append)
            for record in streams(source, self.dialect.begins):
                log.take_stream(record)
        else:
            for record in values(source, diagnostics.append):
                log.take(record)
        told = tell(log.entries, log.events, Pairing() if self.dialect.pairs else None)
        return Session(
            source.name,
            self.format,
            told.blocks,
            id=log.id,
            title=told.title,
            diagnostics=(*diagnostics, *left_out_at(log.unknown)),
            tools=tuple(log.tools),
            counts=Counts(
                records=log.records,
                messages=len(log.entries),
                calls=sum(told.calls),
                duplicates=log.repeated,
                orphan_results=told.orphans,
                unknown=len(log.unknown),
            ),
            call_counts=told.calls,
            read_raw=source.text,
        )


class _Log:
    """The state of the pass: what is to be told, and which tools were listed."""

    def __init__(self, source: Source, dialect: Dialect, report: Report) -> None:
        self.entries: list[Entry] = []
        self.tools: list[ToolSpec] = []
        self.id = ""
        self.records = self.repeated = 0
        self.unknown: list[Place] = []
        self._source = source
        self._dialect = dialect
        self._report = report
        self._history = History()
        self._embedded: set[Place] = set()
        self._listed: dict[tuple[str | None, str], int] = {}

    def take(self, record: Record) -> None:
        """Take in what a line or a document holds."""
        self.records += 1
        if not self._walk(record, _DEPTH):
            self.unknown.append(record.place)

    def take_stream(self, record: Record) -> None:
        """Take in a stream that stands in the file as it is."""
        self.records += 1
        self._list_streamed(record.data.decode("utf-8", "surrogateescape"), record.place)
        self._add(record.place, tuple(self._message(record)))

    def events(self, place: Place) -> Sequence[Event]:
        """The events of what stands at a place."""
        record = Record(place, self._source.recorded(place))
        if place not in self._embedded:
            return tuple(self._message(record))
        return tuple(self._inside(_text(record), place))

    def _walk(self, record: Record, depth: int) -> bool:
        """Take in the requests and responses inside a value; whether there are any."""
        if record.data[:1] == b'"':
            return self._string(record)
        if not depth:
            return False
        if record.data[:1] == b"[":
            # No short cut: every element counts.
            return any([self._walk(element, depth - 1) for element in elements(record)])
        parts = dict(members(record))
        shape = self._dialect.shape(parts)
        if shape is not None:
            self._payload(shape, parts, record)
            return True
        inner = sorted(parts.items(), key=lambda item: _ANSWERS.search(item[0]) is not None)
        return any([self._walk(value, depth - 1) for _, value in inner if value.data[:1] in (b"{", b"[", b'"')])

    def _payload(self, shape: Shape, parts: Parts, record: Record) -> None:
        self._open(shape, parts, record.place)
        for message in (record,) if shape is Shape.MESSAGE else self._dialect.messages(record, parts):
            self._add(message.place, tuple(self._dialect.events(message)))
        self._close(shape, parts)

    def _open(self, shape: Shape, parts: Parts, place: Place) -> None:
        if shape is Shape.REQUEST:
            self._history.restart(text_member(parts, "previous_response_id"))
        for tool in self._dialect.tools(parts):
            self._list(tool, place.line)

    def _list_streamed(self, text: str, place: Place) -> None:
        for tool in self._dialect.stream_tools(text):
            self._list(tool, place.line)

    def _close(self, shape: Shape, parts: Parts) -> None:
        if shape is Shape.RESPONSE:
            response = text_member(parts, "id")
            self.id = self.id or response
            self._history.mark(response)

    def _string(self, record: Record) -> bool:
        """Take in a request, response or stream that is the text of a JSON string."""
        start = record.data[1:64].lstrip()
        if not (start.startswith((b'{\\"', b"{\\n", b'[{\\"', b"event:", b"data:", b": ")) and is_whole(record)):
            return False
        text = _text(record)
        place = record.place
        if is_stream(text):
            if not _is_streamed(text, self._dialect):
                return False
            self._embedded.add(place)
            self._list_streamed(text, place)
            self._add(place, tuple(self._inside(text, place)))
            return True
        payload = self._embedded_payload(text, place)
        if payload is None:
            return False
        _, shape, parts = payload
        self._embedded.add(place)
        self._open(shape, parts, place)
        self._add(place, tuple(self._inside(text, place)))
        self._close(shape, parts)
        return True

    def _embedded_payload(self, text: str, place: Place) -> tuple[Record, Shape, Parts] | None:
        inner = Record(place, json_bytes(text.strip()))
        parts = dict(members(inner)) if is_whole(inner) else {}
        shape = self._dialect.shape(parts) if parts else None
        return None if shape is None else (inner, shape, parts)

    def _inside(self, text: str, place: Place) -> Iterator[Event]:
        """The events of what is written inside a JSON string at a place."""
        if is_stream(text):
            yield from self._dialect.stream(text, place)
            return
        payload = self._embedded_payload(text, place)
        if payload is None:
            return
        inner, shape, parts = payload
        for message in (inner,) if shape is Shape.MESSAGE else self._dialect.messages(inner, parts):
            yield from self._dialect.events(Record(place, message.data))

    def _message(self, record: Record) -> Iterator[Event]:
        if record.data[:1] in (b"{", b'"', b"["):
            return self._dialect.events(record)
        return self._dialect.stream(record.data.decode("utf-8", "surrogateescape"), record.place)

    def _add(self, place: Place, events: Sequence[Event]) -> None:
        if not events:
            return
        news = self._history.take(events)
        if news is None:
            self.repeated += 1
            return
        for event in events[news.start :]:
            if isinstance(event, ToolCall) and event.status_note:
                self._report(Diagnostic(place, f"call {event.id}: {event.status_note}", "truncated_tail"))
        first = events[news.start]
        head = Prompt("", "another branch") if news.branches and not isinstance(first, Prompt) else None
        self.entries.append(Entry(place, news.start, head, news.lane))

    def _list(self, tool: Listed, line: int) -> None:
        key = (tool.server, tool.name)
        at = self._listed.get(key)
        if at is not None:
            known = self.tools[at]
            if known.schema == tool.schema:
                return
            self.tools[at] = msgspec.structs.replace(known, until=line)
        self._listed[key] = len(self.tools)
        self.tools.append(ToolSpec(tool.server, tool.name, tool.schema, line))


def as_far_as_it_came(call: ToolCall, stop: str) -> ToolCall:
    """A call that was streamed. One without complete arguments says so; nobody can have sent it if the model stopped.

    Args:
        call: The call with the arguments as far as they came.
        stop: Why the model stopped; empty when the recording ends before that.
    """
    arguments = (call.arguments or "").strip()
    if not arguments or is_whole(Record(call.place, json_bytes(arguments))):
        return call
    if stop:
        note = f"the arguments are cut off: the model stopped ({stop})"
        return msgspec.structs.replace(call, status=Status.NEVER_SENT, status_note=note)
    return msgspec.structs.replace(call, status_note="the arguments are cut off: the recorded stream ends")


def text_member(parts: Parts, name: str) -> str:
    """The text of a member; empty when it is none."""
    record = parts.get(name)
    return _text(record) if record is not None and record.data[:1] == b'"' and is_whole(record) else ""


def array_member(parts: Parts, name: str) -> Iterator[Record]:
    """The elements of a member; none when it is no array."""
    record = parts.get(name)
    if record is not None:
        yield from elements(record)


def is_array(parts: Parts, name: str) -> bool:
    """True when there is such a member and it is an array."""
    return name in parts and parts[name].data[:1] == b"["


def stream_objects(text: str) -> Iterator[Record]:
    """The data of a stream's events that are JSON objects; what is cut off or something else is left out."""
    nowhere = Place(1, 0)
    for event in server_events(text):
        data = json_bytes(event.data.strip())
        record = Record(nowhere, data)
        if data[:1] == b"{" and is_whole(record):
            yield record


def json_bytes(text: str) -> bytes:
    """A JSON text as UTF-8, in which what UTF-8 cannot carry is escaped."""
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _text(record: Record) -> str:
    try:
        return decode_string(record.data.decode("utf-8", "surrogateescape"))
    except ValueError:
        return ""


def _is_streamed(text: str, dialect: Dialect) -> bool:
    for number, event in enumerate(server_events(text[:_LOOKED_AT])):
        found = _loads(event.data)
        if isinstance(found, dict) and dialect.streamed(found):
            return True
        if number > 20:
            return False
    return False


def _is_marked(value: object, dialect: Dialect, depth: int) -> bool:
    if isinstance(value, str):
        text = value.lstrip()
        if is_stream(text):
            return _is_streamed(text, dialect)
        return depth > 0 and text[:1] in ("{", "[") and _is_marked(_loads(text), dialect, 1)
    if not depth:
        return False
    if isinstance(value, dict):
        if dialect.marks(value):
            return True
        return any(_is_marked(inner, dialect, depth - 1) for inner in value.values())
    return isinstance(value, list) and any(_is_marked(inner, dialect, depth - 1) for inner in value)


def _loads(text: str) -> object:
    try:
        return loads(text)
    except (JsonError, RecursionError):
        return None
