"""A long text as rows that are made when they are asked for."""

from hypothesis import given
from hypothesis import strategies as st

from blockview.core.lines import Role
from blockview.core.longtext import LONG, LongText
from blockview.core.model import ContentBlock, Place, Status, ToolCall, ToolResult
from blockview.core.prepare import prepare
from blockview.core.render import Fold, call_detail
from blockview.core.rows import Section, Target, text_rows

TARGET = Target(0, Section.RESULT)


@given(st.text(st.sampled_from("abc  \n\n\r\té日\u0301👩\x1b\u202e"), max_size=200), st.integers(1, 12))
def test_its_rows_are_those_that_are_made_at_once(text: str, width: int) -> None:
    made = text_rows(text, Role.PLAIN, TARGET, width=width, opened=True, limit=0)
    rows = LongText(text, Role.PLAIN, TARGET, width=width)
    assert [rows[at] for at in range(len(rows))] == made
    assert [rows[at] for at in reversed(range(len(rows)))] == made[::-1]
    assert rows.index_of(TARGET) == 0 and rows.index_of(Target(1, Section.RESULT)) is None


def test_a_result_of_megabytes_unfolds_to_all_of_its_lines() -> None:
    text = "\n".join(f"line {number}" for number in range(LONG // 8))
    result = ToolResult((ContentBlock("text", text),))
    call = ToolCall("1", "t", "t", "{}", Place(1, 0), result=result, status=Status.OK)
    rows = call_detail(call, prepare(call), width=60, fold=Fold.MUCH)
    assert rows[len(rows) - 1].line[-1].text == f"line {LONG // 8 - 1}"
