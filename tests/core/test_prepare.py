"""The one step: display and dispatch, each with its own lookup."""

from __future__ import annotations

import pytest
from hypothesis import given

from blockview.core.coercion import Depth
from blockview.core.jsontext import Transport, differences, loads, wire_text
from blockview.core.model import Place, ToolCall
from blockview.core.prepare import Change, Found, Missing, Why, no_lookup, prepare
from tests.core.strategies import ARGUMENTS, SCHEMAS, json_texts

SCHEMA = {"properties": {"line": {"type": "integer"}, "column": {"type": "integer"}, "filePath": {"type": "string"}}}
RECORDED = '{"line":5.0,"column":1.0,"filePath":"server.go"}'


def call(arguments: str | None) -> ToolCall:
    return ToolCall(
        id="c1", name="mcp__editor__open", tool="open", server="editor", arguments=arguments, place=Place(1, 0)
    )


def listed(call: ToolCall) -> Found:
    return Found(SCHEMA, "tools/list, line 1")


def test_the_case_the_tool_exists_for() -> None:
    prepared = prepare(call(RECORDED), listed)
    assert prepared.recorded == RECORDED
    assert prepared.dispatched == '{"line":5,"column":1,"filePath":"server.go"}'
    assert prepared.changes == (
        Change("/line", "5.0", "5", Why.INTEGER),
        Change("/column", "1.0", "1", Why.INTEGER),
    )
    assert prepared.coerced
    assert not prepared.blocked


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Missing("not listed"), "not listed"),
        (None, "the lookup answered nothing"),
        ("rubbish", "the lookup answered with str, not with a schema"),
        (SCHEMA, "the lookup answered with dict, not with a schema"),
        (Found([], "x"), "x: the input schema is not an object"),  # type: ignore[arg-type]
        (TimeoutError("no answer in 20 s"), "the lookup failed: TimeoutError: no answer in 20 s"),
        (RecursionError(), "the lookup failed: RecursionError"),
    ],
)
def test_a_lookup_that_fails_gives_raw_values_on_its_path_alone(answer: object, reason: str) -> None:
    def failing(call: ToolCall) -> Found | Missing | None:
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[return-value]

    broken, whole = prepare(call(RECORDED), failing), prepare(call(RECORDED), listed)
    assert broken.dispatched == RECORDED
    assert broken.schema == Missing(reason)
    assert not broken.changes
    assert whole.dispatched == '{"line":5,"column":1,"filePath":"server.go"}'


def test_no_change_gives_the_same_text_back() -> None:
    text = '{"line":5,"column":1,"filePath":"é\\n"}'
    prepared = prepare(call(text), listed)
    assert prepared.dispatched == text
    assert not prepared.changes


@pytest.mark.parametrize("recorded", [None, "{}"])
def test_absent_stays_absent_and_empty_stays_empty(recorded: str | None) -> None:
    prepared = prepare(call(recorded), listed)
    assert prepared.dispatched == recorded
    assert not prepared.blocked


def test_null_members_stay() -> None:
    assert prepare(call('{"line":null,"b":null}'), listed).dispatched == '{"line":null,"b":null}'


@pytest.mark.parametrize("recorded", ["[1.0]", "5", '"x"', "null", "{", "", "{'a':1}"])
def test_what_is_not_an_object_is_shown_as_recorded_and_not_sent(recorded: str) -> None:
    prepared = prepare(call(recorded), listed)
    assert prepared.dispatched == recorded
    assert prepared.arguments is None
    assert prepared.blocked


@pytest.mark.parametrize(
    ("recorded", "why"),
    [
        ('{"x":"\\ud800"}', "lone surrogate"),
        ('{"x":"\udcff"}', "lone surrogate"),
        ('{"x":' + "[" * 300 + "]" * 300 + "}", "nested more deeply"),
        ('{"x":' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    ],
)
def test_what_cannot_be_sent_says_why(recorded: str, why: str) -> None:
    prepared = prepare(call(recorded), listed)
    assert prepared.dispatched == recorded
    assert why in prepared.blocked
    assert prepared.arguments is None


@pytest.mark.parametrize(
    ("recorded", "changes"),
    [
        ('{"a":1e3}', [Change("/a", "1e3", "1000.0", Why.SPELLING)]),
        ('{"a":0.10}', [Change("/a", "0.10", "0.1", Why.SPELLING)]),
        ('{"a":-0}', [Change("/a", "-0", "0", Why.SPELLING)]),
        ('{"a":"\\u00e9"}', [Change("/a", '"\\u00e9"', '"é"', Why.SPELLING)]),
        ('{"a":NaN}', [Change("/a", "NaN", "null", Why.NOT_JSON)]),
        ('{"a":1e400}', [Change("/a", "1e400", "null", Why.NOT_JSON)]),
        ('{"a":1,"a":2}', [Change("/a", "1", "", Why.DUPLICATE)]),
        ('{"line":1e3}', [Change("/line", "1e3", "1000", Why.INTEGER)]),
        (
            '{"line":6.0,"line":5.0}',
            [Change("/line", "5.0", "5", Why.INTEGER), Change("/line", "6.0", "", Why.DUPLICATE)],
        ),
        ('{ "a" : 1 }', []),
        ('{"id":12345678901234567890123}', []),
    ],
)
def test_changes_say_why(recorded: str, changes: list[Change]) -> None:
    assert list(prepare(call(recorded), listed).changes) == changes


def test_a_change_of_spelling_is_no_coercion() -> None:
    assert not prepare(call('{"a":1e3}'), listed).coerced
    assert prepare(call('{"a":NaN}'), listed).coerced


def test_the_transport_decides_the_spelling() -> None:
    assert prepare(call('{"a":0.00001}')).dispatched == '{"a":0.00001}'
    assert prepare(call('{"a":0.00001}'), transport=Transport.HTTP).dispatched == '{"a":1e-05}'


def test_off_sends_raw() -> None:
    assert prepare(call(RECORDED), listed, Depth.OFF).dispatched == RECORDED


@given(json_texts(ARGUMENTS), SCHEMAS)
def test_both_paths_give_the_same_text(text: str, schema: dict[str, object]) -> None:
    for depth in Depth:
        for transport in Transport:
            shown = prepare(call(text), lambda _: Found(schema, "display"), depth, transport)
            sent = prepare(call(text), lambda _: Found(schema, "dispatch"), depth, transport)
            assert shown.dispatched == sent.dispatched == wire_text(sent.arguments, transport)
            assert shown.recorded == text


@given(json_texts(ARGUMENTS), SCHEMAS)
def test_every_change_is_at_its_place(text: str, schema: dict[str, object]) -> None:
    raw = prepare(call(text), no_lookup)
    assert raw.dispatched == wire_text(loads(text))
    assert [(change.path, change.before, change.after) for change in raw.changes] == differences(text, raw.dispatched)
    prepared = prepare(call(text), lambda _: Found(schema, "s"), Depth.DEEP)
    for change in prepared.changes:
        if change.why is Why.INTEGER:
            assert float(change.before) == int(change.after)


@pytest.mark.parametrize("recorded", ['{"a": 1, "b": [ 1.5 ,"x y"]}', '{ "a":1,\n"b":[1.5,"x y"]}\n'])
def test_white_space_between_tokens_is_no_change(recorded: str) -> None:
    prepared = prepare(call(recorded))
    assert prepared.dispatched == '{"a":1,"b":[1.5,"x y"]}'
    assert prepared.changes == ()
