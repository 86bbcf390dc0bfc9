"""Reads `ui_messages.json`, in which Cline, Roo Code and their kin keep what they showed to the person.

The host writes it, so server and tool have their own names; the arguments are the text that it read for the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from blockview.core.model import ContentBlock, Place, Session, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, string_of, text_of
from blockview.readers.cline_text import ending
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.elementwise import ElementTeller
from blockview.readers.head import Head, Reader
from blockview.readers.linewise import read_told
from blockview.readers.records import Record, Report
from blockview.readers.source import Source
from blockview.readers.times import at_ms

_CALL = "use_mcp_server"
_ANSWER = "mcp_server_response"
_FEEDBACK = frozenset({"user_feedback", "user_feedback_diff"})
_SAID = frozenset({"text", "completion_result", "plan_mode_respond", "followup"})
_SILENT = frozenset(
    {
        "api_req_started", "api_req_finished", "api_req_retried", "api_req_retry_delayed", "api_req_deleted",
        "api_req_failed", "mcp_server_request_started", "checkpoint_created", "checkpoint_saved",
        "shell_integration_warning",
        "codebase_search_result", "task_progress", "resume_task", "resume_completed_task", "deleted_api_reqs",
        "mcp_notification", "load_mcp_documentation", "info", "condense_context",
    }
)  # fmt: skip
_NOTED = frozenset(
    {
        "tool", "command", "command_output", "error", "diff_error", "clineignore_error", "rooignore_error",
        "browser_action", "browser_action_launch", "browser_action_result", "mistake_limit_reached", "hook",
        "auto_approval_max_req_reached", "new_task", "subtask_result", "condense", "summarize_task", "user_edit_todos",
        "inspect_site_result", "report_bug", "image", "finish_task", "command_permission_denied",
    }
)  # fmt: skip


class _Row(msgspec.Struct, frozen=True, gc=False):
    ts: float | None = None
    type: str = ""
    ask: str = ""
    say: str = ""
    text: str = ""
    partial: bool = False
    images: list[str] | None = None

    @property
    def kind(self) -> str:
        """What the row says or asks."""
        return self.ask if self.type == "ask" else self.say


class _Called(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    server: str | None = msgspec.field(default=None, name="serverName")
    tool: str = msgspec.field(default="", name="toolName")
    arguments: msgspec.Raw = ABSENT
    uri: str = ""


_ROW = msgspec.json.Decoder(_Row)
_CALLED = msgspec.json.Decoder(_Called)


class _Teller(ElementTeller[_Row]):
    """What the rows tell. Calls have no ids: a response belongs to the call that was shown last."""

    def __init__(self) -> None:
        super().__init__(_ROW)
        self._calls = 0
        self._numbers: dict[int, int] = {}
        self._task: int | None = None

    def lines(self, source: Source, report: Report) -> Iterator[tuple[Record, _Row]]:
        """The rows as they were in the end."""
        return _final(super().lines(source, report))

    def learn(self, place: Place, line: _Row) -> None:
        """Number calls and their responses; the first text is the task."""
        if line.kind == _CALL:
            self._calls += 1
        if line.kind in (_CALL, _ANSWER):
            self._numbers[place.byte] = self._calls
        elif line.say == "text" and self._task is None:
            self._task = place.byte
        elif line.kind not in _KNOWN:
            self.unknown += 1

    def events(self, place: Place, line: _Row) -> Iterator[Event]:
        """What a row tells."""
        kind = line.kind
        if kind == _CALL:
            yield from self._call(place, line)
        elif kind == _ANSWER:
            yield self._answer(place, line)
        elif kind in _FEEDBACK or place.byte == self._task:
            pictures = [f"[{len(line.images)} images]"] if line.images else []
            yield Prompt("\n".join([line.text, *pictures]), when=at_ms(line.ts))
        elif kind == "reasoning" and line.text:
            yield Text("thinking", line.text, place)
        elif kind in _SAID and line.text:
            yield Text("assistant", line.text, place)
        elif kind in _NOTED and line.text:
            yield Text("note", f"{kind}: {line.text}", place)

    def _call(self, place: Place, line: _Row) -> Iterator[Event]:
        called = part_of(_CALLED, line.text.encode("utf-8", "surrogateescape")) or _Called("unreadable")
        if called.type == "access_mcp_resource":
            yield Text("note", f"reads the resource {called.uri} of {called.server}", place)
            return
        arguments = string_of(called.arguments)
        if arguments is None and len(called.arguments):
            arguments = text_of(called.arguments)
        yield ToolCall(
            self._identity(place),
            called.tool,
            called.tool,
            arguments,
            place,
            server=called.server,
            status_note="the call was still being written" if line.partial else "no result is recorded",
            started=at_ms(line.ts),
        )

    def _answer(self, place: Place, line: _Row) -> Answer:
        status, note = ending(line.text)
        result = ToolResult((ContentBlock("text", line.text),), None, status.failed, line.text, place)
        return Answer(self._identity(place), status, result, note, at_ms(line.ts))

    def _identity(self, place: Place) -> str:
        return f"{_CALL} {self._numbers.get(place.byte, 0)}"


_KNOWN = _SILENT | _NOTED | _SAID | _FEEDBACK | {"reasoning"}


class UiReader:
    """The rows of one task."""

    format = "cline-ui"

    def sniff(self, head: Head) -> bool:
        """True for an array of rows that have a time and say or ask something."""
        return head.document == "array" and bool(head.records) and all(map(_is_row, head.records))

    def read(self, source: Source) -> Session:
        """Read the document in one pass; blocks are decoded when they are looked at."""
        return read_told(source, self.format, _Teller())


def _is_row(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    return "ts" in record and kind in ("ask", "say") and isinstance(record.get(kind), str)


def _final(rows: Iterator[tuple[Record, _Row]]) -> Iterator[tuple[Record, _Row]]:
    """The rows without those that were written while text came in, and again when more of it was there."""
    held: tuple[Record, _Row] | None = None
    for record, row in rows:
        if held is not None and not (held[1].partial and held[1].kind == row.kind):
            yield held
        held = record, row
    if held is not None:
        yield held


READERS: tuple[Reader, ...] = (UiReader(),)
