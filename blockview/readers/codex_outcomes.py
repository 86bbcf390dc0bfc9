"""How a call of Codex ended, and what came back: in the words of the host, and in what the model was told.

Source of the words: openai/codex, `core/src/mcp_tool_call.rs` and `core/src/tools/`.
"""

from __future__ import annotations

import re

import msgspec

from blockview.core import media
from blockview.core.answers import read_answer
from blockview.core.jsonrpc import Message
from blockview.core.model import ContentBlock, Place, Status, ToolResult
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of

Outcome = tuple[Status, str, ToolResult]

_WORDS = (
    (r"user rejected MCP tool call|(exec command|patch) rejected by user", Status.REJECTED, "rejected by the user"),
    (r"user cancelled MCP tool call|aborted( by user.*)?$", Status.CANCELLED, "cancelled by the user"),
    (r"MCP tool call blocked by app configuration", Status.DENIED, "blocked by the configuration"),
)
_FAILURES = tuple((re.compile(words), status, note) for words, status, note in _WORDS)
_TOLD_WORDS = (
    (r"err: |failed to parse function arguments", Status.NEVER_SENT, "the arguments could not be read"),
    (r"unsupported (custom tool )?call: ", Status.NEVER_SENT, "no such tool"),
    (r"tool call error: ", Status.PROTOCOL_ERROR, ""),
    (r"Exit code: [1-9]", Status.TOOL_ERROR, ""),
)
_TOLD = _FAILURES + tuple((re.compile(words), status, note) for words, status, note in _TOLD_WORDS)
_CODE = re.compile(r"(?:MCP|Mcp) error: (-?\d+)")


def returned(result: msgspec.Raw, place: Place) -> Outcome:
    """The outcome of a call that came back with an MCP result."""
    answer = read_answer(Message(result=result), place)
    return answer.status, answer.note, answer.result


def failed(problem: str, raw: msgspec.Raw, place: Place) -> Outcome:
    """The outcome of a call that the host says failed, in its words."""
    code = _CODE.search(problem)
    status, note = Status.PROTOCOL_ERROR, f"code {code[1]}" if code else ""
    for words, worded, meaning in _FAILURES:
        if words.match(problem):
            status, note = worded, meaning
    return status, note, ToolResult((ContentBlock("text", problem),), None, True, text_of(raw), place)


class _Ended(msgspec.Struct, frozen=True, gc=False):
    ok: msgspec.Raw = msgspec.field(default=ABSENT, name="Ok")
    err: msgspec.Raw = msgspec.field(default=ABSENT, name="Err")


class _Output(msgspec.Struct, frozen=True, gc=False):
    """An output that is an object: a part of content, or what old versions wrap around it."""

    type: str = ""
    content: msgspec.Raw = ABSENT
    success: bool | None = None


class _Part(msgspec.Struct, frozen=True, gc=False):
    type: str = "unknown"
    text: str | None = None
    image_url: str | None = None


_ENDED = msgspec.json.Decoder(_Ended)
_OUTPUT = msgspec.json.Decoder(_Output)
_PART = msgspec.json.Decoder(_Part)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])


def ended(result: msgspec.Raw, place: Place) -> Outcome:
    """The outcome in a host's event: `{"Ok": <MCP result>}` or `{"Err": "text"}`."""
    fields = part_of(_ENDED, result) or _Ended()
    if present(fields.ok):
        return returned(fields.ok, place)
    return failed(string_of(fields.err) or text_of(fields.err), result, place)


def told(output: msgspec.Raw, place: Place) -> Outcome:
    """The outcome in what the model was told: a text, a list of parts, or an object around one of them."""
    wrapped = part_of(_OUTPUT, output) if bytes(output)[:1] == b"{" else None
    content = wrapped.content if wrapped and present(wrapped.content) else output
    blocks = tuple(_blocks(content))
    status, note = _told_status(blocks[0].text if blocks else "", wrapped.success if wrapped else None)
    return status, note, ToolResult(blocks, None, status.failed, text_of(output), place)


def _told_status(text: str, success: bool | None) -> tuple[Status, str]:
    for words, status, note in _TOLD:
        if words.match(text):
            return status, note
    return (Status.TOOL_ERROR if success is False else Status.OK), ""


def _blocks(content: msgspec.Raw) -> list[ContentBlock]:
    text = string_of(content)
    if text is not None:
        return [ContentBlock("text", text)]
    listed = part_of(_LIST, content) if bytes(content)[:1] == b"[" else [content]
    return [_block(part_of(_PART, raw)) for raw in listed or () if present(raw)]


def _block(part: _Part | None) -> ContentBlock:
    if part is None:
        return ContentBlock("malformed", note="not a content part")
    if part.text is not None:
        return ContentBlock("text", part.text)
    if part.image_url is not None:
        kind, _, data = part.image_url.partition(";base64,")
        size = media.base64_size(data.encode("ascii", "replace")) if data else ""
        return ContentBlock("image", note=media.note(kind.removeprefix("data:"), size))
    return ContentBlock(part.type)
