"""One picture for each screen and size, in `snapshots/ui/test_pictures/`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from blockview.ui.app import BlockviewApp, Opened
from blockview.ui.screens.picker import Entry
from tests.ui import sessions
from tests.ui.driving import settle

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


def test_picker(snap_compare: Snapshot) -> None:
    entries = (
        Entry("add the retry to the uploader", "2026-08-19 14:02", Path("one.jsonl")),
        Entry("[red]what[/red] does 1.10 mean in the lock", "2026-08-19 09:40", Path("two.jsonl")),
    )
    assert snap_compare(BlockviewApp(entries=entries), terminal_size=USUAL, press=["j"])
