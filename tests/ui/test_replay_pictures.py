"""One picture for each screen of replay and size, in `snapshots/ui/test_replay_pictures/`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from blockview.core.model import ContentBlock, ToolCall
from blockview.core.outcome import Ended, Outcome
from blockview.core.replaying import Hints
from blockview.ui.app import BlockviewApp
from blockview.ui.screens import sending
from tests.ui import sessions
from tests.ui.driving import settle
from tests.ui.replayers import FakeReplayer, answer

Snapshot = Callable[..., bool]

SIZES = [(120, 36), (80, 24)]
CALL, BLOCK = ("]", "]", "R"), ("j", "j", "j", "j", "j", "R")

RECORDED = """{"name":"nightly","state":"failed","total":10.0,"error":"limit must be integer",
 "log":"start\\nfetch 1\\nfetch 2\\nfetch 3\\ngave up at five","rows":[1,2,3,4,5,6,7,8,9,10,11,12]}"""
LIVE = """{"name":"nightly","state":"done","total":10,"id":"7f3",
 "log":"start\\nfetch 1\\nfetch 2\\nfetch 3\\nfetch 4\\ndone","rows":[1,2,3,4,5,6,7,8,9,10,11,13],
 "big":12345678901234567890}"""


def answers(call: ToolCall) -> Outcome | None:
    """What the servers answer: a result, an error as recorded, one that is not recorded, nothing."""
    if call.tool == "get_log":
        outcome = answer(
            "no such log: logs/2026", ended=Ended.REFUSED, others=(ContentBlock("image", note="image/png"),)
        )
        return outcome
    return answer("limit must be integer", ended=Ended.TOOL_ERROR) if "5.5" in (call.arguments or "") else answer(LIVE)


def refused(call: ToolCall) -> Outcome:
    return answer("limit: 5 is greater than the maximum of 3", ended=Ended.REFUSED)


def warned() -> FakeReplayer:
    return FakeReplayer(
        answers,
        hints=Hints(read_only=False, destructive=True),
        drift=("/properties/limit/maximum: not recorded, live 3",),
        errors=lambda sent: ("/limit: 5 is greater than the maximum of 3",) if '"limit":5,' in sent else (),
    )


PICTURES: dict[str, tuple[Callable[[], FakeReplayer], tuple[str, ...]]] = {
    "start": (warned, CALL),
    "failed": (lambda: FakeReplayer(connects=False), (*CALL, "enter")),
    "send": (warned, (*CALL, "enter")),
    "block": (warned, (*BLOCK, "enter")),
    "schemas": (warned, ("]", "S")),
    "edit": (warned, (*CALL, "enter", "e", *["right"] * 9, "0")),
    "edited": (warned, (*CALL, "enter", "e", *["right"] * 9, "delete", "7", "ctrl+s")),
    "stopped": (lambda: FakeReplayer(refused), (*BLOCK, "enter", "enter")),
    "done": (warned, (*BLOCK, "enter", "enter")),
    "compared": (warned, (*CALL, "enter", "enter", "n", "n", "n", "n", "space")),
    "one-column": (warned, (*CALL, "enter", "enter", "s")),
    "beside": (warned, (*CALL, "enter", "enter", "escape")),
}
"""What leads to each picture: the servers, and the keys."""


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", PICTURES)
def test_picture(snap_compare: Snapshot, name: str, size: tuple[int, int]) -> None:
    make, keys = PICTURES[name]
    app = BlockviewApp(sessions.ordinary(answer=RECORDED), replayer=make)

    async def ready(pilot: Pilot[None]) -> None:
        await pilot.press(*keys)
        await settle(app)
        await pilot.pause()

    same = snap_compare(app, terminal_size=size, run_before=ready)
    assert app.return_code in (None, 0), "the app failed: what was compared is no picture of it"
    assert same


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_waiting(snap_compare: Snapshot, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "monotonic", lambda: 0.0)
    app = BlockviewApp(sessions.ordinary(), replayer=lambda: FakeReplayer(lambda call: None))

    async def ready(pilot: Pilot[None]) -> None:
        await pilot.press(*BLOCK, "enter")
        await settle(app)
        await pilot.press("enter")
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=ready)
