"""Reads the YAML files that Warp makes of a conversation: one message a file, or several with `---` between them.

Warp writes these without a YAML library and does not quote what it writes, so that a message such as `error: not found:
x` is not YAML at all. They are therefore read by the lines as Warp writes them: `name: value`, and `name: |` before
indented lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from blockview.core.model import ContentBlock, Place, Provenance, Session, Status, Text, ToolCall, ToolResult
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.head import Head
from blockview.readers.linewise import Teller, read_told
from blockview.readers.records import Record, Report, report_state
from blockview.readers.source import Source

_MCP = "call_mcp_tool"
_START = re.compile(
    r"(?:\ufeff)?(?:---\s*\n)?type: (?:user_query|agent_output|agent_reasoning|summarization|tool_call(?:_result)?"
    r"|subagent(?:_result)?)\r?\n"
)
_MEMBER = re.compile(r"([a-z_]+):(?: (.*))?", re.DOTALL)
_ENVELOPE = frozenset({"type", "tool_name", "tool_call_id"})
_SEPARATOR = b"---"
_LIMIT = 4096
"""Warp keeps no more bytes of a result's text."""


class _Message(msgspec.Struct, frozen=True):
    """A message: the text under each name, and the items of its results."""

    members: dict[str, str]
    results: tuple[ContentBlock, ...] = ()

    def get(self, name: str) -> str:
        """The text under a name; empty when there is none."""
        return self.members.get(name, "")


class WarpYamlReader:
    """One or more messages of a conversation."""

    format = "warp-yaml"

    def sniff(self, head: Head) -> bool:
        """True when the file begins as Warp's files do."""
        return _START.match(head.start[:200].decode("utf-8", "replace")) is not None

    def read(self, source: Source) -> Session:
        """Read all messages."""
        return read_told(source, self.format, _Teller())


class _Teller(Teller[_Message]):
    """What the messages tell."""

    def lines(self, source: Source, report: Report) -> Iterator[tuple[Record, _Message]]:
        """The messages, each as one record."""
        report_state(source, report)
        begin, first = 0, 1
        for line, (start, data) in enumerate(source.lines(), 1):
            if data.rstrip() == _SEPARATOR:
                yield from self._message(source, Place(first, begin, start - begin))
                begin, first = start + len(data) + 1, line + 1
        yield from self._message(source, Place(first, begin, source.content_end - begin))

    def _message(self, source: Source, place: Place) -> Iterator[tuple[Record, _Message]]:
        data = source.recorded(place) if place.length > 0 else b""
        if data.strip():
            yield Record(place, data), self.line(data)

    def line(self, data: bytes) -> _Message:
        """A message out of its text."""
        return _parsed(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))

    def learn(self, place: Place, line: _Message) -> None:
        """Count what is unknown."""
        self.unknown += line.get("type") not in _TELLS

    def events(self, place: Place, line: _Message) -> Iterator[Event]:
        """What a message tells."""
        match line.get("type"):
            case "user_query":
                yield Prompt(line.get("query"))
            case "agent_output":
                yield Text("assistant", line.get("text"), place)
            case "agent_reasoning":
                yield Text("thinking", line.get("reasoning"), place)
            case "summarization":
                yield Text("note", line.get("summary"), place)
            case "subagent":
                yield Text("note", f"subagent {line.get('subagent_type')} {line.get('task_id')}", place)
            case "tool_call":
                yield _call(line, place)
            case "tool_call_result":
                yield _answer(line, place)


_TELLS = frozenset(
    {
        "user_query",
        "agent_output",
        "agent_reasoning",
        "summarization",
        "subagent",
        "subagent_result",
        "tool_call",
        "tool_call_result",
    }
)


def _call(message: _Message, place: Place) -> ToolCall:
    tool = message.get("tool_name")
    if tool == _MCP:
        arguments, name = message.members.get("args"), message.get("name")
        return ToolCall(
            message.get("tool_call_id"), name, name, arguments, place, provenance=Provenance.BEFORE_COERCION
        )
    said = {name: text for name, text in message.members.items() if name not in _ENVELOPE}
    return ToolCall(message.get("tool_call_id"), tool, tool, json.dumps(said, ensure_ascii=False), place, mcp=False)


def _answer(message: _Message, place: Place) -> Answer:
    identity, status = message.get("tool_call_id"), message.get("status")
    if status == "cancelled":
        return Answer(identity, Status.CANCELLED)
    if status == "permission_denied":
        return Answer(identity, Status.DENIED, None, "permission denied")
    failed = "error" in message.members or status == "error"
    content = message.results
    if not content:
        text = next((message.get(name) for name in ("error", "output") if name in message.members), _rest(message))
        content = (ContentBlock("text", text),)
    cut = any(len(block.text.encode("utf-8", "surrogatepass")) >= _LIMIT - 3 for block in content)
    return Answer(
        identity,
        Status.TOOL_ERROR if failed else Status.OK,
        ToolResult(content, None, failed, "", place),
        f"the recorder keeps no more than {_LIMIT} bytes of a text" if cut else "",
    )


def _rest(message: _Message) -> str:
    return "\n".join(f"{name}: {text}" for name, text in message.members.items() if name not in _ENVELOPE)


def _parsed(text: str) -> _Message:
    members: dict[str, str] = {}
    inner: dict[str, list[str]] = {}
    name, indented = "", False
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        match = _MEMBER.fullmatch(line)
        if match and not (indented and not line):
            name, value = match[1], match[2] or ""
            indented = value == "|"
            inner[name] = [] if indented or not value else [value]
        elif name:
            inner[name].append(line.removeprefix("  ") if indented else line)
    for key, lines in inner.items():
        while lines and not lines[-1]:
            lines.pop()
        members[key] = "\n".join(lines)
    return _Message(members, tuple(_results(inner.get("results", ()))))


def _results(lines: list[str] | tuple[str, ...]) -> Iterator[ContentBlock]:
    """The items of an MCP call's result, as Warp indents them."""
    kind, note = "", ""
    texts: list[str] = []
    for line in (*lines, "  - type: "):
        if line.startswith("  - type: "):
            if kind:
                yield ContentBlock(kind, "\n".join(texts), note)
            kind, note, texts = line.removeprefix("  - type: "), "", []
        elif line.startswith("    uri: "):
            note = line.removeprefix("    uri: ")
        elif line != "    content: |":
            texts.append(line.removeprefix("      "))
