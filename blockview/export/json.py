"""A session as the stable, machine-readable JSON: what was recorded, what is dispatched, what came back, exactly.

The document is written piece by piece; one block is in memory at a time. Values of results are put in as JSON text,
so no number passes through a float.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator

import msgspec

from blockview.core.model import Block, Diagnostic, Session, Text, ToolCall, ToolResult
from blockview.core.prepare import Found, Prepared
from blockview.core.result import exact_text, is_json
from blockview.core.safetext import visible_json
from blockview.export.lines import EVERYTHING, Choice, PrepareCall, chosen_blocks

VERSION = 1

_ENCODER = msgspec.json.Encoder()
_SUSPECT = tuple(
    (lead, re.compile(lead + more).search)
    for lead, more in (
        (b"\x7f", b""),
        (b"\r", b""),
        (b"\xc2", rb"[\x80-\x9f\xad]"),
        (b"\xd8", rb"\x9c"),
        (b"\xe2", rb"(?:\x80[\x8b-\x8f\xa8-\xae]|\x81[\xa0-\xaf])"),
        (b"\xed", rb"[\xa0-\xbf]"),
        (b"\xef", rb"(?:\xbb\xbf|\xbf[\xb0-\xbf])"),
        (b"\xf3", rb"\xa0"),
    )
)
"""What `visible_json` changes, in UTF-8. Hardly any text has it, and to look for one byte after the other is cheap."""


def json_chunks(
    session: Session,
    prepare_call: PrepareCall,
    choice: Choice = EVERYTHING,
) -> Iterator[str]:
    """The session as one JSON document; the pieces can be written out as UTF-8.

    `calls` are in recorded order, and a `call` among a block's `items` is an index into them. A result's `value`
    follows the rule of exact digits: an integer that a double cannot hold is a string, everything else is spelled as
    it was received.

    Args:
        session: The session; its blocks are read one at a time.
        prepare_call: Gives the dispatched arguments.
        choice: What is written.
    """
    head = {
        "blockview": VERSION,
        "source": session.source,
        "format": session.format,
        "title": session.title or None,
        "diagnostics": [_diagnostic(found) for found in session.diagnostics],
    }
    yield encode(head)[:-1] + ',"blocks":['
    separator = "\n"
    for block, numbers, _ in chosen_blocks(session, choice):
        yield separator + encode(_block(block, numbers, prepare_call))
        separator = ",\n"
    yield "\n]}\n"


def _diagnostic(found: Diagnostic) -> dict[str, object]:
    return {"line": found.place.line, "byte": found.place.byte, "problem": found.problem}


def _block(block: Block, numbers: Collection[int], prepare_call: PrepareCall) -> dict[str, object]:
    items: list[dict[str, object]] = []
    calls: list[dict[str, object]] = []
    number = 0
    for item in block.items:
        if isinstance(item, Text):
            items.append({"text" if item.role == "assistant" else item.role: item.text})
            continue
        if number in numbers:
            items.append({"call": len(calls)})
            calls.append(call_json(item, prepare_call(item)))
        number += 1
    written: dict[str, object] = {"index": block.index, "prompt": block.prompt}
    if block.label:
        written["label"] = block.label
    written["started"] = block.started.isoformat() if block.started else None
    return {**written, "items": items, "calls": calls}


def call_json(call: ToolCall, prepared: Prepared) -> dict[str, object]:
    """A call's part of the document."""
    written: dict[str, object] = {
        "id": call.id,
        "server": call.server,
        "tool": call.tool or call.name,
        "mcp": call.mcp,
        "status": call.status.value,
        "recorded": prepared.recorded,
        "dispatched": prepared.dispatched,
        "provenance": call.provenance.value,
        "changes": [
            {"path": change.path, "from": change.before, "to": change.after, "why": change.why.value}
            for change in prepared.changes
        ],
        "schema": _schema(prepared),
        "deep_would_change": list(prepared.deep_would_change),
        "result": None if call.result is None else result_json(call.result),
        "started": call.started.isoformat() if call.started else None,
        "duration_ms": call.duration_ms,
    }
    if call.agent:
        written["agent"] = call.agent
    if call.status_note:
        written["status_note"] = call.status_note
    if prepared.notes:
        written["notes"] = [{"path": note.path, "text": note.text} for note in prepared.notes]
    if prepared.blocked:
        written["blocked"] = prepared.blocked
    return written


def _schema(prepared: Prepared) -> dict[str, object]:
    if isinstance(prepared.schema, Found):
        return {"state": "found", "source": prepared.schema.source}
    return {"state": "missing", "reason": prepared.schema.reason}


def result_json(result: ToolResult) -> dict[str, object]:
    """A result's part of the document; its value goes in as JSON text."""
    return {"value": _value(result), "is_error": result.is_error, "text": result.text}


def _value(result: ToolResult) -> str | msgspec.Raw:
    if result.structured is not None:
        return _verbatim(result.structured) if is_json(result.structured) else result.structured
    text = result.text
    if result.is_error:
        return text
    exact = exact_text(text)
    return text if exact is None else _verbatim(exact)


def _verbatim(text: str) -> msgspec.Raw:
    """JSON text that goes into the document as it is."""
    return msgspec.Raw(text.encode("utf-8", "surrogatepass"))


def encode(value: object) -> str:
    """The JSON text of a document's part, safe to print and to encode."""
    try:
        text = _ENCODER.encode(value)
    except UnicodeEncodeError:
        text = _ENCODER.encode(_without_surrogates(value))
    suspect = any(lead in text and search(text) for lead, search in _SUSPECT)
    written = text.decode("utf-8", "surrogatepass")
    return visible_json(written) if suspect else written


def _without_surrogates(value: object) -> object:
    """The same part, in which all texts are JSON text already: the encoder refuses lone surrogates."""
    if isinstance(value, dict):
        return {key: _without_surrogates(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(part) for part in value]
    if isinstance(value, str):
        return _verbatim(json.dumps(value, ensure_ascii=False))
    return value
