"""Lines as a picture (SVG), for documents and reports; it follows light and dark surroundings and fetches nothing."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import islice

from blockview.core.lines import Line
from blockview.core.safetext import cell_width
from blockview.export.colours import style_sheet, styled

MOST_LINES = 2_000
"""Lines of a picture; nobody looks at a larger one."""

_CELL, _LINE, _EDGE = 8.4, 20, 16
_STYLE = f"""
text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}}
text{{fill:var(--text);white-space:pre}}
rect{{fill:var(--paper);stroke:var(--edge)}}
{style_sheet(fill=True)}
"""


class TooLong(ValueError):
    """There are more lines than a picture takes."""


def svg_text(lines: Iterable[Line], width: int) -> str:
    """The picture of some lines.

    Args:
        lines: At most `MOST_LINES`.
        width: Cells per line; the picture is as wide.

    Raises:
        TooLong: there are more lines.
    """
    shown = list(islice(lines, MOST_LINES + 1))
    if len(shown) > MOST_LINES:
        raise TooLong(f"more than {MOST_LINES:,} lines are too many for a picture")
    wide, high = width * _CELL + 2 * _EDGE, len(shown) * _LINE + 2 * _EDGE
    rows = "".join(_row(line, at) for at, line in enumerate(shown))
    size = f'viewBox="0 0 {wide:.0f} {high}" width="{wide:.0f}" height="{high}"'
    paper = f'<rect x=".5" y=".5" width="{wide - 1:.0f}" height="{high - 1}" rx="6"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{_STYLE}</style>\n{paper}\n{rows}</svg>\n'


def _row(line: Line, at: int) -> str:
    """A line; each span stands at its own column, whatever widths a font gives to its characters."""
    pieces = []
    column = 0
    for text, role in line:
        if text.strip(" "):
            shown = text.lstrip(" ")
            x = _EDGE + (column + len(text) - len(shown)) * _CELL
            kind = f' class="{role.value}"' if styled(role) else ""
            pieces.append(f'<tspan x="{x:.1f}"{kind}>{escape(shown.rstrip(" "), quote=False)}</tspan>')
        column += cell_width(text)
    return f'<text y="{_EDGE + at * _LINE + 15}">{"".join(pieces)}</text>\n' if pieces else ""
