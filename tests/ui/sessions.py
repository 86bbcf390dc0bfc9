"""Sessions made of model objects for the tests of the app: an ordinary one, hostile text, and as large as you like."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import overload

from msgspec.structs import replace

from blockview.core.model import Block, ContentBlock, Diagnostic, Place, Session, Status, Text, ToolCall, ToolResult
from blockview.core.prepare import Found, Missing
from blockview.ui.app import Opened

HERE = Place(1, 0, 10)
START = datetime(2026, 8, 19, 14, 2)

SCHEMAS: dict[str, dict[str, object]] = {
    "open_file": {
        "properties": {
            "line": {"type": "integer"},
            "column": {"type": "integer"},
            "filePath": {"type": "string"},
            "ratio": {"type": "number"},
        }
    },
    "run_job": {
        "properties": {
            "limit": {"type": "integer"},
            "opts": {"type": "object", "properties": {"retries": {"type": "integer"}, "ratio": {"type": "number"}}},
        }
    },
    "search": {"properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}},
}

HOSTILE = (
    "[red]not markup[/red] [@click=app.quit]click[/] \x1b[31mred\x1b[0m \x1b]0;title\x07 "
    "\u202etxt.exe 日本語 👩‍👩‍👧 e\u0301 \ud800 \x00"
)


def lookup(call: ToolCall) -> Found | Missing:
    """The schemas above; `get_log` and all else have none."""
    schema = SCHEMAS.get(call.tool)
    return Found(schema, "tools/list, line 3") if schema else Missing(f"no tool list has {call.server}.{call.tool}")


def result(text: str, *, is_error: bool = False) -> ToolResult:
    """A result of one text block."""
    return ToolResult((ContentBlock("text", text),), is_error=is_error, raw=text)


def call(
    tool: str,
    arguments: str | None,
    answer: str | None = "ok",
    *,
    server: str = "jobs",
    status: Status = Status.OK,
    took: float | None = 41,
    note: str = "",
) -> ToolCall:
    """An MCP call with its result."""
    told = None if answer is None else result(answer, is_error=status is Status.TOOL_ERROR)
    name = f"mcp__{server}__{tool}"
    return ToolCall(
        f"id-{tool}",
        name,
        tool,
        arguments,
        HERE,
        server=server,
        status=status,
        status_note=note,
        result=told,
        duration_ms=took,
    )


def session(*blocks: Block, diagnostics: tuple[Diagnostic, ...] = ()) -> Opened:
    """The blocks as a session, numbered and timed, with the lookup above."""
    made = [
        replace(block, index=at, started=block.started or START + timedelta(minutes=3 * at))
        for at, block in enumerate(blocks)
    ]
    counts = [len(block.calls) for block in made]
    return Opened(
        Session(
            "/recordings/uploader.jsonl",
            "test",
            made,
            diagnostics=diagnostics,
            call_counts=counts,
            read_raw=lambda place: '{"type":"user","message":{"content":[red]half a line',
        ),
        lookup,
    )


def block(prompt: str, *items: Text | ToolCall, label: str = "") -> Block:
    """A block, not yet numbered."""
    return Block(0, prompt, HERE, items, label=label)


def said(text: str, role: str = "assistant") -> Text:
    """Text of a block."""
    return Text(role, text)


def ordinary(*, diagnostics: bool = False, answer: str = '{"state":"done","total":10.0}') -> Opened:
    """A session with every mark: changed, respelled, no schema, error, denied, exact digits, a client's own tool.

    `answer` is the result of the first call of `run_job`.
    """
    bash = ToolCall(
        "b", "Bash", "Bash", '{"command":"ls -l"}', HERE, mcp=False, status=Status.OK, result=result("a\nb")
    )
    return session(
        block(
            "add the retry to the uploader",
            said("The uploader gives up at the first error. I look at it first, then change the limit.", "thinking"),
            said("I will open the file at the call, and look for others."),
            call("open_file", '{"line":5.0,"column":1.0,"filePath":"server.go"}', '{"text":"func main() {","line":5}'),
            call(
                "search", '{"query":"retry","limit":10}', '{"hits":[9007199254740993,1234567890123456789],"ratio":1.50}'
            ),
        ),
        block("why does it fail", bash),
        block(
            "set the limit to five",
            said("I will change the limit, then run it."),
            call(
                "run_job",
                '{"limit":5.0,"opts":{"retries":3.0,"ratio":0.50}}',
                answer,
                took=212,
            ),
            call("run_job", '{"limit":5.5}', "limit must be integer", status=Status.TOOL_ERROR, took=2100),
            call("get_log", '{"lines":50.0}', "line one\nline two", server="logs"),
            call("run_job", '{"limit":1e3}', None, status=Status.DENIED, took=None, note="the user said no"),
            label="subagent a1b2",
        ),
        block("thanks"),
        diagnostics=(Diagnostic(Place(7, 1234, 52), "the text ends too early at character 52"),) if diagnostics else (),
    )


def hostile() -> Opened:
    """Hostile text in every place that is shown."""
    quoted = '{"[b]k\\u0000ey[/b]":"\\u001b[31m[red]x[/red] \\ud800 日本語","line":1.0}'
    return session(
        block(
            HOSTILE,
            said(HOSTILE),
            call("open_file", quoted, HOSTILE, server="[red]srv[/red]\x1b[2J"),
            call("search", "[1,2", HOSTILE, status=Status.TOOL_ERROR, note=HOSTILE),
            label="[bold]label[/bold]\x1b",
        ),
        diagnostics=(Diagnostic(Place(1, 0), HOSTILE),),
    )


class Many(Sequence[Block]):
    """Blocks that are made when somebody looks at them."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Block: ...

    @overload
    def __getitem__(self, index: slice) -> list[Block]: ...

    def __getitem__(self, index: int | slice) -> Block | list[Block]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._size))]
        calls = tuple(call("run_job", f'{{"limit":{index}.0,"at":{number}}}') for number in range(3))
        return Block(index, f"prompt number {index}", HERE, calls, started=START)


def large(count: int) -> Opened:
    """A session of `count` blocks with three calls each."""
    return Opened(Session("large.jsonl", "test", Many(count), call_counts=[3] * count), lookup)
