"""Some lines below or beside a list, which nobody moves in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.strip import Strip
from textual.widget import Widget

from blockview.core.lines import Line
from blockview.ui.looks import Looks
from blockview.ui.strips import to_strip


class Sheet(Widget):
    """The lines that a function makes for the room that there is."""

    def __init__(self, make: Callable[[int, int], Sequence[Line]], *, id: str | None = None) -> None:
        """A sheet of what `make` gives for a width and a height in cells; `refresh` asks it again."""
        super().__init__(id=id)
        self._make = make
        self._looks: Looks | None = None

    def notify_style_update(self) -> None:
        """Forget the old theme."""
        super().notify_style_update()
        self._looks = None

    def render_line(self, y: int) -> Strip:
        """One line; below the last it is blank."""
        width, height = self.content_size
        lines = self._make(width, height) if width > 0 else ()
        self._looks = self._looks or Looks(self)
        return to_strip(lines[y] if y < len(lines) else (), self._looks, width)
