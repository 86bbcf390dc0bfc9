"""Reads the YAML recordings of mcp-vcr; its newline form is one of the envelopes that the wire reader knows."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec

from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Diagnostic, Place, Session
from blockview.core.raw import part_of
from blockview.readers.capture_session import gone, read_capture
from blockview.readers.envelopes import MCP_VCR, Frame, mcp_vcr
from blockview.readers.head import Head, Reader
from blockview.readers.records import Record, Report, report_state
from blockview.readers.source import Source

_MARKS = re.compile(rb"^ *(?:- +)?dir: *[\"']?(?:c2s|s2c)\b", re.MULTILINE)
_MEMBERS = re.compile(rb"^(?:meta|messages):", re.MULTILINE)


class _Meta(msgspec.Struct, frozen=True, gc=False):
    id: str = msgspec.field(default="", name="session_id")


_META = msgspec.json.Decoder(_Meta)


class VcrReader:
    """Recordings of mcp-vcr: what PyYAML wrote of the messages, with their times since the beginning."""

    format = "mcp-vcr"

    def sniff(self, head: Head) -> bool:
        """True for a mapping of messages that have a direction."""
        return bool(_MEMBERS.search(head.start) and _MARKS.search(head.start))

    def read(self, source: Source) -> Session:
        """Read a recording in one pass. Its messages are held as JSON text: YAML cannot be read from the middle."""
        diagnostics: list[Diagnostic] = []
        meta, items = _Meta(), dict[Place, bytes]()
        for name, place, data in _pieces(source, diagnostics.append):
            if name == "messages":
                items[place] = data
            elif name == "meta":
                meta = part_of(_META, data) or meta
        return read_capture(source, self.format, _Items(items), id=meta.id, diagnostics=diagnostics)


def _pieces(source: Source, report: Report) -> Iterator[tuple[str, Place, bytes]]:
    from blockview.readers.yamltext import PYYAML, YamlError, pieces

    report_state(source, report)
    begin = 3 if source.read(0, 3) == b"\xef\xbb\xbf" else 0
    data = source.read(begin, source.content_end - begin)
    text = data.decode("utf-8", "replace")
    offsets = _Offsets(text, begin)
    try:
        for piece in pieces(text, PYYAML):
            start = offsets.byte(piece.start)
            length = len(text[piece.start : piece.end].rstrip().encode())
            yield piece.name, Place(piece.line, start, length), piece.json.encode("utf-8", "surrogatepass")
    except YamlError as error:
        report(Diagnostic(offsets.line(error.line), f"not YAML from here on: {error.problem}", "malformed"))


class _Offsets:
    """Places in a file by characters and lines of its text."""

    def __init__(self, text: str, begin: int) -> None:
        self._text = text
        self._chars, self._bytes = [0], [begin]
        for line in text.split("\n"):
            self._chars.append(self._chars[-1] + len(line) + 1)
            self._bytes.append(self._bytes[-1] + len(line.encode("utf-8", "surrogatepass")) + 1)

    def byte(self, char: int) -> int:
        """The offset of a character."""
        line = bisect_right(self._chars, char) - 1
        return self._bytes[line] + len(self._text[self._chars[line] : char].encode("utf-8", "surrogatepass"))

    def line(self, number: int) -> Place:
        """The place of a line."""
        at = min(number, len(self._bytes) - 1) - 1
        return Place(number, self._bytes[at], self._bytes[at + 1] - self._bytes[at] - 1)


class _Items(msgspec.Struct, frozen=True):
    """The messages of a recording as JSON text, by their places in the YAML."""

    items: dict[Place, bytes]

    def all(self, report: Report) -> Iterator[tuple[Place, Sequence[Frame]]]:
        """The frames of all messages in order."""
        for place, data in self.items.items():
            try:
                yield place, (mcp_vcr(Record(place, data), decode(MCP_VCR, data)),)
            except BadRecord:
                report(Diagnostic(place, "a message that is not a mapping"))

    def at(self, place: Place) -> Sequence[Frame]:
        """The frame of the message at a place."""
        data = self.items.get(place, b"")
        try:
            return (mcp_vcr(Record(place, data), decode(MCP_VCR, data)),)
        except BadRecord:
            return (gone(data),)


READERS: tuple[Reader, ...] = (VcrReader(),)
