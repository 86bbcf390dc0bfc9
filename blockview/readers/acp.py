"""Reads logs of the Agent Client Protocol: JSON-RPC as in MCP, but between an editor and an agent.

An agent reports a call with `tool_call` and then sends what has changed of it as `tool_call_update`; a text comes in
chunks. The protocol has no place for an MCP server's name: where an agent gives it, it does so in a way of its own.
Source: agentclientprotocol/agent-client-protocol; zed-industries/codex-acp and claude-code-acp for the names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from blockview.core.jsonrpc import Identity, identity
from blockview.core.model import Place, Session, Status, Text
from blockview.core.raw import ABSENT, part_of, present, text_of
from blockview.readers.acp_calls import CallPatch, call_of, outcome_of
from blockview.readers.anthropic_blocks import parts
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.head import Head, Reader
from blockview.readers.linewise import JsonTeller, read_told
from blockview.readers.records import Record, Report
from blockview.readers.source import Source


class _Named(msgspec.Struct, frozen=True, gc=False):
    name: str = ""


class _Option(msgspec.Struct, frozen=True, gc=False):
    id: str = msgspec.field(default="", name="optionId")
    kind: str = ""


class _Update(CallPatch, frozen=True, gc=False):
    """What a notification tells: a chunk of text, a call or a change of one, or something else."""

    kind: str = msgspec.field(default="", name="sessionUpdate")
    message_id: str = msgspec.field(default="", name="messageId")


class _Params(msgspec.Struct, frozen=True, gc=False):
    session_id: str = msgspec.field(default="", name="sessionId")
    update: _Update | None = None
    prompt: msgspec.Raw = ABSENT
    call: CallPatch | None = msgspec.field(default=None, name="toolCall")
    options: list[_Option] | None = None
    servers: list[_Named] | None = msgspec.field(default=None, name="mcpServers")


class _Chosen(msgspec.Struct, frozen=True, gc=False):
    outcome: str = ""
    option_id: str = msgspec.field(default="", name="optionId")


class _Result(msgspec.Struct, frozen=True, gc=False):
    session_id: str = msgspec.field(default="", name="sessionId")
    stop_reason: str = msgspec.field(default="", name="stopReason")
    outcome: _Chosen | None = None


class _Error(msgspec.Struct, frozen=True, gc=False):
    code: msgspec.Raw = ABSENT
    message: str = ""


class _Line(_Update, frozen=True, gc=False):
    """A JSON-RPC message, the parameters of a notification alone, or its update alone."""

    id: msgspec.Raw = ABSENT
    method: str = ""
    params: _Params | None = None
    result: _Result | None = None
    error: _Error | None = None
    session: str = msgspec.field(default="", name="sessionId")
    update: _Update | None = None

    @property
    def told(self) -> _Update | None:
        """The update in the line, wherever it stands."""
        inner = self.params.update if self.params else None
        return inner or self.update or (self if self.kind else None)

    @property
    def patch(self) -> CallPatch | None:
        """What the line reports of a call, also when it asks for permission."""
        told = self.told
        if told is None:
            return self.params.call if self.params else None
        return told if told.kind in _CALLS else None


_LINE = msgspec.json.Decoder(_Line)

_CALLS = frozenset({"tool_call", "tool_call_update"})
_CHUNKS = {"agent_message_chunk": "assistant", "agent_thought_chunk": "thinking", "user_message_chunk": "prompt"}
_OTHERS = frozenset(
    {"plan", "available_commands_update", "current_mode_update", "config_option_update"}
    | {"session_info_update", "usage_update"}
)
_KNOWN = _CALLS | _CHUNKS.keys() | _OTHERS
_METHODS = re.compile(r"(session|fs|terminal|mcp|elicitation)/.+|initialize|authenticate|logout|[_$].*")


class AcpReader:
    """Logs of messages, of notifications or of updates, one per line; of one session or of several."""

    format = "acp"

    def sniff(self, head: Head) -> bool:
        """True when one of the first records is a message that this protocol has and MCP has not."""
        return not head.document and any(map(_is_message, head.records))

    def read(self, source: Source) -> Session:
        """Read the log in one pass; blocks are decoded when they are looked at."""
        return read_told(source, self.format, _Log())


def _is_message(record: dict[str, Any]) -> bool:
    params, method = record.get("params"), record.get("method")
    inner = params if isinstance(params, dict) else {}
    for holder in (record, record.get("update"), inner.get("update")):
        if isinstance(holder, dict) and isinstance(holder.get("sessionUpdate"), str):
            return True
    if not isinstance(method, str):
        return False
    return method.startswith("session/") or (method == "initialize" and type(inner.get("protocolVersion")) is int)


_Key = tuple[str, str]
"""A session and the id of a call in it."""


class _Log(JsonTeller[_Line]):
    """What the messages tell. The first line about a call, or about a text, tells all that is known of it."""

    def __init__(self) -> None:
        super().__init__(_LINE)
        self._source = Source.of_bytes("", b"")
        self._servers: dict[str, None] = {}
        self._sessions: dict[str, int] = {}
        self._last = ""
        self._reports: dict[_Key, list[Place]] = {}
        self._firsts: dict[int, _Key] = {}
        self._asked: dict[Identity, tuple[_Key, dict[str, str]]] = {}
        self._denied: dict[_Key, Status] = {}
        self._prompts: dict[Identity, str] = {}
        self._open: dict[str, tuple[tuple[str, str], int]] = {}
        self._chunks: dict[int, list[Place]] = {}

    def lines(self, source: Source, report: Report) -> Iterator[tuple[Record, _Line]]:
        """The messages in order; what cannot be read is reported."""
        self._source = source
        return super().lines(source, report)

    def lane(self, line: _Line) -> str:
        """The session that a line belongs to; an answer to a prompt belongs to the prompt's."""
        named = (line.params.session_id if line.params else "") or line.session
        named = named or (line.result.session_id if line.result else "")
        asked = identity(line.id)
        return named or (self._prompts.get(asked) if asked else None) or self._last

    def learn(self, place: Place, line: _Line) -> None:
        """Note sessions and servers, which lines tell of the same call or text, and what was permitted."""
        session = self._last = self.lane(line)
        if session:
            self._sessions.setdefault(session, len(self._sessions) + 1)
            self.id = self.id or session
        told, params, asked = line.told, line.params, identity(line.id)
        if (told and told.kind not in _KNOWN) or (not told and line.method and not _METHODS.fullmatch(line.method)):
            self.unknown += 1
        for server in (params.servers if params else None) or ():
            self._servers[server.name] = None
        if told and told.kind == "session_info_update":
            self.title = told.title or self.title
        if (patch := line.patch) is not None:
            self._learn_call((session, patch.call_id), place)
            if asked and params and params.call:
                options = {option.id: option.kind for option in params.options or ()}
                self._asked[asked] = (session, patch.call_id), options
        elif told and told.kind in _CHUNKS:
            self._learn_chunk(session, (_CHUNKS[told.kind], told.message_id), place)
        elif line.method == "session/prompt":
            self._open[session] = ("request", ""), -1
            if asked:
                self._prompts[asked] = session
        elif line.result and line.result.outcome and asked in self._asked:
            self._learn_choice(*self._asked.pop(asked), line.result.outcome)

    def _learn_call(self, key: _Key, place: Place) -> None:
        if key not in self._reports:
            self._reports[key] = []
            self._firsts[place.byte] = key
            self._open.pop(key[0], None)
        self._reports[key].append(place)

    def _learn_choice(self, key: _Key, options: dict[str, str], chosen: _Chosen) -> None:
        if chosen.outcome == "cancelled":
            self._denied[key] = Status.CANCELLED
        elif options.get(chosen.option_id, "").startswith("reject"):
            self._denied[key] = Status.REJECTED

    def _learn_chunk(self, session: str, kind: tuple[str, str], place: Place) -> None:
        """A chunk goes on with the text before it. What an agent repeats of a prompt it was just sent is no new one."""
        known, first = self._open.get(session, (None, -1))
        if known == ("request", "") and kind[0] == "prompt":
            return
        if known == kind:
            self._chunks[first].append(place)
        else:
            self._open[session] = kind, place.byte
            self._chunks[place.byte] = [place]

    def events(self, place: Place, line: _Line) -> Iterator[Event]:
        """What a message tells."""
        told, session = line.told, self.lane(line)
        label = f"session {session}" if self._sessions.get(session, 1) > 1 else ""
        if line.patch is not None:
            if key := self._firsts.get(place.byte):
                yield from self._call(key, place, orphan=told is not None and told.kind == "tool_call_update")
        elif told and told.kind in _CHUNKS:
            if (run := self._chunks.get(place.byte)) is not None:
                text, role = "".join(map(self._chunk, run)), _CHUNKS[told.kind]
                yield Prompt(text, label) if role == "prompt" else Text(role, text, place)
        elif line.method == "session/prompt" and line.params:
            yield Prompt(_said(line.params.prompt, "\n"), label)
        elif line.method == "session/cancel":
            yield Text("note", "cancelled by the user", place)
        elif line.error and not line.method:
            code = f" {text_of(line.error.code)}" if present(line.error.code) else ""
            yield Text("note", f"error{code}: {line.error.message}", place)
        elif line.result and line.result.stop_reason not in ("", "end_turn"):
            yield Text("note", f"turn ends: {line.result.stop_reason}", place)

    def _call(self, key: _Key, place: Place, *, orphan: bool) -> Iterator[Event]:
        session, call_id = key
        number = self._sessions.get(session, 1)
        unique = f"{number}:{call_id}" if number > 1 else call_id
        patch, last = CallPatch(call_id), place
        for last in self._reports[key]:
            line = self._read(last)
            if line and (report := line.patch):
                patch = patch.then(report)
        if not orphan:
            yield call_of(patch, unique, place, self._servers)
        status, note, result = outcome_of(patch, last, self._denied.get(key))
        yield Answer(unique, status, result if patch.status in ("completed", "failed") else None, note)

    def _chunk(self, place: Place) -> str:
        line = self._read(place)
        told = line.told if line else None
        return _said(told.content, "") if told else ""

    def _read(self, place: Place) -> _Line | None:
        return part_of(_LINE, self._source.recorded(place))


def _said(content: msgspec.Raw, between: str) -> str:
    """The text of content blocks; what is no text is named in brackets."""
    said = []
    for part, _ in parts(content):
        uri = part.uri or (part.resource.uri if part.resource else None) or part.name
        said.append(part.text if part.text is not None else f"[{part.type}{f': {uri}' if uri else ''}]")
    return between.join(said)


READERS: tuple[Reader, ...] = (AcpReader(),)
