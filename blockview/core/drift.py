"""Schema drift: what is different in a tool's live input schema since the recording was made."""

from __future__ import annotations

from collections.abc import Mapping

from blockview.core.diff import Sign, diff
from blockview.core.jsontext import CannotSend, Tree, parse, wire_text
from blockview.core.prepare import Found, Missing
from blockview.core.safetext import one_line

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
    try:
        before, after = _tree(recorded.schema), _tree(live.schema)
    except CannotSend as error:
        return (f"the schemas cannot be compared: {error}",)
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


def _tree(schema: Mapping[str, object]) -> Tree:
    return parse(wire_text(dict(schema)))


def _place(tree: Tree, number: int | None) -> str:
    return (tree.pointer(number) if number else "") or "the schema"


def _short(tree: Tree, number: int) -> str:
    return one_line(tree.literal(number), _WIDEST)
