"""The line to type in what is to be found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.widgets import Input


class FindInput(Input):
    """An input that is done at once with Enter or Escape.

    Keys can come in one burst, from a paste or over a slow line. What follows Enter in the same burst is already on
    its way to this widget and must not be typed into it.
    """

    def __init__(
        self,
        accept: Callable[[], object],
        cancel: Callable[[], object],
        *,
        text: str = "",
        placeholder: str = "find",
        complete: Callable[[str], Sequence[str]] = lambda text: (),
    ) -> None:
        """Start with a text.

        Args:
            accept: Called at the end, when it ends with Enter. It gives False when it is not to end yet.
            cancel: Called at the end, when it ends with Escape.
            text: What stands there at first.
            placeholder: What is shown while nothing is typed.
            complete: What a text may become; Tab goes through it.
        """
        super().__init__(value=text, placeholder=placeholder, select_on_focus=False)
        self._ends = {"enter": accept, "escape": cancel}
        self._complete = complete
        self._offered: Sequence[str] = ()
        self._done = False

    def take(self, event: events.Key) -> None:
        """Take a key that came before the input had the focus."""
        if end := self._ends.get(event.key):
            self._done = True
            self._done = end() is not False
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
        elif event.key == "tab":
            event.prevent_default()
            event.stop()
            self._offer()

    def _offer(self) -> None:
        """The first of what the text may become, or the one after what was offered last."""
        if self.value not in self._offered:
            self._offered = [self.value, *self._complete(self.value)]
        at = self._offered.index(self.value) + 1
        self.value = self._offered[at if at < len(self._offered) else min(1, len(self._offered) - 1)]
        self.cursor_position = len(self.value)
