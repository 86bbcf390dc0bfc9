"""Reads the messages that Cline, Roo Code and their kin keep: the history of the API, and sessions of Cline's SDK."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from blockview.core.model import (
    ContentBlock,
    Place,
    Provenance,
    Session,
    Text,
    ToolCall,
    ToolResult,
)
from blockview.core.raw import ABSENT, part_of, string_of, text_of
from blockview.readers.anthropic_blocks import CALL_TYPES, Part, RecordedPart, content_block, is_result, parts
from blockview.readers.cline_text import XmlCall, ending, heard, is_marked, name_of, xml_calls
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.document import member
from blockview.readers.elementwise import ElementTeller
from blockview.readers.head import Head, Reader
from blockview.readers.linewise import read_told
from blockview.readers.mcp_names import ToolName
from blockview.readers.records import Record
from blockview.readers.source import Source
from blockview.readers.times import at_ms

_CALL_MARK = b"<use_mcp_tool>"
_ANSWER_MARK = b"[use_mcp_tool for "


class _Message(msgspec.Struct, frozen=True, gc=False):
    role: str = ""
    content: msgspec.Raw = ABSENT
    ts: float | None = None


class _Outcome(msgspec.Struct, frozen=True, gc=False):
    success: bool | None = None


class _Wrapped(msgspec.Struct, frozen=True, gc=False):
    """The input of the client's tool that calls MCP tools."""

    server: str | None = msgspec.field(default=None, name="server_name")
    tool: str | None = msgspec.field(default=None, name="tool_name")
    arguments: msgspec.Raw = ABSENT


class _File(msgspec.Struct, frozen=True, gc=False):
    path: str = ""


_MESSAGE = msgspec.json.Decoder(_Message)
_OUTCOME = msgspec.json.Decoder(_Outcome)
_WRAPPED = msgspec.json.Decoder(_Wrapped)
_FILE = msgspec.json.Decoder(_File)
_TEXT = msgspec.json.Decoder(str)


class _Teller(ElementTeller[_Message]):
    """What messages tell. A call written as XML has no id: its result stands in the user message that follows it."""

    def __init__(self, *path: str) -> None:
        super().__init__(_MESSAGE, *path)
        self._calls = 0
        self._numbers: dict[int, int] = {}

    def about(self, whole: Record) -> None:
        """Note the session's id."""
        told = member(whole, "sessionId")
        self.id = (part_of(_TEXT, told.data) or "") if told else ""

    def learn(self, place: Place, line: _Message) -> None:
        """Number the messages that hold calls as XML, and their results."""
        content = bytes(line.content)
        if line.role == "assistant" and _CALL_MARK in content:
            self._calls += 1
            self._numbers[place.byte] = self._calls
        elif line.role == "user" and _ANSWER_MARK in content:
            self._numbers[place.byte] = self._calls

    def events(self, place: Place, line: _Message) -> Iterator[Event]:
        """What a message tells."""
        if line.role == "assistant":
            for recorded in parts(line.content):
                yield from self._said(place, line, recorded.part)
        else:
            yield from self._heard(place, line)

    def _said(self, place: Place, line: _Message, part: Part) -> Iterator[Event]:
        if part.type in CALL_TYPES:
            yield _call(place, line, part)
        elif part.type == "text":
            yield from self._with_calls(place, line, part.text or "")
        elif part.type == "thinking" and part.thinking:
            yield Text("thinking", part.thinking, place)
        elif part.type == "redacted_thinking":
            yield Text("thinking", "[redacted thinking]", place)
        elif part.type != "thinking":
            yield Text("note", f"[{part.type or 'unknown'} block]", place)

    def _with_calls(self, place: Place, line: _Message, text: str) -> Iterator[Event]:
        behind = 0
        for count, call in enumerate(xml_calls(text), 1):
            if said := text[behind : call.start].strip():
                yield Text("assistant", said, place)
            behind = call.end
            yield _xml_call(self._identity(place, count), call, place, line)
        if said := text[behind:].strip() if behind else text:
            yield Text("assistant", said, place)

    def _identity(self, place: Place, count: int = 1) -> str:
        number = self._numbers.get(place.byte, 0)
        return f"use_mcp_tool {number}" if count == 1 else f"use_mcp_tool {number}.{count}"

    def _heard(self, place: Place, line: _Message) -> Iterator[Event]:
        told = list(parts(line.content))
        results = [recorded for recorded in told if is_result(recorded.part.type)]
        for recorded in results:
            yield _answer(place, line, recorded)
        texts = (recorded.part.text or "" for recorded in told if recorded.part.type == "text")
        said = heard(texts, beside_results=bool(results))
        if said.answer is not None:
            yield _xml_answer(self._identity(place), said.answer, place, line)
        others = (one for one in told if one.part.type != "text" and not is_result(one.part.type))
        prompts = [*said.prompts, *map(_attached, others)]
        if prompts:
            yield Prompt("\n".join(prompts), when=at_ms(line.ts))
        for note in said.notes:
            yield Text("note", note, place)


def _attached(recorded: RecordedPart) -> str:
    block = content_block(recorded.part)
    file = part_of(_FILE, recorded.raw) if block.kind == "file" else None
    return f"[{block.kind}: {file.path if file else block.note}]"


def _call(place: Place, line: _Message, part: Part) -> ToolCall:
    name, arguments = name_of(part.name or ""), text_of(part.input) if len(part.input) else None
    wrapped = part_of(_WRAPPED, part.input) if part.name == "use_mcp_tool" else None
    if wrapped is not None and wrapped.tool is not None:
        name = ToolName(wrapped.server, wrapped.tool, mcp=True)
        arguments = string_of(wrapped.arguments)
        if arguments is None and len(wrapped.arguments):
            arguments = text_of(wrapped.arguments)
    return ToolCall(
        part.id or "",
        part.name or "",
        name.tool,
        arguments,
        place,
        server=name.server,
        mcp=name.mcp,
        inferred=name.inferred,
        provenance=Provenance.MODEL,
        status_note="no result is recorded",
        started=at_ms(line.ts),
    )


def _xml_call(identity: str, call: XmlCall, place: Place, line: _Message) -> ToolCall:
    return ToolCall(
        identity,
        "use_mcp_tool",
        call.tool or "use_mcp_tool",
        call.arguments,
        place,
        server=call.server or None,
        provenance=Provenance.MODEL,
        status_note="no result is recorded",
        started=at_ms(line.ts),
    )


def _answer(place: Place, line: _Message, recorded: RecordedPart) -> Answer:
    """The answer in a result block; Cline's own tools give objects without a type, which say whether all went well."""
    part, content, failed = recorded.part, list[ContentBlock](), bool(recorded.part.is_error)
    for inner in parts(part.content):
        if inner.part.type is None:
            content.append(ContentBlock("text", text_of(inner.raw)))
            failed |= (part_of(_OUTCOME, inner.raw) or _Outcome()).success is False
        else:
            content.append(content_block(inner.part))
    result = ToolResult(tuple(content), None, failed, text_of(recorded.raw), place)
    status, note = ending(result.text, failed=failed)
    result = msgspec.structs.replace(result, is_error=status.failed)
    return Answer(part.tool_use_id or "", status, result, note, at_ms(line.ts), provenance=Provenance.MODEL)


def _xml_answer(identity: str, text: str, place: Place, line: _Message) -> Answer:
    status, note = ending(text)
    result = ToolResult((ContentBlock("text", text),), None, status.failed, text, place)
    return Answer(identity, status, result, note, at_ms(line.ts), provenance=Provenance.MODEL)


class HistoryReader:
    """`api_conversation_history.json`: an array of messages in Anthropic's shape."""

    format = "cline-history"

    def sniff(self, head: Head) -> bool:
        """True for an array of messages that have a time, or texts that only these clients write."""
        messages = head.records
        shaped = all(one.get("role") in ("user", "assistant") and "content" in one for one in messages)
        return head.document == "array" and bool(messages) and shaped and any(map(_is_telling, messages))

    def read(self, source: Source) -> Session:
        """Read the document in one pass; blocks are decoded when they are looked at."""
        return read_told(source, self.format, _Teller())


def _is_telling(message: dict[str, Any]) -> bool:
    content = message["content"]
    texts = [part.get("text") for part in content if isinstance(part, dict)] if isinstance(content, list) else [content]
    return isinstance(message.get("ts"), (int, float)) or any(
        isinstance(text, str) and is_marked(text) for text in texts
    )


class SdkReader:
    """`session.messages.json` of Cline's SDK and command line."""

    format = "cline-sdk"

    def sniff(self, head: Head) -> bool:
        """True for a document of messages that names the agent and the session."""
        marks = {"messages", "agent", "sessionId"}
        return len(head.records) == 1 and head.document != "array" and head.records[0].keys() >= marks

    def read(self, source: Source) -> Session:
        """Read the document in one pass; blocks are decoded when they are looked at."""
        return read_told(source, self.format, _Teller("messages"))


READERS: tuple[Reader, ...] = (HistoryReader(), SdkReader())
