"""Reads the sessions that Gemini CLI keeps: JSON Lines, or the one JSON document of versions before 0.40.

The records are those of packages/core/src/services/chatRecordingService.ts in
https://github.com/google-gemini/gemini-cli.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Counts, Diagnostic, Place, Session
from blockview.core.raw import part_of, string_of
from blockview.readers.conversation import Event, Prompt
from blockview.readers.document import elements, is_whole, member, members
from blockview.readers.gemini_messages import MODEL, USER, Message, message_events, servers_of
from blockview.readers.head import Head, Reader
from blockview.readers.nested import folders_in, open_named
from blockview.readers.records import Record, Report
from blockview.readers.source import Source
from blockview.readers.telling import Entry, tell
from blockview.readers.unknown import left_out_at
from blockview.readers.values import values

_REWOUND = "rewound"
_DESCRIBE = frozenset({"sessionId", "summary"})


class _Line(Message, frozen=True, gc=False):
    """A line: a message, what is known of the session, or a change of either."""

    session: str = msgspec.field(default="", name="sessionId")
    summary: str = ""
    set: msgspec.Raw = msgspec.field(default=msgspec.Raw(), name="$set")
    messages: msgspec.Raw = msgspec.Raw()
    rewind: str | None = msgspec.field(default=None, name="$rewindTo")


_LINE = msgspec.json.Decoder(_Line)
_MESSAGE = msgspec.json.Decoder(Message)


class GeminiCliReader:
    """Sessions of both kinds, of the main agent and of its subagents."""

    format = "gemini-cli"

    def sniff(self, head: Head) -> bool:
        """True when one of the first records is a session's description or a change of one."""
        return any(map(_is_gemini, head.records))

    def read(self, source: Source) -> Session:
        """Read a session in one pass; blocks are decoded when they are looked at."""
        diagnostics: list[Diagnostic] = []
        log = _Log(source, diagnostics.append)
        for record in values(source, diagnostics.append):
            log.take(record)
        told = tell(log.entries(), log.events)
        session = Session(
            source.name,
            self.format,
            told.blocks,
            id=log.id,
            title=log.title or told.title,
            diagnostics=(*diagnostics, *left_out_at(log.unknown)),
            counts=Counts(
                records=log.records,
                messages=log.messages(),
                calls=sum(told.calls),
                duplicates=log.repeated,
                unknown=len(log.unknown),
            ),
            call_counts=told.calls,
            read_raw=source.text,
        )
        if source.path is None:
            return session
        return msgspec.structs.replace(session, nested=partial(self._nested, source.path, log.id))

    def _nested(self, path: Path, session_id: str, agent: str) -> Session | None:
        """Subagents have a folder named after the whole id of the session that started them, and files after theirs."""
        homes, wanted = path.absolute().parents[:2], _name(session_id)
        folders = [folder for home in homes for folder in folders_in(home) if folder.name == wanted]
        names = {f"{_name(agent)}.jsonl", f"{_name(agent)}.json"}
        return open_named((*folders, path.parent), names.__contains__, self.read)


def _name(identity: str) -> str:
    """How Gemini CLI writes an id in the name of a file."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", identity)


def _is_gemini(record: Mapping[str, Any]) -> bool:
    if isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str):
        return True
    return "$rewindTo" in record or (isinstance(record.get("$set"), dict) and not record.keys() - {"$set"})


class _Said(msgspec.Struct):
    """A message: where its last version stands, and whether it was taken back."""

    id: str
    place: Place
    type: str
    gone: bool = False


class _Log:
    """The messages in the order in which they were first written."""

    def __init__(self, source: Source, report: Report) -> None:
        self.id = self.title = ""
        self.records = self.repeated = 0
        self.unknown: list[Place] = []
        self._source = source
        self._report = report
        self._said: list[_Said] = []
        self._live: dict[str, _Said] = {}
        self._servers: set[str] = set()
        self._gone: set[Place] = set()

    def take(self, record: Record) -> None:
        """Take in a line or the document."""
        self.records += 1
        try:
            line = decode(_LINE, record.data)
        except BadRecord as error:
            if self._cut_document(record):
                return
            self._report(Diagnostic(record.place, str(error)))
            return
        self._describe(line)
        messages = member(record, "messages") if len(line.messages) else None
        if line.rewind is not None:
            self._rewind(line.rewind)
        elif len(line.set):
            self._set(record)
        elif messages is not None:
            self._each(messages)
        elif line.id and line.type:
            self._message(line, record.place)
        elif not line.session:
            self.unknown.append(record.place)

    def _cut_document(self, record: Record) -> bool:
        """Take in what is left of a document that cannot be decoded as a whole; whether there is anything."""
        parts = dict(members(record))
        if "messages" not in parts:
            return False
        known = {
            name: string_of(msgspec.Raw(parts[name].data)) or "" for name in ("sessionId", "summary") if name in parts
        }
        self._describe(_Line(session=known.get("sessionId", ""), summary=known.get("summary", "")))
        self._each(parts["messages"])
        return True

    def _describe(self, line: _Line) -> None:
        self.id = line.session or self.id
        self.title = line.summary or self.title

    def _set(self, record: Record) -> None:
        """A change of the session's description. When it has messages, these are all that there are now."""
        change = member(record, "$set")
        if change is None:
            return
        self._describe(part_of(_LINE, change.data) or _Line())
        messages = member(change, "messages")
        if messages is None:
            return
        before, self._said = self._said, []
        for said in self._live.values():
            said.gone = True
        self._live = {}
        self._each(messages)
        self._said = [said for said in before if said.id not in self._live] + self._said

    def _each(self, messages: Record) -> None:
        for element in elements(messages):
            try:
                self._message(decode(_MESSAGE, element.data), element.place)
            except BadRecord as error:
                # That the document was cut off is known already.
                if is_whole(element):
                    self._report(Diagnostic(element.place, str(error)))

    def _message(self, message: Message, place: Place) -> None:
        self._servers |= servers_of(message)
        known = self._live.get(message.id)
        if known is not None:
            known.place, known.type = place, message.type
            self.repeated += 1
            return
        if message.type not in USER | MODEL and not message.is_note:
            self.unknown.append(place)
        said = _Said(message.id, place, message.type)
        self._said.append(said)
        self._live[message.id or f" {place.byte}"] = said

    def _rewind(self, identity: str) -> None:
        """Take back a message and all after it; all there are when there is no such message."""
        live = list(self._live)
        for key in live[live.index(identity) if identity in self._live else 0 :]:
            self._live.pop(key).gone = True

    def messages(self) -> int:
        """How many messages of the user and the model were not taken back."""
        return sum(not said.gone and said.type in USER | MODEL for said in self._said)

    def entries(self) -> list[Entry]:
        """All messages in order. Those that were taken back are told in blocks of their own."""
        entries = []
        in_gone = False
        for said in self._said:
            head = None
            if said.gone:
                self._gone.add(said.place)
                head = Prompt("", _REWOUND) if not in_gone and said.type not in USER else None
            in_gone = said.gone
            entries.append(Entry(said.place, head=head, lane=_REWOUND if said.gone else ""))
        return entries

    def events(self, place: Place) -> Iterator[Event]:
        """What the message at a place tells."""
        try:
            message = decode(_MESSAGE, self._source.recorded(place))
        except BadRecord:
            return
        for event in message_events(message, place, self._servers):
            if isinstance(event, Prompt) and place in self._gone:
                event = msgspec.structs.replace(event, label=_REWOUND)
            yield event


READERS: tuple[Reader, ...] = (GeminiCliReader(),)
