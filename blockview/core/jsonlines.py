"""A JSON tree as collapsible rows: literals as written, marks in the gutter, what changed beside each value."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

import msgspec

from blockview.core.jsoncells import (
    EXACT,
    FOLD,
    GAP,
    KEY_COLUMN,
    KEY_GAP,
    ROLES,
    SAMPLE,
    brackets,
    column,
    container_spans,
    indent,
    is_long,
    is_plain,
    key_spans,
    measured,
    name,
    opened_lines,
    positions_column,
)
from blockview.core.jsontext import CONTAINERS, NUMBERS, Kind, Node, Tree, escape_pointer
from blockview.core.lazytree import LazyTree
from blockview.core.lines import Paint, Role, Span, printed
from blockview.core.media import size
from blockview.core.openjson import open_text
from blockview.core.result import exactly_double
from blockview.core.rows import Fold, Row, Section, Target, fit
from blockview.core.safetext import ELLIPSIS, cell_width, one_line, visible, wrap_lines

MANY_CHILDREN = 200
"""A container below the first level with more children than this starts folded."""

_LARGE = 100_000
_SOME = 5_000
"""Values of a level that are all opened together."""
_ALL_LEVELS = 1 << 30
_MARK_ROLES = {"→": Role.CHANGED, "≈": Role.SPELLING, "?": Role.MISSING}


class Annotation(msgspec.Struct, frozen=True):
    """What is said beside a node: a mark for the gutter, words behind the value, the role of the value itself.

    `dropped` holds the literals of duplicate members that are not sent; each gets a row of its own.
    """

    mark: str = ""
    role: Role | None = None
    words: tuple[Span, ...] = ()
    dropped: tuple[str, ...] = ()


class JsonRows:
    """The rows of one JSON tree. Rows are made when they are asked for; only what is open is walked.

    Args:
        tree: The text. Every member is shown, duplicate keys included. A lazy tree starts folded below its root.
        width: Cells per row.
        call: The call's index, for the rows' targets.
        section: The section, for the rows' targets.
        toggled: Node numbers whose fold is not the one that `fold` gives them.
        fold: What is open to begin with.
        annotations: What to say at which JSON Pointer.
        exact: Also say where an integer is beyond what a double holds exactly.
    """

    def __init__(
        self,
        tree: Tree | LazyTree,
        *,
        width: int,
        call: int,
        section: Section,
        toggled: frozenset[int] = frozenset(),
        fold: Fold = Fold.AUTO,
        annotations: Mapping[str, Annotation] | None = None,
        exact: bool = False,
    ) -> None:
        self._tree = tree
        self._width = width
        self._call = call
        self._section = section
        self._toggled = toggled
        self._fold = fold
        self._exact = exact
        self._notes = _by_node(tree, annotations) if annotations else {}
        self._hiding = self._ancestors_of_changes()
        self._columns: dict[int, int] = {}
        self._sizes: dict[int, str] = {}
        self._levels = _levels_of_some(tree) if isinstance(tree, LazyTree) and fold is Fold.MUCH else _ALL_LEVELS
        """Values further in than this are folded, whatever is open else."""

    @cached_property
    def _entries(self) -> list[int | Row]:
        return self._walk(self._tree) if isinstance(self._tree, Tree) else self._walk_lazily(self._tree)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int, /) -> Row:
        entry = self._entries[index]
        return self._row(entry) if isinstance(entry, int) else entry

    def index_of(self, target: Target) -> int | None:
        """The row of the node that `target` names, or of the folded container it is in."""
        if target.call != self._call or target.section is not self._section or target.node is None:
            return None
        number = target.node
        shown = {entry: at for at, entry in enumerate(self._entries) if isinstance(entry, int)}
        while number >= 0:
            if number in shown:
                return shown[number]
            try:
                number = self._tree.node(number).parent
            except LookupError:
                return None
        return None

    def printed(self, paint: Paint) -> Iterator[str]:
        """All rows as text. Of a lazy tree that is open altogether no node is made for it."""
        if isinstance(self._tree, LazyTree) and self._fold is Fold.OPEN and not self._toggled and not self._notes:
            found = open_text(self._tree.data.decode(), self._width, paint, exact=self._exact)
            if found is not None:
                return found
        return (printed(self[at].line, paint) for at in range(len(self)))

    @property
    def ends_empty(self) -> bool:
        """Never: each row has a value."""
        return False

    def _walk_lazily(self, tree: LazyTree) -> list[int | Row]:
        """As `_walk`, but only what is open is read: of a million elements that are folded none is looked at."""
        special = sorted({tree.root, *self._toggled, *self._notes})
        entries: list[int | Row] = []
        levels: list[tuple[Sequence[int], int]] = [((tree.root,), 0)]
        depths = [0]
        while levels:
            (numbers, begin), depth = levels.pop(), depths.pop()
            every = self._fold.opens and depth < self._levels
            at = begin if every else _first_of(special, numbers, begin)
            entries += numbers[begin : at + 1]
            if at >= len(numbers):
                continue
            levels.append((numbers, at + 1))
            depths.append(depth)
            number = numbers[at]
            if number in self._notes:
                entries += (*self._below(number), *self._dropped(number))
            node = tree.node(number)
            if not node.size:
                entries += self._opened(number)
            elif self._is_open(number, node):
                levels.append((tree.children(number), 0))
                depths.append(depth + 1)
        return entries

    def _walk(self, tree: Tree) -> list[int | Row]:
        """The open nodes in order, each followed by the rows that only it has."""
        nodes, special = tree.nodes, self._toggled | self._notes.keys()
        entries: list[int | Row] = []
        number, count, many = 0, len(nodes), self._fold is Fold.AUTO
        while number < count:
            node = nodes[number]
            entries.append(number)
            following = number + 1
            if number in special or not many:
                if number in self._notes:
                    entries.extend(self._below(number))
                    entries.extend(self._dropped(number))
                if node.after == following:
                    entries.extend(self._opened(number))
                elif not self._is_open(number, node):
                    following = node.after
            elif node.size > MANY_CHILDREN and node.depth:
                following = node.after
            number = following
        return entries

    def _is_open(self, number: int, node: Node) -> bool:
        """Whether a node with something to fold shows it."""
        if not node.size:
            default = self._fold.opens and node.depth < self._levels
        elif isinstance(self._tree, LazyTree) and self._fold is Fold.AUTO:
            default = not node.depth and node.size <= MANY_CHILDREN
        elif self._fold is Fold.AUTO:
            default = not node.depth or node.size <= MANY_CHILDREN
        else:
            default = (self._fold.opens and node.depth < self._levels) or not node.depth
        return default is not (number in self._toggled)

    def _ancestors_of_changes(self) -> set[int]:
        found: set[int] = set()
        for number, note in self._notes.items():
            parent = self._tree.node(number).parent if note.mark else -1
            while parent >= 0 and parent not in found:
                found.add(parent)
                parent = self._tree.node(parent).parent
        return found

    def _target(self, number: int) -> Target:
        return Target(self._call, self._section, number)

    def _key(self, node: Node) -> tuple[Span, ...]:
        if node.parent < 0:
            return ()
        shown = name(node.key_literal, node.key, node.order, self._width // 2)
        return key_spans(shown, self._column(node.parent), member=node.key_literal is not None)

    def _column(self, parent: int) -> int:
        known = self._columns.get(parent)
        if known is None and (holder := self._tree.node(parent)).kind is Kind.ARRAY:
            known = self._columns[parent] = positions_column(holder.size)
        elif known is None:
            children = map(self._tree.node, islice(self._tree.children(parent), SAMPLE))
            names = (name(each.key_literal, each.key, each.order, KEY_COLUMN) for each in children)
            known = self._columns[parent] = column(names)
        return known

    def _lead(self, node: Node, fold_mark: str, mark: str, key: tuple[Span, ...]) -> list[Span]:
        pad = " " * (indent(node.depth, self._width) - len(mark))
        return [Span(mark, _MARK_ROLES.get(mark, Role.PLAIN)), Span(f"{pad}{fold_mark} ", Role.PUNCTUATION), *key]

    def _room(self, node: Node, key: tuple[Span, ...]) -> int:
        """Cells that a node's row leaves to its value."""
        return self._width - indent(node.depth, self._width) - FOLD - _cells(key)

    def _least_room(self, node: Node) -> int:
        """No more than `_room`, whatever the key is."""
        return self._width - indent(node.depth, self._width) - FOLD - max(self._width // 2, KEY_COLUMN) - KEY_GAP

    def _row(self, number: int) -> Row:
        node = self._tree.node(number)
        note = self._notes.get(number, _NOTHING)
        key = self._key(node)
        room = self._room(node, key)
        if note is _NOTHING and node.end - node.start <= room and (plain := self._plain(number, node)) is not None:
            return Row(
                (Span(" " * (indent(node.depth, self._width) + FOLD), Role.PUNCTUATION), *key, plain),
                self._target(number),
            )
        foldable = node.size > 0 or self._foldable(number, node, room)
        is_open = foldable and self._is_open(number, node)
        lead = self._lead(node, ("▾" if is_open else "▸") if foldable else " ", note.mark, key)
        words = self._words(number, node, note)
        if words and not self._beside(number, node, note):
            words = ()
        if node.size:
            value = [*container_spans(node.kind, node.size)]
            if not is_open and isinstance(self._tree, LazyTree) and node.end - node.start >= _LARGE:
                value.append(Span(f", {size(node.end - node.start)}", Role.QUIET))
            if not is_open and number in self._hiding:
                value.append(Span("   → inside", Role.CHANGED))
        elif is_open:
            value = [Span(self._size(number, node), Role.QUIET)]
        elif foldable:
            value = self._folded(number, node, note, room - _cells(words))
        elif node.kind in CONTAINERS:
            value = [brackets(node.kind)]
        else:
            value = [Span(visible(self._tree.literal(number)), note.role or ROLES[node.kind])]
        return Row(fit([*lead, *value, *words], self._width), self._target(number), foldable)

    def _plain(self, number: int, node: Node) -> Span | None:
        """A value that takes one cell for each character, and of which there is nothing to say; None for any other."""
        literal = "" if node.size else self._tree.literal(number)
        inexact = self._exact and node.kind is Kind.INTEGER and not exactly_double(literal)
        return Span(literal, ROLES[node.kind]) if literal and not inexact and is_plain(literal) else None

    def _folded(self, number: int, node: Node, note: Annotation, room: int) -> list[Span]:
        """A long literal cut to `room` cells, with what it would open to."""
        size = f" ({self._size(number, node)})"
        room = max(room - len(size), self._width // 4, 1)
        start = self._tree.beginning(number, 8 * room)
        value = visible(start)
        if cell_width(value) > room or len(start) < node.end - node.start:
            value = one_line(value + ELLIPSIS, room)
        return [Span(value, note.role or ROLES[node.kind]), Span(size, Role.QUIET)]

    def _words(self, number: int, node: Node, note: Annotation) -> tuple[Span, ...]:
        words = note.words
        if self._exact and node.kind is Kind.INTEGER and not exactly_double(self._tree.literal(number)):
            words = (*words, EXACT)
        return tuple(part for word in words for part in (GAP, word))

    def _beside(self, number: int, node: Node, note: Annotation) -> bool:
        """Whether the words about a node have room behind its value; if not they get rows of their own."""
        taken = _cells(self._words(number, node, note))
        room = self._room(node, self._key(node))
        if node.size or self._foldable(number, node, room):
            return taken <= self._width // 2
        return taken <= room - cell_width(visible(self._tree.literal(number)))

    def _below(self, number: int) -> list[Row]:
        """The rows for words that have no room behind the value."""
        node, note = self._tree.node(number), self._notes[number]
        if not note.words or self._beside(number, node, note):
            return []
        pad = Span(" " * min(indent(node.depth, self._width) + 4, self._width // 3))
        room = self._width - len(pad.text)
        rows: list[list[Span]] = []
        left = 0
        for word in note.words:
            for line in wrap_lines(word.text, room):
                span = Span(line, word.role)
                if cell_width(line) + 3 <= left:
                    rows[-1] += (Span("   "), span)
                    left -= cell_width(line) + 3
                else:
                    rows.append([pad, span])
                    left = room - cell_width(line)
        return [Row(tuple(spans), self._target(number)) for spans in rows]

    def _foldable(self, number: int, node: Node, room: int) -> bool:
        """Whether a leaf is too long for its row, or has lines of its own."""
        if node.kind is not Kind.STRING and node.kind not in NUMBERS:
            return False
        if len(self._tree.beginning(number, self._width + 1)) > self._width:
            return True
        return is_long(node.kind, self._tree.literal(number), self._width, room)

    def _size(self, number: int, node: Node) -> str:
        known = self._sizes.get(number)
        if known is None:
            known = self._sizes[number] = measured(node.kind, self._tree.literal(number))
        return known

    def _opened(self, number: int) -> list[Row]:
        """The rows below an opened leaf: a string's text line by line, a number's digits."""
        node = self._tree.node(number)
        if node.end - node.start <= self._least_room(node) and is_plain(self._tree.literal(number)):
            return []
        room = self._room(node, self._key(node))
        if not (self._foldable(number, node, room) and self._is_open(number, node)):
            return []
        role = self._notes.get(number, _NOTHING).role
        lines = opened_lines(node.kind, self._tree.literal(number), node.depth, self._width, role)
        return [Row(line, self._target(number), True) for line in lines]

    def _dropped(self, number: int) -> list[Row]:
        """A row for each duplicate of this member that is not sent."""
        node = self._tree.node(number)
        rows = []
        for literal in self._notes[number].dropped:
            lead = self._lead(node, " ", "→", self._key(node))
            words = (Span("   "), Span("not sent: the last of duplicate keys counts", Role.QUIET))
            value = one_line(literal, max(self._width // 3, 1))
            rows.append(Row(fit([*lead, Span(value, Role.WAS), *words], self._width), self._target(number)))
        return rows


_NOTHING = Annotation()


def _levels_of_some(tree: LazyTree) -> int:
    """How many levels of a tree have no more than some thousand values."""
    level, depth = [tree.root], 0
    while level and len(level) <= _SOME:
        level = [child for number in level for child in tree.children(number)]
        depth += 1
    return depth


def _first_of(wanted: Sequence[int], numbers: Sequence[int], begin: int) -> int:
    """Where the first of some numbers stands among others from `begin` on, both sorted; their length if none does."""
    if begin < len(numbers):
        for number in wanted[bisect_left(wanted, numbers[begin]) :]:
            at = bisect_left(numbers, number, begin)
            if at == len(numbers):
                break
            if numbers[at] == number:
                return at
    return len(numbers)


def _cells(spans: Iterable[Span]) -> int:
    return sum(cell_width(span.text) for span in spans)


def _by_node(tree: Tree | LazyTree, annotations: Mapping[str, Annotation]) -> dict[int, Annotation]:
    """The annotations under the numbers of their nodes, found in one walk down the pointers' paths."""
    wanted = set(annotations)
    for pointer in annotations:
        while pointer and (pointer := pointer.rpartition("/")[0]) not in wanted:
            wanted.add(pointer)
    found: dict[int, Annotation] = {}
    level = [("", tree.root)]
    while level:
        pointer, number = level.pop()
        if pointer in annotations:
            found[number] = annotations[pointer]
        for child in tree.children(number):
            node = tree.node(child)
            below = f"{pointer}/{escape_pointer(str(node.order) if node.key is None else node.key)}"
            if below in wanted:
                level.append((below, child))
    return found
