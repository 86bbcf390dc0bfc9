"""The rows of the block list: a block's own row, and one row for each call with its dispatched arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from blockview.core.clock import local
from blockview.core.jsontext import decode_string, pointer
from blockview.core.lines import Line, Role, Span
from blockview.core.marks import ERROR, call_marks
from blockview.core.model import Block, Status, ToolCall
from blockview.core.prepare import Prepared, Why
from blockview.core.rows import ends
from blockview.core.safetext import cell_width, one_line, visible

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*\\?"?|[{}\[\]:,]|\s+|[^\s{}\[\]:,"]+', re.DOTALL)
_WIDE_ROW = 60
_MARKS_WIDTH = 4


def duration_text(milliseconds: float) -> str:
    """A duration in the unit that reads best."""
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def status_span(call: ToolCall) -> Span:
    """How a call ended, as a word; an error has its mark before it."""
    if call.status is Status.OK:
        return Span("ok", Role.OK)
    word = call.status.value.replace("-", " ")
    return Span(f"{ERROR} {word}", Role.ERROR) if call.status.failed else Span(word, Role.QUIET)


def name_spans(call: ToolCall, width: int) -> tuple[Span, ...]:
    """`server.tool`, or the recorded name where no tool is known, in at most `width` cells."""
    tool = Span(one_line(call.tool or call.name, width), Role.TOOL)
    room = width - cell_width(tool.text) - 1
    return (Span(one_line(call.server, room) + ".", Role.QUIET), tool) if call.server and room > 2 else (tool,)


def block_row(block: Block, call_count: int, width: int, folded: bool) -> Line:
    """A block's row: fold mark, number, time, the start of its prompt, how many calls it has.

    Args:
        block: The block; only its prompt, label and time are read.
        call_count: How many calls it has.
        width: Cells of the row.
        folded: Whether its calls are hidden.
    """
    fold_mark = " " if not call_count else "▸" if folded else "▾"
    left = [Span(f"{fold_mark} ", Role.PUNCTUATION), Span(f"{block.index + 1:>3} ", Role.QUIET)]
    if block.started is not None and width >= _WIDE_ROW // 2:
        left.append(Span(f"{local(block.started):%H:%M} ", Role.QUIET))
    if block.label:
        left.append(Span(f"[{one_line(block.label, width)}] ", Role.QUIET))
    start = " ".join(block.prompt[: 8 * max(width, 1)].split())
    if start or not block.label:
        left.append(Span(one_line(start, width), Role.PROMPT) if start else Span("(no prompt)", Role.QUIET))
    count = f"{call_count:,} call{'' if call_count == 1 else 's'}" if width >= _WIDE_ROW else f"{call_count:,}"
    return ends(left, [Span(count, Role.QUIET)], width)


def call_row(call: ToolCall, prepared: Prepared, width: int, live: Span | None = None) -> Line:
    """A call's row: its marks, its name, the dispatched arguments as far as they fit, how it ended.

    The arguments are the wire's characters; changed literals have the role CHANGED, and what they were stands behind
    them if there is room. `live` says how a live answer compares.
    """
    marks = call_marks(call, prepared)
    right = [Span(f"deep: {marks.deep}  ", Role.QUIET)] if marks.deep and width >= _WIDE_ROW // 2 else []
    right.append(status_span(call))
    if call.duration_ms is not None and width >= _WIDE_ROW:
        right.append(Span(f" {duration_text(call.duration_ms)}", Role.QUIET))
    if live is not None:
        right += (Span("  "), live)
    left = [Span("  ")]
    left += [part for span in marks.spans for part in (span, Span(" "))]
    used = sum(cell_width(span.text) for span in left)
    left.append(Span(" " * (2 + _MARKS_WIDTH - used)))
    left += name_spans(call, max(width * 2 // 5, 8))
    left.append(Span(" "))
    left += argument_spans(prepared, width)
    if marks.changed:
        was = [one_line(change.before, 20) for change in prepared.changes[:9] if change.why in _TOLD]
        left.append(Span(f"  → was {', '.join(was)}", Role.WAS) if was else Span(""))
    return ends(left, right, width)


_TOLD = (Why.INTEGER, Why.NOT_JSON)


def argument_spans(prepared: Prepared, limit: int) -> list[Span]:
    """The start of the dispatched arguments, token by token; reading stops behind `limit` cells."""
    if prepared.dispatched is None:
        return [Span("(no arguments)", Role.QUIET)]
    start = prepared.dispatched[: 8 * max(limit, 1)]
    if prepared.blocked:
        return [Span(one_line(prepared.dispatched, limit), Role.PLAIN)]
    changed = {
        change.path: Role.SPELLING if change.why is Why.SPELLING else Role.CHANGED
        for change in prepared.changes
        if change.after
    }
    spans: list[Span] = []
    room = limit
    for token, role in _tokens(start, changed):
        spans.append(Span(visible(token), role))
        room -= len(token)
        if room < 0:
            break
    if len(start) < len(prepared.dispatched):
        spans.append(Span("…", Role.QUIET))
    return spans


def _tokens(text: str, changed: dict[str, Role]) -> Iterator[tuple[str, Role]]:
    """The tokens of a JSON text, which may end anywhere, with their roles."""
    path: list[str | int] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "{":
            path.append("")
        elif token == "[":
            path.append(0)
        elif token in "}]" and path:
            path.pop()
        elif token == "," and path and isinstance(path[-1], int):
            path[-1] += 1
        if token in "{}[],:" or token.isspace():
            yield token, Role.PUNCTUATION
        elif token.startswith('"') and text[match.end() : match.end() + 1] == ":":
            if path:
                path[-1] = decode_string(token)
            yield token, Role.KEY
        else:
            yield token, changed.get(pointer(path)) or _role(token) if changed else _role(token)


def _role(token: str) -> Role:
    if token.startswith('"'):
        return Role.STRING
    return Role.NUMBER if token[0] in "-0123456789" else Role.WORD
