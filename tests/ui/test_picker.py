"""The picker: what it lists, how one session is found, choosing it, and coming back."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from msgspec.structs import replace
from textual import events

from blockview.core.listing import Level, Listing, Numbers
from blockview.core.picking import Picking
from blockview.ui.app import BlockviewApp, Opened
from blockview.ui.screens.picker import Picker
from blockview.ui.widgets.session_list import SessionList
from tests.ui import sessions
from tests.ui.driving import Driver, running
from tests.work import calls_in

NEWEST = 1_787_148_120
"""2026-08-19 14:02 UTC."""


def listing(name: str, hours: int = 0, **members: object) -> Listing:
    return Listing(f"/logs/{name}.jsonl", NEWEST - 3600 * hours, 1000, **members)  # type: ignore[arg-type]


def known(
    name: str, hours: int, prompt: str, numbers: Numbers | None, tool: str = "Claude Code", **members: object
) -> Listing:
    about = {"prompt": prompt, "project": "/home/someone/uploader", "format": "some-format", "level": Level.COUNTED}
    return listing(name, hours, numbers=numbers, tool=tool, **about | members)


GOOD = known("good", 0, "add the retry to the uploader", Numbers(12, 31, 4, 0, 1))
BAD = known(
    "bad", 5, "[red]what[/red] does 1.10 mean\x1b[31m", Numbers(3, 2, 0, 2), "Codex", project="/home/someone/lock"
)
LONG = known("long", 21, "port the parser to exact numbers", Numbers(218, 1640, 12, 0, 9), title="The parser")
UNREADABLE = listing("locked", 30, tool="Goose", problem="the database is locked by another program")
ALL = (GOOD, BAD, LONG, UNREADABLE)


class Shelf:
    """Sessions to find: `look` answers from what is really there, when it may."""

    lanes = 2

    def __init__(self, *there: Listing, found: Sequence[Listing] | None = None) -> None:
        self.there = there
        self.found = there if found is None else found
        self.told: dict[str, Sequence[Listing]] = {each.path: (each,) for each in there}
        self.looked: list[str] = []
        self.may_look = threading.Event()
        self.may_look.set()
        self.may_find = threading.Event()
        self.may_find.set()
        self.kept = self.stopped = 0

    def find(self) -> Sequence[Listing]:
        assert self.may_find.wait(20)
        return self.found

    def look(self, listings: Sequence[Listing]) -> Sequence[Sequence[Listing]]:
        self.looked += [each.path for each in listings]
        assert self.may_look.wait(20)
        return [self.told.get(each.name, (each,)) for each in listings]

    def keep(self) -> None:
        self.kept += 1

    def stop(self) -> None:
        self.stopped += 1
        self.may_look.set()


def open_path(name: str) -> Opened:
    if name == GOOD.path:
        return sessions.ordinary()
    raise ValueError(f"{name}: line 1: [not] a recording")


def app_of(shelf: Shelf) -> BlockviewApp:
    return BlockviewApp(picker=lambda: Picker(shelf, "all tools"), open_path=open_path)


def rows(text: str) -> list[str]:
    """The lines of the list, without the header and what stands below."""
    lines = text.split("\n")[2:]
    end = next((at for at, line in enumerate(lines) if line.startswith("─") or "Enter open" in line), len(lines))
    return [line for line in lines[:end] if line.strip(" ▁▂▃▄▅▆▇")]


def picker(app: Driver) -> Picker:
    assert isinstance(app.app.screen, Picker)
    return app.app.screen


async def test_each_session_has_its_row_newest_first() -> None:
    async with running(app=app_of(Shelf(*ALL))) as app:
        text = await app.text()
        assert "4 sessions" in text and "all tools" in text
        first, second, third, last = rows(text)
        assert first.split() == [
            *("2026-08-19", "14:02", "Claude", "Code", "uploader", "12", "31", "4", "0", "1"),
            *("add", "the", "retry", "to", "the", "uploader"),
        ]
        assert "[red]what[/red] does 1.10 mean\\x1b[31m" in second and "lock" in second
        assert "1640" in third.replace(",", "") or "1k" in third
        assert "! locked.jsonl: the database is locked" in last


async def test_the_preview_tells_of_the_session_under_the_cursor() -> None:
    async with running(app=app_of(Shelf(*ALL))) as app:
        text = await app.press("j", "j")
        below = text.partition("─" * 40)[2]
        for part in ("The parser", "218 blocks", "1,640 calls", "→ 12 changed", "! 9 errors", "some-format", LONG.path):
            assert part in below, part
        assert "port the parser to exact numbers" in below
        assert "locked by another program" in (await app.press("j")).partition("─" * 40)[2]


async def test_a_low_screen_has_no_preview_and_a_small_one_still_counts() -> None:
    async with running(app=app_of(Shelf(*ALL)), size=(40, 10)) as app:
        text = await app.text()
        assert "─" not in text and "4 sessions" in text
        assert rows(text)[0].split()[:5] == ["08-19", "14:02", "31", "1", "add"]


async def test_it_paints_at_once_and_fills_in_what_is_found_out() -> None:
    shelf = Shelf(*ALL, found=[listing("good"), listing("bad", 5), UNREADABLE])
    shelf.may_look.clear()
    app = app_of(shelf)
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        while not shelf.looked:
            await pilot.pause()
        text = driver.painted()
        assert "2 to look into" in text and "good.jsonl" in text and "retry" not in text
        shelf.may_look.set()
        text = await driver.text()
        assert "add the retry" in text and "to look into" not in text
    assert shelf.kept == 1 and shelf.stopped == 1
    assert UNREADABLE.path not in shelf.looked


async def test_what_is_on_screen_is_looked_into_first() -> None:
    there = [listing(f"{number:03}", number) for number in range(300)]
    shelf = Shelf(*(replace(each, level=Level.COUNTED) for each in there), found=there)
    async with running(app=app_of(shelf), size=(80, 10)) as app:
        await app.text()
        assert set(shelf.looked[:7]) == {each.path for each in there[:7]}
        assert sorted(shelf.looked) == [each.path for each in there]


async def test_a_database_becomes_its_sessions_and_what_is_no_recording_goes_away() -> None:
    database = listing("all", doubtful=True)
    entries = [replace(GOOD, path=database.path, id=str(number), changed=NEWEST - number) for number in range(3)]
    shelf = Shelf(found=[database, listing("notes", 1, doubtful=True)])
    shelf.told = {database.path: entries, "/logs/notes.jsonl": ()}
    async with running(app=app_of(shelf)) as app:
        text = await app.text()
        assert "3 sessions" in text and len(rows(text)) == 3 and "notes" not in text
        assert f"{database.path}#1" in await app.press("j")


async def test_a_folder_without_recordings_says_so_once_all_is_looked_into() -> None:
    shelf = Shelf(found=[listing("notes", doubtful=True)])
    shelf.told = {"/logs/notes.jsonl": ()}
    async with running(app=app_of(shelf)) as app:
        text = await app.text()
        assert "no sessions here" in text and "looking" not in text


async def test_a_long_search_is_waited_for_with_the_screen_on() -> None:
    shelf = Shelf(*ALL)
    shelf.may_find.clear()
    app = app_of(shelf)
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        await pilot.press("j", "enter", "s", "t")
        text = driver.painted()
        assert "looking for sessions" in text and "Enter open" in text
        shelf.may_find.set()
        assert "4 sessions" in await driver.text()


async def test_reloading_finds_what_is_new_and_keeps_the_cursor_on_its_session() -> None:
    shelf = Shelf(*ALL)
    async with running(app=app_of(shelf)) as app:
        await app.press("j")
        shelf.found = [known("newer", -1, "newer than all", Numbers(1, 1)), *ALL]
        text = await app.press("r")
        assert "5 sessions" in text and rows(text)[0].endswith("newer than all")
        assert picker(app).picking.chosen == BAD


# Finding one


async def test_typing_finds_and_escape_shows_all_again() -> None:
    async with running(app=app_of(Shelf(*ALL))) as app:
        text = await app.press("/", *"prt")
        assert [row for row in rows(text) if "port the parser" in row] == rows(text)[:1]
        assert "of 4 sessions" in text
        text = await app.press(*" exact", "enter")
        assert len(rows(text)) == 1 and "/prt exact" in text and isinstance(app.app.focused, SessionList)
        text = await app.press("escape")
        assert len(rows(text)) == 4 and "/prt" not in text


async def test_escape_while_typing_ends_it() -> None:
    async with running(app=app_of(Shelf(*ALL))) as app:
        text = await app.press("/", *"xyz")
        assert rows(text) == [] and "Esc shows all" in text
        assert len(rows(await app.press("escape"))) == 4


async def test_keys_of_one_burst_are_typed() -> None:
    async with running(app=app_of(Shelf(*ALL))) as app:
        for key in "/lock":
            app.app.screen.post_message(events.Key(key, key))
        text = await app.press("enter")
        assert len(rows(text)) == 2 and "/lock" in text


async def test_the_arrows_move_the_cursor_while_one_types() -> None:
    async with running(app=app_of(Shelf(*ALL))) as app:
        await app.press("/", "t", "down")
        assert picker(app).picking.cursor == 1


async def test_tool_and_project_of_the_session_under_the_cursor() -> None:
    async with running(app=app_of(Shelf(*ALL))) as app:
        text = await app.press("t")
        assert len(rows(text)) == 2 and "only Claude Code" in text and "2 of 4 sessions" in text
        assert len(rows(await app.press("t"))) == 4
        text = await app.press("j", "p")
        assert len(rows(text)) == 1 and "only /home/someone/lock" in text
        assert len(rows(await app.press("escape"))) == 4
        await app.press("G", "p")
        assert app.toasts() == ["the session names no project"]


async def test_sorting_is_named_and_goes_around() -> None:
    async with running(app=app_of(Shelf(*ALL))) as app:
        text = await app.press("s")
        assert "by calls" in text and "port the parser" in rows(text)[0]
        assert "by errors" in await app.press("s")
        assert "by project" in await app.press("s")
        assert "add the retry" in rows(await app.press("s"))[0]


# Opening


async def test_enter_opens_and_escape_comes_back_to_the_same_row() -> None:
    newer = [known(f"newer{number}", -number, "newer", Numbers(1, 1)) for number in range(1, 40)]
    async with running(app=app_of(Shelf(*ALL, *newer))) as app:
        await app.press("G", "k", "k", "k")
        before = await app.text()
        assert "jobs.open_file" in await app.press("enter") and app.session.blocks.has_focus
        assert await app.press("escape") == before
        await app.press("enter", "q")
        assert picker(app).picking.chosen == GOOD


async def test_what_cannot_be_opened_is_told_and_the_picker_stays() -> None:
    async with running(app=app_of(Shelf(*ALL))) as app:
        await app.press("j", "enter")
        assert app.toasts() == ["cannot open /logs/bad.jsonl: line 1: [not] a recording"]
        assert isinstance(app.app.screen, Picker)


async def test_a_double_click_opens() -> None:
    async with running(app=app_of(Shelf(*ALL))) as app:
        await app.pilot.double_click("#sessions", offset=(5, 0))
        assert "jobs.open_file" in await app.text()


async def test_no_sessions_at_all() -> None:
    async with running(app=app_of(Shelf())) as app:
        text = await app.press("enter", "j", "k", "t", "p", "s", "r")
        assert "0 sessions" in text and "blockview --places" in text


async def test_the_work_for_a_screen_does_not_grow_with_the_list() -> None:
    def work(count: int) -> int:
        picking = Picking(known(str(number), number, "p", Numbers(1, 1)) for number in range(count))
        assert len(picking) == count
        pane = SessionList(picking)
        return calls_in(lambda: [pane.line_count, pane.cursor_line, *(picking[line] for line in range(40))])

    assert work(10_000) == work(100)
