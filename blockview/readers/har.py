"""Reads HAR files: what a browser or a proxy kept of MCP over HTTP, whose answers are JSON or streams of events.

Format: http://www.softwareishard.com/blog/har-12-spec/. Transport: https://modelcontextprotocol.io/specification,
"Streamable HTTP", and the older "HTTP with SSE", in which all answers come in one stream that was opened first.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from urllib.parse import urljoin

import msgspec

from blockview.core.jsonrpc import BODY, Body, Direction, Kind
from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Session
from blockview.core.raw import ABSENT, part_of
from blockview.readers.capture import parts_of
from blockview.readers.capture_session import Enveloped, read_capture
from blockview.readers.document import document, elements, member, unreadable
from blockview.readers.envelopes import Frame
from blockview.readers.head import Head, Reader
from blockview.readers.records import Record, Report
from blockview.readers.source import Source
from blockview.readers.sse import ServerEvent, is_stream, server_events

_START = re.compile(rb'\{\s*"log"\s*:\s*\{')
_MARK = re.compile(rb'"(?:entries|creator)"\s*:')
_SESSION_HEADER = "mcp-session-id"
_FIRST_ERROR = 400


class _Header(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    value: str = ""


class _Posted(msgspec.Struct, frozen=True, gc=False):
    text: str = ""


class _Content(msgspec.Struct, frozen=True, gc=False):
    text: str | None = None
    encoding: str = ""


class _Request(msgspec.Struct, frozen=True, gc=False):
    method: str = ""
    url: str = ""
    headers: list[_Header] = msgspec.field(default_factory=list)
    posted: _Posted = msgspec.field(default=_Posted(), name="postData")


class _Response(msgspec.Struct, frozen=True, gc=False):
    status: int = 0
    headers: list[_Header] = msgspec.field(default_factory=list)
    content: _Content = _Content()


class _Exchange(msgspec.Struct, frozen=True, gc=False):
    started: msgspec.Raw = msgspec.field(default=ABSENT, name="startedDateTime")
    time: float | None = None
    request: _Request = _Request()
    response: _Response = _Response()


_EXCHANGE = msgspec.json.Decoder(_Exchange)


class HarReader:
    """HAR files. What else the browser loaded is counted, and no part of the session."""

    format = "har"

    def sniff(self, head: Head) -> bool:
        """True for a document that begins as the format says."""
        start = head.start.removeprefix(b"\xef\xbb\xbf").lstrip()
        return bool(_START.match(start) and _MARK.search(start))

    def read(self, source: Source) -> Session:
        """Read a HAR file in one pass; blocks are decoded when they are looked at."""
        others = 0

        def found(report: Report) -> Iterator[tuple[Record, _Exchange]]:
            nonlocal others
            entries = member(document(source, report), "log", "entries")
            streams = []  # of the older transport: its answers stand in an entry before that of their requests
            for record in elements(entries) if entries else ():
                try:
                    exchange = decode(_EXCHANGE, record.data)
                except BadRecord as error:
                    report(unreadable(record, error))
                    continue
                if not _frames(record, exchange):
                    others += 1
                elif exchange.request.method == "GET":
                    streams.append((record, exchange))
                else:
                    yield record, exchange
            yield from streams

        session = read_capture(source, self.format, Enveloped(source, _EXCHANGE, _frames, found))
        counts = msgspec.structs.replace(session.counts, unknown=session.counts.unknown + others)
        return msgspec.structs.replace(session, counts=counts)


def _frames(record: Record, exchange: _Exchange) -> tuple[Frame, ...]:
    """The messages of an exchange: what was posted, and what came back for it."""
    request, response = exchange.request, exchange.response
    headers = {one.name.lower(): one.value for one in (*request.headers, *response.headers)}
    texts = list(_texts(response.content))
    lane = f"{_endpoint(request.url, texts)} {headers.get(_SESSION_HEADER, '')}"
    posted = _messages(request.posted.text)
    answers = [found for text in texts for found in _messages(text.data)]
    note = ""
    if posted and not answers:
        note = "the capture holds no body of the answer" if response.content.text is None else ""
        note = f"the answer had the HTTP status {response.status}" if response.status >= _FIRST_ERROR else note
    return (
        *(Frame(body, text, Direction.TO_SERVER, lane=lane, time=exchange.started, note=note) for text, body in posted),
        *(Frame(body, text, Direction.TO_CLIENT, lane=lane, latency=exchange.time) for text, body in answers),
    )


def _endpoint(url: str, events: list[ServerEvent]) -> str:
    """Where the messages of a conversation are posted: in the older transport, a stream says it in its first event."""
    try:
        return urljoin(url, events[0].data) if events and events[0].type == "endpoint" else url
    except ValueError:
        return url


def _texts(content: _Content) -> Iterator[ServerEvent]:
    """What may be messages in the body of an answer: the events in it, or the body as if it was one."""
    text = content.text or ""
    if content.encoding == "base64":
        try:
            text = base64.b64decode(text).decode("utf-8", "surrogateescape")
        except ValueError:
            return
    if is_stream(text):
        yield from server_events(text)
    else:
        yield ServerEvent("", text)


def _messages(text: str) -> list[tuple[str, Body]]:
    """A text with the message or the batch that it is; none for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return []
    body = part_of(BODY, text.encode("utf-8", "surrogateescape"))
    if body is None or not any(message and message.kind is not Kind.UNKNOWN for message in parts_of(body)):
        return []
    return [(text, body)]


READERS: tuple[Reader, ...] = (HarReader(),)
