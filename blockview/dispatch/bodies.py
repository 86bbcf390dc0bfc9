"""Bodies of HTTP answers that the tee sees before the SDK does, while they come. Loads httpx2."""

from __future__ import annotations

import os
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Any

import httpx2

from blockview.dispatch.lines import Event, Events
from blockview.dispatch.tee import Exchange, Tee, stand_in

_BEGINNING = 64 << 10
"""Bytes that are kept of a body that is too long."""

_SSE_EVENT = 1 << 20
"""Bytes of the longest event that the SDK's legacy transport takes."""


class Body(httpx2.AsyncByteStream):
    """A body whose messages the tee sees. `through` gives it the one it is made from.

    Args:
        tee: Sees the messages.
        exchange: The exchange whose request is answered here, if one is.
        longest: Bytes of the longest message that is taken.
    """

    def __init__(self, tee: Tee, exchange: Exchange | None, longest: int) -> None:
        self._tee, self._exchange, self._longest = tee, exchange, longest

    def through(self, response: httpx2.Response) -> httpx2.Response:
        """The response with this body in place of its own."""
        if "content-encoding" in response.headers:
            self._chunks, self._close = response.aiter_bytes(), response.aclose
            return copied(response, stream=self)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        self._chunks, self._close = response.stream, response.stream.aclose
        response.stream = self
        return response

    _chunks: AsyncIterable[bytes]
    _close: Callable[[], Awaitable[None]]

    async def aclose(self) -> None:
        """Close the body below."""
        await self._close()


class JsonBody(Body):
    """One message. A body that is cut becomes an error for the SDK, which would end its whole connection else."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body, cut = await read(self._chunks, self._longest)
        exchange = self._exchange
        if cut and exchange is not None:
            exchange.trouble = f"{exchange.http}: {cut}"
            yield stand_in(exchange.id_text, cut)
        elif body.strip():
            yield self._tee.received(body, exchange, last=True) or body


class EventBody(Body):
    """A stream of events.

    Args:
        tee: Sees the messages.
        exchange: The exchange whose request is answered here, if one is.
        longest: Bytes of the longest event that is taken.
        ended: For the one stream of the legacy transport, which brings all answers: told when it ends.
    """

    def __init__(
        self, tee: Tee, exchange: Exchange | None, longest: int, ended: Callable[[], None] | None = None
    ) -> None:
        super().__init__(tee, exchange, longest)
        self._ended = ended

    async def __aiter__(self) -> AsyncIterator[bytes]:
        events = Events(self._longest)
        try:
            async for chunk in self._chunks:
                for event in events.feed(chunk):
                    if event is None:
                        self._tee.remark(f"an event of more than {self._longest:,} bytes was dropped")
                    else:
                        yield self._passed(event)
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            if self._exchange is not None:
                self._exchange.trouble = f"{self._exchange.http}: {describe(error)}"
        if self._ended is not None:
            self._ended()

    def _passed(self, event: Event) -> bytes:
        if event.type != b"message" or not event.data:
            return event.written(event.data)
        passed = self._tee.received(event.data, self._exchange)
        if self._ended is not None and passed is not None and len(passed) >= _SSE_EVENT:
            passed = stand_in(self._tee.exchange.id_text, "too long for the MCP SDK")
        return event.written(passed)


async def read(chunks: AsyncIterable[bytes], longest: int) -> tuple[bytes, str]:
    """A body, and why it is not whole ("" when it is). Of one that is too long there is the beginning only."""
    body = bytearray()  # a list of chunks would take many times the memory where they are small
    try:
        async for chunk in chunks:
            body += chunk
            if len(body) > longest:
                return bytes(body[:_BEGINNING]), f"the body has more than {longest:,} bytes"
    except (httpx2.TransportError, httpx2.DecodingError) as error:
        return bytes(body), describe(error)
    return bytes(body), ""


def copied(response: httpx2.Response, **body: Any) -> httpx2.Response:
    """The response with another body, which is not compressed."""
    dropped = ("content-length", "content-encoding", "transfer-encoding")
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in dropped]
    return httpx2.Response(response.status_code, headers=headers, request=response.request, **body)


def describe(error: BaseException) -> str:
    """What went wrong with an HTTP request, in words."""
    text = str(error)
    if isinstance(error, httpx2.HTTPStatusError):
        return f"HTTP {error.response.status_code}"  # its own text repeats the URL, and secrets with it
    if isinstance(error, httpx2.ConnectTimeout):
        return "the server did not take the connection in time"
    if isinstance(error, httpx2.ConnectError):
        return f"the server cannot be reached: {_reason(error)}"
    if isinstance(error, httpx2.ReadTimeout):
        return "the server sent nothing in time"
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError):
        return f"the connection was cut: {text or type(error).__name__}"
    return text or type(error).__name__


def _reason(error: BaseException) -> str:
    """The system's own words behind a connection that did not come about."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError) and inner.errno is not None and inner.errno > 0:
            return os.strerror(inner.errno).lower()
        inner = inner.exceptions[0] if isinstance(inner, BaseExceptionGroup) else inner.__cause__ or inner.__context__
    return str(error)
