"""A session out of the frames of a capture of MCP's JSON-RPC traffic, whatever they were kept in.

A capture has no prompts: each tools/call is a block of its own, and all other traffic of a connection is one block
where that connection begins.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from typing import Generic, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from blockview.core.answers import cut_answer, read_answer
from blockview.core.jsonrpc import Message, cut_call, identity, message_of
from blockview.core.lenient import BadRecord, decode
from blockview.core.model import (
    Block,
    Counts,
    Diagnostic,
    Place,
    Provenance,
    Session,
    Status,
    Text,
    ToolCall,
    ToolSpec,
)
from blockview.core.raw import ABSENT, part_of, raw_of, text_of
from blockview.readers.capture import Capture, Connection, Exchange, Ref
from blockview.readers.envelopes import GONE, Frame, moment
from blockview.readers.lazy import LazyBlocks
from blockview.readers.records import Record, Report
from blockview.readers.source import Source

T = TypeVar("T")

_SHOWN = 4000
"""Characters of a message that are shown in traffic. The rest is in the raw view: it may be megabytes."""


class Held(Protocol):
    """The frames of one recording. A record may hold several, such as a request and its answer."""

    def at(self, place: Place) -> Sequence[Frame]:
        """The frames of the record at a place, as they were when it was first read."""
        ...


class Tape(Held, Protocol):
    """The frames of one recording, which is read as one."""

    def all(self, report: Report) -> Iterator[tuple[Place, Sequence[Frame]]]:
        """The frames of all records in order; what cannot be read is reported."""
        ...


class Wrapped(msgspec.Struct, Generic[T], frozen=True):
    """Records that are JSON texts in the source, each of which is a value of one type; `unwrap` gives its frames."""

    source: Source
    decoder: msgspec.json.Decoder[T]
    unwrap: Callable[[Record, T], Sequence[Frame]]

    def at(self, place: Place) -> Sequence[Frame]:
        """The frames of the record at a place."""
        record = Record(place, self.source.recorded(place))
        try:
            return self.unwrap(record, decode(self.decoder, record.data))
        except BadRecord:
            return (gone(record.data),)


class Enveloped(Wrapped[T], frozen=True):
    """A tape of such records; `found` gives those that can be decoded with their values."""

    found: Callable[[Report], Iterator[tuple[Record, T]]]

    def all(self, report: Report) -> Iterator[tuple[Place, Sequence[Frame]]]:
        """The frames of all records in order."""
        for record, value in self.found(report):
            yield record.place, self.unwrap(record, value)


def gone(data: bytes | str) -> Frame:
    """What stands for a record that could be read when the recording was opened, and no longer can."""
    return Frame(None, data, kind=GONE)


def read_capture(
    source: Source,
    format: str,
    tape: Tape,
    *,
    id: str = "",
    title: str = "",
    diagnostics: Sequence[Diagnostic] = (),
    tools: Sequence[ToolSpec] = (),
    read_raw: Callable[[Place], str] | None = None,
) -> Session:
    """Read a capture in one pass; blocks are decoded when they are looked at.

    Args:
        source: the recording.
        format: the format's name.
        tape: the frames in the recording.
        id: the recorder's name of the session.
        title: what the session is called; the names of its servers where this is empty.
        diagnostics: what was found before the frames were read.
        tools: tools that the recording lists beside its traffic.
        read_raw: gives the recorded text at a place; the source's own text where this is None.
    """
    making = CaptureMaking(source, format, tape, id=id, title=title, diagnostics=diagnostics, tools=tools)
    for place, frames in tape.all(making.report):
        making.capture.add(place, frames)
    session = making.session()
    return session if read_raw is None else replace(session, read_raw=read_raw)


class CaptureMaking:
    """Makes a session of the frames that its capture takes in; the arguments are those of `read_capture`."""

    def __init__(
        self,
        source: Source,
        format: str,
        tape: Held,
        *,
        id: str = "",
        title: str = "",
        diagnostics: Sequence[Diagnostic] = (),
        tools: Sequence[ToolSpec] = (),
    ) -> None:
        self._found = list(diagnostics)
        self.report = self._found.append
        self.capture = Capture(self.report)
        self._source, self._format, self._tape = source, format, tape
        self._id, self._title, self._tools = id, title, tools
        self._settled: tuple[Exchange | Connection, ...] = ()
        self._servers: tuple[str | None, ...] = ()

    @property
    def _slots(self) -> tuple[Exchange | Connection, ...]:
        return tuple(slot for slot in self.capture.slots if isinstance(slot, Exchange) or slot.traffic)

    def session(self) -> Session:
        """What is known now. Its blocks are decoded when they are looked at."""
        capture, slots = self.capture, self._slots
        calls = tuple(int(isinstance(slot, Exchange)) for slot in slots)
        servers = dict.fromkeys(connection.server for connection in capture.connections if connection.server)
        blocks = _Blocks(self._tape, capture, slots, {})
        listed = tuple(
            spec
            for connection in capture.connections
            for spec in connection.tools.specs(connection.server, connection.id)
        )
        found = [*self._found, *capture.missing()]
        return Session(
            self._source.name,
            self._format,
            LazyBlocks(len(slots), blocks.read),
            id=self._id,
            title=self._title or ", ".join(servers),
            diagnostics=tuple(sorted(found, key=lambda one: (one.place.line, one.place.byte))),
            tools=listed or tuple(self._tools),
            counts=Counts(
                records=capture.records,
                messages=capture.messages,
                calls=sum(calls),
                orphan_results=capture.orphans,
                unknown=capture.unknown,
            ),
            call_counts=calls,
            read_raw=self._source.text,
        )

    def settle(self) -> Collection[int]:
        """The blocks that were known when this was called before, and that tell something else since."""
        before, self._settled = self._settled, self._slots
        named, self._servers = self._servers, tuple(connection.server for connection in self.capture.connections)
        changed = set(map(id, self.capture.changed))
        self.capture.changed.clear()
        if self._settled[: len(before)] != before or self._servers[: len(named)] != named:
            return range(len(before))
        return [number for number, slot in enumerate(before) if id(slot) in changed]


class _CallParams(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    arguments: msgspec.Raw = ABSENT


class _Reason(msgspec.Struct, frozen=True, gc=False):
    reason: str = ""


_CALL_PARAMS = msgspec.json.Decoder(_CallParams)
_REASON = msgspec.json.Decoder(_Reason)


class _Blocks(msgspec.Struct, frozen=True):
    """Makes the blocks of a capture out of its tape."""

    tape: Held
    capture: Capture
    slots: tuple[Exchange | Connection, ...]
    kept: dict[Place, Sequence[Frame]]

    def read(self, index: int) -> Block:
        slot = self.slots[index]
        return self._call(index, slot) if isinstance(slot, Exchange) else self._traffic(index, slot)

    def _call(self, index: int, exchange: Exchange) -> Block:
        ref = self.capture.refs[exchange.request]
        frame, message = self._message(ref)
        started = moment(frame.time)
        params = _params(message, frame)
        key = identity(message.id)
        call = ToolCall(
            id=f"line {ref.place.line}" if frame.unnumbered is not None else key[1] if key else "",
            name=params.name,
            tool=frame.tool or params.name,
            arguments=text_of(params.arguments) if len(params.arguments) else None,
            place=ref.place,
            server=exchange.connection.server,
            provenance=Provenance.WIRE,
            started=started,
            connection=exchange.connection.id,
        )
        answered = self._answered(call, exchange, frame)
        unread = (Text("note", _gone(ref.place), ref.place),) if frame.kind == GONE else ()
        return Block(index, "", ref.place, (*unread, answered), "tools/call", started)

    def _answered(self, call: ToolCall, exchange: Exchange, asked: Frame) -> ToolCall:
        notes = ["arguments redacted by the recorder" if asked.redacted else "", asked.note, _lost(asked, "arguments")]
        notes.append("only a summary was recorded" if asked.summary else "")
        status, result, duration = Status.NO_RESULT, None, None
        if exchange.response >= 0:
            ref = self.capture.refs[exchange.response]
            frame, message = self._message(ref)
            read = cut_answer if frame.truncated or frame.summary else read_answer
            status, note, result = read(message, ref.place)
            redacted = "answer redacted by the recorder" if frame.redacted else ""
            notes += [note, redacted, frame.note, _lost(frame, "answer")]
            duration = _milliseconds(asked, frame)
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
        return Block(index, connection.summary, place, items, "traffic", moment(self._frame(refs[0])[0].time))

    def _shown(self, ref: Ref) -> str:
        """The recorded characters of a message or of what was recorded in its stead."""
        frame, part = self._frame(ref)
        if frame.kind == GONE:
            return _gone(ref.place)
        text = frame.body[part] if isinstance(frame.body, list) and part < len(frame.body) else frame.text
        text = text if isinstance(text, str) else text_of(text)
        left = len(text) - _SHOWN
        return text if left <= 0 else f"{text[:_SHOWN]}… ({left:,} more characters)"

    def _reason(self, number: int) -> str:
        reason = part_of(_REASON, self._message(self.capture.refs[number])[1].params)
        return reason.reason if reason else ""

    def _message(self, ref: Ref) -> tuple[Frame, Message]:
        frame, part = self._frame(ref)
        body = frame.body
        if isinstance(body, list):
            body = message_of(body[part]) if part < len(body) else None
        return frame, body or Message()

    def _frame(self, ref: Ref) -> tuple[Frame, int]:
        """The frame that a message stands in and its number there.

        The frames of the last record are kept, because the messages of a batch share it.
        """
        frames = self.kept.get(ref.place)
        if frames is None:
            frames = self.tape.at(ref.place)
            self.kept.clear()
            self.kept[ref.place] = frames
        part = ref.part
        for frame in frames:
            size = len(frame.body) if isinstance(frame.body, list) and frame.body else 1
            if part < size or frame.kind == GONE:
                return frame, part
            part -= size
        return gone(""), 0


def _params(message: Message, frame: Frame) -> _CallParams:
    if frame.truncated or frame.summary:
        name, arguments = cut_call(text_of(message.params))
        return _CallParams(name, raw_of(arguments))
    return part_of(_CALL_PARAMS, message.params) or _CallParams()


def _lost(frame: Frame, what: str) -> str:
    return f"the recorder cut the {what} off" if frame.truncated and frame.body is not None else ""


def _gone(place: Place) -> str:
    return f"line {place.line} {GONE}"


def _milliseconds(asked: Frame, answered: Frame) -> float | None:
    if answered.latency is not None:
        return answered.latency
    start, end = moment(asked.time), moment(answered.time)
    if start is not None and end is not None:
        return (end - start) / timedelta(milliseconds=1) if end >= start else None
    if asked.clock is not None and answered.clock is not None and answered.clock >= asked.clock:
        return answered.clock - asked.clock
    return None
