"""What a recorder that stores every number as a float leaves in doubt."""

from __future__ import annotations

import pytest

from blockview.core.coercion import Depth
from blockview.core.model import Place, Provenance, ToolCall
from blockview.core.prepare import STORED_AS_FLOAT, Found, Note, prepare

SCHEMA = {
    "properties": {
        "line": {"type": "integer"},
        "ratio": {"type": "number"},
        "deep": {"properties": {"n": {"type": "integer"}}},
    }
}
ARGUMENTS = '{"line":5.0,"ratio":2.0,"half":0.5,"text":"3.0","in":[{"n":1e3}],"deep":{"n":4.0}}'


def call(provenance: Provenance) -> ToolCall:
    return ToolCall("1", "t", "t", ARGUMENTS, Place(1, 0), provenance=provenance)


@pytest.mark.parametrize(
    ("depth", "paths"),
    [
        (Depth.TOP, ["/ratio", "/in/0/n"]),
        (Depth.DEEP, ["/ratio", "/in/0/n"]),
        (Depth.OFF, ["/line", "/ratio", "/in/0/n", "/deep/n"]),
    ],
)
def test_whole_floats_that_stay_carry_a_note(depth: Depth, paths: list[str]) -> None:
    prepared = prepare(call(Provenance.BEFORE_COERCION), lambda _: Found(SCHEMA, "file"), depth)
    assert prepared.notes == tuple(Note(path, STORED_AS_FLOAT) for path in paths)


@pytest.mark.parametrize("provenance", [Provenance.WIRE, Provenance.HOST, Provenance.MODEL])
def test_other_recorders_wrote_what_they_had(provenance: Provenance) -> None:
    assert prepare(call(provenance), lambda _: Found(SCHEMA, "file")).notes == ()


def test_a_long_list_says_it_often_enough() -> None:
    many = ToolCall("1", "t", "t", '{"l":[' + ",".join(["1.0"] * 500) + "]}", Place(1, 0))
    many = ToolCall("1", "t", "t", many.arguments, Place(1, 0), provenance=Provenance.BEFORE_COERCION)
    assert len(prepare(many).notes) == 100
