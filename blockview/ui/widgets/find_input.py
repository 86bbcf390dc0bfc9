"""The line to type in what is to be found."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.widgets import Input


class FindInput(Input):
    """An input that is done at once with Enter or Escape.

    Keys can come in one burst, from a paste or over a slow line. What follows Enter in the same burst is already on
    its way to this widget and must not be typed into it.
    """

    def __init__(self, accept: Callable[[], object], cancel: Callable[[], object]) -> None:
        """Start empty; one of the two functions is called once, at the end."""
        super().__init__(placeholder="find", select_on_focus=False)
        self._ends = {"enter": accept, "escape": cancel}
        self._done = False

    def take(self, event: events.Key) -> None:
        """Take a key that came before the input had the focus."""
        if end := self._ends.get(event.key):
            self._done = True
            end()
        elif event.is_printable and event.character:
            self.insert_text_at_cursor(event.character)

    def on_key(self, event: events.Key) -> None:
        """Take Enter and Escape, and let pass what comes after them."""
        if self._done:
            event.prevent_default()
        elif event.key in self._ends:
            event.prevent_default()
            event.stop()
            self.take(event)
