"""What lines look like: each role in Textual's style language and theme variables. Layout stands in `blockview.tcss`.

Roles are no component classes because Textual styles those anew at every change of a class or of the focus, which is a
good part of the time until the first screen.
"""

from __future__ import annotations

from rich.style import Style
from textual.color import TRANSPARENT
from textual.style import Style as VisualStyle
from textual.widget import Widget

from blockview.core.lines import Role

_ROLES = {
    Role.PLAIN: "$foreground",
    Role.TITLE: "bold $text-primary",
    Role.PROMPT: "bold $foreground",
    Role.ASSISTANT: "$foreground",
    Role.THINKING: "italic $foreground 60%",
    Role.QUIET: "$foreground 55%",
    Role.KEY: "$text-primary",
    Role.STRING: "$text-success",
    Role.NUMBER: "bold $foreground",
    Role.WORD: "$text-secondary",
    Role.PUNCTUATION: "$foreground 55%",
    Role.TOOL: "bold $foreground",
    Role.CHANGED: "bold $text-warning on $warning 22%",
    Role.WAS: "$text-warning",
    Role.SPELLING: "italic $foreground 70%",
    Role.MISSING: "bold $text-accent",
    Role.ERROR: "bold $text-error",
    Role.OK: "$text-success",
}
_CURSOR, _FOCUSED_CURSOR, _HIT = "on $surface-lighten-1", "on $primary 30%", "bold $background on $warning"

# A terminal's own sixteen colours cannot be mixed, so what is translucent elsewhere is said otherwise.
_ANSI_ROLES = {
    **_ROLES,
    Role.QUIET: "ansi_bright_black",
    Role.PUNCTUATION: "ansi_bright_black",
    Role.CHANGED: "bold reverse $text-warning",
}
_ANSI_HIT = "ansi_black on ansi_yellow"
_UNDERLINED = Style(underline=True)


class Looks:
    """The styles that a widget draws its lines with, under the current theme and with or without the focus.

    `base` is the row's own style; `cursor` and `hit` are laid over it.
    """

    def __init__(self, widget: Widget) -> None:
        """How `widget` draws lines now."""
        self._ansi = widget.app.current_theme.ansi
        _, self._behind = widget.background_colors
        self._roles: dict[Role, Style] = {}
        self.base = widget.rich_style
        self.hit = self._style(_ANSI_HIT if self._ansi else _HIT)
        self.cursor = _UNDERLINED if self._ansi else self._style(_FOCUSED_CURSOR if widget.has_focus else _CURSOR)
        if widget.app.has_class("-few-colors"):
            # Where colours are rounded to sixteen the cursor's background can become that of the screen.
            self.cursor += _UNDERLINED

    def role(self, role: Role) -> Style:
        """What a role adds to the row's style."""
        style = self._roles.get(role)
        if style is None:
            style = self._roles[role] = self._style((_ANSI_ROLES if self._ansi else _ROLES)[role])
        return style

    def _style(self, look: str) -> Style:
        """A look as a style, its translucent colours mixed with the widget's background."""
        style = VisualStyle.parse(look)
        behind = self._behind + (style.background or TRANSPARENT)
        return Style(
            color=(behind + style.foreground).rich_color if style.foreground else None,
            bgcolor=behind.rich_color if style.background else None,
            bold=style.bold,
            italic=style.italic,
            reverse=style.reverse,
        )
