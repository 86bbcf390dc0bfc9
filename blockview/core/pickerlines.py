"""The list of sessions as lines: one row for each, the names of the columns, and what is told of one session."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import islice

import msgspec

from blockview.core.lines import Line, Role, Span
from blockview.core.listing import Listing, Numbers
from blockview.core.rows import fit
from blockview.core.safetext import cell_width, cut, one_line, wrap_lines

_UNKNOWN = "·"
"""Stands where a number is not known yet."""


class Column(msgspec.Struct, frozen=True):
    """A column: its name, its width in cells, the width of the list from which it is shown, and what stands in it."""

    name: str
    width: int
    since: int
    span: Callable[[Listing, int], Span]
    right: bool = False


def _when(listing: Listing, width: int) -> Span:
    return Span(when(listing)[-width:] if listing.changed else "", Role.QUIET)


def when(listing: Listing) -> str:
    """The time of the last change in this machine's time zone."""
    try:
        return f"{datetime.fromtimestamp(listing.changed):%Y-%m-%d %H:%M}"
    except (OverflowError, ValueError, OSError):
        return "?"


def _number(pick: Callable[[Numbers], int], role: Role = Role.PLAIN) -> Callable[[Listing, int], Span]:
    def span(listing: Listing, width: int) -> Span:
        if listing.numbers is None:
            return Span("" if listing.problem else _UNKNOWN, Role.QUIET)
        count = pick(listing.numbers)
        return Span(f"{count:,}" if count < 10**width else f"{count // 1000}k", role if count else Role.QUIET)

    return span


COLUMNS = (
    Column("when", 16, 100, _when),
    Column("when", 11, 0, _when),
    Column("tool", 11, 64, lambda listing, width: Span(one_line(listing.made_by, width))),
    Column("project", 16, 100, lambda listing, width: Span(one_line(listing.folder, width), Role.KEY)),
    Column("blocks", 6, 72, _number(lambda numbers: numbers.blocks), right=True),
    Column("calls", 5, 36, _number(lambda numbers: numbers.calls), right=True),
    Column("→", 3, 56, _number(lambda numbers: numbers.changed, Role.CHANGED), right=True),
    Column("?", 3, 56, _number(lambda numbers: numbers.missing, Role.MISSING), right=True),
    Column("!", 3, 36, _number(lambda numbers: numbers.errors, Role.ERROR), right=True),
)
"""All columns before the last one, which is the first prompt; of two with one name the first that fits is shown."""


def columns(width: int) -> tuple[Column, ...]:
    """The columns that a list of this width has."""
    shown: dict[str, Column] = {}
    for column in COLUMNS:
        if width >= column.since:
            shown.setdefault(column.name, column)
    return tuple(shown.values())


def names_line(width: int) -> Line:
    """The names of the columns."""
    spans = [Span(" ")]
    for column in columns(width):
        spans += _placed(Span(column.name, Role.QUIET), column)
    return fit([*spans, Span(" first prompt", Role.QUIET)], width)


def session_line(listing: Listing, width: int) -> Line:
    """The row of a session."""
    spans = [Span(" ")]
    for column in columns(width):
        spans += _placed(column.span(listing, column.width), column)
    spans += [Span(" "), _last(listing, width)]
    return fit(spans, width)


def _placed(span: Span, column: Column) -> list[Span]:
    text = cut(span.text, column.width)
    blank = Span(" " * (column.width - cell_width(text)))
    placed = Span(text, span.role)
    return [blank, placed, Span(" ")] if column.right else [placed, blank, Span("  ")]


def _last(listing: Listing, width: int) -> Span:
    if listing.problem:
        return Span(one_line(f"! {listing.headline}: {listing.problem}", width), Role.ERROR)
    told = listing.prompt or listing.title
    return Span(one_line(listing.headline, width), Role.PROMPT if told else Role.QUIET)


def preview_lines(listing: Listing | None, width: int, height: int) -> list[Line]:
    """What is told of a session below the list, in at most `height` lines."""
    if listing is None:
        return []
    about = [(_counts(listing), Role.QUIET), (_origin(listing), Role.QUIET), (listing.name, Role.QUIET)]
    if listing.problem:
        about.insert(0, (f"! {listing.problem}", Role.ERROR))
    if listing.title and listing.title != listing.prompt:
        about.insert(0, (listing.title, Role.TITLE))
    lines: list[Line] = [(Span(" "), Span(one_line(text, width - 2), role)) for text, role in about if text]
    room = max(0, height - len(lines))
    said = islice(wrap_lines(listing.prompt, max(1, width - 2)), room) if listing.prompt else ()
    return [*((Span(" "), Span(line, Role.PROMPT)) for line in said), *lines][:height]


def _counts(listing: Listing) -> str:
    numbers = listing.numbers
    if numbers is None:
        return "" if listing.problem else "not counted yet"
    counts = ((numbers.blocks, "block"), (numbers.calls, "call"))
    words = [f"{count:,} {word}{'' if count == 1 else 's'}" for count, word in counts]
    words += [f"→ {numbers.changed:,} changed", f"? {numbers.missing:,} no schema"]
    return "   ".join([*words, f"! {numbers.errors:,} error{'' if numbers.errors == 1 else 's'}"])


def _origin(listing: Listing) -> str:
    changed = f"changed {when(listing)}" if listing.changed else ""
    project = f"in {listing.project}" if listing.project else ""
    return "   ".join(filter(None, (listing.tool, listing.format, changed, project)))
