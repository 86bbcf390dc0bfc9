"""Messages of Gemini CLI's sessions: what each of them tells, with its recorded characters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec

from blockview.core import media
from blockview.core.model import ContentBlock, Place, Status, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.claude_lines import moment
from blockview.readers.conversation import Event, Prompt, Whole
from blockview.readers.flat_names import resolve_flat
from blockview.readers.mcp_names import ToolName

USER = frozenset({"user"})
MODEL = frozenset({"gemini", "model"})
_NOTES = frozenset({"info", "warning", "error"})
_STATUS = {"success": Status.OK, "error": Status.TOOL_ERROR, "cancelled": Status.CANCELLED}
_DISPLAYED = re.compile(r"(.+) \((.+) MCP Server\)", re.DOTALL)
_CONFLICT = re.compile(r"([^_].*?)__(.+)", re.DOTALL)


class _Thought(msgspec.Struct, frozen=True, gc=False):
    subject: str = ""
    description: str = ""


class _Call(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    id: str = ""
    name: str = ""
    args: msgspec.Raw = ABSENT
    result: msgspec.Raw = ABSENT
    status: str = ""
    display_name: str = ""
    result_display: msgspec.Raw = ABSENT
    agent_id: str | None = None


class Message(msgspec.Struct, frozen=True, gc=False):
    """A message as recorded."""

    id: str = ""
    timestamp: str = ""
    type: str = ""
    content: msgspec.Raw = ABSENT
    parts: msgspec.Raw = ABSENT
    thoughts: list[_Thought] = []
    calls: list[_Call] = msgspec.field(default_factory=list, name="toolCalls")

    @property
    def is_note(self) -> bool:
        """True for what the program says to the person."""
        return self.type in _NOTES


class _Blob(msgspec.Struct, frozen=True, gc=False):
    mime: str = msgspec.field(default="", name="mimeType")
    data: msgspec.Raw = ABSENT
    uri: str = msgspec.field(default="", name="fileUri")


class _Response(msgspec.Struct, frozen=True, gc=False):
    response: msgspec.Raw = ABSENT
    parts: msgspec.Raw = ABSENT


class _Part(msgspec.Struct, frozen=True, gc=False):
    text: str | None = None
    inline: _Blob | None = msgspec.field(default=None, name="inlineData")
    file: _Blob | None = msgspec.field(default=None, name="fileData")
    response: _Response | None = msgspec.field(default=None, name="functionResponse")
    call: msgspec.Raw = msgspec.field(default=ABSENT, name="functionCall")


class _Said(msgspec.Struct, frozen=True, gc=False):
    output: msgspec.Raw = ABSENT
    error: msgspec.Raw = ABSENT


_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_PART = msgspec.json.Decoder(_Part)
_SAID = msgspec.json.Decoder(_Said)


def servers_of(message: Message) -> set[str]:
    """The names of the MCP servers that a message mentions in full."""
    found = (_DISPLAYED.fullmatch(call.display_name) for call in message.calls)
    return {match[2] for match in found if match}


def message_events(message: Message, place: Place, servers: Collection[str]) -> Iterator[Event]:
    """What a message tells.

    Args:
        message: The message.
        place: Where it stands.
        servers: The names of MCP servers that the session mentions.
    """
    content = message.content if present(message.content) else message.parts
    texts = [block.text if block.kind == "text" else f"[{block.kind} block]" for block in _blocks(content)]
    if message.type in USER:
        # What the program tells the model in the user's name, such as the answer to a call, is no prompt.
        if texts or not present(content):
            yield Prompt("\n".join(texts), when=moment(message.timestamp))
        return
    for thought in message.thoughts:
        text = ": ".join(filter(None, (thought.subject, thought.description)))
        if text:
            yield Text("thinking", text, place)
    for text in filter(None, texts):
        said = f"{message.type}: {text}" if message.type in ("error", "warning") else text
        yield Text("assistant" if message.type in MODEL else "note", said, place)
    for call in message.calls:
        yield Whole(_call(call, place, servers))


def _call(call: _Call, place: Place, servers: Collection[str]) -> ToolCall:
    known = _named(call, servers)
    result, failed = _result(call, place)
    status = _STATUS.get(call.status, Status.NO_RESULT)
    if status is Status.OK and failed:
        status = Status.TOOL_ERROR
    return ToolCall(
        call.id,
        call.name,
        known.tool,
        text_of(call.args) if present(call.args) else None,
        place,
        known.server,
        known.mcp,
        known.inferred,
        status=status,
        status_note="" if call.status in _STATUS else call.status.replace("_", " "),
        result=result,
        agent=call.agent_id or "",
    )


def _named(call: _Call, servers: Collection[str]) -> ToolName:
    """Server and tool: as they are displayed, else out of a name that says so."""
    displayed = _DISPLAYED.fullmatch(call.display_name)
    if displayed:
        return ToolName(displayed[2], displayed[1], mcp=True)
    conflict = _CONFLICT.fullmatch(call.name)
    if conflict and not call.name.startswith("mcp_"):
        return ToolName(conflict[1], conflict[2], mcp=True, inferred=True)
    return resolve_flat(call.name, servers)


def _result(call: _Call, place: Place) -> tuple[ToolResult | None, bool]:
    """What came back, and whether it says that the tool failed."""
    content = tuple(_blocks(call.result))
    if not content and present(call.result_display):
        shown = string_of(call.result_display)
        content = (ContentBlock("text", text_of(call.result_display) if shown is None else shown),)
    if not content and not present(call.result):
        return None, False
    failed = any(block.note == _FAILED for block in content)
    content = tuple(msgspec.structs.replace(block, note="") if block.note == _FAILED else block for block in content)
    is_error = failed or _STATUS.get(call.status) is Status.TOOL_ERROR
    return ToolResult(content, None, is_error, text_of(call.result), place), failed


_FAILED = "error"


def _blocks(content: msgspec.Raw) -> Iterator[ContentBlock]:
    """The parts of a message or a result: texts, and notes on what is not text."""
    if not present(content):
        return
    text = string_of(content)
    if text is not None:
        yield ContentBlock("text", text)
        return
    listed = part_of(_LIST, content) if bytes(content)[:1] == b"[" else [content]
    for raw in listed or ():
        text = string_of(raw)
        yield from (ContentBlock("text", text),) if text is not None else _of_part(part_of(_PART, raw) or _Part(), raw)


def _of_part(part: _Part, raw: msgspec.Raw) -> Iterator[ContentBlock]:
    blob = part.inline or part.file
    if part.text is not None:
        yield ContentBlock("text", part.text)
    elif blob is not None:
        kind = blob.mime.partition("/")[0] or "data"
        yield ContentBlock(kind, note=media.note(blob.uri, blob.mime, media.base64_size(blob.data)))
    elif part.response is not None:
        yield _answer(part.response.response)
        yield from _blocks(part.response.parts)
    elif not present(part.call):
        yield ContentBlock("unknown", note="a part of an unknown type")


def _answer(response: msgspec.Raw) -> ContentBlock:
    """The text of a function's response, which stands under `output` or `error`; any other one as its JSON text."""
    said = part_of(_SAID, response) or _Said()
    for member, note in ((said.output, ""), (said.error, _FAILED)):
        if present(member):
            text = string_of(member)
            return ContentBlock("text", text_of(member) if text is None else text, note)
    return ContentBlock("text", text_of(response))
