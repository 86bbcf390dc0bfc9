r"""Two JSON values side by side, by structure: what is the same, what differs, what only one of them has.

Numbers are compared as values: `10` and `10.0` are the same number in another spelling, and so are `"é"` and
`"\u00e9"` the same text. Nothing is rounded on the way: `9007199254740993` is not `9007199254740992`.
"""

from __future__ import annotations

import difflib
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from enum import StrEnum

import msgspec

from blockview.core.jsontext import CONTAINERS, NUMBERS, Kind, Tree, decode_string, exact_int

_ALIGNED = 2_000
"""Arrays with more items than this are compared item by item; aligning them would take too long."""

_WORK = 8_000_000
"""Pairs of items that may be looked at to align all arrays of one comparison; the rest is compared item by item."""


class Sign(StrEnum):
    """How recorded and live compare at a place."""

    SAME = "="
    SPELLING = "≈"
    DIFFERS = "~"
    ONLY_RECORDED = "-"
    ONLY_LIVE = "+"


class DiffRow(msgspec.Struct, frozen=True):
    """One value of the two. `recorded` and `live` are node numbers of the two trees, None where one has no such value.

    `key` is the member name or the array index. `paired` marks two containers of one kind, whose members follow as
    rows of their own; their sign says whether anything inside differs.
    """

    sign: Sign
    depth: int
    key: str | int | None
    recorded: int | None
    live: int | None
    paired: bool = False


class Totals(msgspec.Struct, frozen=True):
    """How many values compare how; paired containers count by what is in them."""

    same: int = 0
    spelling: int = 0
    differ: int = 0
    only_recorded: int = 0
    only_live: int = 0

    @property
    def equal(self) -> bool:
        """True when the two are the same value; spelling does not count."""
        return not (self.differ or self.only_recorded or self.only_live)


def diff(recorded: Tree, live: Tree) -> list[DiffRow]:
    """All values of both trees in the order of the live one, each with its sign.

    A value that only one side has is one row, whatever it holds. Array items are aligned, so that one item put in
    front is one difference and not as many as there are items.
    """
    classes: dict[Hashable, int] = {}
    left, right = _classes(recorded, classes), _classes(live, classes)
    rows: list[DiffRow] = []
    aligner = _Aligner(left, right)
    pending: list[Iterator[tuple[str | int | None, int | None, int | None]]] = [iter([(None, 0, 0)])]
    while pending:
        for key, old, new in pending[-1]:
            depth = len(pending) - 1
            if old is None or new is None:
                rows.append(DiffRow(Sign.ONLY_LIVE if old is None else Sign.ONLY_RECORDED, depth, key, old, new))
                continue
            kind = recorded.nodes[old].kind
            if kind not in CONTAINERS or kind is not live.nodes[new].kind:
                rows.append(DiffRow(_sign(recorded, live, old, new, left[old] == right[new]), depth, key, old, new))
                continue
            sign = Sign.SAME if left[old] == right[new] else Sign.DIFFERS
            rows.append(DiffRow(sign, depth, key, old, new, paired=True))
            pair = _members if kind is Kind.OBJECT else aligner.items
            pending.append(iter(pair(recorded, live, old, new)))
            break
        else:
            pending.pop()
    return rows


def totals(rows: Sequence[DiffRow]) -> Totals:
    """Count the signs of `rows`."""
    counts = dict.fromkeys(Sign, 0)
    for row in rows:
        if not row.paired:
            counts[row.sign] += 1
    return Totals(*(counts[sign] for sign in Sign))


def same_number(left: str, right: str) -> bool:
    """Whether two JSON number literals are the same number, exactly and whatever their size."""
    return left == right or _number(left) == _number(right)


def _number(literal: str) -> tuple[str, str, int]:
    """Sign, digits without zeros at either end, and the power of ten of the last digit."""
    mantissa, _, exponent = literal.lower().partition("e")
    sign, mantissa = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    kept = digits.rstrip("0")
    if not kept:
        return (sign, "", 0)
    return sign, kept, exact_int(exponent.removeprefix("+") or "0") - len(fraction) + len(digits) - len(kept)


def _sign(recorded: Tree, live: Tree, old: int, new: int, equal: bool) -> Sign:
    if not equal:
        return Sign.DIFFERS
    return Sign.SAME if recorded.literal(old) == live.literal(new) else Sign.SPELLING


def _classes(tree: Tree, classes: dict[Hashable, int]) -> list[int]:
    """A number for each node; two nodes, of one tree or of two, have the same number when their values are equal."""
    found = [0] * len(tree.nodes)
    for number in range(len(tree.nodes) - 1, -1, -1):
        kind = tree.nodes[number].kind
        value: Hashable
        if kind is Kind.OBJECT:
            value = (
                kind,
                tuple(sorted((tree.nodes[child].key or "", found[child]) for child in tree.children(number))),
            )
        elif kind is Kind.ARRAY:
            value = (kind, tuple(found[child] for child in tree.children(number)))
        elif kind in NUMBERS:
            value = ("number", _number(tree.literal(number)))
        elif kind is Kind.STRING:
            value = (kind, decode_string(tree.literal(number)))
        else:
            value = (kind, tree.literal(number))
        found[number] = classes.setdefault(value, len(classes))
    return found


_Pair = tuple[str | int | None, int | None, int | None]


def _members(recorded: Tree, live: Tree, old: int, new: int) -> Iterator[_Pair]:
    """Members by name; the second of two duplicates is compared with the second of the other side."""
    waiting: dict[str, deque[int]] = {}
    for child in recorded.children(old):
        waiting.setdefault(recorded.nodes[child].key or "", deque()).append(child)
    for child in live.children(new):
        key = live.nodes[child].key or ""
        twins = waiting.get(key)
        yield key, twins.popleft() if twins else None, child
    left_over = {child for twins in waiting.values() for child in twins}
    for child in recorded.children(old):
        if child in left_over:
            yield recorded.nodes[child].key, child, None


class _Aligner:
    """Aligns the items of arrays, as long as the work for all of them stays within bounds.

    Args:
        left: A number for each recorded node; equal values have equal numbers.
        right: The same for live nodes.
    """

    def __init__(self, left: list[int], right: list[int]) -> None:
        self._left, self._right = left, right
        self._work = _WORK

    def items(self, recorded: Tree, live: Tree, old: int, new: int) -> Iterator[_Pair]:
        """The items of two arrays; what both begin and end with is never looked at closely."""
        before, after = list(recorded.children(old)), list(live.children(new))
        shorter = min(len(before), len(after))
        head = next((at for at in range(shorter) if not self._equal(before[at], after[at])), shorter)
        tail = next(
            (at for at in range(shorter - head) if not self._equal(before[-1 - at], after[-1 - at])), shorter - head
        )
        first, last = len(before) - tail, len(after) - tail
        yield from _one_by_one(before[:head], after[:head], 0, 0)
        yield from self._middle(before[head:first], after[head:last], head)
        yield from _one_by_one(before[first:], after[last:], first, last)

    def _equal(self, old: int, new: int) -> bool:
        return self._left[old] == self._right[new]

    def _middle(self, before: list[int], after: list[int], start: int) -> Iterator[_Pair]:
        work = len(before) * len(after)
        if len(before) == len(after) or max(len(before), len(after)) > _ALIGNED or work > self._work:
            yield from _one_by_one(before, after, start, start)
            return
        self._work -= work
        old, new = [self._left[at] for at in before], [self._right[at] for at in after]
        for _, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            yield from _one_by_one(before[i:j], after[k:m], start + i, start + k)


def _one_by_one(before: list[int], after: list[int], start: int, first: int) -> Iterator[_Pair]:
    for at in range(max(len(before), len(after))):
        old = before[at] if at < len(before) else None
        new = after[at] if at < len(after) else None
        yield (start if new is None else first) + at, old, new
