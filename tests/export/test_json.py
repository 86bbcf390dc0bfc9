"""The stable JSON: its shape, exact digits, and nothing that breaks a reader or a terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from blockview.core.jsontext import Kind, parse
from blockview.core.model import Block, Place, Session, ToolCall, ToolResult
from blockview.core.result import exactly_double
from blockview.core.safetext import visible_json
from blockview.export.json import encode, json_chunks
from blockview.export.lines import Choice
from tests import samples
from tests.core.strategies import ARGUMENTS, json_texts

TEXTS = st.text(st.one_of(st.characters(), st.characters(categories=["Cs", "Cc", "Cf"])), max_size=30)


def parts_of(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner)


def as_json(session: Session = samples.SESSION, **options: object) -> str:
    return "".join(json_chunks(session, samples.prepare_sample, **options))  # type: ignore[arg-type]


def document(session: Session = samples.SESSION, **options: object) -> Any:
    return json.loads(as_json(session, **options))


def one(call: ToolCall) -> Session:
    return Session("s.jsonl", "claude-code", (Block(0, "p", Place(1, 0), (call,)),), call_counts=(1,))


def value_text(result: ToolResult) -> str:
    """The characters of the call's value in the document."""
    tree = parse(as_json(one(replace(samples.CHANGED, result=result))))
    return next(tree.literal(at) for at, node in enumerate(tree.nodes) if node.key == "value")


def test_the_document_has_the_promised_shape() -> None:
    found = document()
    assert list(found) == ["blockview", "source", "format", "title", "diagnostics", "blocks"]
    assert found["blockview"] == 1
    assert found["format"] == "claude-code"
    assert found["diagnostics"] == [{"line": 17, "byte": 1543, "problem": "not JSON: \x1b[2J"}]
    first = found["blocks"][0]
    assert first["index"] == 0
    assert first["prompt"] == samples.BLOCKS[0].prompt
    assert first["started"] == "2026-03-09T14:02:12+00:00"
    assert first["items"] == [
        {"thinking": "Line 5, I think."},
        {"text": "I will open it.\x07"},
        {"call": 0},
        {"call": 1},
    ]
    assert first["calls"][0] == {
        "id": "call_1",
        "server": "editor",
        "tool": "open",
        "mcp": True,
        "status": "ok",
        "recorded": '{"line":5.0,"column":1.0,"filePath":"server.go"}',
        "dispatched": samples.OPEN_SENT,
        "provenance": "host",
        "changes": [
            {"path": "/line", "from": "5.0", "to": "5", "why": "integer"},
            {"path": "/column", "from": "1.0", "to": "1", "why": "integer"},
        ],
        "schema": {"state": "found", "source": "tools/list, line 3"},
        "deep_would_change": [],
        "result": {"value": "5: func retry()", "is_error": False, "text": "5: func retry()"},
        "started": None,
        "duration_ms": 41.0,
    }


def test_what_is_special_about_a_call_is_there() -> None:
    calls = {call["id"]: call for block in document()["blocks"] for call in block["calls"]}
    assert calls["call_2"]["deep_would_change"] == ["/opts/retries"]
    assert calls["call_2"]["notes"][0]["path"] == "/big"
    assert calls["call_2"]["provenance"] == "before coercion"
    assert calls["call_3"]["schema"] == {"state": "missing", "reason": "no list for metrics"}
    assert calls["call_3"]["result"] == {
        "value": "limit must be integer",
        "is_error": True,
        "text": "limit must be integer",
    }
    assert calls["call_4"]["status"] == "denied"
    assert calls["call_4"]["status_note"] == "the person said [red]no[/red]"
    assert calls["call_4"]["result"] is None
    assert calls["call_5"]["result"]["value"] == {"n": 1.10}
    assert calls["call_6"]["recorded"] is None
    assert calls["call_6"]["dispatched"] is None
    assert calls["call_7"]["dispatched"] == calls["call_7"]["recorded"] == '{"line":5.0'
    assert "not JSON" in calls["call_7"]["blocked"]
    assert document()["blocks"][1]["label"] == "subagent a1"
    assert document()["blocks"][1]["items"][2] == {"note": "two left"}


def test_the_subagent_that_a_call_started_is_named_where_there_is_one() -> None:
    def member(call: ToolCall) -> object:
        return document(one(call))["blocks"][0]["calls"][0].get("agent", "left out")

    assert member(replace(samples.CHANGED, agent="a1")) == "a1"
    assert member(samples.CHANGED) == "left out"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1234567890123456789", '"1234567890123456789"'),
        ("[9007199254740993]", '["9007199254740993"]'),
        ("9007199254740992", "9007199254740992"),
        ('{"v":-0.0,"w":1E5,"x":0.1,"y":-0}', '{"v":-0.0,"w":1E5,"x":0.1,"y":-0}'),
        ('{"a":1,"a":2}', '{"a":1,"a":2}'),
        ("1e400", "1e400"),
        ("7" * 5000, '"' + "7" * 5000 + '"'),
        ("007", '"007"'),
        ("NaN", '"NaN"'),
        ("[1,\r\n2]", "[1, \n2]"),
        ("[1,]", '"[1,]"'),
        ("plain\ttext", '"plain\\ttext"'),
        ("", '""'),
        ("\ud800", '"\\ud800"'),
        ("\u202e\x9b\U000e0041", '"\\u202e\\u009b\\udb40\\udc41"'),
        ('["\u202e"]', '["\\u202e"]'),
    ],
)
def test_the_value_has_exact_digits(text: str, value: str) -> None:
    assert value_text(samples.text_result(text)) == value


def test_structured_content_is_verbatim_and_rubbish_in_its_place_is_text() -> None:
    assert value_text(ToolResult(structured='{"n": 1.10, "id":1234567890123456789}')) == (
        '{"n": 1.10, "id":1234567890123456789}'
    )
    assert value_text(ToolResult(structured="{broken")) == '"{broken"'


def test_some_blocks_or_one_call() -> None:
    assert [block["index"] for block in document(choice=Choice(blocks=[2]))["blocks"]] == [2]
    (block,) = document(choice=Choice(call="call_4"))["blocks"]
    assert [call["id"] for call in block["calls"]] == ["call_4"]
    assert {"call": 0} in block["items"]
    assert document(choice=Choice(call="nobody"))["blocks"] == []


def test_an_empty_session_is_a_document_too() -> None:
    assert document(Session("s", "mcp-raw", ()))["blocks"] == []


@given(json_texts(ARGUMENTS), json_texts())
def test_every_number_in_the_document_is_exact(arguments: str, result: str) -> None:
    call = replace(samples.CHANGED, arguments=arguments, result=samples.text_result(result))
    found = document(one(call))["blocks"][0]["calls"][0]
    assert found["recorded"] == arguments
    assert found["result"]["text"] == result
    received = parse(result).nodes
    written = value_text(samples.text_result(result))
    spelled = parse(written).nodes
    for before, after in zip(received, spelled, strict=True):
        literal, said = result[before.start : before.end], written[after.start : after.end]
        if before.kind is Kind.INTEGER and not exactly_double(literal):
            assert said == f'"{literal}"'
        elif before.kind in (Kind.INTEGER, Kind.FLOAT):
            assert said == literal


@given(TEXTS)
def test_any_text_comes_back_and_nothing_raw_gets_out(text: str) -> None:
    session = replace(one(replace(samples.CHANGED, id=text, result=samples.text_result(text))), title=text or "t")
    written = as_json(session)
    written.encode()
    assert not any((c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f" or c == "\u202e" for c in written)
    found = json.loads(written)
    assert found["title"] == json.loads(json.dumps(text or "t"))
    assert found["blocks"][0]["calls"][0]["id"] == json.loads(json.dumps(text))


def test_every_character_is_written_as_it_is_or_escaped_as_on_every_other_way_out() -> None:
    odd = [*range(0x11000), *range(0x1F000, 0x1FC00), *range(0xDFF00, 0xE1100), *range(0x10FF00, 0x110000)]
    different = [code for code in odd if encode(chr(code)) != visible_json(json.dumps(chr(code), ensure_ascii=False))]
    assert different == []


@given(st.recursive(st.none() | st.booleans() | st.integers(0, 2**53) | TEXTS, parts_of))
def test_a_part_is_written_as_json_does_it(part: object) -> None:
    written = json.dumps(part, ensure_ascii=False, separators=(",", ":"))
    assert encode(part) == visible_json(written)
