"""Which sessions are shown, in which order, and where the cursor is."""

from __future__ import annotations

import pytest

from blockview.core.listing import Level, Listing, Numbers
from blockview.core.picking import Fuzzy, Order, Picking


def listing(name: str, changed: float, calls: int = 0, errors: int = 0, **members: object) -> Listing:
    numbers = Numbers(1, calls, errors=errors)
    whole = {"prompt": name, "numbers": numbers, "level": Level.COUNTED, "tool": "T", "project": "/p"} | members
    return Listing(f"/x/{name}.jsonl", changed, **whole)  # type: ignore[arg-type]


OLD = listing("add the retry", 1, calls=9, tool="Codex", project="/home/b")
MIDDLE = listing("port the parser", 2, calls=2, errors=4, project="/home/a")
NEW = listing("what does 1.10 mean", 3, calls=5, project="/home/b/")
ALL = (OLD, NEW, MIDDLE)


def shown(picking: Picking) -> list[str]:
    return [picking[line].prompt for line in range(len(picking))]


def prompts(*listings: Listing) -> list[str]:
    return [listing.prompt for listing in listings]


def test_a_day_is_found() -> None:
    picking = Picking((listing("a", 1_770_000_000), listing("b", 1_780_000_000)))
    picking.look_for("2026-05-28")
    assert shown(picking)[0] == "b"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order.WHEN, (NEW, MIDDLE, OLD)),
        (Order.CALLS, (OLD, NEW, MIDDLE)),
        (Order.ERRORS, (MIDDLE, NEW, OLD)),
        (Order.PROJECT, (MIDDLE, NEW, OLD)),
    ],
)
def test_every_order(order: Order, expected: tuple[Listing, ...]) -> None:
    picking = Picking(ALL)
    picking.sort(order)
    assert shown(picking) == prompts(*expected)


def test_the_orders_follow_each_other_around() -> None:
    assert [order.next for order in Order] == [*list(Order)[1:], Order.WHEN]


def test_what_is_not_counted_yet_comes_last() -> None:
    picking = Picking((listing("unknown", 9, numbers=None), OLD))
    picking.sort(Order.CALLS)
    assert shown(picking) == ["add the retry", "unknown"]


def badness(words: str, text: str) -> int | None:
    return Fuzzy(words).badness(text, text.lower())


@pytest.mark.parametrize(
    ("words", "better", "worse"),
    [
        ("port", "port the parser", "report it"),
        ("port", "the report", "p or it, then"),
        ("ptp", "p t p", "port the parser"),
        ("parser port", "port the parser", "report the parser"),
    ],
)
def test_the_closer_the_letters_the_better(words: str, better: str, worse: str) -> None:
    first, second = badness(words, better), badness(words, worse)
    assert first is not None and second is not None and first < second


@pytest.mark.parametrize(
    ("words", "text"), [("trop", "port"), ("port xyz", "port the parser"), ("Port", "port"), ("ppp", "pp")]
)
def test_what_is_not_found(words: str, text: str) -> None:
    assert badness(words, text) is None


def test_without_capitals_either_case_is_found_and_anything_else_is_literal() -> None:
    assert badness("port", "PORT") == badness("Port", "Port") == badness("1.10", "what does 1.10 mean") == 0
    assert badness("1.10", "1x10") is None


def test_what_is_typed_narrows_the_list_and_what_is_taken_away_widens_it() -> None:
    picking = Picking(ALL)
    for text, expected in (("r", (OLD, MIDDLE)), ("rt", (MIDDLE, OLD)), ("rt p", (MIDDLE,)), ("r", (MIDDLE, OLD))):
        picking.look_for(text)
        assert sorted(shown(picking)) == sorted(prompts(*expected)), text
        assert picking.cursor == 0 and picking.narrowed
    picking.look_for("nothing like it")
    assert len(picking) == 0 and picking.chosen is None and picking.cursor == 0
    picking.look_for("")
    assert shown(picking) == prompts(NEW, MIDDLE, OLD)


def test_tools_and_projects_are_found_too() -> None:
    picking = Picking(ALL)
    picking.look_for("codex")
    assert shown(picking) == prompts(OLD)


def test_filters_work_together_and_are_taken_away_one_by_one() -> None:
    picking = Picking(ALL)
    picking.narrow(tool="T")
    assert shown(picking) == prompts(NEW, MIDDLE)
    picking.narrow(project="/home/a")
    picking.look_for("xyz")
    assert shown(picking) == []
    lengths = []
    while picking.widen():
        lengths.append(len(picking))
    assert lengths == [1, 2, 3] and not picking.narrowed


def test_the_cursor_stays_with_its_session() -> None:
    picking = Picking(ALL)
    picking.move_to(1)
    for order in Order:
        picking.sort(order)
        assert len(picking) and picking.chosen == MIDDLE, order
    picking.put((*ALL, listing("newer", 7), listing("newest", 8)))
    picking.sort(Order.WHEN)
    assert picking.chosen == MIDDLE and picking.cursor == 3


def test_the_cursor_at_the_top_stays_at_the_top() -> None:
    picking = Picking(ALL)
    assert picking.chosen == NEW
    picking.put((*ALL, listing("newest", 8)))
    assert picking.chosen is not None and picking.chosen.prompt == "newest"


def test_a_cursor_whose_session_is_gone_stays_in_the_list() -> None:
    picking = Picking(ALL)
    picking.move_to(2)
    picking.put(ALL[1:])
    assert picking.cursor == 1 and picking.chosen == MIDDLE


def test_what_is_found_out_takes_the_place_of_what_was_known() -> None:
    first = Listing("/x/a.db", 5, doubtful=True)
    picking = Picking((first, OLD, Listing("/x/b", 4, doubtful=True)))
    assert len(picking) == 1 and picking.found == 1 and picking.open == 2
    entries = [Listing("/x/a.db", changed, id=str(changed), level=Level.GLANCED) for changed in (6, 0)]
    picking.update((first, Listing("/x/b", 4, doubtful=True)), (entries, ()))
    assert [picking[line].id for line in range(len(picking))] == ["6", "", "0"]
    assert picking.open == 2 and picking.found == 3
    picking.update((OLD,), ((listing("add the retry", 1, calls=10),),))
    assert picking[1].numbers == Numbers(1, 10)
    picking.update((OLD,), ((listing("add the retry", 9),),))
    assert picking[0].changed == 9, "a session that tells a later time comes before others"
    picking.update((Listing("/x/b", 4),), ((NEW,),))
    assert len(picking) == 3, "what was dropped meanwhile does not come back"


def test_what_is_on_screen_is_found_out_first_then_what_is_not_known_at_all() -> None:
    known = Listing("/x/known", 9, level=Level.GLANCED)
    unknown = [Listing(f"/x/{number}", number) for number in range(3)]
    picking = Picking((known, OLD, *unknown))
    names = [each.path for each in picking.unsettled(range(1, 3))]
    assert list(dict.fromkeys(names)) == ["/x/2", "/x/1", "/x/0", "/x/known"]


def test_of_many_sessions_only_those_that_are_asked_for_are_looked_at() -> None:
    picking = Picking(
        Listing(f"/x/{number:05}", number, numbers=Numbers(1, 1), level=Level.COUNTED) for number in range(10_000)
    )
    assert len(picking) == 10_000
    assert picking[9_999].path == "/x/00000"
