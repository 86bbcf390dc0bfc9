"""Content blocks of Anthropic messages: text, thinking, tool calls and tool results, with their recorded characters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from blockview.core import media
from blockview.core.jsontext import decode_string
from blockview.core.model import ContentBlock, Place, ToolResult
from blockview.core.raw import first_byte, part_of, present, text_of

CALL_TYPES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
"""Blocks that call a tool: the client's, the provider's own, and MCP tools that the provider calls."""

_RESULT_ENDING = "tool_result"


def is_result(kind: str | None) -> bool:
    """True for a block that answers a call: `tool_result`, `mcp_tool_result`, `web_search_tool_result`."""
    return kind is not None and kind.endswith(_RESULT_ENDING)


class _Media(msgspec.Struct, gc=False):
    type: str | None = None
    media_type: str | None = None
    data: msgspec.Raw = msgspec.Raw()
    url: str | None = None


class _Resource(msgspec.Struct, rename="camel", gc=False):
    uri: str | None = None
    mime_type: str | None = None


class Part(msgspec.Struct, gc=False):
    """One content block; which members are filled depends on its type."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    server_name: str | None = None
    input: msgspec.Raw = msgspec.Raw()
    tool_use_id: str | None = None
    content: msgspec.Raw = msgspec.Raw()
    is_error: bool | None = None
    source: _Media | None = None
    data: msgspec.Raw = msgspec.Raw()
    mime_type: str | None = msgspec.field(default=None, name="mimeType")
    tool_name: str | None = None
    title: str | None = None
    uri: str | None = None
    resource: _Resource | None = None


class RecordedPart(NamedTuple):
    """A content block and its recorded JSON text."""

    part: Part
    raw: msgspec.Raw


_PART = msgspec.json.Decoder(Part)
_PARTS = msgspec.json.Decoder(list[Part])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])


def parts(content: msgspec.Raw) -> Iterator[RecordedPart]:
    """The blocks of a message's or a result's content, which is a string, a list of blocks, a block, or absent."""
    start = first_byte(content)
    if start == b"[":
        raws = part_of(_LIST, content) or ()
        held = _blocks(content)
        yield from map(RecordedPart, map(_part, raws) if held is None else held, raws)
    elif start and present(content):
        yield RecordedPart(_part(content), content)


def _blocks(content: msgspec.Raw) -> list[Part] | None:
    """A list of blocks, decoded at once; None where one of them is no block as expected."""
    try:
        return _PARTS.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _part(raw: msgspec.Raw) -> Part:
    if first_byte(raw) == b'"':
        return Part(type="text", text=decode_string(text_of(raw)))
    return part_of(_PART, raw) or Part(type="unknown")


def content_block(part: Part) -> ContentBlock:
    """A block as it is shown; what is not text becomes a note on its type and size, never its data."""
    kind = part.type or "unknown"
    if kind == "text":
        return ContentBlock("text", part.text or "")
    if part.resource is not None:
        return ContentBlock(kind, note=media.note(part.resource.uri, part.resource.mime_type))
    if part.source is not None:
        # Only base64 data has a size of its own; a text document carries its text there.
        held = media.base64_size(part.source.data) if part.source.type == "base64" else part.source.url
        note = media.note(part.title, part.source.media_type, held)
        return ContentBlock(kind, note=note, digest=media.digest(bytes(part.source.data)))
    size = media.base64_size(part.data)
    return ContentBlock(kind, note=media.note(part.tool_name, part.uri, part.name, part.mime_type, size))


def tool_result(recorded: RecordedPart, structured: str | None, place: Place) -> ToolResult:
    """The result in a `tool_result` block. `structured` is the structured content, which stands elsewhere."""
    part, raw = recorded
    held = _blocks(part.content)
    if held is None:
        held = [inner.part for inner in parts(part.content)]
    content = tuple(map(content_block, held))
    return ToolResult(content, structured, bool(part.is_error), text_of(raw), place)
