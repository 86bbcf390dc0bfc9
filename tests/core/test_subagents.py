"""Where the conversation of a subagent is."""

from __future__ import annotations

from blockview.core.model import Block, Place, Session
from blockview.core.subagents import Subagent, find_subagent, inline_subagent

BLOCKS = tuple(Block(number, f"prompt {number}", Place(1, 0)) for number in range(4))
OWN = Session("agent", "test", BLOCKS[:1], call_counts=(1,))


def opened(agent: str) -> Session | None:
    if agent == "broken":
        raise OSError("no permission")
    if agent == "strange":
        raise ValueError("no known recording")
    return OWN if agent == "own" else None


SESSION = Session("main", "test", BLOCKS, call_counts=(5, 2, 5, 1000), agents={"in": (1, 3)}, nested=opened)


def test_blocks_in_the_same_recording_come_first_and_open_nothing() -> None:
    found = Subagent(blocks=2, calls=1002, first=1)
    assert find_subagent(SESSION, "in") == inline_subagent(SESSION, "in") == found
    assert found.words == "2 blocks, 1,002 calls"
    assert inline_subagent(SESSION, "own") is None


def test_another_recording_is_opened() -> None:
    found = find_subagent(SESSION, "own")
    assert (found.session, found.first, found.words) == (OWN, None, "1 block, 1 call")


def test_what_cannot_be_shown_says_why() -> None:
    assert find_subagent(SESSION, "gone").words == "its recording is not there"
    assert find_subagent(SESSION, "broken").words == "its recording cannot be read: no permission"
    assert find_subagent(SESSION, "strange").words == "its recording cannot be read: no known recording"
    assert find_subagent(Session("piped", "test", ()), "x").words == "its recording is not there"
