"""The help screen: every key and every mark."""

from __future__ import annotations

from itertools import groupby

from textual.app import ComposeResult

from blockview.core.lines import Line, Role, Span
from blockview.core.rows import fit
from blockview.core.safetext import wrap
from blockview.ui.actions import ACTIONS, MARKS, Where
from blockview.ui.screens.base import PaneScreen, bindings
from blockview.ui.widgets.lines_pane import LinesPane

_KEYS_WIDTH = 12
_MARK_ROLES = {"→": Role.CHANGED, "≈": Role.SPELLING, "?": Role.MISSING, "!": Role.ERROR}
_MARK_ROLES |= {"=": Role.QUIET, "~": Role.CHANGED, "-": Role.WAS, "+": Role.OK}


def help_lines(width: int) -> list[Line]:
    """All keys by group, then all marks, in lines of at most `width` cells."""
    lines: list[Line] = []
    for group, actions in groupby(ACTIONS, key=lambda action: action.group):
        lines += [fit([Span(f" {group}", Role.TITLE)], width)]
        for action in actions:
            lines += _entry([Span(action.written, Role.KEY)], action.help, width)
        lines.append(())
    lines.append(fit([Span(" Marks", Role.TITLE)], width))
    for glyph, word, meaning in MARKS:
        role = _MARK_ROLES[glyph]
        lines += _entry([Span(f"{glyph} ", role), Span(word, role)], meaning, width)
    lines += [(), fit([Span(" Drag with the mouse and press ctrl+c to copy what is selected.", Role.QUIET)], width)]
    return lines


def _entry(keys: list[Span], text: str, width: int) -> list[Line]:
    used = sum(len(span.text) for span in keys)
    first, *others = wrap(text, max(10, width - _KEYS_WIDTH - 4))
    lead = " " * (_KEYS_WIDTH + 4)
    head = [Span("   "), *keys, Span(" " * max(1, _KEYS_WIDTH + 1 - used)), Span(first)]
    return [fit(head, width), *(fit([Span(lead), Span(other)], width) for other in others)]


class Help(PaneScreen):
    """Every key and every mark, on top of the screen that it was asked for."""

    BINDINGS = bindings(Where.EVERYWHERE)

    def compose(self) -> ComposeResult:
        """One pane."""
        pane = LinesPane(help_lines, id="help")
        pane.border_title = "keys and marks"
        pane.border_subtitle = "Esc back"
        yield pane

    def action_help(self) -> None:
        """The key that opens help closes it as well."""
        self.action_back()
