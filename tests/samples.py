"""A small session that shows every kind of row: changes, spellings, no schema, errors, images, hostile text."""

from __future__ import annotations

from datetime import UTC, datetime

from blockview.core.model import (
    Block,
    ContentBlock,
    Diagnostic,
    Place,
    Provenance,
    Session,
    Status,
    Text,
    ToolCall,
    ToolResult,
)
from blockview.core.prepare import Found, Missing, Prepared, prepare

SCHEMA: dict[str, object] = {
    "properties": {
        "line": {"type": "integer"},
        "column": {"type": "integer"},
        "filePath": {"type": "string"},
        "ratio": {"type": "number"},
        "big": {"type": "integer"},
        "opts": {"type": "object", "properties": {"retries": {"type": "integer"}}},
    }
}
OPEN_SENT = '{"line":5,"column":1,"filePath":"server.go"}'


def text_result(text: str, *, is_error: bool = False) -> ToolResult:
    return ToolResult((ContentBlock("text", text),), is_error=is_error)


def make_call(
    arguments: str | None,
    result: ToolResult | None = None,
    status: Status = Status.OK,
    *,
    number: int = 1,
    tool: str = "open",
    server: str | None = "editor",
    note: str = "",
    provenance: Provenance = Provenance.HOST,
    duration_ms: float | None = None,
) -> ToolCall:
    return ToolCall(
        id=f"call_{number}",
        name=f"mcp__{server}__{tool}",
        tool=tool,
        server=server,
        arguments=arguments,
        place=Place(number, 0),
        status=status,
        status_note=note,
        result=result,
        provenance=provenance,
        duration_ms=duration_ms,
    )


def prepare_sample(call: ToolCall) -> Prepared:
    """The step with a catalog that knows every tool of the server "editor" and nothing else."""
    known = call.server == "editor"
    return prepare(call, lambda _: Found(SCHEMA, "tools/list, line 3") if known else Missing("no list for metrics"))


CHANGED = make_call(
    '{"line":5.0,"column":1.0,"filePath":"server.go"}', text_result("5: func retry()"), duration_ms=41.0
)
SPELLED = make_call(
    '{"line":1e3,"ratio":0.50,"big":9007199254740992.0,"opts":{"retries":3.0},"dup":1,"dup":2}',
    text_result('{"id":1234567890123456789,"cost":0.10000000000000000555,"a":1,"a":-0,"rows":[1,[],{}]}'),
    number=2,
    tool="run",
    provenance=Provenance.BEFORE_COERCION,
    duration_ms=2100.0,
)
UNKNOWN = make_call(
    '{"lines":50.0}', text_result("limit must be integer", is_error=True), Status.TOOL_ERROR, number=3, server="metrics"
)
DENIED = make_call("{}", None, Status.DENIED, number=4, tool="erase", note="the person said [red]no[/red]")
ODD = make_call(
    '{"line":NaN,"note":"first \\u001b[31m\\nsecond\\nthird"}',
    ToolResult(
        (ContentBlock("text", "done \x1b]0;title\x07 \u202eexe"), ContentBlock("image", note="image/png, 12.3 KB")),
        structured='{"n": 1.10}',
    ),
    number=5,
    tool="draw",
)
NOTHING = make_call(None, None, Status.NO_RESULT, number=6, tool="ping")
BROKEN = make_call('{"line":5.0', text_result("[1,2"), Status.PROTOCOL_ERROR, number=7)

BLOCKS = (
    Block(
        0,
        "Open server.go\nwhere the [bold]retry[/bold] starts",
        Place(1, 0),
        (Text("thinking", "Line 5, I think."), Text("assistant", "I will open it.\x07"), CHANGED, SPELLED),
        started=datetime(2026, 3, 9, 14, 2, 12, tzinfo=UTC),
    ),
    Block(
        1, "中文 and 👨‍👩‍👧 here", Place(9, 900), (UNKNOWN, DENIED, Text("note", "two left"), ODD), label="subagent a1"
    ),
    Block(2, "", Place(20, 2000), (NOTHING, BROKEN)),
)
SESSION = Session(
    source="retry.jsonl",
    format="claude-code",
    blocks=BLOCKS,
    title="Retry in the uploader",
    diagnostics=(Diagnostic(Place(17, 1543), "not JSON: \x1b[2J"),),
    call_counts=(2, 3, 2),
)
