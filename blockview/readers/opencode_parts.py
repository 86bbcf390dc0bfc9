"""What the messages of OpenCode and their parts say (packages/opencode/src/session/message-v2.ts of that project)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from blockview.core import media
from blockview.core.lenient import BadRecord, decode
from blockview.core.model import ContentBlock, Diagnostic, Place, Provenance, Status, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.conversation import Event, Prompt, Whole
from blockview.readers.document import unreadable
from blockview.readers.mcp_names import ToolName
from blockview.readers.records import Record
from blockview.readers.times import at_ms

_BUILT_IN = frozenset(
    {
        "apply_patch", "bash", "batch", "codesearch", "edit", "glob", "grep", "invalid", "list", "ls", "lsp",
        "lsp_diagnostics", "lsp_hover", "multiedit", "patch", "plan_enter", "plan_exit", "question", "read", "skill",
        "task", "todo_read", "todo_write", "todoread", "todowrite", "webfetch", "websearch", "write",
    }
)  # fmt: skip
_SILENT = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent"})
_INVALID = "invalid"
"""The tool to which OpenCode leads a call that it could not send; it is recorded as completed all the same."""

_FAILURES = (
    ("The user rejected permission to use this", Status.REJECTED, "rejected by the user"),
    ("The user has specified a rule which prevents", Status.DENIED, "denied by a rule"),
    ("Tool execution aborted", Status.CANCELLED, "aborted"),
)


class _Span(msgspec.Struct, frozen=True, gc=False):
    start: float | None = None
    end: float | None = None
    created: float | None = None
    compacted: float | None = None


class _ErrorData(msgspec.Struct, frozen=True, gc=False):
    message: str = ""


class _Error(msgspec.Struct, frozen=True, gc=False):
    name: str = "error"
    data: _ErrorData = _ErrorData()


class Message(msgspec.Struct, frozen=True, gc=False):
    """A message without its parts."""

    id: str = ""
    role: str = ""
    time: _Span = _Span()
    error: _Error | None = None


class _Metadata(msgspec.Struct, frozen=True, gc=False):
    truncated: bool = False
    output_path: str | None = msgspec.field(default=None, name="outputPath")
    session: str | None = msgspec.field(default=None, name="sessionId")


class _File(msgspec.Struct, frozen=True, gc=False):
    mime: str = ""
    filename: str = ""
    url: str = ""


class _State(msgspec.Struct, frozen=True, gc=False):
    status: str = ""
    input: msgspec.Raw = ABSENT
    raw: str = ""
    output: msgspec.Raw = ABSENT
    error: msgspec.Raw = ABSENT
    metadata: _Metadata = _Metadata()
    time: _Span = _Span()
    attachments: list[_File] | None = None


class _Part(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    text: str = ""
    synthetic: bool = False
    ignored: bool = False
    call: str = msgspec.field(default="", name="callID")
    tool: str = ""
    state: _State = _State()
    mime: str = ""
    filename: str = ""
    url: str = ""
    prompt: str = ""
    agent: str = ""
    auto: bool = False
    attempt: int = 0


class _Invalid(msgspec.Struct, frozen=True, gc=False):
    tool: str = ""
    error: str = ""


_PART = msgspec.json.Decoder(_Part)
_INVALID_INPUT = msgspec.json.Decoder(_Invalid)
MESSAGE = msgspec.json.Decoder(Message)


class Parts:
    """Turns the parts of messages into events, and keeps where those stand that are not known or cannot be read."""

    def __init__(self) -> None:
        self.unknown: set[Place] = set()
        self.unreadable: dict[Place, Diagnostic] = {}

    def events(self, message: Message, parts: Sequence[Record]) -> Iterator[Event]:
        """The events of one message."""
        read = [(record, part) for record in parts if (part := self._part(record)) is not None]
        if message.role == "user":
            yield from _prompt(message, [part for _, part in read])
        for record, part in read:
            if part.type == "tool":
                yield from _call(record, part)
            elif text := self._text(message.role, part, record.place):
                yield text
        if message.error is not None:
            ended = f"the answer ended with {message.error.name}: {message.error.data.message}"
            yield Text("note", ended.removesuffix(": "), parts[-1].place if parts else None)

    def _part(self, record: Record) -> _Part | None:
        try:
            return decode(_PART, record.data)
        except BadRecord as error:
            self.unreadable[record.place] = unreadable(record, error)
            return None

    def _text(self, role: str, part: _Part, place: Place) -> Text | None:
        match part.type:
            case "text" if role != "user" or not _typed(part):
                note = part.synthetic or part.ignored or role == "user"
                return Text("note" if note else "assistant", part.text, place) if part.text else None
            case "reasoning":
                return Text("thinking", part.text, place) if part.text else None
            case "file" if role != "user":
                return Text("note", _described(part), place)
            case "subtask" if role != "user":
                return Text("note", _subtask(part), place)
            case "retry":
                return Text("note", f"the request was tried again (attempt {part.attempt})", place)
            case "compaction":
                return Text("note", "context compacted here" + (" (auto)" if part.auto else ""), place)
            case "text" | "file" | "subtask":
                return None
        if part.type not in _SILENT:
            self.unknown.add(place)
        return None


def _typed(part: _Part) -> bool:
    """True for a text that the person wrote."""
    return part.type == "text" and not part.synthetic and not part.ignored


def _prompt(message: Message, parts: Sequence[_Part]) -> Iterator[Prompt]:
    said = [part.text for part in parts if _typed(part)]
    said += [_described(part) for part in parts if part.type == "file"]
    said += [_subtask(part) for part in parts if part.type == "subtask"]
    if said:
        yield Prompt("\n".join(said), when=at_ms(message.time.created))


def _subtask(part: _Part) -> str:
    return f"subtask for {part.agent or 'an agent'}: {part.prompt}"


def _described(file: _Part | _File) -> str:
    return f"[{_file(file).kind}: {_file(file).note}]"


def _file(file: _Part | _File) -> ContentBlock:
    kind = "image" if file.mime.startswith("image/") else "file"
    _, inline, data = file.url.partition(";base64,")
    where = media.base64_size(data.encode("utf-8", "surrogateescape")) if inline else file.url
    return ContentBlock(kind, note=media.note(file.filename, file.mime, where))


def _call(record: Record, part: _Part) -> Iterator[Event]:
    state, place = part.state, record.place
    name, arguments = _split(part.tool), text_of(state.input) if present(state.input) else None
    status, note = _ending(state)
    if part.tool == _INVALID:
        asked = part_of(_INVALID_INPUT, state.input) or _Invalid()
        name, arguments = _split(asked.tool or _INVALID), None
        status, note = Status.NEVER_SENT, f"{asked.tool or 'the call'} was not sent: {asked.error}".removesuffix(": ")
    streamed = state.status == "pending" and bool(state.raw)
    yield Whole(
        ToolCall(
            id=part.call,
            name=part.tool,
            tool=name.tool,
            arguments=state.raw if streamed else arguments,
            place=place,
            server=name.server,
            mcp=name.mcp,
            inferred=name.inferred,
            provenance=Provenance.MODEL if streamed else Provenance.HOST,
            status=status,
            status_note=note,
            result=_result(state, record, failed=status.failed),
            started=at_ms(state.time.start),
            duration_ms=_duration(state.time),
            agent=(state.metadata.session or "") if part.tool == "task" else "",
        )
    )


def _split(tool: str) -> ToolName:
    """OpenCode joins server and tool with `_`, which both may hold as well; its own tools are known by their names."""
    server, joined, name = tool.partition("_")
    if tool in _BUILT_IN or not (server and joined and name):
        return ToolName(None, tool, mcp=False)
    return ToolName(server, name, mcp=True, inferred=True)


def _ending(state: _State) -> tuple[Status, str]:
    match state.status:
        case "completed":
            notes = []
            if state.metadata.truncated:
                where = f"; the whole is in {state.metadata.output_path}" if state.metadata.output_path else ""
                notes.append(f"the recorder cut the output{where}")
            if state.time.compacted:
                notes.append("compaction took the output out of the context later")
            return Status.OK, "; ".join(notes)
        case "error":
            error = string_of(state.error) or ""
            for start, status, note in _FAILURES:
                if error.startswith(start):
                    return status, note
            return Status.TOOL_ERROR, ""
        case "pending":
            return Status.NO_RESULT, "the model was still writing the call"
        case "running":
            return Status.NO_RESULT, "the call was still running"
        case other:
            return Status.NO_RESULT, f"the call's state is not known: {other}" if other else "no result is recorded"


def _result(state: _State, record: Record, *, failed: bool) -> ToolResult | None:
    told = state.error if state.status == "error" else state.output
    if not present(told) and not state.attachments:
        return None
    text = string_of(told)
    blocks = [ContentBlock("text", text_of(told) if text is None else text)] if present(told) else []
    blocks += map(_file, state.attachments or ())
    return ToolResult(tuple(blocks), None, failed, text_of(record.data), record.place)


def _duration(time: _Span) -> float | None:
    return time.end - time.start if time.start is not None and time.end is not None and time.end >= time.start else None
