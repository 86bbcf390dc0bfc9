"""A recorded call beside its live outcome: what is compared with what, and whether they are the same."""

from __future__ import annotations

import json

import msgspec

from blockview.core.diff import DiffRow, Totals, diff, totals
from blockview.core.jsontext import JsonError, Tree, parse
from blockview.core.model import ContentBlock, Provenance, Status, ToolCall, ToolResult
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

    A result that is only text is compared as the value that it is (`result_value`): by structure when both texts are
    strict JSON, else line by line, and an error's message always so. Otherwise both structured content and content
    blocks are compared; what is not text counts by a hash where both sides have one, else by its type and size.
    Structured content that an agent's recording does not have is left out: it may not have been kept. A JSON-RPC error
    of a wire capture is compared whole, with its code.
    """
    before, after = call.result or ToolResult(), outcome.result or ToolResult()
    if weight(before) + weight(after) > LARGEST:
        return None
    recorded, live, lines = _trees(call, before, outcome, after)
    rows = tuple(diff(recorded, live))
    return Comparison(recorded, live, rows, totals(rows), lines, ended_differently(call, outcome))


def ended_differently(call: ToolCall, outcome: Outcome) -> str:
    """How the two calls ended, when that is not the same; empty when it is.

    Agents' recordings tell that a call failed, and rarely at which layer, so all answers that are errors count as one
    there. A wire capture tells that exactly.
    """
    wanted = _ENDS.get(call.status)
    if call.status is outcome.status:
        return ""
    errors = wanted in _ERRORS and outcome.ended in _ERRORS
    if (outcome.status is None and wanted is outcome.ended) or (errors and call.provenance is not Provenance.WIRE):
        return ""
    live = outcome.ended if outcome.status in (None, Status.OK) or outcome.status in _ENDS else _words(outcome.status)
    return f"recorded: {_words(call.status)}, live: {live}"


def _words(status: Status | None) -> str:
    return (status or "").replace("-", " ")


def is_comparable(outcome: Outcome) -> bool:
    """Whether the outcome says something of the server: no call that was not sent does, and none that was given up."""
    return outcome.started is not None and outcome.ended not in (Ended.CANNOT_SEND, Ended.CANCELLED)


def is_surprise(call: ToolCall, outcome: Outcome) -> bool:
    """Whether a call ended badly that is not recorded as having done so: what a run of several calls stops at."""
    failed = call.status.failed or (call.result is not None and call.result.is_error)
    return outcome.ended is not Ended.RESULT and (outcome.ended is Ended.CANCELLED or not failed)


def _trees(call: ToolCall, before: ToolResult, outcome: Outcome, after: ToolResult) -> tuple[Tree, Tree, bool]:
    wire = call.provenance is Provenance.WIRE
    structured = (wire or before.structured is not None) and (before.structured or after.structured) is not None
    if wire and call.status is outcome.status is Status.PROTOCOL_ERROR:
        texts = before.raw, after.raw
    elif not structured and _is_text(before) and _is_text(after):
        if before.is_error or after.is_error:
            return lines_tree(before.text), lines_tree(after.text), True
        try:
            return parse(before.text), parse(after.text), False
        except JsonError:
            return lines_tree(before.text), lines_tree(after.text), True
    else:
        texts = _documents(before, after, structured=structured)
    try:
        return parse(texts[0], lax=True), parse(texts[1], lax=True), False
    except JsonError:
        return lines_tree(texts[0]), lines_tree(texts[1]), True


def _is_text(result: ToolResult) -> bool:
    return all(block.kind == "text" for block in result.content)


def _documents(before: ToolResult, after: ToolResult, *, structured: bool) -> tuple[str, str]:
    """Both results as JSON objects of their structured content, where that counts, and their content blocks.

    A content that only repeats the structured content on both sides is left out.
    """
    content = not (structured and _repeats(before) and _repeats(after))
    hashes = all(block.digest for result in (before, after) for block in result.content if block.kind != "text")
    return (
        _document(before, structured=structured, content=content, hashes=hashes),
        _document(after, structured=structured, content=content, hashes=hashes),
    )


def _document(result: ToolResult, *, structured: bool, content: bool, hashes: bool) -> str:
    members = []
    if structured and result.structured is not None:
        members.append(f'"structuredContent":{result.structured}')
    if content:
        members.append(f'"content":[{",".join(_block(block, hashes=hashes) for block in result.content)}]')
    return f"{{{','.join(members)}}}"


def _block(block: ContentBlock, *, hashes: bool) -> str:
    if block.kind == "text":
        return f'{{"type":"text","text":{_json_or_string(block.text)}}}'
    facts = {"type": block.kind, "is": block.note, "hash": block.digest if hashes else ""}
    return json.dumps({name: fact for name, fact in facts.items() if fact})


def _json_or_string(text: str) -> str:
    """A text that is a JSON object or array as that value, else as a string."""
    if text.lstrip(" \t\r\n")[:1] in ("{", "["):
        try:
            parse(text)
            return text
        except JsonError:
            pass
    return json.dumps(text)


def _repeats(result: ToolResult) -> bool:
    """Whether the only content is the structured content as text, as servers give it for older clients."""
    if result.structured is None or [block.kind for block in result.content] != ["text"]:
        return False
    try:
        rows = diff(parse(result.structured, lax=True), parse(result.text))
    except JsonError:
        return False
    return totals(rows).equal


def lines_tree(text: str) -> Tree:
    """A text as the array of its lines."""
    return parse(json.dumps(text.split("\n") if text else []))
