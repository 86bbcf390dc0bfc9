"""Reads captures of MCP's JSON-RPC traffic with a message per line, bare or in a recorder's envelope."""

from __future__ import annotations

from typing import Any

import msgspec

from blockview.core.model import Session
from blockview.readers.capture_session import CaptureMaking, Wrapped
from blockview.readers.envelopes import ENVELOPES, Envelope
from blockview.readers.head import Head, Reader
from blockview.readers.records import record_of, report_state, values_of
from blockview.readers.source import Source
from blockview.readers.stepwise import Stepwise, Taker, whole_lines


class WireReader(msgspec.Struct, frozen=True):
    """Reads captures of one envelope."""

    envelope: Envelope[Any]

    @property
    def format(self) -> str:
        """The recorder's name, or "mcp-jsonrpc" for bare messages."""
        return self.envelope.format

    def sniff(self, head: Head) -> bool:
        """True when one of the first records has the envelope's marks."""
        return head.document != "object" and any(map(self.envelope.claims, head.records))

    def read(self, source: Source) -> Session:
        """Read a capture in one pass; blocks are decoded when they are looked at."""
        return Stepwise(source, self.begin).read_all()

    def begin(self, source: Source) -> Taker:
        """What takes in the lines of a capture."""
        return _Lines(source, self.envelope)


class _Lines:
    """Takes in the lines of a capture."""

    def __init__(self, source: Source, envelope: Envelope[Any]) -> None:
        self._source, self._decoder = source, envelope.decoder
        self._noise = envelope.is_comment if envelope.comment else None
        self._unwrap = envelope.unwrap
        held = Wrapped(source, envelope.decoder, lambda record, value: (envelope.unwrap(record, value),))
        self._making = CaptureMaking(source, envelope.format, held)
        self.session, self.settle = self._making.session, self._making.settle
        report_state(source, self._making.report)

    def take(self, number: int, start: int, lines: bytes) -> int:
        """Take in the next lines."""
        making, last = self._making, number
        for line, begin, data in whole_lines(number, start, lines):
            last = line + 1
            if record := record_of(line, begin, data, making.report):
                for found, value in values_of(self._source, record, self._decoder, making.report, self._noise):
                    making.capture.add(found.place, (self._unwrap(found, value),))
        return last - number


READERS: tuple[Reader, ...] = tuple(WireReader(envelope) for envelope in ENVELOPES)
