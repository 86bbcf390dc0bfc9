"""The filter of the session screen: only what it holds for is shown, and nothing is lost by it."""

import pytest

from blockview.core.find import HEAD, Position
from blockview.core.model import Block, Place, Session, Status, ToolCall
from blockview.core.prepare import Found
from blockview.ui.app import Opened
from blockview.ui.screens.session import SessionScreen
from tests.ui.driving import Driver, running

PLACE = Place(1, 0)


def call(tool: str, arguments: str = "{}", status: Status = Status.OK) -> ToolCall:
    return ToolCall(tool, f"mcp__srv__{tool}", tool, arguments, PLACE, server="srv", status=status)


BLOCKS = (
    Block(0, "first prompt", PLACE, (call("read"), call("write", '{"line":5.0}'))),
    Block(1, "second prompt", PLACE, (call("read"),)),
    Block(2, "third prompt", PLACE, (call("write", status=Status.TOOL_ERROR), call("read"))),
)
SESSION = Session("s.jsonl", "test", BLOCKS, call_counts=[2, 1, 2])
OPENED = Opened(SESSION, lambda call: Found({"properties": {"line": {"type": "integer"}}}, "test"))


def rows(app: Driver) -> list[Position]:
    view = app.session.view
    return [view.position(line) for line in range(view.lines)]


async def test_only_what_is_typed_for_stays_and_escape_brings_all_back() -> None:
    async with running(OPENED) as app:
        text = await app.press("f", *"tool:write")
        assert rows(app) == [(0, HEAD), (0, 1), (2, HEAD), (2, 0)]
        assert "2 of 3 blocks" in text and "second prompt" not in text
        text = await app.press("enter")
        assert "filter tool:write" in text
        await app.press("j")
        assert app.session.view.cursor == Position(0, 1)
        text = await app.press("escape")
        assert len(rows(app)) == 8 and "filter tool" not in text
        assert app.session.view.cursor == Position(0, 1)


async def test_an_error_stays_with_its_call() -> None:
    async with running(OPENED) as app:
        await app.press("f", *"is:error", "enter")
        assert rows(app) == [(2, HEAD), (2, 0)]
        assert app.session.view.cursor == Position(2)
        assert "third prompt" in await app.detail()


async def test_what_cannot_be_read_is_said_and_hides_nothing() -> None:
    async with running(OPENED) as app:
        text = await app.press("f", *"is:wrong")
        assert "nothing is wrong" in text
        assert len(rows(app)) == 8
        assert "nothing is wrong" in await app.press("enter")
        await app.press(*["backspace"] * 5, *"error", "enter")
        assert rows(app) == [(2, HEAD), (2, 0)]
        await app.press("f", ",", "x", "escape", "escape", "f", *"is:wrong")
        text = await app.press("escape")
        assert "nothing is wrong" not in text
        assert app.session.focused is app.session.blocks
        assert not app.session.in_detail


async def test_escape_while_typing_goes_back_to_the_filter_before() -> None:
    async with running(OPENED) as app:
        await app.press("f", *"tool:read", "enter")
        await app.press("f", *" is:error")
        assert rows(app) == []
        await app.press("escape")
        assert rows(app) == [(0, HEAD), (0, 0), (1, HEAD), (1, 0), (2, HEAD), (2, 1)]
        text = await app.press("f")
        assert "tool:read" in text


async def test_an_empty_filter_hides_nothing() -> None:
    async with running(OPENED) as app:
        await app.press("f", *"tool:read", "enter")
        text = await app.press("f", *["backspace"] * 9, "enter")
        assert len(rows(app)) == 8
        assert "of 3 blocks" not in text


async def test_tab_completes_words_and_names() -> None:
    async with running(OPENED) as app:
        await app.press("f", *"to", "tab")
        text = await app.press(*"wr", "tab")
        assert "tool:write" in text
        assert rows(app) == [(0, HEAD), (0, 1), (2, HEAD), (2, 0)]


async def test_find_goes_only_to_what_is_shown() -> None:
    async with running(OPENED) as app:
        await app.press("f", *"tool:write", "enter")
        text = await app.press("/", *"prompt", "enter")
        assert "1 of 2" in text
        await app.press("n")
        assert app.session.view.cursor == Position(2)
        await app.press("escape")
        assert app.session.view.filter is not None
        await app.press("escape")
        assert app.session.view.filter is None


async def test_the_depth_decides_what_is_changed_in_a_filter_too() -> None:
    async with running(OPENED) as app:
        await app.press("f", *"is:changed", "enter")
        assert rows(app) == [(0, HEAD), (0, 1)]
        text = await app.press("c", "c")
        assert rows(app) == []
        assert "0 of 3 blocks" in text


async def test_a_filter_in_one_burst_of_keys() -> None:
    async with running(OPENED) as app:
        await app.pilot.press("f", *"tool:write", "enter", "j", "j")
        await app.text()
        assert app.session.view.cursor == Position(2)


async def test_where_nothing_is_kept_nothing_is_shown_beside() -> None:
    async with running(OPENED) as app:
        await app.press("f", *"tool:nothing", "enter")
        assert rows(app) == []
        assert (await app.detail()).strip() == "the filter holds for nothing here"
        await app.press("escape")
        assert "first prompt" in await app.detail()


async def test_the_end_stays_the_end_while_a_filter_is_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(OPENED) as app:
        screen = app.session
        monkeypatch.setattr(SessionScreen, "look_through", lambda self: None)
        await app.press("f", *"tool:read", "enter")
        view = screen.view
        assert view.kept is not None
        steps = view.kept.explore()
        next(steps)
        screen._show_kept()
        await app.press("G")
        assert view.cursor == Position(0, 0)
        next(steps)
        screen._show_kept()
        assert view.cursor == Position(1, 0)
        await app.press("k")
        for _ in steps:
            pass
        screen._show_kept()
        assert view.cursor == Position(1)
