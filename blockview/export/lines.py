"""A whole session as lines of (text, role), block by block; text and ANSI exports print them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from blockview.core.find import HEAD
from blockview.core.lines import Line, Paint, Role, Span
from blockview.core.model import Block, Diagnostic, Session, ToolCall
from blockview.core.prepare import Prepared
from blockview.core.render import block_parts, call_parts
from blockview.core.rows import Fold, Part, Row, RowList, ends, fit, rows_of
from blockview.core.safetext import visible, wrap_lines

PrepareCall = Callable[[ToolCall], Prepared]
"""The step of this export's path: a call to its prepared arguments."""


class Choice(NamedTuple):
    """What is printed of a session.

    `blocks` are positions of blocks in the session, from 0, `call` is the id of a call, `rows` gives the rows of a
    block for which a filter holds; None chooses everything.
    """

    blocks: Collection[int] | None = None
    call: str | None = None
    rows: Callable[[Block], Collection[int]] | None = None


EVERYTHING = Choice()


class Chosen(NamedTuple):
    """A block to print: the indexes of its calls to print, and whether its texts are printed."""

    block: Block
    calls: frozenset[int]
    texts: bool


def chosen_blocks(session: Session, choice: Choice = EVERYTHING) -> Iterator[Chosen]:
    """The blocks to print, read one at a time."""
    for position in range(len(session.blocks)):
        if choice.blocks is not None and position not in choice.blocks:
            continue
        block = session.blocks[position]
        kept = None if choice.rows is None else choice.rows(block)
        numbers = frozenset(
            number
            for number, call in enumerate(block.calls)
            if (choice.call is None or call.id == choice.call) and (kept is None or number in kept)
        )
        texts = choice.call is None and (kept is None or HEAD in kept)
        if numbers or texts:
            yield Chosen(block, numbers, texts)


def session_lines(
    session: Session,
    prepare_call: PrepareCall,
    *,
    width: int,
    choice: Choice = EVERYTHING,
    recorded: bool = False,
) -> Iterator[Line]:
    """Everything in a session, nothing folded: a title, each block with its calls inline, the diagnostics.

    Args:
        session: The session; its blocks are read one at a time.
        prepare_call: Gives the arguments that are shown.
        width: Cells per line, at least 1.
        choice: What is printed.
        recorded: Print the recorded text of the arguments, not what is dispatched.
    """
    return (row.line for part in _parts(session, prepare_call, width, choice, recorded) for row in rows_of(part))


def session_text(
    session: Session,
    prepare_call: PrepareCall,
    paint: Paint,
    *,
    width: int,
    choice: Choice = EVERYTHING,
    recorded: bool = False,
) -> Iterator[str]:
    """`session_lines` as text, some lines at a time, each with its newline and without blanks at its end.

    Args:
        session: The session; its blocks are read one at a time.
        prepare_call: Gives the arguments that are shown.
        paint: Makes text of a line.
        width: Cells per line, at least 1.
        choice: What is printed.
        recorded: Print the recorded text of the arguments, not what is dispatched.
    """
    parts = _parts(session, prepare_call, width, choice, recorded)
    return (text for part in parts for text in part.printed(paint))


def _parts(session: Session, prepare_call: PrepareCall, width: int, choice: Choice, recorded: bool) -> Iterator[Part]:
    width = max(width, 1)
    yield _part(title_line(session, width))
    for chosen in chosen_blocks(session, choice):
        yield _part((), (Span("─" * width, Role.QUIET),))
        yield from _block_parts(chosen, prepare_call, width, recorded)
    if shows_diagnostics(session, choice):
        yield _part((), *diagnostic_lines(session.diagnostics, width))


def _part(*lines: Line) -> Part:
    return RowList(map(Row, lines))


def title_line(session: Session, width: int) -> Line:
    """What the session is called, its format, and how much there is of it."""
    blocks, calls = len(session.blocks), sum(session.call_counts)
    counted = f"{blocks:,} block{'' if blocks == 1 else 's'}"
    if session.call_counts:
        counted += f"  {calls:,} call{'' if calls == 1 else 's'}"
    name = visible(session.title or session.source)
    return ends(
        [Span(name, Role.TITLE), Span(f"  {visible(session.format)}", Role.QUIET)], [Span(counted, Role.QUIET)], width
    )


def block_lines(chosen: Chosen, prepare_call: PrepareCall, *, width: int, recorded: bool = False) -> Iterator[Line]:
    """All that is printed of a block, nothing folded; the arguments are those of `session_lines`."""
    parts = _block_parts(chosen, prepare_call, max(width, 1), recorded)
    return (row.line for part in parts for row in rows_of(part))


def _block_parts(chosen: Chosen, prepare_call: PrepareCall, width: int, recorded: bool) -> Iterator[Part]:
    """What is printed of a block; between calls, and before one behind texts, stands an empty line."""
    block = chosen.block
    calls = block.calls
    prepared = [prepare_call(call) for call in calls]
    last = _part()
    for at, part in enumerate(block_parts(block, width=width, fold=Fold.OPEN)):
        if not isinstance(part, int):
            if at == 0 or chosen.texts:
                yield part
                last = part
        elif part in chosen.calls:
            if not last.ends_empty:
                yield _part(())
            shown = call_parts(
                calls[part], prepared[part], width=width, recorded=recorded, index=part, total=len(calls)
            )
            yield from shown
            last = shown[-1]


def shows_diagnostics(session: Session, choice: Choice) -> bool:
    """Whether what could not be read is printed: not with a choice of calls."""
    return bool(session.diagnostics) and choice.call is None and choice.rows is None


def diagnostic_lines(diagnostics: Sequence[Diagnostic], width: int) -> Iterator[Line]:
    """What could not be read, and where."""
    count = len(diagnostics)
    yield fit([Span(f"{count:,} diagnostic{'' if count == 1 else 's'}", Role.TITLE)], width)
    for found in diagnostics:
        for line in wrap_lines(f"line {found.place.line}, byte {found.place.byte}: {found.problem}", width):
            yield (Span(line, Role.ERROR),)
