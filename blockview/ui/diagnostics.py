"""What could not be read, as rows: where it is, what is wrong with it, and the recorded text."""

from __future__ import annotations

from collections.abc import Iterator

from blockview.core.lines import Role, Span
from blockview.core.model import Diagnostic, Session
from blockview.core.rows import Row, RowList, Rows, Section, Target, fit, text_rows
from blockview.core.safetext import visible

_OPEN_AT_MOST = 20
_RAW_AT_MOST = 20_000
"""Characters of one recorded text that are shown; a broken line can be as large as the file."""


def diagnostic_rows(session: Session, width: int, toggled: frozenset[Target]) -> Rows:
    """The diagnostics of a session, each with its recorded text below it while it is open.

    Args:
        session: The session; its recorded text is read for what is open.
        width: Cells per row.
        toggled: Targets whose fold is not the usual one: a few are open, many are folded.
    """
    width = max(width, 1)
    count = len(session.diagnostics)
    title = Row(fit([Span(f"{count:,} not read", Role.TITLE), Span("  all else is shown", Role.QUIET)], width))
    rows = [title, Row(())]
    for number, diagnostic in enumerate(session.diagnostics):
        target = Target(-1, Section.TEXT, number)
        opened = (count <= _OPEN_AT_MOST) is not (target in toggled)
        rows += _rows(session, diagnostic, target, width, opened)
    return Rows([RowList(rows)])


def _rows(session: Session, diagnostic: Diagnostic, target: Target, width: int, opened: bool) -> Iterator[Row]:
    place = diagnostic.place
    head = [
        Span("▾ " if opened else "▸ ", Role.PUNCTUATION),
        Span(f"line {place.line:,}, byte {place.byte:,}", Role.KEY),
        Span(f"  {visible(diagnostic.problem)}", Role.ERROR),
    ]
    yield Row(fit(head, width), target, True)
    if opened:
        text = session.read_raw(place)
        yield from text_rows(text[:_RAW_AT_MOST], Role.PLAIN, target, width=width, indent=4)
        if len(text) > _RAW_AT_MOST:
            more = f"    … {len(text) - _RAW_AT_MOST:,} more characters"
            yield Row(fit([Span(more, Role.QUIET)], width), target)
