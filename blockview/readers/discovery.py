"""Finds recordings by the names and states of files. None is opened: a named pipe would never let go."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import translate

import msgspec

from blockview.readers.places import KNOWN, Known, System

DEEPEST = 8
"""Folders below each other that are searched where any number may be."""
MOST = 20_000
"""Files of a folder that are taken into account."""

_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache"})
"""Folders in which no recordings are looked for, unless one is the very folder that was asked for."""
_BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database."""


class Found(msgspec.Struct, frozen=True, gc=False):
    """A file that is a recording, or may be one: when it was changed last (ns since 1970) and its size in bytes."""

    path: str
    changed_ns: int
    size: int
    tool: str = ""


class Odd(msgspec.Struct, frozen=True):
    """Something in a place that is passed over, and why."""

    path: str
    reason: str


class Place(msgspec.Struct, frozen=True):
    """What is in one place. `problem` says why it could not be searched at all, and is empty if it was.

    `databases` says that each file holds many sessions.
    """

    tool: str
    folder: str
    found: tuple[Found, ...] = ()
    odd: tuple[Odd, ...] = ()
    problem: str = ""
    databases: bool = False


def own_places(environment: Mapping[str, str] = os.environ, system: System | None = None) -> Iterator[Place]:
    """Search all known places of this user."""
    system = system or System.this()
    seen: set[str] = set()
    for known in KNOWN:
        base = known.base(environment, system)
        if base is not None:
            for fixed, pattern in _split(known):
                place = _search(known.tool, os.path.join(base, *fixed), pattern)
                found = tuple(file for file in place.found if file.path not in seen)
                seen.update(file.path for file in found)
                yield msgspec.structs.replace(place, found=found, databases=known.databases)


def folder_place(folder: str) -> Place:
    """Search a folder and the folders in it for files of any name."""
    return _search("", folder, ("**", "*"), _SKIPPED)


def found_in(places: Iterable[Place]) -> list[Found]:
    """All files of these places, the one that was changed last first."""
    files = [file for place in places for file in place.found]
    return sorted(files, key=lambda file: (-file.changed_ns, file.path))


def found_at(path: str, tool: str = "") -> Found:
    """One file whose path is known.

    Raises:
        OSError: it is not there, or is no file.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, _KINDS.get(stat.S_IFMT(status.st_mode), "not a file"), path)
    return _with_log(Found(path, status.st_mtime_ns, status.st_size, tool))


def _split(known: Known) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """A pattern's folders that have plain names, for each alternative, and the rest."""
    parts = tuple(part for part in known.pattern.split("/") if part)
    plain = next((at for at, part in enumerate(parts) if "*" in part), len(parts))
    folders: list[tuple[str, ...]] = [()]
    for part in parts[:plain]:
        folders = [(*folder, name) for folder in folders for name in part.split("|")]
    return ((folder, parts[plain:]) for folder in folders)


def _search(tool: str, folder: str, pattern: Sequence[str], skipped: frozenset[str] = frozenset()) -> Place:
    walk = _Walk(tool, pattern, skipped)
    try:
        if pattern:
            walk.into(folder, 0, 0)
        else:
            walk.found.append(found_at(folder, tool))
    except (FileNotFoundError, NotADirectoryError):
        return Place(tool, folder, problem="not there")
    except OSError as error:
        return Place(tool, folder, problem=_reason(error))
    return Place(tool, folder, tuple(walk.found), tuple(walk.odd))


class _Walk:
    """Goes through the folders of one place."""

    def __init__(self, tool: str, pattern: Sequence[str], skipped: frozenset[str]) -> None:
        self._tool = tool
        self._pattern = pattern
        self._matches = [re.compile(translate(part)).match for part in pattern]
        self._skipped = skipped
        self._seen: set[tuple[int, int]] = set()
        self.found: list[Found] = []
        self.odd: list[Odd] = []

    def into(self, folder: str, at: int, depth: int) -> None:
        """Match what is in a folder against the pattern from part `at` on.

        Raises:
            OSError: the folder cannot be read.
        """
        if self._pattern[at] == "**" and self._was_in(folder):
            return  # a link leads back to where the search came from
        with os.scandir(folder) as entries:
            self._match({entry.name: entry for entry in entries}, at, depth)

    def _match(self, entries: Mapping[str, os.DirEntry[str]], at: int, depth: int) -> None:
        if self._pattern[at] == "**":
            self._match(entries, at + 1, depth)
            if depth < DEEPEST:
                for entry in entries.values():
                    self._enter(entry, at, depth + 1)
            return
        last = at == len(self._pattern) - 1
        for name, entry in entries.items():
            if len(self.found) >= MOST:
                return
            if self._matches[at](name):
                if last:
                    self._take(entry, entries)
                else:
                    self._enter(entry, at + 1, depth)

    def _enter(self, entry: os.DirEntry[str], at: int, depth: int) -> None:
        try:
            if entry.is_dir() and entry.name not in self._skipped:
                self.into(entry.path, at, depth)
        except (FileNotFoundError, NotADirectoryError):
            pass  # it vanished
        except OSError as error:
            self.odd.append(Odd(entry.path, _reason(error)))

    def _was_in(self, folder: str) -> bool:
        status = os.stat(folder)
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            return True
        self._seen.add(identity)
        return False

    def _take(self, entry: os.DirEntry[str], beside: Mapping[str, os.DirEntry[str]]) -> None:
        name = entry.name
        if name.endswith(_BESIDE) and name.rpartition("-")[0] in beside:
            return
        if name.endswith(".zst") and name.removesuffix(".zst") in beside:
            return  # the same recording, once more
        try:
            status = entry.stat()
        except FileNotFoundError:
            if entry.is_symlink():
                self.odd.append(Odd(entry.path, "a symbolic link to something that is not there"))
            return
        except OSError as error:
            self.odd.append(Odd(entry.path, _reason(error)))
            return
        if stat.S_ISREG(status.st_mode):
            file = Found(entry.path, status.st_mtime_ns, status.st_size, self._tool)
            self.found.append(_with_log(file) if f"{name}-wal" in beside else file)
        elif not stat.S_ISDIR(status.st_mode):
            self.odd.append(Odd(entry.path, _KINDS.get(stat.S_IFMT(status.st_mode), "a device")))


_KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}


def _with_log(file: Found) -> Found:
    """The file as changed as the log beside it, in which SQLite keeps what is to be written into it."""
    try:
        log = os.stat(f"{file.path}-wal")
    except OSError:
        return file
    return Found(file.path, max(file.changed_ns, log.st_mtime_ns), file.size + log.st_size, file.tool)


def _reason(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if error.errno == errno.ELOOP:
        return "a symbolic link that leads back to itself"
    return error.strerror or str(error)
