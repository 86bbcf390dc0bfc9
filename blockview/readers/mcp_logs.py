"""Reads captures in logs of clients: Claude Desktop's `mcp.log` and `mcp-server-NAME.log`, Claude Code's debug log."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from blockview.core.jsonrpc import BODY, Body, Direction, salvaged
from blockview.core.model import Session
from blockview.core.raw import part_of, text_of
from blockview.readers.capture_session import read_capture
from blockview.readers.envelopes import NOT_JSON, Frame
from blockview.readers.head import Head, Reader
from blockview.readers.log_tape import LogTape
from blockview.readers.records import Record, object_end, records
from blockview.readers.source import Source

_SENDERS = {"client": Direction.TO_SERVER, "server": Direction.TO_CLIENT}


def _is_json(head: Head) -> bool:
    return head.start.lstrip()[:1] == b"{"


# Claude Desktop: 2026-05-09T15:57:42.410Z [name] [info] Message from client: {…} { metadata: undefined }

_TIME = r"\d{4}-\d\d-\d\dT[\d:.]+Z"
_DESKTOP = re.compile(rf"({_TIME}) \[([^\]]*)\] \[([^\]]*)\] Message from (client|server): ")
_DESKTOP_LINE = re.compile(rb"\n%s \[[^\]\n]*\] \[[^\]\n]*\] Message from (?:client|server): " % _TIME.encode())
_DESKTOP_START = re.compile(rb"^%s \[" % _TIME.encode(), re.MULTILINE)
_LEVELS = frozenset({"debug", "info", "warn", "error"})
_CUT = re.compile(r"\.\.\.\[\d+ chars truncated\]")
"""Stands where something was cut out. Within a string, it leaves a text that is JSON, and says something else."""
_TRAILER = re.compile(r"\s*\{ metadata: undefined \}\s*$")


class DesktopReader:
    """Claude Desktop's logs. All servers may share a file; a large message has its middle cut out."""

    format = "claude-desktop"

    def sniff(self, head: Head) -> bool:
        """True for a log with a line that says who sent a message."""
        return not _is_json(head) and bool(_DESKTOP_START.search(head.start)) and head.source.holds_line(_DESKTOP_LINE)

    def read(self, source: Source) -> Session:
        """Read a log in one pass; blocks are decoded when they are looked at."""
        tape = LogTape(source, lambda report: records(source, report), _from_desktop)
        return read_capture(source, self.format, tape)


def _from_desktop(record: Record) -> Sequence[Frame]:
    text = text_of(record.data)
    line = _DESKTOP.match(text)
    if line is None:
        return ()
    time, first, second, sender = line.groups()
    server = second if first in _LEVELS else first
    told = {"lane": server, "server": server, "time": msgspec.Raw(f'"{time}"'.encode())}
    return (_in_log(_TRAILER.sub("", text[line.end() :]), _SENDERS[sender], **told),)


# Claude Code's debug log: [ERROR] MCP server "name" Server stderr: [a server's own prefix] recv: {…}

_DEBUG = re.compile(r'\[[A-Z]+\] MCP server "((?:[^"\\]|\\.)*)" Server stderr: .*?\b(recv|send): (?=[{\[])')
_DEBUG_LINE = re.compile(rb'\n\[[A-Z]+\] MCP server "[^"\n]{0,200}" Server stderr: [^\n{]{0,200}\b(?:recv|send): [{\[]')
_DEBUG_MARK = b'] MCP server "'
_BY_SERVER = {"recv": Direction.TO_SERVER, "send": Direction.TO_CLIENT}


class DebugLogReader:
    """Claude Code's debug log, where a server writes down what it receives and sends."""

    format = "claude-code-debug"

    def sniff(self, head: Head) -> bool:
        """True for a log with a line in which a server tells of a message."""
        return not _is_json(head) and _DEBUG_MARK in head.start and head.source.holds_line(_DEBUG_LINE)

    def read(self, source: Source) -> Session:
        """Read a log in one pass; blocks are decoded when they are looked at."""
        tape = LogTape(source, lambda report: records(source, report), _from_server)
        return read_capture(source, self.format, tape)


def _from_server(record: Record) -> Sequence[Frame]:
    text = text_of(record.data)
    line = _DEBUG.match(text)
    if line is None:
        return ()
    return (_in_log(text[line.end() :], _BY_SERVER[line[2]], lane=line[1], server=line[1]),)


def _in_log(text: str, way: Direction, **told: object) -> Frame:
    """The frame of a message at the beginning of a text; of one that was cut, what can be saved."""
    body = None if _CUT.search(text) else _body(text)
    if body is None and text and (end := object_end(text, 0)[0]) is not None:
        text = text[:end]
        body = None if _CUT.search(text) else _body(text)
    cut = body is None
    return Frame(salvaged(text) if cut else body, text, way, NOT_JSON, truncated=cut, **told)  # type: ignore[arg-type]


def _body(text: str) -> Body | None:
    return part_of(BODY, text.encode("utf-8", "surrogateescape"))


READERS: tuple[Reader, ...] = (DesktopReader(), DebugLogReader())
