"""Items of OpenAI's Responses API: what each of them tells, with its recorded characters.

The shapes are those of the SDK's types: https://github.com/openai/openai-python.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from blockview.core.model import ContentBlock, Place, Provenance, Status, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.anthropic_blocks import content_block, parts
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.mcp_names import resolve
from blockview.readers.provider_log import as_far_as_it_came

_CALL, _OUTPUT = "_call", "_call_output"
_SEARCH_OUTPUT = "tool_search_output"
_TEXTS = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text", "refusal"})
_SILENT = frozenset({"mcp_list_tools", "item_reference", _SEARCH_OUTPUT, "additional_tools"})
_STARTED = frozenset({"in_progress", "calling", "searching", "interpreting", "generating"})


class Item(msgspec.Struct, frozen=True, gc=False):
    """One item; which members are filled depends on its type."""

    type: str = ""
    id: str = ""
    role: str = ""
    content: msgspec.Raw = ABSENT
    summary: msgspec.Raw = ABSENT
    call_id: str = ""
    name: str = ""
    namespace: str = ""
    server_label: str | None = None
    arguments: msgspec.Raw = ABSENT
    input: msgspec.Raw = ABSENT
    action: msgspec.Raw = ABSENT
    operation: msgspec.Raw = ABSENT
    code: msgspec.Raw = ABSENT
    queries: msgspec.Raw = ABSENT
    output: msgspec.Raw = ABSENT
    error: msgspec.Raw = ABSENT
    status: str = ""
    request: str = msgspec.field(default="", name="approval_request_id")
    approve: bool | None = None
    reason: str = ""


class _Error(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    code: msgspec.Raw = ABSENT
    message: str = ""
    content: msgspec.Raw = ABSENT


class _Refusal(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    refusal: str = ""


_ITEM = msgspec.json.Decoder(Item)
_ERROR = msgspec.json.Decoder(_Error)
_REFUSAL = msgspec.json.Decoder(_Refusal)


def item_of(data: bytes) -> Item | None:
    """An item out of its JSON text; None when it is none."""
    return part_of(_ITEM, data)


def item_events(item: Item, raw: bytes, place: Place) -> Iterator[Event]:
    """What an item tells. `raw` is its JSON text."""
    kind = item.type or ("message" if item.role else "")
    match kind:
        case "message":
            yield from _message(item, place)
        case "reasoning":
            for text in (*_texts(item.summary), *_texts(item.content)):
                yield Text("thinking", text, place)
        case "function_call":
            yield _function(item, place)
        case "custom_tool_call":
            yield _made(item, item.name, string_of(item.input), place)
        case "mcp_call":
            yield from _mcp_call(item, raw, place)
        case "mcp_approval_request":
            yield _mcp(item, item.id, Provenance.MODEL, place)
        case "mcp_approval_response":
            yield _decision(item)
        case _ if kind in _SILENT:
            return
        case _ if kind.endswith(_OUTPUT):
            yield _output(item, raw, place)
        case _ if kind.endswith(_CALL):
            yield from _own_tool(item, kind.removesuffix(_CALL), raw, place)
        case _ if kind:
            yield Text("note", kind.replace("_", " "), place)


def _message(item: Item, place: Place) -> Iterator[Event]:
    if item.role == "user":
        yield Prompt("\n".join(_shown(item.content)))
    elif item.role == "assistant":
        for text in _shown(item.content):
            if text:
                yield Text("assistant", text, place)


def _shown(content: msgspec.Raw) -> Iterator[str]:
    for recorded in parts(content):
        if recorded.part.type == "refusal":
            refusal = part_of(_REFUSAL, recorded.raw)
            yield refusal.refusal if refusal else ""
        else:
            block = _block(recorded.part.type, recorded.part.text) or content_block(recorded.part)
            yield block.text if block.kind == "text" else f"[{block.kind} block]"


def _block(kind: str | None, text: str | None) -> ContentBlock | None:
    return ContentBlock("text", text or "") if kind in _TEXTS else None


def _texts(content: msgspec.Raw) -> list[str]:
    return [text for text in _shown(content) if text] if present(content) else []


def written(raw: msgspec.Raw) -> str | None:
    """Arguments as written: the text of a JSON string, the JSON text of another value, None where there are none."""
    text = string_of(raw)
    return text if text is not None else text_of(raw) if present(raw) else None


def tool_name(name: str, namespace: str) -> tuple[str | None, str, bool, bool]:
    """Server, tool, whether it is MCP's, and whether that is a guess, for a function of a namespace or of none."""
    known = resolve(f"{namespace.removesuffix('__')}__{name}" if namespace.startswith("mcp__") else name)
    if not namespace or known.mcp:
        return known.server, known.tool, known.mcp, known.inferred
    return namespace, name, False, False


def _function(item: Item, place: Place) -> ToolCall:
    server, tool, mcp, inferred = tool_name(item.name, item.namespace)
    name = f"{item.namespace}.{item.name}" if item.namespace else item.name
    arguments = written(item.arguments)
    identity = item.call_id or item.id
    call = ToolCall(identity, name, tool, arguments, place, server, mcp, inferred, Provenance.MODEL)
    return as_far_as_it_came(call, item.status) if item.status == "incomplete" else call


def _made(item: Item, name: str, arguments: str | None, place: Place) -> ToolCall:
    """A call of a tool that is not MCP's."""
    identity = item.call_id or item.id
    return ToolCall(identity, name, name, arguments, place, mcp=False, provenance=Provenance.MODEL)


def _mcp(item: Item, identity: str, provenance: Provenance, place: Place) -> ToolCall:
    arguments = written(item.arguments)
    return ToolCall(identity, item.name, item.name, arguments, place, item.server_label, provenance=provenance)


def _mcp_call(item: Item, raw: bytes, place: Place) -> Iterator[Event]:
    """OpenAI's side is the host of these calls. One that was asked for before goes by the id of that request."""
    identity = item.request or item.id
    yield _mcp(item, identity, Provenance.HOST, place)
    status, note = Status.OK, ""
    content: tuple[ContentBlock, ...] = ()
    if present(item.error):
        status, note, message = _failure(item.error)
        content = (ContentBlock("text", message),)
    elif item.status in _STARTED or not (present(item.output) or item.status):
        return
    elif item.status in ("failed", "incomplete"):
        status = Status.TOOL_ERROR if item.status == "failed" else Status.NO_RESULT
        note = item.status
    if present(item.output):
        content = tuple(ContentBlock("text", text) for text in (written(item.output),) if text is not None)
    result = ToolResult(content, None, status.failed, text_of(raw), place) if content else None
    yield Answer(identity, status, result, note)


def _failure(raw: msgspec.Raw) -> tuple[Status, str, str]:
    """What an error of an MCP call says: a text in older responses, an object with a type in later ones."""
    text = string_of(raw)
    error = part_of(_ERROR, raw) if text is None else None
    if error is None:
        text = text if text is not None else text_of(raw)
        return Status.TOOL_ERROR, "", text
    message = error.message or "\n".join(_shown(error.content)) or text_of(raw)
    note = f"code {text_of(error.code)}: {error.message}" if present(error.code) else error.message
    failed = Status.TOOL_ERROR if error.type == "mcp_tool_execution_error" else Status.PROTOCOL_ERROR
    return failed, note, message


def _decision(item: Item) -> Answer:
    if item.approve:
        return Answer(item.request, Status.NO_RESULT, None, "approved", provenance=Provenance.MODEL)
    note = f"rejected: {item.reason}" if item.reason else "rejected"
    return Answer(item.request, Status.REJECTED, None, note, provenance=Provenance.MODEL)


def _output(item: Item, raw: bytes, place: Place) -> Answer:
    content: list[ContentBlock] = []
    for recorded in parts(item.output):
        content.append(_block(recorded.part.type, recorded.part.text) or content_block(recorded.part))
    status = Status.NO_RESULT if item.status == "in_progress" else Status.OK
    return Answer(item.call_id or item.id, status, ToolResult(tuple(content), raw=text_of(raw), place=place))


def _own_tool(item: Item, name: str, raw: bytes, place: Place) -> Iterator[Event]:
    """A call of a tool that OpenAI provides. What it was asked for stands in a member that depends on the tool."""
    asked = next(
        (
            member
            for member in (item.arguments, item.action, item.operation, item.input, item.code, item.queries)
            if present(member)
        ),
        ABSENT,
    )
    call = _made(item, name, written(asked), place)
    yield call
    if item.status == "completed" and not item.call_id:
        yield Answer(call.id, Status.OK, provenance=Provenance.MODEL)
    elif item.status == "failed":
        yield Answer(call.id, Status.TOOL_ERROR, None, "failed", provenance=Provenance.MODEL)
