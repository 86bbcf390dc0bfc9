"""One pass over a capture: its connections, which answer belongs to which request, and where all of it stands.

What is kept per message is a row of small integers; texts are read again when somebody looks at a block.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from blockview.core.jsonrpc import (
    Body,
    Direction,
    Identity,
    Kind,
    Message,
    cut_response,
    guess_direction,
    identity,
    message_of,
)
from blockview.core.model import Diagnostic, Place
from blockview.core.raw import ABSENT, part_of
from blockview.readers.envelopes import NOT_A_MESSAGE, NOT_JSON, Frame
from blockview.readers.records import Report
from blockview.readers.toollists import ToolLists, asks_for_first_page

_NAME_MARK = b"erverInfo"
"""In every result that names the server: `serverInfo`, or `io.modelcontextprotocol/serverInfo` under `_meta`."""

_BEFORE_INITIALIZE = ("server/discover", "ping")
_NOTIFICATION, _ORPHAN = "notification", "unasked response"
_NAMED = 8
_LATE = 16
"""How many gaps back a frame that was recorded late is looked for."""


class Ref(NamedTuple):
    """Where a message stands: the place of its record, its position in a batch, and what it is called in traffic."""

    place: Place
    part: int
    label: str


class Refs:
    """A list of `Ref` in five machine integers each; a reference is its number in the list."""

    def __init__(self) -> None:
        self._rows = array("q")
        self._labels: dict[str, int] = {}
        self._names: list[str] = []

    def add(self, place: Place, part: int, label: str) -> int:
        """Keep a reference and return its number."""
        known = self._labels.setdefault(label, len(self._names))
        if known == len(self._names):
            self._names.append(label)
        self._rows.extend((place.line, place.byte, place.length, part, known))
        return len(self._rows) // 5 - 1

    def __getitem__(self, number: int) -> Ref:
        """The reference of that number."""
        line, byte, length, part, label = self._rows[number * 5 : number * 5 + 5]
        return Ref(Place(line, byte, length), part, self._names[label])


class Connection(msgspec.Struct):
    """One connection of a capture. `label` is the recorder's name for the server, `name` the server's own."""

    id: str
    label: str | None
    name: str | None = None
    opened: bool = False
    traffic: array[int] = msgspec.field(default_factory=lambda: array("q"))
    seen: Counter[str] = msgspec.field(default_factory=Counter)
    tools: ToolLists = msgspec.field(default_factory=ToolLists)

    @property
    def server(self) -> str | None:
        """What the server is called."""
        return self.label or self.name

    @property
    def summary(self) -> str:
        """What the traffic of the connection consists of: its requests by method, what else there is by number."""
        counted = (_NOTIFICATION, _ORPHAN)
        named = [(name, count) for name, count in self.seen.items() if name not in counted]
        parts = [name if count == 1 else f"{count} {name}" for name, count in named[:_NAMED]]
        rest = sum(count for _, count in named[_NAMED:])
        parts += [_plural(rest, "other record")] if rest else []
        parts += [_plural(self.seen[noun], noun) for noun in counted if self.seen[noun]]
        return ", ".join(parts)


def _plural(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


class Exchange(msgspec.Struct):
    """One tools/call: numbers of its request, its response, a cancellation and an answer that was cut (-1: none)."""

    connection: Connection
    request: int
    response: int = -1
    cancelled: int = -1
    cut: int = -1


class _Sent(msgspec.Struct):
    """A request that waits for its answer."""

    connection: Connection
    method: str
    exchange: Exchange | None = None
    first_page: bool = False


_Waiting = dict[tuple[Direction, Identity], _Sent]


class _Named(msgspec.Struct, frozen=True, gc=False):
    name: str | None = None


class _Meta(msgspec.Struct, frozen=True, gc=False):
    server: _Named | None = msgspec.field(default=None, name="io.modelcontextprotocol/serverInfo")


class _Introduction(msgspec.Struct, frozen=True, gc=False):
    server: _Named | None = msgspec.field(default=None, name="serverInfo")
    meta: _Meta | None = msgspec.field(default=None, name="_meta")


class _Cancelled(msgspec.Struct, frozen=True, gc=False):
    id: msgspec.Raw = msgspec.field(default=ABSENT, name="requestId")


_INTRODUCTION = msgspec.json.Decoder(_Introduction)
_CANCELLED = msgspec.json.Decoder(_Cancelled)


def parts_of(body: Body) -> Iterator[Message | None]:
    """The messages of a record in order; None for what is no JSON object, and for an empty batch."""
    if isinstance(body, list):
        yield from map(message_of, body) if body else (None,)
    else:
        yield body


class Capture:
    """Takes in the frames of a capture one by one.

    `slots` holds, in recorded order, an Exchange for each tools/call and each Connection where it begins.
    """

    def __init__(self, report: Report) -> None:
        self.refs = Refs()
        self.slots: list[Exchange | Connection] = []
        self.connections: list[Connection] = []
        self.records = self.messages = self.orphans = self.unknown = 0
        self.changed: list[Exchange | Connection] = []
        """What was added to since somebody cleared this."""
        self._report = report
        self._current: dict[tuple[str, str], Connection] = {}
        self._waiting: dict[tuple[str, str], _Waiting] = {}
        self._sequences: dict[str, _Sequence] = {}
        self._unnumbered: dict[tuple[str, str], deque[Identity]] = {}

    def add(self, place: Place, frames: Sequence[Frame]) -> None:
        """Take in the next record, which holds one frame or several."""
        self.records += 1
        part = 0
        for frame in frames:
            part = self._add(place, part, frame)

    def _add(self, place: Place, part: int, frame: Frame) -> int:
        """Take in a frame whose first message has the number `part` within its record; the next frame's number."""
        if frame.sequence is not None:
            self._sequences.setdefault(frame.lane, _Sequence()).add(frame.sequence, place)
        if frame.truncated:
            self._report(Diagnostic(place, "the recorder cut this message off", "truncated"))
        if frame.body is None:
            self._aside(place, part, frame)
            return part + 1
        for message in parts_of(frame.body):
            kind = message.kind if message else Kind.UNKNOWN
            if message is None or kind is Kind.UNKNOWN:
                self.unknown += 1
                self._traffic(self._connection(frame), place, part, f"· {NOT_A_MESSAGE}", NOT_A_MESSAGE)
            else:
                self.messages += 1
                self._message(message, kind, frame, place, part)
            part += 1
        return part

    def missing(self) -> Iterator[Diagnostic]:
        """What the recorder dropped, as far as its count tells up to here."""
        for sequence in self._sequences.values():
            for gap in sequence.gaps:
                if gap.missing > 0:
                    dropped = f"{_plural(gap.missing, 'frame')} before this one (numbers {gap.first} to {gap.last})"
                    yield Diagnostic(gap.place, f"the recorder dropped {dropped}", "dropped_frames")

    def _aside(self, place: Place, part: int, frame: Frame) -> None:
        if frame.starts and (frame.lane, "") in self._current:
            self._open(frame)
        connection = self._connection(frame)
        ref = self._traffic(connection, place, part, f"{frame.direction or '·'} {frame.kind}", frame.kind)
        self.unknown += frame.kind == NOT_A_MESSAGE
        if frame.truncated and frame.direction and isinstance(frame.text, str):
            answered = cut_response(frame.text)
            waiting = self._waiting.get((frame.lane, frame.peer), {})
            sent = waiting.pop((frame.direction.opposite, answered), None) if answered else None
            if sent and sent.exchange:
                sent.exchange.cut = ref
                self.changed.append(sent.exchange)
        elif frame.kind == NOT_JSON:
            self._report(Diagnostic(place, "a line that is not JSON went over the protocol's channel", "not_json"))

    def _message(self, message: Message, kind: Kind, frame: Frame, place: Place, part: int) -> None:
        waiting = self._waiting.setdefault((frame.lane, frame.peer), {})
        key = self._key(message, kind, frame)
        direction = frame.direction or guess_direction(
            message, {way: waiting[way, key].method for way in Direction if key and (way, key) in waiting}
        )
        match kind:
            case Kind.REQUEST if key is not None:
                self._request(message, key, direction, frame, place, part)
            case Kind.RESPONSE:
                sent = waiting.pop((direction.opposite, key), None) if key else None
                self._response(message, sent, direction, frame, place, part)
            case _:
                self._notification(message, direction, frame, place, part)

    def _key(self, message: Message, kind: Kind, frame: Frame) -> Identity | None:
        """What a message and its answer have in common."""
        if frame.unnumbered is None or kind is Kind.NOTIFICATION:
            return identity(message.id)
        queue = self._unnumbered.setdefault((frame.lane, frame.unnumbered), deque())
        if kind is Kind.RESPONSE:
            return queue.popleft() if queue else None
        queue.append(("unnumbered", str(self.messages)))
        return queue[-1]

    def _request(self, message: Message, key: Identity, way: Direction, frame: Frame, place: Place, part: int) -> None:
        method = message.method or ""
        connection = self._connection(frame)
        if way is Direction.TO_SERVER:
            if method == "initialize" and connection.opened:
                connection = self._open(frame)
            connection.opened = connection.opened or method not in _BEFORE_INITIALIZE
        sent = _Sent(connection, method)
        if method == "tools/call" and way is Direction.TO_SERVER:
            sent.exchange = Exchange(connection, self.refs.add(place, part, ""))
            self.slots.append(sent.exchange)
        else:
            sent.first_page = method == "tools/list" and asks_for_first_page(message.params)
            self._traffic(connection, place, part, f"{way} {method}", method)
        self._waiting[frame.lane, frame.peer][way, key] = sent

    def _response(
        self, message: Message, sent: _Sent | None, way: Direction, frame: Frame, place: Place, part: int
    ) -> None:
        if sent is None:
            self.orphans += 1
            self._traffic(self._connection(frame), place, part, f"{way} response without request", _ORPHAN)
            return
        connection = sent.connection
        if sent.exchange:
            sent.exchange.response = self.refs.add(place, part, "")
            self.changed.append(sent.exchange)
        else:
            label = f"{way} {'error' if message.failed else 'result'} of {sent.method}"
            self._traffic(connection, place, part, label, None)
        if way is Direction.TO_CLIENT and not message.failed:
            if connection.name is None:
                connection.name = _server_name(message.result, introduces=sent.exchange is None)
            if sent.method == "tools/list" and not (frame.summary or frame.truncated):
                connection.tools.add_page(message.result, place, sent.first_page, self._report)

    def _notification(self, message: Message, way: Direction, frame: Frame, place: Place, part: int) -> None:
        connection = self._connection(frame)
        ref = self._traffic(connection, place, part, f"{way} {message.method}", _NOTIFICATION)
        if message.method == "notifications/tools/list_changed" and way is Direction.TO_CLIENT:
            connection.tools.changed(place.line)
        elif message.method == "notifications/cancelled":
            asked = part_of(_CANCELLED, message.params)
            key = identity(asked.id) if asked else None
            sent = self._waiting[frame.lane, frame.peer].get((way, key)) if key else None
            if sent and sent.exchange:
                sent.exchange.cancelled = ref
                self.changed.append(sent.exchange)

    def _traffic(self, connection: Connection, place: Place, part: int, label: str, seen: str | None) -> int:
        ref = self.refs.add(place, part, label)
        connection.traffic.append(ref)
        self.changed.append(connection)
        if seen is not None:
            connection.seen[seen] += 1
        return ref

    def _connection(self, frame: Frame) -> Connection:
        """The connection that a frame belongs to: its peer's own, else the lane's latest, else a new one."""
        known = self._current.get((frame.lane, frame.peer)) or self._current.get((frame.lane, ""))
        return known or self._open(frame)

    def _open(self, frame: Frame) -> Connection:
        connection = Connection(str(len(self.connections) + 1), frame.server)
        self.connections.append(connection)
        self.slots.append(connection)
        self._current[frame.lane, frame.peer] = self._current[frame.lane, ""] = connection
        self._waiting[frame.lane, frame.peer] = {}
        return connection


def _server_name(result: msgspec.Raw, *, introduces: bool) -> str | None:
    if _NAME_MARK not in bytes(result):
        return None
    found = part_of(_INTRODUCTION, result)
    if found is None:
        return None
    server = (found.meta and found.meta.server) or (found.server if introduces else None)
    return server.name if server else None


class _Gap(msgspec.Struct):
    first: int
    last: int
    missing: int
    place: Place


class _Sequence:
    """Finds the numbers that a recorder's count leaves out; one that comes late fills its gap."""

    def __init__(self) -> None:
        self.gaps: list[_Gap] = []
        self._next: int | None = None

    def add(self, number: int, place: Place) -> None:
        """Take in the next number."""
        if self._next is None:
            self._next = min(number, 1)
        if number > self._next:
            self.gaps.append(_Gap(self._next, number - 1, number - self._next, place))
        elif number < self._next:
            for gap in reversed(self.gaps[-_LATE:]):
                if gap.first <= number <= gap.last:
                    gap.missing -= 1
                    break
        self._next = max(self._next, number + 1)
