"""Bytes cut into lines and events, wherever the pieces end."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from blockview.dispatch.lines import Event, Events, Lines

CUTS = st.lists(st.integers(0, 400), max_size=12)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    ends = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(ends)]


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=8), CUTS)
def test_lines(wanted: list[bytes], cuts: list[int]) -> None:
    lines = Lines(100)
    data = b"".join(line + b"\n" for line in wanted) + b"rest"
    assert [line for piece in pieces(data, cuts) for line in lines.feed(piece)] == wanted
    assert lines.end() == b"rest"


def test_a_long_line_is_dropped_and_the_next_one_is_there() -> None:
    lines = Lines(10)
    assert [line for _ in range(1000) for line in lines.feed(b"x" * 50)] == []
    assert lines.end() == b""
    assert list(lines.feed(b"\nshort\n")) == [None, b"short"]


STREAM = (
    b": comment\n\n"
    b"event: endpoint\ndata: /messages\n\n"
    b"id: 7\nretry: 10\ndata\n\n"
    b"data: one\ndata:two\ndata:  three\n\n"
    b"data: cut"
)


@given(CUTS, st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_events(cuts: list[int], newline: bytes) -> None:
    events = Events(100)
    data = STREAM.replace(b"\n", newline)
    found = [event for piece in pieces(data, cuts) for event in events.feed(piece)]
    assert found == [
        Event(b"/messages", b"endpoint", b"event: endpoint\n"),
        Event(b"", b"message", b"id: 7\nretry: 10\n"),
        Event(b"one\ntwo\n three", b"message", b""),
    ]
    assert found[2] is not None and found[2].written(b"a\nb") == b"data: a\ndata: b\n\n"
    assert found[1] is not None and found[1].written(None) == b"id: 7\nretry: 10\n\n"


def test_a_long_event_is_dropped_whether_in_one_line_or_in_many() -> None:
    for long in (b"data: " + b"x" * 50, b"\n".join([b"data: xxxxx"] * 10)):
        events = Events(30)
        assert list(events.feed(long + b"\n\ndata: short\n\n")) == [None, Event(b"short", b"message", b"")]
