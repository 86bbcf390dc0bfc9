"""The state of the block list without a widget: rows, cursor, folds, coercion depth, what was found, what is marked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from blockview.core.coercion import Depth
from blockview.core.extents import Extents
from blockview.core.find import HEAD, Needle, Position, Survey
from blockview.core.marks import call_marks
from blockview.core.model import Block, Place, Session, ToolCall
from blockview.core.prepare import Lookup, Prepared, no_lookup, prepare

if TYPE_CHECKING:
    from blockview.core.live import Live

OPEN_AT_MOST = 300
"""A session whose rows are no more than this many starts with all its blocks open."""


class Tally(NamedTuple):
    """How many calls have values changed for dispatch, have no schema, have failed or cannot be sent."""

    changed: int = 0
    missing: int = 0
    errors: int = 0


_GONE = ToolCall("", "can no longer be read", "", None, Place(1, 0), mcp=False)
"""Stands for a call that was counted and is no longer there: the recording was rewritten meanwhile."""


class View:
    """A session as a list of rows: blocks, below each open block its calls, and one row for what could not be read.

    The cursor is a position, not a line, so it stays with its block or call when rows above it open or close.
    """

    def __init__(self, session: Session, lookup: Lookup = no_lookup, depth: Depth = Depth.TOP) -> None:
        """Show `session`, with the catalog and the coercion depth that decide what is sent for each call."""
        self.session = session
        self.lookup = lookup
        self.blocks = len(session.blocks)
        counts = session.call_counts
        if len(counts) != self.blocks:
            counts = [len(block.calls) for block in session.blocks]
        self.calls = sum(counts)
        self._counts = counts
        self._extents = Extents(counts, opened=self.blocks + self.calls <= OPEN_AT_MOST)
        self.cursor = Position(0)
        self.needle: Needle | None = None
        self.found: Survey | None = None
        """The rows that hold the needle; None while nothing is looked for."""
        self.live: dict[Position, list[Live]] = {}
        """What became of calls that were sent again, the latest last."""
        self._block = lru_cache(maxsize=64)(lambda index: session.blocks[index])
        self.set_depth(depth)

    # Rows and lines

    @property
    def lines(self) -> int:
        """The number of lines of the list."""
        return self._extents.lines + bool(self.session.diagnostics)

    @property
    def diagnostics_position(self) -> Position:
        """The row below all blocks that stands for what could not be read; it exists if there are diagnostics."""
        return Position(self.blocks)

    def position(self, line: int) -> Position:
        """The row on a line of the list.

        Raises:
            IndexError: there is no such line.
        """
        if self.session.diagnostics and line == self._extents.lines:
            return self.diagnostics_position
        block, below = self._extents.locate(line)
        return Position(block, below - 1)

    def line(self, position: Position) -> int:
        """The line of a row; for a call of a closed block the line of the block."""
        top = self._extents.top(position.block)
        return top + position.call - HEAD if self.is_open(position.block) else top

    def is_open(self, block: int) -> bool:
        """Whether the calls of a block are shown below it."""
        return block < self.blocks and self._extents.is_open(block)

    def block(self, index: int) -> Block:
        """The block with an index, decoded; the blocks on screen are kept."""
        return self._block(index)

    def call(self, position: Position) -> ToolCall | None:
        """The call of a row; None for a block's own row."""
        if position.call == HEAD or position.block >= self.blocks:
            return None
        calls = self.block(position.block).calls
        return calls[position.call] if position.call < len(calls) else _GONE

    def prepared(self, position: Position) -> Prepared:
        """What is sent for the call of a row, which must be a call's row."""
        return self._prepared(position)

    # Cursor and folds

    @property
    def cursor_line(self) -> int:
        """The line that the cursor is on."""
        return self.line(self.cursor)

    def move_to(self, line: int) -> None:
        """Put the cursor on a line, or on the nearest that there is."""
        if self.lines:
            self.cursor = self.position(max(0, min(line, self.lines - 1)))

    def go(self, position: Position) -> None:
        """Put the cursor on a row, opening its block if need be."""
        if position.call != HEAD:
            self.set_open(position.block, True)
        self.cursor = position

    def set_open(self, block: int, opened: bool) -> None:
        """Show or hide the calls of a block. The cursor goes to the block if its call is hidden."""
        if block >= self.blocks or not self._counts[block]:
            return
        self._extents.set_open(block, opened)
        if not opened and self.cursor.block == block:
            self.cursor = Position(block)

    def set_all_open(self, opened: bool) -> None:
        """Show or hide the calls of all blocks."""
        self._extents.set_all(opened)
        if not opened:
            self.cursor = Position(self.cursor.block)

    def step_in(self) -> bool:
        """Open the block under the cursor, or go to its first call; False where there is nothing further in."""
        block, call = self.cursor
        if call != HEAD or block >= self.blocks or not self._counts[block]:
            return False
        if self.is_open(block):
            self.cursor = Position(block, 0)
        else:
            self.set_open(block, True)
        return True

    def step_out(self) -> None:
        """From a call to its block, from an open block to a closed one."""
        block, call = self.cursor
        if call != HEAD:
            self.cursor = Position(block)
        else:
            self.set_open(block, False)

    # What is sent, and what is marked

    @property
    def depth(self) -> Depth:
        """How far coercion reaches."""
        return self._depth

    def set_depth(self, depth: Depth) -> None:
        """Change how far coercion reaches; all that depends on it is worked out anew when it is next asked for."""
        self._depth = depth
        self._prepared = lru_cache(maxsize=512)(self._prepare)
        self.tally = Tally()
        """The marks of all calls in the blocks that `marked` has looked into."""
        self.marked = Survey(self.blocks, self._marked_rows)
        if self.needle:
            self.find(self.needle.text)

    def _prepare(self, position: Position) -> Prepared:
        call = self.call(position)
        if call is None:
            raise LookupError(position)
        return self._dispatched(call)

    def _dispatched(self, call: ToolCall) -> Prepared:
        return prepare(call, self.lookup, self._depth)

    def _marked_rows(self, block: int) -> tuple[int, ...]:
        found = [call_marks(call, self._dispatched(call)) for call in self.session.blocks[block].calls]
        changed, missing, errors = self.tally
        self.tally = Tally(
            changed + sum(each.changed > 0 for each in found),
            missing + sum(each.missing for each in found),
            errors + sum(each.error or each.blocked for each in found),
        )
        return tuple(number for number, each in enumerate(found) if each.remarkable)

    def seek_mark(self, *, forward: bool) -> Iterator[Position | None]:
        """The next or previous marked call from the cursor on, in steps (see `Survey.seek`)."""
        return self.marked.seek(self._origin, forward=forward)

    # What is looked for

    def find(self, text: str) -> None:
        """Look for a text in prompts, texts, names, recorded and dispatched arguments and results; empty: stop that."""
        self.needle = Needle(text) if text else None
        self.found = Survey(self.blocks, self._found_rows) if text else None

    def _found_rows(self, block: int) -> tuple[int, ...]:
        return self.needle.rows(self.session.blocks[block], self._dispatched) if self.needle else ()

    def seek_found(self, *, forward: bool, here: bool = False) -> Iterator[Position | None]:
        """The next or previous row that holds the needle from the cursor on, in steps (see `Survey.seek`)."""
        return self.found.seek(self._origin, forward=forward, here=here) if self.found else iter(())

    @property
    def _origin(self) -> Position:
        """Where looking starts: the cursor, or behind the last call from the row of what could not be read."""
        if self.cursor.block < self.blocks or not self.blocks:
            return self.cursor
        return Position(self.blocks - 1, self._counts[self.blocks - 1])
