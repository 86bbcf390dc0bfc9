"""The line at the top of a session: what it is, how much there is, the marks with their words, the coercion depth."""

from __future__ import annotations

from collections.abc import Sequence

from blockview.core.coercion import Depth
from blockview.core.lines import Line, Role, Span
from blockview.core.rows import ends
from blockview.core.safetext import cell_width, one_line, visible
from blockview.core.view import View

_STEP = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
_COUNTS_FROM = 60
"""Cells from which the number of blocks and calls is shown."""

_TITLE_GAP, _TITLE_FROM = " ", 12
"""What stands before the title, and the cells from which it is shown."""


def number(count: int, word: str) -> str:
    """A count with its word: `1 call`, `2 calls`."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def header_line(view: View, path: Sequence[str], *, recorded: bool, progress: str = "", width: int) -> Line:
    """The header in `width` cells: with words beside the marks where they fit, without the numbers where it is narrow.

    The session's title stands in what room is left.

    Args:
        view: The session.
        path: The name of the session, behind those of the sessions in which it is nested.
        recorded: Whether the detail shows recorded text.
        progress: What is to be said of a recording that is still read or written.
        width: Cells of the line.
    """
    depth = Span(view.depth.value, Role.KEY if view.depth is Depth.TOP else Role.CHANGED)
    news = [Span(f"{progress}  ", Role.SPELLING)] if progress else []
    if width < _COUNTS_FROM:
        return ends([_name(path, width), *_marks(view, " ", words=False)], [*news, depth, Span(" ")], width)
    right = [*news, Span("coerce: ", Role.QUIET), depth, Span(" ")]
    if recorded:
        right = [Span("recorded text   ", Role.SPELLING), *right]
    counts = f"  {number(view.blocks, 'block')}  {number(view.calls, 'call')}"
    left = [_name(path, width), Span(counts, Role.QUIET)]
    with_words = [*left, *_marks(view, "   ", words=True)]
    room = width - sum(cell_width(span.text) for span in [*with_words, *right])
    if room > len(_TITLE_GAP) + _TITLE_FROM and view.session.title:
        with_words.insert(1, Span(_TITLE_GAP + one_line(view.session.title, room - len(_TITLE_GAP) - 1)))
    if room > 0:
        return ends(with_words, right, width)
    return ends([*left, *_marks(view, "  ", words=False)], right, width)


def _name(path: Sequence[str], width: int) -> Span:
    """The path with as many of the outer names as fit; the innermost says where a person is."""
    room = max(8, width // 3 if len(path) == 1 else width // 2)
    whole = [_STEP.join(("…", *path[start:]) if start else path) for start in range(len(path))]
    shown = next((text for text in whole if cell_width(visible(text)) <= room), path[-1])
    return Span(f" {one_line(shown, room)} ", Role.TITLE)


def _marks(view: View, gap: str, *, words: bool) -> list[Span]:
    changed, missing, errors = view.tally
    more = "" if view.marked.complete else "…"
    spans = []
    for mark, count, word, role in (
        ("→", changed, "changed", Role.CHANGED),
        ("?", missing, "no schema", Role.MISSING),
        ("!", errors, "error" if errors == 1 else "errors", Role.ERROR),
    ):
        text = f"{mark} {count:,}{more} {word}" if words else f"{mark}{count:,}{more}"
        spans += [Span(gap), Span(text, role if count else Role.QUIET)]
    return spans
