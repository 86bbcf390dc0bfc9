"""YAML as JSON text."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from blockview.core.jsontext import loads, parse
from blockview.readers.yamltext import CORE, PYYAML, YamlError, json_text, pieces


@pytest.mark.parametrize(
    ("scalar", "expected"),
    [
        ("1.10", "1.10"),
        ("1e3", "1e3"),
        ("-0", "-0"),
        ("5.0", "5.0"),
        ("1.0e+21", "1.0e+21"),
        ("1234567890123456789", "1234567890123456789"),
        ("1" * 5000, "1" * 5000),
        ("+5", "5"),
        ("-.5", "-0.5"),
        ("5.", "5.0"),
        ("007", "7"),
        ("00.50", "0.50"),
        ("0x1F", "31"),
        ("0o17", "15"),
        (".inf", "Infinity"),
        ("-.INF", "-Infinity"),
        (".nan", "NaN"),
        ("~", "null"),
        ("", "null"),
        ("Null", "null"),
        ("TRUE", "true"),
        ("false", "false"),
        ("yes", '"yes"'),
        ("1_000", '"1_000"'),
        ("12:30", '"12:30"'),
        ("0b1", '"0b1"'),
        ("2026-05-18", '"2026-05-18"'),
        ('"5"', '"5"'),
        ("'true'", '"true"'),
        ("!!str 5", '"5"'),
        ('!!int "6"', "6"),
        ("!!binary aGk=", '"aGk="'),
        ("!thing x", '"x"'),
        ('"a\\tb\\u2028"', '"a\\tb\u2028"'),
        ("|-\n  one\n  two", '"one\\ntwo"'),
        (">-\n  one\n  two", '"one two"'),
        ("[1.0, [], {}, {a: 2.50}]", '[1.0, [], {}, {"a": 2.50}]'),
        ("{a: 1, a: 2}", '{"a": 1, "a": 2}'),
        ("{1: x, ~: y, 1.0: z}", '{"1": "x", "~": "y", "1.0": "z"}'),
    ],
)
def test_values(scalar: str, expected: str) -> None:
    assert json_text(f"key: {scalar}\n") == f'{{"key": {expected}}}'


def test_what_pyyaml_leaves_unquoted_is_text() -> None:
    recorded = {"a": "1e3", "b": "0o7", "c": "1.5e3", "d": "5", "e": 5.0, "f": 1e21, "g": 10**19}
    text = yaml.safe_dump(recorded, sort_keys=True)
    assert json_text(text, PYYAML) == (
        '{"a": "1e3", "b": "0o7", "c": "1.5e3", "d": "5", "e": 5.0, "f": 1.0e+21, "g": 10000000000000000000}'
    )
    assert json_text("a: 1e3", CORE) == '{"a": 1e3}'


def test_anchors_and_aliases() -> None:
    text = "a: &x [1.0, 2]\nb: *x\nk: &k c\n*k : e\nf: &y 1.10\ng: *y\n"
    assert json_text(text) == '{"a": [1.0, 2], "b": [1.0, 2], "k": "c", "c": "e", "f": 1.10, "g": 1.10}'


def test_aliases_of_aliases_have_a_bound() -> None:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(YamlError, match="line 7: the aliases repeat too much"):
        json_text("\n".join(lines))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb: [1, 2", "line 2"),
        ("a: 1\nb: &x [*x]", "line 2: the alias"),
        ("a: *nothing", "line 1: the alias"),
        ("a: 1\n? [x]\n: 2", "line 2: a key that is a list"),
        ("a: 1\n---\nb: 2", "line 2: a second document"),
        ("a: 1\nb: \0", "line 2"),
        ("a: \ud800", "line 1"),
        ("[" * 100_000, "line 1"),
        ("a:\n  - b\n c", "line 3"),
    ],
)
def test_what_cannot_be_read_says_the_line(text: str, problem: str) -> None:
    with pytest.raises(YamlError, match=problem):
        json_text(text)


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n...\n"])
def test_a_document_that_holds_nothing(text: str) -> None:
    assert json_text(text) == "null"


DOCUMENT = """\
# a comment with 中文
messages:
- dir: c2s
  payload: {id: 1.0}

- [2, &x y]
- *x
-
meta: {a: 1}
"none": []
"""


def test_pieces_and_where_they_stand() -> None:
    found = list(pieces(DOCUMENT))
    assert [(piece.name, piece.json, piece.line) for piece in found] == [
        ("messages", '{"dir": "c2s", "payload": {"id": 1.0}}', 3),
        ("messages", '[2, "y"]', 6),
        ("messages", '"y"', 7),
        ("messages", "null", 8),
        ("meta", '{"a": 1}', 9),
    ]
    assert DOCUMENT[found[0].start : found[0].end].rstrip() == "dir: c2s\n  payload: {id: 1.0}"
    assert DOCUMENT[found[4].start : found[4].end] == "{a: 1}"


def test_the_pieces_in_front_of_damage_are_given() -> None:
    walk = pieces(DOCUMENT.replace("[2, &x y]", "[2, &x y"))
    assert next(walk).name == "messages"
    with pytest.raises(YamlError):
        next(walk)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_what_pyyaml_dumps_comes_back(value: Any) -> None:
    assert loads(json_text(yaml.safe_dump(value), PYYAML)) == value


@settings(max_examples=100)
@given(st.text(alphabet="ab1.: -&*x[]{}\"'|>\n#!?,~\0é", max_size=60))
def test_any_text_gives_json_or_a_yaml_error(text: str) -> None:
    try:
        written = json_text(text)
    except YamlError as error:
        assert error.line >= 1
    else:
        parse(written, lax=True)


def test_json_is_yaml() -> None:
    value = {"a": [1.5, "x\n", None, True, {"b": "c: d # e"}]}
    assert json.loads(json_text(json.dumps(value))) == value
