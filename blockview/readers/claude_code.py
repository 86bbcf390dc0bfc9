"""Reads the transcripts that Claude Code keeps of its sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from blockview.core.model import Diagnostic, Session
from blockview.readers.claude_blocks import BlockMaker
from blockview.readers.claude_index import Index
from blockview.readers.claude_lines import LINE_TYPES, IndexLine
from blockview.readers.claude_words import ADDED, added
from blockview.readers.head import Head, Reader
from blockview.readers.lazy import LazyBlocks
from blockview.readers.nested import folders_in, open_named
from blockview.readers.records import Record, record_of, report_state, values_of
from blockview.readers.scanning import ByteScanner
from blockview.readers.source import Source
from blockview.readers.stepwise import Stepwise, Taker
from blockview.readers.unknown import left_out

LINE = msgspec.json.Decoder(IndexLine)
_BRACE = ord("}")

_MESSAGE_MARKS = frozenset({"parentUuid", "uuid", "sessionId"})


class ClaudeCodeReader:
    """Transcripts: one JSON object per line, of sessions and of subagents."""

    format = "claude-code"
    added = ADDED

    def sniff(self, head: Head) -> bool:
        """True when one of the first records is a line that only Claude Code writes."""
        return not head.document and any(map(_is_transcript_line, head.records))

    def read(self, source: Source) -> Session:
        """Read a transcript in one pass; blocks are decoded when they are looked at."""
        return Stepwise(source, self.begin).read_all()

    def begin(self, source: Source) -> Taker:
        """What takes in the lines of a transcript."""
        return _Transcript(source, self.format, partial(self._nested, source.path) if source.path else None)

    def _nested(self, path: Path, agent: str) -> Session | None:
        return open_named(_subagent_folders(path), f"agent-{agent}.jsonl".__eq__, self.read)


def _subagent_folders(path: Path) -> Iterator[Path]:
    """Where the subagents of a transcript are: in a folder named after it, in 2025 beside it.

    Those of a subagent are in the same folder as itself.
    """
    within = next((folder for folder in path.absolute().parents[:3] if folder.name == "subagents"), None)
    own = within or path.parent / path.stem / "subagents"
    yield own
    yield from folders_in(own / "workflows")
    yield path.parent


def _is_transcript_line(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in LINE_TYPES:
        return False
    if record.keys() >= _MESSAGE_MARKS:
        return True
    if kind == "summary":
        return "leafUuid" in record and "summary" in record
    if kind == "file-history-snapshot":
        return "snapshot" in record
    return isinstance(record.get("sessionId"), str)


class _Transcript:
    """Takes in the lines of a transcript."""

    def __init__(self, source: Source, format_: str, nested: Callable[[str], Session | None] | None) -> None:
        self._source = source
        self._making = Making(source, format_)
        self._nested = nested
        report_state(source, self._making.report)

    def take(self, number: int, start: int, lines: bytes) -> int:
        """Take in the next lines. What is not as Claude Code writes it is looked at more closely."""
        decode, add, find, view = LINE.decode, self._making.index.add, lines.find, memoryview(lines)
        first, begin = number, 0
        while (end := find(b"\n", begin)) >= 0:
            data = view[begin:end]
            try:
                line = decode(data)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self._look_at(number, start + begin, bytes(data))
            else:
                if lines[end - 1] == _BRACE:
                    add(number, start + begin, data, line)
                else:
                    self._look_at(number, start + begin, bytes(data))
            number += 1
            begin = end + 1
        return number - first

    def _look_at(self, number: int, start: int, data: bytes) -> None:
        report = self._making.report
        if record := record_of(number, start, data, report):
            for found, line in values_of(self._source, record, LINE, report):
                self._making.add(found, line)

    def session(self) -> Session:
        """What is known now."""
        session = self._making.session()
        return replace(session, nested=self._nested) if self._nested else session

    def settle(self) -> frozenset[int]:
        """The blocks that tell something else than before."""
        return self._making.settle()


class Making:
    """Makes a session of lines in Claude Code's way of writing, which transcripts and stream-json share."""

    def __init__(self, source: Source, format_: str) -> None:
        self.index = Index(source)
        self._source = source
        self._format = format_
        self._diagnostics: list[Diagnostic] = []
        self._abandoned: frozenset[int] = frozenset()

    def report(self, diagnostic: Diagnostic) -> None:
        """Note what could not be read."""
        self._diagnostics.append(diagnostic)

    def add(self, record: Record, line: IndexLine) -> None:
        """Take in a record."""
        self.index.add(record.place.line, record.place.byte, record.data, line)

    def session(self) -> Session:
        """What is known now. Its blocks are decoded when they are looked at."""
        index, known = self.index, self.index.known
        self._abandoned = index.abandoned()
        counts = index.counts
        return Session(
            self._source.name,
            self._format,
            LazyBlocks(len(known.blocks), BlockMaker(self._source, known, self._abandoned)),
            id=index.session_id,
            title=index.title,
            diagnostics=(*self._diagnostics, *left_out(counts.unknown, index.first_unknown)),
            counts=counts,
            call_counts=known.blocks.calls[:],
            read_raw=self._source.text,
            agents=dict(known.streams),
            scanner=ByteScanner(self._source, known.blocks_at, partial(added, known)),
        )

    def settle(self) -> frozenset[int]:
        """The blocks that `session` gave before, and that tell something else now."""
        return self.index.settle() | (self._abandoned ^ self.index.abandoned())


READERS: tuple[Reader, ...] = (ClaudeCodeReader(),)
