"""Reads logs of Anthropic's Messages API: requests, responses and streams.

The shapes are those of the SDK's types: https://github.com/anthropics/anthropic-sdk-python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from blockview.core.model import Place, Provenance, Text, ToolCall
from blockview.core.raw import ABSENT, part_of, present, text_of
from blockview.readers.anthropic_blocks import (
    CALL_TYPES,
    Part,
    RecordedPart,
    content_block,
    is_result,
    parts,
    tool_result,
)
from blockview.readers.claude_lines import said
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.head import Reader
from blockview.readers.mcp_names import resolve
from blockview.readers.outcomes import outcome
from blockview.readers.provider_log import (
    STREAM_ENDS,
    Dialect,
    Listed,
    Parts,
    ProviderLogReader,
    Shape,
    array_member,
    as_far_as_it_came,
    is_array,
    stream_objects,
    text_member,
)
from blockview.readers.records import Record

_TYPED = frozenset({"tool_use", "tool_result", "mcp_tool_use", "mcp_tool_result", "server_tool_use", "thinking"})
_ROLES = frozenset({"user", "assistant"})
_ANSWER = frozenset({"stop_reason", "stop_sequence"})


class _Message(msgspec.Struct, frozen=True, gc=False):
    role: str = ""
    content: msgspec.Raw = ABSENT
    type: str = ""
    error: msgspec.Raw = ABSENT
    stop: str | None = msgspec.field(default=None, name="stop_reason")


class _Error(msgspec.Struct, frozen=True, gc=False):
    type: str = "error"
    message: str = ""


class _Tool(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    schema: msgspec.Raw = msgspec.field(default=ABSENT, name="input_schema")


class _Delta(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    text: str = ""
    thinking: str = ""
    json: str = msgspec.field(default="", name="partial_json")
    stop: str | None = msgspec.field(default=None, name="stop_reason")


class _Streamed(msgspec.Struct, frozen=True, gc=False):
    """One event of a stream."""

    type: str = ""
    index: int = 0
    block: msgspec.Raw = msgspec.field(default=ABSENT, name="content_block")
    delta: _Delta = _Delta()
    error: msgspec.Raw = ABSENT


_MESSAGE = msgspec.json.Decoder(_Message)
_ERROR = msgspec.json.Decoder(_Error)
_TOOL = msgspec.json.Decoder(_Tool)
_STREAMED = msgspec.json.Decoder(_Streamed)
_PART = msgspec.json.Decoder(Part)


def _marks(members: Mapping[str, Any]) -> bool:
    """An answer, a request whose tools or blocks are Anthropic's, or a message with such blocks.

    The messages of a request that was cut off in them are None.
    """
    role, content = members.get("role"), members.get("content")
    if members.get("type") == "message" and isinstance(content, list) and members.keys() & _ANSWER:
        return True
    if isinstance(role, str) and role in _ROLES and isinstance(content, list):
        return any(isinstance(block, dict) and _kind(block) in _TYPED for block in content)
    tools, messages = members.get("tools"), members.get("messages")
    if "messages" not in members or not (messages is None or isinstance(messages, list)):
        return False
    if "anthropic_version" in members or ("system" in members and "max_tokens" in members):
        return True
    return isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)


def _kind(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""


def _streamed(event: Mapping[str, Any]) -> bool:
    return _kind(event) in ("message_start", "content_block_start", "content_block_delta")


def _shape(parts: Parts) -> Shape | None:
    if is_array(parts, "messages"):
        return Shape.REQUEST
    kind = text_member(parts, "type")
    if kind == "message" and "content" in parts:
        return Shape.RESPONSE
    if kind == "error" and "error" in parts:
        return Shape.MESSAGE
    return Shape.MESSAGE if text_member(parts, "role") in _ROLES and "content" in parts else None


def _messages(record: Record, parts: Parts) -> Iterator[Record]:
    if is_array(parts, "messages"):
        yield from array_member(parts, "messages")
    else:
        yield record


def _tools(parts: Parts) -> Iterator[Listed]:
    for element in array_member(parts, "tools"):
        tool = part_of(_TOOL, element.data)
        if tool and tool.name and present(tool.schema):
            name = resolve(tool.name)
            yield Listed(name.server, name.tool, text_of(tool.schema))


def _events(record: Record) -> Iterator[Event]:
    message = part_of(_MESSAGE, record.data)
    if message is None:
        return
    if message.type == "error":
        yield from _error(message.error, record.place)
    elif message.role == "user":
        yield from _from_user(message.content, record.place)
    elif message.role == "assistant":
        for recorded in parts(message.content):
            yield from _from_assistant(recorded, record.place)


def _error(raw: msgspec.Raw, place: Place) -> Iterator[Event]:
    error = part_of(_ERROR, raw) or _Error()
    yield Text("note", f"{error.type}: {error.message}", place)


def _from_user(content: msgspec.Raw, place: Place) -> Iterator[Event]:
    """A prompt; or results, beside which any text is a remark of the client."""
    texts: list[str] = []
    answered = False
    for recorded in parts(content):
        if is_result(recorded.part.type):
            answered = True
            yield _answer(recorded, place)
        else:
            block = content_block(recorded.part)
            texts.append(block.text if block.kind == "text" else f"[{block.kind} block]")
    told = said(texts)
    if told.prompt is not None:
        yield Text("note", told.prompt, place) if answered else Prompt(told.prompt)
    for note in told.notes:
        yield Text("note", note, place)


def _from_assistant(recorded: RecordedPart, place: Place) -> Iterator[Event]:
    part = recorded.part
    if part.type in CALL_TYPES:
        yield _call(part, text_of(part.input) if len(part.input) else None, place)
    elif is_result(part.type):
        yield _answer(recorded, place)
    elif part.type == "thinking":
        if part.thinking:
            yield Text("thinking", part.thinking, place)
    elif part.type == "redacted_thinking":
        yield Text("note", "redacted thinking", place)
    elif part.type == "text":
        if part.text:
            yield Text("assistant", part.text, place)
    else:
        block = content_block(part)
        yield Text("note", f"{block.kind} {block.note}".rstrip(), place)


def _call(part: Part, arguments: str | None, place: Place) -> ToolCall:
    """The provider itself is the host of the connector's MCP calls and of its own tools."""
    name = part.name or ""
    if part.type == "mcp_tool_use":
        return ToolCall(part.id or "", name, name, arguments, place, part.server_name)
    if part.type == "server_tool_use":
        return ToolCall(part.id or "", name, name, arguments, place, mcp=False)
    known = resolve(name)
    return ToolCall(
        part.id or "",
        name,
        known.tool,
        arguments,
        place,
        known.server,
        known.mcp,
        known.inferred,
        provenance=Provenance.MODEL,
    )


def _answer(recorded: RecordedPart, place: Place) -> Answer:
    result = tool_result(recorded, None, place)
    failed = result.is_error or any(block.kind.endswith("_error") for block in result.content)
    status, note = outcome(result.text, is_error=failed, denial=None)
    return Answer(recorded.part.tool_use_id or "", status, result, note)


class _Block:
    """A content block as it comes in."""

    def __init__(self, raw: msgspec.Raw) -> None:
        self.recorded = RecordedPart(part_of(_PART, raw) or Part(), raw)
        self.pieces: list[str] = []

    def add(self, delta: _Delta) -> None:
        """Take in one piece."""
        self.pieces.append(delta.text or delta.thinking or delta.json)

    def events(self, place: Place, stop: str) -> Iterator[Event]:
        """What the block tells; `stop` is why the model stopped, and empty where that is not told."""
        part, came = self.recorded.part, "".join(self.pieces)
        if part.type in CALL_TYPES:
            arguments = came if came.strip() else text_of(part.input) or "{}"
            yield as_far_as_it_came(_call(part, arguments, place), stop)
            return
        if part.type == "text":
            part.text = (part.text or "") + came
        elif part.type == "thinking":
            part.thinking = (part.thinking or "") + came
        yield from _from_assistant(self.recorded, place)


def _stream(text: str, place: Place) -> Iterator[Event]:
    blocks: dict[int, _Block] = {}
    stop, ended = "", True
    for record in stream_objects(text):
        event = part_of(_STREAMED, record.data) or _Streamed()
        if event.type == "message_start":
            yield from _told(blocks, place, stop)
            blocks, stop, ended = {}, "", False
        elif event.type == "content_block_start":
            blocks[event.index] = _Block(event.block)
        elif event.type == "content_block_delta" and event.index in blocks:
            blocks[event.index].add(event.delta)
        elif event.type == "message_delta":
            stop = event.delta.stop or stop
        elif event.type == "message_stop":
            ended = True
        elif event.type == "error":
            yield from _error(event.error, place)
    yield from _told(blocks, place, stop)
    if not ended:
        yield Text("note", STREAM_ENDS, place)


def _told(blocks: Mapping[int, _Block], place: Place, stop: str) -> Iterator[Event]:
    for _, block in sorted(blocks.items()):
        yield from block.events(place, stop)


READERS: tuple[Reader, ...] = (
    ProviderLogReader(
        Dialect(
            "anthropic-messages",
            _marks,
            _streamed,
            _shape,
            _messages,
            _tools,
            _events,
            _stream,
            re.compile(rb'"type"\s*:\s*"message_start"'),
        )
    ),
)
