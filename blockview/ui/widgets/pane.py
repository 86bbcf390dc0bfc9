"""The base of everything that shows lines: cursor, scrolling, mouse, text selection, drawing by the line API."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from blockview.core.lines import Line, plain
from blockview.ui.looks import Looks
from blockview.ui.strips import Paint, to_strip

if TYPE_CHECKING:
    from blockview.core.needle import Needle

_FOLD_MARKS = "▸▾"


class Pane(ScrollView, can_focus=True, inherit_bindings=False):
    """A scrolling list of lines with a cursor. What is drawn follows what is on screen, never the number of lines.

    A subclass says how many lines there are and makes each when it is asked for. All keys are the screen's.
    """

    ALLOW_SELECT = True
    KEEPS_CURSOR: ClassVar[bool] = True
    """Whether the cursor is shown without the focus as well."""

    class Moved(Message):
        """The cursor of a pane went to another line."""

        def __init__(self, pane: Pane) -> None:
            """Tell that `pane` has its cursor elsewhere."""
            super().__init__()
            self.pane = pane

    class Chosen(Message):
        """A line was opened: double click, or Enter by way of the screen."""

        def __init__(self, pane: Pane) -> None:
            """Tell that the line under the cursor of `pane` was opened."""
            super().__init__()
            self.pane = pane

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        """An empty pane."""
        super().__init__(id=id, classes=classes)
        self._strips: LRUCache[tuple[int, bool], Strip] = LRUCache(512)
        self._looks: Looks | None = None
        self.needle: Needle | None = None

    # What a subclass says

    @property
    def line_count(self) -> int:
        """The number of lines."""
        raise NotImplementedError

    @property
    def cursor_line(self) -> int:
        """The line that the cursor is on."""
        raise NotImplementedError

    def line_at(self, y: int) -> Line:
        """The content of line `y`, made for `text_width` cells."""
        raise NotImplementedError

    def put_cursor(self, y: int) -> None:
        """Take note that the cursor is on line `y`, which exists."""
        raise NotImplementedError

    def toggle_line(self, y: int) -> None:
        """Fold or unfold what line `y` stands for, if it can be folded."""

    # Cursor and scrolling

    @property
    def text_width(self) -> int:
        """The cells that a line can fill."""
        return self.scrollable_content_region.width

    @property
    def page(self) -> int:
        """The number of lines on screen, at least 1."""
        return max(1, self.scrollable_content_region.height)

    def move(self, y: int) -> None:
        """Put the cursor on line `y` or the nearest that there is, scroll to it and tell."""
        if not self.line_count:
            return
        before = self.cursor_line
        self.put_cursor(max(0, min(y, self.line_count - 1)))
        if self.cursor_line != before:
            self.refresh_lines(before)
            self.refresh_lines(self.cursor_line)
            self.post_message(self.Moved(self))
        self.show_cursor()

    def show_cursor(self) -> None:
        """Scroll just far enough for the cursor to be on screen."""
        y, top = self.cursor_line, self.scroll_offset.y
        if y < top:
            self.scroll_to(y=y, animate=False)
        elif y >= top + self.page:
            self.scroll_to(y=y - self.page + 1, animate=False)

    def changed(self) -> None:
        """Draw everything anew, with the number of lines that there are now."""
        self._strips.clear()
        self.virtual_size = Size(0, self.line_count)
        self.refresh()

    def changed_from(self, y: int) -> None:
        """Draw line `y` and all below it anew, with the number of lines that there are now."""
        for key in [key for key in self._strips.keys() if key[0] >= y]:  # noqa: SIM118
            self._strips.discard(key)
        self.virtual_size = Size(0, self.line_count)
        self.refresh()

    def look_for(self, needle: Needle | None) -> None:
        """Show where the needle stands."""
        self.needle = needle
        self._strips.clear()
        self.refresh()

    # Mouse

    def on_click(self, event: events.Click) -> None:
        """Select the line that was clicked; a click on a fold mark folds, a double click opens."""
        offset = event.get_content_offset(self)
        if offset is None or self.text_selection is not None:
            return
        y = offset.y + self.scroll_offset.y
        if y >= self.line_count:
            return
        self.move(y)
        if event.chain == 2:
            self.post_message(self.Chosen(self))
        elif offset.x in self._fold_mark(y):
            self.toggle_line(y)

    def _fold_mark(self, y: int) -> range:
        """The cells of a line's fold mark, with the space behind it."""
        text = plain(self.line_at(y))
        at = next((at for at, character in enumerate(text) if character in _FOLD_MARKS), None)
        if at is None:
            return range(0)
        start = cell_len(text[:at])
        return range(start, start + 2)

    # Drawing

    @property
    def looks(self) -> Looks:
        """The styles to draw with, until the theme or the focus changes."""
        if self._looks is None:
            self._looks = Looks(self)
        return self._looks

    def notify_style_update(self) -> None:
        """Forget what was drawn in the old theme."""
        super().notify_style_update()
        self._forget()

    def on_focus(self) -> None:
        """Show that the keys go here."""
        self._forget()

    def on_blur(self) -> None:
        """Show that the keys go elsewhere."""
        self._forget()

    def _forget(self) -> None:
        self._looks = None
        self._strips.clear()
        self.refresh()

    def on_resize(self) -> None:
        """Make the lines anew for another width."""
        self.changed()
        self.show_cursor()

    def render_line(self, y: int) -> Strip:
        """One line on screen, from the cache where it did not change."""
        y += self.scroll_offset.y
        if y >= self.line_count:
            return Strip.blank(self.size.width, self.looks.base)
        selection = self.text_selection
        key = (y, y == self.cursor_line)
        strip = self._strips.get(key) if selection is None else None
        if strip is None:
            strip = self._draw(y, selection).apply_offsets(0, y)
            if selection is None:
                self._strips[key] = strip
        return strip

    def _draw(self, y: int, selection: Selection | None) -> Strip:
        line = self.line_at(y)
        text = plain(line)
        paint: list[Paint] = []
        if self.needle:
            paint += [(start, end, self.looks.hit) for start, end in self.needle.spans(text)]
        if selection is not None and (span := selection.get_span(y)) is not None:
            start, end = span
            style = self.screen.get_component_rich_style("screen--selection")
            paint.append((start, len(text) if end == -1 else end, style))
        base = self.looks.base
        if y == self.cursor_line and (self.has_focus or self.KEEPS_CURSOR):
            base += self.looks.cursor
        return to_strip(line, self.looks, self.size.width, base=base, paint=paint)

    # Text selection

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, from the lines and not from what is drawn, so that no padding comes with it."""
        if not self.line_count:
            return None
        # A selection that began or ended in another pane is open at that end: it means what is on screen.
        top = self.scroll_offset.y
        first, start = selection.start.transpose if selection.start else (top, 0)
        final, end = selection.end.transpose if selection.end else (top + self.page - 1, None)
        parts = []
        for y in range(first, min(final, self.line_count - 1) + 1):
            text = plain(self.line_at(y))
            parts.append(text[start if y == first else 0 : end if y == final else None].rstrip())
        return "\n".join(parts), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self._strips.clear()
        self.refresh()
