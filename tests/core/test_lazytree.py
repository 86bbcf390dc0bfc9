"""A text that is read container by container shows the rows of a whole parse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.core.jsonlines import JsonRows
from blockview.core.jsontext import parse
from blockview.core.lazytree import LAZY, LazyTree, lazy_tree
from blockview.core.lines import plain
from blockview.core.model import ContentBlock, ToolResult
from blockview.core.rows import Fold, Section
from blockview.core.trees import result_tree
from tests.core.strategies import json_texts

ODD = [
    '{"a":1,"a":2}',
    '{"a":1,"b":[2],"a":1}',
    '{"a":{"a":1,"a":[1,2]},"b":"}","a":7}',
    '[{"é":"ü\\n\\u00e9","\\u0061":1,"a":2},-0,1e400,1.10,"😀"]',
    f"[{'7' * 5000},{{}},[]]",
    ' [ 1 , { "x" : [ ] , "y" : { } } ]\n',
    " 5 ",
    '["' + "long " * 90 + '","' + "é" * 70 + '",["' + r"line\n" * 4 + '"]]',
    "[" * 300 + "]" * 300,
]


def lazy(text: str) -> LazyTree:
    tree = lazy_tree(text)
    assert tree is not None
    return tree


def both(text: str, fold: Fold) -> tuple[list[object], list[object]]:
    rows = [
        JsonRows(tree, width=60, call=0, section=Section.RESULT, fold=fold, exact=True)
        for tree in (parse(text), lazy(text))
    ]
    first, second = ([(row.line, row.foldable) for row in map(each.__getitem__, range(len(each)))] for each in rows)
    return list(first), list(second)


@pytest.mark.parametrize("fold", [Fold.OPEN, Fold.CLOSED])
@pytest.mark.parametrize("text", ODD)
def test_odd_texts_show_the_rows_of_a_whole_parse(text: str, fold: Fold) -> None:
    whole, found = both(text, fold)
    assert found == whole


@given(st.one_of(json_texts()), st.sampled_from([Fold.OPEN, Fold.CLOSED]))
def test_any_text_shows_the_rows_of_a_whole_parse(text: str, fold: Fold) -> None:
    whole, found = both(text, fold)
    assert found == whole


@pytest.mark.parametrize("text", ODD)
def test_values_are_found_by_number_alone(text: str) -> None:
    walked = lazy(text)
    numbers = [walked.root]
    for number in numbers:
        numbers += walked.children(number)
    whole = parse(text)
    assert sorted((whole.pointer(at), whole.literal(at)) for at in range(len(whole.nodes))) == sorted(
        (lazy(text).pointer(number), lazy(text).literal(number)) for number in numbers
    )


@given(json_texts(), st.data())
def test_the_values_around_a_place_lead_from_the_whole_to_the_innermost(text: str, data: st.DataObject) -> None:
    tree = lazy(text)
    numbers = [tree.root]
    for number in numbers:
        numbers += tree.children(number)
    number = data.draw(st.sampled_from(numbers))
    way = [number]
    while way[0] != tree.root:
        way.insert(0, tree.node(way[0]).parent)
    assert lazy(text).around(number) == way


def test_a_number_where_no_value_begins_is_refused() -> None:
    with pytest.raises(LookupError):
        lazy('{"a":[1,2]}').node(2)


@pytest.mark.parametrize("text", ["NaN", "[1,]", "\ufeff1", '"\\ud800"', "[" * 5000 + "]" * 5000])
def test_what_only_a_whole_parse_can_tell_is_left_to_it(text: str) -> None:
    assert lazy_tree(text) is None


def test_a_large_result_opens_folded_and_says_how_large_it_is() -> None:
    text = '{"rows":[' + ",".join(['{"id":12345678901234567890}'] * (LAZY // 20)) + '],"n":1}'
    tree = result_tree(ToolResult(content=(ContentBlock(kind="text", text=text),)))
    assert isinstance(tree, LazyTree)
    rows = JsonRows(tree, width=60, call=0, section=Section.RESULT)
    assert [plain(rows[at].line) for at in range(len(rows))][1:2] == ["    ▸ rows: [] 50,000 items, 1.4 MB"]
    number = rows[1].target.node if rows[1].target else None
    assert number is not None
    opened = JsonRows(tree, width=60, call=0, section=Section.RESULT, toggled=frozenset({number}))
    assert len(opened) == 50_003


def test_all_is_unfolded_but_for_levels_of_thousands_which_unfold_one_by_one() -> None:
    text = '{"few":[{"a":[1]}],"rows":[' + ",".join(['{"id":[12345678901234567890]}'] * (LAZY // 20)) + "]}"
    tree = lazy(text)
    rows = JsonRows(tree, width=60, call=0, section=Section.RESULT, fold=Fold.MUCH)
    shown = [" ".join(plain(rows[at].line).split()) for at in range(5)]
    assert shown == ["▾ {} 2 keys", "▾ few: [] 1 item", "▸ 0: {} 1 key", "▾ rows: [] 50,000 items", "▸ 0: {} 1 key"]
    assert len(rows) == 50_004
    target = rows[4].target
    assert target is not None and target.node is not None
    opened = JsonRows(tree, width=60, call=0, section=Section.RESULT, fold=Fold.MUCH, toggled=frozenset({target.node}))
    assert "▾ 0:" in plain(opened[4].line) and len(opened) == 50_005


@given(
    st.lists(st.sampled_from(["1", "[2,3]", '{"a": [4]}', '"x,y"', "-1.50", "null"]), min_size=60, max_size=80),
    st.sampled_from([",", ", ", " ,\n  "]),
    st.none() | st.tuples(st.integers(0, 50), st.sampled_from([", ", ",\t", " , "])),
)
def test_elements_of_a_long_array_stand_where_they_are_written(
    items: list[str], separator: str, odd: tuple[int, str] | None
) -> None:
    separators = [separator] * (len(items) - 1)
    if odd is not None:
        separators[odd[0]] = odd[1]
    text = "[ " + "".join(map("".join, zip(items, [*separators, " ]"], strict=True)))
    tree = lazy_tree(text)
    assert tree is not None
    assert [tree.literal(child) for child in tree.children(tree.root)] == items
