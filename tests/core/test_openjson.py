"""Printing a JSON text with everything open, against the rows that are made one by one."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.core.jsonlines import JsonRows
from blockview.core.jsontext import parse
from blockview.core.lazytree import lazy_tree
from blockview.core.lines import Paint, plain, printed
from blockview.core.openjson import open_text
from blockview.core.rows import Fold, Section
from blockview.export.ansi import ansi_line
from tests.core.strategies import json_texts

_PIECES = st.sampled_from(
    [
        "a",
        "word ",
        "\n",
        "\\",
        '"',
        "\t",
        "\x1b",
        "é",
        "日本",
        "👩\u200d👧",
        "e\u0301",
        "\u202e",
        "\ufdd0",
        "\ufdd1",
        "-" * 40,
    ]
)
_STRINGS = st.lists(_PIECES, max_size=6).map("".join)
_SCALARS = st.one_of(_STRINGS, st.integers(10**14, 10**22), st.integers(), st.floats(), st.booleans(), st.none())
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=12), st.dictionaries(_STRINGS, inner, max_size=5)),
    max_leaves=25,
)
_TEXTS = st.one_of(
    json_texts(), st.builds(json.dumps, _VALUES, ensure_ascii=st.booleans()).filter(lambda text: "N" not in text)
)


def slowly(text: str, width: int, paint: Paint, *, exact: bool = False) -> str:
    rows = JsonRows(parse(text), width=width, call=0, section=Section.RESULT, fold=Fold.OPEN, exact=exact)
    return "".join(printed(rows[at].line, paint) for at in range(len(rows)))


@given(_TEXTS, st.integers(1, 70), st.booleans(), st.sampled_from([plain, ansi_line]))
def test_it_prints_the_rows_that_are_made_one_by_one(text: str, width: int, exact: bool, paint: Paint) -> None:
    found = open_text(text, width, paint, exact=exact)
    assert found is None or "".join(found) == slowly(text, width, paint, exact=exact)


@pytest.mark.parametrize(
    "text",
    [
        r'{"a":1,"a":[],"\u0061":{},"b\"c":"\\\"\\n\n\ud83d\ude42"}',
        '{"' + "k" * 100 + '":"' + "v" * 300 + '","n":' + "7" * 5000 + "}",
        json.dumps([[number] * (number % 3) for number in range(1200)]),
        json.dumps({f"key {number}": {"x": number / 7} for number in range(5000)}),
        "[" * 300 + "-0" + "]" * 300,
    ],
    ids=["doubled", "long", "elements", "names", "deep"],
)
@pytest.mark.parametrize("width", [20, 100])
def test_odd_and_large_texts(text: str, width: int) -> None:
    assert "".join(open_text(text, width, plain) or ()) == slowly(text, width, plain)


@pytest.mark.parametrize("text", ['"\ufdd2"', "[" * 5000 + "]" * 5000], ids=["its own signs", "too deep"])
def test_what_it_cannot_print_is_printed_row_by_row(text: str) -> None:
    assert open_text(text, 40, plain) is None
    tree = lazy_tree(text) or parse(text)
    rows = JsonRows(tree, width=40, call=0, section=Section.RESULT, fold=Fold.OPEN)
    assert "".join(rows.printed(plain)) == slowly(text, 40, plain)


def test_a_large_text_is_printed_bit_by_bit() -> None:
    found = open_text(json.dumps(["x" * 50] * 100_000), 60, plain)
    assert found is not None
    assert all(len(piece) < 100_000 for piece in islice(found, 5))
