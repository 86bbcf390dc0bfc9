"""A dispatched call against the SDK's own `call_tool`, on local servers built with the SDK, over stdio and HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from typing import Any

from blockview.core.coercion import Depth
from blockview.core.model import Place, ToolCall
from blockview.core.outcome import Ended
from blockview.dispatch.connection import Connection
from blockview.dispatch.servers import Server
from tests.bench.timing import Figure, interleaved, ratio

CALLS = 1000
TURN = 100
"""Calls of each kind that are timed together before the other kind has its turn. In short turns the first calls weigh
too much: they pay for the core that was idle while the other kind had its turn."""

ARGUMENTS = {"line": 5, "path": "server.go", "scale": 1.5}
RECORDED = '{"line":5.0,"path":"server.go","scale":1.5}'
ECHO = [sys.executable, "-m", "tests.bench.echo_server"]


class Plain:
    """A session of the SDK as any client would hold it: one task on an event loop enters, calls and leaves."""

    def __init__(self, target: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._turns: asyncio.Queue[asyncio.Future[None] | None] = asyncio.Queue()
        self._task = self._loop.create_task(self._run(target))
        self.many()

    async def _run(self, target: Any) -> None:
        from mcp import Client

        async with Client(target, mode="legacy") as client:
            await client.session.list_tools()
            while (done := await self._turns.get()) is not None:
                for _ in range(TURN):
                    await client.session.call_tool("echo", ARGUMENTS)
                done.set_result(None)

    def many(self) -> None:
        done = self._loop.create_future()
        self._turns.put_nowait(done)
        self._loop.run_until_complete(done)

    def close(self) -> None:
        self._turns.put_nowait(None)
        self._loop.run_until_complete(self._task)
        self._loop.close()


def measured(what: str, server: Server, target: Any) -> Iterator[Figure]:
    plain, ours = Plain(target), Connection(server)
    ours.connect().result()
    call = ToolCall("1", "echo", "echo", RECORDED, Place(1, 0))

    def many() -> None:
        sent = wait([ours.submit(call, Depth.TOP) for _ in range(TURN)]).done
        assert {one.result().ended for one in sent} == {Ended.RESULT}

    try:
        spent, base = interleaved(CALLS // TURN, many, plain.many)
    finally:
        ours.close()
        plain.close()
        ours.join()
    yield ratio(f"{what}, {CALLS} calls", 1.1, spent / TURN, base / TURN, "SDK")


def over_stdio() -> Iterator[Figure]:
    from mcp import StdioServerParameters

    target = StdioServerParameters(command=ECHO[0], args=ECHO[1:])
    yield from measured("dispatch over stdio", Server("echo", "stdio", tuple(ECHO)), target)


@contextlib.contextmanager
def http_server() -> Iterator[str]:
    with subprocess.Popen([*ECHO, "http"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def over_http() -> Iterator[Figure]:
    with http_server() as url:
        yield from measured("dispatch over HTTP", Server("echo", "http", url=url), url)


def roundtrip() -> Iterator[Figure]:
    kinds: tuple[Callable[[], Iterator[Figure]], ...] = (over_stdio, over_http)
    for kind in kinds:
        yield from kind()
