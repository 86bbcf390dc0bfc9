"""The help screen: every key and every mark."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import groupby

from textual.app import ComposeResult

from blockview.core.lines import Line, Role, Span
from blockview.core.rows import fit
from blockview.core.safetext import wrap
from blockview.ui.actions import ACTIONS, MARKS, Action, Where
from blockview.ui.screens.base import PaneScreen, bindings
from blockview.ui.widgets.lines_pane import LinesPane

_KEYS_WIDTH = 12
_MARK_ROLES = {"→": Role.CHANGED, "≈": Role.SPELLING, "?": Role.MISSING, "!": Role.ERROR}
_MARK_ROLES |= {"=": Role.QUIET, "~": Role.CHANGED, "-": Role.WAS, "+": Role.OK}


def help_lines(width: int, here: Collection[str]) -> list[Line]:
    """All keys and marks in lines of at most `width` cells: first the keys of one screen, then marks, then other keys.

    Args:
        width: Cells per line.
        here: The names of the actions of that screen.
    """
    lines: list[Line] = []
    mine = (action for action in ACTIONS if action.name in here)
    for group, actions in groupby(mine, key=lambda action: action.group):
        lines += _section(group, actions, width)
    lines.append(fit([Span(" Marks", Role.TITLE)], width))
    for glyph, word, meaning in MARKS:
        role = _MARK_ROLES[glyph]
        lines += _entry([Span(f"{glyph} ", role), Span(word, role)], meaning, width)
    selected = " Drag with the mouse and press ^c (Ctrl with c) to copy what is selected."
    lines += [(), fit([Span(selected, Role.QUIET)], width), ()]
    others = sorted((action for action in ACTIONS if action.name not in here), key=lambda action: _ORDER[action.where])
    for where, actions in groupby(others, key=lambda action: action.where):
        lines += _section(f"Elsewhere: {where.value}", actions, width)
    return lines[:-1]


_ORDER = {where: number for number, where in enumerate(Where)}


def _section(title: str, actions: Iterable[Action], width: int) -> list[Line]:
    lines = [fit([Span(f" {title}", Role.TITLE)], width)]
    for action in actions:
        lines += _entry([Span(action.written, Role.KEY)], action.help, width)
    return [*lines, ()]


def _entry(keys: list[Span], text: str, width: int) -> list[Line]:
    used = sum(len(span.text) for span in keys)
    first, *others = wrap(text, max(10, width - _KEYS_WIDTH - 4))
    lead = " " * (_KEYS_WIDTH + 4)
    head = [Span("   "), *keys, Span(" " * max(1, _KEYS_WIDTH + 1 - used)), Span(first)]
    return [fit(head, width), *(fit([Span(lead), Span(other)], width) for other in others)]


class Help(PaneScreen):
    """Every key and every mark, on top of the screen that it was asked for."""

    BINDINGS = bindings(Where.EVERYWHERE)

    def __init__(self, here: Collection[str]) -> None:
        """Show the keys of the actions named `here` first."""
        super().__init__()
        self._here = here

    def compose(self) -> ComposeResult:
        """One pane."""
        pane = LinesPane(lambda width: help_lines(width, self._here), id="help")
        pane.border_title = "keys and marks"
        pane.border_subtitle = "Esc back"
        yield pane

    def action_help(self) -> None:
        """The key that opens help closes it as well."""
        self.action_back()
