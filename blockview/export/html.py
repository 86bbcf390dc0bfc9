"""A session as one HTML file: readable without scripts, in light and dark, and it fetches nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from blockview.core.lines import Line, plain
from blockview.core.model import Session
from blockview.core.render import block_row
from blockview.core.safetext import visible
from blockview.export.colours import style_sheet, styled
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

_STYLE = """
body{margin:0 auto;padding:1rem;max-width:max-content;background:var(--paper);color:var(--text);color-scheme:light dark}
h1,pre,summary{font:14px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;margin:0}
h1,pre{white-space:pre;overflow-x:auto}
pre{tab-size:4;padding:.5rem 0 1rem}
details{border-top:1px solid var(--edge)}
summary{cursor:pointer;padding:.4rem 0;white-space:pre;overflow:hidden;text-overflow:ellipsis}
"""
_HEAD = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
)


def html_chunks(
    session: Session,
    prepare_call: PrepareCall,
    *,
    width: int,
    choice: Choice = EVERYTHING,
    recorded: bool = False,
) -> Iterator[str]:
    """The session as one document, a section that can be folded for each block. Everything recorded is escaped.

    Args:
        session: The session; its blocks are read one at a time.
        prepare_call: Gives the arguments that are shown.
        width: Characters per line.
        choice: What is printed.
        recorded: Print the recorded text of the arguments, not what is dispatched.
    """
    title = escape(visible(session.title or session.source))
    yield f"{_HEAD}<title>{title}</title>\n<style>{_STYLE}{style_sheet()}\n</style>\n</head>\n<body>\n"
    yield f"<h1>{_line(title_line(session, width))}</h1>\n"
    for chosen in chosen_blocks(session, choice):
        block = chosen.block
        row = _line(block_row(block, len(block.calls), width, folded=False)[1:])
        yield f'<details open id="block-{block.index + 1}">\n<summary>{row}</summary>\n'
        yield from _preformatted(block_lines(chosen, prepare_call, width=width, recorded=recorded))
        yield "</details>\n"
    if shows_diagnostics(session, choice):
        yield from _preformatted(diagnostic_lines(session.diagnostics, width))
    yield "</body>\n</html>\n"


def _preformatted(lines: Iterable[Line]) -> Iterator[str]:
    yield "<pre>\n"
    for line in lines:
        yield _line(line) + "\n"
    yield "</pre>\n"


def _line(line: Line) -> str:
    end = len(plain(line).rstrip(" "))
    pieces = []
    for text, role in line:
        text, end = text[: max(end, 0)], end - len(text)
        if text:
            shown = escape(text)
            pieces.append(f'<span class="{role.value}">{shown}</span>' if styled(role) and text.strip() else shown)
    return "".join(pieces)
