"""Events gathered into blocks, whatever format they come from."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from blockview.core.model import Block, ContentBlock, Place, Provenance, Status, Text, ToolCall, ToolResult
from blockview.readers.conversation import Answer, Conversation, Event, Prompt, Whole


def call(identity: str, arguments: str = "{}", provenance: Provenance = Provenance.HOST, second: int = 0) -> ToolCall:
    started = datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC)
    return ToolCall(identity, "t", "t", arguments, Place(1, 0), provenance=provenance, started=started)


def answer(identity: str, text: str, provenance: Provenance = Provenance.HOST, second: int = 0) -> Answer:
    result = ToolResult((ContentBlock("text", text),), place=Place(9, 9))
    return Answer(
        identity, Status.OK, result, when=datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC), provenance=provenance
    )


def blocks(*records: Iterable[Event]) -> tuple[list[Block], tuple[int, ...]]:
    held = {Place(line, 0): tuple(events) for line, events in enumerate(records, 1)}
    conversation = Conversation(held.__getitem__)
    for place, events in held.items():
        conversation.add(place, iter(events))
    read, counts = conversation.blocks()
    assert [len(block.calls) for block in read] == list(counts)
    return list(read), counts


def test_a_prompt_begins_a_block_also_in_the_middle_of_a_record() -> None:
    first, second, third = blocks(
        [Text("note", "before")], [Text("assistant", "a"), Prompt("p"), Text("assistant", "b")], [Prompt("q")]
    )[0]
    assert [item.text for item in first.items if isinstance(item, Text)] == ["before", "a"]
    assert (second.prompt, second.items, second.place) == ("p", (Text("assistant", "b"),), Place(2, 0))
    assert (third.prompt, third.items) == ("q", ())


def test_parallel_calls_keep_their_order_and_find_their_answers() -> None:
    ((block,), _) = blocks(
        [Prompt("p"), call("1"), call("2", second=1)], [answer("2", "two", second=3)], [answer("1", "one", second=4)]
    )
    assert [(one.id, one.result and one.result.text, one.duration_ms) for one in block.calls] == [
        ("1", "one", 4000.0),
        ("2", "two", 2000.0),
    ]


def test_an_answer_in_a_later_block_counts_for_its_call() -> None:
    first, second = blocks([Prompt("p"), call("1")], [Prompt("q")], [answer("1", "late")])[0]
    assert first.calls[0].status is Status.OK
    assert first.calls[0].result and first.calls[0].result.text == "late"
    assert second.items == ()


def test_an_answer_without_a_call_and_a_call_without_an_answer_are_kept() -> None:
    ((block,), counts) = blocks([Prompt("p"), call("1")], [answer("2", "lost")])
    assert [(one.id, one.status) for one in block.calls] == [
        ("1", Status.NO_RESULT),
        ("2", Status.RESULT_WITHOUT_CALL),
    ]
    assert counts == (2,)


def test_the_host_wins_over_the_model_and_what_the_model_asked_for_stands_beside_it() -> None:
    model = call("1", '{"n":5.0}', Provenance.MODEL)
    ((block,), counts) = blocks(
        [Prompt("p"), model, answer("1", "for the model", Provenance.MODEL)],
        [call("1", '{"n":5}'), answer("1", "from the host")],
        [answer("1", "for the model again", Provenance.MODEL)],
    )
    assert counts == (1,)
    (one,) = block.calls
    assert (one.arguments, one.provenance) == ('{"n":5}', Provenance.HOST)
    assert one.result and one.result.text == "from the host"
    assert block.items[1] == Text("note", 'the model asked t for: {"n":5.0}', model.place)


def test_tellers_that_agree_are_told_once() -> None:
    ((block,), _) = blocks([call("1", '{"a":1,"b":2}', Provenance.MODEL), call("1", '{ "b":2, "a":1 }')])
    assert len(block.items) == 1


def test_a_call_told_again_in_a_later_block_stays_where_it_was_first() -> None:
    first, second = blocks([Prompt("p"), call("1")], [Prompt("q"), call("1")])[0]
    assert (len(first.calls), len(second.calls)) == (1, 0)


def test_whole_calls_may_share_an_id_and_are_answered_by_nobody() -> None:
    whole = Whole(call("1", second=5))
    first, second = blocks([Prompt("p"), whole, whole], [Prompt("q"), whole, answer("1", "stray")])[0]
    assert [one.status for one in first.calls] == [Status.NO_RESULT, Status.NO_RESULT]
    assert [one.status for one in second.calls] == [Status.NO_RESULT, Status.RESULT_WITHOUT_CALL]
    assert first.started == whole.call.started


def test_records_without_events_make_no_block() -> None:
    assert blocks([], [])[0] == []


def test_each_lane_has_a_block_of_its_own_open() -> None:
    held = {
        Place(1, 0): ("", [Prompt("p"), call("1")]),
        Place(2, 0): ("sub", [Prompt("q", "subagent"), call("2")]),
        Place(3, 0): ("", [Text("assistant", "meanwhile")]),
        Place(4, 0): ("sub", [answer("1", "from afar"), Text("assistant", "below")]),
        Place(5, 0): ("", [answer("2", "from above")]),
        Place(6, 0): ("other", [Text("assistant", "alone")]),
    }
    conversation = Conversation(lambda place: held[place][1])
    for place, (lane, events) in held.items():
        conversation.add(place, events, lane)
    read, counts = conversation.blocks()
    shown = [[item.text if isinstance(item, Text) else item.id for item in block.items] for block in read]
    assert shown == [["1", "meanwhile"], ["2", "below"], ["alone"]]
    assert [one.result and one.result.text for block in read for one in block.calls] == ["from afar", "from above"]
    assert (counts, conversation.orphans, read[1].label) == ((1, 1, 0), 0, "subagent")
