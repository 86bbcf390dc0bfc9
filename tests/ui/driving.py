"""Driving the app in tests: start it, press keys, read the screen as text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from blockview.core.coercion import Depth
from blockview.ui.app import BlockviewApp, Opened
from blockview.ui.screens.session import SessionScreen


async def settle(app: BlockviewApp) -> None:
    """Wait until no work goes on in the background."""
    while any(not worker.is_finished for worker in app.workers):
        with suppress(WorkerCancelled):
            await app.workers.wait_for_complete()


class Driver:
    """A running app with short words for what tests do."""

    def __init__(self, app: BlockviewApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def session(self) -> SessionScreen:
        """The session screen, which must be the one that is shown."""
        assert isinstance(self.app.screen, SessionScreen)
        return self.app.screen

    async def press(self, *keys: str) -> str:
        """Press keys, let all work end, and give the screen's text."""
        await self.pilot.press(*keys)
        return await self.text()

    async def text(self) -> str:
        """The text of the screen, once all work has ended."""
        await settle(self.app)
        await self.pilot.pause()
        return self.painted()

    def painted(self) -> str:
        """The text of the screen as it is."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    async def detail(self) -> str:
        """All lines of the detail, also those that are not on screen."""
        await self.text()
        return "\n".join("".join(span.text for span in row.line) for row in self.session.detail.rows)

    def toasts(self) -> list[str]:
        """What the app told."""
        return [notification.message for notification in self.app._notifications]


@asynccontextmanager
async def running(
    opened: Opened | None = None,
    size: tuple[int, int] = (120, 36),
    depth: Depth = Depth.TOP,
    app: BlockviewApp | None = None,
) -> AsyncIterator[Driver]:
    """Run the app without a terminal."""
    app = app or BlockviewApp(opened, depth=depth)
    async with app.run_test(size=size, notifications=True) as pilot:
        driver = Driver(app, pilot)
        await driver.text()
        yield driver
