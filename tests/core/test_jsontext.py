"""JSON as text: spans, exact numbers, the wire's spelling, differences between two spellings."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.core.jsontext import (
    CannotSend,
    Difference,
    JsonError,
    Kind,
    Transport,
    differences,
    exact_int,
    loads,
    parse,
    pointer,
    wire_text,
)
from blockview.core.result import tree_value
from tests.core.strategies import ARGUMENTS, json_texts


def test_every_literal_stands_as_written() -> None:
    tree = parse('{"a": [1.10, -0, 1E+400], "a": "x\\u00e9", "b/c": {}}')
    assert [tree.literal(child) for child in tree.children(1)] == ["1.10", "-0", "1E+400"]
    assert [tree.pointer(child) for child in tree.children(0)] == ["/a", "/a", "/b~1c"]
    assert [node.kind for node in tree.nodes] == [
        Kind.OBJECT,
        Kind.ARRAY,
        Kind.FLOAT,
        Kind.INTEGER,
        Kind.FLOAT,
        Kind.STRING,
        Kind.OBJECT,
    ]
    assert tree.nodes[0].size == 3
    assert tree.nodes[1].after == 5


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "007",
        "01",
        "1.",
        ".5",
        "+1",
        "-",
        "1e",
        "[1,]",
        '{"a":1,}',
        "{a:1}",
        "{'a':1}",
        "NaN",
        "Infinity",
        "1 2",
        "[1}",
        "]",
        '{"a"}',
        '{"a":}',
        "[,1]",
        "\ufeff1",
        '"\x01"',
        '"\n"',
        '"\\x"',
        '"\\u12"',
        '"',
        "tru",
        "True",
        "[1 2]",
        "//x\n1",
        "\u00a01",
        "1\u2028",
    ],
)
def test_what_is_not_strict_json_is_refused(text: str) -> None:
    with pytest.raises(JsonError):
        parse(text)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", '"\x01\n"', "[Infinity,\ttrue]"])
def test_lax_takes_what_recorders_write(text: str) -> None:
    with pytest.raises(JsonError):
        parse(text)
    assert parse(text, lax=True).nodes


def test_an_error_says_where() -> None:
    with pytest.raises(JsonError) as caught:
        parse('{"a": 1,\n"b" 2}')
    assert caught.value.position == 13


@given(json_texts())
def test_parse_agrees_with_the_standard_library(text: str) -> None:
    ours = tree_value(parse(text), exact_digits=False)
    assert json.dumps(ours) == json.dumps(json.loads(text))


@given(st.text('{}[]",:0123456789.eE+-\\ utrfalsn\n', max_size=14))
def test_parse_refuses_what_the_standard_library_refuses(text: str) -> None:
    def standard() -> bool:
        try:
            json.loads(text)
        except ValueError:
            return False
        return True

    def ours() -> bool:
        try:
            parse(text)
        except JsonError:
            return False
        return True

    assert ours() == standard()


def test_any_depth_is_read() -> None:
    tree = parse("[" * 100_000 + "]" * 100_000)
    assert len(tree.nodes) == 100_000
    assert tree.nodes[-1].depth == 99_999


def test_integers_of_any_length() -> None:
    digits = "7" * 5000
    value = exact_int(digits)
    assert value % 10**20 == int("7" * 20)
    assert value // 10**4990 == int("7" * 10)
    assert exact_int("-" + digits) == -value
    assert loads(f'{{"n":{digits}}}') == {"n": value}


def test_loads_takes_the_last_duplicate_and_odd_tokens() -> None:
    assert loads('{"a":1,"a":2}') == {"a": 2}
    assert loads('"a\x01"') == "a\x01"
    value = loads("[NaN,1e400]")
    assert isinstance(value, list)
    assert math.isnan(value[0])
    assert value[1] == math.inf


@pytest.mark.parametrize("rest", [", x", ',"b":' + "[" * 100_000, ",}"])
def test_a_long_integer_in_a_broken_text_is_still_a_clear_error(rest: str) -> None:
    with pytest.raises(JsonError):
        loads('{"a":' + "9" * 5000 + rest)


def test_loads_refuses_deep_nesting_with_a_clear_error() -> None:
    with pytest.raises(JsonError, match="nested too deeply"):
        loads("[" * 100_000 + "]" * 100_000)


@pytest.mark.parametrize(
    ("value", "stdio", "http"),
    [
        (5.0, "5.0", "5.0"),
        (-0.0, "-0.0", "-0.0"),
        (1e3, "1000.0", "1000.0"),
        (1e16, "1e+16", "1e+16"),
        (1e-5, "0.00001", "1e-05"),
        (1e-6, "1e-6", "1e-06"),
        (math.nan, "null", "null"),
        (-math.inf, "null", "null"),
        (10**30, str(10**30), str(10**30)),
        (True, "true", "true"),
        (None, "null", "null"),
        ("é\u2028", '"é\u2028"', '"é\u2028"'),
        ("\x1f\b", '"\\u001f\\b"', '"\\u001f\\b"'),
        ({"b": 1, "a": 2}, '{"b":1,"a":2}', '{"b":1,"a":2}'),
    ],
)
def test_the_wires_spelling(value: object, stdio: str, http: str) -> None:
    assert wire_text(value) == stdio
    assert wire_text(value, Transport.HTTP) == http


@pytest.mark.parametrize("transport", list(Transport))
def test_what_cannot_be_sent(transport: Transport) -> None:
    with pytest.raises(CannotSend, match="lone surrogate"):
        wire_text({"x": "\ud800"}, transport)
    with pytest.raises(CannotSend, match="nested more deeply"):
        wire_text(loads("[" * 300 + "]" * 300), transport)


def test_five_thousand_digits_go_over_stdio_only() -> None:
    value = loads('{"n":' + "7" * 5000 + "}")
    assert wire_text(value) == '{"n":' + "7" * 5000 + "}"
    with pytest.raises(CannotSend, match="4,300 digits"):
        wire_text(value, Transport.HTTP)


def test_differences_name_the_place_and_both_literals() -> None:
    before = '{"a": 1e3, "b":{"c":[1, 5.0]}, "k":"\\u00e9", "\\u0061x":true}'
    assert differences(before, '{"a":1000.0,"b":{"c":[1,5]},"k":"é","ax":true}') == [
        Difference("/a", "1e3", "1000.0"),
        Difference("/b/c/1", "5.0", "5"),
        Difference("/k", '"\\u00e9"', '"é"'),
        Difference("/ax", '"\\u0061x"', '"ax"'),
    ]


def test_a_duplicate_that_is_not_sent_is_a_difference() -> None:
    before = '{"a":1,"b":{"c":1,"c":2e0},"a":3.0}'
    assert differences(before, '{"a":3.0,"b":{"c":2.0}}') == [
        Difference("/a", "1", ""),
        Difference("/b/c", "1", ""),
        Difference("/b/c", "2e0", "2.0"),
    ]


def test_white_space_is_no_difference() -> None:
    assert differences(' { "a" : [ 1 , 2 ] } ', '{"a":[1,2]}') == []


@given(json_texts(ARGUMENTS))
def test_differences_are_exactly_the_places_where_the_wire_differs(text: str) -> None:
    sent = wire_text(loads(text))
    tree, wire = parse(text, lax=True), parse(sent, lax=True)
    expected = [
        Difference(tree.pointer(at), tree.literal(at), wire.literal(at))
        for at, node in enumerate(tree.nodes)
        if node.kind not in (Kind.OBJECT, Kind.ARRAY) and tree.literal(at) != wire.literal(at)
    ]
    keys = [
        Difference(tree.pointer(at), node.key_literal or "", wire.nodes[at].key_literal or "")
        for at, node in enumerate(tree.nodes)
        if node.key_literal != wire.nodes[at].key_literal
    ]
    assert sorted(differences(text, sent)) == sorted(expected + keys)


def test_pointers_are_escaped() -> None:
    assert pointer(["a/b", "m~n", 0, ""]) == "/a~1b/m~0n/0/"
    assert pointer([]) == ""
