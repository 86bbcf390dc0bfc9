"""Reads the logs of mcp-snoop: a headline for each message and, if it was asked to be verbose, the message below it.

A headline has a time of day and no date. Without the message it is all there is: a summary in which values are cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from blockview.core.jsonrpc import BODY, Direction, Message
from blockview.core.model import Diagnostic, Place, Session
from blockview.core.raw import ABSENT, part_of, raw_of, text_of
from blockview.readers.capture_session import read_capture
from blockview.readers.envelopes import NOT_JSON, Frame
from blockview.readers.head import Head, Reader
from blockview.readers.log_tape import LogTape
from blockview.readers.records import Record, Report, report_state
from blockview.readers.source import Source

_HEADLINE = re.compile(r"\[(\d\d):(\d\d):(\d\d)\.(\d{3})\] (→SERVER|←CLIENT) ?([^\r\n]*)")
_HEADLINE_BYTES = re.compile(r"\[\d\d:\d\d:\d\d\.\d{3}\] (?:→SERVER|←CLIENT)".encode())
_FIRST = re.compile(r"^\[\d\d:\d\d:\d\d\.\d{3}\] (?:→SERVER|←CLIENT)[^\n]*(?:\n(\{|\[\r?\n))?".encode(), re.MULTILINE)
_WAYS = {"→SERVER": Direction.TO_SERVER, "←CLIENT": Direction.TO_CLIENT}
_RAW = "(raw) "
_LOSSY = "the recorder kept summaries only: arguments and answers are cut, and not those that were sent"


class SnoopReader:
    """Verbose logs, in which the messages are complete."""

    format = "mcp-snoop"

    def sniff(self, head: Head) -> bool:
        """True for a log with a message below its first headline."""
        return _begins(head) is True

    def read(self, source: Source) -> Session:
        """Read a log in one pass; blocks are decoded when they are looked at."""
        return read_capture(source, self.format, LogTape(source, lambda report: _whole(source, report), _verbose))


class SnoopSummaryReader:
    """Logs of headlines only."""

    format = "mcp-snoop-summary"

    def sniff(self, head: Head) -> bool:
        """True for a log without messages below its headlines."""
        return _begins(head) is False

    def read(self, source: Source) -> Session:
        """Read a log in one pass; blocks are decoded when they are looked at."""
        tape = LogTape(source, lambda report: _records(source, report), _summary)
        return read_capture(source, self.format, tape, diagnostics=(Diagnostic(Place(1, 0), _LOSSY, "lossy"),))


def _begins(head: Head) -> bool | None:
    """Whether a message stands below the first headline that tells of one; None when there is no headline."""
    found = None
    for headline in _FIRST.finditer(head.start):
        if headline[1]:
            return True
        found = False
        if _RAW.encode() not in headline[0]:
            break
    return found


def _records(source: Source, report: Report) -> Iterator[Record]:
    """The headlines, each with the lines below it; what stands in front of the first one is left out."""
    begin, first, held = 0, 0, list[bytes]()
    report_state(source, report)
    for line, (start, data) in enumerate(source.lines(), 1):
        if _HEADLINE_BYTES.match(data):
            yield from _record(first, begin, held)
            begin, first, held = start, line, [data]
        elif held:
            held.append(data)
    yield from _record(first, begin, held)


def _record(line: int, begin: int, held: Sequence[bytes]) -> Iterator[Record]:
    if data := b"\n".join(held).rstrip():
        yield Record(Place(line, begin, len(data)), data)


def _whole(source: Source, report: Report) -> Iterator[Record]:
    for record in _records(source, report):
        frame = _verbose(record)[0]
        end = record.place.byte + record.place.length
        if frame.body is None and frame.kind == _INCOMPLETE:
            kind = "truncated_tail" if end >= source.content_end else "malformed"
            report(Diagnostic(record.place, "the message below this headline is not complete", kind))
        else:
            yield record


_INCOMPLETE = "incomplete message"


def _verbose(record: Record) -> Sequence[Frame]:
    headline = _HEADLINE.match(text_of(record.data))
    if headline is None:
        return ()
    way, clock = _WAYS[headline[5]], _clock(headline)
    below = record.data.partition(b"\n")[2].strip()
    if headline[6].startswith(_RAW):
        return (Frame(None, headline[6].removeprefix(_RAW), way, NOT_JSON, clock=clock),)
    return (Frame(part_of(BODY, below), below, way, _INCOMPLETE, clock=clock),)


_ID = re.compile(r"#(\S+) ")
_CALL = re.compile(r"call (.*?)(\(.*)", re.DOTALL)
_METHODS = {"list tools": "tools/list", "initialized": "notifications/initialized"}
_ANSWER = "→ "
_ERROR = "→ ERROR "
_SERVER = re.compile(r"→ server: (.*) v\S*")


def _summary(record: Record) -> Sequence[Frame]:
    headline = _HEADLINE.match(text_of(record.data))
    if headline is None:
        return ()
    way, clock, text = _WAYS[headline[5]], _clock(headline), headline[6]
    if text.startswith(_RAW):
        return (Frame(None, text.removeprefix(_RAW), way, NOT_JSON, clock=clock),)
    return (Frame(_described(text), text, way, clock=clock, summary=True, note=_note(text)),)


def _note(text: str) -> str:
    told = text[end.end() :] if (end := _ID.match(text)) else text
    return "whether it failed was not recorded" if told.startswith(_ANSWER) and not told.startswith(_ERROR) else ""


def _described(text: str) -> Message | None:
    """The message that a summary tells of; its parts are the summary's own text."""
    number = _ID.match(text)
    told = text[number.end() :] if number else text
    id_ = raw_of(json.dumps(number[1])) if number else ABSENT
    if told.startswith(_ERROR):
        return Message(id_, error=raw_of(told.removeprefix(_ERROR)))
    if server := _SERVER.fullmatch(told):
        return Message(id_, result=raw_of(json.dumps({"serverInfo": {"name": server[1]}})))
    if told.startswith(_ANSWER):
        return Message(id_, result=raw_of(told.removeprefix(_ANSWER)))
    if call := _CALL.match(told):
        return Message(id_, "tools/call", raw_of(f'{{"name":{json.dumps(call[1])},"arguments":{call[2]}'))
    return Message(id_, "initialize" if told.startswith("initialize ") else _METHODS.get(told, told))


def _clock(headline: re.Match[str]) -> float:
    hours, minutes, seconds, milliseconds = map(int, headline.groups()[:4])
    return ((hours * 60 + minutes) * 60 + seconds) * 1000.0 + milliseconds


READERS: tuple[Reader, ...] = (SnoopReader(), SnoopSummaryReader())
