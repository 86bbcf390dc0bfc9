"""The coercion rules of DESIGN.md section 3, row by row, and what must hold for any arguments and schema."""

from __future__ import annotations

import copy
import math

import pytest
from hypothesis import given

from blockview.core.coercion import OUT_OF_RANGE, ROUNDED, Depth, coerce
from blockview.core.jsontext import wire_text
from tests.core.strategies import ARGUMENTS, SCHEMAS

INTEGER = {"type": "integer"}


def sent(value: object, schema: object, depth: Depth = Depth.TOP) -> str:
    """The wire's text of argument `x` under the given property schema."""
    text = wire_text(coerce({"x": value}, {"type": "object", "properties": {"x": schema}}, depth).arguments)
    return text.removeprefix('{"x":').removesuffix("}")


@pytest.mark.parametrize(
    ("value", "schema", "wire"),
    [
        (5.0, INTEGER, "5"),
        (-42.0, INTEGER, "-42"),
        (1e3, INTEGER, "1000"),
        (-0.0, INTEGER, "0"),
        (5.5, INTEGER, "5.5"),
        (1.0, {"type": "number"}, "1.0"),
        (5, INTEGER, "5"),
        (True, INTEGER, "true"),
        ("5", INTEGER, '"5"'),
        (None, INTEGER, "null"),
        ({"a": 1.0}, INTEGER, '{"a":1.0}'),
        ([1.0], INTEGER, "[1.0]"),
        (9007199254740992.0, INTEGER, "9007199254740992"),
        (1e18, INTEGER, "1000000000000000000"),
        (1e20, INTEGER, "1e+20"),
        (2.0**63, INTEGER, "9.223372036854776e+18"),
        (-(2.0**63), INTEGER, "-9223372036854775808"),
        (5.0, {"type": ["integer", "null"]}, "5"),
        (5.0, {"type": ["string", "integer"]}, "5"),
        (5.0, {"type": ["integer", "number"]}, "5.0"),
        (5.0, {}, "5.0"),
        (5.0, True, "5.0"),
        (5.0, {"type": 7}, "5.0"),
        (5.0, {"enum": [5]}, "5.0"),
        (5.0, {"const": 5}, "5.0"),
        (5.0, {"anyOf": [INTEGER]}, "5.0"),
        (5.0, {"oneOf": [INTEGER]}, "5.0"),
        (5.0, {"allOf": [INTEGER]}, "5.0"),
        ([5.0], {"type": "array", "items": INTEGER}, "[5.0]"),
        ({"n": 5.0}, {"type": "object", "properties": {"n": INTEGER}}, '{"n":5.0}'),
        (math.nan, INTEGER, "null"),
        (math.inf, INTEGER, "null"),
    ],
)
def test_top(value: object, schema: object, wire: str) -> None:
    assert sent(value, schema) == wire


@pytest.mark.parametrize("schema", [{}, {"properties": 5}, {"properties": {"y": INTEGER}}, {"type": "object"}])
def test_nothing_declared_nothing_changed(schema: dict[str, object]) -> None:
    arguments: dict[str, object] = {"x": 5.0}
    assert coerce(arguments, schema) == (arguments, frozenset(), (), ())


def test_ref_behind_a_property_is_not_top() -> None:
    schema = {"$defs": {"n": INTEGER}, "properties": {"x": {"$ref": "#/$defs/n"}}}
    found = coerce({"x": 5.0}, schema)
    assert found.arguments == {"x": 5.0}
    assert isinstance(found.arguments["x"], float)
    assert found.deep_would_change == ("/x",)


def test_notes() -> None:
    schema: dict[str, object] = {"properties": {"a": INTEGER, "b": INTEGER, "c": INTEGER}}
    found = coerce({"a": 2.0**53, "b": 1e20, "c": 2.0**53 - 1}, schema)
    assert found.notes == (("/a", ROUNDED), ("/b", OUT_OF_RANGE))
    assert found.changed == {"/a", "/c"}


NUMBER = {"type": "number"}
STRING = {"type": "string"}


@pytest.mark.parametrize(
    ("value", "schema", "wire"),
    [
        ({"n": 5.0, "m": 5.0}, {"properties": {"n": INTEGER}}, '{"n":5,"m":5.0}'),
        ({"n": 5.0, "ab": 6.0}, {"properties": {"n": NUMBER}, "additionalProperties": INTEGER}, '{"n":5.0,"ab":6}'),
        ({"ab": 5.0, "cd": 6.0}, {"patternProperties": {"^a": INTEGER}}, '{"ab":5,"cd":6.0}'),
        (
            {"ab": 5.0, "cd": 6.0},
            {"patternProperties": {"^a": NUMBER}, "additionalProperties": INTEGER},
            '{"ab":5.0,"cd":6}',
        ),
        ([1.0, 2.5, True], {"items": INTEGER}, "[1,2.5,true]"),
        ([1.0, "hi", 3.0], {"prefixItems": [INTEGER, STRING], "items": INTEGER}, '[1,"hi",3]'),
        ([1.0, 2.0], {"prefixItems": [INTEGER]}, "[1,2.0]"),
        ([1.0, 2.0], {"items": [INTEGER], "additionalItems": NUMBER}, "[1,2.0]"),
        (5.0, {"anyOf": [INTEGER, {"type": "null"}]}, "5"),
        (5.0, {"oneOf": [INTEGER, STRING]}, "5"),
        (5.0, {"anyOf": [INTEGER, NUMBER]}, "5.0"),
        (5.0, {"anyOf": [INTEGER, {"type": "number", "minimum": 10}]}, "5"),
        (5.0, {"allOf": [NUMBER, INTEGER]}, "5"),
        (50.0, {"anyOf": [{"type": "integer", "maximum": 10}, {"type": "null"}]}, "50"),
        (6.0, {"if": NUMBER, "then": INTEGER}, "6"),
        (6.0, {"if": STRING, "then": NUMBER, "else": INTEGER}, "6"),
        ({"a": 1, "b": 2.0}, {"dependentSchemas": {"a": {"properties": {"b": INTEGER}}}}, '{"a":1,"b":2}'),
        ({"b": 2.0}, {"dependentSchemas": {"a": {"properties": {"b": INTEGER}}}}, '{"b":2.0}'),
        (5.0, {"not": INTEGER}, "5.0"),
        (1.0, {"enum": [1, 2]}, "1.0"),
        (1.0, {"const": 1}, "1.0"),
        (5.0, {"$ref": "http://localhost:9/schema.json"}, "5.0"),
        (5.0, {"$ref": "#/nowhere"}, "5.0"),
    ],
)
def test_deep(value: object, schema: object, wire: str) -> None:
    assert sent(value, schema, Depth.DEEP) == wire
    assert sent(value, schema, Depth.OFF) == wire_text(value)


def test_the_branch_that_fits_decides() -> None:
    """A discriminated union: the value of a ratio is a number, the value of a count an integer."""

    def kind(name: str, value: object) -> object:
        return {"properties": {"kind": {"const": name}, "value": value}, "required": ["kind"]}

    schema = {"oneOf": [kind("ratio", NUMBER), kind("count", INTEGER)]}
    assert sent({"kind": "ratio", "value": 2.0}, schema, Depth.DEEP) == '{"kind":"ratio","value":2.0}'
    assert sent({"kind": "count", "value": 2.0}, schema, Depth.DEEP) == '{"kind":"count","value":2}'
    assert sent({"kind": "other", "value": 2.0}, schema, Depth.DEEP) == '{"kind":"other","value":2.0}'


def test_local_references() -> None:
    schema = {
        "definitions": {"a/b": {"properties": {"n": {"$ref": "#/$defs/count"}}}},
        "$defs": {
            "count": INTEGER,
            "tree": {"properties": {"v": INTEGER, "kids": {"items": {"$ref": "#/$defs/tree"}}}},
        },
        "properties": {"x": {"$ref": "#/definitions/a~1b"}, "t": {"$ref": "#/$defs/tree"}, "self": {"$ref": "#"}},
    }
    arguments: dict[str, object] = {
        "x": {"n": 5.0},
        "t": {"v": 1.0, "kids": [{"v": 2.0, "kids": []}]},
        "self": {"x": {"n": 7.0}},
    }
    found = coerce(arguments, schema, Depth.DEEP)
    assert wire_text(found.arguments) == '{"x":{"n":5},"t":{"v":1,"kids":[{"v":2,"kids":[]}]},"self":{"x":{"n":7}}}'
    assert found.changed == {"/x/n", "/t/v", "/t/kids/0/v", "/self/x/n"}


def test_cycles_end() -> None:
    schema = {
        "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}},
        "properties": {"x": {"$ref": "#/$defs/a"}},
    }
    assert coerce({"x": 1.0}, schema, Depth.DEEP).changed == frozenset()


def test_hostile_schemas_fall_back_to_top() -> None:
    nested: dict[str, object] = {"type": "integer"}
    for _ in range(10_000):
        nested = {"allOf": [nested]}
    schema: dict[str, object] = {"properties": {"x": nested, "y": INTEGER}}
    found = coerce({"x": 1.0, "y": 2.0}, schema, Depth.DEEP)
    assert found.changed == {"/y"}
    assert found.notes == (("", "deep was not tried: the schema is nested too deeply"),)


def test_schemas_that_branch_without_end_are_walked_once_per_place() -> None:
    definitions: dict[str, object] = {"n60": INTEGER}
    for number in range(60):
        following = {"$ref": f"#/$defs/n{number + 1}"}
        definitions[f"n{number}"] = {"anyOf": [following, following], "allOf": [following, following]}
    schema = {"$defs": definitions, "properties": {"x": {"$ref": "#/$defs/n0"}}}
    assert coerce({"x": 1.0}, schema, Depth.DEEP).changed == {"/x"}


def test_wide_schemas_end() -> None:
    branches = [{"properties": {f"k{number}": INTEGER}} for number in range(2_000)]
    schema: dict[str, object] = {"anyOf": branches}
    arguments: dict[str, object] = {f"k{number}": 1.0 for number in range(2_000)}
    found = coerce(arguments, schema, Depth.DEEP)
    assert found.changed == frozenset()
    assert found.notes == (("", "deep was not tried: the schema has too many branches for this value"),)


def test_a_slow_pattern_is_no_trap() -> None:
    schema = {"patternProperties": {"^(a+)+$": INTEGER}}
    key = "a" * 5_000 + "!"
    assert coerce({key: 1.0}, schema, Depth.DEEP).changed == frozenset()


@pytest.mark.parametrize(
    "odd",
    [
        {"anyOf": [{"required": [[1], {}, 5, None]}]},
        {"properties": {"o": {"$ref": "#/allOf/" + "9" * 5000}}, "allOf": []},
        {"patternProperties": {"\ud800": INTEGER}},
        {"anyOf": [{"pattern": "\ud800", "minLength": "x", "enum": 5, "properties": []}]},
        {"type": {}, "anyOf": [{"type": [[], {}]}], "items": 5, "prefixItems": {}},
    ],
)
def test_schemas_that_are_none_have_no_opinion(odd: dict[str, object]) -> None:
    arguments: dict[str, object] = {"o": {"a": 5.0}, "\ud800": 6.0}
    assert coerce(arguments, odd, Depth.DEEP).changed == frozenset()


@given(ARGUMENTS, SCHEMAS)
def test_the_input_is_never_altered(arguments: dict[str, object], schema: dict[str, object]) -> None:
    before, plan = copy.deepcopy(arguments), copy.deepcopy(schema)
    for depth in Depth:
        coerce(arguments, schema, depth)
    assert repr(arguments) == repr(before)
    assert schema == plan


@given(ARGUMENTS, SCHEMAS)
def test_coercion_is_idempotent_and_keeps_every_value(arguments: dict[str, object], schema: dict[str, object]) -> None:
    for depth in Depth:
        once = coerce(arguments, schema, depth)
        assert once.arguments == arguments
        again = coerce(once.arguments, schema, depth)
        assert wire_text(again.arguments) == wire_text(once.arguments)
        assert again.changed == frozenset()


@given(ARGUMENTS, SCHEMAS)
def test_deep_changes_what_top_changes_and_what_top_announces(
    arguments: dict[str, object], schema: dict[str, object]
) -> None:
    top, deep = coerce(arguments, schema, Depth.TOP), coerce(arguments, schema, Depth.DEEP)
    assert deep.changed == top.changed | set(top.deep_would_change)
    assert all(pointer.count("/") == 1 for pointer in top.changed)
