"""Reads what `codex exec --json` prints: events of threads, turns and items, amid the noise of a log if need be.

Nothing in it has a time. Up to the middle of 2025 it printed the host's own events, `{"id": "0", "msg": {…}}`.
Source: openai/codex, `exec/src/exec_events.rs`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from blockview.core.model import ContentBlock, Place, Session, Status, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, present, text_of
from blockview.readers.codex_events import PAYLOAD, UNANSWERED, Moment, Payload, host_events, notes, problem
from blockview.readers.codex_outcomes import Outcome, failed, returned
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.head import Head, Reader
from blockview.readers.linewise import JsonTeller, TellerLines
from blockview.readers.records import Record
from blockview.readers.source import Source
from blockview.readers.stepwise import Stepwise, Taker


class _Line(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    thread_id: str = ""
    item: msgspec.Raw = ABSENT
    error: msgspec.Raw = ABSENT
    message: str = ""
    id: msgspec.Raw = ABSENT
    msg: msgspec.Raw = ABSENT
    prompt: str | None = None


class _Item(msgspec.Struct, frozen=True, gc=False):
    id: str = ""
    type: str = ""
    old_type: str = msgspec.field(default="", name="item_type")
    text: str = ""
    message: str = ""
    status: str = ""
    server: str = ""
    tool: str = ""
    arguments: msgspec.Raw = ABSENT
    result: msgspec.Raw = ABSENT
    error: msgspec.Raw = ABSENT
    command: msgspec.Raw = ABSENT
    changes: msgspec.Raw = ABSENT
    query: msgspec.Raw = ABSENT
    aggregated_output: str = ""
    exit_code: int | None = None


class _Structured(msgspec.Struct, frozen=True, gc=False):
    structured: msgspec.Raw = msgspec.field(default=ABSENT, name="structured_content")


_LINE = msgspec.json.Decoder(_Line)
_ITEM = msgspec.json.Decoder(_Item)
_STRUCTURED = msgspec.json.Decoder(_Structured)

_FIRST_EVENT = re.compile(rb'\n\{\s*"type"\s*:\s*"thread\.started"')
_ITEM_EVENTS = frozenset({"item.started", "item.updated", "item.completed"})
_KNOWN = _ITEM_EVENTS | {"thread.started", "turn.started", "turn.completed", "turn.failed", "error"}
_OWN_TOOLS = frozenset({"command_execution", "file_change", "web_search", "collab_tool_call"})
_TEXTS = {"agent_message": "assistant", "assistant_message": "assistant", "reasoning": "thinking", "error": "note"}
_KNOWN_ITEMS = _OWN_TOOLS | _TEXTS.keys() | {"mcp_tool_call", "todo_list"}


class CodexExecReader:
    """Events of one or more runs; each turn is a block, whose prompt nobody recorded."""

    format = "codex-exec"

    def sniff(self, head: Head) -> bool:
        """True for the events of threads, also far behind the beginning of a log, and for old events."""
        if head.document:
            return False
        if any(map(_is_event, head.records)):
            return True
        return not head.start.lstrip().startswith(b"{") and head.source.holds_line(_FIRST_EVENT)

    def read(self, source: Source) -> Session:
        """Read all events in one pass; blocks are decoded when they are looked at."""
        return Stepwise(source, self.begin).read_all()

    def begin(self, source: Source) -> Taker:
        """What takes in the lines of a recording."""
        return TellerLines(source, self.format, _Run())


def _is_event(record: dict[str, Any]) -> bool:
    kind, msg = record.get("type"), record.get("msg")
    if kind == "thread.started":
        return isinstance(record.get("thread_id"), str)
    if isinstance(kind, str) and kind in _ITEM_EVENTS:
        return isinstance(record.get("item"), dict)
    return "jsonrpc" not in record and "id" in record and isinstance(msg, dict) and isinstance(msg.get("type"), str)


def _is_noise(record: Record) -> bool:
    return not record.data.lstrip().startswith(b'{"')


class _Run(JsonTeller[_Line]):
    """What the events of one or more runs tell. The ids of items begin anew with each run."""

    def __init__(self) -> None:
        super().__init__(_LINE, _is_noise)
        self._starts: list[int] = []

    def learn(self, place: Place, line: _Line) -> None:
        """Note where runs begin."""
        if line.type == "thread.started":
            self._starts.append(place.byte)
            self.id = self.id or line.thread_id
        item = part_of(_ITEM, line.item) if present(line.item) else None
        known = line.type in _KNOWN or present(line.msg) or line.prompt is not None
        if not known or (item and (item.type or item.old_type) not in _KNOWN_ITEMS):
            self.unknown += 1

    def events(self, place: Place, line: _Line) -> Iterator[Event]:
        """What an event tells."""
        if present(line.msg):
            yield from _old_events(part_of(PAYLOAD, line.msg) or Payload(), Moment(place, None))
        elif line.type == "turn.started":
            yield Prompt("")
        elif line.prompt is not None:
            yield Prompt(line.prompt)
        elif line.type in ("turn.failed", "error"):
            what = "error" if line.type == "error" else "turn failed"
            yield Text("note", f"{what}: {line.message or problem(line.error)}", place)
        elif line.type in _ITEM_EVENTS and (item := part_of(_ITEM, line.item)):
            run = bisect_right(self._starts, place.byte)
            yield from _item_events(item, f"{run}:{item.id}" if run > 1 else item.id, line.type, place)


def _old_events(payload: Payload, at: Moment) -> Iterator[Event]:
    match payload.type:
        case "agent_message":
            yield Text("assistant", payload.message, at.place)
        case "agent_reasoning":
            yield Text("thinking", payload.text, at.place)
        case _:
            yield from host_events(payload, at)
            yield from notes(payload, at)


def _item_events(item: _Item, identity: str, event: str, place: Place) -> Iterator[Event]:
    kind = item.type or item.old_type
    over = event == "item.completed"
    if kind in _TEXTS:
        if over:
            yield Text(_TEXTS[kind], f"error: {item.message}" if kind == "error" else item.text, place)
    elif kind == "mcp_tool_call":
        name = f"{item.server}.{item.tool}"
        yield _call(identity, name, item.tool, item.arguments, place, item.server or None)
        if over and item.status != "in_progress":
            status, note, result = _mcp_outcome(item, place)
            yield Answer(identity, status, result, note)
    elif kind in _OWN_TOOLS:
        asked = next((raw for raw in (item.command, item.changes, item.query) if present(raw)), item.arguments)
        yield replace(_call(identity, kind, kind, asked, place), mcp=False)
        if over:
            yield _own_answer(item, identity, place)


def _call(
    identity: str, name: str, tool: str, arguments: msgspec.Raw, place: Place, server: str | None = None
) -> ToolCall:
    recorded = text_of(arguments) if present(arguments) else None
    return ToolCall(identity, name, tool, recorded, place, server, status_note=UNANSWERED)


def _mcp_outcome(item: _Item, place: Place) -> Outcome:
    if present(item.error):
        return failed(problem(item.error), item.error, place)
    status, note, result = returned(item.result, place)
    structured = (part_of(_STRUCTURED, item.result) or _Structured()).structured
    if present(structured):
        result = replace(result, structured=text_of(structured))
    if item.status == "failed":
        return Status.TOOL_ERROR, note, replace(result, is_error=True)
    return status, note, result


def _own_answer(item: _Item, identity: str, place: Place) -> Answer:
    bad = item.status == "failed" or item.exit_code not in (None, 0)
    status = Status.REJECTED if item.status == "declined" else Status.TOOL_ERROR if bad else Status.OK
    content = (ContentBlock("text", item.aggregated_output),) if item.aggregated_output else ()
    note = f"exit code {item.exit_code}" if item.exit_code else ""
    return Answer(identity, status, ToolResult(content, None, status.failed, place=place), note)


READERS: tuple[Reader, ...] = (CodexExecReader(),)
