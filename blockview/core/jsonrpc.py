"""JSON-RPC messages of MCP: telling them apart, which way they went, and the ids that pair them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, StrEnum

import msgspec

from blockview.core.jsontext import decode_string
from blockview.core.raw import ABSENT, part_of, present, raw_of, text_of

Identity = tuple[str, str]
"""A message id as a key: which kind of value it is and its text, so that `1` and `"1"` differ."""

_WHOLE = re.compile(r"(-?[0-9]+)\.0+")


class Direction(StrEnum):
    """Which way a message went; the value is its arrow on screen."""

    TO_SERVER = "→"
    TO_CLIENT = "←"

    @property
    def opposite(self) -> Direction:
        """The way an answer goes."""
        return Direction.TO_CLIENT if self is Direction.TO_SERVER else Direction.TO_SERVER


class Kind(Enum):
    """What a message is."""

    REQUEST = "request"
    NOTIFICATION = "notification"
    RESPONSE = "response"
    UNKNOWN = "unknown"


class Message(msgspec.Struct, frozen=True, gc=False):
    """One JSON-RPC message; everything but the method is kept as its recorded characters."""

    id: msgspec.Raw = ABSENT
    method: str | None = None
    params: msgspec.Raw = ABSENT
    result: msgspec.Raw = ABSENT
    error: msgspec.Raw = ABSENT

    @property
    def kind(self) -> Kind:
        """What the members make of the message. One that is null counts as absent, but for `result`."""
        if self.method is not None:
            return Kind.REQUEST if present(self.id) else Kind.NOTIFICATION
        return Kind.RESPONSE if len(self.result) or self.failed else Kind.UNKNOWN

    @property
    def failed(self) -> bool:
        """True for an error response. An empty error beside a result is a recorder's habit and says nothing."""
        return present(self.error) and not (len(self.result) and bytes(self.error) == b"{}")


Body = Message | list[msgspec.Raw]
"""What is recorded as one message: a message, or the members of a batch array."""

BODY: msgspec.json.Decoder[Body] = msgspec.json.Decoder(Message | list[msgspec.Raw])
_MESSAGE = msgspec.json.Decoder(Message)


def message_of(raw: msgspec.Raw | bytes) -> Message | None:
    """The JSON-RPC message in a text; None when it is not a JSON object."""
    return part_of(_MESSAGE, raw)


def identity(raw: msgspec.Raw) -> Identity | None:
    """The key of an id; None when there is none. Numbers keep all their digits, and `1.0` is the id `1`."""
    if not present(raw):
        return None
    text = text_of(raw)
    if text[0] == '"':
        return "string", decode_string(text)
    if text[0] in "-0123456789":
        whole = _WHOLE.fullmatch(text) if "." in text else None
        return "number", whole[1] if whole else text
    return "other", text


_CUT_RESPONSE = re.compile(
    r'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*,'
    r'\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"'
)


def cut_response(text: str) -> Identity | None:
    """The id of a response whose text was cut off by the recorder; None when the text does not begin like one."""
    found = _CUT_RESPONSE.match(text)
    return identity(raw_of(found[1])) if found else None


_ID = r'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)'
_FIRST_ID = re.compile(rf'\{{\s*(?:"[a-z]+"\s*:\s*"[^"]*"\s*,\s*)*{_ID}\s*,')
_LAST_ID = re.compile(rf',\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?{_ID}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}}\s*$')
_METHOD = re.compile(r'[{,]\s*"method"\s*:\s*"([^"\\]*)"')
_PART = re.compile(r'[{,]\s*"(params|result|error)"\s*:\s*')


def salvaged(text: str) -> Message | None:
    """The message in a text from which the recorder cut something out; None when nothing tells what it was.

    The first of params, result and error that begins in the text is kept as it was recorded, together with what
    follows it: it is not JSON.
    """
    part = _PART.search(text)
    top = text[: part.start() + 1] if part else text
    found_id = _FIRST_ID.match(text[: part.end()] if part else text) or _LAST_ID.search(text, len(top))
    found_method = _METHOD.search(top)
    if part is None or not (found_id or found_method):
        return None
    kept = {part[1]: raw_of(text[part.end() :])}
    return Message(raw_of(found_id[1]) if found_id else ABSENT, found_method[1] if found_method else None, **kept)


_CUT_CALL = re.compile(r'\s*\{\s*"name"\s*:\s*"([^"\\]*)"\s*(?:,\s*"arguments"\s*:\s*(.*))?', re.DOTALL)


def cut_call(params: str) -> tuple[str, str]:
    """The tool and the arguments in the params of a tools/call of which something is missing.

    The arguments are all that was recorded from their beginning on: never JSON, so that nobody sends them.
    """
    found = _CUT_CALL.match(params)
    return (found[1], found[2] or "") if found else ("", params)


_SAID_BY_SERVERS = frozenset(
    {
        "roots/list",
        "sampling/createMessage",
        "elicitation/create",
        "notifications/message",
        "notifications/progress",
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
        "notifications/elicitation/complete",
        "notifications/tasks/status",
    }
)
_ANSWERED_BY_CLIENTS = {
    "roots/list": b'"roots"',
    "sampling/createMessage": b'"model"',
    "elicitation/create": b'"action"',
}


def guess_direction(message: Message, waiting: Mapping[Direction, str]) -> Direction:
    """Which way a message went, for recordings that do not say it.

    Args:
        message: The message.
        waiting: For a response: the methods of the requests of that id that wait for one, by their direction.
    """
    if message.method is not None:
        return Direction.TO_CLIENT if message.method in _SAID_BY_SERVERS else Direction.TO_SERVER
    asked = waiting.get(Direction.TO_CLIENT)
    if asked is None:
        return Direction.TO_CLIENT
    if Direction.TO_SERVER not in waiting:
        return Direction.TO_SERVER
    mark = _ANSWERED_BY_CLIENTS.get(asked)
    return Direction.TO_SERVER if mark and mark in bytes(message.result) else Direction.TO_CLIENT
