"""A recording that is read in steps, and one that is followed while it is written."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from blockview.catalog.recording import RecordingCatalog
from blockview.core.find import HEAD, Position
from blockview.core.growing import Growing, Grown
from blockview.core.model import Session
from blockview.core.prepare import Lookup
from blockview.readers.opening import open_growing
from blockview.ui.app import BlockviewApp, Opened
from blockview.ui.screens.picker import Picker
from blockview.ui.screens.session import SessionScreen
from tests.readers.lines import answers, prompt, result, says, use
from tests.ui.driving import Driver, running
from tests.ui.test_picker import GOOD, Shelf

PATIENCE = 2000


def block(number: int, *, calls: int = 1) -> str:
    """The lines of a block with a prompt and some calls."""
    before = f"r{number - 1}-0" if number else None
    lines = [prompt(f"prompt {number}", uuid=f"u{number}", parent=before)]
    for call in range(calls):
        name = f"{number}-{call}"
        lines.append(says(use(f"t{name}", line=5.0), uuid=f"a{name}", parent=f"u{number}"))
        lines.append(answers(result(f"t{name}"), uuid=f"r{name}", parent=f"a{name}"))
    return "".join(line + "\n" for line in lines)


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


class Paced:
    """Reads one step of a recording each time a test allows it."""

    def __init__(self, growing: Growing) -> None:
        self._growing = growing
        self.allowed = 0

    def read_on(self, seconds: float, rest: Callable[[], object] = bool) -> Grown | None:
        if not self.allowed:
            return Grown(self._last, complete=False, read=1, size=4)
        self.allowed -= 1
        grown = self._growing.read_on(60)
        if grown is not None:
            self._last = grown.session
        return grown

    def first(self) -> Session:
        grown = self._growing.read_on(60)
        assert grown is not None
        self._last = grown.session
        return grown.session


class Counted:
    """Counts how often somebody looked at a recording."""

    def __init__(self, growing: Growing) -> None:
        self._growing = growing
        self.looked = 0

    def read_on(self, seconds: float, rest: Callable[[], object] = bool) -> Grown | None:
        self.looked += 1
        return self._growing.read_on(seconds, rest)


async def until(app: Driver, holds: Callable[[], bool]) -> None:
    """Let the app work until something holds."""
    for _ in range(PATIENCE):
        if holds():
            await app.pilot.pause()
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"it never came to that: {app.painted()}")


@asynccontextmanager
async def reading(opened: Opened) -> AsyncIterator[Driver]:
    """Run the app on a recording that is read or followed: there is always work in the background."""
    app = BlockviewApp(opened)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        yield Driver(app, pilot)


def catalogs(session: Session) -> Lookup:
    return RecordingCatalog(session.tools).lookup


def opened(path: Path, *, following: bool = False) -> Opened:
    growing = open_growing(path)
    grown = growing.read_on(60)
    assert grown is not None
    return Opened(grown.session, catalogs(grown.session), catalogs, growing, grown.complete, following)


async def test_the_list_grows_while_the_recording_is_read(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0))
    paced = Paced(open_growing(path))
    first = paced.first()
    append(path, block(1) + block(2))
    async with reading(Opened(first, catalogs(first), catalogs, paced, complete=False)) as app:
        screen = app.session
        await until(app, lambda: "reading 25 %" in app.painted())
        assert "1 block " in app.painted()
        await app.pilot.press("j")
        paced.allowed = 1
        await until(app, lambda: not screen.reading)
        text = await app.text()
        assert "3 blocks  3 calls" in text
        assert "reading" not in text
        assert (screen.view.cursor, screen.view.marked.complete) == (Position(0, HEAD), True)


async def test_the_end_stays_the_end_while_the_recording_is_read(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0) + block(1))
    paced = Paced(open_growing(path))
    first = paced.first()
    append(path, block(2) + block(3))
    async with reading(Opened(first, catalogs(first), catalogs, paced, complete=False)) as app:
        screen = app.session
        await app.pilot.press("G")
        paced.allowed = 1
        await until(app, lambda: not screen.reading)
        assert screen.view.cursor.block == 3
        assert "prompt 3" in await app.text()


async def test_new_lines_appear_and_the_place_stays(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0) + block(1))
    async with running(opened(path)) as app:
        await app.press("j")
        place = app.session.view.cursor
        await app.pilot.press("F")
        assert "following" in app.painted() or app.session.following
        await app.pilot.press("g", "j")
        append(path, block(2))
        await until(app, lambda: app.session.view.blocks == 3)
        assert app.session.view.cursor == place
        await app.pilot.press("G")
        append(path, block(3, calls=2))
        await until(app, lambda: app.session.view.blocks == 4 and app.session.view.calls == 5)
        assert app.session.view.cursor.block == 3
        await app.pilot.press("F")
        append(path, block(4))
        assert "4 blocks  5 calls" in await app.text()


async def test_a_result_that_comes_later_is_shown_where_its_call_is(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(prompt("go", uuid="u0") + "\n" + says(use("t0"), uuid="a0", parent="u0") + "\n")
    async with reading(opened(path, following=True)) as app:
        await until(app, lambda: "no result" in app.painted())
        append(path, answers(result("t0"), uuid="r0", parent="a0") + "\n")
        await until(app, lambda: "no result" not in app.painted() and "ok 1.0 s" in app.painted())
        assert app.session.view.tally.errors == 0


async def test_a_recording_that_is_written_anew_is_told(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0) + block(1) + block(2))
    async with reading(opened(path, following=True)) as app:
        await until(app, lambda: app.session.view.cursor.block == 2)
        path.write_text(prompt("anew", uuid="n") + "\n")
        await until(app, lambda: app.session.view.blocks == 1)
        assert "the recording was written anew" in app.toasts()
        assert app.session.view.cursor == Position(0)
        path.unlink()
        path.write_text(block(7))
        await until(app, lambda: "prompt 7" in app.painted())


async def test_tools_that_are_listed_later_count(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"

    def line(way: str, text: str) -> str:
        return f'{{"ts":1796081428.5,"dir":"{way}","msg":{text}}}\n'

    asks = '{"jsonrpc":"2.0","id":%d,"method":"tools/%s","params":{"name":"add","arguments":{"line":5.0}}}'
    path.write_text(line("client->server", asks % (1, "call")))
    async with reading(opened(path, following=True)) as app:
        await until(app, lambda: app.session.view.tally.missing == 1)
        schema = '{"type":"object","properties":{"line":{"type":"integer"}}}'
        listed = f'{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{{"name":"add","inputSchema":{schema}}}]}}}}'
        append(path, line("client->server", asks % (2, "list")) + line("server->client", listed))
        append(path, line("client->server", asks % (3, "call")))
        await until(app, lambda: app.session.view.tally.changed >= 1)


async def test_what_is_looked_for_is_found_in_what_comes_later(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0))
    async with reading(opened(path, following=True)) as app:
        await app.pilot.press("/", *"prompt", "enter")
        append(path, block(1))
        await until(app, lambda: app.session.view.found is not None and app.session.view.found.hits == 2)
        await app.pilot.press("f", *"is:error", "enter")
        append(path, block(2) + answers(result("t2-0", is_error=True), uuid="x", parent="a2-0") + "\n")
        await until(app, lambda: app.session.view.blocks == 3)


async def test_only_files_can_be_followed(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0))
    first = opened(path)
    async with running(Opened(first.session, first.lookup)) as app:
        await app.press("F")
        assert app.toasts() == ["only a file can be followed"]


async def test_esc_stops_the_reading_and_f_reads_on(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0))
    paced = Paced(open_growing(path))
    first = paced.first()
    append(path, block(1))
    async with reading(Opened(first, catalogs(first), catalogs, paced, complete=False)) as app:
        await until(app, lambda: "reading 25 %" in app.painted())
        await app.pilot.press("escape")
        await until(app, lambda: not app.app.workers)
        assert not app.session.reading
        assert "25 % read" in app.painted()
        assert app.session.view.marked.complete
        paced.allowed = 1
        await app.pilot.press("F")
        await until(app, lambda: "following" in app.painted())
        assert app.session.view.blocks == 2


async def test_a_screen_that_is_left_reads_no_further(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0))
    paced = Paced(open_growing(path))
    first = paced.first()
    opened = Opened(first, catalogs(first), catalogs, paced, complete=False)
    picker = Picker(Shelf(GOOD), "somewhere")
    app = BlockviewApp(picker=lambda: picker, open_path=lambda name: opened)
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        await until(driver, lambda: "add the retry" in driver.painted())
        await pilot.press("enter")
        await until(driver, lambda: "reading 25 %" in driver.painted())
        await pilot.press("escape")
        await until(driver, lambda: app.screen is picker and not app.workers)


async def test_a_hit_is_gone_to_when_its_block_is_read(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0))
    paced = Paced(open_growing(path))
    first = paced.first()
    append(path, block(1) + block(2, calls=2) + block(3))
    app = BlockviewApp(Opened(first, catalogs(first), catalogs, paced, complete=False))
    screen = app.get_default_screen()
    assert isinstance(screen, SessionScreen)
    screen.go_when_read(Position(2, 1))
    app.get_default_screen = lambda: screen  # type: ignore[method-assign]
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        await until(driver, lambda: "reading 25 %" in driver.painted())
        paced.allowed = 1
        await until(driver, lambda: not screen.reading)
        assert screen.view.cursor == screen.detail.position == Position(2, 1)


async def test_a_file_that_vanishes_is_told_once_and_followed_when_it_is_back(tmp_path: Path) -> None:
    path, aside = tmp_path / "session.jsonl", tmp_path / "aside.jsonl"
    path.write_text(block(0))
    paced = Counted(open_growing(path))
    first = paced.read_on(60)
    assert first is not None
    opened = Opened(first.session, catalogs(first.session), catalogs, paced, following=True)
    async with reading(opened) as app:
        said: list[str] = []
        app.app.notify = lambda message, **about: said.append(message)  # type: ignore[method-assign]
        for times in (1, 2):
            path.rename(aside)
            looked = paced.looked
            await until(app, lambda looked=looked: paced.looked > looked + 3)
            assert said == ["the file is gone; it is followed again when that is over"] * times
            aside.rename(path)
            append(path, block(times))
            await until(app, lambda times=times: app.session.view.blocks == times + 1)


async def test_following_leaves_the_detail_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0) + block(1))
    async with running(opened(path)) as app:
        await app.pilot.press("j", "enter")
        assert app.session.in_detail
        line = app.session.detail.cursor_line
        await app.pilot.press("F")
        assert (app.session.view.cursor, app.session.detail.cursor_line) == (Position(0, 0), line)
        append(path, block(2))
        await until(app, lambda: app.session.view.blocks == 3)
        assert app.session.view.cursor == Position(0, 0)
        await app.press("F")


async def test_whoever_asks_is_told_what_the_session_has_grown_to(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(block(0))
    told: list[int] = []
    first = opened(path, following=True)
    async with reading(first._replace(told=lambda session: told.append(len(session.blocks)))) as app:
        append(path, block(1))
        await until(app, lambda: app.session.view.blocks == 2)
        assert told == [2]
