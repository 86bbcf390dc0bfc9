"""The HTTP transports: the SDK's own, over a client that shows every body to the tee before the SDK gets it.

The SDK ends its whole connection when one body is cut, and hides the status and the text of a refusal. So this client
turns what goes wrong on the way into answers that the SDK survives, and keeps what really came for the outcome.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from blockview.dispatch.bodies import EventBody, JsonBody, copied, describe, read
from blockview.dispatch.masking import plain_urls
from blockview.dispatch.servers import Server
from blockview.dispatch.tee import Exchange, Tee, excerpt

_SLACK = 5.0
"""Seconds for a notification, and how much longer than a call its HTTP request may last."""

_OTHER_BODY = 64 << 10
"""Bytes that are read of a body that is neither JSON nor an event stream."""

_JSON, _EVENTS = "application/json", "text/event-stream"
_SESSION = "mcp-session-id"
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
            frame = await request.aread()  # one that follows a redirect was not read before
            self._tee.sent(frame)
            if self._tee.exchange.frame == frame:
                exchange = self._tee.exchange
                request.stream = _Watched(request.content, exchange)
        if exchange is None:  # an event stream may be silent, all else is answered at once
            limit = None if request.method == "GET" else _SLACK
            request.extensions["timeout"] = {**request.extensions.get("timeout", {}), "read": limit}
            if request.method == "GET" and self._legacy:
                self._tee.exchange.http = ""  # a redirect that is followed is not what went wrong
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            if request.method != "POST":
                raise
            return self._failed(request, exchange, error)
        if exchange is not None:
            exchange.http = _status(response)
        if response.next_request is not None:  # the SDK follows it within the origin, and says so where it does not
            if exchange is None and self._legacy:
                place = plain_urls(str(response.next_request.url))
                self._tee.exchange.http = f"{_status(response)} (Redirect to {place} not followed)"
            return response
        if request.method == "GET":
            return await self._to_get(response)
        return response if exchange is None else await self._to_post(request, response, exchange)

    async def _to_get(self, response: httpx2.Response) -> httpx2.Response:
        """An event stream, with what the server says by itself; the old transport gets all answers there."""
        if response.is_success and _kind(response) == _EVENTS:
            ended = (lambda: self._ended("the server closed the event stream")) if self._legacy else None
            return EventBody(self._tee, None, self._longest, ended).through(response)
        body, _ = await read(response.aiter_bytes(), _OTHER_BODY)
        await response.aclose()
        if self._legacy:
            self._tee.exchange.http = _told(response, body)
        return copied(response, content=body)

    async def _to_post(self, request: httpx2.Request, response: httpx2.Response, exchange: Exchange) -> httpx2.Response:
        """The answer to a request, or what came in its place."""
        kind = _kind(response)
        if response.is_success and self._legacy:
            return response
        if response.is_success and kind == _EVENTS:
            return EventBody(self._tee, exchange, self._longest).through(response)
        if response.status_code == 200 and kind == _JSON:
            return JsonBody(self._tee, exchange, self._longest).through(response)
        body, cut = await read(response.aiter_bytes(), self._longest if kind == _JSON else _OTHER_BODY)
        await response.aclose()
        exchange.http = _told(response, body)
        if response.status_code == 404 and _SESSION in request.headers:
            self._ended("HTTP 404 Not Found: the server has ended the session")
        if kind == _JSON and body.strip() and not cut:
            body = self._tee.received(body, exchange, last=True) or body
        return self._gone(request, exchange) if self._legacy else copied(response, content=body)

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


class _Watched(httpx2.AsyncByteStream):
    """The body of a request, which tells its exchange when httpx2 has written it: it asks for more only then."""

    def __init__(self, body: bytes, exchange: Exchange) -> None:
        self._body, self._exchange = body, exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body
        self._exchange.written()


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


def _kind(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _status(response: httpx2.Response) -> str:
    return f"HTTP {response.status_code} {response.reason_phrase}".rstrip()


def _told(response: httpx2.Response, body: bytes) -> str:
    return f"{_status(response)}: {excerpt(body)}".removesuffix(": ")


def _checked(headers: Mapping[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not name.isascii() or not value.isascii() or not name.strip() or not (name + value).isprintable():
            raise BadHeader(f"the header {name!r} holds characters that HTTP does not allow")
    return dict(headers)
