"""Reads captures of MCP's JSON-RPC traffic, bare or in a recorder's envelope.

A capture has no prompts: each tools/call is a block of its own, and all other traffic of a connection is one block
where that connection begins.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from blockview.core.answers import read_answer
from blockview.core.jsonrpc import Message, identity, message_of
from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Block, Counts, Diagnostic, Place, Provenance, Session, Status, Text, ToolCall
from blockview.core.raw import ABSENT, part_of, text_of
from blockview.readers.capture import Capture, Connection, Exchange, Ref
from blockview.readers.envelopes import ENVELOPES, GONE, Envelope, Frame, moment
from blockview.readers.head import Head, Reader
from blockview.readers.lazy import LazyBlocks
from blockview.readers.records import Record, decoded
from blockview.readers.source import Source

_SHOWN = 4000
"""Characters of a message that are shown in traffic. The rest is in the raw view: it may be megabytes."""


class WireReader(msgspec.Struct, frozen=True):
    """Reads captures of one envelope."""

    envelope: Envelope[Any]

    @property
    def format(self) -> str:
        """The recorder's name, or "mcp-jsonrpc" for bare messages."""
        return self.envelope.format

    def sniff(self, head: Head) -> bool:
        """True when one of the first records has the envelope's marks."""
        return head.document != "object" and any(map(self.envelope.claims, head.records))

    def read(self, source: Source) -> Session:
        """Read a capture in one pass; blocks are decoded when they are looked at."""
        diagnostics: list[Diagnostic] = []
        capture = Capture(diagnostics.append)
        for record, value in decoded(source, self.envelope.decoder, diagnostics.append):
            capture.add(record, self.envelope.unwrap(record, value))
        capture.finish()
        slots = tuple(slot for slot in capture.slots if isinstance(slot, Exchange) or slot.traffic)
        calls = tuple(int(isinstance(slot, Exchange)) for slot in slots)
        servers = dict.fromkeys(connection.server for connection in capture.connections if connection.server)
        blocks = _Blocks(source, self.envelope, capture, slots, {})
        return Session(
            source.name,
            self.format,
            LazyBlocks(len(slots), blocks.read),
            title=", ".join(servers),
            diagnostics=tuple(sorted(diagnostics, key=lambda found: (found.place.line, found.place.byte))),
            tools=tuple(
                spec
                for connection in capture.connections
                for spec in connection.tools.specs(connection.server, connection.id)
            ),
            counts=Counts(
                records=capture.records,
                messages=capture.messages,
                calls=sum(calls),
                orphan_results=capture.orphans,
                unknown=capture.unknown,
            ),
            call_counts=calls,
            read_raw=source.text,
        )


READERS: tuple[Reader, ...] = tuple(WireReader(envelope) for envelope in ENVELOPES)


class _CallParams(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    arguments: msgspec.Raw = ABSENT


class _Reason(msgspec.Struct, frozen=True, gc=False):
    reason: str = ""


_CALL_PARAMS = msgspec.json.Decoder(_CallParams)
_REASON = msgspec.json.Decoder(_Reason)


class _Blocks(msgspec.Struct, frozen=True):
    """Makes the blocks of a capture out of its file."""

    source: Source
    envelope: Envelope[Any]
    capture: Capture
    slots: tuple[Exchange | Connection, ...]
    kept: dict[Place, Frame]

    def read(self, index: int) -> Block:
        slot = self.slots[index]
        return self._call(index, slot) if isinstance(slot, Exchange) else self._traffic(index, slot)

    def _call(self, index: int, exchange: Exchange) -> Block:
        ref = self.capture.refs[exchange.request]
        frame, message = self._message(ref)
        started = moment(frame.time)
        params = part_of(_CALL_PARAMS, message.params) or _CallParams()
        key = identity(message.id)
        call = ToolCall(
            id=key[1] if key else "",
            name=params.name,
            tool=params.name,
            arguments=text_of(params.arguments) if len(params.arguments) else None,
            place=ref.place,
            server=exchange.connection.server,
            provenance=Provenance.WIRE,
            started=started,
            connection=exchange.connection.id,
        )
        answered = self._answered(call, exchange, frame.redacted)
        unread = (Text("note", _gone(ref.place), ref.place),) if frame.kind == GONE else ()
        return Block(index, "", ref.place, (*unread, answered), "tools/call", started)

    def _answered(self, call: ToolCall, exchange: Exchange, redacted: bool) -> ToolCall:
        notes = ["arguments redacted by the recorder"] if redacted else []
        status, result, duration = Status.NO_RESULT, None, None
        if exchange.response >= 0:
            ref = self.capture.refs[exchange.response]
            frame, message = self._message(ref)
            status, note, result = read_answer(message, ref.place)
            notes += [note, "answer redacted by the recorder" if frame.redacted else ""]
            duration = _milliseconds(call.started, moment(frame.time))
        elif exchange.cut >= 0:
            notes.append("the recorder cut the answer off")
        if exchange.cancelled >= 0:
            notes.insert(0, self._reason(exchange.cancelled))
            # A server that obeys answers with an error, if at all: only a result shows that it came too late.
            late = result is not None and status is not Status.PROTOCOL_ERROR
            status = Status.LATE_RESULT if late else Status.CANCELLED
        note = "; ".join(filter(None, notes))
        return replace(call, status=status, status_note=note, result=result, duration_ms=duration)

    def _traffic(self, index: int, connection: Connection) -> Block:
        refs = [self.capture.refs[number] for number in connection.traffic]
        place = refs[0].place
        items = tuple(Text("traffic", f"{ref.label} {self._shown(ref)}", ref.place) for ref in refs)
        return Block(index, connection.summary, place, items, "traffic", moment(self._frame(place).time))

    def _shown(self, ref: Ref) -> str:
        """The recorded characters of a message or of what was recorded in its stead."""
        frame = self._frame(ref.place)
        if frame.kind == GONE:
            return _gone(ref.place)
        text = frame.body[ref.part] if isinstance(frame.body, list) and ref.part < len(frame.body) else frame.text
        text = text if isinstance(text, str) else text_of(text)
        left = len(text) - _SHOWN
        return text if left <= 0 else f"{text[:_SHOWN]}… ({left:,} more characters)"

    def _reason(self, number: int) -> str:
        reason = part_of(_REASON, self._message(self.capture.refs[number])[1].params)
        return reason.reason if reason else ""

    def _message(self, ref: Ref) -> tuple[Frame, Message]:
        frame = self._frame(ref.place)
        body = frame.body
        if isinstance(body, list):
            body = message_of(body[ref.part]) if ref.part < len(body) else None
        return frame, body or Message()

    def _frame(self, place: Place) -> Frame:
        """The frame at a place; the last one is kept, because the messages of a batch share it."""
        frame = self.kept.get(place)
        if frame is None:
            frame = self._unwrapped(place)
            self.kept.clear()
            self.kept[place] = frame
        return frame

    def _unwrapped(self, place: Place) -> Frame:
        record = Record(place, self.source.recorded(place))
        try:
            return self.envelope.unwrap(record, decode(self.envelope.decoder, record.data))
        except BadRecord:
            return Frame(None, record.data, kind=GONE)


def _gone(place: Place) -> str:
    return f"line {place.line} {GONE}"


def _milliseconds(start: datetime | None, end: datetime | None) -> float | None:
    if start is None or end is None or end < start:
        return None
    return (end - start) / timedelta(milliseconds=1)
