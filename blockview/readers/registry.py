"""Recognises a recording by its content, never by its name, and reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from blockview.core.model import Diagnostic, Place, Session
from blockview.readers.head import Head, Reader
from blockview.readers.several import LibraryReader, Listed, NoSuchSession
from blockview.readers.source import Source
from blockview.readers.stepwise import StepReader, Taker

_MODULES = (
    "claude_code",
    "claude_stream",
    "codex",
    "codex_exec",
    "copilot_cli",
    "acp",
    "mcp_logs",
    "mcp_snoop",
    "mcp_vcr",
    "wire",
    "mcp_documents",
    "har",
    "mcp_debugger",
    "opencode",
    "goose",
    "cline",
    "cline_ui",
    "vscode_chat",
    "gemini_cli",
    "warp",
    "otlp",
    "anthropic_messages",
    "openai_responses",
    "openai_chat",
    "codex_log",
)
"""The modules that have `READERS`, in the order in which these are asked: the more telling a format's marks, the
earlier it stands. A module is imported when its turn comes, so that nobody waits for readers that are not needed."""


class UnknownFormat(ValueError):
    """No reader knows the recording; the message says what to do."""


def readers() -> Iterator[Reader]:
    """All readers, in the order in which they are asked."""
    for module in _MODULES:
        yield from import_module(f"blockview.readers.{module}").READERS


def reader_for(source: Source) -> Reader | None:
    """The reader that knows this recording, or None."""
    head = Head.of(source)
    return next((reader for reader in readers() if reader.sniff(head)), None)


def taker_for(source: Source) -> Callable[[Source], Taker] | None:
    """What makes the taker of the lines of a recording; None when it is not read line by line."""
    reader = reader_for(source) if source.content_end else None
    return reader.begin if isinstance(reader, StepReader) else None


def sessions_in(source: Source) -> tuple[Listed, ...]:
    """The sessions of a recording that holds several, newest first; none of one that holds a single session."""
    reader = reader_for(source)
    return reader.list_sessions(source) if isinstance(reader, LibraryReader) else ()


def read_session(source: Source, session_id: str = "") -> Session:
    """Read a recording. An empty or blank one gives a session without blocks and a diagnostic that says so.

    Args:
        source: The recording.
        session_id: Which of its sessions to read, where it holds several; the newest one when none is named.

    Raises:
        UnknownFormat: no reader knows the recording.
        NoSuchSession: it does not hold a session of that id.
    """
    if not source.content_end:
        problem = "the file holds nothing" if source.size == 0 else "the file holds nothing but white space"
        return Session(source.name, "empty", (), diagnostics=(Diagnostic(Place(1, 0, source.size), problem, "empty"),))
    reader = reader_for(source)
    if reader is None:
        raise UnknownFormat(
            f"{source.name}: no known recording in its first lines; give the recording itself, "
            "not a summary or an export of it (blockview --help says of which tools)"
        )
    if not session_id:
        return reader.read(source)
    if isinstance(reader, LibraryReader) and any(one.id == session_id for one in reader.list_sessions(source)):
        return reader.read_one(source, session_id)
    raise NoSuchSession(f"it holds no session {session_id}")
