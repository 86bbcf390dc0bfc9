"""What recorders wrap around a JSON-RPC message: one small struct, one small function and one row per recorder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from blockview.core.jsonrpc import BODY, Body, Direction, Kind, Message
from blockview.core.raw import ABSENT, part_of, present, string_of
from blockview.readers.records import Record

T = TypeVar("T")

NOT_A_MESSAGE = "not a message"
GONE = "can no longer be read"
"""The kind of a record that holds something else than the recorder's messages."""
NOT_JSON = "not JSON"
"""The kind of a record of text that went over the protocol's channel without being JSON."""


class Frame(NamedTuple):
    """One record without its envelope.

    `body` is the message or the batch, `text` its recorded characters. A record that holds none has no body: then
    `kind` says what it is ("stderr", "not JSON", …). `lane` tells the conversations apart that share a file, `peer`
    the clients of one conversation, whose ids are their own. `time` is as written; `moment` reads it.
    """

    body: Body | None
    text: bytes | str
    direction: Direction | None = None
    kind: str = NOT_A_MESSAGE
    lane: str = ""
    peer: str = ""
    server: str | None = None
    time: msgspec.Raw = ABSENT
    starts: bool = False
    """True for a record that says that a connection begins here."""
    sequence: int | None = None
    """The recorder's number of the record within its lane."""
    truncated: bool = False
    redacted: bool = False


class Envelope(msgspec.Struct, Generic[T], frozen=True):
    """How one recorder wraps a message.

    `decoder` is what a record is decoded into, `unwrap` gets the frame out of that, and `claims` recognises the
    recorder by one parsed record. The first row of `ENVELOPES` that claims a record of a file has the file.
    """

    format: str
    decoder: msgspec.json.Decoder[T]
    claims: Callable[[Mapping[str, Any]], bool]
    unwrap: Callable[[Record, T], Frame]


def moment(raw: msgspec.Raw) -> datetime | None:
    """The time in a recorded member: seconds since 1970 or an ISO 8601 text, UTC where no zone is given."""
    text = string_of(raw)
    try:
        if text is None:
            return datetime.fromtimestamp(float(bytes(raw)), UTC)
        time = datetime.fromisoformat(text)
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None


# mcp-rec: {"ts": 1796081428.79, "dir": "client->server", "msg": {…}}


class _McpRec(msgspec.Struct, frozen=True, gc=False):
    ts: msgspec.Raw = ABSENT
    dir: str = ""
    msg: msgspec.Raw = ABSENT


class _Unparsed(msgspec.Struct, frozen=True, gc=False):
    raw: str | None = msgspec.field(default=None, name="_raw")


_UNPARSED = msgspec.json.Decoder(_Unparsed)
_MCP_REC_WAYS = {"client->server": Direction.TO_SERVER, "server->client": Direction.TO_CLIENT}


def _mcp_rec(record: Record, line: _McpRec) -> Frame:
    if not present(line.msg):
        return Frame(None, record.data, time=line.ts)
    text, way = bytes(line.msg), _MCP_REC_WAYS.get(line.dir)
    body = part_of(BODY, text)
    if isinstance(body, Message) and body.kind is Kind.UNKNOWN:
        unparsed = part_of(_UNPARSED, text)
        if unparsed and unparsed.raw is not None:
            return Frame(None, unparsed.raw, way, NOT_JSON, time=line.ts)
    return Frame(body, text, way, time=line.ts)


# mcporter: the message itself with one more member, "_meta": {"dir": "send", "server": "name", "ts": "2026-…"}


class _McporterMeta(msgspec.Struct, frozen=True, gc=False):
    dir: str = ""
    server: str | None = None
    ts: msgspec.Raw = ABSENT


class _Mcporter(msgspec.Struct, frozen=True, gc=False):
    meta: _McporterMeta = msgspec.field(default=_McporterMeta(), name="_meta")
    method: str | None = None


_MCPORTER_WAYS = {"send": Direction.TO_SERVER, "recv": Direction.TO_CLIENT}


def _mcporter(record: Record, line: _Mcporter) -> Frame:
    meta, method = line.meta, line.method or ""
    lifecycle = meta.dir == "lifecycle"
    return Frame(
        None if lifecycle else part_of(BODY, record.data),
        record.data,
        _MCPORTER_WAYS.get(meta.dir),
        method if lifecycle else NOT_A_MESSAGE,
        lane=meta.server or "",
        server=meta.server,
        time=meta.ts,
        starts=lifecycle and method == "$transport/start",
    )


# mcpsnoop: {"session_id": …, "server_label": …, "seq": 7, "ts": …, "direction": "c2s", "raw": {…}}


class _Mcpsnoop(msgspec.Struct, frozen=True, gc=False):
    session_id: str = ""
    server_label: str | None = None
    seq: int | None = None
    ts: msgspec.Raw = ABSENT
    direction: str = ""
    raw: msgspec.Raw = ABSENT
    text: str = ""
    conn_id: str = ""
    truncated: bool = False
    redacted: bool = False


_MCPSNOOP_WAYS = {"c2s": Direction.TO_SERVER, "s2c": Direction.TO_CLIENT}


def _mcpsnoop(record: Record, line: _Mcpsnoop) -> Frame:
    body, text, kind = None, bytes(line.raw) if present(line.raw) else line.text, NOT_A_MESSAGE
    if line.direction in ("stderr", "meta"):
        kind = line.direction
    elif present(line.raw):
        body = part_of(BODY, line.raw)
    elif line.text:
        kind = NOT_JSON
    else:
        text = record.data
    return Frame(
        body,
        text,
        _MCPSNOOP_WAYS.get(line.direction),
        kind,
        lane=line.session_id,
        peer=line.conn_id,
        server=line.server_label or None,
        time=line.ts,
        sequence=line.seq,
        truncated=line.truncated,
        redacted=line.redacted,
    )


def _raw(record: Record, body: Body) -> Frame:
    return Frame(body, record.data)


def _is_mcporter(members: Mapping[str, Any]) -> bool:
    meta = members.get("_meta")
    return isinstance(meta, dict) and meta.get("dir") in ("send", "recv", "lifecycle")


ENVELOPES: tuple[Envelope[Any], ...] = (
    Envelope(
        "mcp-rec",
        msgspec.json.Decoder(_McpRec),
        lambda members: "msg" in members and members.get("dir") in tuple(_MCP_REC_WAYS),
        _mcp_rec,
    ),
    Envelope("mcporter", msgspec.json.Decoder(_Mcporter), _is_mcporter, _mcporter),
    Envelope(
        "mcpsnoop",
        msgspec.json.Decoder(_Mcpsnoop),
        lambda members: "session_id" in members and "seq" in members and "direction" in members,
        _mcpsnoop,
    ),
    Envelope("mcp-jsonrpc", BODY, lambda members: members.get("jsonrpc") == "2.0", _raw),
)
