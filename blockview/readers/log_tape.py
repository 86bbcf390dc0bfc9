"""Captures that are kept in a log: a program's lines, some of which hold a message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from blockview.core.model import Place
from blockview.readers.capture_session import gone
from blockview.readers.envelopes import Frame
from blockview.readers.records import Record, Report
from blockview.readers.source import Source


class LogTape(msgspec.Struct, frozen=True):
    """A tape of the records of a log. `found` gives the records, `unwrap` the frames of one, which may be none."""

    source: Source
    found: Callable[[Report], Iterator[Record]]
    unwrap: Callable[[Record], Sequence[Frame]]

    def all(self, report: Report) -> Iterator[tuple[Place, Sequence[Frame]]]:
        """The frames of all records in order."""
        for record in self.found(report):
            if frames := self.unwrap(record):
                yield record.place, frames

    def at(self, place: Place) -> Sequence[Frame]:
        """The frames of the record at a place."""
        record = Record(place, self.source.recorded(place))
        return self.unwrap(record) or (gone(record.data),)
