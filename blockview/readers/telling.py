"""A conversation in another order than the file's: records that are left out, told in part, or told under a heading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from blockview.core.model import Place, ToolCall
from blockview.readers.conversation import Answer, Conversation, Event, Prompt, Read
from blockview.readers.lazy import LazyBlocks


class Entry(msgspec.Struct, frozen=True):
    """A record to be told. Its first `skip` events are left out, and `head` comes before the others.

    `lane` tells the conversations apart that share a recording.
    """

    place: Place
    skip: int = 0
    head: Prompt | None = None
    lane: str = ""


class Told(NamedTuple):
    """The blocks, the number of calls of each, how many answers have no call, and the first prompt's first line."""

    blocks: LazyBlocks
    calls: tuple[int, ...]
    orphans: int
    title: str


class Pairing:
    """Gives calls ids of their own where a recorder writes none, or the same one again."""

    def __init__(self) -> None:
        self._open: dict[str, list[str]] = {}
        self._last: dict[str, str] = {}
        self._said: dict[str, tuple[str, str | None]] = {}
        self._count: dict[str, int] = {}

    def call(self, call: ToolCall) -> str:
        """The id of a call. One that says the same and still waits for its answer is told again; else it is new."""
        said = call.name, call.arguments
        if call.id and self._open.get(call.id) and self._said[call.id] == said:
            return self._last[call.id]
        self._said[call.id] = said
        number = self._count[call.id] = self._count.get(call.id, 0) + 1
        given = call.id or f"call {number}"
        if call.id and number > 1:
            given = f"{call.id} ({number})"
        self._open.setdefault(call.id, []).append(given)
        self._last[call.id] = given
        return given

    def answer(self, answer: Answer) -> str:
        """The id of the call that an answer is for: the one that waits longest."""
        waiting = self._open.get(answer.id)
        if waiting:
            return waiting.pop(0)
        return self._last.get(answer.id) or answer.id or "answer"


def tell(entries: Sequence[Entry], read: Read, pairing: Pairing | None = None) -> Told:
    """What these records tell in this order.

    Args:
        entries: The records, each place once.
        read: The events of the record at a place, the same each time.
        pairing: Pairs calls and answers where their ids do not.
    """
    telling, title = _Telling(entries, read), ""
    conversation = Conversation(telling.events)
    for entry in entries:
        events = list(telling.renamed(entry.place, pairing))
        conversation.add(entry.place, events, entry.lane)
        title = title or next((_first_line(event.text) for event in events if isinstance(event, Prompt)), "")
    blocks, calls = conversation.blocks()
    return Told(blocks, calls, conversation.orphans, title)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].rstrip()


class _Telling:
    """What is special about some of the records."""

    def __init__(self, entries: Sequence[Entry], read: Read) -> None:
        self._read = read
        self._special = {entry.place: entry for entry in entries if entry.skip or entry.head}
        self._ids: dict[tuple[Place, int], str] = {}

    def events(self, place: Place) -> Iterator[Event]:
        """The events of a record as it is told."""
        entry = self._special.get(place)
        number = 0
        if entry and entry.head:
            yield entry.head
            number = 1
        for event in islice(self._read(place), entry.skip if entry else 0, None):
            given = self._ids.get((place, number)) if self._ids else None
            yield msgspec.structs.replace(event, id=given) if given is not None else event
            number += 1

    def renamed(self, place: Place, pairing: Pairing | None) -> Iterator[Event]:
        """The events with the ids that are given to them, which are kept for the next time."""
        for number, event in enumerate(self.events(place)):
            if pairing is None or not isinstance(event, (ToolCall, Answer)):
                yield event
                continue
            given = pairing.call(event) if isinstance(event, ToolCall) else pairing.answer(event)
            if given == event.id:
                yield event
                continue
            self._ids[place, number] = given
            yield msgspec.structs.replace(event, id=given)
