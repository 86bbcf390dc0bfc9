"""What a request in a chat of VS Code tells: the prompt, the parts of the response, and what the model was given.

A call is told up to three times: with the arguments that the model wrote, with those that the person may have edited
before it ran, and with those that it ran with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from blockview.core import media
from blockview.core.answers import read_answer
from blockview.core.jsonrpc import Message
from blockview.core.model import ContentBlock, Place, Provenance, Status, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.flat_names import resolve_flat
from blockview.readers.mcp_names import ToolName
from blockview.readers.times import at_ms
from blockview.readers.vscode_log import Node

_SILENT = frozenset(
    {
        "agentDetection", "codeblockUri", "codeCitation", "command", "confirmation", "extensions", "externalEdit",
        "hook", "mcpServersStarting", "mcpServersStartingSerialized", "mcpAuthenticationRequired", "multiDiffData",
        "notebookEditGroup", "prepareToolInvocation", "progressMessage", "progressTask", "progressTaskSerialized",
        "pullRequest", "questionCarousel", "references", "textEdit", "textEditGroup", "treeData", "undoStop",
        "usedContext", "workspaceEdit",
    }
)  # fmt: skip
_COPY = re.compile(r"__vscode-\d+$")
_UNSAFE = re.compile(r"[^a-z0-9_.-]+")
_DENIED, _SKIPPED = 0, 5


class _Said(msgspec.Struct, frozen=True, gc=False):
    text: str | None = None
    parts: list[_Said] | None = None


class _Failure(msgspec.Struct, frozen=True, gc=False):
    message: str = ""


class _Asked(msgspec.Struct, frozen=True, gc=False):
    id: str = ""
    name: str = ""
    arguments: msgspec.Raw = ABSENT


class _Round(msgspec.Struct, frozen=True, gc=False):
    calls: list[_Asked] | None = msgspec.field(default=None, name="toolCalls")


class _Value(msgspec.Struct, frozen=True, gc=False):
    value: msgspec.Raw = ABSENT


class _Given(msgspec.Struct, frozen=True, gc=False):
    content: list[msgspec.Raw] | None = None


class _Metadata(msgspec.Struct, frozen=True, gc=False):
    rounds: list[_Round] | None = msgspec.field(default=None, name="toolCallRounds")
    results: dict[str, msgspec.Raw] | None = msgspec.field(default=None, name="toolCallResults")


class _Result(msgspec.Struct, frozen=True, gc=False):
    metadata: _Metadata = _Metadata()
    error: _Failure | None = msgspec.field(default=None, name="errorDetails")


class _Where(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    label: str = ""


class _Specific(msgspec.Struct, frozen=True, gc=False):
    raw: msgspec.Raw = msgspec.field(default=ABSENT, name="rawInput")


class _Details(msgspec.Struct, frozen=True, gc=False):
    input: msgspec.Raw = ABSENT
    output: msgspec.Raw = ABSENT
    failed: bool = msgspec.field(default=False, name="isError")
    mcp: msgspec.Raw = msgspec.field(default=ABSENT, name="mcpOutput")


class _Confirmed(msgspec.Struct, frozen=True, gc=False):
    type: int = -1


class _Part(msgspec.Struct, frozen=True, gc=False):
    kind: str = ""
    value: msgspec.Raw = ABSENT
    content: msgspec.Raw = ABSENT
    name: str = ""
    message: msgspec.Raw = ABSENT
    tool: str = msgspec.field(default="", name="toolId")
    call: str = msgspec.field(default="", name="toolCallId")
    confirmed: msgspec.Raw = msgspec.field(default=ABSENT, name="isConfirmed")
    complete: bool = msgspec.field(default=True, name="isComplete")
    source: _Where | None = None
    specific: _Specific = msgspec.field(default=_Specific(), name="toolSpecificData")
    details: msgspec.Raw = msgspec.field(default=ABSENT, name="resultDetails")


class _Output(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    value: str = ""
    is_text: bool | None = msgspec.field(default=None, name="isText")
    mime: str = msgspec.field(default="", name="mimeType")
    uri: msgspec.Raw = ABSENT
    data: msgspec.Raw = msgspec.field(default=ABSENT, name="base64Data")


_SAID = msgspec.json.Decoder(_Said)
_TIME = msgspec.json.Decoder(float)
_RESULT = msgspec.json.Decoder(_Result)
_PART = msgspec.json.Decoder(_Part)
_DETAILS = msgspec.json.Decoder(_Details)
_CONFIRMED = msgspec.json.Decoder(_Confirmed)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_OUTPUT = msgspec.json.Decoder(_Output)
_GIVEN = msgspec.json.Decoder(_Given)
_VALUE = msgspec.json.Decoder(_Value)


def request_events(request: Node, unknown: set[Place]) -> Iterator[Event]:
    """The events of one request; the places of parts that are not known are put into `unknown`."""
    held = request.members()
    yield _prompt(held)
    yield from _response(held["response"].items() if "response" in held else [], unknown)
    result = part_of(_RESULT, held["result"].data()) if "result" in held else None
    if result is None:
        return
    yield from _model(result.metadata, held["result"].place)
    if result.error is not None:
        yield Text("note", f"the answer ended with an error: {result.error.message}", request.place)


def _prompt(held: dict[str, Node]) -> Prompt:
    said = part_of(_SAID, held["message"].data()) if "message" in held else None
    text = said.text if said is not None else None
    if said is not None and text is None:
        text = "".join(part.text or "" for part in said.parts or ())
    when = part_of(_TIME, held["timestamp"].data()) if "timestamp" in held else None
    undone = "shouldBeRemovedOnSend" in held and held["shouldBeRemovedOnSend"].data() not in (b"null", b"false")
    return Prompt(text or "", "undone" if undone else "", at_ms(when))


def _response(parts: list[Node], unknown: set[Place]) -> Iterator[Event]:
    """The parts in order; pieces of one text that references interrupt are put together."""
    pieces: list[str] = []
    begun: Place | None = None
    for node in parts:
        part = part_of(_PART, node.data()) or _Part("unreadable")
        piece = _markdown(part)
        if piece is not None:
            begun = begun or node.place
            pieces.append(piece)
            continue
        if said := "".join(pieces):
            yield Text("assistant", said, begun)
        pieces, begun = [], None
        yield from _shown(part, node, unknown)
    if said := "".join(pieces):
        yield Text("assistant", said, begun)


def _markdown(part: _Part) -> str | None:
    match part.kind:
        case "":
            return string_of(part.value)
        case "markdownContent" | "markdownVuln":
            return _message(part.content)
        case "inlineReference":
            return f"`{part.name}`" if part.name else "`reference`"
    return None


def _shown(part: _Part, node: Node, unknown: set[Place]) -> Iterator[Event]:
    match part.kind:
        case "toolInvocationSerialized" | "toolInvocation":
            yield from _call(part, node)
        case "thinking":
            pieces = part_of(_STRINGS, part.value) if bytes(part.value)[:1] == b"[" else [string_of(part.value) or ""]
            if text := "".join(pieces or ()):
                yield Text("thinking", text, node.place)
        case "warning" | "errorMessage" | "elicitation" | "elicitationSerialized":
            told = _message(part.content) or _message(part.message)
            yield Text("note", f"{part.kind}: {told}", node.place)
        case kind if kind not in _SILENT:
            unknown.add(node.place)


_STRINGS = msgspec.json.Decoder(list[str])


def _message(raw: msgspec.Raw) -> str:
    """A text, or what Markdown is in: an object with the text as its value."""
    text = string_of(raw)
    if text is not None:
        return text
    return string_of((part_of(_VALUE, raw) or _Value()).value) or ""


def _call(part: _Part, node: Node) -> Iterator[Event]:
    identity, place = _COPY.sub("", part.call), node.place
    details = part_of(_DETAILS, part.details) if bytes(part.details)[:1] == b"{" else None
    name = _name(part.tool, part.source)
    ran = string_of(details.input) if details is not None else None
    call = ToolCall(
        identity,
        part.tool,
        name.tool,
        ran,
        place,
        server=name.server,
        mcp=name.mcp,
        inferred=name.inferred,
        status_note="no result is recorded",
    )
    shown = replace(call, arguments=text_of(part.specific.raw)) if present(part.specific.raw) else None
    yield from (call,) if ran is not None else ()
    yield shown if shown is not None else call
    if answer := _answer(part, details, text_of(node.data()), identity, place):
        yield answer


def _name(tool: str, source: _Where | None) -> ToolName:
    """An MCP tool is named `mcp_`, a beginning of the server's name in lower case, `_` and its own name."""
    if source is None:
        return resolve_flat(tool)
    if source.type != "mcp":
        return ToolName(None, tool, mcp=False)
    server, rest = source.label, tool.removeprefix("mcp_")
    plain = _UNSAFE.sub("_", server.lower())
    for length in range(len(plain), 0, -1):
        if rest != tool and rest.startswith(plain[:length] + "_"):
            return ToolName(server, rest[length + 1 :] or tool, mcp=True)
    return ToolName(server or None, tool, mcp=True, inferred=True)


def _answer(part: _Part, details: _Details | None, raw: str, identity: str, place: Place) -> Answer | None:
    confirmed = part_of(_CONFIRMED, part.confirmed) if bytes(part.confirmed)[:1] == b"{" else None
    if bytes(part.confirmed) == b"false" or (confirmed is not None and confirmed.type == _DENIED):
        return Answer(identity, Status.REJECTED, note="rejected by the user")
    if confirmed is not None and confirmed.type == _SKIPPED:
        return Answer(identity, Status.REJECTED, note="skipped by the user")
    if not part.complete:
        return Answer(identity, Status.NO_RESULT, note="the call was not complete")
    if details is None:
        return None
    if present(details.mcp):
        told = read_answer(Message(result=details.mcp), place)
        failed = details.failed and told.status is Status.OK
        status = Status.TOOL_ERROR if failed else told.status
        return Answer(identity, status, replace(told.result, is_error=status.failed, raw=raw), told.note)
    if not present(details.output):
        return None
    result = ToolResult(tuple(_outputs(details.output)), None, details.failed, raw, place)
    return Answer(identity, Status.TOOL_ERROR if details.failed else Status.OK, result)


def _outputs(raw: msgspec.Raw) -> Iterator[ContentBlock]:
    text = string_of(raw)
    if text is not None:
        yield ContentBlock("text", text)
        return
    listed = part_of(_LIST, raw) if bytes(raw)[:1] == b"[" else [raw]
    for one in listed or ():
        output = part_of(_OUTPUT, one) or _Output("unreadable")
        where = string_of(output.uri)
        if output.type == "text" or (output.type == "embed" and output.is_text is not False):
            yield ContentBlock("text", output.value)
        elif output.type == "embed":
            size = media.base64_size(output.value.encode("utf-8", "surrogateescape"))
            kind = output.mime.partition("/")[0] if output.mime.startswith(("image/", "audio/")) else "resource"
            yield ContentBlock(kind, note=media.note(where, output.mime, size))
        else:
            kind = "resource_link" if output.type == "ref" else output.type or "unknown"
            yield ContentBlock(kind, note=media.note(where, output.mime, media.base64_size(output.data)))


def _model(metadata: _Metadata, place: Place) -> Iterator[Event]:
    """What the model asked for, and what it was given."""
    for turn in metadata.rounds or ():
        for asked in turn.calls or ():
            name, arguments = _name(asked.name, None), string_of(asked.arguments)
            if arguments is None and present(asked.arguments):
                arguments = text_of(asked.arguments)
            yield ToolCall(
                _COPY.sub("", asked.id),
                asked.name,
                name.tool,
                arguments,
                place,
                server=name.server,
                mcp=name.mcp,
                inferred=name.inferred,
                provenance=Provenance.MODEL,
                status_note="no result is recorded",
            )
    for identity, raw in (metadata.results or {}).items():
        given = part_of(_GIVEN, raw) or _Given()
        values = [(part_of(_VALUE, one) or _Value()).value for one in given.content or ()]
        texts = [string_of(value) for value in values]
        blocks = [ContentBlock("prompt-tsx" if text is None else "text", text or "") for text in texts]
        result = ToolResult(tuple(blocks), raw=text_of(raw), place=place)
        yield Answer(_COPY.sub("", identity), Status.OK, result, provenance=Provenance.MODEL)
