"""Finds the recordings of subagents, which lie in known places beside a session's own.

A recorded id never becomes part of a path: it only selects among the names that folders list.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from blockview.core.model import Session
from blockview.readers.source import Source

_MOST = 20_000
"""Entries of a folder that are looked at."""


def open_named(
    folders: Iterable[Path], is_meant: Callable[[str], bool], read: Callable[[Source], Session]
) -> Session | None:
    """Read the first file of these folders whose name is meant, in the order of names; None when there is none.

    Folders that are not there, links, pipes and the like are passed over.

    Args:
        folders: Where to look, one after the other.
        is_meant: Whether a file's name is the one that is looked for.
        read: Reads the recording.

    Raises:
        OSError: the file may not be read.
    """
    for folder in folders:
        for entry in _entries(folder):
            if is_meant(entry.name) and entry.is_file(follow_symlinks=False):
                return read(Source.open(Path(entry.path)))
    return None


def folders_in(folder: Path) -> list[Path]:
    """The folders in a folder by name, links left out; none when it is not there."""
    return [Path(entry.path) for entry in _entries(folder) if entry.is_dir(follow_symlinks=False)]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(islice(entries, _MOST), key=lambda entry: entry.name)
    except OSError:
        return []
