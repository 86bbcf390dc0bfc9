"""What a log of requests tells anew: every request repeats the conversation so far, and only its end is new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from blockview.core.model import Text, ToolCall
from blockview.readers.conversation import Answer, Event, Prompt, Whole

_ROOT = 0
_Essence = tuple[str, str]


class News(NamedTuple):
    """Where what is new of a record begins among its events, and which of several conversations goes on there.

    `branches` says that the conversation went on from this point before, in another way.
    """

    start: int
    lane: str
    branches: bool


class History:
    """Knows all conversations of a log as paths of events from a beginning.

    A call is the same when its id is, a text when its characters are, white space around it aside. What clients leave
    out when they repeat a conversation (thinking, notes) does not count.
    """

    def __init__(self) -> None:
        self._known = {_ROOT}
        self._asides: set[int] = set()
        self._at = _ROOT
        self._ends: dict[str, int] = {}
        self._lanes: dict[int, str] = {}
        self._count = 0

    def restart(self, after: str = "") -> None:
        """What comes now begins a conversation, or goes on behind the response of that id (the last one if unknown)."""
        self._at = self._ends.get(after, self._at) if after else _ROOT

    def mark(self, response: str) -> None:
        """The response of that id ends here."""
        if response:
            self._ends[response] = self._at

    def take(self, events: Sequence[Event]) -> News | None:
        """Follow a record's events; None when there is nothing new in it."""
        begin, start, fresh = self._at, 0, False
        for number, event in enumerate(events):
            essence = _essence(event)
            if essence is None:
                aside = hash((self._at, event.role, event.text)) if isinstance(event, Text) else self._at
                if aside in self._asides and start == number:
                    start = number + 1
                self._asides.add(aside)
                continue
            self._at = hash((self._at, essence))
            if self._at in self._known:
                begin, start = self._at, number + 1
            else:
                fresh = True
                self._known.add(self._at)
        if start == len(events):
            return None
        lane = self._lanes.pop(begin, None)
        branches = fresh and lane is None and begin != _ROOT
        if lane is None:
            self._count += 1
            lane = str(self._count)
        self._lanes[self._at] = lane
        return News(start, lane, branches)


def _essence(event: Event) -> _Essence | None:
    match event:
        case Prompt():
            return ("prompt", event.text.strip())
        case Text():
            return (event.role, event.text.strip()) if event.role == "assistant" and event.text.strip() else None
        case ToolCall():
            return ("call", event.id)
        case Answer():
            return ("answer", event.id)
        case Whole():
            return ("call", event.call.id)
