"""Records told in part, under a heading, and with ids of their own."""

from __future__ import annotations

from collections.abc import Sequence

from blockview.core.model import Place, Status, Text, ToolCall
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.telling import Entry, Pairing, tell


def call(identity: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(identity, "t", "t", arguments, Place(1, 0))


def ids(records: Sequence[Sequence[Event]], pairing: Pairing | None = None) -> list[list[tuple[str, Status]]]:
    entries = [Entry(Place(line, 0)) for line in range(len(records))]
    told = tell(entries, lambda place: records[place.line], pairing)
    assert [len(block.calls) for block in told.blocks] == list(told.calls)
    return [[(one.id, one.status) for one in block.calls] for block in told.blocks]


def test_a_part_of_a_record_under_a_heading() -> None:
    held = {Place(1, 0): (Prompt("p"), Text("assistant", "a"), Text("assistant", "b")), Place(2, 0): (Prompt("q"),)}
    entries = [Entry(Place(1, 0), 2, Prompt("", "branch"), "x"), Entry(Place(2, 0))]
    told = tell(entries, held.__getitem__)
    first, second = told.blocks
    assert (first.label, first.items, second.prompt) == ("branch", (Text("assistant", "b"),), "q")
    assert told.title == "q"


def test_ids_that_come_again_are_other_calls() -> None:
    record = (call("a"), Answer("a", Status.OK))
    assert ids([record, record]) == [[("a", Status.OK)]]
    assert ids([record, record], Pairing()) == [[("a", Status.OK), ("a (2)", Status.OK)]]


def test_a_call_that_is_told_again_before_its_answer_is_one() -> None:
    records = [(call("a"),), (call("a"),), (Answer("a", Status.OK),)]
    assert ids(records, Pairing()) == [[("a", Status.OK)]]


def test_answers_without_ids_are_for_the_call_that_waits_longest() -> None:
    answers = (Answer("", Status.TOOL_ERROR), Answer("", Status.OK), Answer("", Status.DENIED))
    assert ids([(call("", "1"), call("", "2")), answers[:2]], Pairing()) == [
        [("call 1", Status.TOOL_ERROR), ("call 2", Status.OK)]
    ]
    assert ids([answers[2:]], Pairing()) == [[("answer", Status.RESULT_WITHOUT_CALL)]]
