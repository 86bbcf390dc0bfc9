"""Extents against a brute-force list of lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.core.extents import Extents
from tests.work import calls_in


def brute(counts: list[int], opened: list[bool]) -> list[tuple[int, int]]:
    """Every line of the list as (row, lines below the row's first)."""
    return [
        (row, below)
        for row, (count, is_open) in enumerate(zip(counts, opened, strict=True))
        for below in range(1 + (count if is_open else 0))
    ]


def check(extents: Extents, counts: list[int], opened: list[bool]) -> None:
    lines = brute(counts, opened)
    assert extents.lines == len(lines)
    assert [extents.locate(line) for line in range(len(lines))] == lines
    assert [extents.top(row) for row in range(len(counts))] == [lines.index((row, 0)) for row in range(len(counts))]
    assert [extents.is_open(row) for row in range(len(counts))] == opened


STEPS = st.lists(
    st.tuples(st.sampled_from(["open", "close", "open all", "close all"]), st.integers(0, 99)), max_size=20
)


@given(counts=st.lists(st.integers(0, 5), min_size=1, max_size=25), start=st.booleans(), steps=STEPS)
def test_any_sequence_of_folds_agrees_with_brute_force(
    counts: list[int], start: bool, steps: list[tuple[str, int]]
) -> None:
    extents = Extents(counts, opened=start)
    opened = [start] * len(counts)
    check(extents, counts, opened)
    for step, number in steps:
        row = number % len(counts)
        if step.endswith("all"):
            opened = [step == "open all"] * len(counts)
            extents.set_all(step == "open all")
        else:
            opened[row] = step == "open"
            extents.set_open(row, step == "open")
        check(extents, counts, opened)


COUNTS = st.lists(st.integers(0, 5), min_size=1, max_size=12)


@given(start=st.booleans(), steps=st.lists(st.tuples(COUNTS, st.integers(0, 12), st.integers(0, 99)), min_size=1))
def test_other_counts_from_some_row_on_keep_the_folds(start: bool, steps: list[tuple[list[int], int, int]]) -> None:
    counts: list[int] = []
    extents, opened = Extents(counts, opened=start), []
    for more, since, fold in steps:
        since = min(since, len(counts))
        counts = [*counts[:since], *more]
        extents.recount(counts, since)
        opened = [*opened, *[start] * len(counts)][: len(counts)]
        check(extents, counts, opened)
        row = fold % len(counts)
        opened[row] = not opened[row]
        extents.set_open(row, opened[row])
        check(extents, counts, opened)


def test_an_empty_list_has_no_lines() -> None:
    extents = Extents([])
    assert (extents.rows, extents.lines) == (0, 0)
    with pytest.raises(IndexError):
        extents.locate(0)


@pytest.mark.parametrize("line", [-1, 3])
def test_a_line_outside_the_list_is_an_error(line: int) -> None:
    with pytest.raises(IndexError):
        Extents([0, 1, 0]).locate(line)


def test_a_million_rows_cost_little() -> None:
    """A linear walk per look-up would make a million calls or be one long one."""
    extents = Extents([3] * 1_000_000)
    assert calls_in(lambda: look_around(extents)) < 100_000


def look_around(extents: Extents) -> None:
    for row in range(0, 1_000_000, 10_000):
        extents.set_open(row, True)
        assert extents.locate(extents.top(row) + 3) == (row, 3)
    extents.set_all(True)
    for line in range(0, extents.lines, 10_000):
        row, below = extents.locate(line)
        assert extents.top(row) + below == line
