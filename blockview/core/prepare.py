"""The one step shared by display and dispatch: recorded arguments → dispatched arguments.

`prepare` is the only place where arguments change. The display path and the dispatch path both call it, each with its
own lookup, so what a reader sees is what the server gets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import islice

import msgspec

from blockview.core.coercion import Coerced, Depth, coerce, whole_floats
from blockview.core.jsontext import CannotSend, Difference, JsonError, Transport, differences, loads, pointer, wire_text
from blockview.core.model import Provenance, ToolCall

STORED_AS_FLOAT = "the recorder stores every number as a float"
_MOST_NOTES = 100
"""A long list of numbers says the same at every place."""


class Found(msgspec.Struct, frozen=True):
    """A lookup's answer: the tool's input schema, and where it comes from ("tools/list, line 3")."""

    schema: Mapping[str, object]
    source: str


class Missing(msgspec.Struct, frozen=True):
    """A lookup's answer when there is no schema to go by, and why."""

    reason: str


Lookup = Callable[[ToolCall], Found | Missing | None]
"""One question to a catalog. It may raise or answer None; both mean that the arguments stay as recorded."""


def no_lookup(call: ToolCall) -> Missing:
    """The lookup of somebody who has no catalog."""
    return Missing("no tool list was given")


class Why(StrEnum):
    """Why recorded and dispatched differ at a place."""

    INTEGER = "integer"
    SPELLING = "spelling"
    NOT_JSON = "not-json"
    DUPLICATE = "duplicate"


class Change(msgspec.Struct, frozen=True):
    """One place where the recorded and the dispatched arguments differ, with both literals.

    `path` is a JSON Pointer (RFC 6901). `after` is empty for a duplicate member that is not sent.
    """

    path: str
    before: str
    after: str
    why: Why


class Note(msgspec.Struct, frozen=True):
    """Something a reader should know about a place although nothing is changed there."""

    path: str
    text: str


class Prepared(msgspec.Struct, frozen=True):
    """A call's arguments before and after the step.

    `dispatched` is the wire's text; it is the recorded text where nothing can be sent, and None for absent arguments.
    `arguments` is what is handed to the MCP SDK. `blocked` says why the call cannot be sent, and is empty if it can.
    `deep_would_change` holds the JSON Pointers that only depth "deep" would change.
    """

    recorded: str | None
    dispatched: str | None
    arguments: dict[str, object] | None
    schema: Found | Missing
    depth: Depth
    changes: tuple[Change, ...] = ()
    notes: tuple[Note, ...] = ()
    deep_would_change: tuple[str, ...] = ()
    blocked: str = ""

    @property
    def coerced(self) -> bool:
        """True when a value, and not only its spelling, was changed."""
        return any(change.why is not Why.SPELLING for change in self.changes)


def prepare(
    call: ToolCall, lookup: Lookup = no_lookup, depth: Depth = Depth.TOP, transport: Transport = Transport.STDIO
) -> Prepared:
    """What goes over the wire for a recorded call.

    Never raises and never alters its input. When the lookup answers nothing, raises or answers with something that is
    not a schema, the arguments stay raw on this path alone and the reason is kept in `Prepared.schema`.

    Args:
        call: The recorded call.
        lookup: The question to this path's own catalog.
        depth: How far coercion reaches: top, deep or off.
        transport: Whose number spelling the text has.
    """
    schema = ask(lookup, call)
    recorded = call.arguments
    if recorded is None:
        return Prepared(None, None, None, schema, depth)
    try:
        arguments = loads(recorded)
    except JsonError as error:
        return Prepared(recorded, recorded, None, schema, depth, blocked=f"the arguments are not JSON: {error}")
    if not isinstance(arguments, dict):
        return Prepared(recorded, recorded, None, schema, depth, blocked="the arguments are not a JSON object")

    result = coerce(arguments, schema.schema, depth) if isinstance(schema, Found) else Coerced(arguments)
    try:
        dispatched = wire_text(result.arguments, transport)
    except CannotSend as error:
        return Prepared(recorded, recorded, None, schema, depth, blocked=str(error))
    changes = _changes(recorded, dispatched, result.changed)
    notes = [Note(path, text) for path, text in result.notes]
    if call.provenance is Provenance.BEFORE_COERCION:
        notes += islice(_stored_as_floats(result), _MOST_NOTES)
    return Prepared(
        recorded, dispatched, result.arguments, schema, depth, changes, tuple(notes), result.deep_would_change
    )


def _stored_as_floats(result: Coerced) -> Iterator[Note]:
    """A note for each whole number that stays a float: it may have been written as an integer."""
    paths = (pointer(path) for path, _ in whole_floats(result.arguments))
    return (Note(path, STORED_AS_FLOAT) for path in paths if path not in result.deep_would_change)


def ask(lookup: Lookup, call: ToolCall) -> Found | Missing:
    """Ask a lookup; whatever it does, the answer is a schema or the reason why there is none."""
    try:
        answer = lookup(call)
    except Exception as error:  # a lookup may fail in any way; this path alone falls back
        return Missing(f"the lookup failed: {type(error).__name__}: {error}".rstrip(": "))
    if isinstance(answer, Missing):
        return answer
    if isinstance(answer, Found):
        if isinstance(answer.schema, Mapping):
            return answer
        return Missing(f"{answer.source}: the input schema is not an object")
    if answer is None:
        return Missing("the lookup answered nothing")
    return Missing(f"the lookup answered with {type(answer).__name__}, not with a schema")


def _changes(recorded: str, dispatched: str, coerced: frozenset[str]) -> tuple[Change, ...]:
    if recorded == dispatched or _compact(recorded) == dispatched:
        return ()
    return tuple(_change(found, coerced) for found in differences(recorded, dispatched))


def _compact(text: str) -> str:
    """The text without the white space around its tokens, if it is JSON in the strict sense."""
    try:
        return msgspec.json.format(text, indent=-1)
    except (UnicodeEncodeError, msgspec.DecodeError, RecursionError):
        return text


def _change(found: Difference, coerced: frozenset[str]) -> Change:
    if not found.after:
        why = Why.DUPLICATE
    elif found.path in coerced:
        why = Why.INTEGER
    elif found.after == "null":
        why = Why.NOT_JSON
    else:
        why = Why.SPELLING
    return Change(found.path, found.before, found.after, why)
