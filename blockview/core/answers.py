"""What the answer to a tools/call says: how the call ended, and its result with all recorded characters."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from blockview.core import media
from blockview.core.jsonrpc import Message
from blockview.core.model import ContentBlock, Place, Status, ToolResult
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of


class Answer(NamedTuple):
    """How a call ended, why, and what came back."""

    status: Status
    note: str
    result: ToolResult


class _Task(msgspec.Struct, frozen=True, gc=False):
    id: str = msgspec.field(default="", name="taskId")


class _Result(msgspec.Struct, frozen=True, gc=False):
    content: msgspec.Raw = ABSENT
    structured: msgspec.Raw = msgspec.field(default=ABSENT, name="structuredContent")
    is_error: bool = msgspec.field(default=False, name="isError")
    type: str = msgspec.field(default="", name="resultType")
    task: _Task | None = None


class _Error(msgspec.Struct, frozen=True, gc=False):
    code: msgspec.Raw = ABSENT
    message: str = ""


class _Resource(msgspec.Struct, frozen=True, gc=False):
    uri: str = ""
    mime: str = msgspec.field(default="", name="mimeType")
    text: str | None = None
    blob: msgspec.Raw = ABSENT


class _Part(msgspec.Struct, frozen=True, gc=False):
    type: str = "unknown"
    text: str = ""
    mime: str = msgspec.field(default="", name="mimeType")
    data: msgspec.Raw = ABSENT
    uri: str = ""
    name: str = ""
    resource: _Resource | None = None


_RESULT = msgspec.json.Decoder(_Result)
_ERROR = msgspec.json.Decoder(_Error)
_PART = msgspec.json.Decoder(_Part)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_SAYS_ERROR = re.compile(r'"isError"\s*:\s*true')


def read_answer(message: Message, place: Place) -> Answer:
    """What a response to tools/call says. `place` is where its record stands."""
    if message.failed:
        return _error(text_of(message.error), message.error, place)
    raw = text_of(message.result)
    fields = part_of(_RESULT, message.result)
    if fields is None:
        return Answer(Status.OK, "the result is not a JSON object", ToolResult(raw=raw, place=place))
    structured = text_of(fields.structured) if present(fields.structured) else None
    result = ToolResult(_content(fields.content), structured, fields.is_error, raw, place)
    if fields.is_error:
        return Answer(Status.TOOL_ERROR, "", result)
    if fields.type == "input_required":
        return Answer(Status.INPUT_REQUIRED, "the server asks for input; a retry is a call of its own", result)
    if fields.task is not None and not present(fields.content):
        return Answer(Status.BACKGROUND, f"runs as task {fields.task.id}".rstrip(), result)
    return Answer(Status.OK, "", result)


def cut_answer(message: Message, place: Place) -> Answer:
    """What a response to tools/call says of which only a part was recorded: that part, as it stands.

    That the call failed is believed where the part says so.
    """
    raw = text_of(message.error if message.failed else message.result)
    failed = message.failed or _SAYS_ERROR.search(raw) is not None
    status = Status.PROTOCOL_ERROR if message.failed else Status.TOOL_ERROR if failed else Status.OK
    return Answer(status, "", ToolResult((ContentBlock("text", raw),), None, failed, raw, place))


def _error(raw: str, error: msgspec.Raw, place: Place) -> Answer:
    fields = part_of(_ERROR, error) or _Error(message=string_of(error) or raw)
    note = f"code {text_of(fields.code)}: {fields.message}" if present(fields.code) else fields.message
    content = (ContentBlock("text", fields.message),)
    return Answer(Status.PROTOCOL_ERROR, note, ToolResult(content, None, True, raw, place))


def _content(raw: msgspec.Raw) -> tuple[ContentBlock, ...]:
    if not present(raw):
        return ()
    parts = part_of(_LIST, raw)
    if parts is None:
        return (ContentBlock("malformed", note="the content is not a list"),)
    return tuple(_block(part) for part in parts)


def _block(raw: msgspec.Raw) -> ContentBlock:
    part = part_of(_PART, raw)
    if part is None:
        return ContentBlock("malformed", note="not a content block", digest=media.digest(bytes(raw)))
    if part.type == "text":
        return ContentBlock("text", part.text)
    if part.resource is not None:
        held = part.resource
        text = held.text
        size = media.base64_size(held.blob) if text is None else media.size(len(text.encode("utf-8", "surrogatepass")))
        data = bytes(held.blob) if text is None else text.encode("utf-8", "surrogatepass")
        return ContentBlock(part.type, note=media.note(held.uri, held.mime, size), digest=media.digest(data))
    note = media.note(part.uri, part.name, part.mime, media.base64_size(part.data))
    return ContentBlock(part.type, note=note, digest=media.digest(bytes(part.data if present(part.data) else raw)))
