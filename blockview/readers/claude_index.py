"""One pass over the lines of a Claude Code session: which records belong to which block, and what pairs with what.

Only positions, ids and counts are kept; a block's texts, arguments and results are read again when it is looked at.
"""

from __future__ import annotations

import re
from array import array
from typing import NamedTuple

import msgspec

from blockview.core.jsontext import decode_string
from blockview.core.model import Counts, Place
from blockview.core.raw import part_of, text_of
from blockview.readers.anthropic_blocks import CALL_TYPES, is_result
from blockview.readers.claude_lines import LINE_TYPES, Attachment, IndexLine, IndexMessage, said
from blockview.readers.records import Record
from blockview.readers.source import Source

MAIN = ""
"""The stream of the session itself; a subagent's lines form a stream of their own."""


class BlockFacts(msgspec.Struct):
    """What is known of a block without its records: `rows` hold what it shows, `results` what its calls got back."""

    stream: str
    prompted: bool = False
    parent: str | None = None
    rows: array[int] = msgspec.field(default_factory=lambda: array("L"))
    results: array[int] = msgspec.field(default_factory=lambda: array("L"))
    calls: int = 0


class Progress(msgspec.Struct):
    """What a progress line tells of a call: the real names, and the time in milliseconds."""

    server: str | None = None
    tool: str | None = None
    elapsed_ms: float | None = None


class Spot(NamedTuple):
    """Where something is shown: the row of its record and the block."""

    row: int
    block: int


class Rows:
    """Places of records as compact columns."""

    def __init__(self) -> None:
        self._lines = array("L")
        self._bytes = array("Q")
        self._lengths = array("Q")

    def add(self, place: Place) -> int:
        """Keep a place; its number."""
        self._lines.append(place.line)
        self._bytes.append(place.byte)
        self._lengths.append(place.length)
        return len(self._lines) - 1

    def __getitem__(self, row: int) -> Place:
        return Place(self._lines[row], self._bytes[row], self._lengths[row])


class Known(msgspec.Struct):
    """What blocks are made of when somebody looks at them."""

    rows: Rows = msgspec.field(default_factory=Rows)
    blocks: list[BlockFacts] = msgspec.field(default_factory=list)
    servers: set[str] = msgspec.field(default_factory=set)
    progress: dict[str, Progress] = msgspec.field(default_factory=dict)
    denied: set[str] = msgspec.field(default_factory=set)
    notified: dict[str, int] = msgspec.field(default_factory=dict)
    """Background task → the row of the notification that it ended."""
    orphans: dict[str, Spot] = msgspec.field(default_factory=dict)
    """Results whose call has not been seen, by its id."""
    repeated: set[tuple[int, str]] = msgspec.field(default_factory=set)
    """(row, call id) of calls that were recorded before."""
    streams: dict[str, list[int]] = msgspec.field(default_factory=dict)
    """The blocks of each stream but the main one."""
    asked: dict[str, str] = msgspec.field(default_factory=dict)
    """What a subagent without a name was asked → its stream; none where several were asked the same."""


class _ComparedMessage(msgspec.Struct, gc=False):
    content: msgspec.Raw = msgspec.Raw()


class _Compared(msgspec.Struct, gc=False):
    type: str | None = None
    message: _ComparedMessage | None = None


_COMPARED = msgspec.json.Decoder(_Compared)
_TASK = re.compile(r"<task-notification>.*?<task-id>\s*([\w-]+)\s*</task-id>", re.DOTALL)


class Index:
    """The state of the pass: feed it every record in file order with `add`, at any time read what it knows."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.known = Known()
        self.session_id = ""
        self._titles: dict[str, str] = {}
        self._counted = {"records": 0, "messages": 0, "duplicates": 0, "compactions": 0, "unknown": 0}
        self._seen: dict[str, int] = {}
        self._block_of = array("l")
        self._current: dict[str, int] = {}
        self._chains: dict[str, str] = {}
        self._calls: dict[str, Spot] = {}
        self._answered: set[str] = set()
        self._nameless = 0
        self._roots: set[str] = set()
        self._children: dict[str, str] = {}
        self._branches: dict[str, set[str]] = {}
        self._prompts: dict[str, tuple[int, str | None]] = {}
        self._rewound: set[int] = set()

    def add(self, record: Record, line: IndexLine) -> None:
        """Take in the next record."""
        self._counted["records"] += 1
        if line.type not in LINE_TYPES:
            self._counted["unknown"] += 1
            return
        if line.uuid is not None and self._is_copy(record, line):
            self._counted["duplicates"] += 1
            return
        if not self.session_id:
            self.session_id = line.session_id or line.session or ""
        row = self.known.rows.add(record.place)
        stream = self._stream(line)
        match line.type:
            case "user":
                self._user(row, line, stream)
            case "assistant":
                self._assistant(row, line, stream)
            case "system":
                self._system(row, line, stream)
            case "result" if line.agent_id is None:
                self._show(row, stream)
                self.known.denied.update(denied.tool_use_id for denied in line.denials or () if denied.tool_use_id)
            case "progress":
                self._progress(line)
            case "attachment" if line.attachment is not None:
                self._attachment(row, line.attachment, stream)
            case _:
                self._title(line)
        self._block_of.append(self._current.get(stream, -1))
        if line.uuid is not None:
            self._seen.setdefault(line.uuid, row)

    def _is_copy(self, record: Record, line: IndexLine) -> bool:
        """True when this record was there before. A copy may know the parent that the first one had lost."""
        first = self._seen.get(line.uuid or "")
        if first is None:
            return False
        place = self.known.rows[first]
        earlier = self._source.recorded(place)
        if earlier != record.data and part_of(_COMPARED, earlier) != part_of(_COMPARED, record.data):
            return False
        if line.parent_uuid is not None:
            self._roots.discard(line.uuid or "")
        return True

    def _stream(self, line: IndexLine) -> str:
        if line.parent_call is not None or line.agent_id is not None:
            return line.parent_call or line.agent_id or MAIN
        if not line.is_sidechain:
            return MAIN
        # The oldest versions name no agent: a chain of sidechain lines is told by its first line.
        chain = self._chains.get(line.parent_uuid or "") or line.uuid or "?"
        if line.uuid is not None:
            self._chains[line.uuid] = chain
        return chain

    def _block(self, stream: str) -> int:
        """The block that the stream is in; one without a prompt is opened where there is none."""
        return self._current[stream] if stream in self._current else self._open(stream)

    def _open(self, stream: str) -> int:
        number = len(self.known.blocks)
        self.known.blocks.append(BlockFacts(stream))
        self._current[stream] = number
        if stream != MAIN:
            self.known.streams.setdefault(stream, []).append(number)
        return number

    def _show(self, row: int, stream: str) -> None:
        rows = self.known.blocks[self._block(stream)].rows
        if not rows or rows[-1] != row:
            rows.append(row)

    def _user(self, row: int, line: IndexLine, stream: str) -> None:
        self._counted["messages"] += 1
        texts, media, answers = _user_content(line.message)
        prompt = None if answers or line.hidden or line.is_compact_summary else said(texts).prompt
        if prompt is not None or (media and not answers and not line.hidden):
            self._prompt(row, line, stream, prompt or "")
        elif texts or media:
            self._show(row, stream)
            for text in texts:
                if match := _TASK.search(text):
                    self.known.notified[match[1]] = row
        if not answers:
            self._link(line, line.uuid, real=not line.hidden and bool(texts or media))
        for call_id in answers:
            self._answer(call_id, row, stream)

    def _prompt(self, row: int, line: IndexLine, stream: str, prompt: str) -> None:
        number = self._open(stream)
        facts = self.known.blocks[number]
        facts.prompted, facts.parent = True, line.parent_uuid
        facts.rows.append(row)
        if stream == MAIN:
            self._titles.setdefault("prompt", prompt)
        elif stream == line.uuid:
            self.known.asked[prompt] = "" if prompt in self.known.asked else stream
        if line.parent_uuid is not None:
            earlier = self._prompts.get(line.parent_uuid)
            if earlier is not None and earlier[1] != line.timestamp:
                self._rewound.add(earlier[0])
            self._prompts[line.parent_uuid] = number, line.timestamp

    def _assistant(self, row: int, line: IndexLine, stream: str) -> None:
        self._counted["messages"] += 1
        message = line.message
        self._link(line, message.id if message is not None and message.id is not None else line.uuid, real=True)
        if message is None or not message.content:
            return
        self._show(row, stream)
        for part in message.content if isinstance(message.content, list) else ():
            if part.type in CALL_TYPES:
                self._call(part.id, row, stream)
            elif is_result(part.type):
                self._answer(part.tool_use_id, row, stream)

    def _call(self, call_id: str | None, row: int, stream: str) -> None:
        number, known = self._block(stream), self.known
        if call_id:
            first = self._calls.get(call_id)
            if first is not None:
                self._counted["duplicates"] += 1
                if first.row != row:
                    known.repeated.add((row, call_id))
                return
            self._calls[call_id] = Spot(row, number)
            early = known.orphans.pop(call_id, None)
            if early is not None:
                known.blocks[early.block].calls -= 1
                known.blocks[number].results.append(early.row)
        self.known.blocks[number].calls += 1

    def _answer(self, call_id: str | None, row: int, stream: str) -> None:
        if call_id and call_id in self._answered:
            self._counted["duplicates"] += 1
            return
        call = self._calls.get(call_id) if call_id else None
        if call is not None:
            number = call.block
            self.known.blocks[number].results.append(row)
        else:
            self._show(row, stream)
            number = self._block(stream)
            self.known.blocks[number].calls += 1
        if not call_id:
            self._nameless += 1
            return
        self._answered.add(call_id)
        if call is None:
            self.known.orphans[call_id] = Spot(row, number)

    def _link(self, line: IndexLine, child: str | None, *, real: bool) -> None:
        """Note roots and branches of the tree of messages. Results are no branches: they are siblings of calls."""
        if line.parent_uuid is None:
            if line.uuid is not None and not line.is_sidechain:
                self._roots.add(line.uuid)
        elif real and child is not None:
            first = self._children.setdefault(line.parent_uuid, child)
            if first != child:
                self._branches.setdefault(line.parent_uuid, {first}).add(child)

    def _system(self, row: int, line: IndexLine, stream: str) -> None:
        if line.subtype == "init":
            self.known.servers.update(server.name for server in line.mcp_servers or () if server.name)
            if stream not in self._current or self.known.blocks[self._current[stream]].rows:
                self._open(stream)
            self._show(row, stream)
        elif line.subtype == "compact_boundary":
            self._counted["compactions"] += 1
            self._show(row, stream)
        elif line.subtype == "microcompact_boundary" or (len(line.content) > 2 and bytes(line.content)[:1] == b'"'):
            self._show(row, stream)

    def _progress(self, line: IndexLine) -> None:
        if line.data is None or line.data.type != "mcp_progress":
            return
        for call_id in {line.call_id, line.outer_call_id} - {None, ""}:
            known = self.known.progress.setdefault(call_id or "", Progress())
            known.server = line.data.server_name or known.server
            known.tool = line.data.tool_name or known.tool
            known.elapsed_ms = known.elapsed_ms if line.data.elapsed_time_ms is None else line.data.elapsed_time_ms

    def _attachment(self, row: int, attachment: Attachment, stream: str) -> None:
        if attachment.type == "queued_command":
            self._show(row, stream)
        elif attachment.type == "deferred_tools_delta":
            self.known.servers.update(attachment.pending_mcp_servers or ())
        elif attachment.type == "mcp_instructions_delta":
            self.known.servers.update(attachment.added_names or ())

    def _title(self, line: IndexLine) -> None:
        for kind, title in (("custom", line.custom_title), ("ai", line.ai_title), ("summary", line.summary)):
            if title:
                self._titles[kind] = title

    @property
    def title(self) -> str:
        """The last title given, else the first line of the first prompt."""
        for kind in ("custom", "ai", "summary", "prompt"):
            if title := self._titles.get(kind, "").strip().partition("\n")[0].rstrip():
                return title
        return ""

    @property
    def counts(self) -> Counts:
        """What was counted up to now."""
        orphans = len(self.known.orphans) + self._nameless
        return Counts(
            **self._counted,
            calls=sum(facts.calls for facts in self.known.blocks) - orphans,
            orphan_results=orphans,
            roots=len(self._roots),
            branches=tuple((uuid, len(children)) for uuid, children in self._branches.items()),
        )

    def abandoned(self) -> frozenset[int]:
        """The blocks that a later prompt rewound, with all that followed from them."""
        left: set[int] = set()
        for number, facts in enumerate(self.known.blocks):
            before = self._seen.get(facts.parent or "")
            if number in self._rewound or (before is not None and self._block_of[before] in left):
                left.add(number)
        return frozenset(left)


def _user_content(message: IndexMessage | None) -> tuple[list[str], bool, list[str | None]]:
    """The texts of a user line, whether it holds images or documents, and the ids of the calls that it answers."""
    if message is None or message.content is None:
        return [], False, []
    if isinstance(message.content, str):
        return [message.content] if message.content else [], False, []
    texts = [_text(part.text) for part in message.content if part.type == "text"]
    media = any(part.type in ("image", "document") for part in message.content)
    answers = [part.tool_use_id for part in message.content if is_result(part.type)]
    return [text for text in texts if text], media, answers


def _text(raw: msgspec.Raw) -> str:
    literal = text_of(raw)
    return decode_string(literal) if literal[:1] == '"' else ""
