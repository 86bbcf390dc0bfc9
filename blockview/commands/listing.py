"""The sessions of this machine, of a folder, or of some files: found, looked into, and remembered."""

from __future__ import annotations

import contextlib
import os
from argparse import Namespace
from collections.abc import Callable, Sequence
from threading import Lock

from msgspec.structs import replace

from blockview.commands import Failure
from blockview.commands.counting import Crew
from blockview.commands.listing_cache import ListingCache, Remembered, stamp_of
from blockview.commands.shared import lookups, problem
from blockview.core.coercion import Depth
from blockview.core.listing import Level, Listing, newest_first
from blockview.readers.discovery import Found, Place, folder_place, found_at, found_in, own_places

_FEW = 24
_LITTLE = 4_000_000
"""So few files, of so few bytes, are looked into by this process: to start others would take longer."""


class FoundSessions:
    """Sessions that are found in places; it is what the picker asks.

    Args:
        places: Searches the places; called for each `find`.
        depth: How far coercion reaches.
        tools: The file of `--tools`.
        doubtful: Whether a file counts only when its content shows that it is a recording.
        cache: What was found out before; by default in the user's cache.

    Raises:
        Failure: the file of `--tools` cannot be used.
    """

    def __init__(
        self,
        places: Callable[[], Sequence[Place]],
        depth: Depth = Depth.TOP,
        tools: str | None = None,
        *,
        doubtful: bool = False,
        cache: ListingCache | None = None,
    ) -> None:
        self._places = places
        self._depth = depth
        self._lookups = lookups(tools)
        self._doubtful = doubtful
        self._cache = cache or ListingCache(stamp_of(depth, tools))
        self._crew = Crew(depth, tools)
        self._alone = False
        self._files: dict[str, Found] = {}
        self._known: dict[str, dict[str, Listing]] = {}
        """By path and id."""
        self._before: dict[str, Remembered] | None = None
        self._kept_elsewhere: set[tuple[str, str]] = set()
        """Tool and id of all sessions that databases hold: the same session may still lie in a file as well."""
        self._databases: dict[str, list[Found]] = {}
        """By tool the databases that are still to be listed."""
        self._one_at_a_time = Lock()
        self._lock = Lock()

    @property
    def lanes(self) -> int:
        """How many calls of `look` at a time make sense, for what the last `find` left open."""
        return 1 if self._alone else self._crew.lanes

    def find(self) -> list[Listing]:
        """Search, for the first time or again: all sessions with what is known of them, the newest first."""
        before = self._remembered()
        places = self._places()
        files = found_in(places)
        known = {file.path: self._from_before(file, before) for file in files}
        fresh = [file for file in files if known[file.path] is None]
        databases = {file.path for place in places if place.databases for file in place.found}
        with self._lock:
            self._databases = {
                tool: [file for file in fresh if file.tool == tool and file.path in databases]
                for tool in {file.tool for file in fresh}
            }
            self._alone = len(fresh) <= _FEW and sum(file.size for file in fresh) <= _LITTLE
            self._files = {file.path: file for file in files}
            self._known = {
                path: {each.id: each for each in (self._first(self._files[path]) if some is None else some)}
                for path, some in known.items()
            }
            listed = [each for some in self._known.values() for each in some.values()]
            self._kept_elsewhere = {(each.tool, each.id) for each in listed if each.id}
        odd = [
            Listing(odd.path, 0, tool=place.tool, problem=odd.reason)
            for place in places
            if place.tool
            for odd in place.odd
        ]
        return newest_first([*(each for each in listed if not self._is_copy(each)), *odd])

    def _first(self, file: Found) -> list[Listing]:
        changed = file.changed_ns / 1e9
        return [Listing(file.path, changed, file.size, tool=file.tool, doubtful=self._doubtful)]

    def _from_before(self, file: Found, before: dict[str, Remembered]) -> list[Listing] | None:
        """The sessions of a file that did not change since; None when it is to be looked into."""
        known = before.get(file.path)
        if known is None or (known.size, known.changed_ns) != (file.size, file.changed_ns):
            return None
        if not known.sessions and not self._doubtful:
            return None
        return [each if each.tool == file.tool else replace(each, tool=file.tool) for each in known.sessions]

    def _is_copy(self, listing: Listing) -> bool:
        if listing.id or not self._kept_elsewhere:
            return False
        name = os.path.splitext(os.path.basename(listing.path))[0]
        return (listing.tool, name) in self._kept_elsewhere

    def look(self, listings: Sequence[Listing]) -> list[list[Listing]]:
        """Find out more of each, and take note of it."""
        for tool in {each.tool for each in listings if not each.id}:
            self._list_databases(tool)
        found = self._look(listings)
        return [self._noted(listing, list(each)) for listing, each in zip(listings, found, strict=True)]

    def _look(self, listings: Sequence[Listing]) -> Sequence[Sequence[Listing]]:
        if not self._alone:
            return self._crew.look(listings)
        from blockview.readers.glance import look

        return look(listings, self._lookups, self._depth)

    def _list_databases(self, tool: str) -> None:
        """Learn which sessions a tool's databases hold, before its other files are looked into."""
        with self._one_at_a_time:
            for file in self._databases.pop(tool, ()):
                (sessions,) = self._look(self._first(file))
                with self._lock:
                    self._kept_elsewhere.update((each.tool, each.id) for each in sessions if each.id)

    def _noted(self, listing: Listing, found: list[Listing]) -> list[Listing]:
        before = self._before.get(listing.path) if self._before else None
        if before is not None and listing.level is Level.FOUND:
            # Of a database that was changed, most sessions were not.
            same = {(each.id, each.changed): each for each in before.sessions if each.id}
            found = [same.get((each.id, each.changed), each) for each in found]
        with self._lock:
            known = self._known.setdefault(listing.path, {})
            known.pop(listing.id, None)
            known.update((each.id, each) for each in found)
            self._kept_elsewhere.update((each.tool, each.id) for each in found if each.id)
        return [] if self._is_copy(listing) else found

    def _remembered(self) -> dict[str, Remembered]:
        """What is remembered, with what was found out since."""
        if self._before is None:
            self._before = dict(self._cache.load())
        with self._lock:
            for path, file in self._files.items():
                sessions = tuple(self._known[path].values())
                if not any(each.level is Level.FOUND or each.problem for each in sessions):
                    self._before[path] = Remembered(path, file.size, file.changed_ns, sessions)
        return self._before

    def keep(self) -> None:
        """Remember for the next start what was found out."""
        loaded = None if self._before is None else dict(self._before)
        recordings = self._remembered()
        if recordings != loaded:
            self._cache.store(recordings.values())

    def stop(self) -> None:
        """End the processes that look into recordings."""
        self._crew.stop()


def own_sessions(options: Namespace) -> FoundSessions:
    """The sessions that this user's tools keep.

    Args:
        options: What the command line says of `--coerce` and `--tools`.

    Raises:
        Failure: the file of `--tools` cannot be used.
    """
    return FoundSessions(lambda: list(own_places()), Depth(options.coerce), options.tools)


def has_own_sessions() -> bool:
    """Whether anything lies in a place of this user's tools. No place after the first such one is searched."""
    return any(place.found or place.odd for place in own_places())


def named_sessions(paths: Sequence[str], options: Namespace) -> FoundSessions:
    """The sessions of some files, or of one folder and the folders in it; there a file counts by its content.

    Raises:
        Failure: one of them cannot be read.
    """
    folder = paths[0] if len(paths) == 1 and os.path.isdir(paths[0]) else None
    try:
        if folder is not None:
            os.scandir(folder).close()
            return FoundSessions(lambda: [folder_place(folder)], Depth(options.coerce), options.tools, doubtful=True)
        for path in paths:
            if os.path.isdir(path):
                raise Failure(f"{path}: a folder; give one folder alone, or files")
            found_at(path)
            os.close(os.open(path, os.O_RDONLY))
    except OSError as error:
        raise Failure(f"{error.filename or path}: {problem(error)}") from None
    return FoundSessions(lambda: [_files(paths)], Depth(options.coerce), options.tools)


def _files(paths: Sequence[str]) -> Place:
    """Files that somebody named, as far as they are still there."""
    found = []
    for path in paths:
        with contextlib.suppress(OSError):
            found.append(found_at(path))
    return Place("", "", tuple(found))
