"""Server-sent events: what a server streams as `text/event-stream`, kept in a file or inside a JSON string.

How a stream is read: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from blockview.core.model import Place
from blockview.readers.records import Record
from blockview.readers.source import Source

_LINE_END = re.compile(r"\r\n|\n|\r")
_FIRST_FIELD = re.compile(r"(?::[^\r\n]*+[\r\n]++|(?:retry|id):[^\r\n]*+[\r\n]++|\s++)*+(?:event|data):")
"""Nothing of it is tried again in another way: for a long run of blanks, there would be ways without end."""
_BOM = b"\xef\xbb\xbf"
_DATA = b"data:"
DONE = "[DONE]"
"""What OpenAI's servers send behind the last event."""


class ServerEvent(NamedTuple):
    """One event: its type, which is empty where none is given, and its data."""

    type: str
    data: str


def is_stream(text: str) -> bool:
    """True when a text begins like a stream of events."""
    return _FIRST_FIELD.match(text) is not None


def server_events(text: str) -> Iterator[ServerEvent]:
    """The events of a stream. The last one counts also without the empty line behind it, as cut recordings lack it."""
    kind, data = "", list[str]()
    for line in (*_LINE_END.split(text.removeprefix("\ufeff")), ""):
        if not line:
            if data:
                yield ServerEvent(kind, "\n".join(data))
            kind, data = "", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            kind = value


def streams(source: Source, begins: re.Pattern[bytes]) -> Iterator[Record]:
    """The streams that stand one behind another in a file, each as one record.

    Args:
        source: The file.
        begins: Found in the data of the event that begins a stream.
    """
    first = event = None
    has_data = False
    for line, (start, data) in enumerate(source.lines(), 1):
        if not data.strip():
            event = None
            continue
        event = event or Place(line, start)
        if not data.removeprefix(_BOM).startswith(_DATA):
            continue
        if first is not None and has_data and begins.search(data):
            yield _record(source, first, event.byte)
            first = event
        first, has_data = first or event, True
    if first is not None:
        yield _record(source, first, source.content_end)


def _record(source: Source, start: Place, end: int) -> Record:
    place = Place(start.line, start.byte, end - start.byte)
    data = source.recorded(place)
    kept = data.rstrip()
    return Record(Place(place.line, place.byte, len(kept)), kept)
