"""Hypothesis strategies for JSON: values, texts in odd spellings, and input schemas."""

from __future__ import annotations

import json

from hypothesis import strategies as st

WHOLE_FLOATS = st.one_of(
    st.integers(-100, 100).map(float),
    st.sampled_from([1e3, -0.0, 9007199254740992.0, 1e15, 1e16, 9.2e18, 9.3e18, 1e20, 1e300]),
)
FLOATS = st.one_of(WHOLE_FLOATS, st.floats(allow_nan=False, allow_infinity=False))
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
SCALARS = st.one_of(FLOATS, st.integers(), st.integers(10**15, 10**30), st.booleans(), st.none(), TEXT)
NAMES = st.sampled_from(["a", "b", "c", "line", "", "x/y", "m~n", "é", '"q"'])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=5)

_TYPES = st.sampled_from(
    ["integer", "number", "string", "object", "array", ["integer", "null"], ["integer", "number"], None]
)


def _schema(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    members = {
        "type": _TYPES,
        "properties": st.dictionaries(NAMES, inner, max_size=4),
        "additionalProperties": st.one_of(st.booleans(), inner),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "e$", "(?=x)"]), inner, max_size=2),
        "items": st.one_of(inner, st.lists(inner, max_size=3)),
        "prefixItems": st.lists(inner, max_size=3),
        "anyOf": st.lists(inner, max_size=3),
        "oneOf": st.lists(inner, max_size=3),
        "allOf": st.lists(inner, max_size=2),
        "if": inner,
        "then": inner,
        "else": inner,
        "not": inner,
        "$ref": st.sampled_from(["#", "#/properties/a", "#/$defs/n", "http://localhost:9/x", "#/broken", 7]),
        "dependentSchemas": st.dictionaries(NAMES, inner, max_size=2),
        "const": SCALARS,
        "enum": st.lists(SCALARS, max_size=3),
        "required": st.lists(NAMES, max_size=2),
    }
    return st.fixed_dictionaries({}, optional=members)


SCHEMAS = st.recursive(
    st.one_of(st.booleans(), st.none(), st.fixed_dictionaries({"type": _TYPES})), _schema, max_leaves=10
).filter(lambda schema: isinstance(schema, dict))


@st.composite
def json_texts(draw: st.DrawFn, values: st.SearchStrategy[object] = VALUES) -> str:
    """A JSON text of a drawn value, with white space and escapes that vary."""
    value = draw(values)
    ascii_only = draw(st.booleans())
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", "\t: ")]))
    return json.dumps(value, ensure_ascii=ascii_only, separators=separators)
