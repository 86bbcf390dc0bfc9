"""Integers that may have lost their last digits."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.core.rounding import maybe_rounded, rounded_integers


@pytest.mark.parametrize(
    ("literal", "rounded"),
    [
        ("1234567890123456789", False),
        ("1234567890123456800", True),  # as JavaScript prints the double
        ("1234567890123456768", True),  # as others print it
        ("-1234567890123456768", True),
        ("9007199254740993", False),
        ("9007199254740994", True),
        ("9007199254740992", False),  # 2^53 is exact, and nothing was lost
        ("42", False),
        ("1" + "0" * 400, False),
    ],
)
def test_what_has_the_digits_of_a_double(literal: str, rounded: bool) -> None:
    assert maybe_rounded(literal) is rounded


@given(st.integers(2**53 + 1, 2**200))
def test_what_a_program_with_doubles_prints_is_always_told(number: int) -> None:
    assert maybe_rounded(str(int(float(number)))) == (float(number) > 2**53)


def test_places_are_told_as_json_pointers() -> None:
    text = json.dumps({"a/b": [1, 1234567890123456800], "c": "1234567890123456800", "d": 1234567890123456789})
    assert list(rounded_integers(text)) == [("/a~1b/1", "1234567890123456800")]
    assert list(rounded_integers("no JSON 1234567890123456800")) == []
