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

_DIGITS = re.compile(r"[1-9][0-9]*(?=[ \t\n\r]*(?:[,\]}]|\Z))")
_NEGATIVE_ZERO = re.compile(r"-(?=0(?:[\s,\]}]|\Z))")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SYNTAX = msgspec.json.Decoder(msgspec.Raw)
"""Reads a text without making its values."""

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
        return float(number) == number
    except OverflowError:
        return False


def is_json(text: str) -> bool:
    """Whether a text is JSON in the strict sense."""
    checked = _check(text)
    return _parsed(text) is not None if checked is None else checked


def exact_value(text: str) -> object:
    """The value of a result's text: its JSON with exact digits, or the unchanged text when it is not strict JSON."""
    if "-" not in text or not _NEGATIVE_ZERO.search(text):  # the fast decoder loses its sign
        try:
            return msgspec.json.decode(_with_exact_digits(text))
        except (UnicodeEncodeError, msgspec.DecodeError, RecursionError):
            pass
    tree = _parsed(text)
    return text if tree is None else tree_value(tree)


def exact_text(text: str) -> str | None:
    """The JSON text of `exact_value`: all tokens as written, and quotes around each integer that a double cannot hold.

    None when the text is not strict JSON.
    """
    quoted = _with_exact_digits(text)
    if _check(quoted):
        return quoted
    tree = _parsed(text)
    if tree is None:
        return None
    long = (
        node for node in tree.nodes if node.kind is Kind.INTEGER and not exactly_double(text[node.start : node.end])
    )
    return _quote(text, [(node.start, node.end) for node in long])


def _check(text: str) -> bool | None:
    """Whether a text is strict JSON; None when the fast decoder does not take it although it may be.

    The decoder refuses lone surrogates, also escaped ones, and deep nesting.
    """
    try:
        _SYNTAX.decode(text)
    except msgspec.DecodeError:
        return None if _SURROGATE.search(text) else False
    except (UnicodeEncodeError, RecursionError):
        return None
    return True


def _parsed(text: str) -> Tree | None:
    """The text as a tree; None when it is not strict JSON."""
    if _check(text) is False:
        return None
    try:
        return parse(text)
    except JsonError:
        return None


def _with_exact_digits(text: str) -> str:
    """The text with quotes around each long digit run that stands where a value stands, and that no double holds.

    Nothing is parsed for it. A run inside a string that is quoted by mistake always breaks the text, because then a
    string is followed by digits.
    """
    spans: list[tuple[int, int]] = []
    done = 0
    for at in range(0, len(text), _PIECE):
        base = max(at - len(_VALUE_RUN), 0)
        piece = text[base : at + _PIECE].encode("latin-1", "replace")
        if _SAMPLE not in piece[::4].translate(_CLASSES):
            continue
        classes = (piece if base else b"," + piece).translate(_CLASSES)
        base -= not base
        found = classes.find(_VALUE_RUN)
        while found >= 0:
            start = base + found + 1
            digits = _DIGITS.match(text, start) if start >= done else None
            if digits:
                first = start - (text[start - 1 : start] == "-")
                if _begins_value(text, first):
                    done = digits.end()
                    if not exactly_double(digits[0]):
                        spans.append((first, done))
            found = classes.find(_VALUE_RUN, found + _RUN)
    return _quote(text, spans) if spans else text


def _begins_value(text: str, start: int) -> bool:
    """Whether a value may stand there, as far as the characters before it tell."""
    start -= 1
    while start >= 0 and text[start] in " \t\n\r":
        start -= 1
    return start < 0 or text[start] in "[:,"


def _quote(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with quotes around these spans, which stand in order."""
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
