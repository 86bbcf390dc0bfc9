"""Harm done to recordings of lines, to see that what was not harmed is still read."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from blockview.core.model import Session
from blockview.readers.registry import UnknownFormat
from tests.readers.lines import calls, read_bytes

NOISE = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [
            b"\0\0\0",
            b"[" * 3000,
            b'{"a":' * 3000,
            b'"\\ud800"',
            b'{"type":1e999}',
            b"1" * 5000,
            b"\xff{}",
            b"null",
            b"\r",
        ]
    ),
)
"""What may stand on a line of its own, or in the middle of one."""


@st.composite
def harm(draw: st.DrawFn, count: int) -> tuple[int, float, bytes]:
    """Which of `count` lines is harmed, where in it (0 to 1), and with what. The first one tells the format."""
    return draw(st.integers(1, count - 1)), draw(st.floats(0, 1)), draw(NOISE).replace(b"\n", b"")


def harmed(lines: Sequence[str], change: tuple[int, float, bytes], *, cut: bool) -> bytes:
    """The recording with one line harmed: something is put into it, or put in the place of its rest."""
    number, where, some = change
    data = [line.encode() for line in lines]
    at = int(where * len(data[number]))
    data[number] = data[number][:at] + some + (b"" if cut else data[number][at:])
    return b"\n".join(data) + b"\n"


def read_harmed(data: bytes) -> Session | None:
    """The session, with all its blocks looked at; None where it can no longer be recognised."""
    try:
        session = read_bytes(data)
    except UnknownFormat:
        return None
    assert [len(block.calls) for block in session.blocks] == list(session.call_counts)
    assert sum(session.call_counts) == session.counts.calls
    assert all(session.read_raw(call.place) for call in calls(session))
    return session
