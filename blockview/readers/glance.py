"""Finds out about sessions that are in the list: a look at the first bytes, then the whole recording counted."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec.structs import replace

from blockview.core.coercion import Depth
from blockview.core.listing import PROMPT_LENGTH, Level, Listing, Numbers
from blockview.core.model import Session
from blockview.core.prepare import Lookup, no_lookup
from blockview.core.raw import part_of
from blockview.core.view import View
from blockview.readers.head import Head, Reader
from blockview.readers.registry import readers
from blockview.readers.several import LibraryReader, Listed
from blockview.readers.source import Source

_SMALL = 256 * 1024
"""Bytes up to which a recording is counted at the first look."""
_NOTHING = "the file holds nothing"
_FIRST_BLOCKS = 8
"""Blocks in which the first prompt is looked for: what stands before it has none."""
_LAST_BLOCKS = 8
"""Blocks at the end in which a time is looked for."""
_PROJECT = (
    ("cwd",),
    ("payload", "cwd"),
    ("data", "context", "cwd"),
    ("working_dir",),
    ("directory",),
    ("info", "directory"),
    ("params", "cwd"),
    ("directories", 0),
)
"""Where records name the folder in which the agent worked."""
_PROJECT_IN_TEXT = re.compile(rb"Current (?:Working|Workspace) Directory \(([^)\n\\]{1,300})\)")

LookupOf = Callable[[Session], Lookup]
"""Gives the catalog of a session, by which its calls are marked."""


def look(
    listings: Iterable[Listing], lookup_of: LookupOf = lambda session: no_lookup, depth: Depth = Depth.TOP
) -> list[list[Listing]]:
    """Find out more of each of these sessions.

    A file is first recognised: what becomes of it is one listing, several of a database, or none when a file that was
    doubtful is no recording. A small file is counted at once; a large one and the sessions of a database when they are
    looked at again.

    Args:
        listings: What is known so far. The sessions of one file should follow each other.
        lookup_of: Gives the catalog that decides on changed values and missing schemas.
        depth: How far coercion reaches.

    Returns:
        What stands in the place of each.
    """
    found: list[list[Listing]] = []
    desk = _Desk()
    try:
        for listing in listings:
            found.append(_look(listing, desk, lookup_of, depth))
    finally:
        desk.clear()
    return found


def _look(listing: Listing, desk: _Desk, lookup_of: LookupOf, depth: Depth) -> list[Listing]:
    try:
        with desk.opened(listing.path) as (source, head, reader):
            if reader is None:
                return [] if listing.doubtful else [_failed(listing, "no known recording")]
            if listing.level is Level.FOUND and isinstance(reader, LibraryReader):
                return [_entry(listing, reader.format, one) for one in reader.list_sessions(source)]
            whole = listing.level is Level.GLANCED or source.size <= _SMALL
            return [_told(listing, source, head, reader, whole, lookup_of, depth)]
    except OSError as error:
        return [] if listing.doubtful else [_failed(listing, _reason(error))]
    except Exception as error:  # a file that no reader foresaw must not take the others with it
        return [_failed(listing, f"cannot be read: {type(error).__name__}: {error}")]


def _told(
    listing: Listing, source: Source, head: Head, reader: Reader, whole: bool, lookup_of: LookupOf, depth: Depth
) -> Listing:
    """What a recording, or its beginning, tells."""
    with _beginning(source, whole) as read:
        if listing.id and isinstance(reader, LibraryReader):
            session = reader.read_one(read, listing.id)
        else:
            session = reader.read(read)
        return replace(
            listing,
            changed=listing.changed if listing.id or not whole else _last(session) or listing.changed,
            format=session.format,
            title=listing.title or _kept(session.title),
            prompt=_prompt(session),
            project=listing.project or _project(head),
            numbers=_numbers(session, lookup_of, depth) if whole else None,
            doubtful=False,
            level=Level.COUNTED if whole else Level.GLANCED,
        )


@contextmanager
def _beginning(source: Source, whole: bool) -> Iterator[Source]:
    """The whole recording, or its first whole lines as one of their own."""
    if whole:
        yield source
        return
    start = source.read(0, _SMALL)
    with Source.of_bytes(source.name, start[: start.rfind(b"\n") + 1] or start) as part:
        yield part


def _numbers(session: Session, lookup_of: LookupOf, depth: Depth) -> Numbers:
    view = View(session, lookup_of(session), depth)
    for _ in view.marked.explore():
        pass
    return Numbers(view.blocks, view.calls, *view.tally)


def _entry(listing: Listing, format_: str, one: Listed) -> Listing:
    """One session of a database."""
    return replace(
        listing,
        id=one.id,
        changed=_seconds(one.updated or one.started) or listing.changed,
        format=format_,
        title=_kept(one.title),
        project=_kept(one.project),
        doubtful=False,
        level=Level.GLANCED,
    )


def _last(session: Session) -> float:
    """When the session went on last, as it tells itself: the start of its last block or call that has a time."""
    for block in islice(reversed(session.blocks), _LAST_BLOCKS):
        times = (_seconds(time) for time in (block.started, *(call.started for call in block.calls)))
        if last := max(times):
            return last
    return 0.0


def _seconds(when: datetime | None) -> float:
    try:
        return when.timestamp() if when else 0.0
    except (OverflowError, ValueError, OSError):
        return 0.0


def _prompt(session: Session) -> str:
    return next((_kept(block.prompt) for block in islice(session.blocks, _FIRST_BLOCKS) if block.prompt), "")


def _kept(text: str) -> str:
    """The beginning of a text, without what cannot be written as UTF-8."""
    return text[:PROMPT_LENGTH].encode("utf-8", "replace").decode()


def _project(head: Head) -> str:
    for record in head.records:
        for path in _PROJECT:
            if isinstance(found := _at(record, path), str) and found:
                return _kept(found)
    if match := _PROJECT_IN_TEXT.search(head.start):
        return _kept(match[1].decode("utf-8", "replace"))
    return _workspace(head.source.path) if head.source.path else ""


def _at(record: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        if isinstance(step, str):
            record = record.get(step) if isinstance(record, dict) else None
        else:
            record = record[step] if isinstance(record, list) and len(record) > step else None
    return record


class _Workspace(msgspec.Struct, frozen=True):
    folder: str = ""


_WORKSPACE = msgspec.json.Decoder(_Workspace)


def _workspace(path: Path) -> str:
    """The folder of a workspace of VS Code, which a file beside the folder of its chats names."""
    if path.parent.name != "chatSessions":
        return ""
    beside = path.parent.parent / "workspace.json"
    try:
        data = beside.read_bytes() if beside.is_file() else b""
    except OSError:
        return ""
    told = part_of(_WORKSPACE, data)
    return _kept(unquote(urlsplit(told.folder).path)) if told else ""


def _failed(listing: Listing, problem: str) -> Listing:
    return replace(listing, problem=problem, doubtful=False)


def _reason(error: OSError) -> str:
    match error:
        case PermissionError():
            return "no permission to read it"
        case FileNotFoundError():
            return "it is gone"
        case _:
            return error.strerror or str(error)


class _Desk:
    """Holds the file that was opened last, as its sessions are looked at one after the other."""

    def __init__(self) -> None:
        self._path = ""
        self._open: tuple[Source, Head, Reader | None] | None = None

    @contextmanager
    def opened(self, path: str) -> Iterator[tuple[Source, Head, Reader | None]]:
        """The file, its beginning, and the reader that knows it.

        Raises:
            OSError: it cannot be read.
        """
        if self._open is None or self._path != path:
            self.clear()
            status = os.stat(path)
            if not stat.S_ISREG(status.st_mode):
                raise OSError("it is not a file")  # to open a named pipe would be to wait for its other end
            if not status.st_size:
                raise OSError(_NOTHING)  # a link may lead to a file of the kernel that never ends
            source = Source.open(Path(path))
            try:
                if not source.content_end:
                    raise OSError(_NOTHING)
                head = Head.of(source)
                reader = next((reader for reader in readers() if reader.sniff(head)), None)
            except BaseException:
                source.close()
                raise
            self._path, self._open = path, (source, head, reader)
        yield self._open

    def clear(self) -> None:
        """Close the file."""
        if self._open is not None:
            self._open[0].close()
            self._open = None
