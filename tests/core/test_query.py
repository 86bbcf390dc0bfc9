"""The filter language: what each word keeps, how words combine, and what is said of what cannot be read."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from blockview.core.coercion import Depth
from blockview.core.find import HEAD
from blockview.core.model import Block, ContentBlock, Place, Status, Text, ToolCall, ToolResult
from blockview.core.prepare import Found, Missing, Prepared, prepare
from blockview.core.query import HELP, Names, QueryError, completions, parse

SCHEMA = {"type": "object", "properties": {"limit": {"type": "integer"}}}
NOON = datetime(2026, 8, 19, 12, 0, tzinfo=UTC)
PLACE = Place(1, 0)


def call(tool: str, arguments: str | None = "{}", **members: Any) -> ToolCall:
    plain = ToolCall(tool, f"mcp__jobs__{tool}", tool, arguments, PLACE, server="jobs", status=Status.OK)
    return replace(plain, **members)


def prepared(one: ToolCall) -> Prepared:
    found = Found(SCHEMA, "test") if one.tool.startswith("set") else Missing("not listed")
    return prepare(one, lambda call: found, Depth.TOP)


ANSWER = ToolResult((ContentBlock("text", 'the "Limit" is 7'),))
CALLS = (
    call("set_limit", '{"limit":5.0,"name":"nightly","opts":{"retries":[3]},"on":true,"none":null}', duration_ms=41.0),
    call("run_job", '{"ratio":0.5}', status=Status.TOOL_ERROR, duration_ms=2100.0, result=ANSWER),
    call("set_all", '{"limit":7}', status=Status.NO_RESULT, started=datetime(2026, 8, 20, tzinfo=UTC)),
    call("Read", None, server=None, mcp=False, agent="a1"),
)
BLOCK = Block(0, "set the limit", PLACE, (Text("assistant", "I will run it."), *CALLS), started=NOON)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", (HEAD, 0, 1, 2, 3)),
        ("tool:run_*", (1,)),
        ("tool:SET_*", ()),
        ("tool:read", (3,)),
        ("tool:run_job,Read", (1, 3)),
        ("tool:mcp__jobs__run_job", (1,)),
        ("tool:jobs.run_job", (1,)),
        ("tool:jobs.*", (0, 1, 2)),
        ("text:jobs.run_job", (1,)),
        ("server:jobs", (0, 1, 2)),
        ("-server:j?bs", (3,)),
        ("is:changed", (0,)),
        ("is:unknown", (1,)),
        ("is:error", (1,)),
        ("-is:error", (0, 2, 3)),
        ("is:pending", (2,)),
        ("is:pending,error", (1, 2)),
        ("is:subagent", (3,)),
        ("-is:mcp", (3,)),
        ("status:tool-*", (1,)),
        ("status:ok", (0, 3)),
        ("text:limit", (HEAD, 0, 1, 2)),
        ("limit tool:set_*", (0, 2)),
        ("text:Limit", (1,)),
        ('text:"the \\"Limit\\" is"', (1,)),
        ('"run it"', (HEAD,)),
        ("-limit", (3,)),
        ("arg:limit", (0, 2)),
        ("arg:limit=5", (0,)),
        ("arg:limit=5.0", (0,)),
        ("arg:limit=7e0", (2,)),
        ("arg:name=night*", (0,)),
        ("arg:/opts/retries/0=3", (0,)),
        ("arg:/opts/retries/1", ()),
        ("arg:on=true", (0,)),
        ("arg:none=null", (0,)),
        ("arg:name=", ()),
        ("-arg:limit", (1, 3)),
        ("after:2026-08-19T12:00Z", (HEAD, 0, 1, 2, 3)),
        ("after:2026-08-19T12:01Z", (2,)),
        ("before:2026-08-19T12:01Z", (HEAD, 0, 1, 3)),
        ("dur>41ms", (1,)),
        ("dur>=41ms", (0, 1)),
        ("dur<2", (0,)),
        ("dur>0.03m", (1,)),
        ("is:error is:changed", ()),
    ],
)
def test_a_filter_keeps_the_rows_that_all_its_words_hold_for(text: str, rows: tuple[int, ...]) -> None:
    assert parse(text).rows(BLOCK, prepared) == rows


@pytest.mark.parametrize(
    ("text", "at", "problem"),
    [
        ("is:error foo:1", 9, "no filter word foo: — quote it to look for it as text"),
        ("tol:x", 0, "no filter word tol: — did you mean tool:?"),
        ("tool:", 0, "tool: needs a value"),
        ("dur:2s", 0, "write dur>2s"),
        ("tool>x", 0, "write tool:x"),
        ("is:chnged", 0, "nothing is chnged; there are changed, unknown, error, pending, blocked, deep, mcp, subagent"),
        ("a before:noon", 2, "no time: noon; write 2026-08-19 or 2026-08-19T14:02"),
        ("dur>3x", 0, "no duration: 3x; write 120ms, 2s or 1.5m"),
        ("arg:=4", 0, "arg: needs a name"),
        ('text:"a', 5, "a quote is not closed"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text: str, at: int, problem: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert (str(caught.value), caught.value.at) == (problem, at)


@given(st.text(max_size=40) | st.text(alphabet='tool:is-"\\ <>=,*arg/', max_size=40))
def test_any_text_is_a_filter_or_a_query_error(text: str) -> None:
    try:
        rows = parse(text).rows(BLOCK, prepared)
    except QueryError as error:
        assert 0 <= error.at <= len(text)
        assert "\n" not in str(error)
    else:
        assert set(rows) <= {HEAD, 0, 1, 2, 3}


@given(st.text(min_size=1, max_size=20))
def test_a_quoted_text_finds_itself(text: str) -> None:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    assert parse(f'"{quoted}"').rows(Block(0, text, PLACE), prepared) == (HEAD,)


@pytest.mark.parametrize(
    ("text", "completed"),
    [
        ("to", ["tool:"]),
        ("is:ch", ["is:changed"]),
        ("x -is:e", ["x -is:error"]),
        ("tool:run,S", ["tool:run,set_limit"]),
        ("tool:o", ['tool:"odd name"']),
        ("server:", ["server:jobs"]),
        ("status:den", ["status:denied"]),
        ("", []),
        ("text:", []),
    ],
)
def test_the_last_word_is_completed(text: str, completed: list[str]) -> None:
    assert completions(text, Names(("run_job", "set_limit", "odd name"), ("jobs",))) == completed


def test_every_completed_name_is_read_back() -> None:
    (text,) = completions("tool:", Names(('a "b", \\c',), ()))
    assert parse(text).rows(Block(0, "", PLACE, (call('a "b", \\c'), call("d"))), prepared) == (0,)


def test_the_words_of_the_help_are_those_of_the_language() -> None:
    for usage, _ in HELP:
        word = usage.split("NAME")[0].split("WORD")[0].split("TIME")[0].removeprefix("-")
        value = {"before:": "2026-01-01", "is:": "error", "status:": "ok", "dur>": "1s"}.get(word, "x")
        assert parse(word + value).tests


@pytest.mark.parametrize("text", ["server:everything", "server:mcp-servers/everything", "tool:everything.echo"])
def test_a_server_whose_name_is_a_path_is_found_by_its_last_part(text: str) -> None:
    block = replace(BLOCK, items=(call("echo", server="mcp-servers/everything"), call("echo", server="anything")))
    assert parse(text).rows(block, prepared) == (0,)
