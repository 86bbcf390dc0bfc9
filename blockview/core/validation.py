"""Would the server accept this? A call's arguments against its tool's input schema (JSON Schema)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from blockview.core.coercion import Depth, coerce
from blockview.core.jsontext import pointer
from blockview.core.prepare import Found, Missing, Prepared
from blockview.core.safetext import one_line
from blockview.core.schemacheck import CannotCheck, Checker

MOST = 20
"""Violations told of one call."""

_WIDEST = 300
"""Characters of a list of names."""


class Fault(Enum):
    """What kind of fault it is."""

    SCHEMA = "the schema cannot be used"
    VALUE = "the schema forbids the value"
    FLOAT = "strict servers forbid the value"
    NAME = "the schema does not name the argument"


class Violation(NamedTuple):
    """One thing that a server might say against the arguments, and where (JSON Pointer, RFC 6901; empty: in all)."""

    fault: Fault
    path: str
    problem: str


MakeChecker = Callable[[object], Checker]
"""Gives the checker of a schema; `Checkers.of` keeps it for the next call."""


def schema_errors(prepared: Prepared, schema: Found | Missing, checker: MakeChecker = Checker) -> tuple[str, ...]:
    """What `violations` finds, as lines that name the place."""
    return tuple(_line(found) for found in violations(prepared, schema, checker))


def violations(prepared: Prepared, schema: Found | Missing, checker: MakeChecker = Checker) -> Iterator[Violation]:
    """What a server that goes by its schema would say against the arguments as they would be sent.

    Nothing is fetched: a remote `$ref` is an error. No arguments count as an empty object. Nothing is found when the
    schema has nothing against them, or when there is none.

    Args:
        prepared: The arguments.
        schema: The tool's input schema.
        checker: Gives the checker of the schema.
    """
    if isinstance(schema, Missing) or prepared.blocked:
        return
    arguments = prepared.arguments or {}
    yield from _forbidden(schema.schema, arguments, checker)
    yield from _whole_floats(schema.schema, arguments)
    yield from _strangers(schema.schema, arguments)


def _line(found: Violation) -> str:
    match found.fault:
        case Fault.SCHEMA:
            return f"the input schema cannot be used: {found.problem}"
        case Fault.VALUE if not found.path:
            return found.problem if found.problem.startswith("and ") else f"arguments: {found.problem}"
        case _:
            return f"{found.path}: {found.problem}" if found.path else found.problem


def _forbidden(schema: Mapping[str, object], arguments: dict[str, object], checker: MakeChecker) -> Iterator[Violation]:
    try:
        found = checker(schema).violations(arguments, MOST + 1)
    except CannotCheck as error:
        yield Violation(Fault.SCHEMA, "", str(error))
        return
    yield from (Violation(Fault.VALUE, path, problem) for path, problem in found[:MOST])
    if len(found) > MOST:
        yield Violation(Fault.VALUE, "", f"and more than {MOST} in all")


def _whole_floats(schema: Mapping[str, object], arguments: dict[str, object]) -> Iterator[Violation]:
    """Floats that JSON Schema takes for integers (draft 6 and later), and that many servers do not."""
    for path in sorted(coerce(arguments, schema, Depth.DEEP).changed)[:MOST]:
        yield Violation(Fault.FLOAT, path, "a float where the schema says integer; strict servers refuse it")


def _strangers(schema: Mapping[str, object], arguments: dict[str, object]) -> Iterator[Violation]:
    """Arguments that the schema does not name: allowed by JSON Schema, and most often a misspelling."""
    declared = schema.get("properties")
    open_ended = {"additionalProperties", "patternProperties", "$ref", "anyOf", "oneOf", "allOf"}
    if not isinstance(declared, dict) or not open_ended.isdisjoint(schema):
        return
    strange = [name for name in arguments if name not in declared]
    if not strange:
        return
    yield from (Violation(Fault.NAME, pointer((name,)), "the schema does not name it") for name in strange[:MOST])
    required = schema.get("required")
    named = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    absent = [name for name in declared if name not in arguments and name not in named]
    if absent:
        given = one_line(", ".join(absent[:MOST]), _WIDEST)
        yield Violation(Fault.NAME, "", f"named by the schema and not given: {given}")
