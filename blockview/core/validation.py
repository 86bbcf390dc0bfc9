"""Would the server accept this? A call's arguments against its tool's input schema (JSON Schema)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from blockview.core.coercion import Depth, coerce
from blockview.core.jsontext import pointer
from blockview.core.prepare import Found, Missing, Prepared
from blockview.core.safetext import one_line
from blockview.core.schemacheck import CannotCheck, Checker

MOST = 20
"""Violations told of one call."""

_WIDEST = 300
"""Characters of a list of names."""


def schema_errors(
    prepared: Prepared, schema: Found | Missing, checker: Callable[[object], Checker] = Checker
) -> tuple[str, ...]:
    """What a server that goes by its schema would say against the arguments as they would be sent.

    Each line names the place by its JSON Pointer (RFC 6901). Nothing is fetched: a remote `$ref` is an error. No
    arguments count as an empty object. Empty when the schema has nothing against them, or when there is none.

    Args:
        prepared: The arguments.
        schema: The tool's input schema.
        checker: Gives the checker of a schema; `Checkers.of` keeps it for the next call.
    """
    if isinstance(schema, Missing) or prepared.blocked:
        return ()
    arguments = prepared.arguments or {}
    return (
        *_violations(schema.schema, arguments, checker),
        *_whole_floats(schema.schema, arguments),
        *_strangers(schema.schema, arguments),
    )


def _violations(
    schema: Mapping[str, object], arguments: dict[str, object], checker: Callable[[object], Checker]
) -> Iterator[str]:
    try:
        found = checker(schema).violations(arguments, MOST + 1)
    except CannotCheck as error:
        yield f"the input schema cannot be used: {error}"
        return
    yield from (f"{path or 'arguments'}: {problem}" for path, problem in found[:MOST])
    if len(found) > MOST:
        yield f"and more than {MOST} in all"


def _whole_floats(schema: Mapping[str, object], arguments: dict[str, object]) -> Iterator[str]:
    """Floats that JSON Schema takes for integers (draft 6 and later), and that many servers do not."""
    for path in sorted(coerce(arguments, schema, Depth.DEEP).changed)[:MOST]:
        yield f"{path}: a float where the schema says integer; strict servers refuse it"


def _strangers(schema: Mapping[str, object], arguments: dict[str, object]) -> Iterator[str]:
    """Arguments that the schema does not name: allowed by JSON Schema, and most often a misspelling."""
    declared = schema.get("properties")
    open_ended = {"additionalProperties", "patternProperties", "$ref", "anyOf", "oneOf", "allOf"}
    if not isinstance(declared, dict) or not open_ended.isdisjoint(schema):
        return
    strange = [name for name in arguments if name not in declared]
    if not strange:
        return
    yield from (f"{pointer((name,))}: the schema does not name it" for name in strange[:MOST])
    required = schema.get("required")
    named = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    absent = [name for name in declared if name not in arguments and name not in named]
    if absent:
        yield f"named by the schema and not given: {one_line(', '.join(absent[:MOST]), _WIDEST)}"
