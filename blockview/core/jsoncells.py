"""What the rows of a JSON value are made of: its indent, its name, the value itself, what is said behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from blockview.core.jsontext import NUMBERS, Kind, decode_string
from blockview.core.lines import Line, Role, Span
from blockview.core.safetext import cell_width, one_line, visible, wrap_lines

FOLD = 2
"""Cells of the fold mark."""
KEY_COLUMN = 16
"""Cells of the longest name for which the values beside it move to the right."""
KEY_GAP = 3
"""Cells of the colon behind a key, and of the blanks where its container's keys are longer."""
SAMPLE = 100
"""Names of a container that are looked at to find the column of its values."""
GAP = Span("   ")
"""What stands between a value and the words behind it."""
EXACT = Span("exact digits", Role.QUIET)
ROLES = {
    Kind.STRING: Role.STRING,
    Kind.INTEGER: Role.NUMBER,
    Kind.FLOAT: Role.NUMBER,
    Kind.TRUE: Role.WORD,
    Kind.FALSE: Role.WORD,
    Kind.NULL: Role.WORD,
    Kind.NOT_JSON: Role.WORD,
    Kind.OBJECT: Role.PUNCTUATION,
    Kind.ARRAY: Role.PUNCTUATION,
}

_GUTTER = 2
_STEP = 2
_OFTEN = 40
"""Characters of names that are remembered."""
_BAR_FROM = 12
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)


def indent(depth: int, width: int) -> int:
    """Cells before the fold mark; deep trees stop moving right so that values keep half of the width."""
    return min(_GUTTER + _STEP * depth, max(_GUTTER, width // 2 - _GUTTER))


def name(literal: str | None, key: str | None, order: int, width: int) -> str:
    """A member's name, with its quotes where it could be taken for something else; an element's position."""
    if literal is None:
        return str(order)
    if len(literal) <= _OFTEN:
        return _short_name(literal, key, width)
    return _visible_name(literal, key, width)


def _visible_name(literal: str, key: str | None, width: int) -> str:
    return one_line(key if key is not None and _PLAIN_KEY.fullmatch(key) else literal, width)


_short_name = lru_cache(4096)(_visible_name)
"""The same few names stand in most objects."""


def column(names: Iterable[str]) -> int:
    """How many cells the keys of a container take, by some of its names, so that its values stand in a column."""
    return min(max(map(cell_width, names), default=0), KEY_COLUMN) + 2


def positions_column(size: int) -> int:
    """As `column`, for an array of so many elements, which have their positions as names."""
    return len(str(min(size, SAMPLE) - 1)) + 2


def key_spans(shown: str, column: int, *, member: bool) -> tuple[Span, Span]:
    """A name and what stands behind it up to its container's column; an element's position is more quiet."""
    gap = max(1, column - cell_width(shown) - 1)
    return Span(shown, Role.KEY if member else Role.QUIET), Span(":" + " " * gap, Role.PUNCTUATION)


def brackets(kind: Kind) -> Span:
    """A container without what is in it."""
    return Span("{}" if kind is Kind.OBJECT else "[]", Role.PUNCTUATION)


def container_spans(kind: Kind, size: int) -> tuple[Span, Span]:
    """A container and how much is in it."""
    what = "key" if kind is Kind.OBJECT else "item"
    return brackets(kind), Span(f" {size:,} {what}{'' if size == 1 else 's'}", Role.QUIET)


def is_plain(literal: str) -> bool:
    """Whether a literal takes one cell for each character, and one line."""
    return literal.isascii() and literal.isprintable() and r"\n" not in literal


def is_long(kind: Kind, literal: str, width: int, room: int) -> bool:
    """Whether a string or number has lines of its own: it takes more than `room` cells of `width`, or several lines."""
    if kind is not Kind.STRING and kind not in NUMBERS:
        return False
    if len(literal) > width:
        return True
    if kind is Kind.STRING and r"\n" in literal and "\n" in decode_string(literal):
        return True
    return cell_width(visible(literal)) > room


def measured(kind: Kind, literal: str) -> str:
    """How long a long string or number is, in words."""
    if kind is not Kind.STRING:
        return f"{sum(map(str.isdigit, literal)):,} digits"
    text = decode_string(literal)
    lines = text.count("\n") + (not text.endswith("\n"))
    return f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"


def opened_lines(kind: Kind, literal: str, depth: int, width: int, role: Role | None = None) -> Iterator[Line]:
    """The lines below an opened leaf: a string's text line by line, a number's digits.

    Args:
        kind: What it is.
        literal: Its characters as written.
        depth: How many containers it is in.
        width: Cells per line.
        role: What the text means if it is no ordinary value.
    """
    text = decode_string(literal) if kind is Kind.STRING else literal
    pad = " " * min(indent(depth, width) + 2, width // 2)
    bar = "│ " if width >= _BAR_FROM else ""
    lead = Span(pad + bar, Role.PUNCTUATION)
    role = role or ROLES[kind]
    return ((lead, Span(line, role)) for line in wrap_lines(text, width - len(pad) - len(bar)))
