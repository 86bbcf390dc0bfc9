"""JSON documents taken apart where they stand, also when they are cut off or hold what is not JSON."""

from __future__ import annotations

import json

import pytest

from blockview.core.model import Diagnostic, Place
from blockview.readers.document import document, elements, is_whole, member, members
from blockview.readers.records import Record
from blockview.readers.source import Source


def whole(data: bytes) -> tuple[Record, list[Diagnostic]]:
    problems: list[Diagnostic] = []
    return document(Source.of_bytes("x", data), problems.append), problems


def test_members_and_elements_stand_where_the_file_has_them() -> None:
    data = b'\xef\xbb\xbf\n{ "a" : 1.50,\n "list": [ {"b":"]}"},\n\n [1,2] , "x\\"" ], "a": null }\n'
    record, problems = whole(data)
    assert problems == []
    assert (record.place.line, record.place.byte) == (2, 4)
    assert next((name, value.data) for name, value in members(record)) == ("a", b"1.50")
    found = member(record, "list")
    assert found is not None
    assert [(one.place.line, one.data) for one in elements(found)] == [
        (3, b'{"b":"]}"}'),
        (5, b"[1,2]"),
        (5, b'"x\\""'),
    ]
    assert all(data[one.place.byte :].startswith(one.data) for one in elements(found))
    last = member(record, "a")
    assert last is not None
    assert last.data == b"null"


@pytest.mark.parametrize("data", [b'{"a":[1,{"b":"c', b'{"a":[1,{"b":', b'{"a":[1,{"b"', b'{"a":[1,{"', b'{"a":[1,{'])
def test_what_stands_before_a_cut_is_there(data: bytes) -> None:
    record, problems = whole(data)
    assert [(problem.place, problem.kind) for problem in problems] == [(Place(1, 0, len(data)), "truncated_tail")]
    found = member(record, "a")
    assert found is not None
    first, rest = elements(found)
    assert (first.data, is_whole(first)) == (b"1", True)
    assert (rest.data, is_whole(rest)) == (data[8:], False)


def test_what_follows_the_document_is_reported() -> None:
    record, problems = whole(b'{"a":1}\n\n{"a":2}')
    assert record.data == b'{"a":1}'
    assert [(problem.place.byte, problem.problem) for problem in problems] == [(7, "something follows the document")]


def test_depth_has_no_limit() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    record, problems = whole(b"[" + deep + b",7]")
    assert problems == []
    assert [one.data for one in elements(record)] == [deep, b"7"]


@pytest.mark.parametrize(
    "data", [b"", b" ", b"7", b'"x', b"]", b"{", b"[", b"{]", b"[}", b'{"a"}', b"{:}", b"{1:2}", b"[,,]", b"\0"]
)
def test_strange_documents_are_no_danger(data: bytes) -> None:
    record, _ = whole(data)
    assert len(list(elements(record))) <= 1
    assert len(list(members(record))) <= 1


def test_any_json_is_taken_apart_as_a_parser_does() -> None:
    value = {"a": [[], {}, [[1]], "\\", '"', '{"', "é", None, True, -1.5e-3], "b": {"c": {"d": "]"}}, "": "e"}
    for text in (json.dumps(value), json.dumps(value, indent=2), json.dumps(value, ensure_ascii=False)):
        record, problems = whole(text.encode())
        assert problems == []
        assert {name: json.loads(one.data) for name, one in members(record)} == value
        listed = member(record, "a")
        assert listed is not None
        assert [json.loads(one.data) for one in elements(listed)] == value["a"]


@pytest.mark.parametrize(
    "text", ["\\", "\\\\", '\\"', '"', 'x"]', "\\" * 501, 'a\\"' * 300, "y" * 5000, "é" * 100 + '"']
)
def test_strings_end_where_they_end(text: str) -> None:
    data = json.dumps([text, {text: text}, 1], ensure_ascii=False).encode()
    record, problems = whole(data)
    assert problems == []
    first, second, last = elements(record)
    assert (json.loads(first.data), last.data) == (text, b"1")
    assert [(name, json.loads(one.data)) for name, one in members(second)] == [(text, text)]
    assert not is_whole(Record(Place(1, 0), data[:-2]))
