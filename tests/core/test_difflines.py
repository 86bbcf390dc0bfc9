"""Recorded beside live as rows."""

from __future__ import annotations

import pytest
from hypothesis import given

from blockview.core.compare import Comparison, compare
from blockview.core.diff import Totals
from blockview.core.difflines import Differences, DiffRows, heads, totals_spans
from blockview.core.lines import plain
from blockview.core.model import ContentBlock, Place, Status, ToolCall, ToolResult
from blockview.core.outcome import Ended, Outcome
from blockview.core.rows import Fold, Target
from blockview.core.safetext import cell_width
from tests.core.strategies import json_texts

SKETCH = (
    '{"name":"nightly","state":"failed","total":10.0,"error":"limit must be integer"}',
    '{"name":"nightly","state":"done","total":10,"id":"7f3"}',
)


def result(text: str, *, is_error: bool = False, image: str = "") -> ToolResult:
    image_block = (ContentBlock("image", note=image),) if image else ()
    return ToolResult((ContentBlock("text", text), *image_block), is_error=is_error)


def comparison(recorded: str, live: str, *, failed: bool = False) -> Comparison:
    call = ToolCall("1", "t", "t", "{}", Place(1, 0), status=Status.OK, result=result(recorded))
    ended = Ended.TOOL_ERROR if failed else Ended.RESULT
    found = compare(call, Outcome(ended, result=result(live, is_error=failed)))
    assert found is not None
    return found


def rows(
    recorded: str,
    live: str,
    width: int = 60,
    *,
    side: bool = True,
    toggled: frozenset[Target] = frozenset(),
    fold: Fold = Fold.AUTO,
) -> DiffRows:
    return DiffRows(Differences(comparison(recorded, live)), width=width, side=side, toggled=toggled, fold=fold)


def text(found: DiffRows) -> list[str]:
    return [plain(row.line).rstrip() for row in found]


def test_side_by_side() -> None:
    assert text(rows(*SKETCH, width=77)) == [
        "~ ▾ {} 4 keys                          │   {} 4 keys",
        '=     name:  "nightly"                 │     name:  "nightly"',
        '~     state: "failed"                  │     state: "done"',
        "≈     total: 10.0                      │     total: 10",
        '+     id:                              │     id:    "7f3"',
        '-     error: "limit must be integer"   │     error:',
    ]


def test_below_each_other() -> None:
    assert text(rows(*SKETCH, width=50, side=False)) == [
        "~ ▾ {} 4 keys",
        '=     name:  "nightly"',
        '~     state: recorded "failed"',
        '             live     "done"',
        "≈     total: recorded 10.0",
        "             live     10",
        '+     id:    "7f3"',
        '-     error: "limit must be integer"',
    ]


def test_the_other_spelling_is_named_where_there_is_room() -> None:
    assert "10   same value, other spelling" in text(rows(*SKETCH, width=120))[3]


def test_next_and_previous_difference() -> None:
    for side in (True, False):
        found = rows(*SKETCH, side=side)
        seen, at = [], -1
        while (following := found.difference(at, forward=True)) is not None:
            at = following
            seen.append(text(found)[at][0])
        assert seen == ["~", "≈", "+", "-"]
        back = found.difference(at, forward=False)
        assert back is not None and text(found)[back].startswith("+")
        assert found.difference(0, forward=False) is None


def test_runs_of_equal_values_fold_and_open() -> None:
    live = ",".join(map(str, range(100)))
    found = rows(f"[{live}]", f"[{live},5]")
    assert [line.split("│")[0].rstrip() for line in text(found)] == [
        "~ ▾ [] 100 items",
        "=     0:  0",
        "=     1:  1",
        "=     2:  2",
        "=   ▸ 94 more that are the same",
        "=     97: 97",
        "=     98: 98",
        "=     99: 99",
        "+     100:",
    ]
    target = found[4].target
    assert found[4].foldable and target is not None and found.index_of(target) == 4
    opened = rows(f"[{live}]", f"[{live},5]", toggled=frozenset({target}))
    assert len(opened) == 103 and "▾ 94 more" in text(opened)[4]
    assert len(rows(f"[{live}]", f"[{live},5]", fold=Fold.OPEN)) == 102


def test_equal_containers_fold_among_many_and_differing_ones_stay_open() -> None:
    recorded = ",".join(f'{{"id":{number},"name":"n"}}' for number in range(50))
    live = recorded.replace('"id":25', '"id":-25')
    lines = [line.split("│")[0].rstrip() for line in text(rows(f"[{recorded}]", f"[{live}]"))]
    assert "=   ▸ 0:  {} 2 keys   same" in lines and "=   ▸ 19 more that are the same" in lines
    assert lines[lines.index("~   ▾ 25: {} 2 keys") + 1] == "~       id:   25"
    closed = text(rows(f"[{recorded}]", f"[{live}]", width=90, fold=Fold.CLOSED))
    assert any("▸ 25: {} 2 keys   differs inside" in line for line in closed)


def test_what_only_one_side_has_opens_to_its_values() -> None:
    small = text(rows('{"a":1}', '{"a":1,"b":{"c":[2,3]}}'))
    assert [line.rstrip() for line in small[2:]] == [
        "+   ▾ b:                      │     b: {} 1 key",
        "+     ▾ c:                    │       c: [] 2 items",
        "+         0:                  │         0: 2",
        "+         1:                  │         1: 3",
    ]
    large = f'{{"a":1,"b":[{",".join("7" * 30)}]}}'
    found = rows('{"a":1}', large)
    assert len(found) == 3 and "▸ b" in text(found)[2]
    target = found[2].target
    assert target is not None and len(rows('{"a":1}', large, toggled=frozenset({target}))) == 33


def test_long_texts_open_line_by_line_with_signs() -> None:
    recorded = "\\n".join(f"line {number}" for number in range(40))
    live = recorded.replace("line 20", "line twenty")
    found = rows(f'{{"text":"{recorded}"}}', f'{{"text":"{live}"}}', width=100)
    assert "characters)" in text(found)[1] and found[1].foldable
    target = found[1].target
    assert target is not None
    opened = rows(f'{{"text":"{recorded}"}}', f'{{"text":"{live}"}}', toggled=frozenset({target}))
    lines = text(opened)
    assert sum("that are the same" in line for line in lines) == 2
    changed = next(line for line in lines if "twenty" in line)
    assert changed.startswith("~") and "│ line 20 " in changed
    everything = rows(f'{{"text":"{recorded}"}}', f'{{"text":"{live}"}}', fold=Fold.OPEN)
    assert len(everything) == 42
    first = opened.difference(0, forward=True)
    assert first == 1
    assert opened.difference(1, forward=True) == lines.index(changed)


def test_texts_are_compared_by_lines_without_quotes() -> None:
    assert text(rows('one\n"two"\nthree', 'one\n"2"\nthree\nfour', width=40)) == [
        "=   one             │   one",
        '~   "two"           │   "2"',
        "=   three           │   three",
        "+                   │   four",
    ]


def test_another_ending_comes_first_and_is_a_difference() -> None:
    found = DiffRows(Differences(comparison("same", "same", failed=True)), width=60, side=True)
    assert text(found)[0] == "~ recorded: ok, live: tool error"
    assert found.difference(-1, forward=True) == 0


def test_images_are_compared_by_what_is_said_of_them() -> None:
    call = ToolCall("1", "t", "t", "{}", Place(1, 0), status=Status.OK, result=result("a", image="image/png, 1 KB"))
    live = Outcome(Ended.RESULT, result=result("a", image="image/png, 2 KB"))
    lines = text(DiffRows(Differences(compare(call, live)), width=90, side=True))
    (told,) = [line for line in lines if "image/png" in line]
    assert "image/png, 1 KB" in told and "image/png, 2 KB" in told and told.startswith("~")


def test_both_empty_and_one_missing() -> None:
    assert text(rows("", "")) == []
    assert text(rows("", "answer")) == ["+                             │   answer"]


def test_totals_and_heads() -> None:
    found = Totals(same=2, differ=2, only_recorded=1, only_live=1)
    assert plain(tuple(totals_spans(found))) == "2 same  2 differ  1 only recorded  1 only live"
    assert plain(tuple(totals_spans(found, words=False))) == "=2  ~2  -1  +1"
    assert plain(heads("14:09", "15:31", 60, side=True)).split("│")[1].strip() == "live 15:31"
    assert plain(heads("", "15:31", 60, side=False)) == "- recorded   + live 15:31"


@pytest.mark.parametrize("width", [1, 2, 7, 20, 41, 120])
@pytest.mark.parametrize("side", [True, False])
@pytest.mark.parametrize("fold", list(Fold))
def test_nothing_is_wider_than_the_pane_and_nothing_acts(width: int, side: bool, fold: Fold) -> None:
    hostile = '{"\\u001b[2J key \\u202e":"\\u001b]0;x\\u0007 日本語 \\ud800","n":1,"l":["a\\nb",' + "9" * 400 + "]}"
    for recorded, live in ((hostile, hostile.replace("1,", "2,").replace("b", "c")), ("[1]", hostile), (hostile, "")):
        for row in rows(recorded, live, width=width, side=side, fold=fold):
            assert cell_width(plain(row.line)) <= width
            assert not any(character < " " or "\x7f" <= character < "\xa0" for character in plain(row.line))


@given(json_texts(), json_texts())
def test_every_row_can_be_drawn_and_found(recorded: str, live: str) -> None:
    for side in (True, False):
        for fold in Fold:
            found = rows(recorded, live, side=side, fold=fold)
            for at, row in enumerate(found):
                if row.target is not None:
                    first = found.index_of(row.target)
                    assert first is not None and first <= at


@given(json_texts())
def test_a_value_beside_itself_has_no_difference(value: str) -> None:
    assert rows(value, value).difference(-1, forward=True) is None
