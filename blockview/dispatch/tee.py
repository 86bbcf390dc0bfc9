"""Keeps every message that passes a connection, and picks out the answer that is waited for.

The MCP SDK drops answers that it cannot read or that break a rule. So the transports show each message to the tee
first: it keeps the text, and where the message is the awaited answer to a tools/call, the SDK gets a small stand-in
that ends its waiting.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter

import msgspec

from blockview.core.jsonrpc import BODY, Direction, Identity, Kind, Message, cut_response, identity, message_of
from blockview.core.raw import ABSENT, part_of, present, text_of
from blockview.core.safetext import one_line

_MESSAGES = 2_000
_BYTES = 32 << 20
_REMARKS = 200
_STDERR = 64 << 10
_EXCERPT = 160
_HEAD = 400


class Passed(msgspec.Struct, frozen=True):
    """One message that passed the connection, as it was written."""

    direction: Direction
    text: str
    at: datetime


class Log:
    """The last messages and remarks of a connection, written by its thread and read by any."""

    def __init__(self) -> None:
        self._passed: deque[tuple[Direction, bytes, datetime]] = deque()
        self._size = 0
        self._remarks: deque[str] = deque(maxlen=_REMARKS)
        self._errors = b""

    @property
    def messages(self) -> tuple[Passed, ...]:
        """The last messages of both directions, oldest first."""
        return tuple(Passed(way, text_of(raw), at) for way, raw, at in self._passed.copy())

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was odd on the connection, the last lines of it."""
        return tuple(self._remarks.copy())

    def remark(self, text: str) -> None:
        """Note something odd."""
        self._remarks.append(text)

    def errors(self, chunk: bytes) -> None:
        """Keep the end of what the server writes to stderr."""
        self._errors = (self._errors + chunk)[-_STDERR:]

    @property
    def stderr(self) -> str:
        """The end of what the server wrote to stderr."""
        return text_of(self._errors)

    def keep(self, way: Direction, raw: bytes) -> None:
        """Keep a message and let the oldest ones go. The last one is kept whatever its size."""
        self._passed.append((way, raw, datetime.now(UTC)))
        self._size += len(raw)
        while len(self._passed) > _MESSAGES or (self._size > _BYTES and len(self._passed) > 1):
            self._size -= len(self._passed.popleft()[1])


class Exchange:
    """One request and what came back for it.

    `frame` is the request as written. `answer` is the whole answering message; `unreadable` says why the MCP SDK cannot
    read it, as far as that was asked. `http` is the status line and the start of the body of an HTTP answer, `trouble`
    what went wrong on the way ("the connection was cut …"). `written` is called when the request is on its way to the
    server, `give_up` stops the waiting.
    """

    def __init__(self) -> None:
        self.frame = b""
        self.method = ""
        self.id_text = ""
        self.id: Identity | None = None
        self.answer: bytes | None = None
        self.answered = 0.0
        self.unreadable = ""
        self.http = ""
        self.trouble = ""
        self.remarks: list[str] = []
        self.written: Callable[[], None] = lambda: None
        self.give_up: Callable[[], None] = lambda: None

    @property
    def waiting(self) -> bool:
        """True while the answer to a request that was sent is outstanding."""
        return self.id is not None and self.answer is None


class _Sent(msgspec.Struct, frozen=True, gc=False):
    arguments: msgspec.Raw = ABSENT


_SENT = msgspec.json.Decoder(_Sent)


Reading = Callable[[bytes], tuple[object, str]]
"""What the MCP SDK makes of a message, and why it cannot read it ("" when it can)."""


class Tee:
    """What a connection has seen, and the exchange that runs.

    `reading` is the MCP SDK's own parser. `notice` is told the method of each request and notification of the server.
    """

    def __init__(self, reading: Reading, notice: Callable[[str], None], log: Log) -> None:
        self._reading = reading
        self._notice = notice
        self._log = log
        self.exchange = Exchange()

    def begin(self) -> Exchange:
        """Start an exchange: the next request that is sent belongs to it."""
        self.exchange = Exchange()
        return self.exchange

    def end(self) -> None:
        """Wait for nothing any more: what still comes for the last exchange is late."""
        self.exchange = Exchange()

    def remark(self, text: str) -> None:
        """Note something odd, also on the exchange that runs."""
        self._log.remark(text)
        if len(self.exchange.remarks) < _REMARKS:
            self.exchange.remarks.append(text)

    def sent(self, frame: bytes) -> None:
        """Keep a message to the server, as it was written."""
        self._log.keep(Direction.TO_SERVER, frame)
        exchange = self.exchange
        if not exchange.frame and (message := message_of(frame)) is not None and message.kind is Kind.REQUEST:
            exchange.frame, exchange.method = frame, message.method or ""
            exchange.id, exchange.id_text = identity(message.id), text_of(message.id)

    def received(self, raw: bytes, reply_to: Exchange | None = None, *, last: bool = False) -> bytes | None:
        """Keep a message from the server.

        Args:
            raw: The text of one message or batch.
            reply_to: The exchange to whose HTTP request this came back, whatever id it carries.
            last: True when nothing else will come back, so that this is the answer whatever it is.

        Returns:
            What the SDK is to get in its place, or None when there is nothing for it.
        """
        self._log.keep(Direction.TO_CLIENT, raw)
        reply = reply_to is self.exchange and self.exchange.waiting
        body = part_of(BODY, raw) if raw.lstrip()[:1] in (b"{", b"[") else None
        if body is None:
            return self._not_a_message(raw, reply and last)
        if isinstance(body, list):
            return self._batch(body, reply)
        return self._message(raw, body, reply)

    def _message(self, raw: bytes, message: Message, reply: bool) -> bytes | None:
        if message.kind is Kind.RESPONSE:
            return self._response(raw, message, reply)
        _, unreadable = self._reading(raw)
        if unreadable:
            self.remark(f"a message that the MCP SDK cannot read ({unreadable}): {excerpt(raw)}")
            return None
        self._notice(message.method or "")
        return raw

    def _response(self, raw: bytes, message: Message, reply: bool) -> bytes | None:
        exchange = self.exchange
        key = identity(message.id)
        if not (exchange.waiting and exchange.id and key and _same(key, exchange.id)):
            shown = one_line(text_of(message.id), _EXCERPT) or "null"
            if not reply:
                self.remark(f"an answer with the id {shown}, for which nobody waits")
                return None
            if key or not message.failed:  # an error may have no id: the server could not read the request
                self.remark(f"the answer carries the id {shown} instead of {exchange.id_text}")
        exchange.answered = perf_counter()
        exchange.answer = raw
        if exchange.method == "tools/call":
            return stand_in(exchange.id_text)
        _, exchange.unreadable = self._reading(raw)
        return stand_in(exchange.id_text, exchange.unreadable) if exchange.unreadable else raw

    def _batch(self, members: list[msgspec.Raw], reply: bool) -> bytes | None:
        self.remark(f"a batch of {len(members)} messages, which this version of MCP does not have")
        answer = None
        for member in members:
            message = message_of(member)
            if message is not None and message.kind is Kind.RESPONSE:
                answer = self._response(bytes(member), message, reply) or answer
        return answer

    def _not_a_message(self, raw: bytes, answer: bool) -> bytes | None:
        exchange = self.exchange
        if exchange.waiting and (answer or cut_response(text_of(raw[:_HEAD])) == exchange.id):
            exchange.answered = perf_counter()
            exchange.answer, exchange.unreadable = raw, "it is not JSON"
            return stand_in(exchange.id_text, "the answer is not JSON")
        if raw.strip():
            self.remark(f"not a message: {excerpt(raw)}")
        return None


def arguments_of(frame: bytes) -> str | None:
    """The text of `params.arguments` as it stands in a frame; None where there is none."""
    message = message_of(frame)
    params = part_of(_SENT, message.params) if message is not None and present(message.params) else None
    return text_of(params.arguments) if params is not None and len(params.arguments) else None


def stand_in(id_text: str, problem: str = "") -> bytes:
    """An answer for the SDK in place of the real one: an empty result, or an error."""
    if problem:
        error = msgspec.json.encode({"code": -32603, "message": problem})
        return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (id_text.encode(), error)
    return b'{"jsonrpc":"2.0","id":%b,"result":{"content":[],"resultType":"complete"}}' % id_text.encode()


def excerpt(raw: bytes) -> str:
    """The start of a text from outside on one line, with control characters made visible."""
    return one_line(text_of(raw[: 16 * _EXCERPT]).strip(), _EXCERPT)


def _same(one: Identity, other: Identity) -> bool:
    """Whether two ids are one. A server may give the number back as a string, and the SDK takes that."""
    return one == other or (one[1] == other[1] and {one[0], other[0]} == {"number", "string"})
