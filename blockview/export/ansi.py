"""A session as text with terminal colours: the sixteen that every terminal has, and never colour alone."""

from __future__ import annotations

from blockview.core.lines import Line, Role

_CODES = {
    Role.TITLE: "1",
    Role.PROMPT: "1",
    Role.THINKING: "2;3",
    Role.QUIET: "2",
    Role.KEY: "34",
    Role.STRING: "32",
    Role.NUMBER: "36",
    Role.WORD: "35",
    Role.PUNCTUATION: "2",
    Role.TOOL: "1;34",
    Role.CHANGED: "1;33",
    Role.WAS: "33",
    Role.SPELLING: "2;33",
    Role.MISSING: "1;35",
    Role.ERROR: "1;31",
    Role.OK: "32",
}


def ansi_line(line: Line) -> str:
    """A line with the colours of its roles; it leaves the terminal as it found it."""
    pieces = []
    for text, role in line:
        code = _CODES.get(role) if text.strip() else None
        pieces.append(f"\x1b[{code}m{text}\x1b[0m" if code else text)
    return "".join(pieces)
