"""Recorded against live, by structure."""

from __future__ import annotations

import difflib
import json
import random

import pytest
from hypothesis import given

from blockview.core.diff import Sign, Totals, diff, same_number, totals
from blockview.core.jsontext import parse
from tests.core.strategies import VALUES, json_texts


def signs(recorded: str, live: str) -> list[str]:
    left, right = parse(recorded), parse(live)
    rows = []
    for row in diff(left, right):
        old = "" if row.recorded is None or row.paired else left.literal(row.recorded)
        new = "" if row.live is None or row.paired else right.literal(row.live)
        rows.append(f"{row.sign} {'' if row.key is None else row.key}: {old} | {new}")
    return rows


def test_members() -> None:
    recorded = '{"name":"nightly","state":"failed","total":10.0,"error":"limit must be integer"}'
    live = '{"state":"done","name":"nightly","total":10,"id":"7f3"}'
    assert signs(recorded, live) == [
        "~ :  | ",
        '~ state: "failed" | "done"',
        '= name: "nightly" | "nightly"',
        "≈ total: 10.0 | 10",
        '+ id:  | "7f3"',
        '- error: "limit must be integer" | ',
    ]
    rows = diff(parse(recorded), parse(live))
    assert totals(rows) == Totals(same=1, spelling=1, differ=1, only_recorded=1, only_live=1)
    assert not totals(rows).equal


def test_items_are_aligned() -> None:
    assert signs("[1,2,3]", "[0,1,2,3]") == ["~ :  | ", "+ 0:  | 0", "= 1: 1 | 1", "= 2: 2 | 2", "= 3: 3 | 3"]
    assert signs("[1,2]", "[1,3]") == ["~ :  | ", "= 0: 1 | 1", "~ 1: 2 | 3"]
    assert signs("[1,2]", "[1]") == ["~ :  | ", "= 0: 1 | 1", "- 1: 2 | "]


def test_kinds() -> None:
    assert signs('{"a":[1]}', '{"a":{"b":1}}') == ["~ :  | ", '~ a: [1] | {"b":1}']
    assert signs("1", '"1"') == ['~ : 1 | "1"']
    assert signs("true", "1") == ["~ : true | 1"]
    assert signs('"é"', '"\\u00e9"') == ['≈ : "é" | "\\u00e9"']


def test_duplicates_are_compared_in_their_order() -> None:
    assert signs('{"a":1,"a":2}', '{"a":1,"a":3}') == ["~ :  | ", "= a: 1 | 1", "~ a: 2 | 3"]
    assert signs('{"a":1,"a":2}', '{"a":1}') == ["~ :  | ", "= a: 1 | 1", "- a: 2 | "]


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("10", "10.0", True),
        ("10", "1e1", True),
        ("0.10", "1E-1", True),
        ("0", "0.00", True),
        ("-0", "0", False),
        ("1e400", "1" + "0" * 400, True),
        ("9007199254740993", "9007199254740992", False),
        ("9007199254740993", "9007199254740993.0", True),
        ("1e99999999999999999999", "1e99999999999999999998", False),
        ("7" * 5000, "7" * 5000 + ".0", True),
    ],
)
def test_numbers_are_compared_exactly(left: str, right: str, same: bool) -> None:
    assert same_number(left, right) == same


def test_depth_is_no_danger() -> None:
    deep = "[" * 20_000 + "1" + "]" * 20_000
    rows = diff(parse(deep), parse(deep.replace("1", "2")))
    assert len(rows) == 20_001
    assert rows[-1].sign is Sign.DIFFERS


@given(json_texts())
def test_a_value_equals_itself(text: str) -> None:
    rows = diff(parse(text), parse(text))
    assert {row.sign for row in rows} == {Sign.SAME}
    assert len(rows) == len(parse(text).nodes)


@given(VALUES, VALUES)
def test_equal_exactly_when_the_values_are(left: object, right: object) -> None:
    def plain(value: object) -> str:
        return json.dumps(value, sort_keys=True).replace("-0.0", "-1e-999")

    rows = diff(parse(json.dumps(left)), parse(json.dumps(right)))
    same = plain(json.loads(json.dumps(left), parse_float=as_number)) == plain(
        json.loads(json.dumps(right), parse_float=as_number)
    )
    assert totals(rows).equal == same


def as_number(literal: str) -> object:
    value = float(literal)
    return int(value) if value.is_integer() and literal != "-0.0" else value


@given(VALUES, VALUES)
def test_every_value_of_both_sides_is_told_once(left: object, right: object) -> None:
    old, new = parse(json.dumps(left)), parse(json.dumps(right))
    rows = diff(old, new)
    for tree, told in (
        (old, [(row.recorded, row.paired) for row in rows]),
        (new, [(row.live, row.paired) for row in rows]),
    ):
        covered: list[int] = []
        for number, paired in told:
            if number is not None:
                covered += [number] if paired else range(number, tree.nodes[number].after)
        assert sorted(covered) == list(range(len(tree.nodes)))


def test_the_work_of_aligning_is_bounded_for_all_arrays_together(monkeypatch: pytest.MonkeyPatch) -> None:
    aligned: list[int] = []

    class Counting(difflib.SequenceMatcher[int]):
        def __init__(self, junk: None, old: list[int], new: list[int], autojunk: bool) -> None:
            aligned.append(len(old) * len(new))
            super().__init__(junk, old, new, autojunk)

    monkeypatch.setattr("blockview.core.diff.difflib.SequenceMatcher", Counting)
    bits = random.Random(1)

    def arrays(size: int) -> str:
        return json.dumps([[bits.randrange(2) for _ in range(size)] for _ in range(20)])

    rows = diff(parse(arrays(500)), parse(arrays(499)))
    assert sum(aligned) <= 8_000_000
    assert 0 < len(aligned) < 40
    monkeypatch.setattr("blockview.core.diff._WORK", 500_000)
    aligned.clear()
    assert not totals(diff(parse(arrays(500)), parse(arrays(499)))).equal
    assert len(aligned) == 2  # about a quarter of a million pairs each
    assert rows


@pytest.mark.parametrize(
    ("recorded", "live", "expected"),
    [
        ("[1,2,3]", "[0,1,2,3]", "+==="),
        ("[1,2,3]", "[1,2,3,4]", "===+"),
        ("[1,2,3]", "[1,3]", "=-="),
        ("[]", "[1]", "+"),
        ("[1,1,1]", "[1,1]", "==-"),
        ("[1,9,3]", "[1,8,3]", "=~="),
    ],
)
def test_what_arrays_begin_and_end_with_is_the_same(recorded: str, live: str, expected: str) -> None:
    rows = diff(parse(recorded), parse(live))[1:]
    assert "".join(row.sign for row in rows) == expected
