"""Reads the chat sessions of VS Code: the document of one, also as exported, and the log of changes to one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from blockview.core.model import Counts, Diagnostic, Place, Session
from blockview.core.raw import part_of
from blockview.readers.conversation import Conversation, Event, Prompt
from blockview.readers.document import document, is_whole
from blockview.readers.head import Head, Reader
from blockview.readers.records import Record, decoded
from blockview.readers.source import Source
from blockview.readers.unknown import left_out_at
from blockview.readers.vscode_log import Change, Node, replay
from blockview.readers.vscode_parts import request_events

_CHANGE = msgspec.json.Decoder(Change)
_TEXT = msgspec.json.Decoder(str)


class DocumentReader:
    """A session as one JSON document."""

    format = "vscode-chat"

    def sniff(self, head: Head) -> bool:
        """True for a document of requests that names the session or the one who responds."""
        return len(head.records) == 1 and head.document != "array" and _is_session(head.records[0])

    def read(self, source: Source) -> Session:
        """Read the document in one pass; requests are decoded when they are looked at."""
        diagnostics: list[Diagnostic] = []
        root = Node(document(source, diagnostics.append))
        return _read(source, self.format, root, diagnostics, kept=False)


class LogReader:
    """A session as a log of changes, one a line. What they make of it is held in memory, as text."""

    format = "vscode-chat-log"

    def sniff(self, head: Head) -> bool:
        """True for lines that change a session."""
        return not head.document and any(map(_is_change, head.records[:1]))

    def read(self, source: Source) -> Session:
        """Make all changes; requests are decoded when they are looked at."""
        diagnostics: list[Diagnostic] = []
        root = replay(decoded(source, _CHANGE, diagnostics.append), diagnostics.append)
        if root is None:
            return Session(source.name, self.format, (), diagnostics=tuple(diagnostics), read_raw=source.text)
        return _read(source, self.format, root, diagnostics, kept=True)


def _is_session(record: dict[str, Any]) -> bool:
    marks = ("sessionId", "responderUsername", "requesterUsername", "creationDate")
    return "requests" in record and any(mark in record for mark in marks)


def _is_change(record: dict[str, Any]) -> bool:
    kind, value = record.get("kind"), record.get("v")
    if not isinstance(kind, int):
        return False
    return _is_session(value) if kind == 0 and isinstance(value, dict) else isinstance(record.get("k"), list)


def _read(source: Source, format_: str, root: Node, diagnostics: list[Diagnostic], *, kept: bool) -> Session:
    """The session of a root. `kept` says that its requests are not found in the file as they are."""
    whole = root.members()
    requests = whole["requests"].items() if "requests" in whole else []
    held = {request.place: request for request in requests} if kept else {}
    unknown: set[Place] = set()

    def again(place: Place) -> Iterator[Event]:
        request = held[place] if kept else Node(Record(place, source.recorded(place)))
        return request_events(request, unknown)

    conversation, title = Conversation(again), _text(whole, "customTitle")
    for request in requests:
        if not kept and not is_whole(Record(request.place, request.data())):
            diagnostics.append(Diagnostic(request.place, "the request is not complete", "truncated_tail"))
        events = list(request_events(Node(Record(request.place, request.data())), unknown))
        title = title or next((event.text.partition("\n")[0] for event in events if isinstance(event, Prompt)), "")
        conversation.add(request.place, events)
    blocks, calls = conversation.blocks()
    return Session(
        source.name,
        format_,
        blocks,
        id=_text(whole, "sessionId"),
        title=title,
        diagnostics=(*diagnostics, *left_out_at(unknown)),
        counts=Counts(
            records=len(requests),
            messages=len(requests),
            calls=sum(calls),
            orphan_results=conversation.orphans,
            unknown=len(unknown),
        ),
        call_counts=calls,
        read_raw=source.text,
    )


def _text(members: dict[str, Node], name: str) -> str:
    return (part_of(_TEXT, members[name].data()) or "") if name in members else ""


READERS: tuple[Reader, ...] = (DocumentReader(), LogReader())
