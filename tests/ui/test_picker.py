"""The picker: choosing a recording, and coming back."""

from __future__ import annotations

from pathlib import Path

from blockview.ui.app import BlockviewApp, Opened
from blockview.ui.screens.picker import Entry, Picker
from tests.ui import sessions
from tests.ui.driving import running

ENTRIES = (
    Entry("add the retry to the uploader", "2026-08-19 14:02", Path("good.jsonl")),
    Entry("[red]what[/red] does 1.10 mean\x1b[31m", "2026-08-19 09:40", Path("[red]bad[/red].jsonl")),
)


def open_path(path: Path) -> Opened:
    if path.name == "good.jsonl":
        return sessions.ordinary()
    raise ValueError(f"{path}: line 1: [not] a recording")


async def test_entries_in_the_order_that_is_given() -> None:
    async with running(app=BlockviewApp(entries=ENTRIES, open_path=open_path)) as app:
        text = await app.text()
        assert "2 recordings" in text
        assert text.index("2026-08-19 14:02  add the retry") < text.index("2026-08-19 09:40  [red]what[/red]")
        assert "\\x1b[31m" in text


async def test_enter_opens_and_q_comes_back() -> None:
    async with running(app=BlockviewApp(entries=ENTRIES, open_path=open_path)) as app:
        text = await app.press("enter")
        assert "jobs.open_file" in text and app.session.blocks.has_focus
        await app.press("q")
        assert isinstance(app.app.screen, Picker)
        await app.press("enter", "escape")
        assert isinstance(app.app.screen, Picker)


async def test_what_cannot_be_opened_is_told_and_the_picker_stays() -> None:
    async with running(app=BlockviewApp(entries=ENTRIES, open_path=open_path)) as app:
        await app.press("j", "enter")
        assert app.toasts() == ["cannot open [red]bad[/red].jsonl: line 1: [not] a recording"]
        assert isinstance(app.app.screen, Picker)


async def test_a_double_click_opens() -> None:
    async with running(app=BlockviewApp(entries=ENTRIES, open_path=open_path)) as app:
        await app.pilot.double_click("#entries", offset=(5, 0))
        assert "jobs.open_file" in await app.text()


async def test_no_recordings_at_all() -> None:
    async with running(app=BlockviewApp()) as app:
        assert "0 recordings" in await app.press("enter", "j", "k", "?")
