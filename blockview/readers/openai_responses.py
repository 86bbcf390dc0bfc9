"""Reads logs of OpenAI's Responses API (requests, responses, streams) and the run states of OpenAI's Agents SDK.

The shapes are those of the SDKs' types: https://github.com/openai/openai-python,
https://github.com/openai/openai-agents-python.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from blockview.core.model import Place, Text, ToolCall
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.conversation import Event, Prompt
from blockview.readers.document import elements, member, members
from blockview.readers.head import Reader
from blockview.readers.openai_items import Item, item_events, item_of, tool_name
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

_TELLING = frozenset(
    {"function_call", "function_call_output", "mcp_call", "mcp_list_tools", "mcp_approval_request", "custom_tool_call"}
)
_ITEMS = re.compile(r"message|reasoning|compaction|item_reference|mcp_\w+|tool_search_\w+|\w+_call(_output)?")
_REQUEST = frozenset({"model", "tools", "previous_response_id", "instructions"})
_STATE = "$schemaVersion"


class _Tool(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    name: str = ""
    parameters: msgspec.Raw = ABSENT
    input_schema: msgspec.Raw = ABSENT
    tools: list[msgspec.Raw] = []


_TOOL = msgspec.json.Decoder(_Tool)


def _marks(members: Mapping[str, Any]) -> bool:
    """A response object, one of its items, or a request that has items."""
    if members.get("object") == "response" and isinstance(members.get("output"), list):
        return True
    kind = members.get("type")
    if isinstance(kind, str) and kind in _TELLING and ("call_id" in members or "server_label" in members):
        return True
    asked = members.get("input")
    return isinstance(asked, (str, list)) and "model" in members and bool(members.keys() & (_REQUEST - {"model"}))


def _is_state(members: Mapping[str, Any]) -> bool:
    return isinstance(members.get(_STATE), str) and "generated_items" in members


def _streamed(event: Mapping[str, Any]) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and kind.startswith("response.")


def _shape(parts: Parts) -> Shape | None:
    if _STATE in parts and "original_input" in parts:
        return Shape.REQUEST
    kind = text_member(parts, "type")
    if kind and _ITEMS.fullmatch(kind) and "delta" not in parts:
        return Shape.MESSAGE
    if is_array(parts, "output"):
        return Shape.RESPONSE
    if "input" in parts and parts.keys() & _REQUEST:
        return Shape.REQUEST
    return Shape.MESSAGE if "role" in parts and "content" in parts else None


def _messages(record: Record, parts: Parts) -> Iterator[Record]:
    if _STATE in parts:
        yield from _input(parts, "original_input")
        yield from _of_state(parts)
        return
    yield from _input(parts, "input")
    yield from array_member(parts, "output")


def _input(parts: Parts, name: str) -> Iterator[Record]:
    asked = parts.get(name)
    if asked is not None and asked.data[:1] == b'"':
        yield asked
    elif asked is not None:
        yield from elements(asked)


def _of_state(parts: Parts) -> Iterator[Record]:
    """The items of a run, which later versions keep as the session's, and in part as the responses they came in."""
    for name in ("session_items", "generated_items"):
        found = [raw for element in array_member(parts, name) if (raw := member(element, "raw_item")) is not None]
        if found:
            yield from found
            return
    for response in array_member(parts, "model_responses"):
        output = member(response, "output")
        if output is not None:
            yield from elements(output)


def _tools(parts: Parts) -> Iterator[Listed]:
    label = text_member(parts, "server_label") or None
    for element in array_member(parts, "tools"):
        yield from _tool(element.data, label)
    for name in ("input", "output"):
        for element in array_member(parts, name):
            if (item := item_of(element.data)) and item.type in ("mcp_list_tools", "tool_search_output"):
                yield from _tools(dict(members(element)))


def _tool(raw: bytes, label: str | None, namespace: str = "") -> Iterator[Listed]:
    tool = part_of(_TOOL, raw)
    if tool is None or not tool.name:
        return
    if tool.type == "namespace":
        for inner in tool.tools:
            yield from _tool(bytes(inner), label, tool.name)
        return
    schema = tool.input_schema if present(tool.input_schema) else tool.parameters
    server, name = (label, tool.name) if label else tool_name(tool.name, namespace)[:2]
    yield Listed(server, name, text_of(schema) if present(schema) else None)


def _events(record: Record) -> Iterator[Event]:
    if record.data[:1] == b'"':
        yield Prompt(string_of(msgspec.Raw(record.data)) or "")
    elif item := item_of(record.data):
        yield from item_events(item, record.data, record.place)


class _Streamed(msgspec.Struct, frozen=True, gc=False):
    """One event of a stream."""

    type: str = ""
    index: int = msgspec.field(default=0, name="output_index")
    item: msgspec.Raw = ABSENT
    delta: msgspec.Raw = ABSENT
    arguments: str | None = None
    input: str | None = None
    response: msgspec.Raw = ABSENT
    message: str = ""
    code: str | None = None


class _Reason(msgspec.Struct, frozen=True, gc=False):
    reason: str = ""
    message: str = ""


class _Response(msgspec.Struct, frozen=True, gc=False):
    output: list[msgspec.Raw] = []
    error: _Reason | None = None
    incomplete: _Reason | None = msgspec.field(default=None, name="incomplete_details")


_STREAMED = msgspec.json.Decoder(_Streamed)
_RESPONSE = msgspec.json.Decoder(_Response)
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed", "error"})
_ROLES = {
    "response.output_text.delta": "assistant",
    "response.refusal.delta": "assistant",
    "response.reasoning_text.delta": "thinking",
    "response.reasoning_summary_text.delta": "thinking",
}
_ARGUMENTS = re.compile(r"response\.(?:\w+_arguments|custom_tool_call_input)\.(delta|done)")


class _Coming:
    """An item as it comes in. Once it is done, it is given whole."""

    def __init__(self) -> None:
        self.raw: msgspec.Raw = ABSENT
        self.done = False
        self.arguments: list[str] = []
        self.texts: dict[str, list[str]] = {}

    def events(self, place: Place, stop: str) -> Iterator[Event]:
        """What it tells; `stop` is why the model stopped, and empty where that is not told."""
        item = item_of(self.raw) or Item()
        if self.done:
            yield from item_events(item, self.raw, place)
            return
        for role, pieces in self.texts.items():
            yield Text(role, "".join(pieces), place)
        if item.type in ("message", "reasoning"):
            return
        came = msgspec.Raw(json.dumps("".join(self.arguments)).encode())
        for event in item_events(replace(item, arguments=came, input=came), self.raw, place):
            yield as_far_as_it_came(event, stop) if isinstance(event, ToolCall) else event


def _stream(text: str, place: Place) -> Iterator[Event]:
    items: dict[int, _Coming] = {}
    stop, ended = "", False
    notes: list[Text] = []
    for record in stream_objects(text):
        event = part_of(_STREAMED, record.data) or _Streamed()
        coming = items.setdefault(event.index, _Coming()) if event.index >= 0 else _Coming()
        if present(event.item):
            coming.raw, coming.done = event.item, event.type.endswith(".done")
        elif _ARGUMENTS.fullmatch(event.type):
            _argue(coming, event)
        elif role := _ROLES.get(event.type):
            coming.texts.setdefault(role, []).append(string_of(event.delta) or "")
        elif event.type in _ENDS:
            ended = True
            response = part_of(_RESPONSE, event.response) or _Response()
            for index, raw in enumerate(response.output):
                last = items.setdefault(index, _Coming())
                last.raw, last.done = (last.raw, True) if last.done else (raw, True)
            stop = response.incomplete.reason if response.incomplete else stop
            said = response.error.message if response.error else event.message
            notes += [Text("note", f"error: {said}", place)] if said else []
    for _, one in sorted(items.items()):
        yield from one.events(place, stop)
    yield from notes
    if not ended:
        yield Text("note", STREAM_ENDS, place)


def _argue(coming: _Coming, event: _Streamed) -> None:
    whole = event.arguments if event.arguments is not None else event.input
    if whole is not None:
        coming.arguments = [whole]
    else:
        coming.arguments.append(string_of(event.delta) or "")


def _stream_tools(text: str) -> Iterator[Listed]:
    for record in stream_objects(text):
        item = part_of(_STREAMED, record.data)
        if item and present(item.item) and item.type.endswith(".done"):
            yield from _tools(dict(members(Record(record.place, bytes(item.item)))))


_RESPONSES = Dialect(
    "openai-responses",
    _marks,
    _streamed,
    _shape,
    _messages,
    _tools,
    _events,
    _stream,
    re.compile(rb'"type"\s*:\s*"response\.created"'),
    stream_tools=_stream_tools,
)

READERS: tuple[Reader, ...] = (
    ProviderLogReader(replace(_RESPONSES, format="openai-agents", marks=_is_state, streamed=lambda event: False)),
    ProviderLogReader(_RESPONSES),
)
