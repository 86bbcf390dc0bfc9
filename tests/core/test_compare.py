"""A recorded call beside its live outcome."""

from __future__ import annotations

import pytest

from blockview.core.compare import Comparison, compare
from blockview.core.diff import Sign
from blockview.core.model import ContentBlock, Place, Status, ToolCall, ToolResult
from blockview.core.outcome import Ended, Outcome


def result(*texts: str, structured: str | None = None) -> ToolResult:
    return ToolResult(tuple(ContentBlock("text", text) for text in texts), structured)


def compared(
    recorded: ToolResult | None, live: ToolResult | None, status: Status = Status.OK, ended: Ended = Ended.RESULT
) -> Comparison:
    call = ToolCall("1", "t", "t", "{}", Place(1, 0), status=status, result=recorded)
    found = compare(call, Outcome(ended, result=live))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("recorded", "live", "same"),
    [
        (result('{"a":1,"b":2}'), result('{"b": 2, "a": 1.0}'), True),
        (result("9007199254740993"), result("9007199254740992"), False),
        (result("x", structured='{"n":1}'), result("y", structured='{"n":1}'), True),
        (result('{"n":1}'), result('{"n":2}', structured='{"n":1}'), False),  # the texts are what both have
        (result("plain\ntext"), result("plain\ntext"), True),
        (result("plain"), result('{"a":1}'), False),
        (result("a", "b"), result("a\nb"), True),
        (None, None, True),
        (result("a\ud800"), result("a\ud800"), True),
    ],
)
def test_results_are_the_same_when_their_values_are(
    recorded: ToolResult | None, live: ToolResult | None, same: bool
) -> None:
    assert compared(recorded, live).same is same


def test_a_text_is_compared_line_by_line() -> None:
    found = compared(result("one\ntwo\nthree"), result("one\nthree"))
    assert found.lines
    assert [row.sign for row in found.rows if not row.paired] == [Sign.SAME, Sign.ONLY_RECORDED, Sign.SAME]


def test_what_is_not_text_counts_by_kind_type_and_size() -> None:
    def image(note: str) -> ToolResult:
        return ToolResult((ContentBlock("image", note=note),))

    assert compared(image("image/png, 10 B"), image("image/png, 10 B")).same
    assert not compared(image("image/png, 10 B"), image("image/png, 11 B")).same
    assert not compared(image(""), result("[audio block]")).same


@pytest.mark.parametrize(
    ("status", "ended", "told"),
    [
        (Status.OK, Ended.RESULT, ""),
        (Status.TOOL_ERROR, Ended.REFUSED, ""),
        (Status.PROTOCOL_ERROR, Ended.TOOL_ERROR, ""),
        (Status.TOOL_ERROR, Ended.RESULT, "recorded: tool error, live: result"),
        (Status.OK, Ended.TIMED_OUT, "recorded: ok, live: timed out"),
        (Status.NO_RESULT, Ended.RESULT, "recorded: no result, live: result"),
    ],
)
def test_calls_that_ended_differently_are_never_the_same(status: Status, ended: Ended, told: str) -> None:
    found = compared(result("x"), result("x"), status, ended)
    assert (found.ended, found.same) == (told, not told)


def test_two_results_that_are_too_large_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    call = ToolCall("1", "t", "t", "{}", Place(1, 0), status=Status.OK, result=result("x" * 60))
    monkeypatch.setattr("blockview.core.compare.LARGEST", 100)
    assert compare(call, Outcome(Ended.RESULT, result=result("x" * 40))) is not None
    assert compare(call, Outcome(Ended.RESULT, result=result("x" * 41))) is None
