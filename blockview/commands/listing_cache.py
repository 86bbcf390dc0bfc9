"""What was found out about sessions, kept between runs in one private file. Without it, it is only found out again."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from blockview.catalog.private import Unusable, cache_home, read_private, write_private
from blockview.core.coercion import Depth
from blockview.core.listing import Listing

_LARGEST = 64_000_000
"""No larger file is read, in bytes."""
_MOST = 20_000
"""Recordings that are remembered."""


class Remembered(msgspec.Struct, frozen=True, array_like=True):
    """A recording as it was: its sessions, as long as size and time of change are the same."""

    path: str
    size: int
    changed_ns: int
    sessions: tuple[Listing, ...]


class _Whole(msgspec.Struct, frozen=True):
    stamp: str
    recordings: list[Remembered]


_DECODER = msgspec.json.Decoder(_Whole)


class ListingCache:
    """The file, and what is in it.

    Args:
        stamp: Says by what the sessions were marked; what was found out under another stamp is not used.
        path: The file; by default in the user's cache.
    """

    def __init__(self, stamp: str, path: Path | None = None) -> None:
        self._stamp = stamp
        self._path = path

    @property
    def path(self) -> Path:
        """The file."""
        return self._path or cache_home() / "sessions" / "sessions.json"

    def load(self) -> Mapping[str, Remembered]:
        """All recordings by path; none where the file is not there or cannot be used."""
        try:
            whole = _DECODER.decode(read_private(self.path, _LARGEST))
        except (Unusable, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return {}
        return {each.path: each for each in whole.recordings} if whole.stamp == self._stamp else {}

    def store(self, recordings: Iterable[Remembered]) -> None:
        """Keep these recordings, the ones that were changed last if they are too many, in place of all before."""
        newest = sorted(filter(_can_be_written, recordings), key=lambda each: -each.changed_ns)[:_MOST]
        with contextlib.suppress(OSError):  # nothing depends on it
            write_private(self.path, msgspec.json.encode(_Whole(self._stamp, newest)))


def _can_be_written(each: Remembered) -> bool:
    """Whether the path is text: a file name may be any bytes."""
    try:
        each.path.encode()
    except UnicodeEncodeError:
        return False
    return all(session.id.isprintable() for session in each.sessions)


def stamp_of(depth: Depth, tools: str | None) -> str:
    """What the marks of sessions depend on beside the sessions: this version, the depth, and all known tools."""
    from blockview import __version__
    from blockview.catalog.cache import cache_folder

    parts = [__version__, depth.value]
    if tools is not None:
        parts.append(_state(Path(tools)))
    with contextlib.suppress(OSError):
        parts += sorted(map(_state, cache_folder().iterdir()))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _state(path: Path) -> str:
    try:
        status = os.stat(path)
    except OSError:
        return str(path)
    return f"{path.absolute()} {status.st_size} {status.st_mtime_ns}"
