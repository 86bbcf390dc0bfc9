"""A session as text with terminal colours: the sixteen that every terminal has, and never colour alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from blockview.core.lines import Line, Role
from blockview.core.model import Session
from blockview.export.lines import PrepareCall, session_lines

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


def ansi_chunks(
    session: Session,
    prepare_call: PrepareCall,
    *,
    width: int,
    only_blocks: Collection[int] | None = None,
    only_call: str | None = None,
) -> Iterator[str]:
    """The session's lines with colours, each with its newline; the colours are the only control characters.

    Args:
        session: The session; its blocks are read one at a time.
        prepare_call: Gives the arguments that are shown.
        width: Cells per line, at least 1.
        only_blocks: Positions of blocks in the session, from 0; None for all.
        only_call: Print nothing but the calls with this id.
    """
    for line in session_lines(session, prepare_call, width=width, only_blocks=only_blocks, only_call=only_call):
        yield ansi_line(line).rstrip(" ") + "\n"
