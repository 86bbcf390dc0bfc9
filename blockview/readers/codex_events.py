"""What one item of Codex tells: the model's requests and outputs, and the host's events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta

import msgspec

from blockview.core.model import Place, Provenance, Status, Text, ToolCall, ToolResult
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.readers.codex_names import flat, tool_name
from blockview.readers.codex_outcomes import Outcome, ended, failed, returned, told
from blockview.readers.conversation import Answer, Event
from blockview.readers.times import at_ms


class Duration(msgspec.Struct, frozen=True, gc=False):
    """How long a call took."""

    secs: float = 0
    nanos: float = 0

    @property
    def ms(self) -> float:
        """The duration in milliseconds."""
        return self.secs * 1000 + self.nanos / 1_000_000


class Invocation(msgspec.Struct, frozen=True, gc=False):
    """A call as the host made it, under the real names."""

    server: str = ""
    tool: str = ""
    arguments: msgspec.Raw = ABSENT


class Payload(msgspec.Struct, frozen=True, gc=False):
    """An item; which members are filled depends on its type."""

    type: str = ""
    id: str = ""
    call_id: str = ""
    camel_call_id: str = msgspec.field(default="", name="callId")
    name: str = ""
    namespace: str | None = None
    status: str = ""
    arguments: msgspec.Raw = ABSENT
    input: msgspec.Raw = ABSENT
    action: msgspec.Raw = ABSENT
    output: msgspec.Raw = ABSENT
    tools: msgspec.Raw = ABSENT
    role: str = ""
    author: str = ""
    content: msgspec.Raw = ABSENT
    summary: msgspec.Raw = ABSENT
    summary_text: msgspec.Raw = ABSENT
    message: str = ""
    text: str = ""
    server: str = ""
    tool: str = ""
    invocation: Invocation | None = None
    result: msgspec.Raw = ABSENT
    error: msgspec.Raw = ABSENT
    duration: Duration | None = None
    item: msgspec.Raw = ABSENT
    started_at_ms: float | None = None
    completed_at_ms: float | None = None
    content_items: msgspec.Raw = ABSENT
    success: bool | None = None
    reason: str = ""
    num_turns: int = 0
    thread_name: str = ""
    kind: str = ""
    event_id: str = ""
    new_thread_id: str | None = None
    agent_thread_id: str = ""
    # Of session_meta:
    session_id: str = ""
    dynamic_tools: msgspec.Raw = ABSENT


UNANSWERED = "no result is recorded"
PAYLOAD = msgspec.json.Decoder(Payload)


class _Said(msgspec.Struct, frozen=True, gc=False):
    text: str | None = None
    message: str | None = None


_SAID = msgspec.json.Decoder(_Said)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])


def said(content: msgspec.Raw) -> list[str]:
    """The texts in a content: a text, or a list of texts and of objects that hold one."""
    if (whole := string_of(content)) is not None:
        return [whole]
    parts = [_text(raw) for raw in part_of(_LIST, content) or ()]
    return [text for text in parts if text is not None]


def _text(raw: msgspec.Raw) -> str | None:
    if bytes(raw)[:1] == b'"':
        return string_of(raw)
    part = part_of(_SAID, raw)
    return part.text if part else None


def problem(error: msgspec.Raw) -> str:
    """The text of an error that is a text or an object with a message."""
    part = part_of(_SAID, error) if bytes(error)[:1] == b"{" else None
    return string_of(error) or (part and part.message) or text_of(error)


class Moment(msgspec.Struct, frozen=True):
    """Where and when a record was written, and the names of the MCP servers that the recording mentions."""

    place: Place
    when: datetime | None
    servers: Collection[str] = ()


def _identity(payload: Payload, at: Moment) -> str:
    """The id that a call and its answers share, or one that nothing shares."""
    return payload.call_id or payload.camel_call_id or payload.id or f"{payload.type} at byte {at.place.byte}"


def item_events(payload: Payload, at: Moment) -> Iterator[Event]:
    """What an item of the conversation with the model tells, apart from texts.

    The types of calls end in `_call`, those of outputs in `_output`.
    """
    kind = payload.type
    identity = _identity(payload, at)
    if kind.endswith("_call"):
        yield _asked(payload, identity, at)
    elif kind == "tool_search_output":
        result = ToolResult((), text_of(payload.tools), raw=text_of(payload.tools), place=at.place)
        yield Answer(identity, Status.OK, result, when=at.when, provenance=Provenance.MODEL)
    elif kind.endswith("_output"):
        status, note, result = told(payload.output, at.place)
        yield Answer(identity, status, result, note, at.when, provenance=Provenance.MODEL)


_ALONE = frozenset({"web_search_call", "image_generation_call"})
"""Calls that the provider answers itself: their own record says that they are done."""


def _asked(payload: Payload, identity: str, at: Moment) -> ToolCall:
    name = payload.name or payload.type.removesuffix("_call")
    resolved = tool_name(name, payload.namespace, at.servers)
    done = payload.type in _ALONE and payload.status == "completed"
    return ToolCall(
        identity,
        flat(name, payload.namespace),
        resolved.tool,
        _arguments(payload),
        at.place,
        resolved.server,
        resolved.mcp,
        resolved.inferred,
        Provenance.MODEL,
        Status.OK if done else Status.NO_RESULT,
        "" if done else UNANSWERED,
        started=at.when,
    )


def _arguments(payload: Payload) -> str | None:
    """The model's text, which is recorded as a string; an empty one stands for no arguments.

    What is no JSON text in a string (a script, an action) is kept as it stands in the record.
    """
    if (text := string_of(payload.arguments)) is not None:
        return text if text.strip() else None
    return next((text_of(raw) for raw in (payload.arguments, payload.input, payload.action) if present(raw)), None)


def host_events(payload: Payload, at: Moment) -> Iterator[Event]:
    """What an event of the host tells, apart from texts."""
    make = _HOST.get(payload.type)
    if make is not None:
        yield from make(payload, at)


def _mcp_begin(payload: Payload, at: Moment) -> Iterator[Event]:
    if payload.invocation is not None:
        yield _made(_identity(payload, at), payload.invocation, at.place, at.when)


def _mcp_end(payload: Payload, at: Moment) -> Iterator[Event]:
    outcome = ended(payload.result, at.place)
    took = payload.duration.ms if payload.duration else None
    identity = _identity(payload, at)
    yield _made(identity, payload.invocation or Invocation(), at.place, _before(at.when, took))
    yield _answer(identity, outcome, at.when, took)


def _item(payload: Payload, at: Moment) -> Iterator[Event]:
    item = part_of(PAYLOAD, payload.item)
    if item is None or item.type != "McpToolCall":
        return
    began, over = at_ms(payload.started_at_ms or None), at_ms(payload.completed_at_ms or None) or at.when
    took = item.duration.ms if item.duration else None
    identity = _identity(item, at)
    invocation = Invocation(item.server, item.tool, item.arguments)
    yield _made(identity, invocation, at.place, began or _before(over, took))
    if present(item.error):
        yield _answer(identity, failed(problem(item.error), item.error, at.place), over, took)
    elif present(item.result):
        yield _answer(identity, returned(item.result, at.place), over, took)


def _dynamic_request(payload: Payload, at: Moment) -> Iterator[Event]:
    resolved = tool_name(payload.tool, payload.namespace, at.servers)
    yield ToolCall(
        _identity(payload, at),
        flat(payload.tool, payload.namespace),
        resolved.tool,
        text_of(payload.arguments) if present(payload.arguments) else None,
        at.place,
        resolved.server,
        resolved.mcp,
        status_note=UNANSWERED,
        started=at.when,
    )


def _dynamic_response(payload: Payload, at: Moment) -> Iterator[Event]:
    yield from _dynamic_request(payload, at)
    identity = _identity(payload, at)
    took = payload.duration.ms if payload.duration else None
    if present(payload.error):
        yield _answer(identity, failed(problem(payload.error), payload.error, at.place), at.when, took)
        return
    status, note, result = told(payload.content_items, at.place)
    status = Status.TOOL_ERROR if payload.success is False else status
    yield _answer(identity, (status, note, msgspec.structs.replace(result, is_error=status.failed)), at.when, took)


_HOST: dict[str, Callable[[Payload, Moment], Iterator[Event]]] = {
    "mcp_tool_call_begin": _mcp_begin,
    "mcp_tool_call_end": _mcp_end,
    "item_completed": _item,
    "dynamic_tool_call_request": _dynamic_request,
    "dynamic_tool_call_response": _dynamic_response,
}


def _made(identity: str, invocation: Invocation, place: Place, started: datetime | None) -> ToolCall:
    return ToolCall(
        identity,
        f"{invocation.server}.{invocation.tool}",
        invocation.tool,
        text_of(invocation.arguments) if present(invocation.arguments) else None,
        place,
        invocation.server or None,
        status_note=UNANSWERED,
        started=started,
    )


def _answer(identity: str, outcome: Outcome, when: datetime | None, took: float | None) -> Answer:
    status, note, result = outcome
    return Answer(identity, status, result, note, when, took)


def _before(when: datetime | None, took: float | None) -> datetime | None:
    """When something began that took so many milliseconds and has just ended."""
    try:
        return when - timedelta(milliseconds=took) if when is not None and took is not None else when
    except (OverflowError, ValueError):
        return when


def notes(payload: Payload, at: Moment) -> Iterator[Text]:
    """What an event says about the conversation itself."""
    match payload.type:
        case "turn_aborted":
            yield Text("note", f"turn aborted: {payload.reason or 'no reason given'}", at.place)
        case "thread_rolled_back":
            turns = "1 turn" if payload.num_turns == 1 else f"{payload.num_turns} turns"
            yield Text("note", f"rolled back: {turns}", at.place)
        case "error" | "stream_error" | "warning":
            yield Text("note", f"{payload.type.replace('_', ' ')}: {payload.message}", at.place)
