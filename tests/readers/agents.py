"""One conversation in the words of every agent, and ways to look at what is read of it."""

from __future__ import annotations

import random
from collections.abc import Iterator

from blockview.core.model import Session, ToolCall
from blockview.readers.registry import UnknownFormat, read_session
from blockview.readers.source import Source

BIG = '{"n":5.0,"x":1.50,"id":1234567890123456789}'
"""Arguments that no reader may spell otherwise."""

TOLD = [
    ("hello", [("demo", "add", BIG, "ok", "6.50"), ("demo", "fail", '{"e":1e3}', "tool-error", "boom")]),
    (
        "and now both",
        [
            ("demo", "one", "{}", "ok", "first"),
            ("demo", "two", '{"k":[1.10,-0]}', "ok", "9007199254740993"),
            ("demo", "lost", '{"q":null}', "no-result", None),
        ],
    ),
]
"""What is read of it: the second block's calls run beside each other, and are answered in another order."""

Called = tuple[str | None, str, str | None, str, str | None]


def read(data: str | bytes, name: str = "recording") -> Session:
    """The session that these bytes tell."""
    return read_session(Source.of_bytes(name, data.encode() if isinstance(data, str) else data))


def calls(session: Session) -> list[ToolCall]:
    """All calls in order. The counts of calls and the raw text of each call are looked at as well."""
    blocks = list(session.blocks)
    assert [len(block.calls) for block in blocks] == list(session.call_counts)
    return [call for block in blocks for call in block.calls]


def called(call: ToolCall) -> Called:
    """What counts of a call."""
    return call.server, call.tool, call.arguments, call.status, call.result.text if call.result else None


def told(session: Session) -> list[tuple[str, list[Called]]]:
    """What counts of a session."""
    assert [len(block.calls) for block in session.blocks] == list(session.call_counts)
    return [(block.prompt, [called(call) for call in block.calls]) for block in session.blocks]


def texts(session: Session, role: str) -> list[str]:
    """All texts of a role, in order."""
    items = [item for block in session.blocks for item in block.items]
    return [item.text for item in items if not isinstance(item, ToolCall) and item.role == role]


def harmed(data: bytes, examples: int = 100) -> Iterator[bytes]:
    """Copies of a recording in which bytes were overwritten, left out, put in or said twice."""
    chance = random.Random(len(data))
    for _ in range(examples):
        copy = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(copy))
            length = chance.choice((1, 1, 2, 10, 200))
            match chance.randrange(4):
                case 0:
                    copy[at : at + length] = chance.randbytes(length)
                case 1:
                    del copy[at : at + length]
                case 2:
                    copy[at:at] = chance.choice((b'"', b"{", b"[", b"}", b"null", b"1e999", b'"\\ud800"', b"\0", b"\n"))
                case _:
                    copy[at:at] = copy[at : at + length]
            copy = copy or bytearray(b"{")
        yield bytes(copy)


def survives(data: bytes) -> bool:
    """Whether a harmed recording is known and told without a failure; one that is not known is refused cleanly."""
    try:
        session = read(data)
    except UnknownFormat:
        return False
    for call in calls(session):
        session.read_raw(call.place)
    return True


def whole_until(data: bytes, cut: int) -> list[Called] | None:
    """The calls that are read of a recording's first bytes; None when these are not known as one."""
    try:
        return [called(call) for call in calls(read(data[:cut]))]
    except UnknownFormat:
        return None
