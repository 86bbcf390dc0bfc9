"""Sessions as a list tells of them before anybody opens one: what is known of each, and who finds it out."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol

import msgspec

PROMPT_LENGTH = 400
"""Characters that are kept of a prompt or a title."""


class Level(IntEnum):
    """How much is known of a session: that its file exists, what its first bytes tell, or all."""

    FOUND = 0
    GLANCED = 1
    COUNTED = 2


class Numbers(msgspec.Struct, frozen=True, array_like=True):
    """What is counted in a session: blocks, calls, and calls with changed values, without schema, with an error."""

    blocks: int
    calls: int
    changed: int = 0
    missing: int = 0
    errors: int = 0


class Listing(msgspec.Struct, frozen=True, omit_defaults=True):
    """One session in the list.

    `id` tells which session of its file is meant, where a file holds several. `changed` is the time of the last change
    in seconds since 1970, as the session tells it where that is known, else that of the file; `size` the bytes of the
    file. `tool` is empty for a file that no tool's folder vouches for; such a file is `doubtful` until its content
    shows that it is a recording. `problem` says why nothing more can be known.
    """

    path: str
    changed: float
    size: int = 0
    id: str = ""
    tool: str = ""
    format: str = ""
    project: str = ""
    title: str = ""
    prompt: str = ""
    numbers: Numbers | None = None
    problem: str = ""
    doubtful: bool = False
    level: Level = Level.FOUND

    @property
    def name(self) -> str:
        """What opens the session: the path, with the id behind a `#` where the file holds several."""
        return f"{self.path}#{self.id}" if self.id else self.path

    @property
    def made_by(self) -> str:
        """The tool, or the format where no tool is known."""
        return self.tool or self.format

    @property
    def folder(self) -> str:
        """The last part of the project's path, in the way of writing of any system."""
        return self.project.replace("\\", "/").rstrip("/").rpartition("/")[2] or self.project

    @property
    def headline(self) -> str:
        """What tells a person which session it is: the first prompt, else the title, else the file's name."""
        return self.prompt or self.title or self.path.replace("\\", "/").rpartition("/")[2]

    @property
    def settled(self) -> bool:
        """Whether there is nothing more to find out."""
        return self.level is Level.COUNTED or bool(self.problem)


class Sessions(Protocol):
    """Finds sessions, and finds out about them. All of it may be called in any thread."""

    @property
    def lanes(self) -> int:
        """How many calls of `look` at a time make sense."""
        ...

    def find(self) -> Sequence[Listing]:
        """All sessions there are, with what is known without looking into a file, the newest first."""
        ...

    def look(self, listings: Sequence[Listing]) -> Sequence[Sequence[Listing]]:
        """Find out more of each: what to list in its place, one session, several, or none where it is no recording."""
        ...

    def keep(self) -> None:
        """Remember for the next start what was found out."""
        ...

    def stop(self) -> None:
        """End at once whatever `look` is doing."""
        ...


def newest_first(listings: Sequence[Listing]) -> list[Listing]:
    """The listings by the time of their last change; those of the same time by name."""
    return sorted(listings, key=lambda listing: (-listing.changed, listing.path, listing.id))
