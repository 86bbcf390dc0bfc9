"""A place where something was found, as one line: which block, what it is, and the text around the place."""

from __future__ import annotations

from blockview.core.find import WHOLE
from blockview.core.lines import Line, Role, Span
from blockview.core.needle import Hit
from blockview.core.rows import fit
from blockview.core.safetext import ELLIPSIS, cell_width, cut, one_line, visible

_WHAT = 9
_NAME = 24
_NAME_FROM = 72
"""Cells from which the name of the call is shown."""
_BEFORE = 3
"""Of the room for the text a third, at most, is for what stands before the place."""


def hit_line(hit: Hit, width: int) -> Line:
    """The line of a hit in `width` cells."""
    number = "" if hit.block == WHOLE else hit.block + 1
    start = [Span(f"{number:>7} ", Role.QUIET), Span(f"{one_line(hit.what, _WHAT):<{_WHAT}} ", Role.KEY)]
    if hit.name and width >= _NAME_FROM:
        start.append(Span(f"{one_line(hit.name, _NAME)}  ", Role.TOOL))
    room = width - sum(cell_width(span.text) for span in start)
    return fit([*start, *_context(hit, room)], width)


def _context(hit: Hit, width: int) -> list[Span]:
    text = hit.context
    before, found = visible(text[: hit.start]).lstrip(" "), visible(text[hit.start : hit.end])
    room = max(width // _BEFORE, width - cell_width(found) - cell_width(visible(text[hit.end :])), 0)
    if cell_width(before) > room:
        before = ELLIPSIS + _last(before, room - cell_width(ELLIPSIS))
    left = width - cell_width(before)
    found = cut(found, left)
    return [
        Span(before, Role.PLAIN),
        Span(found, Role.CHANGED),
        Span(one_line(text[hit.end :], left - cell_width(found)), Role.PLAIN),
    ]


def _last(text: str, width: int) -> str:
    """The end of a visible text, in at most `width` cells."""
    end = text[len(text) - max(width, 0) :]
    while cell_width(end) > width:
        end = end[1:]
    return end
