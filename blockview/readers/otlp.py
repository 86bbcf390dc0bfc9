"""Reads OTLP/JSON traces of agents: spans with GenAI attributes, one export request a line or in one document.

The attributes are those of OpenTelemetry's semantic conventions for GenAI and MCP
(https://github.com/open-telemetry/semantic-conventions-genai), with the names of OpenInference and of Vercel's AI SDK
beside them. The encoding: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Counts, Diagnostic, Place, Session, ToolSpec
from blockview.readers.conversation import Event, Prompt
from blockview.readers.document import elements, is_whole, member, members
from blockview.readers.head import Head, Reader
from blockview.readers.otlp_spans import SPAN, Span, listed_tools, span_events
from blockview.readers.records import Record, Report
from blockview.readers.source import Source
from blockview.readers.telling import Entry, tell
from blockview.readers.unknown import left_out_at
from blockview.readers.values import values

_SCOPES = ("scopeSpans", "instrumentationLibrarySpans")
_RESOURCES = "resourceSpans"


class OtlpReader:
    """Traces in which a tool was called."""

    format = "otlp-genai"

    def sniff(self, head: Head) -> bool:
        """True when the recording consists of spans."""
        return any(_RESOURCES in record or _SCOPES[0] in record for record in head.records)

    def read(self, source: Source) -> Session:
        """Read all spans in one pass; blocks are decoded when they are looked at."""
        diagnostics: list[Diagnostic] = []
        trace = _Trace(source, diagnostics.append)
        for record in values(source, diagnostics.append):
            trace.take(record)
        told = tell(trace.entries(), trace.events)
        return Session(
            source.name,
            self.format,
            told.blocks,
            id=trace.id,
            title=told.title,
            diagnostics=(*diagnostics, *left_out_at(trace.unknown)),
            tools=tuple(trace.tools),
            counts=Counts(
                records=trace.records, messages=trace.spans, calls=sum(told.calls), unknown=len(trace.unknown)
            ),
            call_counts=told.calls,
            read_raw=source.text,
        )


class _Seen(msgspec.Struct, frozen=True):
    """Where a span stands, and how it hangs together with others."""

    place: Place
    start: int
    trace: str
    parent: str
    is_agent: bool
    is_told: bool
    call: str
    title: str


class _Trace:
    """All spans of a recording by their ids: they are written in the order in which they end, children first."""

    def __init__(self, source: Source, report: Report) -> None:
        self.id = ""
        self.tools: list[ToolSpec] = []
        self.records = self.spans = 0
        self.unknown: list[Place] = []
        self._source = source
        self._report = report
        self._seen: dict[str, _Seen] = {}
        self._definitions = {""}

    def take(self, record: Record) -> None:
        """Take in the spans of a line or of the document."""
        self.records += 1
        found = False
        for span in _spans(record):
            found = True
            try:
                self._add(decode(SPAN, span.data), span.place)
            except BadRecord as error:
                # That a document was cut off has been reported.
                if is_whole(span):
                    self._report(Diagnostic(span.place, str(error)))
        if not found:
            self.unknown.append(record.place)

    def _add(self, span: Span, place: Place) -> None:
        self.spans += 1
        attributes = span.values
        self.id = self.id or attributes.text("gen_ai.conversation.id")
        definitions = attributes.text("gen_ai.tool.definitions")
        if definitions not in self._definitions:
            self._definitions.add(definitions)
            self.tools += listed_tools(definitions, place)
        # A span without an id of its own is nobody's parent, but it is there.
        self._seen[span.id or f" {place.byte}"] = _Seen(
            place, span.start, span.trace, span.parent, span.is_agent, span.is_told, span.call_id, span.name
        )

    def entries(self) -> list[Entry]:
        """The spans that tell something, in the order in which they began: the calls of an agent belong together."""
        groups: dict[str, list[_Seen]] = {}
        for identity, seen in sorted(self._seen.items(), key=lambda item: item[1].start):
            if seen.is_told:
                groups.setdefault(self._agent(identity), []).append(seen)
        entries: list[Entry] = []
        for group in groups.values():
            # An agent may begin in the same instant as what it does.
            group.sort(key=lambda seen: (seen.start, not seen.is_agent))
            head = None if group[0].is_agent else Prompt("", f"trace {group[0].trace[:8]}".rstrip())
            lane = f"{group[0].place.byte}"
            entries += (
                Entry(seen.place, head=head if number == 0 else None, lane=lane) for number, seen in enumerate(group)
            )
        return entries

    def _agent(self, identity: str) -> str:
        """The agent's span that a span belongs to, else its trace."""
        walked: set[str] = set()
        trace = self._seen[identity].trace
        while identity in self._seen and identity not in walked:
            walked.add(identity)
            if self._seen[identity].is_agent:
                return identity
            identity = self._seen[identity].parent
        return f"trace {trace}"

    def events(self, place: Place) -> Iterator[Event]:
        """What the span at a place tells."""
        try:
            span = decode(SPAN, self._source.recorded(place))
        except BadRecord:
            return
        above = self._seen.get(span.parent)
        # An MCP client's span inside the span of a call tells that call again.
        yield from span_events(span, place, above.call if above else "")


class _Scope(msgspec.Struct, gc=False):
    spans: list[msgspec.Raw] = []


class _Resource(msgspec.Struct, gc=False):
    scopes: list[_Scope] = msgspec.field(default_factory=list, name="scopeSpans")
    libraries: list[_Scope] = msgspec.field(default_factory=list, name="instrumentationLibrarySpans")


class _Request(_Resource, gc=False):
    resources: list[_Resource] = msgspec.field(default_factory=list, name="resourceSpans")


_REQUEST = msgspec.json.Decoder(_Request)


def _spans(record: Record) -> Iterator[Record]:
    """The spans of an export request, or of one resource of it."""
    try:
        request = _REQUEST.decode(record.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield from _spans_one_by_one(record)
        return
    at, line = 0, record.place.line
    for resource in (request, *request.resources):
        for scope in (*resource.scopes, *resource.libraries):
            for raw in scope.spans:
                data = bytes(raw)
                start = record.data.find(data, at)
                if start < 0:
                    # Of members that are there twice, the last ones count, in whatever order.
                    at, line = 0, record.place.line
                    start = record.data.find(data)
                line += record.data.count(b"\n", at, start)
                place = Place(line, record.place.byte + start, len(data))
                yield Record(place, data)
                at, line = start + len(data), line + data.count(b"\n")


def _spans_one_by_one(record: Record) -> Iterator[Record]:
    """The spans of a request that is cut off, or holds what JSON does not have."""
    for resource in _each(record, _RESOURCES) if member(record, _RESOURCES) else (record,):
        for name, scopes in members(resource):
            if name in _SCOPES:
                for scope in elements(scopes):
                    yield from _each(scope, "spans")


def _each(record: Record, name: str) -> Iterator[Record]:
    for key, value in members(record):
        if key == name:
            yield from elements(value)


READERS: tuple[Reader, ...] = (OtlpReader(),)
