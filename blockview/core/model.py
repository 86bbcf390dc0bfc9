"""What a recording tells, as immutable data: Session, Block, ToolCall, ToolResult, Diagnostic.

Texts are kept as they were recorded. A number is never held as a Python float here: arguments, structured content
and raw results are JSON text, so every digit and every spelling survives to the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from blockview.core.bytefind import Probe


class Provenance(StrEnum):
    """At which point between model and server the arguments were recorded."""

    WIRE = "wire"
    HOST = "host"
    MODEL = "model"
    BEFORE_COERCION = "before coercion"


class Status(StrEnum):
    """How a call ended, as far as the recording tells."""

    OK = "ok"
    TOOL_ERROR = "tool-error"
    PROTOCOL_ERROR = "protocol-error"
    DENIED = "denied"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    NEVER_SENT = "never-sent"
    NO_RESULT = "no-result"
    BACKGROUND = "background"
    LATE_RESULT = "late-result"
    INPUT_REQUIRED = "input-required"
    RESULT_WITHOUT_CALL = "result-without-call"

    @property
    def failed(self) -> bool:
        """True for the states a reader looks for when something went wrong."""
        return self in _FAILED


_FAILED = frozenset(
    {Status.TOOL_ERROR, Status.PROTOCOL_ERROR, Status.DENIED, Status.REJECTED, Status.CANCELLED, Status.NEVER_SENT}
)


class Place(msgspec.Struct, frozen=True):
    """Where a record stands in its file: physical line (from 1), offset of its first byte (from 0), length in bytes."""

    line: int
    byte: int
    length: int = 0


class Diagnostic(msgspec.Struct, frozen=True):
    """Something that was skipped, guessed or repaired while reading. The bytes at `place` stay viewable."""

    place: Place
    problem: str
    kind: str = "malformed"


class ContentBlock(msgspec.Struct, frozen=True):
    """One content block of a result.

    `kind` is the recorded type ("text", "image", "resource", …), `text` the text of a text block and empty otherwise,
    `note` a short description of what is not text ("image/png, 12.3 KB"), `digest` a short hash of it, empty where the
    recording does not hold it.
    """

    kind: str
    text: str = ""
    note: str = ""
    digest: str = ""


class ToolResult(msgspec.Struct, frozen=True):
    """What came back for a call: content blocks, structured content as recorded JSON text, and the raw record."""

    content: tuple[ContentBlock, ...] = ()
    structured: str | None = None
    is_error: bool = False
    raw: str = ""
    place: Place | None = None

    @property
    def text(self) -> str:
        """All blocks as one text: text blocks joined by newlines, any other block as `[image block]`."""
        return "\n".join(block.text if block.kind == "text" else f"[{block.kind} block]" for block in self.content)


class ToolCall(msgspec.Struct, frozen=True):
    """One tool call. `arguments` is the recorded JSON text, or None when the record holds no arguments at all."""

    id: str
    name: str
    tool: str
    arguments: str | None
    place: Place
    server: str | None = None
    mcp: bool = True
    inferred: bool = False
    """True when server and tool were guessed by splitting `name`."""
    provenance: Provenance = Provenance.HOST
    status: Status = Status.NO_RESULT
    status_note: str = ""
    result: ToolResult | None = None
    started: datetime | None = None
    duration_ms: float | None = None
    connection: str = ""
    """Which connection of a capture the call belongs to; empty where the format has no connections."""
    agent: str = ""
    """The id of the subagent that the call started; empty where it started none, or the recording does not tell."""


class Text(msgspec.Struct, frozen=True):
    """Text in a block. `role` is "assistant", "thinking", "note" (said by the client or the reader) or "traffic"."""

    role: str
    text: str
    place: Place | None = None


Item = Text | ToolCall


class Block(msgspec.Struct, frozen=True):
    """One exchange: a prompt and all the agent did until the next prompt.

    `label` says what is special about the block ("subagent a1b2", "abandoned branch", "traffic"), else it is empty.
    """

    index: int
    prompt: str
    place: Place
    items: tuple[Item, ...] = ()
    label: str = ""
    started: datetime | None = None

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The block's tool calls in recorded order."""
        return tuple(item for item in self.items if isinstance(item, ToolCall))


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool as the recording lists it: its schemas as recorded JSON text, and the lines for which the list holds.

    `since` is the line of the tools/list result, `until` the line of the notification that made it stale (None: never).
    """

    server: str | None
    name: str
    schema: str | None
    since: int = 0
    until: int | None = None
    connection: str = ""
    output_schema: str | None = None


class Counts(msgspec.Struct, frozen=True):
    """What a reader counted on its one pass over the file."""

    records: int = 0
    messages: int = 0
    calls: int = 0
    duplicates: int = 0
    compactions: int = 0
    orphan_results: int = 0
    roots: int = 0
    unknown: int = 0
    branches: tuple[tuple[str, int], ...] = ()
    """(uuid, children) of each message that was answered more than once."""


class Scanner(Protocol):
    """Finds blocks that may show a text by the bytes of the recording, without decoding them.

    A reader gives one only if every run of letters and digits that its blocks show stands in one string of a record,
    and never in parts of two. It may be asked in any thread.
    """

    @property
    def added(self) -> str:
        """Whatever blocks show that is not in the records for which `candidates` names them, in small letters."""
        ...

    def candidates(self, probe: Probe) -> Iterator[Collection[int]]:
        """The blocks that show something of a record in which a probe finds a place, as they are found.

        Now and then it yields nothing new, so that the one who asks can stop. When the iterator is closed or thrown
        away, the search ends.
        """
        ...


class Session(msgspec.Struct, frozen=True):
    """What one recording tells. `blocks` may be lazy: a block is read and decoded when somebody looks at it."""

    source: str
    format: str
    blocks: Sequence[Block]
    id: str = ""
    title: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    counts: Counts = msgspec.field(default_factory=Counts)
    call_counts: Sequence[int] = ()
    """Calls per block, known without decoding a block; as long as `blocks`."""
    read_raw: Callable[[Place], str] = lambda place: ""
    """The recorded text at a place, for the raw view of a line that could not be read."""
    agents: Mapping[str, Sequence[int]] = msgspec.field(default_factory=dict)
    """The blocks of each subagent whose conversation stands in this recording, by its id."""
    nested: Callable[[str], Session | None] = lambda agent: None
    """Opens the recording of a subagent that has one of its own, by its id: None when it is not there.

    It may read files, and raises an OSError or ValueError that says why one cannot be read.
    """
    scanner: Scanner | None = None
    """Finds blocks by the bytes of the recording; None where each has to be decoded to be looked into."""
