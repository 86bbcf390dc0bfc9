"""Work in threads that the end of the program does not wait for."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import aclosing
from pathlib import Path
from threading import Event

import pytest

from blockview.ui.threads import batches, in_thread, turns

ROOT = Path(__file__).parents[2]


async def test_it_gives_what_the_function_returns_or_raises() -> None:
    assert await in_thread(int, "11", base=2) == 3
    with pytest.raises(ValueError, match="invalid literal"):
        await in_thread(int, "x")


async def test_nobody_hears_of_work_that_is_no_longer_waited_for() -> None:
    go_on = Event()
    waiting = asyncio.create_task(in_thread(go_on.wait, 30))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go_on.set()


def test_the_program_ends_without_it() -> None:
    code = (
        "import asyncio, threading\nfrom blockview.ui.threads import in_thread\n"
        "async def main():\n"
        "    task = asyncio.create_task(in_thread(threading.Event().wait))\n"
        "    await asyncio.sleep(0)\n"
        "    task.cancel()\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


async def test_batches_give_all_and_close_what_is_no_longer_wanted() -> None:
    closed: list[str] = []

    def numbers(name: str, count: int) -> Generator[int, None, None]:
        try:
            yield from range(count)
        finally:
            closed.append(name)

    assert [each async for batch in batches(numbers("all", 5), 0.0) for each in batch] == [0, 1, 2, 3, 4]
    async with aclosing(batches(numbers("some", 10**9), 0.0)) as some:
        assert (await anext(some))[0] == 0
    assert closed == ["all", "some"]


async def test_a_batch_that_is_being_made_is_closed_when_nobody_waits_for_it() -> None:
    begun, go_on, closed = Event(), Event(), Event()

    def slow() -> Generator[int, None, None]:
        try:
            begun.set()
            go_on.wait()
            yield 1
        finally:
            closed.set()

    async def listen() -> None:
        async with aclosing(batches(slow(), 0.0)) as some:
            async for _ in some:
                pass

    listening = asyncio.create_task(listen())
    assert await in_thread(begun.wait, 10)
    listening.cancel()
    await asyncio.wait([listening])
    go_on.set()
    assert await in_thread(closed.wait, 10)


async def test_work_in_a_thread_rests_until_the_loop_had_its_turn() -> None:
    begun, rested, rest = Event(), Event(), turns()

    def work() -> None:
        begun.set()
        rest()
        rested.set()

    working = asyncio.create_task(in_thread(work))
    await asyncio.sleep(0)
    assert begun.wait(20)
    assert not rested.wait(0.1)  # the loop is here, and not free
    await working
    assert rested.is_set()


def test_nobody_rests_for_a_loop_that_has_ended() -> None:
    async def begin() -> Callable[[], None]:
        return turns()

    asyncio.run(begin())()
