"""The app: which screen is shown, the theme, the palette. What it shows is given to it."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual import work
from textual.app import App, SystemCommand
from textual.screen import Screen

from blockview.core.coercion import Depth
from blockview.core.find import WHOLE, Position
from blockview.core.model import Session
from blockview.core.prepare import Lookup, no_lookup
from blockview.core.view import View
from blockview.ui.actions import ACTIONS
from blockview.ui.screens.session import SessionScreen
from blockview.ui.threads import in_thread

if TYPE_CHECKING:
    from blockview.core.growing import Growing
    from blockview.core.replaying import Replayer
    from blockview.ui.replays import Replays
    from blockview.ui.screens.picker import Picker


class Opened(NamedTuple):
    """A session that was opened, with the catalog of the display path."""

    session: Session
    lookup: Lookup = no_lookup
    lookups: Callable[[Session], Lookup] | None = None
    """Gives the catalogs of the recordings of subagents, and of what the session grows to; without it they have that of
    the session.
    """
    growing: Growing | None = None
    """Reads the recording on, of which `session` is what is known; None where that is all."""
    complete: bool = True
    """Whether all that is there now was read."""
    following: bool = False
    """Whether to go on when the end is reached."""
    told: Callable[[Session], object] | None = None
    """Is called with what the session has grown to."""


class BlockviewApp(App[None]):
    """Browses a session, or offers recordings to choose from. It reads no file itself."""

    CSS_PATH = "blockview.tcss"
    TITLE = "blockview"
    NOTIFICATION_TIMEOUT = 2.5

    def __init__(
        self,
        opened: Opened | None = None,
        *,
        picker: Callable[[], Picker] | None = None,
        open_path: Callable[[str], Opened] | None = None,
        depth: Depth = Depth.TOP,
        replayer: Callable[[], Replayer] | None = None,
    ) -> None:
        """Start with a session, or without one in the picker.

        Args:
            opened: The session to browse.
            picker: Makes the picker that is shown when no session is given.
            open_path: Opens what was picked; an OSError or ValueError says in one line why it cannot.
            depth: How far coercion reaches at first.
            replayer: Makes what sends calls to live servers, when a person first wants that; a ValueError says in one
                line why it cannot.
        """
        super().__init__()
        self._opened = opened
        self._picker = picker
        self._open_path = open_path
        self._depth = depth
        self._replayer = replayer
        self._replays: Replays | None = None

    def on_mount(self) -> None:
        """Take note of how many colours the terminal has; the first screen is painted next."""
        if not self.is_headless:
            self._end_on_signals()
        self.set_class(not self.is_headless and self.console.color_system == "standard", "-few-colors")
        self.call_after_refresh(self._collect_garbage)

    @staticmethod
    def _collect_garbage() -> None:
        """Look for garbage from now on, but not among what was there before the first screen: that takes a while."""
        gc.freeze()
        gc.enable()

    def _end_on_signals(self) -> None:
        """Leave in good order on SIGTERM and SIGHUP: the terminal as it was, and no server left behind."""
        loop = asyncio.get_running_loop()
        for number in (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")):
            if number is not None:
                with suppress(NotImplementedError, RuntimeError):  # Windows; not the main thread
                    loop.add_signal_handler(number, partial(self.exit, return_code=128 + number))

    def get_default_screen(self) -> Screen[None]:
        """The session, or the picker."""
        if self._opened is not None:
            return self._session_screen(self._opened)
        return self._picker() if self._picker else super().get_default_screen()

    def _session_screen(self, opened: Opened) -> SessionScreen:
        replays = partial(self._replays_by, self._replayer) if self._replayer else None
        view = View(opened.session, opened.lookup, self._depth, complete=opened.complete)
        screen = SessionScreen(view, replays, opened.lookups)
        screen.let_grow(opened.growing, complete=opened.complete, following=opened.following, told=opened.told)
        return screen

    def _replays_by(self, replayer: Callable[[], Replayer]) -> Replays:
        """What all sessions replay by, made when it is first needed."""
        if self._replays is None:
            from blockview.ui.replays import Replays

            self._replays = Replays(replayer())
        return self._replays

    @work(group="open", description="open", exclusive=True)
    async def on_picker_picked(self, event: Picker.Picked) -> None:
        """Open what was picked, and say so if that is not possible."""
        if self._open_path is None:
            return
        try:
            opened = await in_thread(self._open_path, event.name)
        except (OSError, ValueError) as error:
            # The message may begin with the path already.
            reason = str(error).removeprefix(f"{event.name}: ")
            self.notify(f"cannot open {event.name}: {reason}", severity="error", markup=False)
        else:
            screen = self._session_screen(opened)
            if event.hit is not None and event.wanted is not None:
                screen.begin_at(event.hit, event.wanted)
                if event.hit.block != WHOLE:
                    screen.go_when_read(Position(event.hit.block, event.hit.call))
            self.push_screen(screen)

    def action_help_quit(self) -> None:
        """Tell who presses ^c how to leave, with the key as it is written everywhere."""
        self.notify("^q quits at once, q goes one level back", markup=False)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: Textual's commands and those of the table of actions that the screen has."""
        yield from super().get_system_commands(screen)
        for action in ACTIONS:
            method = getattr(screen, f"action_{action.name}", None)
            if action.palette and method is not None:
                yield SystemCommand(f"{action.label}  ({action.written})", action.help, method)


def run_app(
    opened: Opened | None = None,
    *,
    picker: Callable[[], Picker] | None = None,
    open_path: Callable[[str], Opened] | None = None,
    depth: Depth = Depth.TOP,
    replayer: Callable[[], Replayer] | None = None,
    mouse: bool = True,
) -> int:
    """Run the app in the terminal until the person leaves; `BlockviewApp` says what the arguments mean.

    Args:
        opened: The session to browse.
        picker: Makes the picker that is shown when no session is given.
        open_path: Opens what was picked.
        depth: How far coercion reaches at first.
        replayer: Makes what sends calls to live servers, which the caller closes.
        mouse: Whether the app takes the mouse; without it the terminal's own selection works.

    Returns:
        The exit code for the process.
    """
    app = BlockviewApp(opened, picker=picker, open_path=open_path, depth=depth, replayer=replayer)
    app.run(mouse=mouse)
    return app.return_code or 0
