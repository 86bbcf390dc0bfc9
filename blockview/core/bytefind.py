"""Where in the bytes of a recording a text may stand, so that only those places need to be read and decoded.

A JSON string spells a character in many ways: as itself, as an escape, and as an escape of an escape where JSON stands
inside a JSON string. A probe looks for one run of plain characters out of what is looked for: they are spelled as they
are, and where a writer escaped a letter that needs no escape, that counts as a place, too. What a probe finds is only a
guess and has to be verified on the decoded text; what a sure probe does not find is not there.

This module loads little: processes that do nothing but search start with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

_REACH = 4096
"""Bytes to either side of a place at which a check looks."""
OVERLAP = 2 * _REACH
"""Bytes of a piece that must be looked at again with the next one: no probe needs to see more at once."""

_LONGEST = 200
"""Characters of a run that are looked for."""
_SHORTEST = 3
"""Characters of a plain run that is worth looking for; those that are not ASCII are rarer."""
_PLAIN = re.compile(r"[ !#-.0-\[\]-~]+")
"""What JSON text spells as it is: printable ASCII but for `"`, `/` and the backslash."""
_OTHER = re.compile(r"[^\x00-\x7f\ud800-\udfff\ufffd]+")
"""Beyond ASCII, without what stands for bytes that are not text."""
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"[0-9]*[eE]?[0-9]*")
"""What may be part of a number, which the wire may spell otherwise than the recording."""
_CASED_END = 0x1F000
"""No letter from here on has another case."""

_SLASH = rb"(?:\\|u005[cC])"
_SLASHES = _SLASH + rb"{1,16}"
"""What stands before an escaped character, at any depth: a depth of four has 15 backslashes."""
_ESCAPED_ESCAPES = (b"u005cu", b"u005Cu")
"""An escape whose own backslash is escaped by its number."""
_SHORT = {"\n": b"n", "\t": b"t", "\r": b"r", "\b": b"b", "\f": b"f"}


class Probe(NamedTuple):
    """Finds places in bytes where a text may stand.

    `literals` are looked for as they are, `patterns` as regular expressions; `folded` says that all of them are written
    in lower case, and are looked for in the bytes in lower case. A place that one of them finds counts only when
    `check` matches there, not more than `before` bytes earlier; without a `check` it counts in any case.
    """

    literals: tuple[bytes, ...]
    patterns: tuple[bytes, ...] = ()
    folded: bool = False
    check: bytes = b""
    before: int = 0

    def places(self, piece: bytes) -> Iterator[int]:
        """Offsets in `piece`, those of each literal and each pattern in order."""
        where = piece.lower() if self.folded else piece
        check = _compiled(self.check).search if self.check else None
        for literal in self.literals:
            if _lacks(where, literal):
                continue
            at = where.find(literal)
            while at >= 0:
                if check is None or check(piece, max(0, at - self.before), at + _REACH):
                    yield at
                at = where.find(literal, at + len(literal))
        for pattern in self.patterns:
            if not _lacks(where, pattern):
                yield from (found.start() for found in _compiled(pattern).finditer(where))


def _lacks(where: bytes, wanted: bytes) -> bool:
    """Whether a letter of another script is not there at all: one byte is found much faster than several."""
    return wanted[0] >= 0x80 and wanted[:1] not in where


@lru_cache(32)
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern)


def quick_probe(parts: Sequence[str], *, any_case: bool) -> Probe | None:
    """A probe for what stands in a recording as it is: the places that it finds are few, but it may miss some.

    It misses what no record holds in one piece, such as a number that the wire spells otherwise, and letters that were
    escaped for no reason.

    Args:
        parts: Texts that all occur in what is looked for, each of them in one string of the recording.
        any_case: Whether capitals and small letters are the same.

    Returns:
        The probe, or None where there is nothing in the parts that is worth looking for.
    """
    found = [(match, part) for part in parts for match in _PLAIN.finditer(part)]
    if not found or len(max(found, key=_length)[0][0]) < _SHORTEST:
        return _beyond_ascii(parts, "", any_case=any_case)
    match, part = max(found, key=_length)
    run = match[0][:_LONGEST]
    literal = (run.lower() if any_case else run).encode()
    if match[0] == part:
        return Probe((literal,), folded=any_case)
    ahead, behind = part[: match.start()][-_LONGEST:], part[match.end() :][:_LONGEST]
    check = spelled(ahead + match[0] + behind, any_case=any_case)
    # No spelling of a character is longer than two escapes of UTF-16, each with all its backslashes.
    before = len(ahead) * 2 * (16 * 5 + 5)
    return Probe((literal,), folded=any_case, check=check, before=min(before, _REACH))


def _length(found: tuple[re.Match[str], str]) -> int:
    return len(found[0][0])


def sure_probe(parts: Sequence[str], added: str, *, any_case: bool) -> Probe | None:
    """A probe that misses nothing: it looks for a word that must have been recorded where the text is shown.

    What is shown is made of recorded texts and of words that a reader adds, and numbers may be spelled otherwise than
    they were recorded. So of all runs of letters and digits one is chosen that is no number, and that no added word
    holds. It is found in any spelling: whole, or with one of its letters escaped.

    Args:
        parts: Texts that all occur in what is looked for, each of them in one string of the recording.
        added: All that the reader adds to what is recorded, in small letters.
        any_case: Whether capitals and small letters are the same.

    Returns:
        The probe, or None where the parts hold no such word: then only the decoded blocks tell.
    """
    runs = [word for part in parts for word in _WORD.findall(part)]
    words = [run for run in runs if run.isascii() and _is_telling(run, added)]
    if not words:
        return _beyond_ascii(parts, added, any_case=any_case)
    word = max(words, key=len)[:_LONGEST]
    if any_case:
        others = sorted({other for char in word for other in cases(char) if not other.isascii()})
        escaped = b"|".join(_hex(char) for char in sorted({*word.lower(), *word.upper(), *others}))
        literals = (word.lower().encode(), *(other.encode() for other in others), *_ESCAPED_ESCAPES[:1])
        return Probe(literals, (rb"\\u(?:%s)" % escaped,), folded=True)
    escaped = b"|".join(_either_case(_hex(char)) for char in sorted(set(word)))
    return Probe((word.encode(), *_ESCAPED_ESCAPES), (rb"\\u(?:%s)" % escaped,))


def _is_telling(word: str, added: str) -> bool:
    return len(word) >= _SHORTEST and _NUMBER.fullmatch(word) is None and word.lower() not in added


def _beyond_ascii(parts: Sequence[str], added: str, *, any_case: bool) -> Probe | None:
    """A probe for the longest run of characters that are not ASCII and not `added`: in UTF-8, or escaped."""
    runs = [run for part in parts for run in _OTHER.findall(part) if run not in added]
    if not runs:
        return None
    run = max(runs, key=len)[:_LONGEST]
    variants = cases(run[0]) if any_case else (run[0],)
    rest = spelled(run[1:], any_case=any_case)
    # Each pattern begins with bytes that are found fast.
    patterns = [rb"\\(?:%s)%s" % (b"|".join(map(_escape, variants)), rest)]
    spellings = sorted(each.encode() for each in variants)
    for first, group in groupby(spellings, lambda each: each[:1]):
        patterns.append(first + b"(?:%s)%s" % (b"|".join(re.escape(each[1:]) for each in group), rest))
    return Probe(_ESCAPED_ESCAPES, tuple(patterns))


def spelled(text: str, *, any_case: bool) -> bytes:
    """A regular expression that finds `text` in JSON text, however it is escaped there and however deep."""
    out: list[bytes] = []
    at = 0
    slashed = False
    """Whether any number of backslashes may stand here already."""
    while at < len(text):
        char = text[at]
        if char == "\\":
            end = at
            while end < len(text) and text[end] == "\\":
                end += 1
            out.append(_SLASH + b"{%d,}" % (end - at))
            slashed = True
            at = end
            continue
        out.append(_spelled(char, any_case=any_case, slashed=slashed))
        slashed = False
        at += 1
    return b"".join(out)


def _spelled(char: str, *, any_case: bool, slashed: bool) -> bytes:
    may, must = (b"", b"") if slashed else (_SLASH + b"{0,16}", _SLASHES)
    if char in '"/':
        return may + b"(?:%s|%s)" % (char.encode(), _escape(char))
    variants = cases(char) if any_case else (char,)
    escapes = b"|".join(_escape(each) for each in variants)
    if short := _SHORT.get(char):
        escapes += b"|" + short
    plain = b"|".join(re.escape(each.encode("utf-8", "surrogatepass")) for each in variants)
    return b"(?:%s|%s(?:%s))" % (plain, must, escapes)


def _hex(char: str) -> bytes:
    return b"%04x" % ord(char)


def _either_case(digits: bytes) -> bytes:
    """Hexadecimal digits in capitals or small letters."""
    letters = (b"[%c%c]" % (each, each - 32) if each >= 0x61 else b"%c" % each for each in digits)
    return b"".join(letters)


def _escape(char: str) -> bytes:
    """A character's escape without the backslash before it; two of UTF-16 where it takes two."""
    if ord(char) <= 0xFFFF:
        return b"u" + _either_case(_hex(char))
    pair = char.encode("utf-16-be")
    return b"u%s%su%s" % (_either_case(pair[:2].hex().encode()), _SLASHES, _either_case(pair[2:].hex().encode()))


@lru_cache(1)
def _may_be_cased() -> str:
    return "".join(map(chr, (*range(0xD800), *range(0xE000, _CASED_END))))


@lru_cache(1024)
def cases(char: str) -> tuple[str, ...]:
    """All characters that Python's regular expressions take for the same as `char` when capitals do not matter."""
    if "\ud800" <= char <= "\udfff" or char.lower() == char.upper():
        return (char,)
    if char.isascii():
        return _ASCII_CASES.get(char.lower(), (char.lower(), char.upper()))
    return tuple(dict.fromkeys((char, *re.findall(re.escape(char), _may_be_cased(), re.IGNORECASE))))


_ASCII_CASES = {"i": ("i", "I", "\u0130", "\u0131"), "k": ("k", "K", "\u212a"), "s": ("s", "S", "\u017f")}
"""ASCII letters that have more than two."""


def literal_parts(text: str) -> tuple[str, ...]:
    """What of a text each stands in one string: its lines, because lines of a text may come from several records."""
    return tuple(text.split("\n"))


_ATOM = re.compile(
    r"\\(?:[^\W\d_]|\d+)|\\(?P<quoted>.)|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|(?P<optional>[?*]|\{\d*,?\d*\})|(?P<special>[().|+^$])|(?P<char>.)",
    re.DOTALL,
)
"""What a regular expression is made of, as far as it matters here."""
_VERBOSE = re.compile(r"\(\?[aiLmsu]*x")


def regex_parts(pattern: str) -> tuple[str, ...]:
    """Texts that stand in everything that a regular expression finds, as far as they are plain to see.

    Only what stands outside of parentheses is taken; where there is an alternative outside of them, there are none.
    """
    if _VERBOSE.search(pattern):
        return ()  # white space and comments mean nothing there
    parts = [""]
    depth = 0
    for atom in _ATOM.finditer(pattern):
        char = atom["char"] or atom["quoted"]
        if atom[0] == "|" and depth == 0:
            return ()
        if char and depth == 0 and char != "\n":
            parts[-1] += char
            continue
        if atom["optional"]:
            parts[-1] = parts[-1][:-1]  # the character before it need not be there
        elif atom["special"]:
            depth += (atom[0] == "(") - (atom[0] == ")")
        parts.append("")
    return tuple(filter(None, parts))
