"""Tool calls of Claude Code: a `tool_use` block, its `tool_result` and what other lines tell of both."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from blockview.core.model import Place, Provenance, Status, ToolCall
from blockview.core.raw import first_byte, part_of, text_of
from blockview.readers.anthropic_blocks import Part, RecordedPart, tool_result
from blockview.readers.claude_known import Known
from blockview.readers.claude_lines import BlockLine, moment
from blockview.readers.mcp_names import ToolName, resolve
from blockview.readers.outcomes import background_task, outcome


class Answer(NamedTuple):
    """A result block, the line in which it stands, and that line's place."""

    recorded: RecordedPart
    line: BlockLine
    place: Place


class _Agent(msgspec.Struct, rename="camel", gc=False):
    agent_id: str | None = None


class _Asked(msgspec.Struct, gc=False):
    prompt: str = ""


class _Unparsed(msgspec.Struct, gc=False):
    raw: str


class _Input(msgspec.Struct, gc=False):
    unparsed: _Unparsed = msgspec.field(name="__unparsedToolInput")


_AGENT = msgspec.json.Decoder(_Agent)
_ASKED = msgspec.json.Decoder(_Asked)
_STARTERS = frozenset({"Task", "Agent"})
"""The tool that starts a subagent, under its names over time."""
_INPUT = msgspec.json.Decoder(_Input)


def call_of(part: Part, line: BlockLine, place: Place, answer: Answer | None, known: Known) -> ToolCall:
    """The call in a `tool_use` block of a line, with its answer when there is one."""
    name = _name(part, known)
    call = ToolCall(
        id=part.id or "",
        name=part.name or "",
        tool=name.tool,
        arguments=text_of(part.input) if len(part.input) else None,
        place=place,
        server=name.server,
        mcp=name.mcp,
        inferred=name.inferred,
        provenance=Provenance.MODEL,
        status_note="no result is recorded",
        started=moment(line.timestamp),
        agent=_agent(part, answer, known),
    )
    if answer is not None:
        call = _answered(call, answer, known)
    elif line.is_aborted_mid_stream:
        call = replace(call, status=Status.CANCELLED, status_note="the answer was cut off mid-stream")
    return _unparsed(call)


def orphan_of(answer: Answer) -> ToolCall:
    """A stand-in for the missing call of a result, so that the result is shown."""
    return ToolCall(
        id=answer.recorded.part.tool_use_id or "",
        name="",
        tool="",
        arguments=None,
        place=answer.place,
        mcp=False,
        provenance=Provenance.MODEL,
        status=Status.RESULT_WITHOUT_CALL,
        status_note="the call itself is not in the recording",
        result=tool_result(answer.recorded, _structured(answer.line), answer.place),
        started=moment(answer.line.timestamp),
    )


def _agent(part: Part, answer: Answer | None, known: Known) -> str:
    """The subagent that a call started: its result names it, or its lines name the call.

    The oldest versions name neither: there the prompt in the call is the one that the subagent begins with.
    """
    if answer is not None and first_byte(answer.line.tool_use_result) == b"{":
        details = part_of(_AGENT, answer.line.tool_use_result)
        if details is not None and details.agent_id:
            return details.agent_id
    if part.id in known.streams:
        return part.id or ""
    asked = part_of(_ASKED, part.input) if known.asked and part.name in _STARTERS and len(part.input) else None
    return known.asked.get(asked.prompt, "") if asked is not None else ""


def _name(part: Part, known: Known) -> ToolName:
    name = part.name or ""
    if part.server_name is not None:
        return ToolName(part.server_name, name, mcp=True)
    resolved = resolve(name, known.servers)
    told = known.progress.get(part.id or "")
    if resolved.mcp and told is not None and told.server and told.tool:
        return ToolName(told.server, told.tool, mcp=True)
    return resolved


def _answered(call: ToolCall, answer: Answer, known: Known) -> ToolCall:
    result = tool_result(answer.recorded, _structured(answer.line), answer.place)
    status, note = outcome(result.text, is_error=result.is_error, denial=answer.line.tool_denial_kind)
    if status is Status.TOOL_ERROR and call.id in known.denied:
        status, note = Status.DENIED, "permission was not granted"
    if status is Status.BACKGROUND and (row := known.notified.get(background_task(result.text) or "")) is not None:
        note += f"; its end is told at line {known.rows[row].line}"
    return replace(
        call, status=status, status_note=note, result=result, duration_ms=_duration_ms(call, answer.line, known)
    )


def _structured(line: BlockLine) -> str | None:
    held = line.mcp_meta.structured_content if line.mcp_meta is not None else msgspec.Raw()
    return text_of(held) if len(held) else None


def _duration_ms(call: ToolCall, answer: BlockLine, known: Known) -> float | None:
    told = known.progress.get(call.id)
    if call.mcp and told is not None and told.elapsed_ms is not None:
        return told.elapsed_ms
    ended = moment(answer.timestamp)
    if call.started is None or ended is None or ended < call.started:
        return None
    return (ended - call.started) / timedelta(milliseconds=1)


def _unparsed(call: ToolCall) -> ToolCall:
    """A call whose arguments the client could not parse: it never ran, and the model's own text is what counts."""
    if call.arguments is None or '"__unparsedToolInput"' not in call.arguments:
        return call
    held = part_of(_INPUT, call.arguments.encode("utf-8", "surrogateescape"))
    if held is None:
        return call
    note = "the model's arguments are not JSON, so the call was never sent"
    return replace(call, arguments=held.unparsed.raw, status=Status.NEVER_SENT, status_note=note)
