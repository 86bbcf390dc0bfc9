"""Rows: lines that know what they stand for, and the sequences that make them when they are looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import accumulate, chain, islice
from typing import Protocol, overload

import msgspec

from blockview.core.lines import Line, Paint, Role, Span, printed
from blockview.core.safetext import ELLIPSIS, cell_width, cut, wrap_lines


class Section(StrEnum):
    """The part of a block or a call that a row belongs to."""

    PROMPT = "prompt"
    TEXT = "text"
    CALL = "call"
    ARGUMENTS = "arguments"
    RECORDED = "recorded"
    RESULT = "result"
    LIVE = "live"
    AGENT = "agent"


class Target(msgspec.Struct, frozen=True):
    """What a row stands for.

    `call` is the index among `block.calls`, -1 for none. `node` is the node number in the section's JSON tree; in the
    section TEXT it is the index among `block.items`; None where a section has no parts.
    """

    call: int
    section: Section
    node: int | None = None


class Row(msgspec.Struct, frozen=True):
    """One line on screen. `foldable` says that toggling its target opens or folds something."""

    line: Line
    target: Target | None = None
    foldable: bool = False


class Fold(StrEnum):
    """What is open at first: AUTO folds what is long, OPEN nothing, CLOSED all below the first level.

    MUCH is OPEN for a reader, who has no use for millions of rows: of a value of megabytes it opens only the levels
    that have some thousand values.
    """

    AUTO = "auto"
    OPEN = "open"
    MUCH = "much"
    CLOSED = "closed"

    @property
    def opens(self) -> bool:
        """Whether it opens what is short and what is long."""
        return self in (Fold.OPEN, Fold.MUCH)


class Part(Protocol):
    """A run of rows that can say where a target stands without making every row."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Row: ...

    def index_of(self, target: Target) -> int | None:
        """Where `target` stands, or None."""

    def printed(self, paint: Paint) -> Iterator[str]:
        """All rows as text, some lines at a time; nothing is kept."""

    @property
    def ends_empty(self) -> bool:
        """Whether nothing stands in the last row."""


def rows_of(part: Part) -> Iterator[Row]:
    """The rows of a part, made one after the other."""
    return (part[at] for at in range(len(part)))


class RowList:
    """Rows that exist already."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int, /) -> Row:
        return self._rows[index]

    def index_of(self, target: Target) -> int | None:
        """The first row that stands for `target`."""
        return next((at for at, row in enumerate(self._rows) if row.target == target), None)

    def printed(self, paint: Paint) -> Iterator[str]:
        """All rows as text."""
        return (printed(row.line, paint) for row in self._rows)

    @property
    def ends_empty(self) -> bool:
        """Whether nothing stands in the last row."""
        return bool(self._rows) and not self._rows[-1].line


class Rows(Sequence[Row]):
    """Several runs of rows as one sequence; a row is made when it is asked for."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self._parts = [part for part in parts if len(part)]
        self._ends = list(accumulate(len(part) for part in self._parts))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError("row out of range")
        part = bisect_right(self._ends, index)
        return self._parts[part][index - (self._ends[part - 1] if part else 0)]

    def __iter__(self) -> Iterator[Row]:
        return (row for part in self._parts for row in rows_of(part))

    def index_of(self, target: Target) -> int | None:
        """The index of the first row that stands for `target`, or None."""
        start = 0
        for part, end in zip(self._parts, self._ends, strict=True):
            found = part.index_of(target)
            if found is not None:
                return start + found
            start = end
        return None


def fit(spans: Iterable[Span], width: int) -> Line:
    """The spans as a line of at most `width` cells; what does not fit ends in `…`."""
    kept: list[Span] = []
    left = width
    for span in spans:
        cells = cell_width(span.text)
        if cells > left:
            if left > 0:
                kept.append(Span(cut(span.text, left), span.role))
            elif kept and span.text.strip():
                kept[-1] = Span(cut(kept[-1].text + ELLIPSIS, cell_width(kept[-1].text)), kept[-1].role)
            break
        if cells:
            kept.append(span)
            left -= cells
    return tuple(kept)


def ends(left: Sequence[Span], right: Sequence[Span], width: int) -> Line:
    """`left` at the left edge and `right` at the right edge of a line of `width` cells; `left` is cut first."""
    tail = fit(right, width * 2 // 3 if left else width)
    room = width - sum(cell_width(span.text) for span in tail)
    if not tail:
        return fit(left, width)
    head = fit(left, room - 1)
    gap = room - sum(cell_width(span.text) for span in head)
    return (*head, Span(" " * gap), *tail) if gap else (*head, *tail)


LONG_TEXT = 200
"""Lines of a text that are shown before it is folded."""


def text_rows(
    text: str,
    role: Role,
    target: Target,
    *,
    width: int,
    indent: int = 2,
    opened: bool = False,
    limit: int = LONG_TEXT,
) -> list[Row]:
    """A recorded text as wrapped rows; beyond `limit` rows it is folded to one row that says how much follows."""
    pad = max(0, min(indent, width - 1))
    lead = (Span(" " * pad),) if pad else ()
    lines = wrap_lines(text, width - pad)
    first = list(islice(lines, limit))
    following = next(lines, None)
    foldable = following is not None
    shown = chain(first, () if following is None or not opened else (following,), lines if opened else ())
    rows = [Row((*lead, Span(line, role)) if line else (), target, foldable) for line in shown]
    if foldable and not opened:
        more = f"{ELLIPSIS} {len(text):,} characters in {text.count(chr(10)) + 1:,} lines, space opens"
        rows.append(Row(fit((*lead, Span(more, Role.QUIET)), width), target, True))
    return rows
