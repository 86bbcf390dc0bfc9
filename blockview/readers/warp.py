"""Reads what Warp's agent prints with `--output-format json`, and the YAML files that it makes of a conversation.

Both hold the arguments before Warp's own coercion, in which every number is a float. How they are written:
app/src/ai/agent_sdk/driver/output.rs and app/src/ai/agent/conversation_yaml.rs in https://github.com/warpdotdev/warp.
Neither names the server of a call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from blockview.core.answers import read_answer
from blockview.core.jsonrpc import Message
from blockview.core.lenient import decode
from blockview.core.model import ContentBlock, Place, Provenance, Session, Status, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, present, string_of, text_of
from blockview.readers.conversation import Answer, Event
from blockview.readers.document import members
from blockview.readers.head import Head, Reader
from blockview.readers.linewise import JsonTeller, read_told
from blockview.readers.records import Record
from blockview.readers.source import Source
from blockview.readers.warp_yaml import WarpYamlReader

_MCP = "call_mcp_tool"
_TOOLS = frozenset(
    {
        _MCP,
        "run_command",
        "write_to_command",
        "read_files",
        "upload_artifact",
        "search_codebase",
        "edit_files",
        "grep",
        "file_glob",
        "read_mcp_resource",
    }
)
_SYSTEM = frozenset({"conversation_started", "run_started", "shared_session_established"})
_TOLD = frozenset(
    {"update_todos", "complete_todos", "artifact_created", "num_comments_addressed", "Subagent", "SkillInvoked"}
)
_ENVELOPE = frozenset({"type", "tool", "event_type"})
_WORDS = re.compile(r"_|(?<=[a-z])(?=[A-Z])")


class _Line(msgspec.Struct, frozen=True, gc=False):
    """A line of the agent's output; which members are filled depends on its type."""

    type: str = ""
    tool: str = ""
    event: str = msgspec.field(default="", name="event_type")
    conversation: str = msgspec.field(default="", name="conversation_id")
    text: str = ""
    name: str = ""
    input: msgspec.Raw = ABSENT
    result: msgspec.Raw = ABSENT
    error: str = ""
    status: str = ""
    code: msgspec.Raw = msgspec.field(default=ABSENT, name="exit_code")
    output: msgspec.Raw = ABSENT
    rest: str = ""
    """All other members, as one JSON object. It is not recorded under this name."""


_LINE = msgspec.json.Decoder(_Line)


class WarpReader:
    """The agent's output, one JSON object a line."""

    format = "warp-agent"

    def sniff(self, head: Head) -> bool:
        """True when one of the first lines is an event that only this agent writes."""
        return not head.document and any(map(_is_warp, head.records))

    def read(self, source: Source) -> Session:
        """Read the output in one pass; blocks are decoded when they are looked at."""
        return read_told(source, self.format, _Teller())


def _is_warp(record: Mapping[str, Any]) -> bool:
    kind, tool, event = record.get("type"), record.get("tool"), record.get("event_type")
    if kind in ("tool_call", "tool_result"):
        return isinstance(tool, str) and tool in _TOOLS
    return kind == "system" and isinstance(event, str) and event in _SYSTEM


class _Teller(JsonTeller[_Line]):
    """What the lines tell. The recorder writes no ids: an answer is for the call of its tool that waits longest."""

    def __init__(self) -> None:
        super().__init__(_LINE)
        self._ids: dict[int, str] = {}
        self._guessed: set[int] = set()
        self._open: list[tuple[str, str]] = []
        self._calls = 0

    def line(self, data: bytes) -> _Line:
        """A line decoded again."""
        line = decode(_LINE, data)
        return msgspec.structs.replace(line, rest=_rest(data))

    def learn(self, place: Place, line: _Line) -> None:
        """Note the conversation's id, and which call a line belongs to."""
        self.id = self.id or line.conversation
        if line.type == "tool_call":
            self._calls += 1
            self._ids[place.byte] = f"call {self._calls}"
            self._open.append((line.tool, self._ids[place.byte]))
        elif line.type in ("tool_result", "tool_error", "tool_canceled"):
            self._ids[place.byte] = self._answered(place, line.tool)
        elif line.type not in _TOLD and line.type not in ("agent", "agent_reasoning", "system"):
            self.unknown += 1

    def _answered(self, place: Place, tool: str) -> str:
        fitting = [entry for entry in self._open if entry[0] == tool] or self._open
        if not fitting:
            return f"answer on line {place.line}"
        if len(fitting) > 1:
            self._guessed.add(place.byte)
        first = fitting[0]
        self._open.remove(first)
        return first[1]

    def events(self, place: Place, line: _Line) -> Iterator[Event]:
        """What a line tells."""
        identity = self._ids.get(place.byte, "")
        match line.type:
            case "agent" | "agent_reasoning":
                yield Text("assistant" if line.type == "agent" else "thinking", line.text, place)
            case "tool_call":
                yield _call(line, identity, place)
            case "tool_result" | "tool_error" | "tool_canceled":
                answer = _answer(line, identity, place)
                if place.byte in self._guessed:
                    note = "; ".join(filter(None, (answer.note, "the recorder writes no ids: paired by order")))
                    answer = msgspec.structs.replace(answer, note=note)
                yield answer
            case "system" if line.event and not line.conversation:
                yield Text("note", f"{_words(line.event)}: {line.rest}", place)
            case kind if kind in _TOLD:
                yield Text("note", f"{_words(kind)}: {line.rest}", place)


def _words(name: str) -> str:
    return _WORDS.sub(" ", name).lower()


def _rest(data: bytes) -> str:
    """The members of a line that tell more than what kind of line it is, as one JSON object."""
    inner = members(Record(Place(1, 0), data.strip()))
    parts = (f"{json.dumps(name)}:{text_of(value.data)}" for name, value in inner if name not in _ENVELOPE)
    return "{" + ",".join(parts) + "}"


def _call(line: _Line, identity: str, place: Place) -> ToolCall:
    if line.tool == _MCP:
        arguments = text_of(line.input) if present(line.input) else None
        return ToolCall(identity, line.name, line.name, arguments, place, provenance=Provenance.BEFORE_COERCION)
    return ToolCall(identity, line.tool, line.tool, line.rest, place, mcp=False)


def _answer(line: _Line, identity: str, place: Place) -> Answer:
    if line.type == "tool_canceled":
        return Answer(identity, Status.CANCELLED)
    if line.type == "tool_error":
        status = Status.DENIED if "was not allowed to run" in line.error else Status.TOOL_ERROR
        return Answer(identity, status, ToolResult((ContentBlock("text", line.error),), None, True, line.rest, place))
    if line.tool == _MCP:
        status, note, result = read_answer(Message(result=line.result), place)
        return Answer(identity, status, result, note)
    if line.status == "running":
        return Answer(identity, Status.BACKGROUND, None, "still running")
    output = string_of(line.output)
    content = (ContentBlock("text", line.rest if output is None else output),)
    code = text_of(line.code) if present(line.code) else "0"
    return Answer(
        identity,
        Status.OK,
        ToolResult(content, raw=line.rest, place=place),
        "" if code == "0" else f"exit code {code}",
    )


READERS: tuple[Reader, ...] = (WarpReader(), WarpYamlReader())
