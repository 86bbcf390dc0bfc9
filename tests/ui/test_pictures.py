"""One picture for each screen and size, in `snapshots/ui/test_pictures/`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from textual.pilot import Pilot

from blockview.core.listing import Level
from blockview.ui.app import BlockviewApp, Opened
from blockview.ui.screens.picker import Picker
from tests.ui import sessions
from tests.ui.driving import settle
from tests.ui.test_picker import ALL as SESSIONS
from tests.ui.test_picker import Shelf, known

Snapshot = Callable[..., bool]

WIDE, USUAL, SMALL = (120, 36), (80, 24), (40, 10)
KEYS: dict[str, tuple[str, ...]] = {
    "list": ("j",),
    "detail": ("]", "]", "enter"),
    "recorded": ("j", "enter", "r"),
    "result": ("j", "j", "enter", "G"),
    "help": ("?",),
    "copy": ("j", "y"),
    "find": ("/", *"limit", "enter", "n"),
    "typing": ("/", *"limit"),
    "filter": ("f", *"is:changed", "enter"),
    "filter-wrong": ("f", *"is:chang"),
    "deep": ("]", "]", "c"),
    "no-schema": ("]", "]", "]", "]", "enter"),
    "error": ("]", "]", "]", "enter"),
    "unreadable": ("D",),
}
"""Which keys lead to each picture."""


def looks_right(
    snap_compare: Snapshot, opened: Opened, size: tuple[int, int], keys: Iterable[str] = (), theme: str = "textual-dark"
) -> bool:
    app = BlockviewApp(opened)
    app.theme = theme

    async def ready(pilot: Pilot[None]) -> None:
        await pilot.pause()
        await settle(app)
        await pilot.press(*keys)
        await settle(app)
        await pilot.pause()

    same = snap_compare(app, terminal_size=size, run_before=ready)
    assert app.return_code in (None, 0), "the app failed: what was compared is no picture of it"
    return same


@pytest.mark.parametrize("size", [WIDE, USUAL, SMALL], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", KEYS)
def test_picture(snap_compare: Snapshot, name: str, size: tuple[int, int]) -> None:
    assert looks_right(snap_compare, sessions.ordinary(diagnostics=True), size, KEYS[name])


@pytest.mark.parametrize("size", [WIDE, USUAL, SMALL], ids=lambda size: f"{size[0]}x{size[1]}")
def test_hostile_text(snap_compare: Snapshot, size: tuple[int, int]) -> None:
    assert looks_right(snap_compare, sessions.hostile(), size, ("j",))


@pytest.mark.parametrize("theme", ["textual-light", "nord", "ansi-dark"])
def test_theme(snap_compare: Snapshot, theme: str) -> None:
    assert looks_right(snap_compare, sessions.ordinary(), (100, 20), ("]", "]"), theme)


@pytest.mark.parametrize("size", [WIDE, USUAL], ids=lambda size: f"{size[0]}x{size[1]}")
def test_picker(snap_compare: Snapshot, size: tuple[int, int]) -> None:
    shelf = Shelf(*SESSIONS, known("unknown", 40, "what is still to be counted", None, level=Level.GLANCED))
    app = BlockviewApp(picker=lambda: Picker(shelf, "all tools"))

    async def ready(pilot: Pilot[None]) -> None:
        await pilot.pause()
        await settle(app)
        await pilot.press("j")
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=ready)
