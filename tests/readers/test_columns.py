"""Compact columns hold what plain lists and dictionaries would hold."""

from hypothesis import given
from hypothesis import strategies as st

from blockview.core.model import Place
from blockview.readers.columns import Chains, Rows, RowsByName


@given(st.lists(st.tuples(st.text(max_size=3), st.integers(0, 2**32 - 1))))
def test_the_first_row_of_a_name_stays(given_: list[tuple[str, int]]) -> None:
    table, known = RowsByName(), dict[str, int]()
    for name, row in given_:
        assert table.setdefault(name, row) == known.get(name, -1)
        known.setdefault(name, row)
    for name in {*known, "never set"}:
        assert table.get(name) == known.get(name, -1)


def test_many_names_are_found_again() -> None:
    table = RowsByName()
    names = [f"name {number}" for number in range(5000)]
    assert {table.setdefault(name, row) for row, name in enumerate(names)} == {-1}
    assert [table.get(name) for name in names] == list(range(5000))
    assert table.get("another") == -1


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9))))
def test_lists_that_grow_in_any_order(entries: list[tuple[int, int]]) -> None:
    chains, lists = Chains(), [list[int]() for _ in range(5)]
    for _ in lists:
        chains.open()
    for block, row in entries:
        chains.append(block, row)
        if lists[block][-1:] != [row]:
            lists[block].append(row)
    assert [list(chains.of(block)) for block in range(5)] == lists


def test_the_row_at_an_offset_is_the_one_that_begins_there_or_before() -> None:
    rows = Rows()
    assert rows.at(0) == -1
    for number, byte in enumerate((5, 10, 30)):
        assert rows.add(number + 1, byte, 4) == number
    assert [rows.at(byte) for byte in (4, 5, 9, 10, 29, 30, 99)] == [-1, 0, 0, 1, 1, 2, 2]
    assert (rows[1], len(rows)) == (Place(2, 10, 4), 3)
