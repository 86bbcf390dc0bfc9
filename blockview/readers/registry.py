"""Recognises a recording by its content, never by its name, and reads it."""

from __future__ import annotations

from blockview.core.model import Diagnostic, Place, Session
from blockview.readers import wire
from blockview.readers.claude_code import ClaudeCodeReader
from blockview.readers.claude_stream import ClaudeStreamReader
from blockview.readers.head import Head, Reader
from blockview.readers.source import Source

READERS: tuple[Reader, ...] = (ClaudeCodeReader(), ClaudeStreamReader(), *wire.READERS)
"""In the order in which they are asked: the more telling a format's marks, the earlier it stands."""


class UnknownFormat(ValueError):
    """No reader knows the recording; the message says what was looked for and what to do."""


def reader_for(source: Source) -> Reader | None:
    """The reader that knows this recording, or None."""
    head = Head.of(source)
    return next((reader for reader in READERS if reader.sniff(head)), None)


def read_session(source: Source) -> Session:
    """Read a recording. An empty or blank one gives a session without blocks and a diagnostic that says so.

    Raises:
        UnknownFormat: no reader knows the recording.
    """
    if not source.content_end:
        problem = "the file holds nothing" if source.size == 0 else "the file holds nothing but white space"
        return Session(source.name, "empty", (), diagnostics=(Diagnostic(Place(1, 0, source.size), problem, "empty"),))
    reader = reader_for(source)
    if reader is None:
        formats = ", ".join(dict.fromkeys(reader.format for reader in READERS))
        raise UnknownFormat(
            f"{source.name}: no known recording in its first lines (looked for {formats}); "
            "give the recording itself, not a summary or an export of it"
        )
    return reader.read(source)
