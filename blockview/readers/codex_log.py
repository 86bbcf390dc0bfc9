"""Reads the log that `codex exec` printed for people until the end of 2025.

    [2025-08-31T12:37:33] tool time.get_current_time({"timezone":"UTC"})
    [2025-08-31T12:37:33] time.get_current_time({"timezone":"UTC"}) success in 2ms:
    {
      "content": [ …

A record is a stamped line with the lines that follow it. The log gives no ids, and of a result its first twenty lines.
Source: openai/codex v0.27, `exec/src/event_processor_with_human_output.rs`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from datetime import datetime

import msgspec

from blockview.core.lenient import BadRecord
from blockview.core.model import ContentBlock, Place, Session, Status, Text, ToolCall, ToolResult
from blockview.core.raw import part_of
from blockview.readers.codex_events import UNANSWERED
from blockview.readers.codex_outcomes import Outcome, returned
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.envelopes import moment
from blockview.readers.head import Head, Reader
from blockview.readers.linewise import Teller, read_told
from blockview.readers.records import Record, Report, records
from blockview.readers.source import Source

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_STAMP = re.compile(rb"(?:\x1b\[[0-9;]*m)*\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\]")
_ENTRY = re.compile(r"\[([\dT:-]{19})\] ?(.*)", re.DOTALL)
_SIGNS = re.compile(
    r"^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\] "
    r"(tool [^\s.(]+\.[^\s(]+\(|OpenAI Codex v|User instructions:$|codex$|tokens used:)",
    re.MULTILINE,
)
_ASKED = re.compile(r"tool (([^\s.(]+)\.([^\s(]+)\((.*)\))\s*")
_DONE = re.compile(r"(([^\s.(]+)\.([^\s(]+)\((.*?)\)) (success|failed) in (?:(\d+)m ?)?([\d.]+)(ms|s):\s*")
_SAYS = {"codex": "assistant", "thinking": "thinking", "User instructions:": "prompt"}
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _Entry(msgspec.Struct, frozen=True, gc=False):
    """A stamped line without its stamp, and the lines that follow it."""

    when: datetime | None
    head: str
    rest: str


class CodexLogReader:
    """Logs for people: calls with their arguments, and results as far as they were printed."""

    format = "codex-log"

    def sniff(self, head: Head) -> bool:
        """True when a line is stamped as in such a log and says what only Codex says."""
        return _SIGNS.search(_plain(head.start)) is not None

    def read(self, source: Source) -> Session:
        """Read the log in one pass; blocks are decoded when they are looked at."""
        return read_told(source, self.format, _Log())


def _plain(data: bytes) -> str:
    return _COLOUR.sub("", data.decode("utf-8", "surrogateescape"))


class _Log(Teller[_Entry]):
    """What the entries tell. A call is answered by the next entry that names it with the same arguments."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: dict[str, deque[str]] = {}
        self._answered: dict[int, str] = {}

    def lines(self, source: Source, report: Report) -> Iterator[tuple[Record, _Entry]]:
        """The entries in order; what stands before the first one is left out."""
        held: list[Record] = []
        for record in records(source, report):
            if _STAMP.match(record.data):
                if held:
                    yield self._entry(source, held)
                held = [record]
            elif held:
                held = [held[0], record]
        if held:
            yield self._entry(source, held)

    def _entry(self, source: Source, held: list[Record]) -> tuple[Record, _Entry]:
        first, last = held[0].place, held[-1].place
        place = Place(first.line, first.byte, last.byte + last.length - first.byte)
        data = source.recorded(place)
        return Record(place, data), self.line(data)

    def line(self, data: bytes) -> _Entry:
        """The entry in a record's bytes."""
        entry = _ENTRY.match(_plain(data))
        if entry is None:
            raise BadRecord("not an entry of a log")
        head, _, rest = entry[2].replace("\r\n", "\n").partition("\n")
        return _Entry(moment(msgspec.Raw(f'"{entry[1]}"'.encode())), head.rstrip(), rest)

    def learn(self, place: Place, line: _Entry) -> None:
        """Note which call an entry answers."""
        if asked := _ASKED.fullmatch(line.head):
            self._waiting.setdefault(asked[1], deque()).append(_identity(place))
        elif done := _DONE.fullmatch(line.head):
            waiting = self._waiting.get(done[1])
            self._answered[place.byte] = waiting.popleft() if waiting else f"answer on line {place.line}"

    def events(self, place: Place, line: _Entry) -> Iterator[Event]:
        """What an entry tells."""
        if asked := _ASKED.fullmatch(line.head):
            _, server, tool, arguments = asked.groups()
            name = f"{server}.{tool}"
            yield ToolCall(
                _identity(place),
                name,
                tool,
                arguments or None,
                place,
                server,
                status_note=UNANSWERED,
                started=line.when,
            )
        elif done := _DONE.fullmatch(line.head):
            status, note, result = _outcome(done[5] == "success", line.rest, place)
            identity = self._answered.get(place.byte, _identity(place))
            yield Answer(identity, status, result, note, line.when, _milliseconds(done))
        else:
            role, text = _SAYS.get(line.head), line.rest.strip()
            if role == "prompt":
                yield Prompt(text, when=line.when)
            elif role and text:
                yield Text(role, text, place)
            elif line.head.startswith("ERROR"):
                yield Text("note", f"{line.head}\n{text}".rstrip(), place)


def _identity(place: Place) -> str:
    return f"call on line {place.line}"


def _milliseconds(done: re.Match[str]) -> float | None:
    try:
        unit = 1 if done[8] == "ms" else 1000
        return int(done[6] or 0) * 60_000 + float(done[7]) * unit
    except ValueError:
        return None


def _outcome(success: bool, printed: str, place: Place) -> Outcome:
    raw = msgspec.Raw(printed.strip().encode("utf-8", "surrogateescape"))
    if part_of(_OBJECT, raw) is not None:
        status, note, result = returned(raw, place)
        return (status if success or status.failed else Status.TOOL_ERROR), note, result
    status = Status.OK if success else Status.TOOL_ERROR
    content = (ContentBlock("text", printed.strip()),) if printed.strip() else ()
    note = "the log has only the beginning of the result" if content else "the log does not have the result"
    return status, note, ToolResult(content, None, not success, printed, place)


READERS: tuple[Reader, ...] = (CodexLogReader(),)
