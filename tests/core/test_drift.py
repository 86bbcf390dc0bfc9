"""What is different in a tool's schema since it was recorded."""

from __future__ import annotations

import pytest

from blockview.core.drift import schema_drift
from blockview.core.prepare import Found, Missing

BEFORE = Found({"properties": {"line": {"type": "integer"}, "old": {}}, "required": ["line"]}, "tools/list, line 3")


def test_each_difference_is_a_line_with_its_place() -> None:
    live = Found({"properties": {"line": {"type": "number"}, "new": True}, "required": ["line"]}, "live")
    assert schema_drift(BEFORE, live) == (
        '/properties/line/type: was "integer", is "number"',
        "/properties/new: new: true",
        "/properties/old: gone, was {}",
    )


def test_the_same_schema_in_another_order_has_not_drifted() -> None:
    live = Found({"required": ["line"], "properties": {"old": {}, "line": {"type": "integer"}}}, "live")
    assert schema_drift(BEFORE, live) == ()


def test_a_schema_that_vanished_is_told_and_one_that_was_never_known_is_not() -> None:
    (told,) = schema_drift(BEFORE, Missing("the live list does not have t"))
    assert told == "the schema was known (tools/list, line 3) and is gone: the live list does not have t"
    assert schema_drift(Missing("no list"), BEFORE) == ()


@pytest.mark.parametrize("long", ["x" * 300_000, 10**5000], ids=["text", "digits"])
def test_large_schemas_are_compared_as_a_whole(long: object) -> None:
    filler = {"description": "y" * 300_000, "default": long}
    before = Found({"title": "a", **filler}, "list")
    assert schema_drift(before, Found({"title": "a", **filler}, "live")) == ()
    assert schema_drift(before, Found({"title": "b", **filler}, "live")) == (
        "it differs, and is too large to compare in detail",
    )


def test_a_large_schema_in_another_order_has_not_drifted() -> None:
    filler = {"description": "y" * 300_000}
    assert schema_drift(Found({**filler, "title": "a"}, "list"), Found({"title": "a", **filler}, "live")) == ()


def test_a_long_name_is_cut_in_its_place() -> None:
    (line,) = schema_drift(Found({}, "list"), Found({"a" * 10_000: 1}, "live"))
    assert len(line) < 200 and line.startswith("/aaa")


def test_many_differences_are_cut_off_with_their_number() -> None:
    live = Found({"properties": {f"p{number}": {} for number in range(50)}}, "live")
    lines = schema_drift(Found({"properties": {}}, "list"), live)
    assert len(lines) == 21 and lines[-1] == "and 30 more"


def test_a_schema_without_a_wire_text_is_told() -> None:
    (line,) = schema_drift(BEFORE, Found({"title": "\ud800"}, "live"))
    assert line.startswith("the schemas cannot be compared: ")
