"""Arguments edited before they are sent: the text is the value, and what becomes of it is shown while it is typed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual import work
from textual.app import ComposeResult

from blockview.core.consentlines import Planned, call_rows
from blockview.core.editing import editable, problem_of
from blockview.core.lines import Line, Role, Span
from blockview.core.rows import Fold, Row, Section, Target, ends, text_rows
from blockview.core.safetext import one_line
from blockview.ui.actions import Where, footer_actions
from blockview.ui.replays import HEAVY, Replays
from blockview.ui.screens.base import PaneScreen, bindings
from blockview.ui.threads import in_thread
from blockview.ui.widgets.arguments_area import ArgumentsArea
from blockview.ui.widgets.bar import Bar, Footer
from blockview.ui.widgets.rows_pane import RowsPane

_PAUSE = 0.15
"""Seconds without a key before the text is looked at."""


class EditArguments(PaneScreen):
    """An editor over the arguments as JSON, and below it the wire text, the changes and what the schema says."""

    BINDINGS = bindings(Where.EVERYWHERE, Where.EDITOR)
    AUTO_FOCUS = "#arguments"

    def __init__(self, replays: Replays, planned: Planned, take: Callable[[Planned], None]) -> None:
        """Edit the arguments of a call; `take` gets the call as it was edited."""
        super().__init__()
        self._replays = replays
        self._planned = planned
        self._take = take
        self._recorded = editable(planned.recorded.arguments)
        self._first = editable(planned.call.arguments)
        self._problem = ""
        self._leaving = False
        self.area = ArgumentsArea(self._first, id="arguments")
        self._title = Bar(self._title_line, id="header")
        self._seen = RowsPane(self._rows, id="seen")

    def compose(self) -> ComposeResult:
        """Title, editor, what the text becomes, footer."""
        yield self._title
        yield self.area
        yield self._seen
        yield Footer(lambda: footer_actions(Where.EDITOR), id="footer")

    def _title_line(self, width: int) -> Line:
        call = self._planned.call
        left = [Span(" edit arguments ", Role.TITLE), Span(one_line(call.tool or call.name, width), Role.TOOL)]
        same = self.area.text == self._recorded
        state = Span("as recorded ", Role.QUIET) if same else Span("edited ", Role.CHANGED)
        return ends(left, [state], width)

    def _rows(self, width: int, toggled: frozenset[Target], fold: Fold) -> list[Row]:
        if self._problem:
            return text_rows(f"! {self._problem}", Role.ERROR, Target(0, Section.ARGUMENTS), width=width)
        return call_rows(self._planned, 0, 1, width=width, toggled=toggled)

    def on_text_area_changed(self) -> None:
        """Look at the text once no key has come for a moment."""
        self._leaving = False
        self._look()

    @work(group="look", description="look", exclusive=True)
    async def _look(self) -> None:
        await asyncio.sleep(_PAUSE)
        text = self.area.text
        self._problem = await in_thread(problem_of, text)
        if not self._problem:
            self._planned = await in_thread(self._with, text)
        self._seen.heavy = len(text) > HEAVY
        self._seen.changed()
        self._title.refresh()

    def _with(self, text: str) -> Planned:
        """The call with the arguments of a text; the recorded ones, to the character, where the text is theirs."""
        if text == self._recorded:
            return self._replays.edited(self._planned, self._planned.recorded.arguments)
        return self._replays.edited(self._planned, text if text.strip() else None)

    def action_apply(self) -> None:
        """Take the text as the arguments."""
        text = self.area.text
        problem = problem_of(text)
        if problem:
            self.notify(problem, severity="error", markup=False)
        elif self.is_current:
            self.app.pop_screen()
            self._take(self._with(text))

    def action_back(self) -> None:
        """Leave without the changes; where there are any, only when asked twice."""
        if self.area.text != self._first and not self._leaving:
            self._leaving = True
            self.notify("Esc once more throws the changes away, ^s takes them", markup=False)
        else:
            super().action_back()
