"""Recognises a recording by its content, never by its name, and reads it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from blockview.core.model import Diagnostic, Place, Session
from blockview.readers.head import Head, Reader
from blockview.readers.source import Source

_MODULES = ("claude_code", "claude_stream", "wire")
"""The modules that have `READERS`, in the order in which these are asked: the more telling a format's marks, the
earlier it stands. A module is imported when its turn comes, so that nobody waits for readers that are not needed."""


class UnknownFormat(ValueError):
    """No reader knows the recording; the message says what was looked for and what to do."""


def readers() -> Iterator[Reader]:
    """All readers, in the order in which they are asked."""
    for module in _MODULES:
        yield from import_module(f"blockview.readers.{module}").READERS


def reader_for(source: Source) -> Reader | None:
    """The reader that knows this recording, or None."""
    head = Head.of(source)
    return next((reader for reader in readers() if reader.sniff(head)), None)


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
        formats = ", ".join(dict.fromkeys(reader.format for reader in readers()))
        raise UnknownFormat(
            f"{source.name}: no known recording in its first lines (looked for {formats}); "
            "give the recording itself, not a summary or an export of it"
        )
    return reader.read(source)
