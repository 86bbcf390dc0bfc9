"""A session as plain text. No control character of the recording gets through."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from blockview.core.lines import plain
from blockview.core.model import Session
from blockview.export.lines import PrepareCall, session_lines


def text_chunks(
    session: Session,
    prepare_call: PrepareCall,
    *,
    width: int,
    only_blocks: Collection[int] | None = None,
    only_call: str | None = None,
) -> Iterator[str]:
    """The session's lines as text, each with its newline and without trailing spaces.

    Args:
        session: The session; its blocks are read one at a time.
        prepare_call: Gives the arguments that are shown.
        width: Cells per line, at least 1.
        only_blocks: Positions of blocks in the session, from 0; None for all.
        only_call: Print nothing but the calls with this id.
    """
    for line in session_lines(session, prepare_call, width=width, only_blocks=only_blocks, only_call=only_call):
        yield plain(line).rstrip(" ") + "\n"
