"""Work in threads that the end of the program does not wait for."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from blockview.ui.threads import in_thread

ROOT = Path(__file__).parents[2]


async def test_it_gives_what_the_function_returns_or_raises() -> None:
    assert await in_thread(int, "11", base=2) == 3
    with pytest.raises(ValueError, match="invalid literal"):
        await in_thread(int, "x")


async def test_nobody_hears_of_work_that_is_no_longer_waited_for() -> None:
    from threading import Event

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
