"""One value of a comparison as rows: its sign, recorded and live side by side or below each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

from blockview.core.compare import Comparison, lines_tree
from blockview.core.diff import DiffRow, Sign, diff
from blockview.core.jsontext import CONTAINERS, Kind, Node, Tree, decode_string
from blockview.core.lines import Line, Role, Span
from blockview.core.rows import Row, Section, Target, fit
from blockview.core.safetext import ELLIPSIS, cell_width, one_line, visible, wrap_lines

RUN = 8
"""Equal values or lines in a row up to which they are all shown."""

CONTEXT = 3
"""Equal ones that are shown before and behind a folded run."""

SIGN_ROLES = {
    Sign.SAME: Role.QUIET,
    Sign.SPELLING: Role.SPELLING,
    Sign.DIFFERS: Role.CHANGED,
    Sign.ONLY_RECORDED: Role.WAS,
    Sign.ONLY_LIVE: Role.OK,
}

BETWEEN = " │ "
GUTTER = 2
_STEP = 2
_LABEL = 9
_KEY = 24
_SAMPLE = 100
_SPELLING = "   same value, other spelling"
_SAME_ROLES = {Kind.STRING: Role.STRING, Kind.INTEGER: Role.NUMBER, Kind.FLOAT: Role.NUMBER}


class Cells:
    """Draws the values of a comparison for a width. What is open is the caller's to know."""

    def __init__(self, comparison: Comparison, width: int, *, side: bool) -> None:
        """Draw for `width` cells, recorded and live side by side or below each other."""
        self._of = comparison
        self._width = width
        self.side = side and width > GUTTER + len(BETWEEN) + 2
        self._left = (width - GUTTER - len(BETWEEN)) // 2 if self.side else max(width - GUTTER, 1)
        self._right = width - GUTTER - len(BETWEEN) - self._left if self.side else self._left
        self._columns: dict[tuple[bool, int], int] = {}

    def one(self, row: DiffRow) -> tuple[Tree, int]:
        """The live value of a row, or the recorded one where there is no other."""
        if row.live is not None:
            return self._of.live, row.live
        return self._of.recorded, row.recorded or 0

    def is_container(self, row: DiffRow) -> bool:
        """Whether a row stands for containers that are shown by what is in them."""
        if not row.paired and row.recorded is not None and row.live is not None:
            return False
        tree, number = self.one(row)
        return tree.nodes[number].kind in CONTAINERS

    def is_long(self, row: DiffRow) -> bool:
        """Whether a row has something to fold: members, or more characters or lines than its cell."""
        if self.is_container(row):
            tree, number = self.one(row)
            return tree.nodes[number].after > number + 1
        sides = ((self._of.recorded, row.recorded, self._left), (self._of.live, row.live, self._right))
        return any(number is not None and self._overflows(row, tree, number, room) for tree, number, room in sides)

    def _overflows(self, row: DiffRow, tree: Tree, number: int, room: int) -> bool:
        node = tree.nodes[number]
        room -= (
            self._indent(row.depth, room)
            + GUTTER
            + self._key_width(row, room)
            + (_LABEL if self.is_stacked(row) else 0)
        )
        if node.end - node.start > 4 * max(room, 1):
            return True
        literal = tree.literal(number)
        return cell_width(visible(literal)) > max(room, 1) or (node.kind is Kind.STRING and r"\n" in literal)

    def is_stacked(self, row: DiffRow) -> bool:
        """Whether the two literals of a value stand below each other."""
        two = row.recorded is not None and row.live is not None
        return two and not self.side and not row.paired and row.sign is not Sign.SAME

    # The row of a value

    def first(self, row: DiffRow, *, opened: bool) -> Row:
        """The first row of a value."""
        long = self.is_long(row)
        mark = ("▾ " if opened else "▸ ") if long else "  "
        sign = sign_span(row.sign)
        if self.side:
            left = self._cell(row, mark, self._left, long, opened, live=False)
            right = self._cell(row, "  ", self._right, long, opened, live=True)
            line = (sign, *padded(left, self._left), Span(BETWEEN, Role.PUNCTUATION), *right)
        elif self.is_stacked(row) and not (long and opened):
            line = (sign, *self._cell(row, mark, self._left, long, opened, live=False, label="recorded"))
        else:
            line = (sign, *self._cell(row, mark, self._left, long, opened, live=row.live is not None))
        return Row(fit(line, self._width), target_of(row), long)

    def second(self, row: DiffRow) -> Row:
        """The live literal of a value below the recorded one."""
        long = self.is_long(row)
        cell = self._cell(row, "  ", self._left, long, False, live=True, label="live")
        return Row(fit((Span(" " * GUTTER), *cell), self._width), target_of(row), long)

    def note(self, text: str, target: Target, *, depth: int) -> Row:
        """A row about values that are the same and not shown, which are `depth` levels deep."""
        lead = Span(" " * self._indent(depth, self._left))
        return Row(fit([sign_span(Sign.SAME), lead, Span(text, Role.QUIET)], self._width), target, True)

    def _indent(self, depth: int, room: int) -> int:
        return min(_STEP * (depth - self._of.lines), room // 3)

    def _key(self, row: DiffRow, room: int) -> str:
        if row.key is None or (self._of.lines and row.depth == 1):
            return ""
        return one_line(str(row.key), max(1, min(_KEY, room // 3)))

    def _key_width(self, row: DiffRow, room: int) -> int:
        """The cells of a row's key, which are the same for all members of a container."""
        if not self._key(row, room):
            return 0
        tree, number = self.one(row)
        parent = tree.nodes[number].parent
        column = self._columns.get((row.live is None, parent))
        if column is None:
            names = (tree.nodes[child] for child in islice(tree.children(parent), _SAMPLE))
            longest = max(cell_width(one_line(node.key or str(node.order), _KEY)) for node in names)
            column = self._columns[(row.live is None, parent)] = min(longest, max(1, room // 3)) + 2
        return max(column, cell_width(self._key(row, room)) + 2)

    def _cell(
        self, row: DiffRow, mark: str, room: int, long: bool, opened: bool, *, live: bool, label: str = ""
    ) -> Line:
        """One side of a value in `room` cells; without the value where this side does not have it."""
        name, wide = self._key(row, room), self._key_width(row, room)
        spans = [Span(" " * self._indent(row.depth, room) + mark, Role.PUNCTUATION)]
        if name and label != "live":
            role = Role.KEY if isinstance(row.key, str) else Role.QUIET
            gap = " " * max(1, wide - cell_width(name) - 1)
            spans += [Span(name, role), Span(":" + gap, Role.PUNCTUATION)]
        else:
            spans.append(Span(" " * wide))
        if label:
            spans.append(Span(f"{label:<{_LABEL}}", Role.QUIET))
        number = row.live if live else row.recorded
        if number is not None:
            left = room - sum(cell_width(span.text) for span in spans)
            spans += self._value(row, number, left, long, opened, live=live)
        return fit(spans, room)

    def _value(self, row: DiffRow, number: int, room: int, long: bool, opened: bool, *, live: bool) -> list[Span]:
        tree = self._of.live if live else self._of.recorded
        node = tree.nodes[number]
        role = _role(row.sign, node.kind, live=live)
        if self.is_container(row):
            what, kind = ("key", "{}") if node.kind is Kind.OBJECT else ("item", "[]")
            count = f" {node.size:,} {what}{'' if node.size == 1 else 's'}"
            if row.paired and not opened:
                count += f"   {'same' if row.sign is Sign.SAME else 'differs inside'}"
            return [Span(kind, Role.PUNCTUATION if row.paired else role), Span(count, Role.QUIET)]
        size = f" ({node.end - node.start:,} characters)"
        if long and opened:
            return [Span(size.strip(), Role.QUIET)]
        text = self._shown(tree, node, 8 * max(room, 1))
        if cell_width(visible(text)) > room:
            size = size if room > 2 * len(size) else ""
            return [Span(one_line(text, room - len(size)), role), Span(size, Role.QUIET)]
        words = _SPELLING if row.sign is Sign.SPELLING and live else ""
        fits = cell_width(visible(text)) + len(words) <= room
        return [Span(visible(text), role), Span(words if fits else "", Role.QUIET)]

    def _shown(self, tree: Tree, node: Node, limit: int) -> str:
        """A value as written, or its text where the values are the lines of a text; not much more than `limit`."""
        if self._of.lines:
            return decode_string(tree.text[node.start : node.end])[:limit]
        cut = node.end - node.start > limit
        return tree.text[node.start : node.start + limit] + ELLIPSIS if cut else tree.text[node.start : node.end]

    # The rows of an opened value

    def text(self, row: DiffRow, *, every: bool) -> Iterator[Row]:
        """An opened value line by line, each line with its sign: a string's text, anything else as written.

        Args:
            row: The value.
            every: Also show all lines that are the same, where there are many.
        """
        target, indent = target_of(row), self._indent(row.depth, self._left)
        equal: list[Row] = []
        for sign, old, new in self._text_lines(row):
            rows = self._line_rows(sign, old, new, target, indent)
            if sign is Sign.SAME and row.sign is not Sign.SAME and not every:
                equal += rows
                continue
            yield from self._shortened(equal, target, row.depth)
            equal = []
            yield from rows
        yield from self._shortened(equal, target, row.depth)

    def _text_lines(self, row: DiffRow) -> Iterator[tuple[Sign, str | None, str | None]]:
        old = _whole(self._of.recorded, row.recorded)
        new = _whole(self._of.live, row.live)
        if old is not None and new is not None and row.sign is not Sign.SAME:
            yield from _paired_lines(old, new)
            return
        for line in (new if new is not None else old or "").split("\n"):
            yield row.sign, None if old is None else line, None if new is None else line

    def _shortened(self, equal: list[Row], target: Target, depth: int) -> Iterator[Row]:
        if len(equal) <= RUN:
            yield from equal
            return
        yield from equal[:CONTEXT]
        more = f"{ELLIPSIS} {len(equal) - 2 * CONTEXT:,} lines that are the same, E shows all"
        yield self.note(more, target, depth=depth)
        yield from equal[-CONTEXT:]

    def _line_rows(self, sign: Sign, old: str | None, new: str | None, target: Target, indent: int) -> list[Row]:
        pad = Span(" " * indent + "│ ", Role.PUNCTUATION)
        left, right = self._left - len(pad.text), self._right - len(pad.text)
        before, after = _role(sign, Kind.STRING, live=False), _role(sign, Kind.STRING, live=True)
        rows: list[Line] = []
        if self.side:
            olds = () if old is None else wrap_lines(old, left)
            news = () if new is None else wrap_lines(new, right)
            for one, other in zip_longest(olds, news):
                cell = padded((pad, Span(one or "", before)), self._left)
                rows.append((sign_span(sign), *cell, Span(BETWEEN, Role.PUNCTUATION), pad, Span(other or "", after)))
        elif sign is Sign.SAME:
            rows += ((sign_span(sign), pad, Span(line, before)) for line in wrap_lines(old or "", left))
        else:
            for text, mark, role in ((old, Sign.ONLY_RECORDED, before), (new, Sign.ONLY_LIVE, after)):
                if text is not None:
                    rows += ((sign_span(mark), pad, Span(line, role)) for line in wrap_lines(text, left))
        return [Row(fit(line, self._width), target, True) for line in rows]


def target_of(row: DiffRow) -> Target:
    """What a value's rows stand for: its node in the live tree, or in the recorded one where it has no other."""
    return Target(0, Section.RECORDED, row.recorded) if row.live is None else Target(0, Section.RESULT, row.live)


def sign_span(sign: Sign) -> Span:
    """A sign for the gutter."""
    return Span(f"{sign.value} ", SIGN_ROLES[sign])


def padded(spans: Sequence[Span], width: int) -> Line:
    """The spans, filled up to `width` cells."""
    gap = width - sum(cell_width(span.text) for span in spans)
    return (*spans, Span(" " * gap)) if gap > 0 else tuple(spans)


def _role(sign: Sign, kind: Kind, *, live: bool) -> Role:
    if sign is Sign.SAME:
        return _SAME_ROLES.get(kind, Role.WORD)
    return Role.WAS if sign is Sign.DIFFERS and not live else SIGN_ROLES[sign]


def _whole(tree: Tree, number: int | None) -> str | None:
    if number is None:
        return None
    literal = tree.literal(number)
    return decode_string(literal) if tree.nodes[number].kind is Kind.STRING else literal


def _paired_lines(left: str, right: str) -> Iterator[tuple[Sign, str | None, str | None]]:
    """The lines of two texts, aligned as the items of two arrays are."""
    old, new = lines_tree(left), lines_tree(right)
    for row in diff(old, new)[1:]:
        before = None if row.recorded is None else decode_string(old.literal(row.recorded))
        after = None if row.live is None else decode_string(new.literal(row.live))
        yield row.sign, before, after
