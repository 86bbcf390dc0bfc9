"""One line at the top or the bottom of a screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from blockview.core.lines import Line, Role, Span
from blockview.core.rows import fit
from blockview.ui.actions import Action
from blockview.ui.looks import Looks
from blockview.ui.strips import to_strip


class Bar(Widget):
    """One line of text, made for the width that there is."""

    def __init__(self, make: Callable[[int], Line], *, id: str | None = None) -> None:
        """A bar that shows what `make` gives for a width in cells; `refresh` asks it again."""
        super().__init__(id=id)
        self._make = make
        self._looks: Looks | None = None

    def notify_style_update(self) -> None:
        """Forget the old theme."""
        super().notify_style_update()
        self._looks = None

    def render_line(self, y: int) -> Strip:
        """The line; anything below it is blank."""
        width = self.size.width
        line = fit(self._make(max(0, width)), width) if y == 0 else ()
        self._looks = self._looks or Looks(self)
        return to_strip(line, self._looks, width)


class Footer(Bar):
    """The keys that matter where the focus is; each can be clicked."""

    def __init__(self, actions: Callable[[], Sequence[Action]], *, id: str | None = None) -> None:
        """A footer that shows what `actions` gives, the last two of them (help, quit) at any width."""
        super().__init__(self._line, id=id)
        self._actions = actions
        self._places: list[tuple[range, Action]] = []

    def _line(self, width: int) -> Line:
        *optional, help_, quit_ = self._actions()
        room = width - _cells(help_) - _cells(quit_)
        shown = []
        for action in optional:
            room -= _cells(action)
            if room < 0:
                break
            shown.append(action)
        spans: list[Span] = []
        self._places = []
        at = 0
        for action in (*shown, help_, quit_):
            self._places.append((range(at, at + _cells(action)), action))
            at += _cells(action)
            spans += [Span(f" {_key(action)}", Role.KEY), Span(f" {action.label} ", Role.QUIET)]
        return tuple(spans)

    async def on_click(self, event: events.Click) -> None:
        """Do what was clicked."""
        for place, action in self._places:
            if event.x in place:
                await self.run_action(f"screen.{action.name}")


def _key(action: Action) -> str:
    return action.written if action.written in ("Space", "Enter", "Tab", "Esc") else action.written.split()[0]


def _cells(action: Action) -> int:
    return cell_len(f" {_key(action)} {action.label} ")
