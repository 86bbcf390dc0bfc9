"""What a server that goes by its schema would say against a call."""

from __future__ import annotations

from typing import Any

import pytest

from blockview.core.coercion import Depth
from blockview.core.model import Place, ToolCall
from blockview.core.prepare import Found, Missing, prepare
from blockview.core.schemacheck import CannotCheck, Checkers
from blockview.core.validation import MOST, schema_errors

LINE = {"type": "object", "properties": {"line": {"type": "integer"}}}


def errors(arguments: str | None, schema: dict[str, Any], depth: Depth = Depth.TOP) -> tuple[str, ...]:
    found = Found(schema, "a list")
    return schema_errors(prepare(ToolCall("1", "t", "t", arguments, Place(1, 0)), lambda _: found, depth), found)


@pytest.mark.parametrize(
    ("arguments", "schema", "told"),
    [
        ('{"line":5}', LINE, ()),
        ('{"line":5.0}', LINE, ()),  # sent as 5
        ('{"line":5.5}', LINE, ('/line: 5.5 is not of type "integer"',)),
        ("{}", {**LINE, "required": ["line"]}, ('arguments: "line" is a required property',)),
        (None, {**LINE, "required": ["line"]}, ('arguments: "line" is a required property',)),
        (
            '{"line":9007199254740993}',
            {"properties": {"line": {"maximum": 9007199254740992}}},
            ("/line: 9007199254740993 is greater than the maximum of 9007199254740992",),
        ),
        ('{"a/b":{"~":[1,"x"]}}', {"additionalProperties": {"properties": {"~": {"items": {"type": "integer"}}}}},
         ('/a~1b/~0/1: "x" is not of type "integer"',)),
        ('{"a":NaN}', {"properties": {"a": {"type": "number"}}}, ('/a: null is not of type "number"',)),
    ],
)  # fmt: skip
def test_violations_name_their_place(arguments: str | None, schema: dict[str, Any], told: tuple[str, ...]) -> None:
    assert errors(arguments, schema) == told


def test_a_float_that_is_sent_for_an_integer_is_told_although_json_schema_takes_it() -> None:
    (told,) = errors('{"line":5.0}', LINE, Depth.OFF)
    assert told == "/line: a float where the schema says integer; strict servers refuse it"


def test_an_argument_under_another_name_is_told_with_the_names_that_are_free() -> None:
    assert errors('{"name":"x"}', {"type": "object", "properties": {"arg0": {"type": "string"}}}) == (
        "/name: the schema does not name it",
        "named by the schema and not given: arg0",
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strnig"},
        {"$ref": "http://127.0.0.1:1/schema.json"},
        {"$schema": "http://127.0.0.1:1/meta"},
        {"properties": {"a": {"pattern": "("}}},
        {"$ref": "#/nowhere"},
    ],
)
def test_a_schema_that_cannot_be_used_is_one_line(schema: dict[str, Any]) -> None:
    (told,) = errors('{"a":"b"}', schema)
    assert told.startswith("the input schema cannot be used: ") and "\n" not in told


def test_many_violations_and_long_values_stay_readable() -> None:
    told = errors(
        '{"a":[' + ",".join(['"' + "x" * 5000 + '"'] * 500) + "]}", {"properties": {"a": {"items": {"type": "null"}}}}
    )
    assert len(told) == MOST + 1
    assert told[-1] == f"and more than {MOST} in all"
    assert max(map(len, told)) < 400


def test_a_schema_that_would_take_forever_is_not_begun() -> None:
    branch = {"$ref": "#/$defs/n"}
    tree = {"$defs": {"n": {"anyOf": [{"properties": {"x": branch}}, {"properties": {"x": branch}}]}}, **branch}
    deep = '{"x":' * 60 + "{}" + "}" * 60
    assert errors(deep, tree) == ("the input schema cannot be used: the schema is too intricate for this value",)


def test_without_a_schema_or_without_a_wire_text_there_is_nothing_to_say() -> None:
    call = ToolCall("1", "t", "t", "[1]", Place(1, 0))
    assert schema_errors(prepare(call), Missing("none")) == ()
    assert schema_errors(prepare(call), Found({"type": "null"}, "x")) == ()


def test_the_checkers_of_the_last_schemas_are_kept() -> None:
    checkers = Checkers()
    schemas: list[dict[str, Any]] = [{"maximum": number} for number in range(20)]
    first = checkers.of(schemas[0])
    assert checkers.of(schemas[0]) is first
    assert checkers.of(dict(schemas[0])) is not first  # equal is not enough: 1 == True
    last = [checkers.of(schema) for schema in schemas][-1]
    assert checkers.of(schemas[-1]) is last
    assert checkers.of(schemas[0]) is not first  # there are few
    assert [len(checkers.of(schema).violations(10, 1)) for schema in schemas] == [1] * 10 + [0] * 10


def test_why_there_is_no_checker_is_kept_as_well() -> None:
    checkers, schema = Checkers(), {"type": 5}
    for _ in range(2):
        with pytest.raises(CannotCheck, match="5 is not valid"):
            checkers.of(schema)


def test_a_kept_checker_says_what_a_new_one_says() -> None:
    checkers = Checkers()
    for arguments in ('{"line":"x"}', '{"line":5}', '{"line":"x"}'):
        found = Found(LINE, "a list")
        prepared = prepare(ToolCall("1", "t", "t", arguments, Place(1, 0)), lambda _, found=found: found)
        assert schema_errors(prepared, found, checkers.of) == errors(arguments, LINE)
