"""The bundled session shows what it is there to show."""

from __future__ import annotations

from pathlib import Path

import pytest

import blockview
from blockview.catalog.file import FileCatalog, read_tools
from blockview.core.coercion import Depth
from blockview.core.model import Provenance, Session, Status, Text, ToolCall
from blockview.core.prepare import Lookup, Missing, prepare
from blockview.core.result import result_value

FOLDER = Path(blockview.__file__).parent / "demo"


@pytest.fixture(scope="module")
def demo() -> Session:
    return blockview.open_session(FOLDER / "session.jsonl")


@pytest.fixture(scope="module")
def lookup() -> Lookup:
    return FileCatalog(read_tools(FOLDER / "tools.json"), "tools.json").lookup


def calls(session: Session) -> list[ToolCall]:
    return [call for block in session.blocks for call in block.calls]


def call(session: Session, tool: str, number: int = 0) -> ToolCall:
    return [call for call in calls(session) if call.tool == tool][number]


def test_it_is_read_without_a_complaint(demo: Session) -> None:
    assert demo.format == "claude-code"
    assert demo.diagnostics == ()
    assert demo.title == "Retry in the uploader"
    assert {call.provenance for call in calls(demo)} == {Provenance.MODEL}
    assert {call.server for call in calls(demo) if call.mcp} == {"editor", "metrics", "tickets", "deploy"}


@pytest.mark.parametrize(
    ("tool", "number", "dispatched"),
    [
        ("open", 0, '{"line":5,"column":1,"filePath":"server.go"}'),
        ("select", 0, '{"filePath":"server.go","line":5.5}'),
        ("select", 1, '{"filePath":"server.go","line":6}'),
        ("query", 0, '{"name":"upload.errors","from":-42,"limit":1000,"offset":0,"scale":1.0}'),
        ("sample", 0, '{"name":"upload.errors","seed":1e+20,"ratio":0.1}'),
        ("search", 0, '{"text":"retry storm","page":"5","size":true,"owner":null}'),
        ("get", 0, '{"id":1234567890123456789}'),
        ("get", 1, '{"id":9007199254740992}'),
        ("status", 0, '{"service":"uploader","build":118.0}'),
    ],
)
def test_every_row_of_the_coercion_table(
    demo: Session, lookup: Lookup, tool: str, number: int, dispatched: str
) -> None:
    assert prepare(call(demo, tool, number), lookup).dispatched == dispatched


def test_notes_and_the_missing_schema(demo: Session, lookup: Lookup) -> None:
    assert ["possibly rounded" in note.text for note in prepare(call(demo, "get", 1), lookup).notes] == [True]
    assert ["out of int64 range" in note.text for note in prepare(call(demo, "sample"), lookup).notes] == [True]
    assert isinstance(prepare(call(demo, "status"), lookup).schema, Missing)


def test_what_only_deep_changes(demo: Session, lookup: Lookup) -> None:
    create = call(demo, "create")
    top, deep = prepare(create, lookup), prepare(create, lookup, Depth.DEEP)
    assert top.deep_would_change == ("/labels/0/id", "/labels/1/id", "/notify/retries")
    assert top.changes == ()
    assert [change.after for change in deep.changes] == ["7", "12", "3"]


def test_every_outcome(demo: Session) -> None:
    wanted = {Status.OK, Status.TOOL_ERROR, Status.REJECTED, Status.NO_RESULT}
    assert wanted <= {call.status for call in calls(demo)}


def test_results_keep_their_digits(demo: Session) -> None:
    found = call(demo, "search", 1).result
    assert found is not None
    assert [hit["id"] for hit in result_value(found)["hits"]] == ["1234567890123456789", "9007199254740993"]  # type: ignore[index]
    looks_like_json = call(demo, "status").result
    assert looks_like_json is not None
    assert result_value(looks_like_json) == '{service: "uploader", build: 118, healthy: NaN,}'


def test_the_rest_of_the_story(demo: Session) -> None:
    assert [block.label for block in demo.blocks if "subagent" in block.label]
    assert any(isinstance(item, Text) and item.role == "thinking" for item in demo.blocks[0].items)
    chart, comments = call(demo, "chart").result, call(demo, "comments").result
    assert chart is not None and chart.content[0].kind == "image"
    assert comments is not None
    assert "進捗" in comments.text
    for hostile in ("[red]", "[@click=app.bell]", "\x1b[31m", "\x1b]52;", "\u202e", "\u200b"):
        assert hostile in comments.text
