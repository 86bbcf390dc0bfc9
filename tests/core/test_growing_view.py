"""A list that follows a growing recording, and a list that a filter has made shorter."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from blockview.core.coercion import Depth
from blockview.core.find import HEAD, Position, Survey
from blockview.core.growing import Grown
from blockview.core.live import Live
from blockview.core.model import Session, ToolCall
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import Missing
from blockview.core.query import parse
from blockview.core.view import Tally, View
from tests.core.test_view import LINE_IS_INTEGER, call, positions, session

ARGUMENTS = st.sampled_from(["{}", '{"line":5.0}', '{"line":5}', '{"needle":1}'])
CALLS = st.lists(ARGUMENTS, max_size=3)
BLOCKS = st.lists(CALLS, min_size=1, max_size=12)


def made(blocks: Sequence[Sequence[str]], bad_lines: int = 0) -> Session:
    told = [(f"prompt {number}", [call(text) for text in calls]) for number, calls in enumerate(blocks)]
    return session(*told, bad_lines=bad_lines)


def explored(survey: Survey) -> list[tuple[int, ...]]:
    for _ in survey.explore():
        pass
    return [survey.rows(block) for block in range(len(survey._seen))]


def known(view: View) -> tuple[object, ...]:
    """All that a list knows once everything is looked into."""
    assert view.found is not None
    everything = (explored(view.marked), view.tally, explored(view.failed), explored(view.found), view.found.hits)
    if view.kept is not None:
        everything += (explored(view.kept),)
    return (*everything, view.lines, positions(view), view.blocks, view.calls)


@given(BLOCKS, st.lists(st.integers(0, 40), max_size=6), st.booleans(), st.data())
def test_a_list_that_grew_knows_what_one_made_at_once_knows(
    blocks: list[list[str]], looks: list[int], filtered: bool, data: st.DataObject
) -> None:
    grew = View(made(blocks[:1]), LINE_IS_INTEGER, complete=False)
    sizes = [1]
    if filtered:
        grew.set_filter(parse("is:changed"))
    grew.find("needle")
    told = [blocks[0]]
    for look in looks:
        for survey in (grew.marked, grew.found, grew.kept):
            if survey is not None:
                survey.rows(look % grew.blocks)
        size = data.draw(st.integers(sizes[-1], len(blocks)))
        cut = data.draw(st.integers(0, 3))
        before, told = told, [*blocks[: size - 1], blocks[size - 1][:cut]]
        touched = [number for number, calls in enumerate(before) if calls != told[number]]
        grew.grow(Grown(made(told), touched, complete=False))
        sizes.append(size)
    touched = [number for number, calls in enumerate(told) if calls != blocks[number]]
    grew.grow(Grown(made(blocks), touched))
    once = View(made(blocks), LINE_IS_INTEGER, complete=False)
    if filtered:
        once.set_filter(parse("is:changed"))
    once.find("needle")
    assert known(grew) == known(once)


@given(BLOCKS, st.booleans(), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=5), st.data())
def test_nothing_above_what_is_new_changes(
    blocks: list[list[str]], opened: bool, steps: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Cursor and folds stay, and the lines that are told to be as they were are."""
    told = [blocks[0]]
    view = View(made(told), LINE_IS_INTEGER, complete=opened)
    for fold, row in steps:
        block = fold % view.blocks
        view.set_open(block, not view.is_open(block))
        view.move_to(row % view.lines)
        size = data.draw(st.integers(len(told), len(blocks)))
        cut = data.draw(st.integers(0, 3))
        before, told = told, [*blocks[: size - 1], blocks[size - 1][:cut]]
        cursor, folds, lines = view.cursor, [view.is_open(each) for each in range(view.blocks)], positions(view)
        same = view.grow(
            Grown(made(told), [number for number, calls in enumerate(before) if calls != told[number]], complete=False)
        )
        assert positions(view)[:same] == lines[:same]
        assert all(before[block] == told[block] for block, _ in lines[:same])
        assert [view.is_open(each) for each in range(len(folds))] == folds
        assert view.cursor == (cursor.block, min(cursor.call, len(told[cursor.block]) - 1))
        assert view.position(view.cursor_line).block == cursor.block
        assert view.block(view.blocks - 1).calls == view.session.blocks[-1].calls


def test_blocks_and_calls_that_were_not_touched_are_not_made_again() -> None:
    view = View(made([["{}"], ['{"line":5.0}']]), LINE_IS_INTEGER)
    kept, other = view.block(0), view.block(1)
    sent = view.prepared(Position(0, 0))
    view.grow(Grown(made([["{}"], ["{}"]]), [1]))
    assert view.block(0) is kept and view.prepared(Position(0, 0)) is sent
    assert view.block(1) is not other and view.prepared(Position(1, 0)).dispatched == "{}"


def sent(recorded: ToolCall) -> Live:
    return Live(recorded, "{}", Missing(""), Outcome(Ended.CANCELLED), None)


def named(*blocks: str) -> Session:
    """Blocks with calls of these ids, one letter each."""
    return session(*(("prompt", [replace(call(), id=letter) for letter in letters]) for letters in blocks))


@pytest.mark.parametrize(
    ("after", "touched", "places"),
    [
        (("ab", "c", "d"), [], [(0, 1), (1, 0)]),
        (("xab", "c"), [0], [(0, 2), (1, 0)]),
        (("a", "c"), [0], [(1, 0)]),
        (("ab",), [], [(0, 1)]),
    ],
)
def test_live_outcomes_stay_with_their_calls(
    after: tuple[str, ...], touched: list[int], places: list[tuple[int, int]]
) -> None:
    view = View(named("ab", "c"))
    for position in (Position(0, 1), Position(1, 0)):
        view.live[position] = [sent(view.session.blocks[position.block].calls[position.call])]
    view.grow(Grown(named(*after), touched))
    assert sorted(view.live) == places
    for position, outcomes in view.live.items():
        found = view.call(position)
        assert found is not None and [outcome.call.id for outcome in outcomes] == [found.id]


def test_a_filter_holds_for_a_recording_that_was_replaced() -> None:
    view = filtered("is:changed")
    view.grow(Grown(made([['{"line":5.0}']]), replaced=True))
    assert view.kept is not None
    explored(view.kept)
    assert positions(view) == [(0, HEAD), (0, 0)]


def test_cursor_and_folds_stay_with_their_blocks() -> None:
    view = View(made([["{}", "{}"], ["{}"]]), complete=False)
    view.set_open(1, True)
    view.go(Position(0, 1))
    view.grow(Grown(made([["{}", "{}"], ["{}", "{}"], ["{}"]]), [1]))
    assert (view.cursor, view.is_open(0), view.is_open(1), view.is_open(2)) == (Position(0, 1), True, True, False)
    assert positions(view)[-4:] == [(1, HEAD), (1, 0), (1, 1), (2, HEAD)]


@pytest.mark.parametrize(
    ("cursor", "after"),
    [
        (Position(1, 1), Position(1, 0)),
        (Position(2), Position(1)),
        (Position(3), Position(2)),
    ],
)
def test_a_cursor_whose_row_is_gone_goes_to_the_nearest(cursor: Position, after: Position) -> None:
    view = View(made([["{}"], ["{}", "{}"], []], bad_lines=1))
    view.cursor = cursor
    view.grow(Grown(made([["{}"], ["{}"]], bad_lines=1), [1]))
    assert view.cursor == after


def test_another_catalog_prepares_everything_anew() -> None:
    view = View(made([['{"line":5.0}']]), lambda call: Missing("not listed"))
    explored(view.marked)
    assert view.tally == Tally(missing=1)
    view.grow(Grown(view.session), LINE_IS_INTEGER)
    explored(view.marked)
    assert view.tally == Tally(changed=1)
    assert view.prepared(Position(0, 0)).dispatched == '{"line":5}'


def test_a_replaced_recording_is_looked_into_anew() -> None:
    view = View(made([['{"line":5.0}'], []]), LINE_IS_INTEGER)
    explored(view.marked)
    view.grow(Grown(made([["{}"]]), replaced=True))
    explored(view.marked)
    assert (view.tally, view.blocks, view.lines) == (Tally(), 1, 2)


FILTERED = made([["{}", '{"line":5.0}'], [], ['{"line":5.0}', "{}", '{"line":5.0}'], ["{}"]], bad_lines=1)


def filtered(text: str) -> View:
    view = View(FILTERED, LINE_IS_INTEGER)
    view.set_filter(parse(text))
    assert view.kept is not None
    explored(view.kept)
    view.stay_shown()
    return view


def test_a_filter_shows_only_what_it_holds_for_and_takes_nothing_away() -> None:
    view = filtered("is:changed")
    assert positions(view) == [(0, HEAD), (0, 1), (2, HEAD), (2, 0), (2, 2)]
    assert [view.line(position) for position in positions(view)] == [0, 1, 2, 3, 4]
    view.set_open(0, False)
    assert positions(view) == [(0, HEAD), (2, HEAD), (2, 0), (2, 2)]
    view.set_filter(None)
    assert len(positions(view)) == 11


def test_the_cursor_stays_on_what_is_shown() -> None:
    view = View(FILTERED, LINE_IS_INTEGER)
    view.go(Position(1))
    view.set_filter(parse("is:changed"))
    assert view.kept is not None
    explored(view.kept)
    view.stay_shown()
    assert view.cursor == Position(2)
    assert view.step_in() and view.cursor == Position(2, 0)
    view.move_to(99)
    assert view.cursor == Position(2, 2)
    view.set_filter(None)
    assert (view.cursor, view.position(view.cursor_line)) == (Position(2, 2), Position(2, 2))


def test_what_is_looked_for_is_looked_for_in_what_is_shown() -> None:
    view = filtered("is:changed")
    view.find("prompt")
    assert view.found is not None
    assert explored(view.found) == [(HEAD,), (), (HEAD,), ()]
    view.find("line")
    assert view.found is not None
    assert explored(view.found) == [(1,), (), (0, 2), ()]
    assert list(view.seek_mark(forward=True))[-1] == Position(0, 1)


def test_marks_that_are_hidden_are_passed_over() -> None:
    view = View(FILTERED, LINE_IS_INTEGER)
    view.set_filter(parse("-is:changed"))
    assert list(view.seek_mark(forward=True)) == [None] * len(list(view.seek_mark(forward=True)))


def test_a_depth_that_changes_what_is_changed_changes_what_is_shown() -> None:
    view = filtered("is:changed")
    view.set_depth(Depth.OFF)
    assert view.kept is not None
    explored(view.kept)
    assert positions(view) == []
    assert view.lines == 0


@given(BLOCKS, st.sampled_from(["is:changed", "-is:changed", "needle", "prompt"]), st.permutations(range(12)))
def test_rows_of_a_filtered_list_are_right_in_whatever_order_blocks_are_looked_into(
    blocks: list[list[str]], text: str, order: list[int]
) -> None:
    view = View(made(blocks), LINE_IS_INTEGER)
    view.set_filter(parse(text))
    assert view.kept is not None
    for block in order:
        if block < view.blocks:
            view.kept.rows(block)
    expected = [
        Position(number, row)
        for number in range(view.blocks)
        if (rows := view.kept.rows(number))
        for row in sorted({HEAD, *rows})
    ]
    assert positions(view) == expected
    assert [view.line(position) for position in expected] == list(range(len(expected)))
