"""Recorded arguments as a text to edit."""

from __future__ import annotations

import pytest
from hypothesis import given

from blockview.core.editing import editable, pasted, problem_of
from blockview.core.jsontext import loads
from blockview.core.safetext import visible
from tests.core.strategies import json_texts


@pytest.mark.parametrize(
    ("recorded", "text"),
    [
        (None, ""),
        ('{"a":1.10,"b":12345678901234567890}', '{"a":1.10,"b":12345678901234567890}'),
        ('{"a":"\x1b[31m\u202e\x7f\u2028"}', '{"a":"\\u001b[31m\\u202e\\u007f\\u2028"}'),
        ('{"a":"x\r\ny\tz"}', '{"a":"x\\r\ny\\tz"}'),
        ('{\r\n\t"a":\r1}', '{\n    "a":\n1}'),
        ('{"a":"\ud800 é 日本語"}', '{"a":"\\ud800 é 日本語"}'),
        ('{"a":"\U000e0041"}', '{"a":"\\udb40\\udc41"}'),
        ('{"a":"say \\"\r', '{"a":"say \\"\\r'),
    ],
)
def test_nothing_is_invisible(recorded: str | None, text: str) -> None:
    assert editable(recorded) == text


@given(json_texts())
def test_the_value_stays_and_lines_end_in_one_way(text: str) -> None:
    shown = editable(text)
    assert repr(loads(shown)) == repr(loads(text))
    assert all(visible(line) == line for line in shown.split("\n"))
    assert editable(shown) == shown
    assert len(shown.splitlines()) <= shown.count("\n") + 1


def test_pasted_text() -> None:
    assert pasted("a\tb\r\nc\rd\x1b") == "a    b\nc\nd\\u001b"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", ""),
        (" \n", ""),
        ('{"a":1e400}', ""),
        ('{"limit":042}', "line 1, column 11:"),
        ('{\n"limit":4,\n}', "line 3, column 1:"),
        ('{"a":1', "line 1, column 7:"),
        ("[1]", "not a JSON object"),
        ("42", "not a JSON object"),
    ],
)
def test_problems_have_their_place(text: str, problem: str) -> None:
    found = problem_of(text)
    assert found.startswith(problem) and bool(found) == bool(problem)
