"""Reads captures of MCP's JSON-RPC traffic with a message per line, bare or in a recorder's envelope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from blockview.core.model import Session
from blockview.readers.capture_session import Enveloped, read_capture
from blockview.readers.envelopes import ENVELOPES, Envelope
from blockview.readers.head import Head, Reader
from blockview.readers.records import Record, Report, decoded
from blockview.readers.source import Source


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
        envelope = self.envelope

        def found(report: Report) -> Iterator[tuple[Record, Any]]:
            return decoded(source, envelope.decoder, report, envelope.is_comment if envelope.comment else None)

        tape = Enveloped(source, envelope.decoder, found, lambda record, value: (envelope.unwrap(record, value),))
        return read_capture(source, envelope.format, tape)


READERS: tuple[Reader, ...] = tuple(WireReader(envelope) for envelope in ENVELOPES)
