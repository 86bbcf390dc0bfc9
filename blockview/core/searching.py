"""A search through many sessions: what is looked for, and what is told of each session."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

from blockview.core.needle import Hit, Needle


class Wanted(NamedTuple):
    """What is looked for; see `Needle` for the words."""

    text: str
    regex: bool = False
    exact: bool = False

    def needle(self) -> Needle:
        """Looks for it.

        Raises:
            ValueError: it is no regular expression.
        """
        return Needle(self.text, regex=self.regex, exact=self.exact)


class Told(NamedTuple):
    """What a search tells: a hit in the session that opens by `name`, or, without a hit, how a file came to its end.

    `path` is the file. `problem` says why it could not be read, and is empty if it was; `foreign` that it is no
    recording.
    """

    path: str
    name: str
    hit: Hit | None = None
    problem: str = ""
    foreign: bool = False


Search = Callable[[Sequence[str], Wanted], Generator[Told | None, None, None]]
"""Looks through files for something. Now and then it yields None, so that the one who asks can stop.

Hits come in order for each session, sessions in any order. When the iterator is closed or thrown away, the search ends.
"""
