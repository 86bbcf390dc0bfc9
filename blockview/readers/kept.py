"""What was read once and may be wanted again soon: all of a small recording, the beginning of a large one."""

from __future__ import annotations

from typing import Generic, TypeVar

from blockview.core.model import Place

T = TypeVar("T")

_MOST = 256 * 1024
"""Bytes of all records of which something is kept: as many as a recording may have to be counted when it is found."""


class Kept(Generic[T]):
    """What records tell, by place, as far as it fits. The others are to be read again.

    Only for readers in which what a record tells depends on nothing but the record.
    """

    def __init__(self) -> None:
        self._left = _MOST
        self._held: dict[Place, T] = {}

    def keep(self, place: Place, told: T, size: int) -> None:
        """Keep what the record of a place tells if it still fits; `size` is the bytes that were read for it."""
        if size <= self._left:
            self._left -= size
            self._held[place] = told

    def get(self, place: Place) -> T | None:
        """What the record of a place tells, if it was kept."""
        return self._held.get(place)
