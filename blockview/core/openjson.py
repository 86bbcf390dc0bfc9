"""A JSON text with everything open, printed line after line: for those who want all of it and keep nothing.

`JsonRows` makes the same rows one by one, for somebody who looks at some of them. Here the whole text goes through the
parser of the standard library, which is many times as fast as making a node for each value. That one decodes strings;
it is given a text in which each backslash is another character, so that all literals stay as they are written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from blockview.core.jsoncells import (
    EXACT,
    FOLD,
    GAP,
    KEY_COLUMN,
    ROLES,
    SAMPLE,
    brackets,
    column,
    container_spans,
    indent,
    is_long,
    key_spans,
    measured,
    name,
    opened_lines,
    positions_column,
)
from blockview.core.jsontext import Kind, decode_string
from blockview.core.lines import Line, Paint, Role, Span, printed
from blockview.core.result import exactly_double
from blockview.core.rows import fit
from blockview.core.safetext import cell_width, is_narrow, visible

_BACKSLASHES, _QUOTE, _BACKSLASH = "\ufdd0", "\ufdd1", "\ufdd2"
r"""Stand for `\\`, `\"` and any other backslash. They are noncharacters, which hardly any text holds."""


class _Number(str):
    """A number as written."""

    __slots__ = ()


class _Integer(_Number):
    """An integer as written."""

    __slots__ = ()


_Key = str | int | None
"""A member's name in masked text, an element's position, or None for the whole value."""
_Container = list["_Value"] | tuple[tuple[str, "_Value"], ...]
_Value = str | _Container | bool | None
_Member = tuple[_Key, _Value]
_Leads = dict[_Key, "_Lead"]

_DECODER = json.JSONDecoder(parse_int=_Integer, parse_float=_Number, object_pairs_hook=tuple)
"""Objects become tuples of pairs, so that duplicate keys are kept; arrays become lists."""
_WORDS = {True: Kind.TRUE, False: Kind.FALSE, None: Kind.NULL}
_INEXACT = (GAP, EXACT)
_LONGEST_WORD = 5
_OFTEN = 40
"""Characters of names that are remembered."""
_MOST = 4096
"""Names that are remembered."""
_DIGIT = "\0"
"""Stands for a digit that is not known yet."""
_LINES = 1000
"""Lines that are handed on together."""


class _Lead(NamedTuple):
    """What is printed before a value that is folded or open, and how many cells are left for the value."""

    folded: str
    opened: str
    room: int


class _Place(NamedTuple):
    """Where a value stands: its name, how many containers it is in, the column of the values there."""

    key: _Key
    depth: int
    column: int


def open_text(text: str, width: int, paint: Paint, *, exact: bool = False) -> Iterator[str] | None:
    """The lines of `JsonRows` for a text of which everything is open and nothing is to be said, printed.

    Args:
        text: What is known to be strict JSON.
        width: Cells per line, at least 1.
        paint: Makes text of a line.
        exact: Also say where an integer is beyond what a double holds exactly.

    Returns:
        Some lines at a time, each with its newline; None for the rare text that only the slow way can show.
    """
    masked = _masked(text)
    if masked is None:
        return None
    try:
        value: _Value = _DECODER.decode(masked)
    except (ValueError, RecursionError):
        return None
    return _Printer(width, paint, exact).chunks(value)


def _masked(text: str) -> str | None:
    """The text without backslashes; None where that could not be told from another text."""
    if _BACKSLASHES in text or _QUOTE in text or _BACKSLASH in text:
        return None
    return text.replace("\\\\", _BACKSLASHES).replace('\\"', _QUOTE).replace("\\", _BACKSLASH)


def _literal(string: str) -> str:
    """A string of masked text as it was written."""
    if not string.isascii():
        string = string.replace(_BACKSLASHES, "\\\\").replace(_QUOTE, '\\"').replace(_BACKSLASH, "\\")
    return f'"{string}"'


class _Printer:
    """Prints values for a width, with a paint."""

    def __init__(self, width: int, paint: Paint, exact: bool) -> None:
        self._width = width
        self._paint = paint
        self._exact = exact
        self._columns: dict[tuple[str, ...], int] = {}

    def chunks(self, whole: _Value) -> Iterator[str]:
        """All lines of a value. One loop does the bulk: a call for each value takes longer than its line."""
        before_string, behind_string = self._around(Role.STRING)
        before_number, behind_number = self._around(Role.NUMBER)
        behind_inexact, taken = behind_number + self._paint(_INEXACT), _cells(_INEXACT)
        words = {word: printed((Span(kind.value, ROLES[kind]),), self._paint) for word, kind in _WORDS.items()}
        outer: list[tuple[Iterator[_Member], int, _Leads]] = []
        members: Iterator[_Member] = iter(((None, whole),))
        place, leads = 0, _Leads()
        known: dict[tuple[int, int], _Leads] = {}
        lines: list[str] = []
        while True:
            for key, value in members:
                lead = leads.get(key)
                if lead is None:
                    lead = _lead(key, len(outer), place, self._width, self._paint)
                    if len(leads) < _MOST:
                        leads[key] = lead
                if len(lines) >= _LINES:
                    yield "".join(lines)
                    lines.clear()
                if isinstance(value, _Number):
                    inexact = self._exact and isinstance(value, _Integer) and not exactly_double(value)
                    if len(value) + inexact * taken <= lead.room:
                        behind = behind_inexact if inexact else behind_number
                        lines.append(f"{lead.folded}{before_number}{value}{behind}\n")
                        continue
                elif isinstance(value, str):
                    literal = f'"{value}"' if value.isascii() else _literal(value)
                    if len(literal) <= lead.room and is_narrow(literal) and r"\n" not in literal:
                        lines.append(f"{lead.folded}{before_string}{literal}{behind_string}\n")
                        continue
                elif not isinstance(value, (list, tuple)):
                    if lead.room >= _LONGEST_WORD:
                        lines.append(lead.folded + words[value])
                        continue
                elif value:
                    lines.append(self._container(value, lead, _Place(key, len(outer), place)))
                    outer.append((members, place, leads))
                    place = self._column(value)
                    leads = known.setdefault((len(outer), place), {})
                    members = enumerate(value) if isinstance(value, list) else iter(value)
                    break
                for line in self._leaf(value, lead, _Place(key, len(outer), place)):
                    lines.append(line)
                    if len(lines) >= _LINES:
                        yield "".join(lines)
                        lines.clear()
            else:
                if not outer:
                    break
                members, place, leads = outer.pop()
        yield "".join(lines)

    def _around(self, role: Role) -> list[str]:
        """What the paint puts before and behind a text of a role."""
        return self._paint((Span("\0", role),)).split("\0")

    def _column(self, value: _Container) -> int:
        """Where the values stand; most objects have the same names as many others."""
        if isinstance(value, list):
            return positions_column(len(value))
        names = tuple([key for key, _ in value[:SAMPLE]])
        known = self._columns.get(names)
        if known is None:
            known = column(_name(key, KEY_COLUMN) for key in names)
            if len(self._columns) < _MOST:
                self._columns[names] = known
        return known

    def _container(self, value: _Container, lead: _Lead, place: _Place) -> str:
        kind, size = Kind.ARRAY if isinstance(value, list) else Kind.OBJECT, len(value)
        cells, text = _counted(kind, size, self._paint)
        return lead.opened + text if cells <= lead.room else self._cut("▾", place, container_spans(kind, size))

    def _leaf(self, value: _Value, lead: _Lead, place: _Place) -> Iterator[str]:
        """The lines of any value that has nothing in it."""
        kind, literal = _kind_and_literal(value)
        words = _INEXACT if self._exact and kind is Kind.INTEGER and not exactly_double(literal) else ()
        taken = _cells(words)
        if is_long(kind, literal, self._width, lead.room):
            beside = words if taken <= self._width // 2 else ()
            yield self._cut("▾", place, (Span(measured(kind, literal), Role.QUIET), *beside))
            for line in opened_lines(kind, literal, place.depth, self._width):
                yield printed(line, self._paint)
        else:
            shown = visible(literal)
            beside = words if taken <= lead.room - cell_width(shown) else ()
            yield self._cut(" ", place, (Span(shown, ROLES[kind]), *beside))

    def _cut(self, mark: str, place: _Place, spans: Line) -> str:
        """A row that may be too long."""
        lead = (_mark(mark, place.depth, self._width), *_spans(place.key, place.column, self._width))
        return printed(fit((*lead, *spans), self._width), self._paint)


def _spans(key: _Key, place: int, width: int) -> Line:
    """A name and what is behind it, for values that stand in a column."""
    if key is None:
        return ()
    if isinstance(key, int):
        return key_spans(str(key), place, member=False)
    return key_spans(_name(key, width // 2), place, member=True)


def _lead(key: _Key, depth: int, place: int, width: int, paint: Paint) -> _Lead:
    if isinstance(key, int):
        number = str(key)
        blank = _DIGIT * len(number)
        folded, opened, room = _numbered(len(number), depth, place, width, paint)
        return _Lead(folded.replace(blank, number), opened.replace(blank, number), room)
    make = _named if key is None or len(key) <= _OFTEN else _lead_of
    return make(key, depth, place, width, paint)


def _lead_of(key: str | None, depth: int, place: int, width: int, paint: Paint) -> _Lead:
    return _behind(_spans(key, place, width), depth, width, paint)


_named = lru_cache(_MOST)(_lead_of)
"""The same few names stand in most objects."""


@lru_cache(_MOST)
def _numbered(digits: int, depth: int, place: int, width: int, paint: Paint) -> _Lead:
    """What elements have before them whose positions have so many digits."""
    return _behind(key_spans(_DIGIT * digits, place, member=False), depth, width, paint)


def _behind(spans: Line, depth: int, width: int, paint: Paint) -> _Lead:
    folded, opened = (paint((_mark(mark, depth, width), *spans)) for mark in " ▾")
    return _Lead(folded, opened, width - indent(depth, width) - FOLD - _cells(spans))


def _mark(mark: str, depth: int, width: int) -> Span:
    return Span(f"{' ' * indent(depth, width)}{mark} ", Role.PUNCTUATION)


def _name(key: str, width: int) -> str:
    literal = _literal(key)
    return name(literal, decode_string(literal), 0, width)


@lru_cache(_MOST)
def _counted(kind: Kind, size: int, paint: Paint) -> tuple[int, str]:
    """What is said of a container: its cells, and what is printed."""
    spans = container_spans(kind, size)
    return _cells(spans), printed(spans, paint)


def _cells(spans: Line) -> int:
    return sum(cell_width(span.text) for span in spans)


def _kind_and_literal(value: _Value) -> tuple[Kind, str]:
    if isinstance(value, str):
        if isinstance(value, _Number):
            return Kind.INTEGER if isinstance(value, _Integer) else Kind.FLOAT, str(value)
        return Kind.STRING, _literal(value)
    if isinstance(value, (list, tuple)):
        kind = Kind.ARRAY if isinstance(value, list) else Kind.OBJECT
        return kind, brackets(kind).text
    kind = _WORDS[value]
    return kind, kind.value
