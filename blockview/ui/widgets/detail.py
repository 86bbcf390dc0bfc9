"""The detail of the block or call under the list's cursor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from textual import work
from textual.worker import Worker

from blockview.core.find import HEAD, Position
from blockview.core.lines import Line, Role, Span, plain
from blockview.core.model import Text, ToolCall
from blockview.core.render import Fold, ResultView, Row, Rows, Target, block_detail, call_detail
from blockview.core.rows import RowList, Section, fit
from blockview.core.trees import values_around
from blockview.core.view import View
from blockview.ui.diagnostics import diagnostic_rows
from blockview.ui.subagents import Subagents
from blockview.ui.threads import in_thread
from blockview.ui.widgets.pane import Pane

HEAVY = 100_000
"""Characters of arguments and result from which rows are made in a thread, so that keys do not wait for them."""

_PAUSE = 0.03
"""Seconds that the cursor must rest on a heavy call before the work for it begins."""


class _State(NamedTuple):
    """What a reader did in one detail, kept while the app runs."""

    fold: Fold = Fold.AUTO
    toggled: frozenset[Target] = frozenset()
    cursor: int = 0


class Detail(Pane):
    """Draws the rows of one block, one call or the diagnostics, with a cursor and folds of its own."""

    KEEPS_CURSOR = False

    def __init__(self, view: View, *, id: str | None = None) -> None:
        """The detail of what is under the cursor of `view`."""
        super().__init__(id=id)
        self.view = view
        self.subagents = Subagents(view.session)
        self.position = view.cursor
        self.recorded = False
        self.result_view = ResultView.VALUE
        self.rows = Rows([])
        """What is shown, made for the width that there is."""
        self._shown = self.position
        """What `rows` are of."""
        self._work: Worker[None] | None = None
        self._states: dict[Position, _State] = {}

    @property
    def _state(self) -> _State:
        return self._states.get(self.position, _State())

    @property
    def line_count(self) -> int:
        """The rows that are not folded away."""
        return len(self.rows)

    @property
    def cursor_line(self) -> int:
        """The line of the cursor."""
        return min(self._state.cursor, max(0, len(self.rows) - 1))

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor_line] if self.rows else None

    def put_cursor(self, y: int) -> None:
        """Move the cursor."""
        state = self._state
        self._states[self.position] = _State(state.fold, state.toggled, y)

    def line_at(self, y: int) -> Line:
        """The line of a row."""
        return self.rows[y].line if y < self.line_count else ()

    # What is shown

    def show(self, position: Position) -> None:
        """Show another block or call, as it was left."""
        if position != self.position:
            self.position = position
            self.changed()
            self.scroll_to(y=0, animate=False)
            self.show_cursor()

    def grow(self, position: Position, *, touched: bool) -> None:
        """The session of the view has grown: show what stands at a position now, anew if that was `touched`."""
        self.subagents = Subagents(self.view.session)
        if position != self.position:
            self.show(position)
        elif touched:
            self.changed()

    def forget(self) -> None:
        """Forget how calls and blocks were left: they are other ones now."""
        self._states.clear()

    def changed(self) -> None:
        """Make the rows anew: for another width, depth, call or fold."""
        self._renew(lambda: None)

    def _renew(self, then: Callable[[], object]) -> None:
        """Make the rows anew and do `then` when they are there: at once, or later where they are much work."""
        if self._work is not None:
            self._work.cancel()
            self._work = None
        if self.text_width <= 0:
            return
        weight, make = self._maker()
        if weight < HEAVY:
            self._take(make(), then)
            return
        if self._shown != self.position:
            wait = fit([Span(f"reading {weight:,} characters…", Role.QUIET)], self.text_width)
            self._take(Rows([RowList([Row(wait)])]), lambda: None)
        self._work = self._make_later(make, then)

    @work(group="rows", description="rows", exclusive=True)
    async def _make_later(self, make: Callable[[], Rows], then: Callable[[], object]) -> None:
        await asyncio.sleep(_PAUSE)
        self._take(await in_thread(make), then)

    async def ready(self) -> None:
        """Wait until the rows are those of what is to be shown."""
        while self._work is not None and not self._work.is_finished:
            await asyncio.sleep(_PAUSE)

    def _take(self, rows: Rows, then: Callable[[], object]) -> None:
        self.rows = rows
        self._shown = self.position
        super().changed()
        then()
        self.show_cursor()

    def _maker(self) -> tuple[int, Callable[[], Rows]]:
        """How many characters the rows are made of, and what makes them, by itself and anywhere."""
        view, position, state, width = self.view, self.position, self._state, self.text_width
        if position == view.diagnostics_position:
            return 0, partial(diagnostic_rows, view.session, width, state.toggled)
        if not view.lines:
            text = "the filter holds for nothing here" if view.kept_all else "nothing found yet"
            return 0, lambda: Rows([RowList([Row(fit([Span(text, Role.QUIET)], width))])])
        block = view.block(position.block)
        call = view.call(position)
        if call is None:
            prepared = [view.prepared(Position(position.block, number)) for number in range(len(block.calls))]
            weight = len(block.prompt) + sum(len(item.text) for item in block.items if isinstance(item, Text))
            return weight, partial(block_detail, block, prepared, width=width, toggled=state.toggled, fold=state.fold)
        return _weight(call), partial(
            call_detail,
            call,
            view.prepared(position),
            width=width,
            toggled=state.toggled,
            recorded=self.recorded,
            index=position.call,
            total=len(block.calls),
            fold=state.fold,
            result=self.result_view,
            live=[each.line(width) for each in view.live.get(position, ())],
            agent=self._subagent(call.agent) if call.agent else "",
        )

    def _subagent(self, agent: str) -> str:
        """What is to be said of a subagent, which is looked up if need be."""
        known = self.subagents.known(agent)
        if known is None:
            self._look_up(agent)
            return "looking for its recording…"
        return known.words if known.problem else f"{known.words}   Enter opens"

    @work(group="subagent", description="subagent", exclusive=True)
    async def _look_up(self, agent: str) -> None:
        await asyncio.sleep(_PAUSE)
        await self.subagents.find(agent)
        shown = self.view.call(self.position)
        if shown is not None and shown.agent == agent:
            self.changed()

    def next_result_view(self) -> None:
        """Show results in the next way: value, text, raw record."""
        views = list(ResultView)
        self.result_view = views[(views.index(self.result_view) + 1) % len(views)]
        self.changed()

    @property
    def chosen_call(self) -> Position | None:
        """The call that the row under the cursor stands for in the detail of a block."""
        target = self.row.target if self.row else None
        if self.position.call != HEAD or target is None or target.call < 0:
            return None
        return Position(self.position.block, target.call)

    @property
    def chosen_outcome(self) -> int | None:
        """The live outcome, by its number, that the row under the cursor stands for in the detail of a call."""
        target = self.row.target if self.row else None
        return target.node if target is not None and target.section is Section.LIVE else None

    @property
    def chosen_agent(self) -> str | None:
        """The id of the subagent that the row under the cursor stands for in the detail of a call."""
        target = self.row.target if self.row else None
        call = self.view.call(self.position)
        return call.agent if call is not None and target is not None and target.section is Section.AGENT else None

    # Folds

    def toggle_line(self, y: int) -> None:
        """Fold or unfold what line `y` stands for."""
        row = self.rows[y] if y < self.line_count else None
        if row is not None and row.foldable and row.target is not None:
            state = self._state
            self._states[self.position] = _State(state.fold, state.toggled ^ {row.target}, y)
            # Folding from the middle of a long text leaves the cursor at the text's first row.
            self._renew(partial(self._go_up_to, row.target))

    def _go_up_to(self, target: Target) -> None:
        start = self.rows.index_of(target)
        if start is not None and start < self.cursor_line:
            self.put_cursor(start)

    def set_all_open(self, opened: bool) -> None:
        """Fold or unfold everything there is."""
        target = self.row.target if self.row else None
        self._states[self.position] = _State(Fold.MUCH if opened else Fold.CLOSED, frozenset(), self.cursor_line)
        self._renew(partial(self._go_to, target))

    def values_around(self, *, forward: bool) -> list[Target]:
        """The values of a large result, each in the one before, that hold the needle; may be asked in any thread."""
        call, needle = self.view.call(self.position), self.needle
        if call is None or call.result is None or needle is None:
            return []
        numbers = values_around(call.result, needle, forward=forward)
        return [Target(self.position.call, Section.RESULT, number) for number in numbers]

    async def go_into(self, targets: Sequence[Target]) -> None:
        """Unfold each of these that is folded, the outer ones first, and go to the last one."""
        for target in targets:
            line = self.rows.index_of(target)
            if line is not None:
                self.put_cursor(line)
                if self.rows[line].foldable and not self._is_open(line):
                    self.toggle_line(line)
                    await self.ready()

    def _go_to(self, target: Target | None) -> None:
        if target is not None and (line := self.rows.index_of(target)) is not None:
            self.put_cursor(line)

    def step_out(self) -> bool:
        """Fold what is under the cursor, or go to the row above that is further out; False where there is none."""
        y = self.cursor_line
        if self.rows and self._is_open(y):
            self.toggle_line(y)
            return True
        for above in range(y - 1, -1, -1):
            if self.rows[above].foldable and self._indent(above) < self._indent(y):
                self.move(above)
                return True
        return False

    def step_in(self) -> None:
        """Unfold what is under the cursor, or go to the row below."""
        y = self.cursor_line
        if self.rows and self.rows[y].foldable and not self._is_open(y):
            self.toggle_line(y)
        else:
            self.move(y + 1)

    def _is_open(self, y: int) -> bool:
        return self.rows[y].foldable and "▾" in plain(self.rows[y].line)[: self._indent(y) + 1]

    def _indent(self, y: int) -> int:
        text = plain(self.rows[y].line)
        return next((at for at, character in enumerate(text) if character not in " →≈?!"), len(text))

    # Find

    def seek_line(self, *, forward: bool = True, here: bool = False) -> Iterator[int | None]:
        """The next or previous line that holds the needle, in steps; nothing beyond the last or first one.

        Yields:
            None for each line without it, and at last the line, if there is one.
        """
        start = self.cursor_line
        lines = range(start + (not here), self.line_count) if forward else range(start - (not here), -1, -1)
        for y in lines:
            if self.needle is not None and self.needle.found_in(plain(self.line_at(y))):
                yield y
                return
            yield None


def _weight(call: ToolCall) -> int:
    result = call.result
    texts = [call.arguments] + ([result.structured, *(part.text for part in result.content)] if result else [])
    return sum(len(text) for text in texts if text)
