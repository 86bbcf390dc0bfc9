"""The one task that owns a connection: it enters and leaves the SDK's context managers and sends calls in order.

Runs on a thread and an event loop of its own, so that neither a large answer nor a slow server holds up anybody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from functools import partial
from time import perf_counter
from typing import cast

import anyio
import httpx2
from mcp import ClientSession, MCPError
from mcp.client._transport import TransportStreams
from mcp_types import CallToolRequest, CallToolRequestParams, Implementation, Result

from blockview import __version__
from blockview.core.jsonrpc import message_of
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import Prepared, prepare
from blockview.core.raw import text_of
from blockview.core.replaying import NotConnected
from blockview.core.safetext import one_line, short_name
from blockview.dispatch import sdk
from blockview.dispatch.attempt import Attempt
from blockview.dispatch.bodies import describe
from blockview.dispatch.http import http_transport
from blockview.dispatch.listing import fetch_pages
from blockview.dispatch.mailbox import Relist, Send
from blockview.dispatch.masking import plain_urls
from blockview.dispatch.outcomes import error_code, error_note, last_lines
from blockview.dispatch.shared import Listing, Pending, Shared
from blockview.dispatch.stdio import stdio_transport
from blockview.dispatch.tee import Exchange, Tee

_FAREWELL = 4.0
"""Seconds in which an HTTP server may be told that its session ends."""

_RELIST_PAUSE = 1.0
"""Seconds between two lists that the server asks for while nothing is sent."""

_UNREAD = 0.05
"""Seconds that an answer waits at most for the next request to be written before it is read."""

_QUIET_REQUESTS = ("ping",)

_ANOTHER_TEXT = "the server lists its tools anew, and other arguments would be sent than you agreed to: look again"

_UNSENT = Outcome(Ended.CANCELLED, "cancelled before it was sent")


class Worker:
    """Connects, serves the mailbox and cleans up. `run` does it all and returns when the connection is over."""

    def __init__(self, shared: Shared, connecting: Future[None]) -> None:
        self._shared = shared
        self._connecting = connecting
        self._tee = Tee(sdk.reading, self._notice, shared.log)
        self._job: Send | None = None
        self._attempt: Attempt | None = None
        self._ahead: tuple[Send, Listing, Prepared] | None = None
        self._unread: Callable[[], None] = lambda: None
        """Reads the last answer and gives its call the outcome; nothing when that is done."""
        self._why = ""
        """Why the connection is over, when it ended by itself."""
        self._listed_at = 0.0
        self._interrupt: Callable[[], None] = lambda: None
        """Ends what the connection waits for now."""
        shared.cancel, shared.stop = self._cancel, self._stop

    def run(self) -> None:
        """Own the connection from its start to its end."""
        sdk.silence()
        asyncio.run(self._main())

    async def _main(self) -> None:
        shared = self._shared
        self._wake = asyncio.Event()
        self._whole = anyio.CancelScope(deadline=anyio.current_time() + shared.connect_timeout)
        self._interrupt = self._whole.cancel
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self._tee.remark(f"internal error: {context['message']}"))
        shared.mailbox.open(loop.call_soon_threadsafe, self._wake.set)
        try:
            with self._whole:
                async with self._transport() as (read, write):
                    info = Implementation(name="blockview", version=__version__)
                    async with ClientSession(read, write, client_info=info) as session:
                        if await self._open(session):
                            await self._serve(session)
                        self._finish()  # nobody waits for the server's end
        except Exception as error:  # whatever a transport throws ends this connection only
            self._why = self._why or self._tee.exchange.http or _why(sdk.leaf(error), shared)
        finally:
            self._finish()

    def _transport(self) -> AbstractAsyncContextManager[TransportStreams]:
        shared, server = self._shared, self._shared.server
        if server.how == "stdio":
            return stdio_transport(server, self._tee, shared.log, shared.longest, shared.lead, self._ended)
        return http_transport(server, self._tee, shared.longest, shared.connect_timeout, shared.timeout, self._ended)

    # Connecting

    async def _open(self, session: ClientSession) -> bool:
        """Shake hands and list the tools; False when that fails, which the waiting future is told at once."""
        shared = self._shared
        deadline, self._whole.deadline = self._whole.deadline, float("inf")
        step, outcome = "initialize", None
        with anyio.CancelScope(deadline=deadline) as limit:
            self._interrupt = limit.cancel
            outcome = await self._handshake(session)
            if outcome is None:
                step = "tools/list"
                await self._list(session)
        self._interrupt = lambda: None
        if shared.closing:
            outcome = self._failure(Ended.CANCELLED, "given up before it answered")
        elif self._why and outcome is None:
            outcome = self._failure(Ended.SERVER_DIED, self._why)
        elif limit.cancelled_caught:
            outcome = self._failure(Ended.TIMED_OUT, f"no answer to {step} within {shared.connect_timeout:g} s")
        if outcome is not None:
            self._refuse(outcome)
            return False
        shared.alive = True
        self._connecting.set_result(None)
        return True

    async def _handshake(self, session: ClientSession) -> Outcome | None:
        """Initialize; a server that refuses is asked whether it speaks the newer protocol, which has no handshake."""
        exchange = self._tee.begin()
        try:
            await session.initialize()
            return None
        except MCPError as error:
            outcome = self._refusal(exchange, error.message)
        except (ValueError, RuntimeError) as error:  # an answer that the SDK refuses, or a version it does not know
            outcome = self._failure(Ended.PROTOCOL_ERROR, one_line(f"initialize: {error}", 300), exchange)
        if outcome.ended is Ended.PROTOCOL_ERROR and exchange.answer is not None:
            try:
                self._tee.begin()
                await session.discover()
                return None
            except (MCPError, ValueError, RuntimeError):
                pass
        return outcome

    def _refusal(self, exchange: Exchange, problem: str) -> Outcome:
        if exchange.answer is not None:
            message = message_of(exchange.answer)
            told = error_note(message) if message is not None and message.failed else exchange.unreadable
            code = error_code(message) if message is not None else ""
            return self._failure(Ended.PROTOCOL_ERROR, f"initialize: {told or problem}", exchange, code)
        http = exchange.http
        if http.startswith("HTTP 3"):  # the SDK knows where to, and why it did not go there
            http = one_line(plain_urls(f"{http} ({problem})"), 400)
        reason = self._why or exchange.trouble or http or problem
        return self._failure(Ended.SERVER_DIED, reason, exchange)

    def _failure(self, ended: Ended, detail: str, exchange: Exchange | None = None, code: str = "") -> Outcome:
        raw = text_of(exchange.answer) if exchange is not None and exchange.answer is not None else ""
        log = self._shared.log
        return Outcome(ended, detail, code, raw=raw, remarks=log.remarks, stderr=last_lines(log.stderr))

    def _refuse(self, outcome: Outcome) -> None:
        self._shared.over = outcome
        if not self._connecting.done():
            self._connecting.set_exception(NotConnected(outcome))

    async def _list(self, session: ClientSession) -> None:
        """Fetch the tools. A list that does not come leaves the old one, with a remark."""
        shared = self._shared
        shared.stale = False
        pages, problem = await fetch_pages(session, self._tee, shared.server.name)
        for page in pages:
            for line in page.problems:
                self._tee.remark(line)
        if problem:
            self._tee.remark(problem)
        if pages or not problem:
            shared.listing = Listing.of(pages, shared.server.name)
        self._listed_at = perf_counter()

    # Serving

    async def _serve(self, session: ClientSession) -> None:
        shared = self._shared
        while not (shared.closing or self._why):
            job = shared.mailbox.take()
            if job is None:
                self._wake.clear()
                job = shared.mailbox.take()
            if job is None:
                await self._wake.wait()
                continue
            if isinstance(job, Relist):
                if job.future is None and perf_counter() - self._listed_at < _RELIST_PAUSE:
                    continue  # the next call fetches it
                try:
                    await self._relist(session)
                finally:
                    if job.future is not None and not job.future.done():
                        job.future.set_result(None)
                continue
            self._job = job
            if shared.stale:
                await self._relist(session)
            if not job.future.done():
                await self._send(session, job)
            self._job = None
        self._whole.deadline = anyio.current_time() + _FAREWELL

    async def _relist(self, session: ClientSession) -> None:
        with anyio.move_on_after(self._shared.timeout) as limit:
            self._interrupt = limit.cancel
            await self._list(session)
        self._interrupt = lambda: None
        if limit.cancelled_caught and not self._shared.closing:
            self._tee.remark(f"tools/list: no answer within {self._shared.timeout:g} s")

    async def _send(self, session: ClientSession, job: Send) -> None:
        shared, loop = self._shared, asyncio.get_running_loop()
        ahead, self._ahead = self._ahead, None
        fresh = ahead is not None and ahead[0] is job and ahead[1] is shared.listing
        prepared = ahead[2] if ahead is not None and fresh else self._prepare(job)
        if prepared.blocked:
            _settle(job, lambda: Outcome(Ended.CANNOT_SEND, prepared.blocked, prepared=prepared))
            return
        if job.approved is not None and prepared.dispatched != job.approved.dispatched:
            _settle(job, lambda: Outcome(Ended.CANNOT_SEND, _ANOTHER_TEXT, prepared=prepared))
            return
        exchange = self._tee.begin()
        attempt = self._attempt = Attempt(job, prepared, exchange, shared.listing, shared.log)
        problem = ""
        with anyio.move_on_after(shared.timeout) as limit:
            exchange.give_up = self._interrupt = limit.cancel
            exchange.written = self._meanwhile
            try:
                params = CallToolRequestParams(name=job.call.tool, arguments=prepared.arguments)
                await session.send_request(CallToolRequest(params=params), Result)
            except MCPError as error:
                problem = error.message
            except (ValueError, TypeError, RecursionError) as error:  # the SDK cannot encode the message
                problem = f"{type(error).__name__}: {error}"
        self._attempt, self._interrupt = None, lambda: None
        self._tee.end()
        if exchange.answer is not None:
            self._catch_up()
            self._unread = partial(_settle, job, lambda: attempt.answered(session.protocol_version or ""))
            # The next call, if one waits, goes out first: the server works on it while this answer is read.
            loop.call_later(_UNREAD if shared.mailbox.peek() else 0, self._catch_up)
            return
        late = limit.cancelled_caught and anyio.current_time() >= limit.deadline
        told = f"no answer within {shared.timeout:g} s" if late else ""
        _settle(job, lambda: attempt.unanswered(self._why, told, problem))

    def _meanwhile(self) -> None:
        """What there is to do while the server works on a request."""
        self._catch_up()
        self._look_ahead()

    def _catch_up(self) -> None:
        """Read the last answer, if that is still to be done."""
        unread, self._unread = self._unread, lambda: None
        unread()

    def _prepare(self, job: Send) -> Prepared:
        return prepare(job.call, job.lookup or self._shared.lookup, job.depth, self._shared.transport)

    def _look_ahead(self) -> None:
        """Prepare the next call while the server works on this one; it counts if the list is still the same then."""
        job = self._shared.mailbox.peek()
        if isinstance(job, Send) and job.lookup is None and self._ahead is None:
            self._ahead = job, self._shared.listing, self._prepare(job)

    def _cancel(self, pending: Pending) -> None:
        """Give up a call of this connection at once; the server is told, if it has got it."""
        job = self._job
        if job is not None and job.future is pending and not job.future.done():
            job.future.set_result(_UNSENT if self._attempt is None else self._attempt.cancelled())
            self._interrupt()
        elif self._shared.mailbox.discard(pending):
            cast("Future[Outcome | None]", pending).set_result(_UNSENT)

    def _stop(self) -> None:
        """End the connection."""
        self._shared.closing = True
        if self._job is not None:
            self._cancel(self._job.future)
        self._interrupt()
        self._wake.set()

    # Events from below

    def _notice(self, method: str) -> None:
        """A request or notification of the server came."""
        shared = self._shared
        if method == "notifications/tools/list_changed":
            if not shared.stale:
                shared.stale = True
                shared.mailbox.put(Relist())
        elif method and not method.startswith("notifications/") and method not in _QUIET_REQUESTS:
            self._tee.remark(f"the server asked for {short_name(method)}, which was declined")

    def _ended(self, reason: str) -> None:
        """The transport has ended by itself."""
        self._why = self._why or reason
        self._shared.alive = False
        self._wake.set()

    def _finish(self) -> None:
        self._catch_up()
        shared = self._shared
        shared.alive = False
        if shared.over is None:
            if shared.closing:
                shared.over = self._failure(Ended.CANCELLED, "the connection was closed")
            elif self._why:
                shared.over = self._failure(Ended.SERVER_DIED, self._why)
            else:
                detail = f"no connection within {shared.connect_timeout:g} s"
                shared.over = self._failure(Ended.TIMED_OUT, detail)
        self._refuse(shared.over)
        if self._job is not None:
            _settle(self._job, shared.gone)
        shared.finish()


def _why(error: BaseException, shared: Shared) -> str:
    """What kept a connection from coming about, or ended it, in words."""
    server = shared.server
    if isinstance(error, FileNotFoundError):
        if server.folder and error.filename == server.folder:
            return f"the folder {server.shown_folder or server.folder} does not exist"
        return f"command not found: {one_line((server.shown or server.command[0]).split(' ')[0], 200)}"
    if isinstance(error, httpx2.HTTPStatusError | httpx2.TransportError):
        return describe(error)
    if isinstance(error, OSError):
        return f"the server cannot be started: {error.strerror or error}"
    return str(error) or type(error).__name__


def _settle(job: Send, outcome: Callable[[], Outcome]) -> None:
    """Give a call its outcome, unless it was cancelled. Whatever goes wrong on the way, it gets one."""
    if job.future.done():
        return
    try:
        made = outcome()
    except Exception as error:
        made = Outcome(Ended.PROTOCOL_ERROR, f"the answer cannot be read: {type(error).__name__}: {error}")
    job.future.set_result(made)
