"""Where a needle may stand: what a look through the bytes of a recording tells before any block is decoded."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Generator, Iterator

from blockview.core.bytefind import Probe, quick_probe, sure_probe
from blockview.core.find import Position, Survey
from blockview.core.model import Scanner
from blockview.core.needle import Needle


class Hunt:
    """Tells which blocks are worth decoding, because they may hold a needle, and later which are not.

    The bytes are looked through twice. The first, quick look finds whatever is recorded as it is shown; from then on
    `seek` leads to the hits. The second look finds every block in which one word of the needle stands that is not
    among what the reader adds to the records, and no number: then all other blocks are ruled out. Where the needle has
    no such word (it is a number, for the wire may spell numbers otherwise; or words of notes and states), each block
    has to be decoded after the first look, and what is known until then is not all.
    """

    def __init__(self, needle: Needle, scanner: Scanner, blocks: int) -> None:
        """Look for `needle` in a session that has so many blocks by now."""
        self._scanner = scanner
        self._quick = quick_probe(needle.parts, any_case=needle.any_case)
        self._sure = sure_probe(needle.parts, scanner.added, any_case=needle.any_case)
        self._may = bytearray(blocks)
        self._likely: list[int] = []
        self.settled = False
        """Whether blocks that do not hold it are ruled out."""

    def quick(self) -> Generator[Collection[int], None, None]:
        """The first look: blocks that it finds for the first time, now and then none. It is taken only once."""
        if self._quick is not None:
            yield from self._look(self._quick)
            self._quick = None

    def sure(self) -> Generator[Collection[int], None, None]:
        """The second look, in the same way. At its end all other blocks are ruled out, if the needle allows that."""
        if self._sure is not None:
            yield from self._look(self._sure)
            self._sure, self.settled = None, True

    def _look(self, probe: Probe) -> Generator[Collection[int], None, None]:
        for blocks in self._scanner.candidates(probe):
            yield self._new(blocks)

    def _new(self, blocks: Collection[int]) -> Collection[int]:
        may = self._may
        new = sorted(block for block in blocks if block < len(may) and not may[block])
        for block in new:
            may[block] = 1
        self._likely += new
        return new

    def rules_out(self, block: int) -> bool:
        """Whether a block is known not to hold the needle. Blocks that came later are never ruled out."""
        return self.settled and block < len(self._may) and not self._may[block]

    def allow(self, blocks: Collection[int]) -> None:
        """Rule these blocks out no longer: something was added to them."""
        for block in blocks:
            if block < len(self._may):
                self._may[block] = 1

    def seek(
        self, survey: Survey, origin: Position, *, forward: bool = True, here: bool = False
    ) -> Iterator[Position | None]:
        """As `Survey.seek`, but only in the blocks that were found up to now."""
        step = 1 if forward else -1
        blocks = sorted(self._likely, key=lambda block: step * block)
        at = bisect_left(blocks, step * origin.block, key=lambda block: step * block)
        order = blocks[at:] + blocks[:at]
        if order and order[0] == origin.block:
            order.append(origin.block)
        for number, block in enumerate(order):
            rows = survey.rows(block)
            if number == 0 and block == origin.block:
                rows = beyond(rows, origin.call, step, here=here)
            if rows:
                yield Position(block, rows[0] if forward else rows[-1])
                return
            yield None


def beyond(rows: tuple[int, ...], call: int, step: int, *, here: bool) -> tuple[int, ...]:
    """Of the rows of a block those that come after that of a call, in the direction of `step`."""
    return tuple(row for row in rows if step * row > step * call or (here and row == call))
