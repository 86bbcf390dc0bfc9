"""A session as Markdown for issues and reviews. What was recorded stands in fences, so that nothing of it is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from blockview.core.lines import Line, plain
from blockview.core.model import Session
from blockview.export.lines import (
    EVERYTHING,
    Choice,
    PrepareCall,
    block_lines,
    chosen_blocks,
    diagnostic_lines,
    shows_diagnostics,
    title_line,
)

_RUN = re.compile("`+")
_SHORTEST = 3


def markdown_chunks(
    session: Session,
    prepare_call: PrepareCall,
    *,
    width: int,
    choice: Choice = EVERYTHING,
    recorded: bool = False,
) -> Iterator[str]:
    """The session as Markdown (CommonMark 0.31), a heading and a fenced text for each block.

    Args:
        session: The session; its blocks are read one at a time.
        prepare_call: Gives the arguments that are shown.
        width: Characters per line.
        choice: What is printed.
        recorded: Print the recorded text of the arguments, not what is dispatched.
    """
    yield _fenced([title_line(session, width)])
    for chosen in chosen_blocks(session, choice):
        yield f"\n## Block {chosen.block.index + 1}\n\n"
        yield _fenced(block_lines(chosen, prepare_call, width=width, recorded=recorded))
    if shows_diagnostics(session, choice):
        yield "\n## Not read\n\n"
        yield _fenced(diagnostic_lines(session.diagnostics, width))


def _fenced(lines: Iterable[Line]) -> str:
    """Lines between fences that are longer than any run of backticks in them (CommonMark 4.5)."""
    text = "\n".join(plain(line).rstrip(" ") for line in lines)
    longest = max(map(len, _RUN.findall(text)), default=0)
    fence = "`" * max(_SHORTEST, longest + 1)
    return f"{fence}text\n{text}\n{fence}\n"
