"""The beginning of a recording, parsed once for all readers that look whether they know it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Protocol

import msgspec

from blockview.core.jsontext import exact_int
from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Diagnostic, Session
from blockview.readers.records import records, recover
from blockview.readers.source import Source

DATABASE_MAGIC = b"SQLite format 3\0"
_MAX_RECORDS = 20
_WINDOW = 256 * 1024
_DOCUMENT_WINDOW = 4 * 1024 * 1024


class Head(msgspec.Struct, frozen=True):
    """What a reader may look at to recognise its format.

    `start` is the first bytes (256 KB); `records` up to 20 JSON objects from the first lines, or from the beginning of
    the document when the file is one JSON document: the first elements of an array (`document` is "array"), or one
    dict with those members of the object that could be read (`document` is "object"). `document` is "" for lines.
    `tables` are the names of the tables of a SQLite file; such a file has no records.
    """

    source: Source
    start: bytes
    records: tuple[dict[str, Any], ...]
    document: str = ""
    tables: frozenset[str] = frozenset()

    @classmethod
    def of(cls, source: Source) -> Head:
        """Look at the beginning of a recording; whole first lines are read even when they are large.

        Raises:
            OSError: it is a database that cannot be read now, or at all.
        """
        start = source.read(0, _WINDOW)
        if start.startswith(DATABASE_MAGIC):
            from blockview.readers.database import tables_of  # loads SQLite, which few recordings need

            return cls(source, start, (), tables=tables_of(source))
        opening = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        if opening in (b"[", b"{"):
            text = source.read(0, _DOCUMENT_WINDOW).decode("utf-8-sig", "replace").lstrip()
            records = elements(text) if opening == b"[" else _members(text)
            if records:
                return cls(source, start, records, "array" if opening == b"[" else "object")
        lines = tuple(islice(_records(source), _MAX_RECORDS))
        if not lines and opening == b"{" and (cut := _read_members(text)):
            return cls(source, start, cut, "object")
        return cls(source, start, lines)


class Reader(Protocol):
    """Reads one format."""

    @property
    def format(self) -> str:
        """The format's name, as shown."""
        ...

    def sniff(self, head: Head) -> bool:
        """True when the recording is of this format."""
        ...

    def read(self, source: Source) -> Session:
        """Read the recording; what cannot be read ends in the session's diagnostics."""
        ...


_ANY_OBJECT: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])
_LAX = json.JSONDecoder(strict=False, parse_int=exact_int)
_SEPARATOR = re.compile(r"[ \t\r\n]*[,:]?[ \t\r\n]*")


def _records(source: Source) -> Iterator[dict[str, Any]]:
    for record in records(source, _ignore):
        if record.place.byte > _WINDOW:
            return
        try:
            yield decode(_ANY_OBJECT, record.data)
        except BadRecord:
            for part in recover(record, last=False, report=_ignore):
                with suppress(BadRecord):
                    yield decode(_ANY_OBJECT, part.data)


def _ignore(diagnostic: Diagnostic) -> None:
    """Looking is not reading: the reader reports what is wrong."""


def elements(text: str) -> tuple[dict[str, Any], ...]:
    """The first objects of a text that begins with an array; none when it does not."""
    found: list[dict[str, Any]] = []
    position = _skip(text, 1)
    while len(found) < _MAX_RECORDS and text[position : position + 1] == "{":
        try:
            value, end = _LAX.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        found.append(value)
        position = _skip(text, end)
    return tuple(found)


def _members(text: str) -> tuple[dict[str, Any], ...]:
    """What can be read of an object that spans lines, as one dict; none for an object that ends on its first line."""
    first, _, rest = text.partition("\n")
    if not first.rstrip().endswith(("{", "[", ",", ":")) or not rest.strip():
        return ()
    return _read_members(text)


def _read_members(text: str) -> tuple[dict[str, Any], ...]:
    """The members of an object up to where it is cut off, as one dict; none when not one member is whole."""
    found: dict[str, Any] = {}
    position = _skip(text, 1)
    with suppress(ValueError, RecursionError):
        while text[position : position + 1] == '"':
            key, end = _LAX.raw_decode(text, position)
            found[key] = None
            found[key], end = _LAX.raw_decode(text, _skip(text, end))
            position = _skip(text, end)
    return (found,) if any(value is not None for value in found.values()) else ()


def _skip(text: str, position: int) -> int:
    match = _SEPARATOR.match(text, position)
    return match.end() if match else position
