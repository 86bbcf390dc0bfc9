"""Reads the events that GitHub's Copilot CLI keeps of its sessions.

The model's request for a call stands in its message, the call itself in `tool.execution_start` and `_complete`: the
host is believed. Source of the names: github/copilot-sdk, `nodejs/src/generated/session-events.ts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from blockview.core.answers import read_answer
from blockview.core.jsonrpc import Message
from blockview.core.lenient import decode
from blockview.core.model import ContentBlock, Place, Provenance, Session, Status, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.envelopes import moment
from blockview.readers.head import Head, Reader
from blockview.readers.linewise import Teller, TellerLines, Told
from blockview.readers.mcp_names import ToolName
from blockview.readers.records import Record, Report, values_of
from blockview.readers.source import Source
from blockview.readers.stepwise import Stepwise, Taker


class _Line(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    data: msgspec.Raw = ABSENT
    timestamp: msgspec.Raw = ABSENT
    agent: str | None = msgspec.field(default=None, name="agentId")


class _Request(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A call, as the model asks for it or as the host makes it."""

    tool_call_id: str = ""
    name: str = ""
    tool_name: str = ""
    arguments: msgspec.Raw = ABSENT
    mcp_server_name: str | None = None
    mcp_tool_name: str | None = None


class _Error(msgspec.Struct, frozen=True, gc=False):
    code: str = ""
    message: str = ""


class _Result(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    content: msgspec.Raw = ABSENT
    contents: msgspec.Raw = ABSENT
    structured_content: msgspec.Raw = ABSENT


class _Server(msgspec.Struct, frozen=True, gc=False):
    name: str = ""


class _Data(_Request, frozen=True, gc=False, rename="camel"):
    """What an event carries; which members are filled depends on its type."""

    session_id: str = ""
    content: str = ""
    reasoning_text: str | None = None
    tool_requests: msgspec.Raw = ABSENT
    parent_tool_call_id: str | None = None
    success: bool | None = None
    result: msgspec.Raw = ABSENT
    error: _Error | None = None
    reason: str = ""
    message: str = ""
    error_type: str = ""
    agent_name: str = ""
    agent_display_name: str = ""
    servers: list[_Server] | None = None
    title: str = ""
    events_removed: int = 0


_LINE = msgspec.json.Decoder(_Line)
_DATA = msgspec.json.Decoder(_Data)
_REQUEST = msgspec.json.Decoder(_Request)
_RESULT = msgspec.json.Decoder(_Result)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])

_MARKS = frozenset(
    {"session.start", "session.resume", "user.message", "assistant.message", "assistant.turn_start"}
    | {"tool.execution_start", "tool.execution_complete", "session.mcp_servers_loaded", "session.tools_updated"}
)
_KNOWN = re.compile(
    r"abort|result|(session|user|assistant|tool|subagent|hook|system|skill|model|permission|external_tool|user_input"
    r"|elicitation|sampling|mcp|commands?|capabilities|auto_mode_switch|exit_plan_mode|pending_messages)\.\w.*"
)
"""Events, most of which say nothing about the conversation."""

_ENDS = {
    "rejected": (Status.REJECTED, "rejected by the user"),
    "denied": (Status.DENIED, "denied by a permission rule"),
    "cancelled": (Status.CANCELLED, "cancelled"),
    "aborted": (Status.CANCELLED, "aborted"),
}


class CopilotCliReader:
    """Events: one JSON object per line, of a session or printed by `copilot --output-format json`."""

    format = "copilot-cli"

    def sniff(self, head: Head) -> bool:
        """True when one of the first records is an event of a session."""
        return not head.document and any(map(_is_event, head.records))

    def read(self, source: Source) -> Session:
        """Read all events in one pass; blocks are decoded when they are looked at."""
        return Stepwise(source, self.begin).read_all()

    def begin(self, source: Source) -> Taker:
        """What takes in the lines of a recording."""
        return TellerLines(source, self.format, _Events())


def _is_event(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    return isinstance(kind, str) and kind in _MARKS and isinstance(record.get("data"), dict)


class _Opened(msgspec.Struct, frozen=True, gc=False):
    """An event and what it carries."""

    event: _Line
    data: _Data


class _Events(Teller[_Opened]):
    """What the events of one session tell. Each subagent has blocks of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._told = Told("reasoning", "message")
        self._servers: dict[str, None] = {}
        self._lanes: dict[str, int] = {"": -1}
        self._started: dict[str, str] = {}

    def found(self, source: Source, record: Record, report: Report) -> Iterator[tuple[Record, _Opened]]:
        """What one line holds, opened."""
        return ((one, _opened(line)) for one, line in values_of(source, record, _LINE, report))

    def line(self, data: bytes) -> _Opened:
        """An event decoded again."""
        return _opened(decode(_LINE, data))

    def learn(self, place: Place, line: _Opened) -> None:
        """Note the session, the servers, where subagents begin, and thoughts that are told twice."""
        kind, data, lane = line.event.type, line.data, self.lane(line)
        if not _KNOWN.fullmatch(kind):
            self.unknown += 1
        if kind == "session.start":
            self.id = self.id or data.session_id
        elif kind == "session.title_changed":
            self.title = data.title or self.title
        elif kind == "session.compaction_complete":
            self.compactions += 1
        elif kind == "assistant.reasoning":
            self._told.note(place, 0, "reasoning", lane, data.content)
        elif kind == "assistant.message" and data.reasoning_text:
            self._told.note(place, 0, "message", lane, data.reasoning_text)
        self._lanes.setdefault(lane, place.byte)
        if kind == "subagent.started":
            self._started[data.tool_call_id] = lane
        for name in (data.mcp_server_name, *(server.name for server in data.servers or ())):
            if name:
                self._servers[name] = None

    def lane(self, line: _Opened) -> str:
        """The subagent that a line belongs to, named by the call that started it; empty for the session itself."""
        event, data = line.event, line.data
        started_by = data.tool_call_id if event.type.startswith("subagent.") else data.parent_tool_call_id
        return event.agent or started_by or ""

    def events(self, place: Place, line: _Opened) -> Iterator[Event]:
        """What an event tells."""
        kind, data, lane = line.event.type, line.data, self.lane(line)
        when = moment(line.event.timestamp)
        if self._lanes.get(lane) == place.byte:
            yield Prompt(data.agent_display_name or data.agent_name, f"subagent {lane}", when)
        match kind:
            case "user.message":
                yield Prompt(data.content, f"subagent {lane}" if lane else "", when)
            case "assistant.reasoning":
                if not self._told.again(place):
                    yield Text("thinking", data.content, place)
            case "assistant.message":
                if data.reasoning_text and not self._told.again(place):
                    yield Text("thinking", data.reasoning_text, place)
                if data.content:
                    yield Text("assistant", data.content, place)
                for raw in part_of(_LIST, data.tool_requests) or ():
                    if request := part_of(_REQUEST, raw):
                        yield replace(
                            self._call(request, request.name, place), provenance=Provenance.MODEL, started=when
                        )
            case "tool.execution_start":
                yield replace(self._call(data, data.tool_name, place), started=when)
            case "tool.execution_complete":
                status, note, result = _outcome(data, place)
                yield Answer(data.tool_call_id, status, result, note, when)
            case _:
                if text := _note(kind, data):
                    yield Text("note", text, place)

    def _call(self, request: _Request, name: str, place: Place) -> ToolCall:
        if request.mcp_server_name:
            resolved = ToolName(request.mcp_server_name, request.mcp_tool_name or name, mcp=True)
        else:
            resolved = _split(name, self._servers)
        return ToolCall(
            request.tool_call_id or f"call at byte {place.byte}",
            name,
            resolved.tool,
            _arguments(request.arguments),
            place,
            resolved.server,
            resolved.mcp,
            resolved.inferred,
            status_note="no result is recorded",
            agent=self._agent(request.tool_call_id),
        )

    def _agent(self, call_id: str) -> str:
        """The subagent that a call started; most are called by the id of the call itself."""
        return self._started.get(call_id) or (call_id if call_id in self._lanes else "")


def _opened(line: _Line) -> _Opened:
    return _Opened(line, (part_of(_DATA, line.data) if present(line.data) else None) or _Data())


def _arguments(raw: msgspec.Raw) -> str | None:
    if not present(raw):
        return None
    text = string_of(raw)
    return text_of(raw) if text is None else text or None


def _split(name: str, servers: Mapping[str, None]) -> ToolName:
    """What a flat name means: `<server>-<tool>` for MCP tools, in which both may hold hyphens.

    The CLI's own tools have none. Without a known server the last hyphen is taken, as in `github-mcp-server-get_issue`.
    """
    for server in sorted(servers, key=len, reverse=True):
        if name.startswith(f"{server}-") and len(name) > len(server) + 1:
            return ToolName(server, name[len(server) + 1 :], mcp=True)
    server, _, tool = name.rpartition("-")
    return ToolName(server, tool, mcp=True, inferred=True) if server and tool else ToolName(None, name, mcp=False)


def _outcome(data: _Data, place: Place) -> tuple[Status, str, ToolResult]:
    fields = part_of(_RESULT, data.result) or _Result()
    structured = text_of(fields.structured_content) if present(fields.structured_content) else None
    if present(fields.contents):
        content = read_answer(Message(result=msgspec.Raw(b'{"content":' + bytes(fields.contents) + b"}")), place)
        blocks = content.result.content
    else:
        text = string_of(fields.content)
        blocks = () if text is None else (ContentBlock("text", text),)
    raw = text_of(data.result) if present(data.result) else ""
    if data.success is not False and data.error is None:
        return Status.OK, "", ToolResult(blocks, structured, False, raw, place)
    error = data.error or _Error()
    status, note = _ENDS.get(error.code, (Status.TOOL_ERROR, error.code if error.code != "failure" else ""))
    blocks = blocks or ((ContentBlock("text", error.message),) if error.message else ())
    return status, note, ToolResult(blocks, structured, True, raw, place)


def _note(kind: str, data: _Data) -> str:
    match kind:
        case "abort":
            return f"aborted: {data.reason or 'no reason given'}"
        case "session.error":
            return f"error: {data.message}"
        case "session.compaction_complete":
            return "the history was compacted"
        case "session.truncation":
            return "the history was truncated"
        case "session.snapshot_rewind":
            return f"rewound: {data.events_removed} event{'' if data.events_removed == 1 else 's'} removed"
    return ""


READERS: tuple[Reader, ...] = (CopilotCliReader(),)
