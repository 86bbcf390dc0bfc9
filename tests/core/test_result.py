"""Exact digits: the table of DESIGN.md section 3, row by row, and the fast way against the slow one."""

from __future__ import annotations

import json
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.core import result
from blockview.core.jsontext import JsonError, parse
from blockview.core.model import ContentBlock, ToolResult
from blockview.core.result import exact_text, exact_value, exactly_double, is_json, result_value, tree_value
from tests.core.strategies import json_texts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1234567890123456789", "1234567890123456789"),
        ("[9007199254740993]", ["9007199254740993"]),
        ("9007199254740992", 9007199254740992),
        ("42", 42),
        ("10000000000000000000000", 10**22),
        ('{"id":-1234567890123456789}', {"id": "-1234567890123456789"}),
        ("7" * 400, "7" * 400),
        ('{"n":' + "7" * 400 + "}", {"n": "7" * 400}),
        ('{"n":' + "7" * 5000 + "}", {"n": "7" * 5000}),
        ("1.5", 1.5),
        ("1e21", 1e21),
        ("0.1234567890123456789", 0.1234567890123456789),
        ('"12345678901234567890"', "12345678901234567890"),
        ('"a\\"1234567890123456789"', 'a"1234567890123456789'),
        ("{9007199254740993:1}", "{9007199254740993:1}"),
        ("[1234567890123456789,]", "[1234567890123456789,]"),
        ("NaN", "NaN"),
        ("\ufeff[1]", "\ufeff[1]"),
        ("007", "007"),
        ("", ""),
        ("plain text", "plain text"),
        ('["x:1234567890123456789,y"]', ["x:1234567890123456789,y"]),
        ('{"1234567890123456789":1}', {"1234567890123456789": 1}),
        ("348555896224571969\n", "348555896224571969"),
        (
            '{"id":1470944601309528072, "n": -80241446968629135069}',
            {"id": "1470944601309528072", "n": "-80241446968629135069"},
        ),
        ("[1234567890123456789 ,\n1234567890123456789]", ["1234567890123456789"] * 2),
        ('["\\ud800"]', ["\ud800"]),
    ],
)
def test_values(text: str, value: object) -> None:
    found = exact_value(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["-0", "[-0]", '{"a": -0 }', "[1,-0,2]"])
def test_negative_zero_keeps_its_sign(text: str) -> None:
    assert "-0" in repr(exact_value(text))
    assert exact_text(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"v":-0.0,"w":1E5,"x":123.000, "y":1e1000}', '{"v":-0.0,"w":1E5,"x":123.000, "y":1e1000}'),
        ('{"a":1,"a":1234567890123456789}', '{"a":1,"a":"1234567890123456789"}'),
        ("[1e400, 1234567890123456789]", '[1e400, "1234567890123456789"]'),
        ("no json", None),
        ("[1,]", None),
    ],
)
def test_the_text_keeps_every_other_token(text: str, shown: str | None) -> None:
    assert exact_text(text) == shown


@pytest.mark.parametrize("depth", [500, 5_000, 100_000])
def test_depth_is_no_danger(depth: int) -> None:
    text = "[" * depth + "1234567890123456789" + "]" * depth
    assert exact_text(text) == "[" * depth + '"1234567890123456789"' + "]" * depth
    value = exact_value(text)
    for _ in range(depth):
        assert isinstance(value, list)
        value = value[0]
    assert value == "1234567890123456789"


def slow(text: str) -> object:
    """The rule as it is written down: parse first, then look at each integer."""
    try:
        return tree_value(parse(text))
    except JsonError:
        return text


def parses(text: str) -> bool:
    try:
        parse(text)
    except JsonError:
        return False
    return True


LONG = st.integers(10**14, 10**25).map(str)
PIECES = st.lists(
    st.one_of(LONG, st.sampled_from(['"', "[", "]", "{", "}", ":", ",", " ", "-", "\\", "0", ".", "e", "a", "\n"])),
    max_size=12,
).map("".join)


@given(st.one_of(PIECES, st.tuples(PIECES, PIECES).map(lambda two: f'["{two[0]}",{two[1]}]')))
def test_the_fast_way_agrees_with_the_slow_one_on_broken_texts(text: str) -> None:
    assert repr(exact_value(text)) == repr(slow(text))


@given(st.lists(st.one_of(PIECES, LONG), max_size=8).map(",".join), st.integers(1, 40))
def test_a_long_text_is_looked_through_in_pieces(inside: str, size: int) -> None:
    text = f'["{"x" * size}",{inside}]'
    with patch.object(result, "_PIECE", size):
        assert repr(exact_value(text)) == repr(slow(text))


SEEDS = [
    '"\\ud800"', '"\\\\ud800"', '"\\ude00"', '"\\ud83d\\ude00"', '"\\ud800\\u0041"', '"\ud800"', '{"\\udc00":1}',
    "1e400", "-0", "[01]", "1.", "-", '"\t"', '"\\x"', "\ufeff1", "\u00a01", "[1]\x00", "nul", "truee",
    "[" * 5000 + "]" * 5000, "[" * 5000, "7" * 5000, '["' + "\\ud800" * 9 + '",]',
]  # fmt: skip


@pytest.mark.parametrize("text", SEEDS)
def test_texts_that_decoders_see_differently(text: str) -> None:
    assert is_json(text) == parses(text)


@given(st.data(), st.one_of(PIECES, json_texts()))
def test_a_text_is_json_when_it_parses(data: st.DataObject, text: str) -> None:
    for some in (text, text[: data.draw(st.integers(0, len(text)))], f'["{text}"]'):
        assert is_json(some) == parses(some)


@given(json_texts())
def test_the_fast_way_agrees_with_the_slow_one_on_json(text: str) -> None:
    assert repr(exact_value(text)) == repr(slow(text))
    shown = exact_text(text)
    assert shown is not None
    assert json.loads(shown) == exact_value(text)


@given(st.integers(-(10**40), 10**40))
def test_exactly_double_is_what_a_double_does(number: int) -> None:
    assert exactly_double(str(number)) == (int(float(number)) == number)


def text_result(text: str, **more: object) -> ToolResult:
    return ToolResult(content=(ContentBlock("text", text),), **more)  # type: ignore[arg-type]


def test_structured_content_is_the_value_as_it_is() -> None:
    result = text_result("[1]", structured='{"id":1234567890123456789}')
    assert result_value(result) == {"id": 1234567890123456789}
    assert result_value(text_result("x", structured="[" * 2000 + "]" * 2000)) is not None


def test_an_error_keeps_its_message() -> None:
    assert result_value(text_result("[1]", is_error=True)) == "[1]"


def test_blocks_are_joined() -> None:
    blocks = (ContentBlock("text", "a"), ContentBlock("image", note="image/png"), ContentBlock("text", "b"))
    assert result_value(ToolResult(content=blocks)) == "a\n[image block]\nb"
    assert result_value(ToolResult()) == ""
    assert result_value(ToolResult(content=(ContentBlock("text", "[1,"), ContentBlock("text", "2]")))) == [1, 2]
