"""Recordings that hold several sessions, such as a tool's database: what is in them, and which one is meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec

from blockview.core.model import Diagnostic, Place, Session, Text
from blockview.readers.head import Reader
from blockview.readers.source import Source

if TYPE_CHECKING:
    from blockview.readers.conversation import Event, Read


class Listed(msgspec.Struct, frozen=True):
    """One session of a recording, as its list tells of it.

    `project` is the folder in which the agent worked, `parent` the id of the session whose call started this one.
    """

    id: str
    title: str = ""
    started: datetime | None = None
    updated: datetime | None = None
    project: str = ""
    parent: str = ""


class NoSuchSession(OSError):
    """A recording has no session of that id; the message says so."""


@runtime_checkable
class LibraryReader(Reader, Protocol):
    """Reads a format of which one recording holds several sessions. `read` gives the newest of them."""

    def list_sessions(self, source: Source) -> tuple[Listed, ...]:
        """All sessions of the recording, the one that was written last first."""
        ...

    def read_one(self, source: Source, session_id: str) -> Session:
        """Read the session of that id; without blocks when there is none."""
        ...


def newest(listed: Sequence[Listed]) -> tuple[Listed, ...]:
    """The sessions, the one that was written last first; those without a time come last."""

    def age(one: Listed) -> float:
        when = one.updated or one.started
        return -when.timestamp() if when else float("inf")

    return tuple(sorted(listed, key=age))


def none_listed(source: Source, format_: str) -> Session:
    """What stands for a recording that lists no session: it may hold messages that belong to none."""
    return Session(source.name, format_, (), diagnostics=(Diagnostic(Place(1, 0), "it lists no session", "empty"),))


def or_note(read: Read) -> Read:
    """Read events from a place that may be locked or gone by now: then a note says so in their stead."""

    def again(place: Place) -> Iterable[Event]:
        try:
            return tuple(read(place))
        except OSError as error:
            return (Text("note", f"this cannot be read now: {error}", place),)

    return again
