"""Reads what `claude --output-format stream-json` prints: lines amid the noise of a log, or one JSON array."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Diagnostic, Place, Session
from blockview.readers.claude_code import LINE, Making
from blockview.readers.claude_lines import IndexLine
from blockview.readers.claude_words import ADDED
from blockview.readers.head import Head, Reader
from blockview.readers.records import Record, Report, object_end, records, recovered
from blockview.readers.source import Source

_EVENTS = frozenset({"system", "assistant", "user", "result"})
_FIRST_EVENT = re.compile(rb'\n(?:\[\s*)?\{\s*"type"\s*:\s*"system"')
_ARRAY = re.compile(rb'\[\s*\{\s*"')
_LOOK = 4096
_SEPARATOR = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*")


class ClaudeStreamReader:
    """Events of one or more runs, one per line or as the elements of an array."""

    format = "claude-stream-json"
    added = ADDED

    def sniff(self, head: Head) -> bool:
        """True for stream-json's first event or its way of naming sessions, also far behind the beginning of a log."""
        if any(map(_is_event, head.records)):
            return True
        is_log = not head.start.lstrip().startswith(b"{")
        return is_log and head.source.holds_line(_FIRST_EVENT)

    def read(self, source: Source) -> Session:
        """Read all events in one pass; blocks are decoded when they are looked at."""
        making = Making(source, self.format)
        for record, line in _events(source, making.report):
            making.add(record, line)
        return making.session()


def _is_event(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in _EVENTS or "parentUuid" in record:
        return False
    if record.get("subtype") == "init" and isinstance(record.get("tools"), list):
        return True
    return isinstance(record.get("session_id"), str) and ("parent_tool_use_id" in record or "subtype" in record)


def _events(source: Source, report: Report) -> Iterator[tuple[Record, IndexLine]]:
    behind = 0
    for record in records(source, report):
        if record.place.byte < behind:
            continue
        if record.data.startswith(b'{"'):
            yield from _event(source, record, report)
        elif _ARRAY.match(source.read(record.place.byte, _LOOK)):
            for element in _elements(source, record.place, report):
                yield from _event(source, element, report)
                behind = element.place.byte + element.place.length


def _event(source: Source, record: Record, report: Report) -> Iterator[tuple[Record, IndexLine]]:
    try:
        yield record, decode(LINE, record.data)
    except BadRecord as error:
        yield from recovered(source, record, LINE, report, error)


def _elements(source: Source, start: Place, report: Report) -> Iterator[Record]:
    """The objects of the array that begins at a place; what follows an element that cannot be read is given up."""
    text = source.read(start.byte, source.content_end - start.byte).decode("utf-8", "surrogateescape")
    line, byte, behind = start.line, start.byte, 0
    position = _next(text, 1)
    while text[position : position + 1] == "{":
        line += text.count("\n", behind, position)
        byte += len(text[behind:position].encode("utf-8", "surrogateescape"))
        end, stop = object_end(text, position)
        if end is None:
            length = source.content_end - byte
            problem = f"the array cannot be read on: it stops {stop - position} characters into an element"
            report(Diagnostic(Place(line, byte, length), problem, "truncated_tail"))
            return
        data = text[position:end].encode("utf-8", "surrogateescape")
        yield Record(Place(line, byte, len(data)), data)
        line, byte, behind = line + text.count("\n", position, end), byte + len(data), end
        position = _next(text, end)


def _next(text: str, position: int) -> int:
    match = _SEPARATOR.match(text, position)
    return match.end() if match else position


READERS: tuple[Reader, ...] = (ClaudeStreamReader(),)
