"""One pass over the lines of a Claude Code session: which records belong to which block, and what pairs with what.

Only positions, ids and counts are kept; a block's texts, arguments and results are read again when it is looked at.
"""

from __future__ import annotations

import re

import msgspec

from blockview.core.jsontext import decode_string
from blockview.core.model import Counts, Place
from blockview.core.raw import part_of, text_of
from blockview.readers.anthropic_blocks import CALL_TYPES, is_result
from blockview.readers.claude_known import MAIN, Known, Progress, Spot
from blockview.readers.claude_lines import LINE_TYPES, Attachment, IndexLine, IndexMessage, said
from blockview.readers.claude_tree import MessageTree
from blockview.readers.columns import RowsByName
from blockview.readers.source import Source


class _Timed(msgspec.Struct, gc=False):
    timestamp: str | None = None


class _ComparedMessage(msgspec.Struct, gc=False):
    content: msgspec.Raw = msgspec.Raw()


class _Compared(msgspec.Struct, gc=False):
    type: str | None = None
    message: _ComparedMessage | None = None


_COMPARED = msgspec.json.Decoder(_Compared)
_TIMED = msgspec.json.Decoder(_Timed)
_TASK = re.compile(r"<task-notification>.*?<task-id>\s*([\w-]+)\s*</task-id>", re.DOTALL)


class Index:
    """The state of the pass: feed it every record in file order with `add`, at any time read what it knows."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.known = Known()
        self.session_id = ""
        self.first_unknown: Place | None = None
        self._settled = 0
        self._touched: set[int] = set()
        self._titles: dict[str, str] = {}
        self._records = self._messages = self._duplicates = self._compactions = self._unknown = 0
        self._seen = RowsByName()
        self._before, self._row_before = "", -1
        """The uuid and the row of the record before."""
        self._shows = False
        """Whether the record that is taken in is shown."""
        known = self.known
        self._block_of, self._shown = known.block_of, known.shown
        self._first_row, self._last_row = known.blocks.first, known.blocks.last
        self._current: dict[str, int] = {}
        self._chains: dict[str, str] = {}
        self._calls: dict[str, int] = {}
        """Call → the row of its record, or the complement of that once it was answered."""
        self._answered: set[str] = set()
        """Answered calls that were not seen before their answer."""
        self._nameless = 0
        self._roots: set[str] = set()
        self._tree = MessageTree()
        self._rewound: set[int] = set()

    def add(self, number: int, byte: int, data: bytes | memoryview, line: IndexLine) -> None:
        """Take in the next record: the number of its line, its offset, its characters and what they say."""
        self._records += 1
        kind, uuid = line.type, line.uuid
        if kind not in LINE_TYPES:
            self._unknown += 1
            self.first_unknown = self.first_unknown or Place(number, byte, len(data))
            return
        first = self._seen.setdefault(uuid, len(self._block_of)) if uuid is not None else -1
        if uuid is not None and first >= 0 and self._is_copy(uuid, first, data, line):
            self._duplicates += 1
            return
        if not self.session_id:
            self.session_id = line.session_id or line.session or ""
        row = self.known.rows.add(number, byte, len(data))
        plain = line.parent_call is None and line.agent_id is None and not line.is_sidechain
        stream = MAIN if plain else self._stream(line)
        if kind == "assistant":
            self._assistant(row, line, stream)
        elif kind == "user":
            self._user(row, line, stream)
        else:
            self._other(row, line, stream)
        block = self._current.get(stream, -1)
        self._block_of.append(block)
        self._shown.append(self._shows)
        if self._shows:
            self._shows = False
            self._last_row[block] = row
            if self._first_row[block] < 0:
                self._first_row[block] = row
            if block < self._settled:
                self._touched.add(block)
        if uuid is not None:
            self._before, self._row_before = uuid, row

    def _other(self, row: int, line: IndexLine, stream: str) -> None:
        match line.type:
            case "system":
                self._system(row, line, stream)
            case "result" if line.agent_id is None:
                self._show(stream)
                self.known.denied.update(denied.tool_use_id for denied in line.denials or () if denied.tool_use_id)
            case "progress":
                self._progress(line)
            case "attachment" if line.attachment is not None:
                self._attachment(row, line.attachment, stream)
            case _:
                self._title(line)

    def _is_copy(self, uuid: str, first: int, data: bytes | memoryview, line: IndexLine) -> bool:
        """True when this record was there before. A copy may know the parent that the first one had lost."""
        earlier = self._source.recorded(self.known.rows[first])
        if earlier != data and part_of(_COMPARED, earlier) != part_of(_COMPARED, bytes(data)):
            return False
        if line.parent_uuid is not None:
            self._roots.discard(uuid)
        return True

    def _stream(self, line: IndexLine) -> str:
        if line.parent_call is not None or line.agent_id is not None:
            return line.parent_call or line.agent_id or MAIN
        # The oldest versions name no agent: a chain of sidechain lines is told by its first line.
        chain = self._chains.get(line.parent_uuid or "") or line.uuid or "?"
        if line.uuid is not None:
            self._chains[line.uuid] = chain
        return chain

    def _block(self, stream: str) -> int:
        """The block that the stream is in; one without a prompt is opened where there is none."""
        block = self._current.get(stream)
        return self._open(stream) if block is None else block

    def _open(self, stream: str) -> int:
        number = self._current[stream] = self.known.blocks.open(stream)
        if stream != MAIN:
            self.known.streams.setdefault(stream, []).append(number)
        return number

    def _show(self, stream: str) -> int:
        self._shows = True
        return self._block(stream)

    def _user(self, row: int, line: IndexLine, stream: str) -> None:
        self._messages += 1
        texts, media, answers = _user_content(line.message)
        if texts or media:
            prompt = None if answers or line.hidden or line.is_compact_summary else said(texts).prompt
            if prompt is not None or (media and not answers and not line.hidden):
                self._prompt(row, line, stream, prompt or "")
            else:
                self._show(stream)
                for text in texts:
                    if match := _TASK.search(text):
                        self.known.notified[match[1]] = row
        if not answers:
            self._link(line, line.uuid, real=not line.hidden and bool(texts or media))
        for call_id in answers:
            self._answer(call_id, row, stream)

    def _prompt(self, row: int, line: IndexLine, stream: str, prompt: str) -> None:
        number, blocks = self._open(stream), self.known.blocks
        parent = line.parent_uuid
        blocks.prompted[number] = 1
        self._shows = True
        if stream == MAIN:
            self._titles.setdefault("prompt", prompt)
        elif stream == line.uuid:
            self.known.asked[prompt] = "" if prompt in self.known.asked else stream
        if parent is not None:
            before = blocks.parents[number] = self._row_of(parent)
            earlier = self._tree.prompted(parent, before, number)
            if earlier >= 0 and self._time(earlier) != line.timestamp:
                self._rewound.add(earlier)

    def _time(self, block: int) -> str | None:
        """The time of a block's first record."""
        line = part_of(_TIMED, self._source.recorded(self.known.rows[self._first_row[block]]))
        return line.timestamp if line is not None else None

    def _assistant(self, row: int, line: IndexLine, stream: str) -> None:
        self._messages += 1
        message = line.message
        self._link(line, message.id if message is not None and message.id is not None else line.uuid, real=True)
        if message is None or not message.content:
            return
        self._show(stream)
        if isinstance(message.content, str):
            return
        for part in message.content:
            if part.type in CALL_TYPES:
                self._call(part.id, row, stream)
            elif is_result(part.type):
                self._answer(part.tool_use_id, row, stream)

    def _call(self, call_id: str | None, row: int, stream: str) -> None:
        number, known = self._block(stream), self.known
        if call_id:
            first = self._calls.get(call_id)
            if first is not None:
                self._duplicates += 1
                if max(first, ~first) != row:
                    known.repeated.add((row, call_id))
                return
            early = known.orphans.pop(call_id, None)
            self._calls[call_id] = row if early is None and call_id not in self._answered else ~row
            if early is not None:
                known.blocks.calls[early.block] -= 1
                self._touch(early.block)
                self._got(number, early.row, known.block_of[early.row] if early.row < row else number)
        known.blocks.calls[number] += 1

    def _answer(self, call_id: str | None, row: int, stream: str) -> None:
        call = self._calls.get(call_id) if call_id else None
        if call is not None and call_id and call >= 0:
            self._calls[call_id] = ~call
            here = self._block(stream)
            self._got(self.known.block_of[call] if call < row else here, row, here)
            return
        if call is not None or call_id in self._answered:
            self._duplicates += 1
            return
        block = self._show(stream)
        self.known.blocks.calls[block] += 1
        if not call_id:
            self._nameless += 1
            return
        self._answered.add(call_id)
        self.known.orphans[call_id] = Spot(row, block)

    def _got(self, block: int, row: int, home: int) -> None:
        """A result in this row, which stands in the block `home`, belongs to a call of a block."""
        self.known.blocks.results.append(block, row)
        self._touch(block)
        if block != home:
            self.known.elsewhere.setdefault(row, []).append(block)

    def _touch(self, block: int) -> None:
        if block < self._settled:
            self._touched.add(block)

    def settle(self) -> frozenset[int]:
        """The blocks that were known when this was called before, and to which something was added since."""
        touched = frozenset(self._touched)
        self._touched.clear()
        self._settled = len(self.known.blocks)
        return touched

    def _row_of(self, uuid: str) -> int:
        """The row of a record seen before; -1 when there is none."""
        return self._row_before if uuid == self._before else self._seen.get(uuid)

    def _link(self, line: IndexLine, child: str | None, *, real: bool) -> None:
        """Note roots and branches of the tree of messages. Results are no branches: they are siblings of calls."""
        parent = line.parent_uuid
        if parent is None:
            if line.uuid is not None and not line.is_sidechain:
                self._roots.add(line.uuid)
        elif real and child is not None:
            self._tree.link(parent, self._row_of(parent), child)

    def _system(self, row: int, line: IndexLine, stream: str) -> None:
        if line.subtype == "init":
            self.known.servers.update(server.name for server in line.mcp_servers or () if server.name)
            if stream not in self._current or self._first_row[self._current[stream]] >= 0:
                self._open(stream)
            self._show(stream)
        elif line.subtype == "compact_boundary":
            self._compactions += 1
            self._show(stream)
        elif line.subtype == "microcompact_boundary" or (len(line.content) > 2 and bytes(line.content)[:1] == b'"'):
            self._show(stream)

    def _progress(self, line: IndexLine) -> None:
        if line.data is None or line.data.type != "mcp_progress":
            return
        for call_id in {line.call_id, line.outer_call_id} - {None, ""}:
            known = self.known.progress.setdefault(call_id or "", Progress())
            known.server = line.data.server_name or known.server
            known.tool = line.data.tool_name or known.tool
            known.elapsed_ms = known.elapsed_ms if line.data.elapsed_time_ms is None else line.data.elapsed_time_ms
            call = self._calls.get(call_id or "")
            if call is not None:
                self._touch(self.known.block_of[max(call, ~call)])

    def _attachment(self, row: int, attachment: Attachment, stream: str) -> None:
        if attachment.type == "queued_command":
            self._show(stream)
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
            records=self._records,
            messages=self._messages,
            duplicates=self._duplicates,
            compactions=self._compactions,
            unknown=self._unknown,
            calls=sum(self.known.blocks.calls) - orphans,
            orphan_results=orphans,
            roots=len(self._roots),
            branches=self._tree.branches,
        )

    def abandoned(self) -> frozenset[int]:
        """The blocks that a later prompt rewound, with all that followed from them."""
        left: set[int] = set()
        if not self._rewound:
            return frozenset()
        block_of = self.known.block_of
        for number, parent in enumerate(self.known.blocks.parents):
            if number in self._rewound or (parent >= 0 and block_of[parent] in left):
                left.add(number)
        return frozenset(left)


def _user_content(message: IndexMessage | None) -> tuple[list[str], bool, list[str | None]]:
    """The texts of a user line, whether it holds images or documents, and the ids of the calls that it answers."""
    content = message.content if message is not None else None
    if content is None or isinstance(content, str):
        return [content] if content else [], False, []
    texts: list[str] = []
    answers: list[str | None] = []
    media = False
    for part in content:
        if is_result(part.type):
            answers.append(part.tool_use_id)
        elif part.type == "text":
            if text := _text(part.text):
                texts.append(text)
        elif part.type in ("image", "document"):
            media = True
    return texts, media, answers


def _text(raw: msgspec.Raw) -> str:
    literal = text_of(raw)
    return decode_string(literal) if literal[:1] == '"' else ""
