"""The HTTP transports: the SDK's own, over a client that shows every body to the tee before the SDK gets it.

The SDK ends its whole connection when one body is cut, and hides the status and the text of a refusal. So this client
turns what goes wrong on the way into answers that the SDK survives, and keeps what really came for the outcome.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from blockview.dispatch.lines import Event, Events
from blockview.dispatch.servers import Server
from blockview.dispatch.tee import Exchange, Tee, excerpt, stand_in

_SLACK = 5.0
"""Seconds for a notification, and how much longer than a call its HTTP request may last."""

_OTHER_BODY = 64 << 10
"""Bytes that are read of a body that is neither JSON nor an event stream."""

_SSE_EVENT = 1 << 20
"""Bytes of the longest event that the SDK's legacy transport takes."""

_UNREACHED = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.UnsupportedProtocol, httpx2.ProxyError)


class BadHeader(ValueError):
    """A configured header that HTTP does not allow. The message does not hold its value."""


class TeeClient(httpx2.AsyncClient):
    """An HTTP client that shows each message to the tee.

    Args:
        tee: Sees every message.
        longest: Bytes of the longest body or event that is taken.
        legacy: True for the old SSE transport, whose answers all come over one event stream.
        ended: Told why the server cannot be reached any more.
        options: For httpx2.
    """

    def __init__(self, tee: Tee, longest: int, legacy: bool, ended: Callable[[str], None], **options: Any) -> None:
        super().__init__(**options)
        self._tee, self._longest, self._legacy, self._ended = tee, longest, legacy, ended

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request as httpx2 does; the response holds what the SDK is to get."""
        exchange = None
        if request.method == "POST":
            self._tee.sent(request.content)
            if self._tee.exchange.frame == request.content:
                exchange = self._tee.exchange
        if exchange is None:  # an event stream may be silent, all else is answered at once
            limit = None if request.method == "GET" else _SLACK
            request.extensions["timeout"] = {**request.extensions.get("timeout", {}), "read": limit}
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            if request.method != "POST":
                raise
            return self._failed(request, exchange, error)
        if response.next_request is not None:
            if exchange is not None:
                exchange.http = _status(response)
            return response
        return await self._shown(request, response, exchange)

    async def _shown(
        self, request: httpx2.Request, response: httpx2.Response, exchange: Exchange | None
    ) -> httpx2.Response:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "text/event-stream" and response.is_success:
            if exchange is not None:
                exchange.http = _status(response)
            stream = _Shown(response, self._tee, exchange, self._longest, self._legacy, self._end_of_stream(request))
            return _copy(request, response, stream=stream)
        if exchange is None and (response.is_success or request.method != "GET"):
            return response
        is_json = kind == "application/json"
        body, cut = await _read(response, self._longest if is_json else _OTHER_BODY)
        told = _status(response) + (f": {excerpt(body)}" if body.strip() else "")
        if exchange is None:
            if self._legacy:
                self._tee.exchange.http = told
            return _copy(request, response, content=body)
        exchange.http = told
        if cut and is_json:
            exchange.trouble = f"{_status(response)}: {cut}"
            return self._gone(request, exchange)
        if is_json and body.strip():
            body = self._tee.received(body, exchange, last=True) or body
        if self._legacy and not response.is_success:
            exchange.give_up()
            return httpx2.Response(202, request=request)
        return _copy(request, response, content=body)

    def _failed(self, request: httpx2.Request, exchange: Exchange | None, error: Exception) -> httpx2.Response:
        reason = describe(error)
        if exchange is not None:
            exchange.trouble = reason
        if isinstance(error, _UNREACHED):
            self._ended(reason)
        return self._gone(request, exchange)

    def _gone(self, request: httpx2.Request, exchange: Exchange | None) -> httpx2.Response:
        """A response in place of one that did not come. The old transport would wait for its answer all the same."""
        if self._legacy or exchange is None:
            if exchange is not None:
                exchange.give_up()
            return httpx2.Response(202, request=request)
        return httpx2.Response(503, request=request)

    def _end_of_stream(self, request: httpx2.Request) -> Callable[[], None]:
        if self._legacy and request.method == "GET":
            return lambda: self._ended("the server closed the event stream")
        return lambda: None


class _Shown(httpx2.AsyncByteStream):
    """An event stream whose messages the tee sees first."""

    def __init__(
        self,
        response: httpx2.Response,
        tee: Tee,
        exchange: Exchange | None,
        longest: int,
        legacy: bool,
        ended: Callable[[], None],
    ) -> None:
        self._response, self._tee, self._exchange, self._ended = response, tee, exchange, ended
        self._legacy = legacy
        self._events = Events(longest)
        self._longest = longest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._response.aiter_bytes():
                for event in self._events.feed(chunk):
                    if event is None:
                        self._tee.remark(f"an event of more than {self._longest:,} bytes was dropped")
                    else:
                        yield self._pass(event)
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            if self._exchange is not None:
                self._exchange.trouble = f"{_status(self._response)}: {describe(error)}"
        self._ended()

    def _pass(self, event: Event) -> bytes:
        if event.type != b"message" or not event.data:
            return event.written(event.data)
        passed = self._tee.received(event.data, self._exchange)
        if self._legacy and passed is not None and len(passed) >= _SSE_EVENT:
            passed = stand_in(self._tee.exchange.id_text, "too long for the MCP SDK")
        return event.written(passed)

    async def aclose(self) -> None:
        await self._response.aclose()


@asynccontextmanager
async def http_transport(
    server: Server, tee: Tee, longest: int, connect_timeout: float, timeout: float, ended: Callable[[str], None]
) -> AsyncIterator[TransportStreams]:
    """Reach a server over Streamable HTTP, or over the older HTTP with server-sent events.

    Args:
        server: What to reach.
        tee: Sees every message.
        longest: Bytes of the longest body or event that is taken.
        connect_timeout: Seconds for a TCP and TLS connection.
        timeout: Seconds for a call.
        ended: Told why the server cannot be reached any more.

    Raises:
        BadHeader: a configured header cannot be sent.
    """
    # A body that is not compressed needs no limit of its own.
    own = {"accept-encoding": "identity", **_checked(server.headers)}
    limits = httpx2.Timeout(timeout + _SLACK, connect=connect_timeout)

    def client(
        headers: object = None, timeout: httpx2.Timeout | None = None, auth: httpx2.Auth | None = None
    ) -> TeeClient:
        return TeeClient(tee, longest, server.how == "sse", ended, headers=own, timeout=limits)

    if server.how == "sse":
        async with sse_client(server.url, httpx_client_factory=client) as streams:
            yield streams
    else:
        async with (
            client() as one,
            streamable_http_client(server.url, http_client=one, max_sse_event_size=None) as streams,
        ):
            yield streams


def describe(error: BaseException) -> str:
    """What went wrong with an HTTP request, in words."""
    text = str(error)
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


def _status(response: httpx2.Response) -> str:
    return f"HTTP {response.status_code} {response.reason_phrase}".rstrip()


async def _read(response: httpx2.Response, longest: int) -> tuple[bytes, str]:
    """The body, and why it is not the whole body."""
    parts: list[bytes] = []
    size, cut = 0, ""
    try:
        async for chunk in response.aiter_bytes():
            parts.append(chunk)
            size += len(chunk)
            if size > longest:
                cut = f"the body has more than {longest:,} bytes"
                break
    except (httpx2.TransportError, httpx2.DecodingError) as error:
        cut = describe(error)
    finally:
        await response.aclose()
    return b"".join(parts), cut


def _copy(request: httpx2.Request, response: httpx2.Response, **body: Any) -> httpx2.Response:
    dropped = ("content-length", "content-encoding", "transfer-encoding")
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in dropped]
    return httpx2.Response(
        response.status_code, headers=headers, request=request, extensions=response.extensions, **body
    )


def _checked(headers: Any) -> dict[str, str]:
    for name, value in headers.items():
        if not name.isascii() or not value.isascii() or not name.strip() or not (name + value).isprintable():
            raise BadHeader(f"the header {name!r} holds characters that HTTP does not allow")
    return dict(headers)
