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
from blockview.readers.head import Head, Reader
from blockview.readers.lazy import LazyBlocks
from blockview.readers.nested import folders_in, open_named
from blockview.readers.records import Record, Report, decoded
from blockview.readers.source import Source
from blockview.readers.unknown import left_out

LINE = msgspec.json.Decoder(IndexLine)

_MESSAGE_MARKS = frozenset({"parentUuid", "uuid", "sessionId"})


class ClaudeCodeReader:
    """Transcripts: one JSON object per line, of sessions and of subagents."""

    format = "claude-code"

    def sniff(self, head: Head) -> bool:
        """True when one of the first records is a line that only Claude Code writes."""
        return not head.document and any(map(_is_transcript_line, head.records))

    def read(self, source: Source) -> Session:
        """Read a transcript in one pass; blocks are decoded when they are looked at."""
        session = read_lines(source, self.format, lambda report: decoded(source, LINE, report))
        return session if source.path is None else replace(session, nested=partial(self._nested, source.path))

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


def read_lines(source: Source, format_: str, lines: Callable[[Report], Iterator[tuple[Record, IndexLine]]]) -> Session:
    """Make a session of lines in Claude Code's way of writing, which transcripts and stream-json share.

    Args:
        source: The recording.
        format_: The format's name.
        lines: Gives the decoded lines, and reports what could not be read.
    """
    diagnostics: list[Diagnostic] = []
    index = Index(source)
    for record, line in lines(diagnostics.append):
        index.add(record.place.line, record.place.byte, record.data, line)
    known = index.known
    return Session(
        source.name,
        format_,
        LazyBlocks(len(known.blocks), BlockMaker(source, known, index.abandoned())),
        id=index.session_id,
        title=index.title,
        diagnostics=(*diagnostics, *left_out(index.counts.unknown, index.first_unknown)),
        counts=index.counts,
        call_counts=known.blocks.calls[:],
        read_raw=source.text,
        agents=known.streams,
    )


READERS: tuple[Reader, ...] = (ClaudeCodeReader(),)
