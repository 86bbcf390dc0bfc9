"""Streams of server-sent events."""

from __future__ import annotations

import re

import pytest

from blockview.core.model import Place
from blockview.readers.source import Source
from blockview.readers.sse import is_stream, server_events, streams


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_fields_make_events(end: str) -> None:
    lines = [": a remark", "event: one", "data: a", "data:b", "id: 7", "", "", "data", "", "event: none", "", "data: c"]
    assert list(server_events("\ufeff" + end.join(lines))) == [("one", "a\nb"), ("", ""), ("", "c")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("event: x\ndata: {}\n", True),
        ("data:{}", True),
        (": remark\n\nid: 1\ndata: x", True),
        ('{"data": 1}', False),
        ("some text\ndata: x", False),
        ("", False),
        (" " * 100_000 + "x", False),
        (":\n" * 50_000 + "x", False),
        ("\n" * 100_000 + ": remark\n\nretry: 5\n\ndata: x", True),
    ],
    ids=range(9),
)
def test_what_looks_like_a_stream(text: str, wanted: bool) -> None:
    assert is_stream(text) is wanted


def test_streams_are_told_apart_by_their_first_event() -> None:
    one, other = "event: start\ndata: start\n\ndata: x\n\n", "event: start\ndata: start\n\ndata: y\n\n\n"
    found = list(streams(Source.of_bytes("s", (one + other).encode()), re.compile(b"start")))
    assert [record.data.decode() for record in found] == [one.rstrip(), other.rstrip()]
    assert found[1].place == Place(6, len(one), len(other.rstrip()))
