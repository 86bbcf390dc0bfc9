"""Structured content against an output schema: what is wrong is said, nothing is fetched, nothing takes forever."""

from __future__ import annotations

import json

import pytest

from blockview.core.outputs import violation

SCHEMA = '{"type":"object","properties":{"a/b":{"type":"string"},"n":{"type":"integer"}},"required":["n"]}'


def forking(levels: int) -> str:
    """A schema whose references double the work at each level."""
    shelves = {f"s{level}": {"allOf": [{"$ref": f"#/$defs/s{level + 1}"}] * 2} for level in range(levels)}
    return json.dumps({"$ref": "#/$defs/s0", "$defs": {**shelves, f"s{levels}": {"type": "object"}}})


TREE = '{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"x":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]}}}}}'


def nested(depth: int) -> str:
    return '{"x":' * depth + "5" + "}" * depth


@pytest.mark.parametrize(
    ("schema", "structured", "told"),
    [
        (SCHEMA, '{"n":1}', ""),
        (SCHEMA, '{"n":123456789012345678901234567890}', ""),
        (SCHEMA, '{"n":1,"a/b":5}', 'violates the output schema at /a~1b: 5 is not of type "string"'),
        (SCHEMA, "{}", 'violates the output schema at its root: "n" is a required property'),
        (SCHEMA, None, "the result has no structured content"),
        (SCHEMA, '{"n":', "the structured content cannot be checked against the output schema"),
        ("true", "{}", ""),
        ("[]", "{}", "the output schema cannot be used: it is not an object"),
        ('{"type":"strnig"}', "{}", "the output schema cannot be used"),
        ('{"$ref":"http://127.0.0.1:1/x"}', "{}", "the output schema cannot be used"),
        ('{"$ref":"#"}', "{}", ""),
        ('{"$ref":"#/nowhere"}', "{}", "the output schema cannot be used"),
        (forking(10), "{}", ""),
        (forking(60), "{}", "the output schema cannot be used: it is too large"),
        (TREE, nested(5), ""),
        (TREE, nested(60), "the schema is too intricate for this value"),
        (SCHEMA, '{"n":"' + "x" * (9 << 20) + '"}', "the structured content is too long"),
        ("[" * 5000 + "]" * 5000, "{}", "the output schema cannot be used"),
    ],
    ids=range(18),
)
def test_what_is_told(schema: str, structured: str | None, told: str) -> None:
    said = violation(schema, structured)
    assert told in said
    assert bool(said) is bool(told)
