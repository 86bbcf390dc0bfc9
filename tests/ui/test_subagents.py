"""Entering the conversation of a subagent from the call that started it, and leaving it again."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from blockview.core.coercion import Depth
from blockview.core.find import Position
from blockview.core.model import Session, Status, ToolCall
from blockview.core.prepare import Found, Missing
from blockview.ui.app import BlockviewApp, Opened
from blockview.ui.screens.session import SessionScreen
from tests.ui import sessions
from tests.ui.driving import Driver, running, settle

TO_ROW = ("j", "enter", "j", "j")
"""From the first block to the row of the subagent in the detail of its first call."""


def starts(agent: str, name: str = "Agent") -> ToolCall:
    return ToolCall(
        f"starts {agent}", name, name, '{"prompt":"look"}', sessions.HERE, mcp=False, status=Status.OK,
        result=sessions.result("looked"), agent=agent,
    )  # fmt: skip


def at(source: str, opened: Opened, nested: Callable[[str], Session | None]) -> Session:
    return replace(opened.session, source=source, nested=nested)


class Recordings:
    """A session whose subagent `a1` started `b2`; each is opened from what counts as the disk."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asks = sessions.call("run_job", '{"limit":5.0}')
        self.held = {
            "b2": at("/s/b2", sessions.session(sessions.block("deepest", asks)), self.nested),
            "a1": at("/s/a1", sessions.session(sessions.block("look into it", starts("b2"), asks)), self.nested),
        }
        blocks = sessions.block("do it", starts("a1"), starts("gone")), sessions.block("thanks")
        self.opened = Opened(at("/recordings/uploader.jsonl", sessions.session(*blocks), self.nested), sessions.lookup)

    def nested(self, agent: str) -> Session | None:
        assert threading.current_thread() is not threading.main_thread()
        self.asked.append(agent)
        return self.held.get(agent)


def header(text: str) -> str:
    return text.split("\n")[0]


def row(driver: Driver) -> str:
    shown = driver.session.detail.row
    assert shown is not None
    return "".join(span.text for span in shown.line).strip()


async def test_a_subagent_is_entered_to_any_depth_and_left_to_its_call() -> None:
    async with running(Recordings().opened) as driver:
        await driver.press(*TO_ROW)
        assert row(driver) == "subagent a1: 1 block, 2 calls   Enter opens"
        text = await driver.press("enter")
        assert header(text).startswith(" uploader.jsonl \u203a subagent a1 ")
        assert "look into it" in text
        await driver.press(*TO_ROW)
        assert row(driver) == "subagent b2: 1 block, 1 call   Enter opens"
        text = await driver.press("enter")
        assert header(text).startswith(" uploader.jsonl \u203a subagent a1 \u203a subagent b2 ")
        assert "deepest" in text
        text = await driver.press("escape")
        assert header(text).startswith(" uploader.jsonl \u203a subagent a1 ")
        assert (driver.session.in_detail, driver.session.detail.position) == (True, Position(0, 0))
        assert row(driver).startswith("subagent b2")
        text = await driver.press("escape", "escape")
        assert header(text).startswith(" uploader.jsonl ")
        assert "subagent" not in header(text)
        assert row(driver).startswith("subagent a1")
        await driver.press("q")
        assert driver.app.return_code == 0


async def test_nothing_is_opened_before_its_call_is_shown_and_then_once() -> None:
    recordings = Recordings()
    async with running(recordings.opened) as driver:
        await driver.press("z", "j", "j", "k", "k")
        assert recordings.asked == []
        await driver.press("z", "j")
        assert recordings.asked == ["a1"]
        await driver.press("k", "j", "enter", "c", "r", "r", "j", "j", "enter", "escape")
        assert recordings.asked == ["a1"]


async def test_keys_in_one_burst_wait_for_the_recording() -> None:
    async with running(Recordings().opened) as driver:
        assert "look into it" in await driver.press(*TO_ROW, "enter")


async def test_a_subagent_that_is_not_there_says_so() -> None:
    async with running(Recordings().opened) as driver:
        await driver.press("j", "j", "enter", "j", "j")
        assert row(driver) == "subagent gone: its recording is not there"
        await driver.press("enter")
        assert driver.toasts() == ["subagent gone: its recording is not there"]
        assert len(driver.app.screen_stack) == 1


async def test_a_subagent_in_the_same_recording_is_gone_to_and_left_again() -> None:
    opened = sessions.session(
        sessions.block("go", starts("x"), starts("y")),
        sessions.block("thanks"),
        sessions.block("x was asked", sessions.call("run_job", "{}"), label="subagent x"),
        sessions.block("y was asked", label="subagent y"),
        sessions.block("x goes on", label="subagent x"),
    )
    opened = opened._replace(session=replace(opened.session, agents={"x": [2, 4], "y": [3]}))
    async with running(opened) as driver:
        await driver.press(*TO_ROW)
        assert row(driver) == "subagent x: 2 blocks, 1 call   Enter opens"
        await driver.press("enter")
        screen = driver.session
        assert (len(driver.app.screen_stack), screen.view.cursor, screen.in_detail) == (1, Position(2), False)
        await driver.press("enter", "escape")
        assert screen.view.cursor == Position(2), "from the block's detail to the list, first"
        await driver.press("escape")
        assert (screen.view.cursor, screen.in_detail) == (Position(0, 0), True)
        assert row(driver).startswith("subagent x")
        await driver.press("escape", "escape")
        assert screen.view.cursor == Position(0, 0)


async def test_coercion_is_one_setting_for_all_sessions() -> None:
    async with running(Recordings().opened) as driver:
        await driver.press(*TO_ROW, "enter", "c")
        assert driver.session.view.depth is Depth.DEEP
        await driver.press("escape")
        assert driver.session.view.depth is Depth.DEEP


async def test_a_nested_session_has_a_catalog_of_its_own_where_there_is_one() -> None:
    def lookups(session: Session) -> Callable[[ToolCall], Found | Missing]:
        return lambda call: Missing(f"asked the catalog of {session.source}")

    recordings = Recordings()
    async with running(recordings.opened) as driver:
        await driver.press(*TO_ROW, "enter", "j", "j")
        assert "schema from tools/list, line 3" in await driver.detail()
    async with running(recordings.opened._replace(lookups=lookups)) as driver:
        await driver.press(*TO_ROW, "enter", "j", "j")
        assert "asked the catalog of /s/a1" in await driver.detail()


async def test_the_id_is_what_a_copy_of_the_row_gives() -> None:
    async with running(Recordings().opened) as driver:
        await driver.press(*TO_ROW, "y", "v")
        assert driver.app.clipboard == "a1"


@pytest.mark.parametrize("width", [120, 80, 40])
async def test_the_path_keeps_the_innermost_name(width: int) -> None:
    async with running(Recordings().opened, (width, 20)) as driver:
        for _ in range(2):
            await driver.press("j", "enter")
            while not row(driver).startswith("subagent"):
                await driver.press("j")
            text = await driver.press("enter")
        first = header(text)
        assert "\u203a subagent b2 " in first
        assert ("uploader" in first) is (width == 120)


@pytest.mark.parametrize("name", ["row", "nested"])
def test_picture(snap_compare: Callable[..., bool], name: str) -> None:
    app = BlockviewApp(Recordings().opened)

    async def ready(pilot: Pilot[None]) -> None:
        await pilot.press(*TO_ROW, *(("enter",) if name == "nested" else ()))
        await settle(app)
        await pilot.pause()
        assert isinstance(app.screen, SessionScreen)

    assert snap_compare(app, terminal_size=(120, 36), run_before=ready)
