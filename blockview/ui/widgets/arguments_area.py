"""The editor of a call's arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import overload

from rich.text import Span, Text
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from blockview.core.editing import pasted


class ArgumentsArea(TextArea):
    """A text area in which nothing is invisible: what is pasted is made visible as what is recorded was."""

    def __init__(self, text: str, *, id: str | None = None) -> None:
        """Edit `text`, which holds nothing that a terminal would obey."""
        super().__init__(text, id=id, soft_wrap=True, tab_behavior="focus")
        self.cursor_blink = False

    def edit(self, edit: Edit) -> EditResult:
        """Make one change."""
        text = pasted(edit.text)
        return super().edit(edit if text == edit.text else replace(edit, text=text))

    def get_line(self, line_index: int) -> Text:
        """A line, which may be as long as the arguments are."""
        return _Line(self.document.get_line(line_index), end="", no_wrap=True)


class _Line(Text):
    """A line of which only what is on screen is cut out. Textual divides the whole line for each row it draws."""

    def divide(self, offsets: Iterable[int]) -> Sequence[Text]:  # type: ignore[override]
        return _Sections(self, offsets)


class _Sections(Sequence[Text]):
    """The parts of a text between offsets, made when they are asked for.

    Textual asks for the part that it draws, and then for each part before it to count the tabs there. Where the text
    has no tabs one part without any stands for all of those.
    """

    def __init__(self, line: Text, offsets: Iterable[int]) -> None:
        self._line = line
        self._plain = line.plain
        self._bounds = [0, *offsets, len(self._plain)]
        self._others = None if "\t" in self._plain else Text("")
        self._drawn = False

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @overload
    def __getitem__(self, index: int) -> Text: ...

    @overload
    def __getitem__(self, index: slice) -> list[Text]: ...

    def __getitem__(self, index: int | slice) -> Text | list[Text]:
        if isinstance(index, slice):
            return [self._part(at) for at in range(*index.indices(len(self)))]
        if self._drawn and self._others is not None:
            return self._others
        self._drawn = True
        return self._part(index)

    def _part(self, index: int) -> Text:
        start, end = self._bounds[index], self._bounds[index + 1]
        spans = [
            Span(max(span.start, start) - start, min(span.end, end) - start, span.style)
            for span in self._line.spans
            if span.start < end and span.end > start
        ]
        return Text(self._plain[start:end], style=self._line.style, end="", no_wrap=True, spans=spans)
