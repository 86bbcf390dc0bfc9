"""Spans of an agent's trace: what each of them tells, with the recorded characters of its attributes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property

import msgspec

from blockview.core.jsontext import JsonError, parse
from blockview.core.model import ContentBlock, Place, Status, ToolCall, ToolResult, ToolSpec
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.mcp_names import ToolName, resolve

_DEPTH = 100
_NAMES = ("gen_ai.tool.name", "mcp.tool.name", "tool.name", "ai.toolCall.name", "tool_name")
_IDS = ("gen_ai.tool.call.id", "tool.call_id", "ai.toolCall.id")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "ai.toolCall.args", "input.value", "tool.parameters")
_RESULTS = ("gen_ai.tool.call.result", "ai.toolCall.result", "output.value")
_SERVERS = ("mcp.server.name", "gen_ai.tool.server.name")
_PROMPTS = ("gen_ai.prompt", "gen_ai.input.messages", "input.value")
_CODES = ("rpc.response.status_code", "rpc.jsonrpc.error_code", "jsonrpc.error.code")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Value(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    string_value: msgspec.Raw = ABSENT
    int_value: msgspec.Raw = ABSENT
    double_value: msgspec.Raw = ABSENT
    bool_value: msgspec.Raw = ABSENT
    array_value: msgspec.Raw = ABSENT
    kvlist_value: msgspec.Raw = ABSENT


class _Attribute(msgspec.Struct, frozen=True, gc=False):
    key: str = ""
    value: msgspec.Raw = ABSENT


class _Values(msgspec.Struct, frozen=True, gc=False):
    values: list[msgspec.Raw] = []


class _Status(msgspec.Struct, frozen=True, gc=False):
    code: msgspec.Raw = ABSENT
    message: str = ""


_VALUE = msgspec.json.Decoder(_Value)
_ATTRIBUTE = msgspec.json.Decoder(_Attribute)
_VALUES = msgspec.json.Decoder(_Values)


class Attributes:
    """The attributes of a span, by name."""

    def __init__(self, listed: list[_Attribute]) -> None:
        self._values = {attribute.key: attribute.value for attribute in listed}

    def text(self, *names: str) -> str:
        """The first of these attributes that is there, as text; empty when none is."""
        return self.maybe(*names) or ""

    def maybe(self, *names: str) -> str | None:
        """The first of these attributes that is there: the text of a string, any other value as JSON text."""
        for name in names:
            if name in self._values:
                return _written(self._values[name])
        return None

    def has(self, *names: str) -> bool:
        """True when one of these attributes is there."""
        return any(name in self._values for name in names)


class Span(msgspec.Struct, frozen=True, rename="camel", dict=True):
    """A span as recorded."""

    id: str = msgspec.field(default="", name="spanId")
    trace: str = msgspec.field(default="", name="traceId")
    parent: str = msgspec.field(default="", name="parentSpanId")
    name: str = ""
    start_time_unix_nano: msgspec.Raw = ABSENT
    end_time_unix_nano: msgspec.Raw = ABSENT
    attributes: list[_Attribute] = []
    status: _Status = _Status()

    @cached_property
    def values(self) -> Attributes:
        """The attributes by name."""
        return Attributes(self.attributes)

    @cached_property
    def start(self) -> int:
        """When the span began, in nanoseconds since 1970; 0 when that is not told."""
        return _nanoseconds(self.start_time_unix_nano)

    @property
    def end(self) -> int:
        """When the span ended, in nanoseconds since 1970; 0 when that is not told."""
        return _nanoseconds(self.end_time_unix_nano)

    @property
    def is_agent(self) -> bool:
        """True for the run of an agent."""
        kind = self.values.text("openinference.span.kind")
        return self.values.text("gen_ai.operation.name") in ("invoke_agent", "create_agent") or kind == "AGENT"

    @property
    def is_mcp(self) -> bool:
        """True for the call of a tool as an MCP client or server sees it."""
        return self.values.text("mcp.method.name") == "tools/call" or self.name == "mcp.tools.call"

    @property
    def is_call(self) -> bool:
        """True for the call of a tool."""
        values = self.values
        return (
            values.text("gen_ai.operation.name") == "execute_tool"
            or self.is_mcp
            or values.text("openinference.span.kind") == "TOOL"
            or values.has("ai.toolCall.name")
        )

    @property
    def is_told(self) -> bool:
        """True for what belongs into a conversation."""
        return self.is_agent or self.is_call

    @property
    def call_id(self) -> str:
        """The id of the call, which is the span's own where none is recorded; empty when it is no call."""
        return (self.values.text(*_IDS) or self.id) if self.is_call else ""


SPAN = msgspec.json.Decoder(Span)


def span_events(span: Span, place: Place, above: str) -> Iterator[Event]:
    """What a span tells.

    Args:
        span: The span.
        place: Where it stands.
        above: The call in whose span this one is; empty where it is in none.
    """
    if span.is_agent:
        yield Prompt(_prompt(span.values), span.name, _moment(span.start))
    elif span.is_call:
        again = bool(above) and span.is_mcp
        identity = above if again else span.call_id
        call = _call(span, identity, place)
        answer = _answer(span, identity, place)
        # A span that tells a call again, and nothing that is new, does not stand before one that tells more.
        if call.arguments is not None or not again:
            yield call
        if span.end and (answer.result or not again):
            yield answer


def listed_tools(definitions: str, place: Place) -> Iterator[ToolSpec]:
    """The tools that the model was offered, out of the JSON text that a span has of them."""
    try:
        tree = parse(definitions, lax=True)
    except JsonError:
        return
    for number in tree.children(0):
        found = {tree.nodes[child].key: child for child in tree.children(number)}
        inner = found.get("function")
        if inner is not None:
            found = {tree.nodes[child].key: child for child in tree.children(inner)}
        schema = next((found[key] for key in ("parameters", "inputSchema", "input_schema") if key in found), None)
        if "name" in found:
            name = resolve(string_of(msgspec.Raw(tree.literal(found["name"]).encode())) or "")
            yield ToolSpec(name.server, name.tool, None if schema is None else tree.literal(schema), place.line)


def _prompt(attributes: Attributes) -> str:
    """What the agent was asked; a list of messages stays as it is recorded."""
    return attributes.text(*_PROMPTS)


def _call(span: Span, identity: str, place: Place) -> ToolCall:
    values = span.values
    name = values.text(*_NAMES) or span.name.removeprefix("execute_tool ").removeprefix("tools/call ")
    known = _named(span, name)
    arguments = values.maybe(*_ARGUMENTS)
    return ToolCall(
        identity,
        name,
        known.tool,
        arguments,
        place,
        known.server,
        known.mcp,
        known.inferred,
        started=_moment(span.start),
    )


def _named(span: Span, name: str) -> ToolName:
    server = span.values.text(*_SERVERS) or None
    known = resolve(name, (server,) if server else ())
    if server and not known.mcp:
        return ToolName(server, name, mcp=True)
    return ToolName(None, name, mcp=True) if span.is_mcp and not known.mcp else known


def _answer(span: Span, identity: str, place: Place) -> Answer:
    values = span.values
    text = values.maybe(*_RESULTS)
    error = values.text("error.type")
    failed = bool(error) or text_of(span.status.code) in ("2", '"STATUS_CODE_ERROR"')
    status, note = Status.OK, "" if text is not None else "the result is not recorded"
    if failed:
        code = values.text(*_CODES)
        status = Status.PROTOCOL_ERROR if code and error != "tool_error" else Status.TOOL_ERROR
        note = ": ".join(filter(None, (f"code {code}" if code else error, span.status.message)))
    content = (ContentBlock("text", text),) if text is not None else ()
    result = ToolResult(content, None, failed, text or "", place) if content or failed else None
    duration = (span.end - span.start) / 1e6 if span.start and span.end >= span.start else None
    return Answer(identity, status, result, note, duration_ms=duration)


def _written(raw: msgspec.Raw) -> str:
    value = part_of(_VALUE, raw) or _Value()
    text = string_of(value.string_value)
    return _json(raw, _DEPTH) if text is None else text


def _json(raw: msgspec.Raw, depth: int) -> str:
    """An attribute's value as JSON text, in which numbers have their recorded characters.

    What is nested more than `depth` times is left in OTLP's own encoding.
    """
    if not depth:
        return text_of(raw)
    value = part_of(_VALUE, raw) or _Value()
    if present(value.array_value):
        inner = part_of(_VALUES, value.array_value) or _Values()
        return "[" + ",".join(_json(one, depth - 1) for one in inner.values) + "]"
    if present(value.kvlist_value):
        listed = part_of(_VALUES, value.kvlist_value) or _Values()
        pairs = (part_of(_ATTRIBUTE, one) or _Attribute() for one in listed.values)
        return "{" + ",".join(f"{json.dumps(pair.key)}:{_json(pair.value, depth - 1)}" for pair in pairs) + "}"
    if present(value.int_value):
        # A 64-bit integer is a string in this encoding.
        return string_of(value.int_value) or text_of(value.int_value)
    for member in (value.string_value, value.double_value, value.bool_value):
        if present(member):
            return text_of(member)
    return "null"


def _nanoseconds(raw: msgspec.Raw) -> int:
    digits = string_of(raw) or text_of(raw)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0


def _moment(nanoseconds: int) -> datetime | None:
    try:
        return _EPOCH + timedelta(microseconds=nanoseconds // 1000) if nanoseconds else None
    except OverflowError:
        return None
