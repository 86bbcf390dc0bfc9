"""What all screens share: bindings from the table of actions, and movement in the pane that has the focus."""

from __future__ import annotations

from textual.binding import Binding, BindingType
from textual.screen import Screen

from blockview.ui.actions import ACTIONS, Where
from blockview.ui.header import number
from blockview.ui.widgets.pane import Pane


def bindings(*places: Where) -> list[BindingType]:
    """Textual's bindings for the actions that work at `places`."""
    app_actions = {"command_palette", "quit"}
    return [
        Binding(
            ",".join(action.keys),
            f"app.{action.name}" if action.name in app_actions else action.name,
            action.label,
            show=False,
            key_display=action.written,
            tooltip=action.help,
            id=action.name,
        )
        for action in ACTIONS
        if action.where in places
    ]


class PaneScreen(Screen[None]):
    """A screen of panes. Movement goes to the pane that has the focus, so that keys are the same everywhere."""

    @property
    def pane(self) -> Pane:
        """The pane that the keys move in."""
        return self.focused if isinstance(self.focused, Pane) else self.query(Pane).first()

    def action_down(self) -> None:
        """Next row."""
        self.pane.move(self.pane.cursor_line + 1)

    def action_up(self) -> None:
        """Previous row."""
        self.pane.move(self.pane.cursor_line - 1)

    def action_top(self) -> None:
        """First row."""
        self.pane.move(0)

    def action_bottom(self) -> None:
        """Last row."""
        self.pane.move(self.pane.line_count - 1)

    def action_page_down(self) -> None:
        """One page down."""
        self._page(self.pane.page)

    def action_page_up(self) -> None:
        """One page up."""
        self._page(-self.pane.page)

    def action_half_down(self) -> None:
        """Half a page down."""
        self._page(max(1, self.pane.page // 2))

    def action_half_up(self) -> None:
        """Half a page up."""
        self._page(-max(1, self.pane.page // 2))

    def _page(self, lines: int) -> None:
        """Move cursor and screen together, so that the cursor keeps its row on screen."""
        pane = self.pane
        pane.scroll_to(y=pane.scroll_offset.y + lines, animate=False)
        pane.move(pane.cursor_line + lines)

    def action_help(self) -> None:
        """Show all keys and marks, those of this screen first."""
        from blockview.ui.screens.help import Help

        self.app.push_screen(Help([each.id for each in self.BINDINGS if isinstance(each, Binding) and each.id]))

    def copy(self, word: str, text: str) -> None:
        """Copy a text, which is called `word`, and tell."""
        # A lone surrogate cannot be written to the terminal; its escape says what it was.
        self.app.copy_to_clipboard(text.encode("utf-8", "backslashreplace").decode())
        self.notify(f"copied: {word}, {number(len(text), 'character')}", markup=False)

    def action_back(self) -> None:
        """Leave this screen; the last one stays."""
        if self.is_current and len(self.app.screen_stack) > 1:
            self.app.pop_screen()

    def action_leave(self) -> None:
        """Leave this screen, or the app with the last one."""
        if not self.is_current:
            return
        if len(self.app.screen_stack) > 1:
            self.app.pop_screen()
        else:
            self.app.exit()
