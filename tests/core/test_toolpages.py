"""The tools of a tools/list answer keep the server's characters, and a malformed one takes no other with it."""

from __future__ import annotations

import pytest

from blockview.core.jsonrpc import message_of
from blockview.core.replaying import Hints
from blockview.core.toolpages import Page, read_page


def page(result: str) -> Page:
    message = message_of(b'{"jsonrpc":"2.0","id":1,"result":' + result.encode("utf-8", "surrogateescape") + b"}")
    assert message is not None
    return read_page(message, "s")


def test_schemas_are_the_servers_own_characters() -> None:
    schema = '{ "type":"object", "maximum":1.0e2, "big":' + "7" * 5000 + ', "a":1, "a":2 }'
    (tool,) = page('{"tools":[{"name":"t","inputSchema":' + schema + ',"outputSchema":{"type" : "object"}}]}').tools
    assert (tool.server, tool.name, tool.schema, tool.output_schema) == ("s", "t", schema, '{"type" : "object"}')


def test_one_bad_tool_takes_no_other_with_it() -> None:
    read = page(
        '{"tools":[5,{"name":7},{},{"name":"bare"},{"name":"null","inputSchema":null},{"name":"good","inputSchema":[]}]}'
    )
    assert [(tool.name, tool.schema) for tool in read.tools] == [("bare", None), ("null", None), ("good", "[]")]
    assert [problem[:6] for problem in read.problems] == ["tool 1", "tool 2", "tool 3"]
    assert len(read.hints) == len(read.tools)


def test_hints_are_what_the_tool_says_and_nothing_else() -> None:
    said = '{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":"yes"}'
    read = page('{"tools":[{"name":"a","annotations":' + said + '},{"name":"b","annotations":[]},{"name":"c"}]}')
    assert read.hints == (Hints(read_only=True, destructive=False), Hints(), Hints())


@pytest.mark.parametrize(
    ("result", "cursor"),
    [('{"tools":[]}', None), ('{"tools":[],"nextCursor":null}', None), ('{"tools":[],"nextCursor":"a\\n"}', "a\n")],
)
def test_the_cursor(result: str, cursor: str | None) -> None:
    assert page(result) == Page(cursor=cursor)


@pytest.mark.parametrize("result", ["{}", "[]", "null", '{"tools":{}}', '{"tools":"x"}'])
def test_an_answer_without_a_list(result: str) -> None:
    assert page(result).tools == ()
    assert page(result).problems == ("the answer to tools/list holds no list of tools",)


def test_what_msgspec_refuses_is_read_all_the_same() -> None:
    read = page(
        '{"tools":[{"name":"\\ud800"},{"name":"\udcff","inputSchema":{"x":NaN}},{"name":"t","title":"\udcfe"}]}'
    )
    assert [(tool.name, tool.schema) for tool in read.tools] == [("\ud800", None), ("\udcff", '{"x":NaN}'), ("t", None)]
