"""Work beside the event loop that nobody has to wait for when the app ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import ParamSpec, TypeVar

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
