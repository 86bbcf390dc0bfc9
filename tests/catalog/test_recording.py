"""A recording's own tool lists."""

from __future__ import annotations

from blockview.catalog.recording import RecordingCatalog
from blockview.core.model import Place, ToolCall, ToolSpec
from blockview.core.prepare import Found, Missing

INTEGER = '{"properties":{"n":{"type":"integer"}}}'
NUMBER = '{"properties":{"n":{"type":"number"}}}'


def call(tool: str = "add", server: str | None = None, line: int = 10, connection: str = "") -> ToolCall:
    place = Place(line, 0)
    return ToolCall("1", tool, tool, '{"n":1.0}', place, server=server, connection=connection)


def reason(answer: Found | Missing) -> str:
    assert isinstance(answer, Missing)
    return answer.reason


def test_found_with_its_source() -> None:
    catalog = RecordingCatalog([ToolSpec("calc", "add", INTEGER, since=3)])
    assert catalog.lookup(call(server="calc")) == Found(
        {"properties": {"n": {"type": "integer"}}}, "tools/list, line 3"
    )


def test_reasons() -> None:
    assert reason(RecordingCatalog([]).lookup(call())) == "the recording lists no tools"
    catalog = RecordingCatalog([ToolSpec("calc", "add", None, since=3), ToolSpec("calc", "bad", "[1]", since=3)])
    assert reason(catalog.lookup(call("sub"))) == "the recording's tools/list does not have sub"
    assert (
        reason(catalog.lookup(call(server="other"))) == "the recording's tools/list for server other does not have add"
    )
    assert reason(catalog.lookup(call())) == "tools/list, line 3 has no input schema for add"
    assert reason(catalog.lookup(call("bad"))) == "tools/list, line 3: the input schema is not an object"


def test_a_named_server_is_asked_alone_and_an_unnamed_one_is_ambiguous() -> None:
    catalog = RecordingCatalog([ToolSpec("a", "add", INTEGER, since=1), ToolSpec("b", "add", NUMBER, since=2)])
    assert catalog.lookup(call(server="b")) == Found({"properties": {"n": {"type": "number"}}}, "tools/list, line 2")
    answer = catalog.lookup(call())
    assert isinstance(answer, Found)
    assert answer.source == "tools/list, line 1 (ambiguous: b has it too)"
    assert answer.schema == {"properties": {"n": {"type": "integer"}}}


def test_a_connection_is_asked_alone() -> None:
    tools = [
        ToolSpec("s", "add", INTEGER, since=1, connection="1"),
        ToolSpec("s", "add", NUMBER, since=5, connection="2"),
    ]
    answer = RecordingCatalog(tools).lookup(call(server="s", connection="2"))
    assert answer == Found({"properties": {"n": {"type": "number"}}}, "tools/list, line 5")
    assert isinstance(RecordingCatalog(tools).lookup(call(connection="3")), Missing)


def test_the_list_in_force_counts() -> None:
    tools = [ToolSpec("s", "add", INTEGER, since=3, until=8), ToolSpec("s", "add", NUMBER, since=12)]
    catalog = RecordingCatalog(tools)

    def source(line: int) -> str:
        answer = catalog.lookup(call(line=line))
        assert isinstance(answer, Found)
        return answer.source

    assert source(5) == "tools/list, line 3"
    assert source(20) == "tools/list, line 12"
    assert source(9) == "tools/list, line 12, listed after the call"
    assert source(1) == "tools/list, line 3, listed after the call"
    stale = RecordingCatalog(tools[:1]).lookup(call(line=9))
    assert reason(stale) == "tools/list, line 3, was declared changed on line 8 and not listed again"
