"""What is found in a call."""

from typing import Any

import pytest
from msgspec.structs import replace

from blockview.core.baseline import Known, baseline_text, known, read_baseline
from blockview.core.coercion import Depth
from blockview.core.findings import FAILING, Kind, call_findings, diagnostic_finding
from blockview.core.model import ContentBlock, Diagnostic, Place, Status, ToolCall, ToolResult
from blockview.core.prepare import Found, Missing, prepare

SCHEMA = {
    "type": "object",
    "properties": {
        "line": {"type": "integer"},
        "id": {"type": "integer"},
        "opts": {"type": "object", "properties": {"retries": {"type": "integer"}}},
    },
}
OUTPUT = '{"type":"object","required":["id"]}'
CALL = ToolCall("t1", "mcp__jobs__run", "run", "{}", Place(3, 40, 9), server="jobs", status=Status.OK)


def result(text: str = "done", **members: Any) -> ToolResult:
    return ToolResult((ContentBlock("text", text),), place=Place(4, 80, 9), **members)


def found(call: ToolCall, *, schema: object = SCHEMA, output: str | None = None) -> list[tuple[str, str]]:
    answer = Found(schema, "test") if isinstance(schema, dict) else Missing("not listed")
    prepared = prepare(call, lambda _: answer, Depth.TOP)
    return [(one.kind.value, one.path) for one in call_findings(call, prepared, lambda _: output, 1000.0)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"line":5,"opts":{"retries":3}}', []),
        ('{"line":5.0}', [("changed", "/line")]),
        ('{"line":1e3,"line":5}', [("changed", "/line")]),
        ('{"line":NaN}', [("changed", "/line"), ("rejected", "/line")]),
        ('{"line":5.5}', [("rejected", "/line")]),
        ('{"opts":{"retries":3.0}}', [("deep", "/opts/retries")]),
        ('{"id":9007199254740994}', [("rounded", "/id")]),
        ('{"id":9007199254740994.0}', [("changed", "/id"), ("rounded", "/id")]),
        ('{"lines":5}', [("unnamed", "/lines"), ("unnamed", "")]),
        ("[1]", [("blocked", "")]),
        ('{"line":1e3}', [("changed", "/line")]),
        ('{"name":1e3}', [("unnamed", "/name"), ("unnamed", "")]),  # another spelling is no finding
    ],
)
def test_arguments(arguments: str, expected: list[tuple[str, str]]) -> None:
    assert found(replace(CALL, arguments=arguments)) == expected


def test_schemas() -> None:
    assert found(CALL, schema=None) == [("no-schema", "")]
    assert found(replace(CALL, mcp=False), schema=None) == []
    assert found(CALL, schema={"type": "nonsense"}) == [("bad-schema", "")]


@pytest.mark.parametrize(
    ("answer", "output", "expected"),
    [
        (result('{"id":1}'), None, []),
        (result('{"id":1,}'), None, ["not-json"]),
        (result("[see this](https://example.com)"), None, []),
        (result('{"id":1234567890123456800}'), None, ["rounded"]),
        (result(structured='{"id":1}'), OUTPUT, []),
        (result(structured='{"no":1}'), OUTPUT, ["output"]),
        (result(), OUTPUT, ["output"]),
        (result("x" * (8 << 20) + "y"), None, ["unread"]),
    ],
)
def test_results(answer: ToolResult, output: str | None, expected: list[str]) -> None:
    assert [kind for kind, _ in found(replace(CALL, result=answer), output=output)] == expected


def test_endings() -> None:
    failed = replace(CALL, status=Status.TOOL_ERROR, result=result("no such job", is_error=True), duration_ms=1500.0)
    prepared = prepare(failed, lambda _: Found(SCHEMA, "test"), Depth.TOP)
    told = list(call_findings(failed, prepared, lambda _: OUTPUT, 1000.0))
    assert [(one.kind, one.message, one.place.line) for one in told] == [
        (Kind.ERROR, "tool-error: no such job", 4),
        (Kind.SLOW, "it took 1.5 s", 4),
    ]
    assert found(replace(CALL, status=Status.NO_RESULT)) == [("pending", "")]


def test_notes_fail_no_check_and_all_else_does() -> None:
    assert {Kind.ERROR, Kind.DEEP, Kind.SLOW, Kind.PENDING, Kind.NOT_JSON}.isdisjoint(FAILING)
    assert {Kind.CHANGED, Kind.REJECTED, Kind.NO_SCHEMA, Kind.ROUNDED, Kind.UNREAD} <= FAILING
    assert all(kind.help for kind in Kind)


def test_a_baseline_knows_a_kind_at_a_place_of_a_tool_whatever_the_element() -> None:
    call = replace(CALL, arguments='{"line":5.0}')
    (one,) = call_findings(call, prepare(call, lambda _: Found(SCHEMA, "x"), Depth.TOP), lambda _: None, 1000.0)
    accepted = read_baseline(baseline_text([known(one, call)]).encode())
    assert known(one, replace(call, id="another")) in accepted
    assert known(replace(one, path="/id"), call) not in accepted
    assert known(replace(one, path="/a/3/b/0"), call) == Known("changed", "jobs", "run", "/a/*/b/*")
    unread = diagnostic_finding(Diagnostic(Place(9, 9), "not JSON"))
    assert known(unread, None) == Known("unread")


@pytest.mark.parametrize("text", ["", "[]", '{"blockview-baseline":2,"known":[]}', '{"known":3}', "\xff"])
def test_what_is_no_baseline_is_told_in_a_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]*baseline[^\n]*$"):
        read_baseline(text.encode("latin-1"))
