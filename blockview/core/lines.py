"""Lines of (text, role): what every renderer produces and every front end draws. Roles say meaning, never colours."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """What a span of text means."""

    PLAIN = "plain"
    TITLE = "title"
    PROMPT = "prompt"
    ASSISTANT = "assistant"
    THINKING = "thinking"
    QUIET = "quiet"
    KEY = "key"
    STRING = "string"
    NUMBER = "number"
    WORD = "word"
    PUNCTUATION = "punctuation"
    TOOL = "tool"
    CHANGED = "changed"
    WAS = "was"
    SPELLING = "spelling"
    MISSING = "missing"
    ERROR = "error"
    OK = "ok"


class Span(NamedTuple):
    """A piece of a line. `text` is safe to print: no control characters, nothing invisible (see `safetext`)."""

    text: str
    role: Role = Role.PLAIN


Line = tuple[Span, ...]

Paint = Callable[[Line], str]
"""What makes text of a line, span by span: the text of two lines behind each other is that of both together."""


def plain(line: Line) -> str:
    """The text of a line without its roles."""
    return "".join([text for text, _ in line])


def printed(line: Line, paint: Paint) -> str:
    """A line as it is printed: without blanks at its end, and with its newline."""
    return paint(line).rstrip(" ") + "\n"
