"""Integers that may have lost their last digits in a double before they were recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from blockview.core.jsontext import JsonError, Kind, parse

_EXACT = 2**53
"""Up to here a double holds every integer."""

_SHORTEST, _LONGEST = len(str(_EXACT)), 309
"""Digits of the integers in question; no double has more."""

_RUN = re.compile(rf"[0-9]{{{_SHORTEST}}}")


def maybe_rounded(literal: str) -> bool:
    """Whether an integer is beyond 2^53 and has the digits that a program would print which has only doubles.

    JavaScript prints the shortest digits that name the double and fills up with zeros (1234567890123456789 becomes
    1234567890123456800), others print all digits of the double (1234567890123456768).
    """
    if not _SHORTEST <= len(literal.removeprefix("-")) <= _LONGEST:
        return False
    number = int(literal)
    if abs(number) <= _EXACT:
        return False
    try:
        double = float(number)
    except OverflowError:
        return False
    return number in (int(double), int(Decimal(repr(double))))


def rounded_integers(text: str) -> Iterator[tuple[str, str]]:
    """The JSON Pointer (RFC 6901) and the literal of each such integer in a JSON text; none in any other text."""
    if not _RUN.search(text):
        return
    try:
        tree = parse(text, lax=True)
    except JsonError:
        return
    for number, node in enumerate(tree.nodes):
        if node.kind is Kind.INTEGER and node.end - node.start >= _SHORTEST and maybe_rounded(tree.literal(number)):
            yield tree.pointer(number), tree.literal(number)
