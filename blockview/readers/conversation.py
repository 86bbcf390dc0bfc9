"""A conversation out of records: events gathered into blocks, calls paired with their answers, blocks read when asked.

A reader turns each record into events, without looking at any other record. That is done twice: once for all records,
to learn which block each belongs to and which call each answers, and again for the records of a block when somebody
looks at it. So nothing but places is kept, whatever the size of the recording.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice

import msgspec

from blockview.core.diff import Sign, diff
from blockview.core.jsontext import JsonError, parse
from blockview.core.model import Block, Item, Place, Provenance, Status, Text, ToolCall, ToolResult
from blockview.readers.lazy import LazyBlocks


class Prompt(msgspec.Struct, frozen=True):
    """A prompt: it begins a block."""

    text: str
    label: str = ""
    when: datetime | None = None


class Answer(msgspec.Struct, frozen=True):
    """What came back for the call of this id. `provenance` says who tells it: the host knows better than the model."""

    id: str
    status: Status
    result: ToolResult | None = None
    note: str = ""
    when: datetime | None = None
    duration_ms: float | None = None
    provenance: Provenance = Provenance.HOST


class Whole(msgspec.Struct, frozen=True):
    """A call that its record tells from beginning to end: it is paired with nothing, and its id may come again."""

    call: ToolCall


Event = Prompt | Text | ToolCall | Answer | Whole
"""What a record tells. A `ToolCall` has an id, and neither result nor duration; these come as an `Answer`."""

Read = Callable[[Place], Iterable[Event]]
"""The events of the record at a place, the same each time."""

_AUTHORITY = (Provenance.BEFORE_COERCION, Provenance.MODEL, Provenance.HOST, Provenance.WIRE)


class _Part(msgspec.Struct, frozen=True, gc=False):
    """The events of a record, from `start` up to `stop`, that fall into one block."""

    place: Place
    start: int
    stop: int


class _Facts(msgspec.Struct):
    """What is kept of a block: its records, and how many rows of calls it has."""

    parts: list[_Part]
    calls: int = 0


class Conversation:
    """Takes the events of all records in order, then gives the blocks.

    A call that is told twice under one id is one call: the teller with more authority wins, and what the other one said
    of the arguments stands beside it. An answer counts for its call wherever it stands; one without a call is kept as a
    call of status `RESULT_WITHOUT_CALL`.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._blocks: list[_Facts] = []
        self._open: dict[str, int] = {}
        self._home: dict[str, int] = {}
        """Call → its block."""
        self._early: dict[str, list[tuple[int, Place]]] = {}
        """Answers whose call was not seen, with their blocks; the first one's block shows them."""
        self._far: dict[str, list[Place]] = {}
        """Call → answers that stand in other blocks than the call."""
        self._touched: set[int] = set()
        self.lanes: dict[str, list[int]] = {}
        """The blocks of each lane that has a name."""

    @property
    def orphans(self) -> int:
        """How many calls are known by their answer only."""
        return len(self._early)

    def add(self, place: Place, events: Iterable[Event], lane: str = "") -> None:
        """Take in the events of the record at a place.

        Args:
            place: The record's place.
            events: Its events.
            lane: Which of several conversations in one recording tells them, such as a subagent's: each has a block of
                its own open.
        """
        start, at, block = 0, -1, self._open.get(lane, -1)
        for at, event in enumerate(events):
            if isinstance(event, Prompt) or block < 0:
                if at > start:
                    self._blocks[block].parts.append(_Part(place, start, at))
                    start = at
                block = self._open[lane] = len(self._blocks)
                self._blocks.append(_Facts([]))
                if lane:
                    self.lanes.setdefault(lane, []).append(block)
            if isinstance(event, ToolCall):
                self._call(event.id, block)
            elif isinstance(event, Whole):
                self._blocks[block].calls += 1
            elif isinstance(event, Answer):
                self._answer(event.id, block, place)
        if at >= start:
            self._blocks[block].parts.append(_Part(place, start, at + 1))
            self._touched.add(block)

    def _call(self, identity: str, block: int) -> None:
        if identity in self._home:
            self._touched.add(self._home[identity])
            return
        self._home[identity] = block
        self._blocks[block].calls += 1
        early = self._early.pop(identity, None)
        if early:
            self._blocks[early[0][0]].calls -= 1
            self._touched.add(early[0][0])
            if far := [place for home, place in early if home != block]:
                self._far[identity] = far

    def _answer(self, identity: str, block: int, place: Place) -> None:
        home = self._home.get(identity)
        if home is None:
            early = self._early.setdefault(identity, [])
            if not early:
                self._blocks[block].calls += 1
            early.append((block, place))
            self._touched.add(early[0][0])
        elif home != block:
            self._far.setdefault(identity, []).append(place)
            self._touched.add(home)

    def blocks(self) -> tuple[LazyBlocks, tuple[int, ...]]:
        """The blocks as far as they are known, and the number of calls of each."""
        return LazyBlocks(len(self._blocks), self._block), tuple(facts.calls for facts in self._blocks)

    def settle(self) -> frozenset[int]:
        """The blocks to which something was added since this was called before."""
        touched = frozenset(self._touched)
        self._touched.clear()
        return touched

    def _shown_by(self, identity: str) -> int | None:
        """The block that shows a call."""
        home = self._home.get(identity)
        if home is None and (early := self._early.get(identity)):
            return early[0][0]
        return home

    def _answered_from(self, identity: str, block: int) -> Iterable[Place]:
        """The places in other blocks from which a call of this block is answered."""
        if early := self._early.get(identity):
            return dict.fromkeys(place for home, place in early if home != block)
        return dict.fromkeys(self._far.get(identity, ()))

    def _block(self, index: int) -> Block:
        facts = self._blocks[index]
        prompt, place = Prompt(""), facts.parts[0].place
        items = _Items()
        for part in facts.parts:
            for event in islice(self._read(part.place), part.start, part.stop):
                if isinstance(event, Prompt):
                    prompt, place = event, part.place
                elif isinstance(event, (Text, Whole)) or self._shown_by(event.id) == index:
                    items.add(event)
        for identity in tuple(items.calls):
            for far in self._answered_from(identity, index):
                for event in self._read(far):
                    if isinstance(event, Answer) and event.id == identity:
                        items.add(event)
        return Block(index, prompt.text, place, items.all(), prompt.label, prompt.when or items.started)


class _Items:
    """The items of one block in the making."""

    def __init__(self) -> None:
        self._items: list[Item | str] = []
        self.calls: dict[str, list[ToolCall]] = {}
        self._answers: dict[str, Answer] = {}

    def add(self, event: Text | ToolCall | Answer | Whole) -> None:
        if isinstance(event, (Text, Whole)):
            self._items.append(event.call if isinstance(event, Whole) else event)
            return
        if event.id not in self.calls:
            self.calls[event.id] = []
            self._items.append(event.id)
        if isinstance(event, ToolCall):
            self.calls[event.id].append(event)
            return
        known = self._answers.get(event.id)
        if known is None or _AUTHORITY.index(event.provenance) >= _AUTHORITY.index(known.provenance):
            self._answers[event.id] = event

    @property
    def started(self) -> datetime | None:
        """When the first call of the block began."""
        for item in self._items:
            calls = self.calls[item] if isinstance(item, str) else (item,)
            if times := [call.started for call in calls if isinstance(call, ToolCall) and call.started]:
                return times[0]
        return None

    def all(self) -> tuple[Item, ...]:
        done: list[Item] = []
        for item in self._items:
            if isinstance(item, str):
                done.extend(self._call(item))
            else:
                done.append(item)
        return tuple(done)

    def _call(self, identity: str) -> Sequence[Item]:
        tellers, answer = self.calls[identity], self._answers.get(identity)
        if not tellers:
            return (_orphan(identity, answer),) if answer else ()
        best = max(tellers, key=lambda call: _AUTHORITY.index(call.provenance))
        others = [call for call in tellers if not _same_arguments(call.arguments, best.arguments)]
        notes = [Text("note", f"{_teller(call)}: {call.arguments}", call.place) for call in others]
        return (_answered(best, answer), *notes)


def _answered(call: ToolCall, answer: Answer | None) -> ToolCall:
    if answer is None:
        return call
    duration = answer.duration_ms
    if duration is None and call.started and answer.when and answer.when >= call.started:
        duration = (answer.when - call.started).total_seconds() * 1000
    return msgspec.structs.replace(
        call, status=answer.status, status_note=answer.note, result=answer.result, duration_ms=duration
    )


def _orphan(identity: str, answer: Answer) -> ToolCall:
    place = answer.result.place if answer.result and answer.result.place else Place(1, 0)
    return ToolCall(
        identity, identity, "", None, place, mcp=False, status=Status.RESULT_WITHOUT_CALL, result=answer.result
    )


def _teller(call: ToolCall) -> str:
    if call.provenance is Provenance.MODEL:
        return f"the model asked {call.name} for"
    return f"{call.name} as the {call.provenance} has it"


def _same_arguments(left: str | None, right: str | None) -> bool:
    """Whether two tellers spell every value alike; the order of members and white space do not count."""
    if left is None or right is None or left == right:
        return left == right
    with suppress(ValueError):  # most often white space is all that differs, and this is many times faster
        if msgspec.json.format(left, indent=-1) == msgspec.json.format(right, indent=-1):
            return True
    try:
        rows = diff(parse(left, lax=True), parse(right, lax=True))
    except JsonError:
        return False
    return all(row.sign is Sign.SAME for row in rows if not row.paired)
