"""What is remarkable about a call, as single-cell marks with words, and what to say beside each argument.

`→` a value is changed for dispatch, `≈` the same value in another spelling, `?` the schema was not found, `!` an error.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from blockview.core.coercion import Depth
from blockview.core.jsonlines import Annotation
from blockview.core.jsontext import Kind, Tree
from blockview.core.lines import Role, Span
from blockview.core.model import ToolCall
from blockview.core.prepare import Change, Missing, Prepared, Why
from blockview.core.safetext import one_line

CHANGED, RESPELLED, MISSING, ERROR = "→", "≈", "?", "!"

_WORDS = {
    Why.INTEGER: "integer",
    Why.SPELLING: "same value, other spelling",
    Why.NOT_JSON: "JSON has no such number",
}
_LITERAL = 60
"""Cells of a recorded literal that are shown beside its change; the recorded text has it whole."""


class CallMarks(msgspec.Struct, frozen=True):
    """How many places of a call are changed, respelled, or would change at depth "deep", and what else to look at."""

    changed: int = 0
    respelled: int = 0
    deep: int = 0
    missing: bool = False
    error: bool = False
    blocked: bool = False

    @property
    def remarkable(self) -> bool:
        """Whether a reader who steps from mark to mark stops here."""
        return bool(self.changed or self.missing or self.error or self.blocked)

    @property
    def spans(self) -> tuple[Span, ...]:
        """The marks as they stand in a list: `→2 ?`. An error's mark stands with the call's status."""
        found = []
        if self.changed:
            found.append(Span(f"{CHANGED}{self.changed}", Role.CHANGED))
        elif self.respelled:
            found.append(Span(f"{RESPELLED}{self.respelled}", Role.SPELLING))
        if self.missing:
            found.append(Span(MISSING, Role.MISSING))
        if self.blocked:
            found.append(Span(ERROR, Role.ERROR))
        return tuple(found)


def call_marks(call: ToolCall, prepared: Prepared) -> CallMarks:
    """The marks of a call as it is prepared on this path."""
    respelled = sum(change.why is Why.SPELLING for change in prepared.changes)
    return CallMarks(
        changed=len(prepared.changes) - respelled,
        respelled=respelled,
        deep=len(prepared.deep_would_change),
        missing=call.mcp and isinstance(prepared.schema, Missing),
        error=call.status.failed or (call.result is not None and call.result.is_error),
        blocked=bool(prepared.blocked),
    )


def argument_notes(call: ToolCall, prepared: Prepared, tree: Tree) -> dict[str, Annotation]:
    """What to say beside the nodes of the arguments tree, by JSON Pointer.

    Args:
        call: The recorded call.
        prepared: The call after the step.
        tree: The dispatched arguments.
    """
    found: dict[str, Annotation] = {}
    for change in prepared.changes:
        found[change.path] = _with_change(found.get(change.path, Annotation()), change)
    for note in prepared.notes:
        _say(found, note.path, Span(note.text, Role.QUIET))
    for path in prepared.deep_would_change:
        _say(found, path, Span("depth deep would change this", Role.QUIET))
    if call.mcp and isinstance(prepared.schema, Missing) and prepared.depth is not Depth.OFF:
        for number in _top_whole_floats(tree):
            path = tree.pointer(number)
            _say(found, path, Span("not changed: no schema", Role.QUIET), MISSING)
    return found


def _with_change(note: Annotation, change: Change) -> Annotation:
    if change.why is Why.DUPLICATE:
        return replace(note, dropped=(*note.dropped, change.before))
    was = Span(f"was {one_line(change.before, _LITERAL)}", Role.WAS)
    why = Span(_WORDS[change.why], Role.QUIET)
    if change.why is Why.SPELLING:
        words = (*note.words, Span(was.text, Role.SPELLING), why)
        return replace(note, mark=note.mark or RESPELLED, words=words)
    return replace(note, mark=CHANGED, role=Role.CHANGED, words=(*note.words, was, why))


def _say(found: dict[str, Annotation], path: str, words: Span, mark: str = "") -> None:
    note = found.get(path, Annotation())
    found[path] = replace(note, mark=note.mark or mark, words=(*note.words, words))


def _top_whole_floats(tree: Tree) -> list[int]:
    """The members of the arguments object that an integer in the schema would have changed."""
    if tree.nodes[0].kind is not Kind.OBJECT:
        return []
    floats = (number for number in tree.children(0) if tree.nodes[number].kind is Kind.FLOAT)
    return [number for number in floats if float(tree.literal(number)).is_integer()]
