"""Reads the rollouts that Codex keeps of its sessions.

A call is told by the model's request and output, by the host's event about it, or by both: then the host is believed,
because it alone has the real names, the arguments as they were sent and the whole result. The calls that a script of
the model makes (code mode) are told by the host only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from blockview.core.lenient import decode
from blockview.core.model import Place, Session, Text, ToolCall, ToolSpec
from blockview.core.raw import ABSENT, part_of, present
from blockview.readers.codex_agents import StartedAgents, rollout_folders, thread_of
from blockview.readers.codex_events import PAYLOAD, Moment, Payload, host_events, item_events, notes, said
from blockview.readers.codex_names import Described, described
from blockview.readers.codex_words import ADDED
from blockview.readers.conversation import Event, Prompt
from blockview.readers.envelopes import moment
from blockview.readers.head import Head, Reader
from blockview.readers.linewise import Teller, TellerLines, Told
from blockview.readers.nested import open_named
from blockview.readers.records import Record, Report, values_of
from blockview.readers.source import Source
from blockview.readers.stepwise import Stepwise, Taker


class _Line(Payload, frozen=True, gc=False):
    """A line of a rollout. Until August 2025 lines had no payload: they were the items themselves."""

    timestamp: msgspec.Raw = ABSENT
    payload: msgspec.Raw = ABSENT
    record_type: str = ""


_LINE = msgspec.json.Decoder(_Line)

_LINES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"})
_COMMUNICATION = "inter_agent_communication"
_FLAT_ITEMS = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
_KNOWN_ITEMS = frozenset({"message", "reasoning", "agent_message", "ghost_snapshot", "compaction", "other"})
_KNOWN_EVENTS = re.compile(
    r"(user|agent)_message|agent_reasoning(_raw_content|_section_break)?|error|stream_error|warning|token_count"
    r"|item_(started|completed)|(mcp|view_image|dynamic)_tool_call(_begin|_end|_request|_response)?"
    r"|(exec_command|patch_apply|web_search|image_generation)_(begin|end)"
    r"|(task|turn)[_.](started|complete|completed|aborted|diff)|plan_update|context_compacted|undo_completed"
    r"|thread_(name_updated|rolled_back|settings_applied|goal_updated)"
    r"|(entered|exited)_review_mode|guardian_assessment|collab_\w+|sub_agent_activity"
)
"""Events that are read, and those that repeat what an item tells or say nothing about the conversation."""

_CONTEXT = re.compile(
    r"\s*(<(environment_context|user_instructions|turn_aborted|skills?|user_shell_command|subagents?|plugins"
    r"|subagent_notification|hook_prompt|permissions instructions|collaboration_mode|INSTRUCTIONS)\b"
    r"|# AGENTS\.md instructions)",
    re.IGNORECASE,
)
"""How the texts begin that Codex itself puts into the conversation in the user's name."""

_EVENT, _ITEM, _COMPLETED = "event", "item", "item_completed"

_Said = tuple[str, str, str]
"""Which kind of record tells a text, the text's role, and the text."""


class CodexReader:
    """Rollouts: one JSON object per line, also compressed; with events, or with items alone as the old ones."""

    format = "codex"
    added = ADDED

    def sniff(self, head: Head) -> bool:
        """True when a record has a rollout's envelope, or the first one begins an old rollout."""
        if head.document:
            return False
        return any(map(_is_line, head.records)) or any(map(_is_flat_meta, head.records[:1]))

    def read(self, source: Source) -> Session:
        """Read a rollout in one pass; blocks are decoded when they are looked at."""
        return Stepwise(source, self.begin).read_all()

    def begin(self, source: Source) -> Taker:
        """What takes in the lines of a rollout."""
        return _Lines(source, self.format, partial(self._nested, source.path) if source.path else None)

    def _nested(self, path: Path, agent: str) -> Session | None:
        return open_named(rollout_folders(path), lambda name: thread_of(name) == agent, self.read)


class _Lines(TellerLines["_Opened"]):
    """Takes in the lines of a rollout."""

    def __init__(self, source: Source, format_: str, nested: Callable[[str], Session | None] | None) -> None:
        super().__init__(source, format_, Rollout())
        self._nested = nested

    def session(self) -> Session:
        """What is known now."""
        session = super().session()
        return replace(session, nested=self._nested) if self._nested else session


def _is_line(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    known = isinstance(kind, str) and (kind in _LINES or kind.startswith(_COMMUNICATION))
    return known and isinstance(record.get("payload"), dict)


def _is_flat_meta(record: dict[str, Any]) -> bool:
    return (
        "type" not in record
        and record.keys() >= {"id", "timestamp"}
        and not record.keys().isdisjoint({"instructions", "git"})
    )


class _Opened(msgspec.Struct, frozen=True, gc=False):
    """What kind of line it is, when it was written, its payload if it has one, and the texts in that."""

    kind: str
    written: msgspec.Raw
    payload: Payload | None
    texts: list[_Said]


class Rollout(Teller[_Opened]):
    """What the lines of one rollout tell."""

    def __init__(self) -> None:
        super().__init__()
        self._told = Told(_EVENT, _ITEM, _COMPLETED)
        self._servers: dict[str, None] = {}
        self._described: list[Described] = []
        self._prompts: list[int] = []
        self._rolled_back: set[int] = set()
        self._agents = StartedAgents()
        self._learnt = (0, 0, 0)

    def bears_back(self) -> bool:
        """True when a server, a turn that was rolled back or a subagent became known: calls before it tell of them."""
        learnt, self._learnt = self._learnt, (len(self._servers), len(self._rolled_back), len(self._agents))
        return learnt != self._learnt

    def found(self, source: Source, record: Record, report: Report) -> Iterator[tuple[Record, _Opened]]:
        """What one line holds, opened."""
        return ((one, _opened(line)) for one, line in values_of(source, record, _LINE, report))

    def line(self, data: bytes) -> _Opened:
        """A line decoded again."""
        return _opened(decode(_LINE, data))

    def learn(self, place: Place, line: _Opened) -> None:
        """Note names, tools, texts that are told twice, and turns that were rolled back."""
        kind, payload = line.kind, line.payload
        if payload is None or not _is_known(kind, payload):
            self.unknown += 1
            return
        if kind == "session_meta":
            self.id = self.id or payload.id or payload.session_id
            self._described.extend(described(payload.dynamic_tools, place.line))
        elif kind == "response_item" and payload.type == "tool_search_output":
            self._described.extend(described(payload.tools, place.line))
        elif kind == "compacted":
            self.compactions += 1
        elif kind == "event_msg":
            self._learn_event(payload)
        self._agents.learn(kind, payload)
        for number, (teller, role, text) in enumerate(line.texts):
            self._told.note(place, number, teller, role, text)
        if any(role == "user" for _, role, _ in self._fresh(place, line.texts)):
            self._prompts.append(place.byte)

    def _learn_event(self, payload: Payload) -> None:
        if payload.type == "thread_name_updated":
            self.title = payload.thread_name or self.title
        elif payload.type == "thread_rolled_back" and payload.num_turns > 0:
            self._rolled_back.update(self._prompts[-payload.num_turns :])
            del self._prompts[-payload.num_turns :]
        item = part_of(PAYLOAD, payload.item) if present(payload.item) else None
        server = item.server if item else payload.invocation.server if payload.invocation else ""
        if server:
            self._servers[server] = None

    def _fresh(self, place: Place, texts: list[_Said]) -> list[_Said]:
        """The texts of a record that were not told before.

        An item in the user's name may hold the prompt among other texts: it was told when one of them was.
        """
        if not texts:
            return []
        again = [self._told.again(place, number) for number in range(len(texts))]
        if any(
            told and teller == _ITEM and role == "user" for told, (teller, role, _) in zip(again, texts, strict=True)
        ):
            return []
        return [one for told, one in zip(again, texts, strict=True) if not told]

    def events(self, place: Place, line: _Opened) -> Iterator[Event]:
        """What a line tells."""
        payload = line.payload
        if payload is None:
            return
        at = Moment(place, moment(line.written), self._servers)
        fresh = self._fresh(place, line.texts)
        if prompts := [text for _, role, text in fresh if role == "user"]:
            label = "rolled back" if place.byte in self._rolled_back else ""
            yield Prompt("\n".join(prompts), label, at.when)
        yield from (Text(role, text, place) for _, role, text in fresh if role != "user")
        match line.kind:
            case "response_item":
                yield from map(self._with_agent, item_events(payload, at))
            case "event_msg":
                yield from host_events(payload, at)
                yield from notes(payload, at)
            case "compacted":
                summary = f"\n{payload.message}" if payload.message else ""
                yield Text("note", f"the history was compacted{summary}", place)

    def _with_agent(self, event: Event) -> Event:
        agent = self._agents.of(event.id) if isinstance(event, ToolCall) else ""
        return replace(event, agent=agent) if isinstance(event, ToolCall) and agent else event

    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that the recording describes, in recorded order."""
        return tuple(tool.spec(self._servers) for tool in self._described)


def _opened(line: _Line) -> _Opened:
    kind, payload = _unwrap(line)
    return _Opened(kind, line.timestamp, payload, _texts(kind, payload) if payload else [])


def _unwrap(line: _Line) -> tuple[str, Payload | None]:
    """What kind of line it is, and its payload."""
    if present(line.payload):
        return line.type, part_of(PAYLOAD, line.payload)
    if line.type in _FLAT_ITEMS:
        return "response_item", line
    if line.type:
        return line.type, None
    return ("world_state" if line.record_type else "session_meta"), line


def _is_known(kind: str, payload: Payload) -> bool:
    if kind == "response_item":
        return payload.type in _KNOWN_ITEMS or payload.type.endswith(("_call", "_output"))
    if kind == "event_msg":
        return _KNOWN_EVENTS.fullmatch(payload.type) is not None
    return kind in _LINES or kind.startswith(_COMMUNICATION)


def _texts(kind: str, payload: Payload) -> list[_Said]:
    """The texts of a record that people or agents said."""
    if kind == "response_item":
        return _item_texts(payload)
    if kind != "event_msg":
        return []
    match payload.type:
        case "user_message":
            return [(_EVENT, "user", payload.message)]
        case "agent_message":
            return [(_EVENT, "assistant", payload.message)]
        case "agent_reasoning" | "agent_reasoning_raw_content":
            return [(_EVENT, "thinking", payload.text)]
        case "item_completed":
            item = part_of(PAYLOAD, payload.item)
            return _completed_texts(item) if item else []
    return []


def _item_texts(payload: Payload) -> list[_Said]:
    if payload.type == "reasoning":
        return [(_ITEM, "thinking", text) for part in (payload.summary, payload.content) for text in said(part)]
    if payload.type == "agent_message":
        return [(_ITEM, "note", f"{payload.author or 'another agent'}: {text}") for text in said(payload.content)]
    if payload.type != "message" or payload.role not in ("user", "assistant"):
        return []
    texts = said(payload.content)
    if payload.role == "user":
        texts = [text for text in texts if not _CONTEXT.match(text)]
    return [(_ITEM, payload.role, text) for text in texts]


def _completed_texts(item: Payload) -> list[_Said]:
    match item.type:
        case "UserMessage":
            return [(_COMPLETED, "user", "\n".join(said(item.content)))]
        case "AgentMessage":
            return [(_COMPLETED, "assistant", text) for text in said(item.content)]
        case "Reasoning":
            return [(_COMPLETED, "thinking", text) for text in said(item.summary_text)]
        case "Plan":
            return [(_COMPLETED, "assistant", item.text)]
    return []


READERS: tuple[Reader, ...] = (CodexReader(),)
