"""The one task that owns a connection: it enters and leaves the SDK's context managers and sends calls in order.

Runs on a thread and an event loop of its own, so that neither a large answer nor a slow server holds up anybody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, cast

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
from blockview.dispatch import sdk
from blockview.dispatch.http import describe, http_transport
from blockview.dispatch.listing import fetch_pages
from blockview.dispatch.mailbox import Relist, Send
from blockview.dispatch.outcomes import error_code, error_note, last_lines, verdict
from blockview.dispatch.outputs import violation
from blockview.dispatch.shared import Listing, Pending, Shared
from blockview.dispatch.stdio import stdio_transport
from blockview.dispatch.tee import Exchange, Tee, arguments_of

_FAREWELL = 4.0
"""Seconds in which an HTTP server may be told that its session ends."""

_RELIST_PAUSE = 1.0
"""Seconds between two lists that the server asks for while nothing is sent."""

_QUIET_REQUESTS = ("ping",)


_UNSENT = Outcome(Ended.CANCELLED, "cancelled before it was sent")


class _Running:
    """The call that is being sent: what its outcome is made of."""

    def __init__(self, job: Send, prepared: Prepared, exchange: Exchange) -> None:
        self.job, self.prepared, self.exchange = job, prepared, exchange
        self.started = datetime.now(UTC)
        self.clock = perf_counter()

    def outcome(self, ended: Ended, detail: str, **more: Any) -> Outcome:
        """The outcome with all that was sent and noticed so far."""
        exchange = self.exchange
        until = exchange.answered or perf_counter()
        return Outcome(
            ended,
            detail,
            sent=arguments_of(exchange.frame) if exchange.frame else None,
            remarks=tuple(exchange.remarks),
            prepared=self.prepared,
            started=self.started,
            duration_ms=(until - self.clock) * 1000,
            **more,
        )


class Worker:
    """Connects, serves the mailbox and cleans up. `run` does it all and returns when the connection is over."""

    def __init__(self, shared: Shared, connecting: Future[None]) -> None:
        self._shared = shared
        self._connecting = connecting
        self._tee = Tee(sdk.reading, self._notice, shared.log)
        self._job: Send | None = None
        self._running: _Running | None = None
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
        shared.mailbox.open(asyncio.get_running_loop().call_soon_threadsafe, self._wake.set)
        try:
            with self._whole:
                async with self._transport() as (read, write):
                    info = Implementation(name="blockview", version=__version__)
                    async with ClientSession(read, write, client_info=info) as session:
                        if await self._open(session):
                            await self._serve(session)
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
            outcome = self._failure(Ended.CANCELLED, "cancelled")
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
            outcome = self._failure(Ended.PROTOCOL_ERROR, f"initialize: {error}".replace("\n", " "), exchange)
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
            outcome = self._failure(Ended.PROTOCOL_ERROR, f"initialize: {told or problem}", exchange, code)
            return outcome
        reason = self._why or exchange.trouble or exchange.http or problem
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
                await self._relist(session)
                if job.future is not None and not job.future.done():
                    job.future.set_result(None)
                continue
            self._job = job
            if shared.stale:
                await self._relist(session)
            if not job.future.done():
                outcome = await self._send(session, job)
                if not job.future.done():
                    job.future.set_result(outcome)
            self._job = None
        self._whole.deadline = anyio.current_time() + _FAREWELL

    async def _relist(self, session: ClientSession) -> None:
        with anyio.move_on_after(self._shared.timeout) as limit:
            self._interrupt = limit.cancel
            await self._list(session)
        self._interrupt = lambda: None
        if limit.cancelled_caught and not self._shared.closing:
            self._tee.remark(f"tools/list: no answer within {self._shared.timeout:g} s")

    async def _send(self, session: ClientSession, job: Send) -> Outcome:
        shared = self._shared
        prepared = prepare(job.call, job.lookup or shared.lookup, job.depth, shared.transport)
        if prepared.blocked:
            return Outcome(Ended.CANNOT_SEND, prepared.blocked, prepared=prepared)
        exchange = self._tee.begin()
        running = self._running = _Running(job, prepared, exchange)
        problem = ""
        with anyio.move_on_after(shared.timeout) as limit:
            exchange.give_up = self._interrupt = limit.cancel
            try:
                params = CallToolRequestParams(name=job.call.tool, arguments=prepared.arguments)
                await session.send_request(CallToolRequest(params=params), Result)
            except MCPError as error:
                problem = error.message
            except (ValueError, TypeError, RecursionError) as error:  # the SDK cannot encode the message
                problem = f"{type(error).__name__}: {error}"
        self._running, self._interrupt = None, lambda: None
        self._tee.end()
        if exchange.answer is not None:
            return self._answered(running, session.protocol_version or "")
        timed_out = limit.cancelled_caught and anyio.current_time() >= limit.deadline
        return self._unanswered(running, problem, timed_out)

    def _answered(self, running: _Running, version: str) -> Outcome:
        exchange, answer = running.exchange, running.exchange.answer or b""
        found = verdict(answer)
        if exchange.unreadable:
            exchange.remarks.append(f"the MCP SDK cannot read this answer: {exchange.unreadable}")
        elif refused := sdk.refused_result(exchange.parsed, version):
            exchange.remarks.append(f"the MCP SDK refuses this result: {refused}")
        if found.ended is Ended.RESULT and found.result is not None:
            schema = self._shared.listing.output_schema(running.job.call.tool)
            if schema is not None and (wrong := violation(schema, found.result.structured)):
                exchange.remarks.append(wrong)
        stderr = "" if found.ended is Ended.RESULT else last_lines(self._shared.log.stderr)
        more = {"code": found.code, "result": found.result, "raw": text_of(answer), "stderr": stderr}
        return running.outcome(found.ended, found.detail, **more)

    def _unanswered(self, running: _Running, problem: str, timed_out: bool) -> Outcome:
        exchange, shared = running.exchange, self._shared
        if not exchange.frame and not self._why:
            return running.outcome(Ended.CANNOT_SEND, f"the MCP SDK cannot write the message: {problem}")
        if self._why or exchange.trouble:
            ended, detail = Ended.SERVER_DIED, exchange.trouble or self._why
        elif timed_out:
            ended, detail = Ended.TIMED_OUT, f"no answer within {shared.timeout:g} s"
        elif exchange.http:
            ended, detail = Ended.PROTOCOL_ERROR, exchange.http
            if problem and not exchange.http.startswith(("HTTP 4", "HTTP 5")):
                detail = f"{exchange.http} ({problem})"
        else:
            ended, detail = Ended.SERVER_DIED, problem
        if exchange.remarks:
            detail = f"{detail}; {exchange.remarks[-1]}"
        return running.outcome(ended, detail, stderr=last_lines(shared.log.stderr))

    def _cancel(self, pending: Pending) -> None:
        """Give up a call of this connection at once; the server is told, if it has got it."""
        job = self._job
        if job is not None and job.future is pending and not job.future.done():
            running = self._running
            outcome = running.outcome(Ended.CANCELLED, "cancelled") if running is not None else _UNSENT
            job.future.set_result(outcome)
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
            self._tee.remark(f"the server asked for {method}, which was declined")

    def _ended(self, reason: str) -> None:
        """The transport has ended by itself."""
        self._why = self._why or reason
        self._shared.alive = False
        self._wake.set()

    def _finish(self) -> None:
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
        shared.finish()


def _why(error: BaseException, shared: Shared) -> str:
    """What kept a connection from coming about, or ended it, in words."""
    server = shared.server
    if isinstance(error, FileNotFoundError):
        if server.folder and error.filename == server.folder:
            return f"the folder {server.folder} does not exist"
        return f"command not found: {server.command[0]}"
    if isinstance(error, httpx2.HTTPStatusError | httpx2.TransportError):
        return describe(error)
    if isinstance(error, OSError):
        return f"the server cannot be started: {error.strerror or error}"
    return str(error) or type(error).__name__
