"""The JSON values of a recording."""

from __future__ import annotations

import pytest

from blockview.core.model import Diagnostic
from blockview.readers.source import Source
from blockview.readers.values import values


def read(data: bytes) -> tuple[list[tuple[int, int, bytes]], list[tuple[str, int]]]:
    problems: list[Diagnostic] = []
    source = Source.of_bytes("v", data)
    found = [(one.place.line, one.place.byte, one.data) for one in values(source, problems.append)]
    for _, byte, piece in found:
        assert data[byte : byte + len(piece)] == piece
    return found, [(problem.kind, problem.place.line) for problem in problems]


def test_one_a_line() -> None:
    data = b'\xef\xbb\xbf{"a":1}\r\n\n  {"b":NaN,"c":"\x01"} \n{"d":2}'
    assert read(data) == ([(1, 3, b'{"a":1}'), (3, 15, b'{"b":NaN,"c":"\x01"}'), (4, 34, b'{"d":2}')], [])


@pytest.mark.parametrize("text", [b'[{"a":1},{"b":2}]', b'\n[\n{"a":1}\n,{"b":2}]\n'])
def test_the_elements_of_an_array(text: bytes) -> None:
    found, problems = read(text)
    assert [data for *_, data in found] == [b'{"a":1}', b'{"b":2}']
    assert [line for line, *_ in found] == [1 + text[: text.index(b"{")].count(b"\n"), 1 + text[:-10].count(b"\n")]
    assert problems == []


def test_one_document() -> None:
    document = b'{\n "a": [1,\n2]\n}'
    assert read(document + b"\n") == ([(1, 0, document)], [])


def test_what_is_no_object_is_reported() -> None:
    found, problems = read(b'{"a":1}\nnoise\n{"b":1}{"c":2}\n{"d":')
    assert [data for *_, data in found] == [b'{"a":1}', b'{"b":1}', b'{"c":2}']
    assert problems == [("malformed", 2), ("missing_newline", 3), ("truncated_tail", 4)]
