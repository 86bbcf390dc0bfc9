"""The stdio transport: a server process, its lines, and its end.

The SDK's own transport stops at a byte that is not UTF-8, takes quadratic time for long lines and drops what it cannot
read. This one shows every line to the tee first. What is written is encoded exactly as the SDK's transport does it.
"""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType

import anyio
import anyio.lowlevel
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from blockview.dispatch.lines import Lines
from blockview.dispatch.processes import signal_group
from blockview.dispatch.servers import Server
from blockview.dispatch.tee import Log, Tee

_GRACE = 2.0
"""Seconds from the end of stdin to SIGTERM, and from SIGTERM to SIGKILL (MCP, lifecycle, shutdown over stdio)."""

_LAST_WORDS = 0.3
"""Seconds in which a server that has ended may still be read, or one that closed its output may end."""

_QUEUE = 64
"""Messages that wait for the session before the server's output is no longer read."""


class Pipes(asyncio.SubprocessProtocol):
    """The process and its pipes. It is the stream that the session reads from, and the one it writes to."""

    def __init__(self, tee: Tee, log: Log, longest: int, ended: Callable[[str], None]) -> None:
        self._tee, self._log, self._longest, self._ended = tee, log, longest, ended
        self._lines = Lines(longest)
        self._ready: deque[SessionMessage] = deque()
        self._more = asyncio.Event()
        self._open = {1, 2}
        self._over = asyncio.Event()
        self._paused = self._unread = False
        self.exited = asyncio.Event()
        self.quiet = asyncio.Event()
        """No more output will come."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the loop when the process runs."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self.process = transport
        stdin, stdout = transport.get_pipe_transport(0), transport.get_pipe_transport(1)
        assert isinstance(stdin, asyncio.WriteTransport) and isinstance(stdout, asyncio.ReadTransport)
        self._stdin, self._stdout = stdin, stdout

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Called by the loop with what the server wrote."""
        if fd == 2:
            self._log.errors(data)
            return
        for line in self._lines.feed(data):
            self._line(line)
        if len(self._ready) > _QUEUE and not self._paused:
            self._paused = True
            self._stdout.pause_reading()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Called by the loop at the end of a pipe."""
        self._open.discard(fd)
        if fd == 1 and (rest := self._lines.end()):
            self._tee.remark("the last line ends without a newline")
            self._line(rest)
        if fd == 1 or not self._open:
            self.quiet.set()

    def process_exited(self) -> None:
        """Called by the loop at the end of the process."""
        self.exited.set()

    def _line(self, line: bytes | None) -> None:
        if self._unread:
            return
        if line is None:
            self._tee.remark(f"a line of more than {self._longest:,} bytes was dropped")
            return
        passed = self._tee.received(line.removesuffix(b"\r"))
        if passed is not None:
            self._ready.append(SessionMessage(jsonrpc_message_adapter.validate_json(passed, by_name=False)))
            self._more.set()

    async def watch(self) -> None:
        """Wait for the end of the process or of its output, say how it came, and end the session's stream."""
        async with anyio.create_task_group() as either:
            for event in (self.exited, self.quiet):
                either.start_soon(_first, event, either.cancel_scope)
        with anyio.move_on_after(_LAST_WORDS):  # a child that lives on may hold the pipes
            await self.quiet.wait()
            await self.exited.wait()
        with anyio.move_on_after(_LAST_WORDS):
            while 2 in self._open and self.exited.is_set():
                await anyio.sleep(0.01)
        self._ended(self.how_it_ended())
        self._over.set()
        self._more.set()

    def how_it_ended(self) -> str:
        """What became of the process, in words."""
        code = self.process.get_returncode()
        if code is None:
            return "the server closed its output"
        return f"the server was ended by {_name(-code)}" if code < 0 else f"the server ended with exit code {code}"

    async def close(self) -> None:
        """End the process and all that it started: end of input, then SIGTERM, then SIGKILL."""
        self._unread = True
        self._ready.clear()
        if self._paused:
            self._stdout.resume_reading()
        self._stdin.close()
        with anyio.move_on_after(_GRACE):
            await self.exited.wait()
        for end in (signal.SIGTERM, signal.SIGKILL):
            if not signal_group(self.process.get_pid(), end):
                break
            with anyio.move_on_after(_GRACE):
                while signal_group(self.process.get_pid(), 0):
                    await anyio.sleep(0.01)
        self.process.close()

    # The session's side: one object is the stream it reads from and the stream it writes to.

    async def receive(self) -> SessionMessage:
        """The next message for the session."""
        while not self._ready:
            if self._over.is_set():
                raise anyio.EndOfStream
            self._more.clear()
            await self._more.wait()
        message = self._ready.popleft()
        if self._paused and not self._ready:
            self._paused = False
            self._stdout.resume_reading()
        return message

    def __aiter__(self) -> Pipes:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def send(self, item: SessionMessage) -> None:
        """Write a message of the session. A server that does not read makes nobody wait here, only for its answer."""
        frame = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        if self._stdin.is_closing():
            with anyio.move_on_after(_LAST_WORDS * 3):  # until it is known how the server ended
                await self._over.wait()
            raise anyio.BrokenResourceError
        self._tee.sent(frame)
        self._stdin.write(frame + b"\n")
        if (exchange := self._tee.exchange).frame is frame:
            exchange.written()

    async def aclose(self) -> None:
        """Nothing to do: the transport ends with its process."""

    async def __aenter__(self) -> Pipes:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@asynccontextmanager
async def stdio_transport(
    server: Server, tee: Tee, log: Log, longest: int, started: Callable[[int], None], ended: Callable[[str], None]
) -> AsyncIterator[tuple[Pipes, Pipes]]:
    """Start a server and talk to it over its pipes. Leaving ends the process and its group.

    Args:
        server: What to start.
        tee: Sees every message.
        log: Gets what the server writes to stderr.
        longest: Bytes of the longest line that is taken.
        started: Told the process id, which is the id of its group too.
        ended: Told how the server ended, when it does so by itself.

    Raises:
        OSError: the process cannot be started.
    """
    loop = asyncio.get_running_loop()
    await anyio.lowlevel.checkpoint()
    await anyio.lowlevel.checkpoint_if_cancelled()  # one that was given up before its start is not started
    with anyio.CancelScope(shield=True):  # a start that is given up halfway would leave a process behind
        _, pipes = await loop.subprocess_exec(
            lambda: Pipes(tee, log, longest, ended),
            *server.command,
            env=get_default_environment() | dict(server.env),
            cwd=server.folder or None,
            start_new_session=True,
        )
    started(pipes.process.get_pid())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pipes.watch)
        try:
            yield pipes, pipes
        finally:
            tasks.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await pipes.close()


async def _first(event: asyncio.Event, scope: anyio.CancelScope) -> None:
    await event.wait()
    scope.cancel()


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name of its own
        return f"signal {number}"
