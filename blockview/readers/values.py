"""The JSON values of a recording, whether it has one a line or is one document."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from blockview.core.model import Place
from blockview.readers.document import document, elements, is_whole
from blockview.readers.head import Head
from blockview.readers.records import Record, Report, records, recover
from blockview.readers.source import Source

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def values(source: Source, report: Report) -> Iterator[Record]:
    """The objects of a recording: one a line, the elements of an array, or the one object that is the document.

    What is no object is reported and left out. An object may still hold what is not JSON, and the last one of a
    document may be cut off.
    """
    kind = Head.of(source).document
    if kind:
        whole = document(source, report)
        yield from elements(whole) if kind == "array" else (whole,)
        return
    for line in records(source, report):
        record = _stripped(line)
        if _is_object(record):
            yield record
        else:
            last = line.place.byte + line.place.length >= source.content_end
            yield from recover(line, last=last, report=report)


def _is_object(record: Record) -> bool:
    try:
        _OBJECT.decode(record.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # It may still be one, with something in it that JSON does not have.
        return record.data[:1] == b"{" and is_whole(record)
    return True


def _stripped(record: Record) -> Record:
    """A record without the white space around it."""
    if record.data[:1] == b"{" and record.data[-1:] == b"}":
        return record
    data = record.data.lstrip()
    before = len(record.data) - len(data)
    data = data.rstrip()
    place = record.place
    return Record(Place(place.line, place.byte + before, len(data)), data)
