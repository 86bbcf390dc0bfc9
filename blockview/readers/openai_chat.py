"""Reads logs of OpenAI's Chat Completions API and of the many servers that copy it: requests, responses and streams.

The shapes are those of the SDK's types: https://github.com/openai/openai-python. Copies of the API leave ids out, use
them again, or give arguments as an object: all of that is taken. Nothing in this API says that a tool is MCP's but its
name, so server and tool are always a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from blockview.core.model import Place, Provenance, Status, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.anthropic_blocks import content_block, parts
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.document import member
from blockview.readers.flat_names import resolve_flat
from blockview.readers.head import Reader
from blockview.readers.mcp_names import ToolName, resolve
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
from blockview.readers.sse import DONE, server_events

_ROLES = frozenset({"user", "assistant", "tool", "function", "system", "developer"})
_SPLIT = re.compile(r"([^_].*?)__(.+)", re.DOTALL)


class _Function(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    arguments: msgspec.Raw = ABSENT
    parameters: msgspec.Raw = ABSENT


class _Call(msgspec.Struct, frozen=True, gc=False):
    id: str = ""
    index: int | None = None
    type: str = "function"
    function: _Function | None = None
    custom: msgspec.Raw = ABSENT


class _Custom(msgspec.Struct, frozen=True, gc=False):
    name: str = ""
    input: str | None = None


class _Message(msgspec.Struct, frozen=True, gc=False):
    """A message, or a piece of one as it is streamed."""

    role: str = ""
    content: msgspec.Raw = ABSENT
    reasoning: msgspec.Raw = msgspec.field(default=ABSENT, name="reasoning_content")
    thoughts: msgspec.Raw = msgspec.field(default=ABSENT, name="reasoning")
    refusal: str | None = None
    calls: list[_Call] | None = msgspec.field(default=None, name="tool_calls")
    function: _Function | None = msgspec.field(default=None, name="function_call")
    call_id: str = msgspec.field(default="", name="tool_call_id")
    name: str = ""


class _Choice(msgspec.Struct, frozen=True, gc=False):
    index: int = 0
    delta: _Message = _Message()
    finish: str | None = msgspec.field(default=None, name="finish_reason")


class _Chunk(msgspec.Struct, frozen=True, gc=False):
    choices: list[_Choice] = []
    error: msgspec.Raw = ABSENT


_MESSAGE = msgspec.json.Decoder(_Message)
_CUSTOM = msgspec.json.Decoder(_Custom)
_CHUNK = msgspec.json.Decoder(_Chunk)
_FUNCTION = msgspec.json.Decoder(_Function)


def _marks(members: Mapping[str, Any]) -> bool:
    """A list of messages, a response's choices, or a message with calls or a call's result.

    The messages of a request that was cut off in them are None.
    """
    messages = members.get("messages")
    if messages is None and "messages" in members and "model" in members:
        return True
    if isinstance(messages, list) and any(map(_is_message, messages)):
        return True
    choices = members.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict) and "message" in choices[0]:
        return True
    return _is_message(members) and ("tool_calls" in members or "tool_call_id" in members)


def _is_message(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    role = value.get("role")
    return isinstance(role, str) and role in _ROLES and ("content" in value or "tool_calls" in value)


def _streamed(event: Mapping[str, Any]) -> bool:
    choices = event.get("choices")
    if event.get("object") == "chat.completion.chunk":
        return True
    return isinstance(choices, list) and any(isinstance(choice, dict) and "delta" in choice for choice in choices)


def _shape(parts: Parts) -> Shape | None:
    if is_array(parts, "messages"):
        return Shape.REQUEST
    if is_array(parts, "choices"):
        return Shape.RESPONSE
    told = "content" in parts or "tool_calls" in parts
    return Shape.MESSAGE if told and text_member(parts, "role") in _ROLES else None


def _messages(record: Record, parts: Parts) -> Iterator[Record]:
    yield from array_member(parts, "messages")
    for choice in array_member(parts, "choices"):
        message = member(choice, "message")
        if message is not None:
            yield message


def _tools(parts: Parts) -> Iterator[Listed]:
    for name in ("tools", "functions"):
        for element in array_member(parts, name):
            inner = element if name == "functions" else member(element, "function")
            function = part_of(_FUNCTION, inner.data) if inner else None
            if function and function.name:
                known = _named(function.name)
                schema = text_of(function.parameters) if present(function.parameters) else None
                yield Listed(known.server, known.tool, schema)


def _named(name: str) -> ToolName:
    """Which server and tool a name means; `server__tool` is a habit of MCP clients."""
    if name.startswith("mcp__"):
        return resolve(name)
    if name.startswith("mcp_"):
        return resolve_flat(name)
    match = _SPLIT.fullmatch(name)
    return ToolName(match[1], match[2], mcp=True, inferred=True) if match else ToolName(None, name, mcp=False)


def _events(record: Record) -> Iterator[Event]:
    message = part_of(_MESSAGE, record.data)
    if message is None:
        return
    if message.role == "user":
        yield Prompt("\n".join(_shown(message.content)))
    elif message.role == "assistant" or message.calls:
        yield from _from_assistant(message, record.place)
    elif message.role in ("tool", "function"):
        content = tuple(content_block(recorded.part) for recorded in parts(message.content))
        result = ToolResult(content, raw=text_of(record.data), place=record.place)
        yield Answer(message.call_id, Status.OK, result)


def _shown(content: msgspec.Raw) -> Iterator[str]:
    for recorded in parts(content):
        block = content_block(recorded.part)
        yield block.text if block.kind == "text" else f"[{block.kind} block]"


def _from_assistant(message: _Message, place: Place) -> Iterator[Event]:
    if thinking := string_of(message.reasoning) or string_of(message.thoughts):
        yield Text("thinking", thinking, place)
    for text in filter(None, (*_shown(message.content), message.refusal)):
        yield Text("assistant", text, place)
    for call in message.calls or ():
        yield _call(call, place)
    if message.function:
        yield _call(_Call(function=message.function), place)


def _call(call: _Call, place: Place) -> ToolCall:
    if custom := part_of(_CUSTOM, call.custom) if present(call.custom) else None:
        return ToolCall(call.id, custom.name, custom.name, custom.input, place, mcp=False, provenance=Provenance.MODEL)
    function = call.function or _Function()
    arguments = string_of(function.arguments)
    if arguments is None and present(function.arguments):
        arguments = text_of(function.arguments)
    return _asked(call.id, function.name, arguments, place)


def _asked(identity: str, name: str, arguments: str | None, place: Place) -> ToolCall:
    known = _named(name)
    return ToolCall(
        identity,
        name,
        known.tool,
        arguments,
        place,
        known.server,
        known.mcp,
        known.inferred,
        provenance=Provenance.MODEL,
    )


class _Growing:
    """A call as it comes in."""

    def __init__(self) -> None:
        self.id = self.name = ""
        self.pieces: list[str] = []

    def add(self, piece: _Call) -> None:
        """Take in a piece of it."""
        function = piece.function or _Function()
        self.id = self.id or piece.id
        # Some servers send the name with every piece, none sends it in pieces.
        self.name = self.name or function.name
        text = string_of(function.arguments)
        self.pieces.append(text_of(function.arguments) if text is None and present(function.arguments) else text or "")

    def done(self, finish: str, place: Place) -> ToolCall:
        """The call; `finish` is why the model stopped, and empty where that is not told."""
        return as_far_as_it_came(_asked(self.id, self.name, "".join(self.pieces), place), finish)


class _Coming:
    """One choice of a response as it comes in."""

    def __init__(self) -> None:
        self.finish = ""
        self._thinking: list[str] = []
        self._text: list[str] = []
        self._calls: list[_Growing] = []
        self._by_index: dict[int, _Growing] = {}

    def add(self, choice: _Choice) -> None:
        """Take in a piece of it."""
        delta = choice.delta
        self.finish = choice.finish or self.finish
        self._thinking.append(string_of(delta.reasoning) or string_of(delta.thoughts) or "")
        self._text.append("".join(_shown(delta.content)) or delta.refusal or "")
        for piece in delta.calls or ():
            self._growing(piece).add(piece)
        if delta.function:
            piece = _Call(function=delta.function)
            self._growing(piece).add(piece)

    def _growing(self, piece: _Call) -> _Growing:
        index = piece.index if piece.index is not None else -1
        growing = self._by_index.get(index)
        # Some servers send every call with the index 0: a new id is a new call.
        if growing is None or (piece.id and growing.id and piece.id != growing.id):
            growing = self._by_index[index] = _Growing()
            self._calls.append(growing)
        return growing

    def events(self, place: Place) -> Iterator[Event]:
        """What came."""
        for role, pieces in (("thinking", self._thinking), ("assistant", self._text)):
            if text := "".join(pieces):
                yield Text(role, text, place)
        for call in self._calls:
            yield call.done(self.finish, place)


def _stream(text: str, place: Place) -> Iterator[Event]:
    coming: dict[int, _Coming] = {}
    for record in stream_objects(text):
        chunk = part_of(_CHUNK, record.data) or _Chunk()
        for choice in chunk.choices:
            # Ids of chunks tell nothing: some servers give every chunk one of its own.
            if choice.index in coming and coming[choice.index].finish and choice.delta != _Message():
                yield from coming.pop(choice.index).events(place)
            coming.setdefault(choice.index, _Coming()).add(choice)
        if present(chunk.error):
            yield Text("note", f"error: {text_of(chunk.error)}", place)
    for one in coming.values():
        yield from one.events(place)
    if not all(one.finish for one in coming.values()) and DONE not in (event.data for event in server_events(text)):
        yield Text("note", STREAM_ENDS, place)


READERS: tuple[Reader, ...] = (
    ProviderLogReader(
        Dialect(
            "openai-chat",
            _marks,
            _streamed,
            _shape,
            _messages,
            _tools,
            _events,
            _stream,
            re.compile(rb"(?!)"),
            pairs=True,
        )
    ),
)
