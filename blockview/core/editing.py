"""Recorded arguments as a text to edit: nothing in it is invisible, and its value is the recorded one."""

from __future__ import annotations

import re

from blockview.core.jsontext import JsonError, loads
from blockview.core.safetext import visible

_STRING_OR_SPACE = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*"?)|(\r\n?)|(\t)', re.DOTALL)
_TAB = "    "
_UNUSUAL = re.compile(r"[^\x20-\x7e\t\n]")


def editable(arguments: str | None) -> str:
    r"""Recorded arguments as they are, but what a terminal would obey or not show as JSON escapes (`\u001b`).

    In a string the escape means the same; between values tabs become spaces and all line ends one, which means nothing.
    """
    return _STRING_OR_SPACE.sub(_plain, escaped(arguments or "", keep="\r"))


def _plain(match: re.Match[str]) -> str:
    if match[1] is not None:
        return match[1].replace("\r", r"\r").replace("\t", r"\t")
    return "\n" if match[2] else _TAB


def pasted(text: str) -> str:
    """A text that is put into the editor from elsewhere, without tabs and without what is invisible or acts."""
    return escaped(text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", _TAB))


def escaped(text: str, *, keep: str = "") -> str:
    """`text` with what is invisible or acts as JSON escapes; tabs, line ends and the characters of `keep` stay."""
    return _UNUSUAL.sub(lambda match: match[0] if match[0] in keep else _escape(match[0]), text)


def _escape(character: str) -> str:
    if visible(character) == character:
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def problem_of(text: str) -> str:
    """Why a text cannot be the arguments of a call, with line and column from 1; empty if it can. Blank means none."""
    if not text.strip():
        return ""
    try:
        value = loads(text)
    except JsonError as error:
        before = text[: error.position]
        column = error.position - (before.rfind("\n") + 1) + 1
        return f"line {before.count(chr(10)) + 1:,}, column {column:,}: {error.problem}"
    return "" if isinstance(value, dict) else "not a JSON object: arguments are an object { } or nothing"
