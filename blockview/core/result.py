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

_RUN = b"0" * 16
_VALUE_RUN = b"," + _RUN
_BEFORE = b"[:, \t\n\r-"
_CLASSES = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x2C if byte in _BEFORE else 0x20 for byte in range(256))
"""Each digit as 0, each byte that may stand before an integer as a comma, all else as a space."""

_DIGITS = re.compile(rb"[0-9]+")
_NEGATIVE_ZERO = re.compile(rb"-0[\s,\]}]|-0\Z")


def exactly_double(literal: str) -> bool:
    """Whether an IEEE double holds the integer of this literal exactly."""
    digits = len(literal) - literal.startswith("-")
    if digits < len(_RUN):
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
        return quick[0].decode()
    try:
        tree = parse(text)
    except JsonError:
        return None
    pieces: list[str] = []
    kept = 0
    for node in tree.nodes:
        if node.kind is Kind.INTEGER and not exactly_double(text[node.start : node.end]):
            pieces += (text[kept : node.start], '"', text[node.start : node.end], '"')
            kept = node.end
    return "".join((*pieces, text[kept:]))


def _quickly(text: str) -> tuple[bytes, object] | None:
    """The text with inexact integers quoted, and its value; None when the text has to be read token by token.

    Long digit runs that stand where a value stands are quoted first and the text is parsed once. A run inside a string
    that is quoted by mistake always breaks the text, because then a string is followed by digits.
    """
    try:
        data = text.encode()
        if b"-" in data and _NEGATIVE_ZERO.search(data):
            return None
        quoted = _quote_long_integers(data)
        return quoted, msgspec.json.decode(quoted)
    except (UnicodeEncodeError, msgspec.DecodeError, RecursionError):
        return None


def _quote_long_integers(data: bytes) -> bytes:
    """Quote each integer that a double cannot hold; `data` itself when there is none."""
    spans = _inexact_integers(data)
    if not spans:
        return data
    view = memoryview(data)
    pieces: list[bytes | memoryview] = []
    kept = 0
    for first, end in spans:
        pieces += (view[kept:first], b'"', view[first:end], b'"')
        kept = end
    return b"".join((*pieces, view[kept:]))


def _inexact_integers(data: bytes) -> list[tuple[int, int]]:
    classes = data.translate(_CLASSES)
    spans: list[tuple[int, int]] = []
    start = 0 if classes.startswith(_RUN) else _next_run(classes, 0)
    while start >= 0:
        digits = _DIGITS.match(data, start)
        end = digits.end() if digits else start
        first = start - 1 if start and data[start - 1] == 0x2D else start
        if data[start] != 0x30 and _is_value(data, first, end) and not exactly_double(data[first:end].decode()):
            spans.append((first, end))
        start = _next_run(classes, end)
    return spans


def _next_run(classes: bytes, at: int) -> int:
    found = classes.find(_VALUE_RUN, at)
    return found + 1 if found >= 0 else -1


def _is_value(data: bytes, start: int, end: int) -> bool:
    start -= 1
    while start >= 0 and data[start] in b" \t\n\r":
        start -= 1
    if start >= 0 and data[start] not in b"[:,":
        return False
    size = len(data)
    while end < size and data[end] in b" \t\n\r":
        end += 1
    return end == size or data[end] in b",]}"


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
