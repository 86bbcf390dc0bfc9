"""Recorded and live side by side: how the live call ended, what was sent, and the two results by structure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import work
from textual.app import ComposeResult

from blockview.core.clock import local
from blockview.core.compare import LARGEST, Comparison, compare, is_comparable, weight
from blockview.core.copying import result_text
from blockview.core.difflines import SIDE_FROM, Differences, DiffRows, heads, totals_spans
from blockview.core.lines import Line, Role, Span
from blockview.core.live import Live, live_rows
from blockview.core.model import ToolCall
from blockview.core.rows import Fold, Row, Section, Target, ends, fit, text_rows
from blockview.core.safetext import one_line
from blockview.ui.actions import Where, footer_actions
from blockview.ui.screens.base import bindings
from blockview.ui.screens.rows import RowsScreen
from blockview.ui.threads import in_thread
from blockview.ui.widgets.bar import Bar, Footer
from blockview.ui.widgets.rows_pane import RowsPane

_HEAVY = 5_000
"""Values from which rows are made in a thread."""

_WORDS_FROM = 70
"""Cells from which the counts have words."""


class _Made(Sequence[Row]):
    """The rows about the outcome, then those of the comparison, which are made when they are looked at."""

    def __init__(self, head: Sequence[Row], below: Sequence[Row]) -> None:
        self.head, self.below = head, below

    def __len__(self) -> int:
        return len(self.head) + len(self.below)

    def __getitem__(self, index: int, /) -> Row:  # type: ignore[override]
        return self.head[index] if index < len(self.head) else self.below[index - len(self.head)]


class Compared(RowsScreen):
    """Shows what became of one call. The recorded result is never touched."""

    BINDINGS = bindings(Where.EVERYWHERE, Where.ROWS, Where.COMPARED)
    AUTO_FOCUS = "#compared"

    def __init__(
        self, recorded: ToolCall, live: Live, compared: Comparison | None, *, again: Callable[[], None]
    ) -> None:
        """Show a call and its live outcome.

        Args:
            recorded: The recorded call.
            live: What became of the call that was sent.
            compared: The comparison, if it was made already.
            again: Replays the call once more.
        """
        super().__init__()
        self._recorded = recorded
        self._live = live
        self._again = again
        self._differences: Differences | None = None
        self._wait = "comparing…"
        self._compared = compared
        self._side: bool | None = None
        self._counts = Bar(self._counts_line, id="question")

    def compose(self) -> ComposeResult:
        """Title, outcome and comparison, how many values differ, footer."""
        yield Bar(self._title_line, id="header")
        yield RowsPane(self._rows, id="compared")
        yield self._counts
        yield Footer(lambda: footer_actions(Where.COMPARED), id="footer")

    def on_mount(self) -> None:
        """Compare, unless that was done."""
        self._compare()

    @work(group="compare", description="compare", exclusive=True)
    async def _compare(self) -> None:
        comparable = is_comparable(self._live.outcome)
        found = self._compared
        if found is None and comparable:
            found = await in_thread(compare, self._recorded, self._live.outcome)
        self._compared = found
        if not comparable:
            self._wait = f"nothing to compare: {self._live.outcome.ended}"
        elif found is None:
            size = weight(self._recorded.result) + weight(self._live.outcome.result)
            self._wait = f"not compared: {size:,} characters, more than {LARGEST:,} are too many; y copies each side"
        else:
            differences = await in_thread(Differences, found)
            self.rows_pane.heavy = len(found.rows) > _HEAVY
            self._differences = differences
        self.rows_pane.changed()
        self._counts.refresh()

    # What is shown

    def _title_line(self, width: int) -> Line:
        call = self._recorded
        name = f"{call.server}.{call.tool}" if call.server else call.tool or call.name
        right = [self._live.mark(word=True), Span(" ")]
        if self._live.edited:
            right.insert(0, Span("edited  ", Role.CHANGED))
        left = [Span(" replay ", Role.TITLE), Span(one_line(name, width), Role.TOOL)]
        if self._live.server:
            left.append(Span(f"  to server {one_line(self._live.server, width)}", Role.QUIET))
        return ends(left, right, width)

    @property
    def _is_side(self) -> bool:
        return self.size.width >= SIDE_FROM if self._side is None else self._side

    def _rows(self, width: int, toggled: frozenset[Target], fold: Fold) -> _Made:
        head = live_rows(self._live, width=width, toggled=toggled, fold=fold)
        head.append(Row(()))
        if self._differences is None:
            wait = text_rows(self._wait, Role.MISSING, Target(0, Section.CALL), width=width, indent=0)
            return _Made([*head, *wait], ())
        side = self._is_side
        started = f"{local(self._recorded.started):%H:%M:%S}" if self._recorded.started else ""
        head.append(Row(heads(started, self._live.clock(), width, side=side)))
        return _Made(head, DiffRows(self._differences, width=width, side=side, toggled=toggled, fold=fold))

    def _counts_line(self, width: int) -> Line:
        if self._compared is None:
            return ()
        return fit([Span(" "), *totals_spans(self._compared.totals, words=width >= _WORDS_FROM)], width)

    # What is done

    def action_next_difference(self) -> None:
        """The next difference."""
        self._seek(forward=True)

    def action_previous_difference(self) -> None:
        """The previous difference."""
        self._seek(forward=False)

    def _seek(self, *, forward: bool) -> None:
        made = self.rows_pane.rows
        if isinstance(made, _Made) and isinstance(made.below, DiffRows):
            start = self.rows_pane.cursor_line - len(made.head)
            found = made.below.difference(max(start, -1), forward=forward)
            if found is not None:
                self.rows_pane.move(len(made.head) + found)
            else:
                self.notify("no difference further on" if forward else "no difference before", markup=False)

    def action_side(self) -> None:
        """Side by side, or below each other."""
        self._side = not self._is_side
        self.rows_pane.changed()

    def action_again(self) -> None:
        """Replay the call once more."""
        if self.is_current:
            self.app.pop_screen()
            self._again()

    def action_copy_outcome(self) -> None:
        """Offer the texts of both sides."""
        from blockview.ui.screens.copy_menu import Choice, CopyMenu

        outcome = self._live.outcome
        choices = [
            Choice(keys, word, text)
            for keys, word, text in (
                (("l", "y"), "live result", result_text(outcome.result)),
                (("r",), "recorded result", result_text(self._recorded.result)),
                (("a",), "arguments as sent", outcome.sent),
                (("m",), "live answer, raw", outcome.raw),
                (("e",), "server's stderr", outcome.stderr),
            )
            if text
        ]
        if choices:
            self.app.push_screen(CopyMenu(choices, lambda choice: self.copy(choice.word, choice.text)))
