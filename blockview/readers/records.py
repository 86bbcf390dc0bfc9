"""Records of a line-based recording: physical lines, decoding that keeps recorded characters, recovery of bad lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import msgspec

from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Diagnostic, Place
from blockview.readers.source import Source

T = TypeVar("T")
Report = Callable[[Diagnostic], None]

_BOM = b"\xef\xbb\xbf"
_MAX_CANDIDATES = 64


class Record(NamedTuple):
    """One line of a recording without its line end, and where it stands."""

    place: Place
    data: bytes


def report_state(source: Source, report: Report) -> None:
    """Report what is to be known of a file as a whole. Each way to read one begins with this."""
    if source.transcoded:
        report(Diagnostic(Place(1, 0), "the file is UTF-16: places count bytes of its UTF-8 form", "transcoded"))
    if source.damage:
        report(Diagnostic(Place(1, 0), source.damage, "truncated_tail"))


def records(source: Source, report: Report) -> Iterator[Record]:
    """The lines of a recording that hold something, in order.

    Lines end at a line feed only. A carriage return before it, a byte order mark at the very start and NUL bytes
    around a line are left out; blank lines are skipped but counted.
    """
    begin = len(_BOM) if source.read(0, len(_BOM)) == _BOM else 0
    report_state(source, report)
    for line, (start, data) in enumerate(source.lines(begin), 1):
        if record := record_of(line, start, data, report):
            yield record


def record_of(line: int, start: int, data: bytes, report: Report) -> Record | None:
    """The record on a line, or None when it is blank.

    Args:
        line: The number of the line, from 1.
        start: Its offset.
        data: The line without its line feed.
        report: Gets what was left out of it.
    """
    if data[-1:] == b"\r":
        data = data[:-1]
    if data[:1] == b"\0" or data[-1:] == b"\0":
        place, tail = Place(line, start, len(data)), data.lstrip(b"\0")
        start += len(data) - len(tail)
        data = tail.rstrip(b"\0")
        report(Diagnostic(place, f"{place.length - len(data)} NUL bytes left out", "nul_bytes"))
    return Record(Place(line, start, len(data)), data) if data and not data.isspace() else None


def recover(record: Record, *, last: bool, report: Report) -> list[Record]:
    """The complete JSON objects of a line that is not one JSON value, and a diagnostic that says what happened.

    Finds objects that stand back to back ("missing_newline") and objects behind a record that was cut off
    ("truncated_then_spliced"). What else the line holds is given up: "truncated_tail" for an incomplete record on the
    last line, "malformed" otherwise.
    """
    text = record.data.decode("utf-8", "surrogateescape")
    found: list[tuple[int, int]] = []
    position, stop, gap, budget = 0, 0, False, _Budget()
    while position < len(text):
        end, stop = object_end(text, position)
        if end is not None:
            found.append((position, end))
            position = _behind_space(text, end)
            continue
        start = _restart(text, position, stop, budget)
        if start is None:
            break
        gap, position = True, start
    rest = position < len(text)
    report(_what_happened(record.place, bool(found), gap, rest, last and stop >= len(text), stop))
    return list(_parts(record, text, found))


class _Budget:
    """How many places of one line may still be tried, so that a hostile line does not take quadratic time."""

    def __init__(self) -> None:
        self.left = _MAX_CANDIDATES


def _what_happened(place: Place, found: bool, gap: bool, rest: bool, last: bool, stop: int) -> Diagnostic:
    if rest and last:
        return Diagnostic(place, "the last record is not complete", "truncated_tail")
    if gap:
        problem = "a record was cut off and another one follows on the same line"
        return Diagnostic(place, problem, "truncated_then_spliced")
    if rest and stop >= place.length:
        return Diagnostic(place, "the record is not complete", "malformed")
    if rest:
        problem = "something that is not a record follows one" if found else "not one JSON object"
        return Diagnostic(place, f"{problem}: reading stopped at character {stop} of the line", "malformed")
    return Diagnostic(place, "several records on one line", "missing_newline")


def _parts(record: Record, text: str, spans: list[tuple[int, int]]) -> Iterator[Record]:
    behind, byte = 0, record.place.byte
    for start, end in spans:
        byte += len(text[behind:start].encode("utf-8", "surrogateescape"))
        data = text[start:end].encode("utf-8", "surrogateescape")
        yield Record(Place(record.place.line, byte, len(data)), data)
        behind, byte = end, byte + len(data)


# Numbers stay text here: only the extent of a value is wanted, and CPython refuses integers of over 4,300 digits.
_EXTENT = json.JSONDecoder(strict=False, parse_float=str, parse_int=str)
_OBJECT_START = re.compile(r'\{[ \t\r\n]*"')
_SPACE = re.compile(r"[ \t\r\n\0]*")
_LONGEST_TOKEN = 6
"""A cut word (`fals`) or escape (`\\u12`) is reported at its start, up to this many characters before the end."""


def object_end(text: str, start: int) -> tuple[int | None, int]:
    """The end of the JSON object at `start` (None: there is none), and where reading stopped, in characters."""
    if text[start] != "{":
        return None, start
    try:
        return _EXTENT.raw_decode(text, start)[1], start
    except json.JSONDecodeError as error:
        at_end = _behind_space(text, error.pos + _LONGEST_TOKEN) >= len(text)
        return None, len(text) if at_end or error.msg.startswith("Unterminated string") else error.pos
    except RecursionError:
        return None, start


def _restart(text: str, start: int, stop: int, budget: _Budget) -> int | None:
    """Where a whole object begins behind a record that was cut off.

    A cut inside a string makes the reader take the next record's first quote for the end of that string, so it stops
    a few characters too late. An object that is followed by closing brackets is not a record but the inside of one
    whose head is missing.
    """
    candidate = max(start, stop - 4)
    while budget.left:
        budget.left -= 1
        match = _OBJECT_START.search(text, candidate + 1)
        if match is None:
            return None
        candidate = match.start()
        end, _ = object_end(text, candidate)
        if end is not None:
            behind = _behind_space(text, end)
            if behind == len(text) or text[behind] == "{":
                return candidate
    return None


def _behind_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def decoded(
    source: Source, decoder: msgspec.json.Decoder[T], report: Report, noise: Callable[[Record], bool] | None = None
) -> Iterator[tuple[Record, T]]:
    """All records of a source with their decoded values; lines that hold none end in a diagnostic.

    Args:
        source: the recording.
        decoder: what to decode each record into.
        report: gets the diagnostics.
        noise: says of a line that cannot be decoded whether it is expected here (log lines between records);
            such a line is left out without a diagnostic.
    """
    for record in records(source, report):
        yield from values_of(source, record, decoder, report, noise)


def values_of(
    source: Source,
    record: Record,
    decoder: msgspec.json.Decoder[T],
    report: Report,
    noise: Callable[[Record], bool] | None = None,
) -> Iterator[tuple[Record, T]]:
    """The decoded value of one record of a source, or those that can be saved of it; see `decoded`."""
    try:
        yield record, decode(decoder, record.data)
    except BadRecord as error:
        if noise is None or not noise(record):
            yield from recovered(source, record, decoder, report, error)


def recovered(
    source: Source, record: Record, decoder: msgspec.json.Decoder[T], report: Report, error: BadRecord
) -> Iterator[tuple[Record, T]]:
    """What can be saved of a record that `decode` refused with `error`."""
    if error.is_json:
        report(Diagnostic(record.place, str(error)))
        return
    last = record.place.byte + record.place.length >= source.content_end
    for part in recover(record, last=last, report=report):
        try:
            yield part, decode(decoder, part.data)
        except BadRecord as problem:
            report(Diagnostic(part.place, str(problem)))
