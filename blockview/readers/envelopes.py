"""What recorders wrap around a JSON-RPC message: one small struct, one small function and one row per recorder."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from blockview.core.jsonrpc import BODY, Body, Direction, Kind, Message
from blockview.core.raw import ABSENT, part_of, present, string_of
from blockview.readers.records import Record

T = TypeVar("T")

NOT_A_MESSAGE = "not a message"
"""The kind of a record that holds something else than the recorder's messages."""
GONE = "can no longer be read"
_HEADER = "header"
"""The kind of a record that tells of the recording."""
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
    """True when something was cut out of the message: then what its body holds may be no JSON."""
    summary: bool = False
    """True when the recorder kept a description of the message only: then what its body holds is no JSON."""
    redacted: bool = False
    unnumbered: str | None = None
    """For a recorder that leaves the ids out: what an answer has in common with the requests it may belong to. The
    one that has waited longest has the answer."""
    tool: str | None = None
    """The server's name of the called tool, where the recorder wrapped it in another one."""
    clock: float | None = None
    """Milliseconds on a clock of the recorder's own, where no time is recorded."""
    latency: float | None = None
    """Milliseconds from the request to this answer, as the recorder measured them."""
    note: str = ""
    """What else the recorder says of the message."""


class Envelope(msgspec.Struct, Generic[T], frozen=True):
    """How one recorder wraps a message.

    `decoder` is what a record is decoded into, `unwrap` gets the frame out of that, and `claims` recognises the
    recorder by one parsed record. The first row of `ENVELOPES` that claims a record of a file has the file. Lines that
    begin with `comment`, if that is not empty, are no records.
    """

    format: str
    decoder: msgspec.json.Decoder[T]
    claims: Callable[[Mapping[str, Any]], bool]
    unwrap: Callable[[Record, T], Frame]
    comment: bytes = b""

    def is_comment(self, record: Record) -> bool:
        """True for a line that is no record."""
        return record.data.startswith(self.comment)


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


# mcpspy: {"timestamp": …, "transport_type": "stdio", "stdio_transport": {…}, "type": "request", …, "raw": "{…}"}


class _Stdio(msgspec.Struct, frozen=True, gc=False):
    from_pid: int = 0
    to_pid: int = 0


class _Http(msgspec.Struct, frozen=True, gc=False):
    pid: int = 0
    host: str = ""
    is_request: bool = False


class _Mcpspy(msgspec.Struct, frozen=True, gc=False):
    timestamp: msgspec.Raw = ABSENT
    transport_type: str = ""
    stdio: _Stdio | None = msgspec.field(default=None, name="stdio_transport")
    http: _Http | None = msgspec.field(default=None, name="http_transport")
    raw: str | None = None
    message_type: str = ""


def _mcpspy(record: Record, line: _Mcpspy) -> Frame:
    if line.raw is None:
        kind = f"{line.message_type} event" if line.message_type else NOT_A_MESSAGE
        return Frame(None, record.data, kind=kind, time=line.timestamp)
    way, lane = None, line.transport_type
    if line.stdio is not None:  # which of two processes is the server, only their messages tell
        lane = f"{min(line.stdio.from_pid, line.stdio.to_pid)} {max(line.stdio.from_pid, line.stdio.to_pid)}"
    elif line.http is not None:
        way = Direction.TO_SERVER if line.http.is_request else Direction.TO_CLIENT
        lane = f"{line.http.pid} {line.http.host}"
    body = part_of(BODY, line.raw.encode("utf-8", "surrogatepass"))
    return Frame(body, line.raw, way, NOT_JSON, lane=lane, time=line.timestamp)


# mcp-debug: {"timestamp": …, "direction": "request", "tool_name": "calc_add", "server_name": "calc", "message": {…}}
# between a header and comments. Only tool calls, without ids; a tool has its server's name in front of its own.


class _McpDebug(msgspec.Struct, frozen=True, gc=False):
    timestamp: msgspec.Raw = ABSENT
    start_time: msgspec.Raw = ABSENT
    direction: str = ""
    tool_name: str = ""
    server_name: str | None = None
    message: msgspec.Raw = ABSENT


class _Request(msgspec.Struct, frozen=True, gc=False):
    params: msgspec.Raw = ABSENT


_REQUEST = msgspec.json.Decoder(_Request)
_ADDED_BY_MCP_DEBUG = '{"type":"text","text":"\U0001f4f9 Recording: '.encode()


def _mcp_debug(record: Record, line: _McpDebug) -> Frame:
    body, way, note = None, Direction.TO_SERVER, ""
    if line.direction == "request" and present(line.message):
        request = part_of(_REQUEST, line.message)
        params = request.params if request and present(request.params) else line.message
        body = Message(id=_NO_ID, method="tools/call", params=params)
    elif line.direction == "response" and present(line.message):
        body, way = Message(id=_NO_ID, result=line.message), Direction.TO_CLIENT
        note = "the recorder added the last text" if _ADDED_BY_MCP_DEBUG in bytes(line.message) else ""
    server = line.server_name or ""
    return Frame(
        body,
        record.data,
        way if body else None,
        _HEADER if present(line.start_time) else NOT_A_MESSAGE,
        lane=server,
        server=server or None,
        time=line.timestamp,
        unnumbered=line.tool_name,
        tool=line.tool_name.removeprefix(f"{server}_"),
        note=note,
    )


_NO_ID = msgspec.Raw(b'""')
"""Makes a request of a call whose id was not recorded."""


# mcp-vcr in its newline form: {"_type": "meta", …} and then {"t": 41, "dir": "c2s", "payload": {…}}


class McpVcr(msgspec.Struct, frozen=True, gc=False):
    """One message of a recording by mcp-vcr; `t` is in milliseconds since its start."""

    t: float | None = None
    type: str = msgspec.field(default="", name="_type")
    dir: str = ""
    payload: msgspec.Raw = ABSENT


def mcp_vcr(record: Record, item: McpVcr) -> Frame:
    """The frame in a message of a recording by mcp-vcr, in its newline form or out of its YAML."""
    if not present(item.payload):
        return Frame(None, record.data, kind=_HEADER if item.type == "meta" else NOT_A_MESSAGE)
    body = part_of(BODY, item.payload)
    return Frame(body, bytes(item.payload), _MCPSNOOP_WAYS.get(item.dir), NOT_JSON, clock=item.t)


MCP_VCR: msgspec.json.Decoder[McpVcr] = msgspec.json.Decoder(McpVcr)


# blockview record: {"at": "2026-…", "way": "client→server", "server": "files", "text": "{…}"}


class _Own(msgspec.Struct, frozen=True, gc=False):
    version: int = msgspec.field(default=0, name="blockview-record")
    at: msgspec.Raw = ABSENT
    way: str = ""
    server: str | None = None
    text: str | None = None
    base64: str | None = None
    cut: bool = False


_OWN_WAYS = {"client→server": Direction.TO_SERVER, "server→client": Direction.TO_CLIENT}


def _own(record: Record, line: _Own) -> Frame:
    if line.version:
        return Frame(None, record.data, kind=_HEADER, server=line.server, time=line.at, starts=True)
    text: bytes | str | None = line.text
    if text is None and line.base64 is not None:
        try:
            text = b64decode(line.base64, validate=True)
        except ValueError:
            text = None
    way = _OWN_WAYS.get(line.way)
    if text is None or (way is None and line.way != "stderr"):
        return Frame(None, record.data, time=line.at)
    if way is None:
        return Frame(None, text, Direction.TO_CLIENT, "stderr", server=line.server, time=line.at)
    body = part_of(BODY, text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    return Frame(body, text, way, NOT_JSON, server=line.server, time=line.at, truncated=line.cut and body is None)


def _raw(record: Record, body: Body) -> Frame:
    return Frame(body, record.data)


def _is_mcporter(members: Mapping[str, Any]) -> bool:
    meta = members.get("_meta")
    return isinstance(meta, dict) and meta.get("dir") in ("send", "recv", "lifecycle")


ENVELOPES: tuple[Envelope[Any], ...] = (
    Envelope(
        "blockview-record",
        msgspec.json.Decoder(_Own),
        lambda members: "blockview-record" in members or (members.get("way") in _OWN_WAYS and "at" in members),
        _own,
    ),
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
    Envelope(
        "mcpspy",
        msgspec.json.Decoder(_Mcpspy),
        lambda members: "transport_type" in members and "raw" in members,
        _mcpspy,
    ),
    Envelope(
        "mcp-debug",
        msgspec.json.Decoder(_McpDebug),
        lambda members: "message_type" in members and members.get("direction") in ("request", "response"),
        _mcp_debug,
        comment=b"#",
    ),
    Envelope(
        "mcp-vcr",
        MCP_VCR,
        lambda members: "payload" in members and members.get("dir") in tuple(_MCPSNOOP_WAYS),
        mcp_vcr,
    ),
    Envelope("mcp-jsonrpc", BODY, lambda members: members.get("jsonrpc") == "2.0", _raw),
)
