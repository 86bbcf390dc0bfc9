"""What an answer from the wire means for the call: how it ended, in a line for a person, with the result as it came."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from blockview.core.answers import read_answer
from blockview.core.jsonrpc import Message, message_of
from blockview.core.model import Place, Status, ToolResult
from blockview.core.outcome import Ended
from blockview.core.raw import ABSENT, part_of, present, text_of
from blockview.core.safetext import one_line

_INVALID_PARAMS = "-32602"
_DETAIL = 500
_LAST_LINES = 20


class Verdict(NamedTuple):
    """How a call ended by its answer; the members are those of `Outcome`."""

    ended: Ended
    detail: str = ""
    code: str = ""
    result: ToolResult | None = None
    status: Status | None = None


class _Error(msgspec.Struct, frozen=True, gc=False):
    code: msgspec.Raw = ABSENT


_ERROR = msgspec.json.Decoder(_Error)


def verdict(answer: bytes) -> Verdict:
    """What the answering message to a tools/call says."""
    message = message_of(answer)
    if message is None:
        return Verdict(Ended.PROTOCOL_ERROR, f"the answer is not JSON: {one_line(text_of(answer[:2000]), 160)}")
    status, note, result = read_answer(message, Place(1, 0, len(answer)))
    note = one_line(note, _DETAIL)
    if status is Status.PROTOCOL_ERROR:
        code = error_code(message)
        ended = Ended.REFUSED if code == _INVALID_PARAMS else Ended.PROTOCOL_ERROR
        return Verdict(ended, note, code, result, status)
    if status is Status.TOOL_ERROR:
        return Verdict(Ended.TOOL_ERROR, note, "", result, status)
    if not text_of(message.result).startswith("{"):
        return Verdict(Ended.PROTOCOL_ERROR, note, "", result, status)
    return Verdict(Ended.RESULT, note, "", result, status)


def error_code(message: Message) -> str:
    """The code of a JSON-RPC error, as it was written; empty without one."""
    error = part_of(_ERROR, message.error)
    return one_line(text_of(error.code), 40) if error is not None and present(error.code) else ""


def error_note(message: Message) -> str:
    """A JSON-RPC error in a line: "code -32603: …"."""
    return one_line(read_answer(message, Place(1, 0)).note, _DETAIL)


def last_lines(text: str) -> str:
    """The last lines of a server's stderr."""
    return "\n".join(text.rstrip().split("\n")[-_LAST_LINES:])
