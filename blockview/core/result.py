"""The value of a call's result, with exact digits.

A text that is JSON in the strict sense (RFC 8259) becomes its value, in which each integer that an IEEE double cannot
hold is its digits as a string. Everything else stays the text it is.
"""

from __future__ import annotations

import re

import msgspec

from blockview.core.jsontext import JsonError, Kind, Tree, decode_string, exact_int, loads, parse
from blockview.core.model import ToolResult

_LONGEST_EXACT = 309
"""Digits of the largest double; no longer integer is exact."""

_RUN = 16
"""Integers with fewer digits are exact in a double."""

_VALUE_RUN = b"," + b"0" * _RUN
_BEFORE = b"[:, \t\n\r-"
_CLASSES = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x2C if byte in _BEFORE else 0x20 for byte in range(256))
"""Each digit as 0, each byte that may stand before an integer as a comma, all else as a space."""

_SAMPLE = b"0" * (_RUN // 4)
"""A run has this many digits that stand four apart; a piece without them needs no closer look."""

_DIGITS = re.compile("[0-9]+")
_NEGATIVE_ZERO = re.compile(rb"-0[\s,\]}]")
_PIECE = 1 << 16
"""Characters looked through at a time: small enough for the processor's cache, and for memory that is used again."""


def exactly_double(literal: str) -> bool:
    """Whether an IEEE double holds the integer of this literal exactly."""
    digits = len(literal) - literal.startswith("-")
    if digits < _RUN:
        return True
    if digits > _LONGEST_EXACT:
        return False
    number = int(literal)
    try:
        return int(float(number)) == number
    except OverflowError:
        return False


def exact_value(text: str) -> object:
    """The value of a result's text: its JSON with exact digits, or the unchanged text when it is not strict JSON."""
    quick = _quickly(text)
    if quick is not None:
        return quick[1]
    try:
        return tree_value(parse(text))
    except JsonError:
        return text


def exact_text(text: str) -> str | None:
    """The JSON text of `exact_value`: all tokens as written, and quotes around each integer that a double cannot hold.

    None when the text is not strict JSON.
    """
    quick = _quickly(text)
    if quick is not None:
        return quick[0]
    try:
        tree = parse(text)
    except JsonError:
        return None
    long = (
        node for node in tree.nodes if node.kind is Kind.INTEGER and not exactly_double(text[node.start : node.end])
    )
    return _quote(text, [(node.start, node.end) for node in long])


def _quickly(text: str) -> tuple[str, object] | None:
    """The text with inexact integers quoted, and its value; None when the text has to be read token by token.

    Long digit runs that stand where a value stands are quoted first and the text is parsed once. A run inside a string
    that is quoted by mistake always breaks the text, because then a string is followed by digits.
    """
    spans = _inexact_integers(text)
    if spans is None:
        return None
    quoted = _quote(text, spans) if spans else text
    try:
        return quoted, msgspec.json.decode(quoted)
    except (UnicodeEncodeError, msgspec.DecodeError, RecursionError):
        return None


def _inexact_integers(text: str) -> list[tuple[int, int]] | None:
    """Where integers stand that a double cannot hold; None when there is a negative zero, which parsers lose."""
    if text.endswith("-0"):
        return None
    spans: list[tuple[int, int]] = []
    done = 0
    for at in range(0, len(text), _PIECE):
        base = max(at - len(_VALUE_RUN), 0)
        piece = text[base : at + _PIECE].encode("latin-1", "replace")
        if b"-" in piece and _NEGATIVE_ZERO.search(piece):
            return None
        if _SAMPLE not in piece[::4].translate(_CLASSES):
            continue
        classes = (piece if base else b"," + piece).translate(_CLASSES)
        base -= not base
        found = classes.find(_VALUE_RUN)
        while found >= 0:
            start = base + found + 1
            digits = _DIGITS.match(text, start)
            end = digits.end() if digits else start
            first = start - 1 if start and text[start - 1] == "-" else start
            if start >= done and text[start] != "0" and _is_value(text, first, end):
                done = end
                if not exactly_double(text[first:end]):
                    spans.append((first, end))
            found = classes.find(_VALUE_RUN, found + _RUN)
    return spans


def _is_value(text: str, start: int, end: int) -> bool:
    start -= 1
    while start >= 0 and text[start] in " \t\n\r":
        start -= 1
    if start >= 0 and text[start] not in "[:,":
        return False
    size = len(text)
    while end < size and text[end] in " \t\n\r":
        end += 1
    return end == size or text[end] in ",]}"


def _quote(text: str, spans: list[tuple[int, int]]) -> str:
    if len(spans) == 1:
        first, end = spans[0]
        digits = text[first:end]
        if text.find(digits) == first:  # one copy of a long text instead of two
            return text.replace(digits, f'"{digits}"', 1)
    pieces: list[str] = []
    kept = 0
    for first, end in spans:
        pieces += (text[kept:first], '"', text[first:end], '"')
        kept = end
    return "".join((*pieces, text[kept:]))


def tree_value(tree: Tree, *, exact_digits: bool = True) -> object:
    """The Python value of a parsed text, at any depth.

    Args:
        tree: The parsed text.
        exact_digits: Give integers that a double cannot hold as their digits, not as Python integers.
    """
    root: list[object] = []
    holders: dict[int, dict[str, object] | list[object]] = {-1: root}
    for number, node in enumerate(tree.nodes):
        value: object
        literal = tree.text[node.start : node.end] if node.kind not in (Kind.OBJECT, Kind.ARRAY) else ""
        match node.kind:
            case Kind.OBJECT:
                value = holders[number] = {}
            case Kind.ARRAY:
                value = holders[number] = []
            case Kind.STRING:
                value = decode_string(literal)
            case Kind.INTEGER:
                value = _integer(literal, exact_digits)
            case Kind.FLOAT | Kind.NOT_JSON:
                value = float(literal)
            case _:
                value = {"true": True, "false": False, "null": None}[literal]
        holder = holders[node.parent]
        if isinstance(holder, dict):
            holder[node.key or ""] = value
        else:
            holder.append(value)
    return root[0]


def _integer(literal: str, exact_digits: bool) -> int | float | str:
    if literal == "-0":
        return -0.0
    return literal if exact_digits and not exactly_double(literal) else exact_int(literal)


def result_value(result: ToolResult) -> object:
    """What a program gets from a result.

    Structured content, when present, is the value as it is. An error's message stays text. Otherwise the joined text
    is the value of its JSON with exact digits, or the unchanged text when it is not strict JSON.
    """
    if result.structured is not None:
        try:
            return loads(result.structured)
        except JsonError:
            return _structured_slowly(result.structured)
    if result.is_error:
        return result.text
    return exact_value(result.text)


def _structured_slowly(text: str) -> object:
    try:
        return tree_value(parse(text, lax=True), exact_digits=False)
    except JsonError:
        return text
