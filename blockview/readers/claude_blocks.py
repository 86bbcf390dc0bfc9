"""Makes the blocks of a Claude Code session out of what the pass over it noted and of the records themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from blockview.core import media
from blockview.core.model import Block, Item, Place, Text
from blockview.core.raw import part_of, string_of
from blockview.readers.anthropic_blocks import CALL_TYPES, Part, RecordedPart, content_block, is_result, parts
from blockview.readers.claude_calls import Answer, call_of, orphan_of
from blockview.readers.claude_known import MAIN, Known
from blockview.readers.claude_lines import BlockLine, moment, said
from blockview.readers.source import Source

_LINE = msgspec.json.Decoder(BlockLine)
_MEDIA = ("image", "document")


class _Held(NamedTuple):
    """A record that was read: its row and place, and its line with the content blocks of its message."""

    row: int
    place: Place
    line: BlockLine
    parts: tuple[RecordedPart, ...]

    def results(self) -> Iterator[Answer]:
        return (Answer(each, self.line, self.place) for each in self.parts if is_result(each.part.type))


class BlockMaker:
    """Reads and decodes one block at a time."""

    def __init__(self, source: Source, known: Known, abandoned: frozenset[int]) -> None:
        self._source = source
        self._known = known
        self._abandoned = abandoned

    def __call__(self, number: int) -> Block:
        """The block of that number, from 0."""
        blocks, rows = self._known.blocks, self._known.rows
        prompted = bool(blocks.prompted[number])
        places = [(row, rows[row]) for row in self._known.rows_of(number)]
        shown = [(place, self._held(row, place)) for row, place in places]
        answers = self._answers(number, [held for _, held in shown if held is not None])
        items: list[Item] = []
        for at, (place, held) in enumerate(shown):
            if held is None:
                items.append(Text("note", f"line {place.line} can no longer be read", place))
            else:
                items.extend(self._items(held, answers, prompts=prompted and at == 0))
        first = shown[0][1] if shown else None
        return Block(
            number,
            _prompt(first) if prompted and first is not None else "",
            shown[0][0] if shown else Place(1, 0),
            tuple(items),
            self._label(number),
            moment(first.line.timestamp) if first is not None else None,
        )

    def _label(self, number: int) -> str:
        stream = self._known.blocks.stream(number)
        labels = [f"subagent {stream}"] if stream != MAIN else []
        if number in self._abandoned:
            labels.append("abandoned branch")
        return ", ".join(labels)

    def _held(self, row: int, place: Place) -> _Held | None:
        """The record of a row; None when it is not there any more."""
        line = part_of(_LINE, self._source.recorded(place))
        if line is None:
            return None
        return _Held(row, place, line, tuple(parts(line.message.content)) if line.message is not None else ())

    def _answers(self, number: int, shown: Iterable[_Held]) -> dict[str, Answer]:
        """What the calls of a block got back, mostly in records that the block shows itself."""
        by_row = {held.row: held for held in shown}
        found: dict[str, Answer] = {}
        for row in dict.fromkeys(self._known.blocks.results.of(number)):
            held = by_row.get(row) or self._held(row, self._known.rows[row])
            if held is not None:
                for answer in held.results():
                    found.setdefault(answer.recorded.part.tool_use_id or "", answer)
        return found

    def _items(self, held: _Held, answers: dict[str, Answer], *, prompts: bool) -> Iterator[Item]:
        line, place = held.line, held.place
        if line.type == "user":
            for note in _user_notes(held, prompts=prompts):
                yield Text("note", note, place)
            yield from self._orphans(held)
        elif line.type == "assistant":
            shown: set[str | None] = set()
            for recorded in held.parts:
                if recorded.part.type not in CALL_TYPES:
                    yield from _said_by_assistant(recorded.part, place)
                elif not self._is_repeated(held.row, recorded.part.id, shown):
                    answer = answers.get(recorded.part.id) if recorded.part.id else None
                    yield call_of(recorded.part, line, place, answer, self._known)
            if line.is_aborted_mid_stream:
                yield Text("note", "the answer was cut off mid-stream", place)
            yield from self._orphans(held)
        elif note := _note(line):
            yield Text("note", note, place)

    def _orphans(self, held: _Held) -> Iterator[Item]:
        shown: set[str] = set()
        for answer in held.results():
            call_id = answer.recorded.part.tool_use_id
            orphan = self._known.orphans.get(call_id) if call_id else None
            if not call_id or (orphan is not None and orphan.row == held.row and call_id not in shown):
                shown.add(call_id or "")
                yield orphan_of(answer)

    def _is_repeated(self, row: int, call_id: str | None, shown: set[str | None]) -> bool:
        """True when this call was recorded before: on another line, or among those `shown` of this one."""
        repeated = bool(call_id) and (call_id in shown or (row, call_id) in self._known.repeated)
        shown.add(call_id)
        return repeated


def _said_by_assistant(part: Part, place: Place) -> Iterator[Text]:
    if part.type == "text":
        if part.text:
            yield Text("assistant", part.text, place)
    elif part.type == "thinking":
        if part.thinking:
            yield Text("thinking", part.thinking, place)
    elif part.type == "redacted_thinking":
        yield Text("thinking", "[redacted thinking]", place)
    elif not is_result(part.type):
        yield Text("note", _described(part), place)


def _described(part: Part) -> str:
    block = content_block(part)
    return f"[{media.note(block.kind, block.note)}]"


def _prompt(held: _Held) -> str:
    pictures = [_described(part) for part, _ in held.parts if part.type in _MEDIA]
    prompt = said(part.text or "" for part, _ in held.parts if part.type == "text").prompt
    return "\n".join([*pictures, *([prompt] if prompt is not None else [])])


def _user_notes(held: _Held, *, prompts: bool) -> Iterator[str]:
    """What a user line says beside a prompt: what the client put in, and what stands next to results."""
    texts = [part.text or "" for part, _ in held.parts if part.type == "text"]
    if prompts:
        yield from said(texts).notes
        return
    yield from (text for text in texts if text)
    yield from (_described(part) for part, _ in held.parts if part.type in _MEDIA)


def _note(line: BlockLine) -> str:
    """What a line that is no message says; empty when it says nothing."""
    if line.type == "attachment":
        return _queued(line)
    if line.type == "result":
        return _finished(line)
    if line.subtype == "compact_boundary":
        return _compacted(line)
    if line.subtype == "microcompact_boundary":
        return string_of(line.content) or "context compacted in part here"
    if line.subtype == "init":
        servers = [f"{server.name} ({server.status or 'unknown'})" for server in line.mcp_servers or ()]
        tools = f"{len(line.tools)} tools" if line.tools is not None else None
        listed = f"MCP servers: {', '.join(servers)}" if servers else None
        return "session starts: " + (media.note(line.model, tools, listed) or "nothing is told of it")
    return string_of(line.content) or ""


def _queued(line: BlockLine) -> str:
    if line.attachment is None:
        return ""
    held = [recorded.part for recorded in parts(line.attachment.prompt)]
    texts = [part.text or "" if part.type == "text" else _described(part) for part in held]
    return "queued: " + "\n".join(texts) if any(texts) else ""


def _compacted(line: BlockLine) -> str:
    facts = line.compact_metadata or line.compaction
    tokens = (facts.pre_tokens or facts.tokens_before) if facts is not None else None
    told = media.note(facts.trigger if facts is not None else None, f"{tokens} tokens before" if tokens else None)
    return f"context compacted here ({told})" if told else "context compacted here"


def _finished(line: BlockLine) -> str:
    turns = f"{line.num_turns} turns" if line.num_turns is not None else None
    time = f"{line.duration_ms / 1000:.1f} s" if line.duration_ms is not None else None
    outcome = line.subtype or ("error" if line.is_error else None)
    failed = line.is_error or (line.subtype or "").startswith("error")
    told = f"session ends: {media.note(outcome, turns, time) or 'nothing is told of it'}"
    text = string_of(line.result) if failed else None
    return f"{told}\n{text}" if text else told
