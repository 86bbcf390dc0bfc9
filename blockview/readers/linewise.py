"""Sessions that are recorded line by line, read by what each line tells: one way for all such formats."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Generic, TypeVar

import msgspec

from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Counts, Diagnostic, Place, Session, Text, ToolSpec
from blockview.readers.conversation import Conversation, Event, Prompt
from blockview.readers.records import Record, Report, record_of, records, report_state, values_of
from blockview.readers.source import Source
from blockview.readers.stepwise import whole_lines
from blockview.readers.unknown import left_out

T = TypeVar("T")


class Teller(Generic[T]):
    """What the lines of one recording tell. A format's reader makes one for each recording.

    `learn` gets each line once, in order, before its events are asked for: what a line means by those before it is
    noted there. `events` may use what was noted, as long as it gives events of the same kinds and ids every time.
    """

    def __init__(self) -> None:
        self.id = ""
        self.title = ""
        self.unknown = 0
        self.compactions = 0

    def lines(self, source: Source, report: Report) -> Iterator[tuple[Record, T]]:
        """The decoded lines in order; what cannot be read is reported."""
        for record in records(source, report):
            yield from self.found(source, record, report)

    def found(self, source: Source, record: Record, report: Report) -> Iterator[tuple[Record, T]]:
        """What one line holds, decoded: most often one record. What cannot be read is reported."""
        raise NotImplementedError

    def line(self, data: bytes) -> T:
        """A line decoded again.

        Raises:
            BadRecord: it is no such line; the recording has changed.
        """
        raise NotImplementedError

    def learn(self, place: Place, line: T) -> None:
        """Note what a line says about the recording, or about the lines that follow."""

    def events(self, place: Place, line: T) -> Iterable[Event]:
        """What a line tells."""
        raise NotImplementedError

    def lane(self, line: T) -> str:
        """Which conversation a line belongs to, where a recording holds several; see `Conversation.add`."""
        return ""

    def bears_back(self) -> bool:
        """Whether something was learnt, since this was called before, that changes what earlier lines tell.

        A teller that does not know says yes.
        """
        return True

    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that the recording describes, once all lines were learnt."""
        return ()


class JsonTeller(Teller[T]):
    """What lines tell that are JSON objects. Where `noise` says so of a line that is none, it is no matter."""

    def __init__(self, decoder: msgspec.json.Decoder[T], noise: Callable[[Record], bool] | None = None) -> None:
        super().__init__()
        self._decoder = decoder
        self._noise = noise

    def found(self, source: Source, record: Record, report: Report) -> Iterator[tuple[Record, T]]:
        """The object on a line, or those that can be saved of it."""
        return values_of(source, record, self._decoder, report, self._noise)

    def line(self, data: bytes) -> T:
        """A line decoded again."""
        return decode(self._decoder, data)


def read_told(source: Source, format_: str, teller: Teller[T]) -> Session:
    """Make a session of what a teller makes of a recording's lines.

    Args:
        source: The recording.
        format_: The format's name.
        teller: What the lines mean.
    """
    making = Making(source, format_, teller)
    for record, line in teller.lines(source, making.report):
        making.add(record, line)
    return making.session()


class Making(Generic[T]):
    """Makes a session of lines as they come; the arguments are those of `read_told`."""

    def __init__(self, source: Source, format_: str, teller: Teller[T]) -> None:
        self._source, self._format, self._teller = source, format_, teller
        self._diagnostics: list[Diagnostic] = []
        self.report = self._diagnostics.append
        self._conversation = Conversation(_Again(source, teller).read)
        self._seen = self._messages = self._known = 0
        self._title = ""
        self._first_unknown: Place | None = None

    def add(self, record: Record, line: T) -> None:
        """Take in the next record."""
        teller = self._teller
        self._seen += 1
        teller.learn(record.place, line)
        if teller.unknown and self._first_unknown is None:
            self._first_unknown = record.place
        events = list(teller.events(record.place, line))
        self._conversation.add(record.place, events, teller.lane(line))
        if events:
            self._messages += sum(map(_is_message, events))
            self._title = self._title or _title(events)

    def session(self) -> Session:
        """What is known now."""
        teller, conversation = self._teller, self._conversation
        blocks, calls = conversation.blocks()
        self._known = len(blocks)
        return Session(
            self._source.name,
            self._format,
            blocks,
            id=teller.id,
            title=teller.title or self._title,
            diagnostics=(*self._diagnostics, *left_out(teller.unknown, self._first_unknown)),
            tools=teller.tools(),
            counts=Counts(
                records=self._seen,
                messages=self._messages,
                calls=sum(calls),
                compactions=teller.compactions,
                orphan_results=conversation.orphans,
                unknown=teller.unknown,
            ),
            call_counts=calls,
            read_raw=self._source.text,
            agents={lane: tuple(numbers) for lane, numbers in conversation.lanes.items()},
        )

    def settle(self) -> Collection[int]:
        """The blocks that `session` gave before, and that tell something else now."""
        touched = self._conversation.settle()
        return range(self._known) if self._teller.bears_back() else [one for one in touched if one < self._known]


class TellerLines(Making[T]):
    """Takes in the lines of a recording whose teller reads each line by itself."""

    def __init__(self, source: Source, format_: str, teller: Teller[T]) -> None:
        super().__init__(source, format_, teller)
        report_state(source, self.report)

    def take(self, number: int, start: int, lines: bytes) -> int:
        """Take in the next lines."""
        last = number
        for line, begin, data in whole_lines(number, start, lines):
            last = line + 1
            if record := record_of(line, begin, data, self.report):
                for found, value in self._teller.found(self._source, record, self.report):
                    self.add(found, value)
        return last - number


class _Again(Generic[T]):
    """Reads a line again when somebody looks at its block."""

    def __init__(self, source: Source, teller: Teller[T]) -> None:
        self._source = source
        self._teller = teller

    def read(self, place: Place) -> Iterable[Event]:
        try:
            line = self._teller.line(self._source.recorded(place))
        except BadRecord:
            return (Text("note", "this part of the recording can no longer be read", place),)
        return self._teller.events(place, line)


def _is_message(event: Event) -> bool:
    return isinstance(event, Prompt) or (isinstance(event, Text) and event.role == "assistant")


def _title(events: list[Event]) -> str:
    prompts = (event.text.strip() for event in events if isinstance(event, Prompt))
    return next((prompt.partition("\n")[0].rstrip() for prompt in prompts if prompt), "")


class Told:
    """Texts that a recording tells more than once: each is shown the first time only.

    Several kinds of record tell the same text, such as a host's event and the provider's message. A text that one kind
    of record tells twice was said twice.
    """

    def __init__(self, *kinds: str) -> None:
        self._kinds = kinds
        self._counts: dict[int, int] = {}
        self._again: set[tuple[int, int]] = set()

    def note(self, place: Place, number: int, kind: str, role: str, text: str) -> None:
        """Note a record's text of this number. Texts are to come in recorded order."""
        text = text.strip()
        key = hash((kind, role, text))
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if any(self._counts.get(hash((other, role, text)), 0) >= count for other in self._kinds if other != kind):
            self._again.add((place.byte, number))

    def again(self, place: Place, number: int = 0) -> bool:
        """True when another kind of record told that text before."""
        return (place.byte, number) in self._again
