"""Sessions that are recorded line by line, read by what each line tells: one way for all such formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

import msgspec

from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Counts, Diagnostic, Place, Session, Text, ToolSpec
from blockview.readers.conversation import Conversation, Event, Prompt
from blockview.readers.records import Record, Report, decoded
from blockview.readers.source import Source

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

    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that the recording describes, once all lines were learnt."""
        return ()


class JsonTeller(Teller[T]):
    """What lines tell that are JSON objects. Where `noise` says so of a line that is none, it is no matter."""

    def __init__(self, decoder: msgspec.json.Decoder[T], noise: Callable[[Record], bool] | None = None) -> None:
        super().__init__()
        self._decoder = decoder
        self._noise = noise

    def lines(self, source: Source, report: Report) -> Iterator[tuple[Record, T]]:
        """The decoded lines in order; what cannot be read is reported."""
        return decoded(source, self._decoder, report, self._noise)

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
    diagnostics: list[Diagnostic] = []
    conversation = Conversation(_Again(source, teller).read)
    seen, messages, title = 0, 0, ""
    for record, line in teller.lines(source, diagnostics.append):
        seen += 1
        teller.learn(record.place, line)
        events = list(teller.events(record.place, line))
        conversation.add(record.place, events, teller.lane(line))
        messages += sum(map(_is_message, events)) if events else 0
        title = title or _title(events)
    blocks, calls = conversation.finish()
    return Session(
        source.name,
        format_,
        blocks,
        id=teller.id,
        title=teller.title or title,
        diagnostics=tuple(diagnostics),
        tools=teller.tools(),
        counts=Counts(
            records=seen,
            messages=messages,
            calls=sum(calls),
            compactions=teller.compactions,
            orphan_results=conversation.orphans,
            unknown=teller.unknown,
        ),
        call_counts=calls,
        read_raw=source.text,
        agents=conversation.lanes,
    )


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
