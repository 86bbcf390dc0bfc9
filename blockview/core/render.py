"""Blocks and calls as rows of (text, role), for every front end: the app draws them, exports print them.

The functions are pure: what is open is an argument. Long parts are made when a row is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from blockview.core.clock import local
from blockview.core.coercion import Depth
from blockview.core.jsonlines import JsonRows
from blockview.core.jsontext import JsonError
from blockview.core.lines import Line, Role, Span
from blockview.core.listrows import block_row, call_row, duration_text, name_spans, status_span
from blockview.core.longtext import LONG, LongText
from blockview.core.marks import CHANGED, ERROR, MISSING, RESPELLED, CallMarks, argument_notes, call_marks
from blockview.core.model import Block, ContentBlock, Provenance, Status, Text, ToolCall, ToolResult
from blockview.core.prepare import Found, Missing, Prepared, Why
from blockview.core.rows import LONG_TEXT, Fold, Part, Row, RowList, Rows, Section, Target, ends, fit, text_rows
from blockview.core.safetext import cell_width, visible
from blockview.core.trees import arguments_tree, result_tree

__all__ = [
    "CallMarks",
    "Fold",
    "ResultView",
    "Row",
    "Rows",
    "Section",
    "Target",
    "block_detail",
    "block_row",
    "call_detail",
    "call_marks",
    "call_row",
]

_PROVENANCE = {
    Provenance.WIRE: "recorded on the wire",
    Provenance.HOST: "recorded from the host",
    Provenance.MODEL: "recorded from the model",
    Provenance.BEFORE_COERCION: "recorded before coercion",
}
_TEXT_ROLES = {"assistant": Role.ASSISTANT, "thinking": Role.THINKING}
_THINKING_LINES = 6
_WIDE = 60


class ResultView(StrEnum):
    """How a result is shown: VALUE as a tree where it is JSON, TEXT as its content blocks, RAW as the whole record."""

    VALUE = "value"
    TEXT = "text"
    RAW = "raw"


def call_detail(
    call: ToolCall,
    prepared: Prepared,
    *,
    width: int,
    toggled: frozenset[Target] = frozenset(),
    recorded: bool = False,
    index: int = 0,
    total: int = 1,
    fold: Fold = Fold.AUTO,
    result: ResultView = ResultView.VALUE,
    live: Sequence[Line] = (),
    agent: str = "",
) -> Rows:
    """All about one call: how it ended, its schema, its arguments with their changes, its result.

    Args:
        call: The recorded call.
        prepared: The call after the step.
        width: Cells per row, at least 1.
        toggled: Targets whose fold is not the one that `fold` gives them.
        recorded: Show the recorded text of the arguments, not the tree of what is dispatched.
        index: Which of the block's calls this is, from 0; it is `Target.call` of every row.
        total: How many calls the block has.
        fold: What is open to begin with.
        result: How to show the result.
        live: A line for each live outcome; its row's target has the section LIVE and the line's index as its node.
        agent: What is known of the subagent that the call started; the target of its rows has the section AGENT.
    """
    pane = _Pane(index, max(width, 1), toggled, fold)
    return Rows(
        [
            RowList(pane.head(call, prepared, total, live, agent)),
            *pane.arguments(call, prepared, recorded),
            *pane.result(call, result),
        ]
    )


def call_parts(
    call: ToolCall, prepared: Prepared, *, width: int, recorded: bool = False, index: int = 0, total: int = 1
) -> list[Part]:
    """What `call_detail` shows when everything is open, in parts that are to be printed and not to be walked about in.

    The arguments are those of `call_detail`.
    """
    pane = _Pane(index, max(width, 1), frozenset(), Fold.OPEN, printing=True)
    return [
        RowList(pane.head(call, prepared, total)),
        *pane.arguments(call, prepared, recorded),
        *pane.result(call, ResultView.VALUE),
    ]


def block_detail(
    block: Block,
    prepared: Sequence[Prepared],
    *,
    width: int,
    toggled: frozenset[Target] = frozenset(),
    fold: Fold = Fold.AUTO,
) -> Rows:
    """A block's prompt, texts and notes, with one row for each call; that row's target has the section CALL.

    Args:
        block: The block.
        prepared: The prepared arguments of `block.calls`, in their order.
        width: Cells per row, at least 1.
        toggled: Targets whose fold is not the one that `fold` gives them.
        fold: What is open to begin with.
    """
    width = max(width, 1)
    calls = block.calls

    def row(number: int) -> Row:
        return Row(call_row(calls[number], prepared[number], width), Target(number, Section.CALL))

    parts = block_parts(block, width=width, toggled=toggled, fold=fold)
    return Rows(RowList([row(part)]) if isinstance(part, int) else part for part in parts)


def block_parts(
    block: Block, *, width: int, toggled: frozenset[Target] = frozenset(), fold: Fold = Fold.AUTO
) -> Iterator[Part | int]:
    """What `block_detail` shows; where a call stands, its number. First comes the head, alone.

    The arguments are those of `block_detail`.
    """
    width = max(width, 1)
    calls = len(block.calls)
    count = f"{calls:,} call{'' if calls == 1 else 's'}"
    left = [Span(f"block {block.index + 1}", Role.TITLE)]
    if block.label:
        left.append(Span(f"  {visible(block.label)}", Role.QUIET))
    clock = "%Y-%m-%d %H:%M:%S %Z" if width >= _WIDE else "%H:%M"
    started = f"{local(block.started):{clock}}  " if block.started else ""
    yield RowList([Row(ends(left, [Span(started + count, Role.QUIET)], width))])
    pane = _Pane(-1, width, toggled, fold)
    if block.prompt:
        yield pane.text(block.prompt, Role.PROMPT, Target(-1, Section.PROMPT), LONG_TEXT)
    previous = ""
    number = 0
    for at, item in enumerate(block.items):
        if isinstance(item, ToolCall):
            if previous != "call":
                yield RowList([Row(())])
            yield number
            number += 1
            previous = "call"
            continue
        rows = [Row(())]
        if item.role != previous:
            rows.append(Row(fit([Span(visible(item.role), Role.QUIET)], width)))
        previous = item.role
        yield RowList(rows)
        yield pane.item(item, at)


class _Pane:
    """What all parts of one detail share."""

    def __init__(
        self, call: int, width: int, toggled: frozenset[Target], fold: Fold, *, printing: bool = False
    ) -> None:
        self.call = call
        self.width = width
        self.toggled = toggled
        self.fold = fold
        self.printing = printing
        """Whether all rows are gone through once and none is looked at again."""

    def head(
        self, call: ToolCall, prepared: Prepared, total: int, live: Sequence[Line] = (), agent: str = ""
    ) -> list[Row]:
        """Which call it is, how it ended, and what is said of it."""
        index, width = self.call, self.width
        place = Target(index, Section.CALL)
        title, has_id = _call_title(call, index, total, width)
        identity = f"   id:{call.id}" if call.id and not has_id else ""
        said = _statements(call, prepared, identity)
        rows = [Row(title, place)]
        rows += [row for text, role in said for row in text_rows(text, role, place, width=width)]
        if call.agent:
            told = f"subagent {call.agent}{f': {agent}' if agent else ''}"
            rows += text_rows(told, Role.TOOL, Target(index, Section.AGENT), width=width)
        return rows + [Row(fit(line, width), Target(index, Section.LIVE, at)) for at, line in enumerate(live)]

    def text(self, text: str, role: Role, target: Target, limit: int) -> Part:
        opened = self.fold.opens is not (target in self.toggled)
        if opened and (len(text) >= LONG or text.count("\n") >= limit):
            return LongText(text, role, target, width=self.width)
        return RowList(text_rows(text, role, target, width=self.width, opened=opened, limit=limit))

    def item(self, item: Text, at: int) -> Part:
        limit = _THINKING_LINES if item.role == "thinking" else LONG_TEXT
        return self.text(item.text, _TEXT_ROLES.get(item.role, Role.QUIET), Target(-1, Section.TEXT, at), limit)

    def nodes(self, section: Section) -> frozenset[int]:
        """The toggled nodes of a section's tree."""
        mine = (target for target in self.toggled if target.call == self.call and target.section is section)
        return frozenset(target.node for target in mine if target.node is not None)

    def arguments(self, call: ToolCall, prepared: Prepared, recorded: bool) -> list[Part]:
        """What is sent; before it what was sent, where the recording has that and it is another text."""
        counts = _counts(call, prepared) if self.width >= _WIDE else _short_counts(call, prepared)
        if recorded or (call.provenance is Provenance.WIRE and prepared.changes):
            what = "as recorded on the wire" if call.provenance is Provenance.WIRE else "as recorded"
            parts = self._recorded_arguments(prepared.recorded, what, counts if recorded else ())
            return parts if recorded else [*parts, *self._sent_arguments(call, prepared, counts)]
        return self._sent_arguments(call, prepared, counts)

    def _recorded_arguments(self, text: str | None, what: str, counts: Sequence[Span]) -> list[Part]:
        target = Target(self.call, Section.RECORDED)
        heading = RowList([Row(()), Row(self._heading("arguments", what, counts), target)])
        return [heading, self._no_arguments(target) if text is None else self._long(text, target)]

    def _sent_arguments(self, call: ToolCall, prepared: Prepared, counts: Sequence[Span]) -> list[Part]:
        target = Target(self.call, Section.ARGUMENTS)
        what = _which_arguments(call, prepared)
        heading = RowList([Row(()), Row(self._heading("arguments", what, counts), target)])
        if prepared.dispatched is None:
            return [heading, self._no_arguments(target)]
        try:
            tree = arguments_tree(prepared.dispatched)
        except JsonError:
            return [heading, self._long(prepared.dispatched, target)]
        rows = JsonRows(
            tree,
            width=self.width,
            call=self.call,
            section=Section.ARGUMENTS,
            toggled=self.nodes(Section.ARGUMENTS),
            fold=self.fold,
            annotations=argument_notes(call, prepared, tree),
        )
        return [heading, rows]

    def _long(self, text: str, target: Target) -> Part:
        return self.text(text, Role.PLAIN, target, LONG_TEXT)

    def _no_arguments(self, target: Target) -> Part:
        return RowList(text_rows("none recorded, none sent", Role.QUIET, target, width=self.width))

    def result(self, call: ToolCall, view: ResultView) -> list[Part]:
        target = Target(self.call, Section.RESULT)
        result = call.result
        if result is None:
            return [RowList([Row(()), *text_rows(_no_result(call), Role.MISSING, target, width=self.width, indent=0)])]
        tree = result_tree(result, lazily=self.printing) if view is ResultView.VALUE else None
        heading = RowList([Row(()), Row(self._result_heading(call, result, view, tree is not None), target)])
        if tree is not None:
            nodes = self.nodes(Section.RESULT)
            rows = JsonRows(
                tree,
                width=self.width,
                call=self.call,
                section=Section.RESULT,
                toggled=nodes,
                fold=self.fold,
                exact=True,
            )
            others = () if result.structured is None else tuple(part for part in result.content if part.kind != "text")
            return [heading, rows, *self._content(others, target, Role.PLAIN)]
        if view is ResultView.RAW:
            raw = result.raw or "(the raw record is not kept)"
            return [heading, self._long(raw, target)]
        if view is ResultView.VALUE and result.structured is not None:
            return [heading, self._long(result.structured, target)]
        role = Role.ERROR if result.is_error else Role.PLAIN
        return [heading, *(self._content(result.content, target, role) or [self._nothing(target)])]

    def _nothing(self, target: Target) -> Part:
        return RowList(text_rows("empty: no content", Role.QUIET, target, width=self.width))

    def _content(self, content: Sequence[ContentBlock], target: Target, role: Role) -> list[Part]:
        parts: list[Part] = []
        for part in content:
            if part.kind == "text":
                parts.append(self.text(part.text, role, target, LONG_TEXT))
            else:
                note = f"[{part.kind} block]  {part.note}".rstrip()
                parts.append(RowList(text_rows(note, Role.QUIET, target, width=self.width)))
        return parts

    def _heading(self, title: str, what: str, right: Sequence[Span]) -> Line:
        return ends([Span(title, Role.TITLE), Span(f"  {what}", Role.QUIET)], right, self.width)

    def _result_heading(self, call: ToolCall, result: ToolResult, view: ResultView, is_tree: bool) -> Line:
        if view is ResultView.RAW:
            what = "raw record"
        elif is_tree:
            what = "structured content, exact digits" if result.structured is not None else "JSON text, exact digits"
        else:
            what = "text"
        left = [Span("result", Role.TITLE)]
        if result.is_error:
            left.append(Span(f"  {ERROR} isError: true", Role.ERROR))
        left.append(Span(f"  {what}", Role.QUIET))
        took = [] if call.duration_ms is None else [Span(duration_text(call.duration_ms), Role.QUIET)]
        return ends(left, took, self.width)


def _call_title(call: ToolCall, index: int, total: int, width: int) -> tuple[Line, bool]:
    """Which call it is and how it ended, and whether its id fits there, whole so that a person can type it."""
    start = Span(f"call {index + 1}/{total}  ", Role.QUIET)
    right = [status_span(call)]
    if call.duration_ms is not None:
        right.append(Span(f"  {duration_text(call.duration_ms)}", Role.QUIET))
    room = width - sum(cell_width(span.text) for span in (start, *right)) - 1
    names = name_spans(call, max(room, 8))
    identity = Span(f"  {visible(call.id)}", Role.QUIET)
    fits = sum(cell_width(span.text) for span in (*names, identity)) <= room
    return ends([start, *names, *((identity,) if call.id and fits else ())], right, width), fits


def _which_arguments(call: ToolCall, prepared: Prepared) -> str:
    """Which text the arguments are. A wire recording holds what was sent then: what is shown would be sent now."""
    if prepared.blocked:
        return "as recorded"
    if not call.mcp:
        return "not an MCP call; as MCP would send them" if prepared.changes else "as recorded"
    again = "as a dispatch would send them now" if call.provenance is Provenance.WIRE else "as dispatched"
    if isinstance(prepared.schema, Missing) and prepared.depth is not Depth.OFF:
        return f"{again}, no schema: not coerced"
    return f"{again}, coercion {prepared.depth.value}"


def _statements(call: ToolCall, prepared: Prepared, identity: str) -> list[tuple[str, Role]]:
    """What is said about a call before its arguments, each with its role; `identity` goes with where it is from."""
    said: list[tuple[str, Role]] = []
    if call.status_note:
        said.append((call.status_note, Role.ERROR if call.status.failed else Role.QUIET))
    if prepared.blocked:
        said.append((f"{ERROR} cannot be sent: {prepared.blocked}", Role.ERROR))
    guessed = ", server and tool guessed from the name" if call.inferred else ""
    origin = f"{_PROVENANCE[call.provenance]}{guessed}{identity}"
    match prepared.schema:
        case Found(source=source):
            said.append((f"schema from {source}   {origin}", Role.QUIET))
        case Missing(reason=reason) if call.mcp:
            said += [(f"{MISSING} schema not found: {reason}", Role.MISSING), (origin, Role.QUIET)]
        case _:
            said.append((f"not an MCP call   {origin}", Role.QUIET))
    return said


def _counts(call: ToolCall, prepared: Prepared) -> list[Span]:
    """The marks of a call with their words."""
    marks = call_marks(call, prepared)
    dropped = sum(change.why is Why.DUPLICATE for change in prepared.changes)
    found = []
    if marks.changed > dropped:
        found.append(Span(f"{marks.changed - dropped} {CHANGED} changed", Role.CHANGED))
    if dropped:
        found.append(Span(f"{dropped} {CHANGED} duplicate key{'' if dropped == 1 else 's'} dropped", Role.CHANGED))
    if marks.respelled:
        found.append(Span(f"{marks.respelled} {RESPELLED} respelled", Role.SPELLING))
    if marks.deep:
        found.append(Span(f"deep: {marks.deep}", Role.QUIET))
    if not found and call.mcp and prepared.recorded is not None and not prepared.blocked:
        found.append(Span("same as recorded", Role.QUIET))
    return [part for span in found for part in (Span("  "), span)][1:]


def _short_counts(call: ToolCall, prepared: Prepared) -> list[Span]:
    """The marks of a call without their words."""
    marks = call_marks(call, prepared)
    deep = (Span(f"deep: {marks.deep}", Role.QUIET),) if marks.deep else ()
    return [part for span in (*marks.spans, *deep) for part in (Span(" "), span)]


def _no_result(call: ToolCall) -> str:
    match call.status:
        case Status.DENIED | Status.REJECTED:
            return f"no result: the call was {call.status.value}"
        case Status.CANCELLED:
            return "no result: the call was cancelled"
        case Status.NEVER_SENT:
            return "no result: the call was never sent"
        case _:
            return "no result recorded"
