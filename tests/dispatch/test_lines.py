"""Bytes cut into lines and events, wherever the pieces end."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pytest
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


def test_what_is_held_of_a_line_does_not_grow_with_the_number_of_its_pieces() -> None:
    lines = Lines(100_000)
    tracemalloc.start()
    try:
        assert [line for _ in range(100_000) for line in lines.feed(b"x")] == []
        assert tracemalloc.get_traced_memory()[0] < 200_000
    finally:
        tracemalloc.stop()
    assert lines.end() == b"x" * 100_000


def test_an_unwanted_line_is_left_out_while_it_comes() -> None:
    lines = Lines(1000, (b"data:",))
    assert [line for _ in range(1000) for line in lines.feed(b"xy")] == []
    assert lines.end() == b""
    assert list(lines.feed(b"\ndata: short\n: x\n")) == [b"data: short", b": x"]


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


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"x: y\n", [Event(b"short", b"message", b"")]),
        (b"x: " + b"y" * 500 + b"\n", [Event(b"short", b"message", b"")]),
        (b"x" * 50, [Event(b"short", b"message", b"")]),
        (b": comment\n", [Event(b"short", b"message", b"")]),
        (b"id: 7\n", [Event(b"", b"message", b"id: 7\n"), Event(b"short", b"message", b"")]),
        (b"data\n", [None, Event(b"short", b"message", b"")]),
    ],
    ids=["unknown", "long", "endless", "comment", "id", "data"],
)
def test_what_an_event_holds_does_not_grow_with_what_comes(line: bytes, found: list[Event | None]) -> None:
    events = Events(1000)
    tracemalloc.start()
    try:
        assert [event for _ in range(20_000) for event in events.feed(line)] == []
        assert tracemalloc.get_traced_memory()[0] < 20_000
    finally:
        tracemalloc.stop()
    assert list(events.feed(b"\n\ndata: short\n\n")) == found
