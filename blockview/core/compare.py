"""A recorded call beside its live outcome: what is compared with what, and whether they are the same."""

from __future__ import annotations

import msgspec

from blockview.core.diff import DiffRow, Totals, diff, totals
from blockview.core.jsontext import CannotSend, JsonError, Tree, parse, wire_text
from blockview.core.model import ContentBlock, Status, ToolCall, ToolResult
from blockview.core.outcome import Ended, Outcome

LARGEST = 12_000_000
"""Characters of a recorded and a live result together up to which they are compared; it takes a second for each
million or two, and memory for each value."""

_ENDS = {
    Status.OK: Ended.RESULT,
    Status.TOOL_ERROR: Ended.TOOL_ERROR,
    Status.PROTOCOL_ERROR: Ended.PROTOCOL_ERROR,
}
_ERRORS = frozenset({Ended.TOOL_ERROR, Ended.PROTOCOL_ERROR, Ended.REFUSED})


class Comparison(msgspec.Struct, frozen=True):
    """Two results by structure.

    `recorded` and `live` are the trees that `rows` number. `lines` says that they are texts, held as arrays of their
    lines. `ended` compares how the calls ended, in words of both ("ok", "tool error"), and is empty where they agree.
    """

    recorded: Tree
    live: Tree
    rows: tuple[DiffRow, ...]
    totals: Totals
    lines: bool = False
    ended: str = ""

    @property
    def same(self) -> bool:
        """True when the call ended as recorded and its value is the same; number spelling does not count."""
        return not self.ended and self.totals.equal


def weight(result: ToolResult | None) -> int:
    """The characters of a result that are compared."""
    if result is None:
        return 0
    return len(result.structured or "") + sum(len(block.text) for block in result.content)


def compare(call: ToolCall, outcome: Outcome) -> Comparison | None:
    """Compare what was recorded with what a live server answered; None when the two are larger than `LARGEST`.

    Structured content is compared where both have it, else the texts: by structure when both are JSON, else line by
    line. What is not text counts by its kind, type and size.
    """
    before, after = call.result or ToolResult(), outcome.result or ToolResult()
    if weight(before) + weight(after) > LARGEST:
        return None
    recorded, live, lines = _trees(before, after)
    rows = tuple(diff(recorded, live))
    return Comparison(recorded, live, rows, totals(rows), lines, ended_differently(call, outcome))


def ended_differently(call: ToolCall, outcome: Outcome) -> str:
    """How the two calls ended, when that is not the same; empty when it is.

    Many recordings tell only that a call failed, not at which layer, so all answers that are errors count as one.
    """
    wanted = _ENDS.get(call.status)
    if wanted is outcome.ended or (wanted in _ERRORS and outcome.ended in _ERRORS):
        return ""
    return f"recorded: {call.status.replace('-', ' ')}, live: {outcome.ended}"


def is_surprise(call: ToolCall, outcome: Outcome) -> bool:
    """Whether a call ended badly that is not recorded as having done so: what a run of several calls stops at."""
    failed = call.status.failed or (call.result is not None and call.result.is_error)
    return outcome.ended is not Ended.RESULT and (outcome.ended is Ended.CANCELLED or not failed)


def _trees(before: ToolResult, after: ToolResult) -> tuple[Tree, Tree, bool]:
    if before.structured is not None and after.structured is not None:
        texts = before.structured, after.structured
    else:
        texts = _text(before), _text(after)
    try:
        return parse(texts[0], lax=True), parse(texts[1], lax=True), False
    except JsonError:
        return lines_tree(_text(before)), lines_tree(_text(after)), True


def _text(result: ToolResult) -> str:
    return "\n".join(_told(block) for block in result.content)


def _told(block: ContentBlock) -> str:
    return block.text if block.kind == "text" else f"[{block.kind} block{': ' if block.note else ''}{block.note}]"


def lines_tree(text: str) -> Tree:
    """A text as the array of its lines. A lone surrogate has no JSON text of its own; its escape stands for it."""
    lines = text.split("\n") if text else []
    try:
        return parse(wire_text(lines))
    except CannotSend:
        return parse(wire_text([line.encode("utf-8", "backslashreplace").decode() for line in lines]))
