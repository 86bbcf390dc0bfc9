"""Lines of the core → Textual strips."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from blockview.core.lines import Line
from blockview.ui.looks import Looks

Paint = tuple[int, int, Style]
"""A style laid over the characters of a line from a start to an end."""


def to_strip(line: Line, looks: Looks, width: int, *, base: Style | None = None, paint: Sequence[Paint] = ()) -> Strip:
    """Draw a line.

    Args:
        line: Spans of safe text.
        looks: The styles of the widget that draws.
        width: The cells to fill; what is longer is cut.
        base: The style of the whole row, padding included, if it is not the widget's own.
        paint: Styles laid over parts of the line, later ones over earlier ones: find hits, selected text.

    Returns:
        A strip of exactly `width` cells.
    """
    base = base or looks.base
    segments = [Segment(span.text, base + looks.role(span.role)) for span in line]
    for start, end, style in paint:
        segments = _painted(segments, start, end, style)
    return Strip(segments).adjust_cell_length(width, base)


def _painted(segments: list[Segment], start: int, end: int, style: Style) -> list[Segment]:
    painted: list[Segment] = []
    at = 0
    for text, own, _ in segments:
        low, high = max(start - at, 0), min(end - at, len(text))
        at += len(text)
        if low >= high:
            painted.append(Segment(text, own))
            continue
        parts = ((text[:low], own), (text[low:high], own + style if own else style), (text[high:], own))
        painted += [Segment(part, part_style) for part, part_style in parts if part]
    return painted
