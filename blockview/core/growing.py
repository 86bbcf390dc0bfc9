"""A recording that is read piece by piece, and one that is still being written: what is known so far."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol

from blockview.core.model import Session


class Grown(NamedTuple):
    """What is known of a recording after some reading.

    `touched` are numbers of blocks which the session before this one had too, and which tell something else now.
    `read` of `size` bytes were read; `complete` is True when that is all there is for now. `replaced` is True when the
    recording has become another one, so that nothing that was known of it holds any more.
    """

    session: Session
    touched: Collection[int] = ()
    read: int = 0
    size: int = 0
    complete: bool = True
    replaced: bool = False


class Growing(Protocol):
    """Reads a recording in steps, in order. The session of each step has the blocks of the one before, and more."""

    def read_on(self, seconds: float, rest: Callable[[], object] = bool) -> Grown | None:
        """Read for about so long, or less when the end is reached. May be called from any thread, by one at a time.

        After the end it looks whether the recording has become longer, or another one.

        Args:
            seconds: How long to read.
            rest: Is called now and then, so that others can do their work meanwhile.

        Returns:
            What is known now, or None when there is nothing new.

        Raises:
            OSError: the recording can no longer be read. It may be there again later.
            ValueError: no reader knows the recording.
        """
        ...
