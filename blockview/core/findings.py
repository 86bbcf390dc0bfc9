"""What there is to find in a session: the places where what was sent, or what came back, asks for a second look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import islice

import msgspec

from blockview.core.coercion import ROUNDED
from blockview.core.model import Diagnostic, Place, Status, ToolCall, ToolResult
from blockview.core.outputs import violation
from blockview.core.prepare import Missing, Prepared, Why
from blockview.core.query import PENDING
from blockview.core.result import is_json
from blockview.core.rounding import rounded_integers
from blockview.core.safetext import one_line
from blockview.core.schemacheck import Checker
from blockview.core.validation import Fault, MakeChecker, violations

MOST = 20
"""Findings of one kind told of one call."""

_LITERAL = 60
_LINE = 300
_LONGEST = 8 << 20
"""Characters of a result that is looked through."""


class Level(StrEnum):
    """How much a finding matters, in the words of SARIF (2.1.0, section 3.27.10)."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Kind(StrEnum):
    """What was found."""

    CHANGED = "changed"
    DEEP = "deep"
    NO_SCHEMA = "no-schema"
    BAD_SCHEMA = "bad-schema"
    REJECTED = "rejected"
    UNNAMED = "unnamed"
    BLOCKED = "blocked"
    ROUNDED = "rounded"
    NOT_JSON = "not-json"
    OUTPUT = "output"
    ERROR = "error"
    PENDING = "pending"
    SLOW = "slow"
    UNREAD = "unread"

    @property
    def level(self) -> Level:
        """How much it matters."""
        return _KINDS[self][0]

    @property
    def help(self) -> str:
        """What it means, in a line."""
        return _KINDS[self][1]


_KINDS = {
    Kind.CHANGED: (Level.WARNING, "an argument is sent in another form than it was recorded in"),
    Kind.DEEP: (Level.NOTE, "depth deep would change an argument"),
    Kind.NO_SCHEMA: (Level.WARNING, "the tool's input schema was not found"),
    Kind.BAD_SCHEMA: (Level.ERROR, "the tool's input schema cannot be used"),
    Kind.REJECTED: (Level.ERROR, "the input schema rejects the arguments as they are sent"),
    Kind.UNNAMED: (Level.NOTE, "the input schema does not name an argument"),
    Kind.BLOCKED: (Level.ERROR, "the arguments cannot be sent"),
    Kind.ROUNDED: (Level.WARNING, "an integer beyond 2^53 may have lost its last digits"),
    Kind.NOT_JSON: (Level.NOTE, "a result's text looks like JSON and is none"),
    Kind.OUTPUT: (Level.WARNING, "the structured content does not keep to the tool's output schema"),
    Kind.ERROR: (Level.NOTE, "the call ended in an error"),
    Kind.PENDING: (Level.NOTE, "the call has no result"),
    Kind.SLOW: (Level.NOTE, "the call took long"),
    Kind.UNREAD: (Level.WARNING, "something of the recording was skipped or guessed"),
}

FAILING = frozenset(kind for kind in Kind if kind.level is not Level.NOTE)
"""The kinds that fail a check when nobody says otherwise."""


class Finding(msgspec.Struct, frozen=True):
    """One thing that was found. `path` is a JSON Pointer (RFC 6901) in the arguments, or in the result's value."""

    kind: Kind
    message: str
    place: Place
    path: str = ""


class Checked(msgspec.Struct, frozen=True):
    """A call of a block, by its number in it (from 0), and what was found."""

    block: int
    number: int
    call: ToolCall
    findings: tuple[Finding, ...]


OutputSchema = Callable[[ToolCall], str | None]
"""The text of the output schema of a call's tool; None when it has none, or when it is not known."""


def call_findings(
    call: ToolCall, prepared: Prepared, output: OutputSchema, slow_ms: float, checker: MakeChecker = Checker
) -> Iterator[Finding]:
    """All that is to be found in one call.

    Args:
        call: The recorded call.
        prepared: The call after the step.
        output: Asked for the tool's output schema.
        slow_ms: Milliseconds from which a call is slow.
        checker: Gives the checker of an input schema.
    """
    yield from _changes(call, prepared)
    yield from _schema(call, prepared, checker)
    yield from _rounded_arguments(call, prepared)
    if call.result is not None:
        yield from _result(call, call.result, output)
    yield from _ending(call, slow_ms)


def diagnostic_finding(found: Diagnostic) -> Finding:
    """What was skipped or guessed while the recording was read."""
    return Finding(Kind.UNREAD, one_line(found.problem, _LINE), found.place)


def _changes(call: ToolCall, prepared: Prepared) -> Iterator[Finding]:
    changed = (change for change in prepared.changes if change.why is not Why.SPELLING)
    for change in islice(changed, MOST):
        before, after = one_line(change.before, _LITERAL), one_line(change.after, _LITERAL)
        if change.why is Why.DUPLICATE:
            message = f"{before} is not sent: a later member has the same name"
        elif change.why is Why.NOT_JSON:
            message = f"{before} is sent as {after}: JSON has no such number"
        else:
            message = f"{before} is sent as {after}: the schema says integer"
        yield Finding(Kind.CHANGED, message, call.place, change.path)
    for path in prepared.deep_would_change[:MOST]:
        yield Finding(Kind.DEEP, "a whole-number float where the schema says integer, further down", call.place, path)


def _schema(call: ToolCall, prepared: Prepared, checker: MakeChecker) -> Iterator[Finding]:
    if prepared.blocked:
        yield Finding(Kind.BLOCKED, one_line(prepared.blocked, _LINE), call.place)
    if not call.mcp:
        return
    if isinstance(prepared.schema, Missing):
        yield Finding(Kind.NO_SCHEMA, one_line(prepared.schema.reason, _LINE), call.place)
    for found in violations(prepared, prepared.schema, checker):
        match found.fault:
            case Fault.SCHEMA:
                kind = Kind.BAD_SCHEMA
            case Fault.NAME:
                kind = Kind.UNNAMED
            case Fault.FLOAT if found.path in prepared.deep_would_change:
                continue  # told as such
            case _:
                kind = Kind.REJECTED
        yield Finding(kind, found.problem, call.place, found.path)


def _rounded_arguments(call: ToolCall, prepared: Prepared) -> Iterator[Finding]:
    for note in prepared.notes:
        if note.text == ROUNDED:
            yield Finding(Kind.ROUNDED, ROUNDED, call.place, note.path)
    for path, literal in islice(rounded_integers(prepared.recorded or ""), MOST):
        yield _rounded(literal, call.place, path)


def _rounded(literal: str, place: Place, path: str) -> Finding:
    return Finding(Kind.ROUNDED, f"{one_line(literal, _LITERAL)} has the digits of a double", place, path)


def _result(call: ToolCall, result: ToolResult, output: OutputSchema) -> Iterator[Finding]:
    place = result.place or call.place
    text = result.text if result.structured is None else result.structured
    if len(text) > _LONGEST:
        yield Finding(Kind.UNREAD, f"the result has {len(text):,} characters and was not looked through", place)
        return
    for path, literal in islice(rounded_integers(text), MOST):
        yield _rounded(literal, place, path)
    if _looks_like_json(text) and not is_json(text):
        yield Finding(
            Kind.NOT_JSON, "the text begins and ends like JSON, and is not JSON: it is passed on as text", place
        )
    schema = output(call)
    if schema is not None and call.status is Status.OK and not result.is_error:
        wrong = violation(schema, result.structured)
        if wrong:
            yield Finding(Kind.OUTPUT, one_line(wrong, _LINE), place)


def _looks_like_json(text: str) -> bool:
    ends = text.strip()
    return (ends[:1], ends[-1:]) in (("{", "}"), ("[", "]"))


def _ending(call: ToolCall, slow_ms: float) -> Iterator[Finding]:
    place = call.result.place if call.result is not None and call.result.place is not None else call.place
    if call.status.failed or (call.result is not None and call.result.is_error):
        said = call.status_note or (call.result.text if call.result is not None else "")
        yield Finding(Kind.ERROR, one_line(f"{call.status.value}: {said}".rstrip(": "), _LINE), place)
    elif call.status in PENDING:
        yield Finding(Kind.PENDING, one_line(f"{call.status.value}: {call.status_note}".rstrip(": "), _LINE), place)
    if call.duration_ms is not None and call.duration_ms >= slow_ms:
        yield Finding(Kind.SLOW, f"it took {call.duration_ms / 1000:,.1f} s", place)
