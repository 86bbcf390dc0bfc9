"""A JSON document read in pieces: its members and elements as records, each with its place in the file.

A document that was cut off still gives what stands before the cut; what is left of the last value is the last record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from blockview.core.jsontext import decode_string
from blockview.core.lenient import BadRecord
from blockview.core.model import Diagnostic, Place
from blockview.readers.records import Record, Report, report_state
from blockview.readers.source import Source

_BOM = b"\xef\xbb\xbf"
_GAP = re.compile(rb"[ \t\r\n,:\0]*")
_STRUCTURE = re.compile(rb'(?:[^"\[\]{}]++|"[^"\\]{0,200}+")*+')
"""Up to the next bracket, or to a string that is long or holds a backslash: its end is found faster by other means."""
_SCALAR = re.compile(rb"[^,\]}\s]+")
_OPENING = b"[{"
_QUOTE, _BACKSLASH = b'"\\'


def document(source: Source, report: Report) -> Record:
    """The whole document. What stands behind its end, and that it does not end at all, is reported."""
    data = source.read(0, source.content_end)
    start = _behind_gap(data, len(_BOM) if data.startswith(_BOM) else 0)
    report_state(source, report)
    line = data.count(b"\n", 0, start) + 1
    end = _end(data, start)
    if end is None:
        report(_cut(Place(line, start, len(data) - start)))
        end = len(data)
    elif data[end:].strip():
        after = Place(line + data.count(b"\n", start, end), end, len(data) - end)
        report(Diagnostic(after, "something follows the document"))
    return Record(Place(line, start, end - start), data[start:end])


def is_whole(record: Record) -> bool:
    """True when the value of a record ends where the record ends, and was not cut off."""
    return _end(record.data, 0) == len(record.data)


def elements(record: Record) -> Iterator[Record]:
    """The elements of an array, in order; none of any other value."""
    if record.data[:1] == b"[":
        walk = _Walk(record)
        while (element := walk.value()) is not None:
            yield element


def members(record: Record) -> Iterator[tuple[str, Record]]:
    """The members of an object by name, in order and with duplicates; none of any other value."""
    if record.data[:1] == b"{":
        walk = _Walk(record)
        while (name := walk.value()) is not None and name.data[:1] == b'"' == name.data[-1:]:
            value = walk.value()
            if value is None:
                return
            yield _name(name.data), value


def member(record: Record, *path: str) -> Record | None:
    """The value at a path of member names, the last one of each name; None when it is not there."""
    found: Record | None = record
    for name in path:
        if found is None:
            return None
        found = dict(members(found)).get(name)
    return found


def unreadable(record: Record, error: BadRecord) -> Diagnostic:
    """What to report of a record that could not be decoded."""
    return Diagnostic(record.place, str(error)) if is_whole(record) else _cut(record.place)


def _cut(place: Place) -> Diagnostic:
    return Diagnostic(place, "the document ends too early", "truncated_tail")


class _Walk:
    """Goes through the values of one container."""

    def __init__(self, record: Record) -> None:
        self._data = record.data
        self._base = record.place.byte
        self._line = record.place.line
        self._counted = 0
        self._at = 1

    def value(self) -> Record | None:
        """The next value; the rest of the text when it does not end; None behind the last one."""
        data = self._data
        start = _behind_gap(data, self._at)
        if start >= len(data) or data[start] in b"]}":
            return None
        end = _end(data, start)
        self._at = len(data) if end is None else end
        self._line += data.count(b"\n", self._counted, start)
        self._counted = start
        return Record(Place(self._line, self._base + start, self._at - start), data[start : self._at])


def _end(data: bytes, start: int) -> int | None:
    """The end of the value at `start`; None when it is cut off. Nesting has no limit here."""
    first = data[start : start + 1]
    if first == b'"':
        return _string_end(data, start)
    if not first or first not in _OPENING:
        scalar = _SCALAR.match(data, start)
        return scalar.end() if scalar else None
    depth, at = 0, start
    while (structure := _STRUCTURE.match(data, at)) and (at := structure.end()) < len(data):
        if data[at] == _QUOTE:
            end = _string_end(data, at)
            if end is None:
                return None
            at = end
            continue
        depth += 1 if data[at] in _OPENING else -1
        at += 1
        if not depth:
            return at
    return None


def _string_end(data: bytes, start: int) -> int | None:
    end = start
    while (end := data.find(b'"', end + 1)) >= 0:
        before = end - 1
        while data[before] == _BACKSLASH:
            before -= 1
        if (end - before) % 2:
            return end + 1
    return None


def _behind_gap(data: bytes, at: int) -> int:
    gap = _GAP.match(data, at)
    return gap.end() if gap else at


def _name(literal: bytes) -> str:
    try:
        return decode_string(literal.decode("utf-8", "surrogateescape"))
    except ValueError:
        return ""
