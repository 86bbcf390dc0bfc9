"""Sessions whose records are the elements of an array in a JSON document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import msgspec

from blockview.core.lenient import BadRecord, decode
from blockview.readers.document import document, elements, member, unreadable
from blockview.readers.linewise import JsonTeller
from blockview.readers.records import Record, Report
from blockview.readers.source import Source

T = TypeVar("T")


class ElementTeller(JsonTeller[T]):
    """What the elements of the array at `path` tell; the document itself is that array when there is no path."""

    def __init__(self, decoder: msgspec.json.Decoder[T], *path: str) -> None:
        super().__init__(decoder)
        self._path = path

    def about(self, whole: Record) -> None:
        """Note what the document says of the session, beside its elements."""

    def lines(self, source: Source, report: Report) -> Iterator[tuple[Record, T]]:
        """The decoded elements in order; what cannot be read is reported."""
        whole = document(source, report)
        self.about(whole)
        array = member(whole, *self._path)
        for record in elements(array) if array else ():
            try:
                yield record, decode(self._decoder, record.data)
            except BadRecord as error:
                report(unreadable(record, error))
