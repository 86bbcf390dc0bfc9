"""How a call that was sent to a live server ended, and what came back."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec

from blockview.core.model import Status, ToolResult
from blockview.core.prepare import Prepared


class Ended(StrEnum):
    """How a dispatched call ended."""

    RESULT = "result"
    TOOL_ERROR = "tool error"
    """The server answered with `isError`."""
    PROTOCOL_ERROR = "protocol error"
    """The server answered with a JSON-RPC error, or with something that is no valid answer."""
    REFUSED = "refused by validation"
    """The server answered with the JSON-RPC error -32602, invalid params."""
    TIMED_OUT = "timed out"
    SERVER_DIED = "server died"
    """The connection ended before the answer came, or the server could not be reached at all."""
    CANNOT_SEND = "cannot be sent"
    """Nothing was sent: the arguments have no wire text, or there is no server for the call."""
    CANCELLED = "cancelled"


class Outcome(msgspec.Struct, frozen=True):
    """What became of one call.

    `detail` is one line for the person ("code -32603: …", "no answer within 60 s"). `sent` is the text of `arguments`
    as the connection wrote it, None where nothing or no arguments were written. `result` and `raw` come from the
    server's own message, so they are there also when the SDK refused it. `remarks` tell what was odd on the way (noise
    on stdout, an answer that violates the output schema), `stderr` is the end of what the server wrote there.
    """

    ended: Ended
    detail: str = ""
    code: str = ""
    sent: str | None = None
    status: Status | None = None
    """How the call ended in the words of recordings; None without an answer."""
    result: ToolResult | None = None
    raw: str = ""
    remarks: tuple[str, ...] = ()
    stderr: str = ""
    prepared: Prepared | None = None
    """What the dispatch path made of the recorded arguments, with its own lookup."""
    started: datetime | None = None
    duration_ms: float | None = None
