"""A whole session as lines of (text, role), block by block; text and ANSI exports print them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from blockview.core.lines import Line, Role, Span
from blockview.core.model import Block, Diagnostic, Session, ToolCall
from blockview.core.prepare import Prepared
from blockview.core.render import Section, block_detail, call_detail
from blockview.core.rows import Fold, Rows, ends, fit
from blockview.core.safetext import visible, wrap_lines

PrepareCall = Callable[[ToolCall], Prepared]
"""The step of this export's path: a call to its prepared arguments."""


def chosen_blocks(
    session: Session, only_blocks: Collection[int] | None = None, only_call: str | None = None
) -> Iterator[tuple[Block, list[int]]]:
    """The blocks to print, read one at a time, each with the indexes of its calls to print.

    Args:
        session: The session.
        only_blocks: Positions of blocks in the session, from 0; None for all.
        only_call: The id of a call: only blocks and calls with it are chosen.
    """
    for position in range(len(session.blocks)):
        if only_blocks is not None and position not in only_blocks:
            continue
        block = session.blocks[position]
        numbers = [at for at, call in enumerate(block.calls) if only_call is None or call.id == only_call]
        if numbers or only_call is None:
            yield block, numbers


def session_lines(
    session: Session,
    prepare_call: PrepareCall,
    *,
    width: int,
    only_blocks: Collection[int] | None = None,
    only_call: str | None = None,
    recorded: bool = False,
) -> Iterator[Line]:
    """Everything in a session, nothing folded: a title, each block with its calls inline, the diagnostics.

    Args:
        session: The session; its blocks are read one at a time.
        prepare_call: Gives the arguments that are shown.
        width: Cells per line, at least 1.
        only_blocks: Positions of blocks in the session, from 0; None for all.
        only_call: Print nothing but the calls with this id.
        recorded: Print the recorded text of the arguments, not what is dispatched.
    """
    width = max(width, 1)
    show_call = partial(call_detail, width=width, fold=Fold.OPEN, recorded=recorded)
    yield _title(session, width)
    for block, numbers in chosen_blocks(session, only_blocks, only_call):
        yield ()
        yield from _block(block, numbers, prepare_call, show_call, width, only_call is not None)
    if session.diagnostics and only_call is None:
        yield ()
        yield from _diagnostics(session.diagnostics, width)


def _title(session: Session, width: int) -> Line:
    blocks, calls = len(session.blocks), sum(session.call_counts)
    counted = f"{blocks:,} block{'' if blocks == 1 else 's'}"
    if session.call_counts:
        counted += f"  {calls:,} call{'' if calls == 1 else 's'}"
    name = visible(session.title or session.source)
    return ends(
        [Span(name, Role.TITLE), Span(f"  {visible(session.format)}", Role.QUIET)], [Span(counted, Role.QUIET)], width
    )


def _block(
    block: Block,
    numbers: Sequence[int],
    prepare_call: PrepareCall,
    show_call: Callable[..., Rows],
    width: int,
    calls_only: bool,
) -> Iterator[Line]:
    calls = block.calls
    prepared = [prepare_call(call) for call in calls]
    yield (Span("─" * width, Role.QUIET),)
    last: Line = ()
    for at, row in enumerate(block_detail(block, prepared, width=width, fold=Fold.OPEN)):
        target = row.target
        if target is None or target.section is not Section.CALL:
            if at == 0 or not calls_only:
                yield row.line
                last = row.line
            continue
        if target.call in numbers:
            if last:
                yield ()
            index = target.call
            for each in show_call(calls[index], prepared[index], index=index, total=len(calls)):
                last = each.line
                yield last


def _diagnostics(diagnostics: Sequence[Diagnostic], width: int) -> Iterator[Line]:
    count = len(diagnostics)
    yield fit([Span(f"{count:,} diagnostic{'' if count == 1 else 's'}", Role.TITLE)], width)
    for found in diagnostics:
        for line in wrap_lines(f"line {found.place.line}, byte {found.place.byte}: {found.problem}", width):
            yield (Span(line, Role.ERROR),)
