"""Long work in short slices on the event loop, so that keys and frames never wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")

CALM, URGENT = 0.004, 0.012
"""Seconds of work before others get their turn, below a frame: what nobody waits for, and what somebody does."""

REST = 0.004
"""Seconds that others get."""

TELL = 0.2
"""Seconds between reports of progress."""


async def in_slices(
    steps: Iterator[T | None], progress: Callable[[], object] | None = None, *, work: float = CALM
) -> T | None:
    """Run an iterator until it yields something or ends.

    Args:
        steps: Does a little work at each step and yields None until it has found something.
        progress: Called a few times a second while the work goes on.
        work: Seconds of work at a time.

    Returns:
        What was found, or None.
    """
    began = told = perf_counter()
    for found in steps:
        if found is not None:
            return found
        if perf_counter() - began > work:
            if progress is not None and perf_counter() - told > TELL:
                progress()
                told = perf_counter()
            await asyncio.sleep(REST)
            began = perf_counter()
    return None
