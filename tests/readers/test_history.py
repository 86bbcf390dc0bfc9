"""What is new in a log that repeats itself."""

from __future__ import annotations

from blockview.core.model import Place, Status, Text, ToolCall
from blockview.readers.conversation import Answer, Event, Prompt
from blockview.readers.history import History, News

HERE = Place(1, 0)
PROMPT = Prompt("p")
CALL = ToolCall("1", "t", "t", "{}", HERE)


def said(text: str, role: str = "assistant") -> Text:
    return Text(role, text, HERE)


def answer(identity: str) -> Answer:
    return Answer(identity, Status.OK)


def starts(history: History, *events: Event) -> int | None:
    news = history.take(events)
    return None if news is None else news.start


def test_only_the_end_is_new() -> None:
    history = History()
    history.restart()
    assert history.take((PROMPT,)) == News(0, "1", False)
    assert history.take((said("hm", "thinking"), said("a"), CALL)) == News(0, "1", False)
    history.restart()
    assert starts(history, PROMPT) is None
    assert starts(history, said(" a "), CALL) is None
    assert history.take((answer("1"),)) == News(0, "1", False)


def test_what_goes_on_behind_what_is_known_of_a_record() -> None:
    history = History()
    history.restart()
    assert starts(history, PROMPT, said("a")) == 0
    history.restart()
    assert starts(history, PROMPT, said("a"), said("b")) == 2


def test_the_same_words_at_another_place_are_new() -> None:
    history = History()
    history.restart()
    assert starts(history, PROMPT) == 0
    assert starts(history, said("ok")) == 0
    assert starts(history, PROMPT) == 0
    assert starts(history, said("ok")) == 0


def test_a_response_goes_on_where_the_one_of_that_id_ended() -> None:
    history = History()
    history.restart()
    history.take((PROMPT,))
    history.take((said("a"),))
    history.mark("r1")
    history.restart()
    history.take((Prompt("another"),))
    history.restart("r1")
    news = history.take((Prompt("q"),))
    assert news == News(0, "1", False)


def test_a_branch_is_a_lane_of_its_own() -> None:
    history = History()
    history.restart()
    history.take((PROMPT,))
    assert history.take((said("a"),)) == News(0, "1", False)
    history.restart()
    assert history.take((PROMPT,)) is None
    assert history.take((said("b"),)) == News(0, "2", True)
