"""Find a text in many sessions: the hits as they come, below the names of their sessions."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import aclosing
from itertools import chain
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from blockview.core.hitlines import hit_line
from blockview.core.lines import Line, Role, Span
from blockview.core.needle import Hit
from blockview.core.rows import ends, fit
from blockview.core.safetext import one_line
from blockview.core.searching import Search, Told, Wanted
from blockview.ui.actions import Where, footer_actions
from blockview.ui.header import number
from blockview.ui.screens.base import PaneScreen, bindings
from blockview.ui.threads import batches
from blockview.ui.widgets.bar import Bar, Footer
from blockview.ui.widgets.find_input import FindInput
from blockview.ui.widgets.pane import Pane

_MOST = 5000
"""Hits at which the search ends: nobody reads more."""
_TELL = 0.15
"""Seconds between drawings of what was found."""
_REGEX = "find_regex"


class HitList(Pane):
    """Draws hits in groups. The cursor stays with its row when others come."""

    def __init__(self, *, id: str | None = None) -> None:
        """An empty list."""
        super().__init__(id=id)
        self._groups: dict[str, list[Hit]] = {}
        self._rows: list[tuple[str, Hit | None]] = []
        self._cursor = 0

    @property
    def line_count(self) -> int:
        """The names and the hits."""
        return len(self._rows)

    @property
    def cursor_line(self) -> int:
        """The line of the cursor."""
        return self._cursor

    @property
    def chosen(self) -> tuple[str, Hit] | None:
        """The hit under the cursor, or the first one of the session under it."""
        if not self._rows:
            return None
        name, hit = self._rows[self._cursor]
        return name, hit or self._groups[name][0]

    def put_cursor(self, y: int) -> None:
        """Move the cursor."""
        self._cursor = y

    def line_at(self, y: int) -> Line:
        """The name of a session, or a hit in it."""
        name, hit = self._rows[y]
        if hit is not None:
            return hit_line(hit, self.text_width)
        return fit([Span(f" {one_line(name, self.text_width)}", Role.TITLE)], self.text_width)

    def add(self, name: str, hit: Hit) -> None:
        """Add a hit; `changed` shows it."""
        self._groups.setdefault(name, []).append(hit)

    def clear_hits(self) -> None:
        """Start anew."""
        self._groups.clear()
        self._cursor = 0
        self.changed()

    def changed(self) -> None:
        """Draw all hits there are now."""
        under = self._rows[self._cursor] if self._cursor < len(self._rows) else None
        groups = ([(name, None), *((name, hit) for hit in hits)] for name, hits in self._groups.items())
        self._rows = list(chain.from_iterable(groups))
        if under in self._rows[self._cursor :]:
            self._cursor = self._rows.index(under, self._cursor)
        self._cursor = max(0, min(self._cursor, len(self._rows) - 1))
        super().changed()


class FindingAll(PaneScreen):
    """Looks through sessions for a text that is typed in."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Where.EVERYWHERE, Where.HITS),
        *(each for each in bindings(Where.SESSION) if getattr(each, "id", "") == _REGEX),
    ]
    AUTO_FOCUS = "FindInput"

    def __init__(self, search: Search, paths: Sequence[str]) -> None:
        """Look through the files of `paths` with `search`."""
        super().__init__()
        self._search = search
        self._paths = paths
        self._wanted = Wanted("")
        self._problem = ""
        self._searching = False
        self._hits = self._done = 0
        self._unread: list[Told] = []
        self._input: FindInput | None = FindInput(self._accept, self._cancel)
        self._list = HitList(id="sessions")
        self._header = Bar(self._header_line, id="header")
        self._find_line = Bar(self._text_line, id="find")
        self._find_row = Horizontal(self._input, self._find_line, id="find-row")
        self.add_class("-finding", "-typing")

    def compose(self) -> ComposeResult:
        """Header, hits, what is looked for, footer."""
        yield self._header
        yield self._list
        yield self._find_row
        yield Footer(lambda: footer_actions(Where.HITS), id="footer")

    # What is shown

    def _header_line(self, width: int) -> Line:
        left = [Span(" find in ", Role.TITLE), Span(number(len(self._paths), "file"), Role.TITLE)]
        if not self._wanted.text:
            return fit(left, width)
        right = [Span(f"{number(self._hits, 'hit')} ", Role.CHANGED if self._hits else Role.QUIET)]
        if self._searching:
            right.insert(0, Span(f"looked through {self._done:,}…   ", Role.QUIET))
        elif self._hits >= _MOST:
            right.insert(0, Span("no more is looked for   ", Role.MISSING))
        elif self._unread:
            right.insert(0, Span(f"{len(self._unread):,} unread   ", Role.ERROR))
        return ends(left, right, width)

    def _text_line(self, width: int) -> Line:
        regex = [Span("regex ", Role.CHANGED)] if self._wanted.regex else []
        if self._input is not None:
            said = [Span(f" {self._problem} ", Role.ERROR)] if self._problem else []
            return ends((), [*said, *(regex or [Span("^r", Role.KEY), Span(" regex ", Role.QUIET)])], width)
        return ends([Span(" /", Role.KEY), Span(one_line(self._wanted.text, width))], regex, width)

    def _tell(self) -> None:
        self._list.changed()
        self._header.refresh()

    # Typing

    def on_key(self, event: events.Key) -> None:
        """Take what comes in one burst with the key for find, before the input can have the focus."""
        if self._input is not None and self.focused is not self._input:
            event.stop()
            self._input.take(event)

    def action_find_another(self) -> None:
        """Open the line to type in."""
        if self._input is None:
            self._input = FindInput(self._accept, self._cancel)
            self._input.value = self._wanted.text
            self.add_class("-typing")
            self._find_row.mount(self._input, before=self._find_line)
            self._input.focus()

    def action_find_regex(self) -> None:
        """Take what is typed as a regular expression, or as a text again."""
        self._wanted = self._wanted._replace(regex=not self._wanted.regex)
        if self._input is not None:
            self._check(self._input.value)
        elif self._wanted.text:
            self._begin(self._wanted.text)
        self._find_line.refresh()

    def on_input_changed(self) -> None:
        """Say while somebody types whether it is a regular expression."""
        if self._input is not None:
            self._check(self._input.value)

    def _check(self, text: str) -> None:
        self._problem = ""
        try:
            self._wanted._replace(text=text).needle()
        except ValueError as error:
            self._problem = f"not a regex: {error}"
        self.set_class(bool(self._problem), "-no-regex")
        self._find_line.refresh()

    def _accept(self) -> None:
        text = self._input.value if self._input is not None else ""
        if not text:
            self._cancel()
        else:
            self._close_input()
            self._begin(text)

    def _cancel(self) -> None:
        self._close_input()
        if not self._wanted.text:
            self.action_back()

    def _close_input(self) -> None:
        if self._input is not None:
            self._input.remove()
            self._input = None
        self.remove_class("-typing", "-no-regex")
        self.set_focus(self._list)
        self._find_line.refresh()

    # Searching

    def _begin(self, text: str) -> None:
        self._wanted = self._wanted._replace(text=text)
        self._hits = self._done = 0
        self._unread = []
        self._list.clear_hits()
        self.workers.cancel_group(self, "search")
        self._check(text)
        if self._problem:
            self.notify(self._problem, severity="error", markup=False)
        else:
            self._list.look_for(self._wanted.needle())
            self._look(self._search(self._paths, self._wanted))

    @work(group="search", description="search", exclusive=True)
    async def _look(self, told: Generator[Told | None, None, None]) -> None:
        """Take what the search tells, in a thread, and show it a few times a second."""
        self._searching = True
        async with aclosing(batches(told, _TELL)) as news:
            async for batch in news:
                for each in filter(None, batch):
                    self._take(each)
                self._tell()
                if self._hits >= _MOST:
                    break
        self._searching = False
        self._tell()

    def _take(self, told: Told) -> None:
        if told.hit is not None:
            self._hits += 1
            self._list.add(told.name, told.hit)
            return
        self._done += 1
        if told.problem and not told.foreign:
            self._unread.append(told)

    def on_pane_chosen(self, event: Pane.Chosen) -> None:
        """Open what was double-clicked."""
        self.action_open_hit()

    def action_open_hit(self) -> None:
        """Open the session at the hit under the cursor."""
        from blockview.ui.screens.picker import Picker

        if (chosen := self._list.chosen) is not None:
            name, hit = chosen
            self.post_message(Picker.Picked(name, hit, self._wanted))
