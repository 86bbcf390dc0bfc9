"""Looking through a session block by block: which rows have something, and which of them is next.

A survey does its work in small steps that the caller spaces out, so that a key never waits for a large session.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

from blockview.core.model import Block, Text, ToolCall
from blockview.core.prepare import Prepared

HEAD = -1
"""The number of a block's own row, which stands above the rows of its calls."""


class Position(NamedTuple):
    """A row of the list: a block's own row (`call` is HEAD) or the row of one of its calls, both counted from 0."""

    block: int
    call: int = HEAD


class Needle:
    """A literal text to look for. Without capitals it finds either case, with a capital it is taken as it is."""

    def __init__(self, text: str) -> None:
        """Prepare to look for `text`, which must not be empty."""
        self.text = text
        self._any_case = text == text.lower()
        self._pattern = re.compile(re.escape(text), re.IGNORECASE if self._any_case else re.NOFLAG)

    def found_in(self, text: str | None) -> bool:
        """Whether `text` holds the needle."""
        if text is None:
            return False
        if self._any_case and text.isascii() and self.text.isascii():
            return self.text in text.lower()  # five times as fast as the pattern, and the same for ASCII
        return self._pattern.search(text) is not None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where in `text` the needle stands, as (start, end) in characters."""
        return [match.span() for match in self._pattern.finditer(text)]

    def rows(self, block: Block, prepared: Callable[[ToolCall], Prepared]) -> tuple[int, ...]:
        """The rows of a block that hold the needle: HEAD for its prompt and texts, else the number of a call.

        Args:
            block: The block to look through.
            prepared: What is sent for a call; asked only where the recorded texts do not hold the needle.
        """
        rows = [HEAD] if self.in_texts(block) else []
        rows += [number for number, call in enumerate(block.calls) if self.in_call(call, prepared)]
        return tuple(rows)

    def in_texts(self, block: Block) -> bool:
        """Whether a block's prompt, or a text in it, holds the needle."""
        return self.found_in(block.prompt) or any(
            isinstance(item, Text) and self.found_in(item.text) for item in block.items
        )

    def in_call(self, call: ToolCall, prepared: Callable[[ToolCall], Prepared]) -> bool:
        """Whether anything that is shown of a call holds the needle; see `rows`."""
        texts = [call.name, call.server, call.tool, call.arguments, call.status_note, call.agent]
        if call.result is not None:
            texts += [call.result.text, call.result.structured]
        return any(map(self.found_in, texts)) or self.found_in(prepared(call).dispatched)


class Survey:
    """Which rows of a session have something. Each block is looked into once, when somebody needs to know."""

    def __init__(self, blocks: int, look: Callable[[int], tuple[int, ...]]) -> None:
        """Start knowing nothing.

        Args:
            blocks: The number of blocks.
            look: Gives the rows of a block that have it, sorted: HEAD or numbers of calls.
        """
        self._blocks = blocks
        self._look = look
        self._seen = bytearray(blocks)
        self._rows: dict[int, tuple[int, ...]] = {}
        self._before: tuple[list[int], list[int]] | None = None
        self.looked = 0
        """How many blocks were looked into."""
        self.hits = 0
        """How many rows were found so far."""

    @property
    def complete(self) -> bool:
        """True when every block was looked into."""
        return self.looked == self._blocks

    def rows(self, block: int) -> tuple[int, ...]:
        """The rows of `block` that have it; looks into the block if need be."""
        if not self._seen[block]:
            self._seen[block] = 1
            self.looked += 1
            if rows := self._look(block):
                self._rows[block] = rows
                self.hits += len(rows)
                self._before = None
        return self._rows.get(block, ())

    def explore(self, start: int = 0) -> Iterator[None]:
        """Look into every block, from `start` on and around; one step for each block."""
        for block in range(start, start + self._blocks):
            if self.complete:
                return
            self.rows(block % self._blocks)
            yield

    def seek(self, origin: Position, *, forward: bool = True, here: bool = False) -> Iterator[Position | None]:
        """The nearest row that has it, going around the end of the session.

        Args:
            origin: Where to start from.
            forward: Which way to look.
            here: Whether `origin` itself counts before any other row; it counts as the last in any case.

        Yields:
            None for each block in which nothing was found, and at last the row, if there is one.
        """
        if not self._blocks:
            return
        step = 1 if forward else -1
        for number in range(self._blocks + 1):
            block = (origin.block + step * number) % self._blocks
            rows = self.rows(block)
            if number == 0:
                rows = tuple(row for row in rows if step * row > step * origin.call or (here and row == origin.call))
            if rows:
                yield Position(block, rows[0] if forward else rows[-1])
                return
            yield None

    def ordinal(self, position: Position) -> int | None:
        """The number of the hit at `position` among all hits, from 1; None where none is, or while some are unknown."""
        if not self.complete or position.call not in self._rows.get(position.block, ()):
            return None
        if self._before is None:
            blocks = sorted(self._rows)
            self._before = (blocks, list(accumulate((len(self._rows[block]) for block in blocks), initial=0)))
        blocks, before = self._before
        at = bisect_left(blocks, position.block)
        return before[at] + self._rows[position.block].index(position.call) + 1
