"""Schema drift: what is different in a tool's live input schema since the recording was made."""

from __future__ import annotations

import json
from collections.abc import Mapping

from blockview.core.diff import Sign, diff
from blockview.core.jsontext import CannotSend, Tree, parse, wire_text
from blockview.core.prepare import Found, Missing
from blockview.core.safetext import one_line

_LARGEST = 200_000
"""Characters of a schema whose differences are looked for one by one, which takes seconds for millions."""

_MOST = 20
"""Differences told of one schema."""

_WIDEST = 80
"""Characters of one value."""


def schema_drift(recorded: Found | Missing, live: Found | Missing) -> tuple[str, ...]:
    """One line for each place where the two input schemas differ, by JSON Pointer (RFC 6901).

    Empty when they are the same, or when the recording tells no schema to compare with.
    """
    if isinstance(recorded, Missing):
        return ()
    if isinstance(live, Missing):
        return (f"the schema was known ({recorded.source}) and is gone: {live.reason}",)
    if recorded.schema is live.schema:
        return ()
    try:
        texts = wire_text(dict(recorded.schema)), wire_text(dict(live.schema))
    except CannotSend as error:
        return (f"the schemas cannot be compared: {error}",)
    if texts[0] == texts[1]:
        return ()
    if max(map(len, texts)) > _LARGEST:
        same = _in_one_order(recorded.schema) == _in_one_order(live.schema)
        return () if same else ("it differs, and is too large to compare in detail",)
    before, after = parse(texts[0]), parse(texts[1])
    lines = []
    for row in diff(before, after):
        old = None if row.recorded is None else _short(before, row.recorded)
        new = None if row.live is None else _short(after, row.live)
        place = _place(before, row.recorded) if row.live is None else _place(after, row.live)
        if row.sign is Sign.ONLY_LIVE:
            lines.append(f"{place}: new: {new}")
        elif row.sign is Sign.ONLY_RECORDED:
            lines.append(f"{place}: gone, was {old}")
        elif row.sign is Sign.DIFFERS and not row.paired:
            lines.append(f"{place}: was {old}, is {new}")
    return (*lines[:_MOST], f"and {len(lines) - _MOST} more") if len(lines) > _MOST else tuple(lines)


def _in_one_order(schema: Mapping[str, object]) -> str:
    """A text that is the same for schemas that differ in nothing but the order of members."""
    try:
        return json.dumps(schema, sort_keys=True)
    except ValueError:  # an integer of more digits than Python prints
        return wire_text(dict(schema))


def _place(tree: Tree, number: int | None) -> str:
    return one_line(tree.pointer(number), _WIDEST) if number else "the schema"


def _short(tree: Tree, number: int) -> str:
    return one_line(tree.literal(number), _WIDEST)
