"""Work beside the event loop that nobody has to wait for when the app ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import suppress
from threading import Event, Thread
from time import monotonic
from typing import ParamSpec, TypeVar

_TURNS = 8
"""Turns of the event loop: a key goes through several messages."""
_PATIENCE = 1.0
"""Seconds after which the event loop is no longer waited for."""

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function in a thread of its own and give what it returns or raises.

    Unlike the threads of `asyncio.to_thread`, this one does not hold up the end of the program: what it does is only
    for the screen. When the waiting is cancelled, the work goes on unheard.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = function(*args, **kwargs)
        except BaseException as caught:  # it is raised where it is waited for
            error = caught
        with suppress(RuntimeError):  # the app has ended, and its loop with it
            loop.call_soon_threadsafe(settle, result, error)

    Thread(target=run, name=getattr(function, "__name__", "work"), daemon=True).start()
    return await done


def turns() -> Callable[[], None]:
    """What lets the event loop have its turn; to be called now and then by long work in another thread.

    Threads share one interpreter, so that a key would take twice as long while such work goes on.
    """
    loop = asyncio.get_running_loop()

    def turn(turned: Event, more: int = _TURNS) -> None:
        if more:
            loop.call_soon(turn, turned, more - 1)
        else:
            turned.set()

    def rest() -> None:
        turned = Event()
        with suppress(RuntimeError):  # the app has ended, and its loop with it
            loop.call_soon_threadsafe(turn, turned)
            turned.wait(_PATIENCE)

    return rest


async def batches(generator: Generator[T, None, None], seconds: float) -> AsyncGenerator[list[T], None]:
    """Run a generator in a thread, and give what it yields every so many seconds.

    The generator must yield something now and then. When nobody waits for the next batch any more, it is closed.
    """
    stopped = Event()

    def batch() -> list[T]:
        found: list[T] = []
        until = monotonic() + seconds
        for each in generator:
            found.append(each)
            if monotonic() > until or stopped.is_set():
                break
        if stopped.is_set():
            generator.close()
        return found

    try:
        while found := await in_thread(batch):
            yield found
    finally:
        stopped.set()
        with suppress(ValueError):  # it runs in the thread, which will close it
            generator.close()
