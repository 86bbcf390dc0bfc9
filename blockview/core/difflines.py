"""Recorded beside live as rows: side by side or below each other, each value with its sign, equal runs folded.

`=` same, `≈` the same value in another spelling, `~` differs, `-` only recorded, `+` only live. Rows are made when they
are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import msgspec

from blockview.core.compare import Comparison
from blockview.core.diff import DiffRow, Sign, Totals
from blockview.core.diffcells import BETWEEN, CONTEXT, GUTTER, RUN, SIGN_ROLES, Cells, padded, sign_span, target_of
from blockview.core.lines import Line, Role, Span
from blockview.core.rows import Fold, Row, Section, Target, fit

SIDE_FROM = 100
"""Cells from which recorded and live stand side by side unless the reader wants it otherwise."""

_SMALL = 12
"""Values in a container up to which it starts open although nothing in it differs, or although one side lacks it."""


class _Run(msgspec.Struct, frozen=True):
    """Equal values that follow each other, how deep they are in the tree, and whether they are shown."""

    target: Target
    count: int
    depth: int
    opened: bool


class _Second(msgspec.Struct, frozen=True):
    """The second row of a value whose two literals stand below each other."""

    row: DiffRow


_Entry = DiffRow | _Run | _Second | Row


class Differences:
    """A comparison with what depends on neither width nor folds; made once, as it looks at every value."""

    def __init__(self, comparison: Comparison) -> None:
        """Prepare to show `comparison`."""
        self.comparison = comparison
        rows = comparison.rows
        self.ends = [len(rows)] * len(rows)
        """For each row the index behind all that is inside its value."""
        pending: list[int] = []
        for at, row in enumerate(rows):
            while pending and rows[pending[-1]].depth >= row.depth:
                self.ends[pending.pop()] = at
            pending.append(at)


class DiffRows(Sequence[Row]):
    """The rows of a comparison.

    Args:
        differences: What is compared.
        width: Cells per row, at least 1.
        side: Recorded and live side by side, else below each other.
        toggled: Targets whose fold is not the one that `fold` gives them.
        fold: What is open to begin with.
    """

    def __init__(
        self,
        differences: Differences,
        *,
        width: int,
        side: bool,
        toggled: frozenset[Target] = frozenset(),
        fold: Fold = Fold.AUTO,
    ) -> None:
        self._of = differences.comparison
        self._ends = differences.ends
        self._cells = Cells(self._of, max(width, 1), side=side)
        self._toggled = toggled
        self._fold = fold
        entries = list(self._walk())
        self._entries = entries if fold is Fold.OPEN else list(self._with_runs(entries))
        if self._of.ended:
            ended = fit([sign_span(Sign.DIFFERS), Span(self._of.ended, Role.CHANGED)], max(width, 1))
            self._entries.insert(0, Row(ended))

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        entry = self._entries[index]
        match entry:
            case Row():
                return entry
            case _Run():
                mark = "▾" if entry.opened else "▸"
                text = f"{mark} {entry.count:,} more that are the same"
                return self._cells.note(text, entry.target, depth=entry.depth)
            case _Second():
                return self._cells.second(entry.row)
            case _:
                return self._cells.first(entry, opened=self._is_open(entry))

    def index_of(self, target: Target) -> int | None:
        """The first row that stands for `target`."""
        return next((at for at, entry in enumerate(self._entries) if _target(entry) == target), None)

    def difference(self, start: int, *, forward: bool) -> int | None:
        """The nearest row beyond `start` where a difference begins, spelling included; None where there is none."""
        for at in range(start + 1, len(self)) if forward else range(start - 1, -1, -1):
            if self._differs(at) and not (at and self._continues(at) and self._differs(at - 1)):
                return at
        return None

    def _differs(self, at: int) -> bool:
        entry = self._entries[at]
        match entry:
            case Row():
                return bool(entry.line) and entry.line[0].text[:1] in "≈~-+"
            case DiffRow():
                return entry.sign is not Sign.SAME and not (entry.paired and self._is_open(entry))
            case _:
                return isinstance(entry, _Second)

    def _continues(self, at: int) -> bool:
        """Whether a row may go on with the difference of the row above it."""
        entry = self._entries[at]
        return isinstance(entry, _Second) or (isinstance(entry, Row) and entry.target is not None)

    # Which values are shown

    def _walk(self) -> Iterator[_Entry]:
        """All that is open."""
        rows, ends = self._of.rows, self._ends
        at = 1 if self._of.lines else 0
        while at < len(rows):
            row = rows[at]
            yield row
            if row.paired and not self._is_open(row):
                at = ends[at]
                continue
            if not row.paired:
                yield from self._below(row)
            at += 1

    def _below(self, row: DiffRow) -> Iterator[_Entry]:
        """The rows that follow the first row of a value that is no pair of containers."""
        if self._is_open(row) and self._cells.is_long(row):
            if self._cells.is_container(row):
                yield from self._inside(row)
            else:
                yield from self._cells.text(row, every=self._fold is Fold.OPEN)
        elif self._cells.is_stacked(row):
            yield _Second(row)

    def _inside(self, row: DiffRow) -> Iterator[_Entry]:
        """The values in a container that only one side has, as far as they are open."""
        tree, number = self._cells.one(row)
        depth = row.depth - tree.nodes[number].depth
        end, number = tree.nodes[number].after, number + 1
        while number < end:
            node = tree.nodes[number]
            key = node.key if node.key is not None else node.order
            old, new = (number, None) if row.live is None else (None, number)
            inner = DiffRow(row.sign, node.depth + depth, key, old, new)
            yield inner
            if self._cells.is_container(inner):
                number = number + 1 if self._is_open(inner) else node.after
            else:
                yield from self._below(inner)
                number += 1

    def _with_runs(self, entries: list[_Entry]) -> Iterator[_Entry]:
        """The entries, with long runs of equal neighbours folded."""
        at = 0
        while at < len(entries):
            end = self._end_of_run(entries, at)
            if end - at <= RUN:
                yield from entries[at : max(end, at + 1)]
                at = max(end, at + 1)
                continue
            inner = entries[at + CONTEXT : end - CONTEXT]
            first = inner[0]
            if isinstance(first, DiffRow):
                target = Target(0, Section.TEXT, first.live)
                yield from entries[at : at + CONTEXT]
                yield _Run(target, len(inner), first.depth, target in self._toggled)
                yield from inner if target in self._toggled else ()
            yield from entries[end - CONTEXT : end]
            at = end

    def _end_of_run(self, entries: list[_Entry], start: int) -> int:
        """The index behind the equal values of one container that follow each other from `start` on."""
        depth, at = None, start
        while at < len(entries):
            entry = entries[at]
            if not isinstance(entry, DiffRow) or entry.sign is not Sign.SAME or self._is_open(entry):
                break
            if entry.depth != (depth := entry.depth if depth is None else depth):
                break
            at += 1
        return at

    def _is_open(self, row: DiffRow) -> bool:
        """Whether a value with something to fold shows it."""
        if self._fold is not Fold.AUTO:
            default = self._fold is Fold.OPEN or (row.paired and not row.depth)
        elif row.sign is Sign.SAME and not row.paired:
            default = False
        elif row.paired and (row.sign is not Sign.SAME or not row.depth):
            default = True
        else:
            default = self._cells.is_container(row) and self._is_small(row)
        return default is not (bool(self._toggled) and target_of(row) in self._toggled)

    def _is_small(self, row: DiffRow) -> bool:
        """Whether a container has few values in it; one that is the same must not be one of many either."""
        tree, number = self._cells.one(row)
        node = tree.nodes[number]
        if row.sign is Sign.SAME and tree.nodes[node.parent].size > RUN:
            return False
        return node.after - number - 1 <= _SMALL


def _target(entry: _Entry) -> Target | None:
    match entry:
        case DiffRow():
            return target_of(entry)
        case _Second():
            return target_of(entry.row)
        case _:
            return entry.target


def totals_spans(found: Totals, *, words: bool = True) -> list[Span]:
    """How many values compare how, in words or by signs, as on the line below a comparison."""
    spans = []
    for count, word, sign in (
        (found.same, "same", Sign.SAME),
        (found.spelling, "other spelling", Sign.SPELLING),
        (found.differ, "differs" if found.differ == 1 else "differ", Sign.DIFFERS),
        (found.only_recorded, "only recorded", Sign.ONLY_RECORDED),
        (found.only_live, "only live", Sign.ONLY_LIVE),
    ):
        if count or sign is not Sign.SPELLING:
            text = f"{count:,} {word}" if words else f"{sign.value}{count:,}"
            spans.append(Span(text, SIGN_ROLES[sign] if count else Role.QUIET))
    return [part for span in spans for part in (Span("  "), span)][1:]


def heads(recorded: str, live: str, width: int, *, side: bool) -> Line:
    """The line above the rows that says which side is which.

    Args:
        recorded: More about the recorded side, as its time.
        live: More about the live side.
        width: Cells of the line.
        side: Whether the rows are side by side.
    """
    left, right = f"recorded {recorded}".rstrip(), f"live {live}".rstrip()
    if not side:
        spans = [Span("- ", Role.WAS), Span(left, Role.TITLE), Span("   + ", Role.OK), Span(right, Role.TITLE)]
        return fit(spans, width)
    cells = max(width - GUTTER - len(BETWEEN), 0) // 2
    start = padded(fit([Span("  " + left, Role.TITLE)], cells), cells)
    return fit([Span(" " * GUTTER), *start, Span(BETWEEN, Role.PUNCTUATION), Span("  " + right, Role.TITLE)], width)
