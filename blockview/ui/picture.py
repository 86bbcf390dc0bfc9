"""A picture of the app without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from textual.worker import WorkerCancelled

from blockview.core.coercion import Depth
from blockview.core.model import Session
from blockview.core.prepare import Lookup
from blockview.ui.app import BlockviewApp, Opened


def picture(session: Session, lookup: Lookup, depth: Depth, size: tuple[int, int], press: Sequence[str]) -> str:
    """The app's screen as SVG.

    Args:
        session: What is browsed.
        lookup: Asked for the schemas of its calls.
        depth: How far coercion reaches.
        size: Columns and rows.
        press: Keys that are pressed first; the picture is taken when all work in the background has ended.
    """

    async def draw() -> str:
        app = BlockviewApp(Opened(session, lookup), depth=depth)
        async with app.run_test(size=size) as pilot:
            for key in (None, *press):
                if key is not None:
                    await pilot.press(key)
                await _settle(app)
                await pilot.pause()
            return app.export_screenshot(title=session.title or session.source)

    # A test may run inside an event loop, which cannot run another one.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, draw()).result()


async def _settle(app: BlockviewApp) -> None:
    while any(not worker.is_finished for worker in app.workers):
        with suppress(WorkerCancelled):
            await app.workers.wait_for_complete()
