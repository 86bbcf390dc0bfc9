"""Reads captures that are one JSON document: cassettes of mcp-recorder, exports of the Inspector and mcp-debugger."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from blockview.core.jsonrpc import BODY, Direction, Message
from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Diagnostic, Place, Session, ToolSpec
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.capture_session import Enveloped, read_capture
from blockview.readers.document import document, elements, member, unreadable
from blockview.readers.envelopes import NOT_A_MESSAGE, Frame, moment
from blockview.readers.head import Head, Reader
from blockview.readers.records import Record, Report
from blockview.readers.source import Source

T = TypeVar("T")


def _element_tape(
    source: Source,
    path: tuple[str, ...],
    decoder: msgspec.json.Decoder[T],
    unwrap: Callable[[Record, T], tuple[Frame, ...]],
) -> Enveloped[T]:
    """A tape of the elements of the array at a path of the document. It holds nothing of the document itself."""

    def found(report: Report) -> Iterator[tuple[Record, T]]:
        for record in _elements(source, path, report):
            try:
                yield record, decode(decoder, record.data)
            except BadRecord as error:
                report(unreadable(record, error))

    return Enveloped(source, decoder, unwrap, found)


def _elements(source: Source, path: tuple[str, ...], report: Report) -> Iterator[Record]:
    array = member(document(source, report), *path)
    return elements(array) if array else iter(())


def _part(decoder: msgspec.json.Decoder[T], source: Source, name: str) -> T | None:
    """A member of the document in the decoder's type."""
    found = member(document(source, _ignore), name)
    return part_of(decoder, found.data) if found else None


def _ignore(diagnostic: Diagnostic) -> None:
    """What is wrong with the document is reported when its elements are read."""


def _first_object(head: Head) -> Mapping[str, Any]:
    """The members of the object that a file begins with; none when it begins with something else."""
    return head.records[0] if head.records and head.document != "array" else {}


# mcp-recorder: {"version": "1.0", "metadata": {…}, "interactions": [{"type": …, "request": {…}, "response": {…}, …}]}


class _Interaction(msgspec.Struct, frozen=True, gc=False):
    request: msgspec.Raw = ABSENT
    response: msgspec.Raw = ABSENT
    status: int | None = msgspec.field(default=None, name="response_status")
    latency_ms: float | None = None
    http_method: str | None = None
    http_path: str | None = None


class _ServerInfo(msgspec.Struct, frozen=True, gc=False):
    name: str | None = None


class _CassetteData(msgspec.Struct, frozen=True, gc=False):
    server_info: _ServerInfo | None = None


_INTERACTION = msgspec.json.Decoder(_Interaction)
_CASSETTE_DATA = msgspec.json.Decoder(_CassetteData)
_FIRST_ERROR = 400


class CassetteReader:
    """Cassettes of mcp-recorder: each interaction is a request and its answer. No times, but how long it took."""

    format = "mcp-recorder"

    def sniff(self, head: Head) -> bool:
        """True for a document of interactions."""
        members = _first_object(head)
        return "interactions" in members and ("metadata" in members or "version" in members)

    def read(self, source: Source) -> Session:
        """Read a cassette in one pass; blocks are decoded when they are looked at."""
        data = _part(_CASSETTE_DATA, source, "metadata")
        server = data.server_info.name if data and data.server_info else None

        def unwrap(record: Record, item: _Interaction) -> tuple[Frame, ...]:
            return _interaction(record, item, server)

        return read_capture(source, self.format, _element_tape(source, ("interactions",), _INTERACTION, unwrap))


def _interaction(record: Record, item: _Interaction, server: str | None) -> tuple[Frame, ...]:
    frames = []
    if present(item.request):
        failed = not present(item.response) and (item.status or 0) >= _FIRST_ERROR
        note = f"the answer had the HTTP status {item.status}" if failed else ""
        frames.append(_frame(item.request, Direction.TO_SERVER, server=server, note=note))
    if present(item.response):
        frames.append(_frame(item.response, Direction.TO_CLIENT, server=server, latency=item.latency_ms))
    if frames:
        return tuple(frames)
    kind = f"{item.http_method} {item.http_path or ''}".rstrip() if item.http_method else NOT_A_MESSAGE
    return (Frame(None, record.data, kind=kind, server=server),)


def _frame(raw: msgspec.Raw, way: Direction | None, **told: Any) -> Frame:
    return Frame(part_of(BODY, raw), bytes(raw), way, **told)


# MCP Inspector: [{"timestamp": …, "direction": "request", "origin": "client", "message": {…}, "response": {…}, …}]


class _Entry(msgspec.Struct, frozen=True, gc=False):
    timestamp: msgspec.Raw = ABSENT
    origin: str = ""
    message: msgspec.Raw = ABSENT
    response: msgspec.Raw = ABSENT
    duration: float | None = None
    client_error: msgspec.Raw = msgspec.field(default=ABSENT, name="clientError")


_ENTRY = msgspec.json.Decoder(_Entry)
_ORIGINS = {"client": Direction.TO_SERVER, "server": Direction.TO_CLIENT}


class InspectorReader:
    """What the MCP Inspector exports of its protocol screen: an answer stands within the entry of its request."""

    format = "mcp-inspector"

    def sniff(self, head: Head) -> bool:
        """True for an array of entries that hold a message."""
        return head.document == "array" and any(map(_is_entry, head.records))

    def read(self, source: Source) -> Session:
        """Read an export in one pass; blocks are decoded when they are looked at."""
        return read_capture(source, self.format, _element_tape(source, (), _ENTRY, _entry))


def _is_entry(record: Mapping[str, Any]) -> bool:
    message = record.get("message")
    return isinstance(message, dict) and "jsonrpc" in message and "direction" in record


def _entry(record: Record, entry: _Entry) -> tuple[Frame, ...]:
    if not present(entry.message):
        return (Frame(None, record.data, time=entry.timestamp),)
    way = _ORIGINS.get(entry.origin)
    note = string_of(entry.client_error) or text_of(entry.client_error) if present(entry.client_error) else ""
    note = f"the client could not take the answer: {note}" if note else ""
    asked = _frame(entry.message, way, time=entry.timestamp, note=note)
    if not present(entry.response):
        return (asked,)
    return asked, _frame(entry.response, way.opposite if way else None, latency=entry.duration)


# mcp-debugger's export: {"session": {…}, "messages": [{"direction": …, "method": …, "params": …, …}], "tools": […], …}


class _Exported(msgspec.Struct, frozen=True, gc=False):
    direction: str = ""
    method: str | None = None
    timestamp: msgspec.Raw = ABSENT
    latency_ms: float | None = None
    params: msgspec.Raw = ABSENT
    result: msgspec.Raw = ABSENT
    error: msgspec.Raw = ABSENT
    message_type: str = ""


class _ExportedSession(msgspec.Struct, frozen=True, gc=False):
    id: msgspec.Raw = ABSENT
    friendly_name: str | None = None
    server_command: str | None = None


class _ExportedTool(msgspec.Struct, frozen=True, gc=False):
    name: str | None = None
    schema: msgspec.Raw = msgspec.field(default=ABSENT, name="input_schema")


_EXPORTED = msgspec.json.Decoder(_Exported)
_EXPORTED_SESSION = msgspec.json.Decoder(_ExportedSession)
_EXPORTED_TOOL = msgspec.json.Decoder(_ExportedTool)
_DEBUGGER_WAYS = {"client_to_server": Direction.TO_SERVER, "server_to_client": Direction.TO_CLIENT}
_NO_ID = msgspec.Raw(b'""')
_NO_IDS = "the export leaves out the ids of JSON-RPC: answers belong to calls by method and time"


class DebuggerExportReader:
    """What mcp-debugger exports as JSON: its messages without their ids."""

    format = "mcp-debugger-export"

    def sniff(self, head: Head) -> bool:
        """True for the messages of a session that has a command."""
        members = _first_object(head)
        session = members.get("session")
        return "messages" in members and isinstance(session, dict) and "server_command" in session

    def read(self, source: Source) -> Session:
        """Read an export in two passes, the first of which finds what belongs together."""
        session = _part(_EXPORTED_SESSION, source, "session") or _ExportedSession()
        pairs = _pairs(source)

        def unwrap(record: Record, item: _Exported) -> tuple[Frame, ...]:
            return (_exported(record, item, pairs.get(record.place.byte)),)

        return read_capture(
            source,
            self.format,
            _element_tape(source, ("messages",), _EXPORTED, unwrap),
            id=text_of(session.id) if present(session.id) else "",
            title=session.friendly_name or session.server_command or "",
            diagnostics=(Diagnostic(Place(1, 0), _NO_IDS, "no_ids"),),
            tools=tuple(_exported_tools(source)),
        )


def _exported_tools(source: Source) -> Iterator[ToolSpec]:
    for record in _elements(source, ("tools",), _ignore):
        tool = part_of(_EXPORTED_TOOL, record.data)
        if tool and tool.name:
            yield ToolSpec(None, tool.name, text_of(tool.schema) if present(tool.schema) else None)


def _exported(record: Record, item: _Exported, request: int | None) -> Frame:
    answer = item.message_type == "response"
    message = Message(
        id=ABSENT if item.message_type == "notification" else _NO_ID,
        method=None if answer else item.method,
        params=item.params if present(item.params) else ABSENT,
        result=(item.result if len(item.result) else msgspec.Raw(b"null"))
        if answer and not present(item.error)
        else ABSENT,
        error=item.error,
    )
    return Frame(
        message,
        record.data,
        _DEBUGGER_WAYS.get(item.direction),
        time=item.timestamp,
        latency=item.latency_ms,
        unnumbered="" if request is None else str(request),
    )


def _pairs(source: Source) -> dict[int, int]:
    """For each request and its answer, by their offsets, the offset of the request.

    An answer says how long it took: the request of the same method that was sent then is the one it belongs to. One
    that does not say so belongs to the request that has waited longest.
    """
    pairs: dict[int, int] = {}
    waiting: dict[tuple[str, str | None], list[tuple[float, int]]] = {}
    for record in _elements(source, ("messages",), _ignore):
        item = part_of(_EXPORTED, record.data)
        if item is None or item.message_type not in ("request", "response"):
            continue
        time = moment(item.timestamp) or datetime.fromtimestamp(0, UTC)
        byte, now = record.place.byte, time.timestamp() * 1000
        if item.message_type == "request":
            pairs[byte] = byte
            waiting.setdefault((item.direction, item.method), []).append((now, byte))
            continue
        asked = next((way for way in _DEBUGGER_WAYS if way != item.direction), "")
        if queue := waiting.get((asked, item.method)):
            at = 0 if item.latency_ms is None else _nearest(queue, now - item.latency_ms)
            pairs[byte] = queue.pop(at)[1]
    return pairs


def _nearest(queue: list[tuple[float, int]], time: float) -> int:
    """The entry whose time is nearest. The entries stand in the order of their times."""
    at = bisect_left(queue, (time, 0))
    return min((near for near in (at - 1, at) if 0 <= near < len(queue)), key=lambda near: abs(queue[near][0] - time))


READERS: tuple[Reader, ...] = (CassetteReader(), InspectorReader(), DebuggerExportReader())
