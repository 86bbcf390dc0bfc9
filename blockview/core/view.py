"""The state of the block list without a widget: rows, cursor, folds, coercion depth, what was found, what is marked."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from blockview.core.coercion import Depth
from blockview.core.extents import Extents
from blockview.core.find import HEAD, Position, Survey
from blockview.core.growing import Grown
from blockview.core.marks import CallMarks, call_marks
from blockview.core.model import Block, Place, Session, ToolCall
from blockview.core.prepare import Lookup, Prepared, no_lookup, prepare
from blockview.core.recent import Recent
from blockview.core.shown import All, Kept, Shown

if TYPE_CHECKING:
    from blockview.core.hunting import Hunt
    from blockview.core.live import Live
    from blockview.core.needle import Needle
    from blockview.core.query import Query

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

    def __init__(
        self, session: Session, lookup: Lookup = no_lookup, depth: Depth = Depth.TOP, *, complete: bool = True
    ) -> None:
        """Show a session.

        Args:
            session: The session.
            lookup: The catalog that decides what is sent for each call.
            depth: How far coercion reaches, which decides that too.
            complete: Whether the session is known as a whole; else there are more blocks than there seem to be.
        """
        self.lookup = lookup
        self._take(session)
        self._block: Recent[int, Block] = Recent(lambda index: self.session.blocks[index], 64)
        self._prepared = Recent(self._prepare, 512)
        self._whole = Extents(self._counts, opened=complete and self.blocks + self.calls <= OPEN_AT_MOST)
        self._shown: Shown = All(self._counts)
        self._extents = self._whole
        self.filter: Query | None = None
        """What hides all that it does not hold for; None while nothing is hidden."""
        self.kept: Survey | None = None
        """The rows that the filter keeps."""
        self.cursor = Position(0)
        self.needle: Needle | None = None
        self.found: Survey | None = None
        """The rows that hold the needle; None while nothing is looked for."""
        self.hunt: Hunt | None = None
        """Tells by the recording's bytes which blocks may hold it; None where only the blocks themselves tell."""
        self.live: dict[Position, list[Live]] = {}
        """What became of calls that were sent again, the latest last."""
        self.tally = Tally()
        """The marks of all calls in the blocks that `marked` has looked into."""
        self.tools: set[str] = set()
        self.servers: set[str] = set()
        """The names in the calls of those blocks."""
        self._alike: dict[Tally, Tally] = {}
        self._tallies: dict[int, Tally] = {}
        """Of the blocks that `marked` has looked into those whose calls have marks."""
        self.set_depth(depth)

    def _take(self, session: Session) -> None:
        """Show what is known of a session now."""
        self.session = session
        self.blocks = len(session.blocks)
        counts = session.call_counts
        self._counts = counts if len(counts) == self.blocks else [len(block.calls) for block in session.blocks]
        self.calls = sum(self._counts)

    def grow(self, grown: Grown, lookup: Lookup | None = None) -> int:
        """Go on with what is known of the recording by now. Cursor, folds and live outcomes stay with their rows.

        Args:
            grown: What is known, and which blocks tell something else than before.
            lookup: The catalog of what is known now, if it is another one.

        Returns:
            How many lines at the top of the list are as they were.
        """
        was = self.blocks
        self._take(grown.session)
        other = lookup is not None and lookup is not self.lookup
        self.lookup = lookup or self.lookup
        gone = range(self.blocks, was)
        touched: Collection[int] = range(was)
        since = 0
        if not grown.replaced and len(grown.touched) < was:
            touched = {*(block for block in grown.touched if block < was), *gone}
            since = min(touched, default=was)
        self._whole.recount(self._counts, since)
        if self.filter is None:
            self._shown = All(self._counts)
        self._block.forget(lambda block: block in touched)
        self._prepared.forget(lambda position: other or position.block in touched)
        self._stay_live(touched)
        if other:
            touched, since = range(was), 0
        self._forget(touched)
        if grown.replaced and self.filter is not None:
            self.set_filter(self.filter)
        if self.cursor.block >= was and self.session.diagnostics:
            self.cursor = self.diagnostics_position
        elif self.cursor.block in gone:
            self.cursor = Position(max(0, self.blocks - 1))
        self.cursor = self._nearest(self.cursor)
        return self.line(Position(since))

    def _forget(self, touched: Collection[int]) -> None:
        """Look again into what was touched, when somebody needs to know."""
        for survey in (self.marked, self.failed, self.found, self.kept):
            if survey is not None:
                survey.grow(self.blocks, touched)
        if self.hunt is not None:
            self.hunt.allow(touched)
        if not self.marked.looked:
            self._tallies.clear()
            self.tally = Tally()
        else:
            for tally in filter(None, (self._tallies.pop(block, None) for block in touched)):
                self.tally = Tally(*(whole - part for whole, part in zip(self.tally, tally, strict=True)))

    def _stay_live(self, touched: Collection[int]) -> None:
        """Let live outcomes stand beside the calls that they are of; those of calls that are gone go as well."""
        live: dict[Position, list[Live]] = {}
        for position, outcomes in self.live.items():
            stays = position.block not in touched
            at = position if stays else self._call_at(position, outcomes[-1].call.id)
            if at is not None:
                live.setdefault(at, []).extend(outcomes)
        self.live = live

    def _call_at(self, position: Position, name: str) -> Position | None:
        """Where the call of an id stands that stood at a position of the same block."""
        block, call = position
        ids = [each.id for each in self.block(block).calls] if block < self.blocks else []
        if call < len(ids) and ids[call] == name:
            return position
        return Position(block, ids.index(name)) if name in ids else None

    def _nearest(self, position: Position) -> Position:
        """A position, or the nearest that there is."""
        block, call = position
        if block >= self.blocks:
            there = block == self.blocks and self.session.diagnostics
            return position if there else Position(max(0, self.blocks - 1))
        return Position(block, min(call, self._counts[block] - 1))

    # Rows and lines

    @property
    def lines(self) -> int:
        """The number of lines of the list."""
        return self._extents.lines + self._has_diagnostics

    @property
    def kept_all(self) -> bool:
        """Whether all that the filter keeps is known."""
        return self.kept is None or self.kept.complete

    @property
    def _has_diagnostics(self) -> bool:
        """Whether the list ends with a row for what could not be read."""
        return self.filter is None and bool(self.session.diagnostics)

    @property
    def diagnostics_position(self) -> Position:
        """The row below all blocks that stands for what could not be read; it exists if there are diagnostics."""
        return Position(self.blocks)

    def position(self, line: int) -> Position:
        """The row on a line of the list.

        Raises:
            IndexError: there is no such line.
        """
        if self._has_diagnostics and line == self._extents.lines:
            return self.diagnostics_position
        row, below = self._extents.locate(line)
        return Position(self._shown.block(row), self._shown.call(row, below - 1) if below else HEAD)

    def line(self, position: Position) -> int:
        """The line of a row; for a call of a closed block the line of the block, for a hidden row that of the next."""
        row = self._shown.row(position.block)
        top = self._extents.top(row)
        if position.call == HEAD or not self.is_open(position.block):
            return top
        return top + 1 + self._shown.at(row, position.call)

    @property
    def blocks_shown(self) -> int:
        """The number of blocks that stand in the list."""
        return self._extents.rows

    def shows(self, block: int) -> bool:
        """Whether a block stands in the list."""
        row = self._shown.row(block)
        return row < self._extents.rows and self._shown.block(row) == block

    def calls_shown(self, block: int) -> list[int]:
        """The numbers of the calls of a block that stand in the list when it is open."""
        if not self.shows(block):
            return []
        row = self._shown.row(block)
        return [self._shown.call(row, at) for at in range(self._shown.counts[row])]

    def all_calls_shown(self, at_most: int) -> list[Position]:
        """The calls that stand in the list, whatever is folded: in order, and no more than one above `at_most`."""
        rows = range(self._extents.rows)
        found = (
            Position(self._shown.block(row), self._shown.call(row, at))
            for row in rows
            for at in range(self._shown.counts[row])
        )
        return list(islice(found, at_most + 1))

    def is_open(self, block: int) -> bool:
        """Whether the calls of a block are shown below it."""
        return self.shows(block) and self._extents.is_open(self._shown.row(block))

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
        """Put the cursor on a row, or on the nearest that there is, opening its block if need be."""
        position = self._nearest(position)
        if position.call != HEAD:
            self.set_open(position.block, True)
        self.cursor = position

    def set_open(self, block: int, opened: bool) -> None:
        """Show or hide the calls of a block. The cursor goes to the block if its call is hidden."""
        if not self.calls_shown(block):
            return
        self._extents.set_open(self._shown.row(block), opened)
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
        calls = self.calls_shown(block)
        if call != HEAD or not calls:
            return False
        if self.is_open(block):
            self.cursor = Position(block, calls[0])
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
        self._prepared.forget()
        self.tally = Tally()
        self._tallies.clear()
        self.marked = Survey(self.blocks, self._marked_rows)
        self.failed = Survey(self.blocks, self._failed_rows)
        if self.filter is not None:
            self.set_filter(self.filter)
        elif self.needle:
            self._look_for(self.needle)

    def _prepare(self, position: Position) -> Prepared:
        call = self.call(position)
        if call is None:
            raise LookupError(position)
        return self._dispatched(call)

    def _dispatched(self, call: ToolCall) -> Prepared:
        return prepare(call, self.lookup, self._depth)

    def _marked_rows(self, block: int) -> tuple[int, ...]:
        for call in self.session.blocks[block].calls:
            self.tools.add(call.tool or call.name)
            self.servers.update([call.server] if call.server else ())
        found = self._marks(block)
        tally = Tally(
            sum(each.changed > 0 for each in found),
            sum(each.missing for each in found),
            sum(each.error or each.blocked for each in found),
        )
        if any(tally):
            self._tallies[block] = self._alike.setdefault(tally, tally)
            self.tally = Tally(*map(sum, zip(self.tally, tally, strict=True)))
        return tuple(number for number, each in enumerate(found) if each.remarkable)

    def _failed_rows(self, block: int) -> tuple[int, ...]:
        return tuple(number for number, each in enumerate(self._marks(block)) if each.error or each.blocked)

    def _marks(self, block: int) -> list[CallMarks]:
        return [call_marks(call, self._dispatched(call)) for call in self.session.blocks[block].calls]

    def seek_mark(self, *, forward: bool, errors: bool = False) -> Iterator[Position | None]:
        """The next or previous marked call from the cursor on, in steps (see `Survey.seek`).

        Args:
            forward: Which way to look.
            errors: Whether only errors count.
        """
        return self._seek(self.failed if errors else self.marked, forward=forward)

    def _seek(self, survey: Survey, *, forward: bool, here: bool = False) -> Iterator[Position | None]:
        """As `Survey.seek` from the cursor on, but only to rows that the filter keeps."""
        origin, first = self._origin, None
        while True:
            found = None
            for found in survey.seek(origin, forward=forward, here=here):
                if found is None:
                    yield None
            if found is None or found == first:
                return
            if self._passes(found):
                yield found
                return
            origin, here, first = found, False, first or found
            yield None

    def _passes(self, position: Position) -> bool:
        if self.kept is None:
            return True
        rows = self.kept.rows(position.block)
        return bool(rows) if position.call == HEAD else position.call in rows

    # What is filtered

    def set_filter(self, query: Query | None) -> None:
        """Show only what a filter holds for, as far as blocks are looked into by `kept`; None shows everything."""
        self.filter = query
        if query is None:
            self.kept, self._shown, self._extents = None, All(self._counts), self._whole
            self.go(self.cursor)
        else:
            self.kept = Survey(self.blocks, self._kept_rows)
            self._shown, self._extents = Kept(), Extents([], opened=True)
        if self.needle:
            self._look_for(self.needle)

    def _kept_rows(self, block: int) -> tuple[int, ...]:
        query, kept = self.filter, self._shown
        if query is None or not isinstance(kept, Kept):
            return ()
        rows = query.rows(self.session.blocks[block], self._dispatched)
        change, row = kept.keep(block, rows), kept.row(block)
        if change > 0:
            self._extents.insert(row)
        elif change < 0:
            self._extents.remove(row)
        self._extents.recount(kept.counts)
        return rows

    def stay_shown(self) -> None:
        """Put the cursor on the nearest row that the filter keeps, if it stands on none."""
        block, call = self.cursor
        if (
            self.kept is None
            or not self._extents.rows
            or (self.shows(block) and call in (HEAD, *self.calls_shown(block)))
        ):
            return
        row = min(self._shown.row(block), self._extents.rows - 1)
        self.cursor = Position(self._shown.block(row))

    # What is looked for

    def find(self, text: str, *, regex: bool = False) -> None:
        """Look for a text in prompts, texts, names, recorded and dispatched arguments and results; empty: stop that.

        Args:
            text: What to look for.
            regex: Whether it is a regular expression.

        Raises:
            ValueError: it is none; then nothing is looked for.
        """
        self._look_for(None)
        if text:
            from blockview.core.needle import Needle

            self._look_for(Needle(text, regex=regex))

    def look_again(self) -> None:
        """Look anew for what is looked for."""
        self._look_for(self.needle)

    def _look_for(self, needle: Needle | None) -> None:
        self.needle, scanner = needle, self.session.scanner
        self.found = Survey(self.blocks, self._found_rows) if needle else None
        self.hunt = None
        if needle is not None and scanner is not None:
            from blockview.core.hunting import Hunt

            self.hunt = Hunt(needle, scanner, self.blocks)

    def _found_rows(self, block: int) -> tuple[int, ...]:
        if self.needle is None or (self.hunt is not None and self.hunt.rules_out(block)):
            return ()
        rows = self.needle.rows(self.session.blocks[block], self._dispatched)
        return tuple(row for row in rows if self._passes(Position(block, row)))

    def seek_likely(self, *, forward: bool, here: bool = False) -> Iterator[Position | None]:
        """As `seek_found`, but only in blocks that the hunt has found, so that it does not take long."""
        if self.hunt is None or self.found is None:
            return iter(())
        return self.hunt.seek(self.found, self._origin, forward=forward, here=here)

    def seek_found(self, *, forward: bool, here: bool = False) -> Iterator[Position | None]:
        """The next or previous row that holds the needle from the cursor on, in steps (see `Survey.seek`)."""
        return self.found.seek(self._origin, forward=forward, here=here) if self.found else iter(())

    @property
    def _origin(self) -> Position:
        """Where looking starts: the cursor, or behind the last call from the row of what could not be read."""
        if self.cursor.block < self.blocks or not self.blocks:
            return self.cursor
        return Position(self.blocks - 1, self._counts[self.blocks - 1])
