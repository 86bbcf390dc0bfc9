"""A recorded call beside its live outcome."""

from __future__ import annotations

import pytest

from blockview.core.answers import read_answer
from blockview.core.compare import Comparison, compare
from blockview.core.diff import Sign
from blockview.core.jsonrpc import message_of
from blockview.core.model import ContentBlock, Place, Provenance, Status, ToolCall, ToolResult
from blockview.core.outcome import Ended, Outcome
from blockview.dispatch.outcomes import verdict


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
        (result("x", structured='{"n":1}'), result("x", structured='{"n":1.0}'), True),
        (result("x", structured='{"n":1}'), result("y", structured='{"n":1}'), False),
        (result('{"n":1}', structured='{"n":1}'), result('{ "n": 1 }', structured='{"n":1}'), True),
        (result('{"n":1}'), result('{"n":1}', structured='{"n":1}'), True),  # it may not have been kept
        (result('{"n":1}'), result('{"n":2}', structured='{"n":1}'), False),
        (result("x", structured='{"n":1}'), result("x"), False),
        (result('{"a":NaN}'), result('{"a": NaN}'), False),  # no strict JSON, so these are texts
        (result("plain\ntext"), result("plain\ntext"), True),
        (result("plain"), result('{"a":1}'), False),
        (result("a", "b"), result("a\nb"), True),
        (None, None, True),
        (result("a\ud800"), result("a\ud800"), True),
        (result("a\ud800"), result("a\\ud800"), False),
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


def block(kind: str = "image", note: str = "image/png, 3 B", digest: str = "") -> ToolResult:
    return ToolResult((ContentBlock(kind, note=note, digest=digest),))


@pytest.mark.parametrize(
    ("recorded", "live", "same"),
    [
        (block(), block(), True),
        (block(digest="aa"), block(digest="aa"), True),
        (block(digest="aa"), block(digest="bb"), False),
        (block(), block(digest="bb"), True),  # an agent's recording may not hold the data
        (block(), block(note="image/png, 4 B"), False),
        (block(), block("audio"), False),
        (block(), result("[image block: image/png, 3 B]"), False),
        (result("a"), ToolResult((*result("a").content, *block().content)), False),
    ],
)
def test_what_is_not_text_counts_by_its_hash_type_and_size(recorded: ToolResult, live: ToolResult, same: bool) -> None:
    assert compared(recorded, live).same is same


def test_an_errors_message_is_a_text() -> None:
    def error(text: str) -> ToolResult:
        return ToolResult((ContentBlock("text", text),), is_error=True)

    found = compared(error("1.0"), error("1"), Status.TOOL_ERROR, Ended.TOOL_ERROR)
    assert found.lines and not found.same


def captured(message: str) -> ToolCall:
    """A call of a wire capture with that answer."""
    read = message_of(message.encode())
    assert read is not None
    status, note, answer = read_answer(read, Place(1, 0))
    return ToolCall(
        "1", "t", "t", "{}", Place(1, 0), provenance=Provenance.WIRE, status=status, status_note=note, result=answer
    )


def live(message: str) -> Outcome:
    found = verdict(message.encode())
    return Outcome(found.ended, found.detail, found.code, status=found.status, result=found.result, raw=message)


def answer(result: str) -> str:
    return f'{{"jsonrpc":"2.0","id":1,"result":{result}}}'


def error(code: int, message: str, data: str = "null") -> str:
    return f'{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"{message}","data":{data}}}}}'


TEXT = '{"type":"text","text":"a"}'


@pytest.mark.parametrize(
    ("recorded", "sent_back", "same"),
    [
        (answer(f'{{"content":[{TEXT}]}}'), answer(f'{{ "content": [ {TEXT} ] }}'), True),
        (
            answer('{"content":[{"type":"resource","resource":{"uri":"x:/","text":"hello"}}]}'),
            answer('{"content":[{"type":"resource","resource":{"uri":"x:/","text":"hullo"}}]}'),
            False,
        ),
        (
            answer('{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}'),
            answer('{"content":[{"type":"image","data":"BBBB","mimeType":"image/png"}]}'),
            False,
        ),
        (
            answer('{"content":[{"type":"zap","value":1}]}'),
            answer('{"content":[{"type":"zap","value":2}]}'),
            False,
        ),
        (answer('{"content":[1]}'), answer('{"content":[2]}'), False),
        (answer(f'{{"content":[{TEXT}]}}'), answer(f'{{"content":[{TEXT}],"structuredContent":{{"a":1}}}}'), False),
        (error(-32603, "boom"), error(-32603, "boom"), True),
        (error(-32603, "boom"), error(-32001, "boom"), False),
        (error(-32603, "boom", "1"), error(-32603, "boom", "2"), False),
        (error(-32603, "a"), answer('{"content":[{"type":"text","text":"a"}],"isError":true}'), False),
        (answer('{"content":[]}'), answer('{"content":[],"resultType":"input_required"}'), False),
        (answer('{"resultType":"input_required"}'), answer('{"resultType":"input_required"}'), True),
        (answer('{"task":{"taskId":"1"}}'), answer('{"task":{"taskId":"1"}}'), True),
        (answer('"x"'), answer('"x"'), True),
    ],
)
def test_a_wire_capture_is_compared_with_all_that_it_tells(recorded: str, sent_back: str, same: bool) -> None:
    found = compare(captured(recorded), live(sent_back))
    assert found is not None
    assert found.same is same, (found.ended, found.rows)


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
