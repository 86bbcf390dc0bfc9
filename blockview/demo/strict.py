"""What a server says that takes its arguments literally: `5.0` is not an integer, however whole it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blockview.core.jsontext import Kind, Tree, exact_int, parse

_TYPES = {
    Kind.OBJECT: "object",
    Kind.ARRAY: "array",
    Kind.STRING: "string",
    Kind.INTEGER: "integer",
    Kind.FLOAT: "number",
    Kind.TRUE: "boolean",
    Kind.FALSE: "boolean",
    Kind.NULL: "null",
}
_INT64 = range(-(2**63), 2**63)

Schema = Mapping[str, Any]


def refusal(schema: Schema, arguments: str) -> str | None:
    """Why `arguments` are refused, in the words of servers that use kotlinx.serialization; None if they are not.

    Decides on the literals of the text: `5.0`, `5e0` and an integer beyond 64 bits are no `integer`. Of the schema it
    knows what the demo's tools use: `type`, `properties`, `required`, `items` and a `$ref` into the schema itself.

    Raises:
        JsonError: the text is not JSON.
    """
    return next(_refusals(schema, schema, parse(arguments, lax=True), 0, "$"), None)


def _refusals(root: Schema, schema: Schema, tree: Tree, number: int, path: str) -> Iterator[str]:
    """What is wrong with a value and with all that is in it, in the order of the text."""
    schema = _resolved(root, schema)
    wanted = schema.get("type", [])
    names = [wanted] if isinstance(wanted, str) else wanted
    kind, literal = tree.nodes[number].kind, tree.literal(number)
    if names and not _fits(kind, literal, names):
        if "integer" in names and kind not in (Kind.OBJECT, Kind.ARRAY):
            yield f"Failed to parse literal '{literal}' as an int value at element: {path}"
        else:
            yield f"Expected {' or '.join(names)}, got {literal} at element: {path}"
        return
    if kind is Kind.OBJECT:
        properties = schema.get("properties", {})
        for child in tree.children(number):
            key = tree.nodes[child].key or ""
            yield from _refusals(root, properties.get(key, {}), tree, child, f"{path}.{key}")
        present = {tree.nodes[child].key for child in tree.children(number)}
        for key in schema.get("required", []):
            if key not in present:
                yield f"Field '{key}' is required, but it was missing at element: {path}"
    if kind is Kind.ARRAY:
        for child in tree.children(number):
            yield from _refusals(root, schema.get("items", {}), tree, child, f"{path}[{tree.nodes[child].order}]")


def _fits(kind: Kind, literal: str, names: list[str]) -> bool:
    if kind is Kind.INTEGER:
        return "number" in names or ("integer" in names and exact_int(literal) in _INT64)
    return _TYPES.get(kind) in names


def _resolved(root: Schema, schema: Schema) -> Schema:
    """The schema that a `$ref` such as `#/$defs/Notify` points to, or the schema itself."""
    if "$ref" not in schema:
        return schema
    found: Any = root
    for part in schema["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return found  # type: ignore[no-any-return]
