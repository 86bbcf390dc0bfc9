"""Calls as agents report them over the Agent Client Protocol: what is known of one, put together from its reports."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec

from blockview.core.answers import read_answer
from blockview.core.jsonrpc import Message
from blockview.core.model import ContentBlock, Place, Status, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.codex_outcomes import Outcome
from blockview.readers.mcp_names import ToolName, resolve


class CallPatch(msgspec.Struct, frozen=True, gc=False):
    """A report of a call. A member that is absent or null says nothing: what was reported before still holds."""

    call_id: str = msgspec.field(default="", name="toolCallId")
    title: str | None = None
    name: str | None = None
    status: str | None = None
    content: msgspec.Raw = ABSENT
    raw_input: msgspec.Raw = msgspec.field(default=ABSENT, name="rawInput")
    raw_output: msgspec.Raw = msgspec.field(default=ABSENT, name="rawOutput")
    meta: msgspec.Raw = msgspec.field(default=ABSENT, name="_meta")

    def then(self, later: CallPatch) -> CallPatch:
        """What is known after a later report."""
        return CallPatch(
            self.call_id,
            later.title or self.title,
            later.name or self.name,
            later.status or self.status,
            later.content if present(later.content) else self.content,
            later.raw_input if present(later.raw_input) else self.raw_input,
            later.raw_output if present(later.raw_output) else self.raw_output,
            later.meta if present(later.meta) else self.meta,
        )


class _ClaudeCode(msgspec.Struct, frozen=True, gc=False):
    tool: str = msgspec.field(default="", name="toolName")


class _Meta(msgspec.Struct, frozen=True, gc=False):
    claude_code: _ClaudeCode | None = msgspec.field(default=None, name="claudeCode")


class _Invocation(msgspec.Struct, frozen=True, gc=False):
    """What codex-acp gives as the input of an MCP call."""

    server: str
    tool: str
    arguments: msgspec.Raw = ABSENT


class _Reported(msgspec.Struct, frozen=True, gc=False):
    """A part of a call's content."""

    type: str = ""
    content: msgspec.Raw = ABSENT
    path: str = ""
    terminal: str = msgspec.field(default="", name="terminalId")


class _McpResult(msgspec.Struct, frozen=True, gc=False):
    content: list[msgspec.Raw]


_META = msgspec.json.Decoder(_Meta)
_INVOCATION = msgspec.json.Decoder(_Invocation)
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_REPORTED = msgspec.json.Decoder(_Reported)
_MCP_RESULT = msgspec.json.Decoder(_McpResult)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_CODEX_TITLE = re.compile(r"Tool: ([^/]+)/(.+)")


def call_of(patch: CallPatch, identity: str, place: Place, servers: Collection[str]) -> ToolCall:
    """The call that the reports tell of, under the names that could be found in them."""
    name, resolved, arguments = _named(patch, servers)
    return ToolCall(
        identity,
        name,
        resolved.tool,
        text_of(arguments) if present(arguments) else None,
        place,
        resolved.server,
        resolved.mcp,
        resolved.inferred,
    )


def _named(patch: CallPatch, servers: Collection[str]) -> tuple[str, ToolName, msgspec.Raw]:
    """The recorded name, the server and tool it means, and the call's own arguments."""
    title = patch.title or patch.name or "unnamed"
    members = part_of(_MEMBERS, patch.raw_input) or {}
    invocation = part_of(_INVOCATION, patch.raw_input) if members.keys() <= {"server", "tool", "arguments"} else None
    if invocation:
        return title, ToolName(invocation.server, invocation.tool, mcp=True), invocation.arguments
    meta = part_of(_META, patch.meta) if present(patch.meta) else None
    own = meta.claude_code.tool if meta and meta.claude_code else ""
    name = own or patch.name or title
    if titled := _CODEX_TITLE.fullmatch(name):
        return name, ToolName(titled[1], titled[2], mcp=True, inferred=True), patch.raw_input
    return name, resolve(name, servers), patch.raw_input


def outcome_of(patch: CallPatch, place: Place, denied: Status | None) -> Outcome:
    """How the call ended, as far as it was reported; `denied` is what became of its permission."""
    result = _result(patch, place)
    match patch.status:
        case "completed":
            return (Status.TOOL_ERROR if result.is_error else Status.OK), "", result
        case "failed" if denied is None:
            return Status.TOOL_ERROR, "", msgspec.structs.replace(result, is_error=True)
    if denied is None:
        return Status.NO_RESULT, "no result is recorded", result
    note = "rejected by the user" if denied is Status.REJECTED else "cancelled before it was permitted"
    return denied, note, result


def _result(patch: CallPatch, place: Place) -> ToolResult:
    if part_of(_MCP_RESULT, patch.raw_output) is not None:
        return read_answer(Message(result=patch.raw_output), place).result
    raw = next((text_of(one) for one in (patch.raw_output, patch.content) if present(one)), "")
    blocks = tuple(_blocks(patch.content))
    if blocks or not present(patch.raw_output):
        return ToolResult(blocks, raw=raw, place=place)
    text = string_of(patch.raw_output)
    if text is not None:
        return ToolResult((ContentBlock("text", text),), raw=raw, place=place)
    return ToolResult((), raw, raw=raw, place=place)


def _blocks(content: msgspec.Raw) -> Iterator[ContentBlock]:
    for raw in part_of(_LIST, content) or ():
        part = part_of(_REPORTED, raw)
        if part is None:
            yield ContentBlock("malformed", note="not a part of a call's content")
        elif present(part.content):
            whole = msgspec.Raw(b'{"content":[' + bytes(part.content) + b"]}")
            yield from read_answer(Message(result=whole), Place(1, 0)).result.content
        else:
            yield ContentBlock(part.type or "unknown", note=part.path or part.terminal)
