"""Blocks found by the bytes of a recording are those that are found by decoding each."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.core.find import HEAD, Position, Survey
from blockview.core.hunting import Hunt
from blockview.core.model import Session
from blockview.core.needle import Needle
from blockview.core.prepare import prepare
from tests.readers.lines import answers, prompt, read_bytes, result, says, use

WORDS = [
    "alpha",
    "Beta",
    "größe",
    "日本",
    "🙂",
    'say "hi"',
    "a\\b",
    "one\ntwo",
    "5.0",
    "1e3",
    "é",
    "x/y",
    "tool",
    "K9z",
]
WORD = st.sampled_from(WORDS)
NEEDLE = st.sampled_from([*WORDS, *(word.upper() for word in WORDS), "alp", "1000.0", "no result", "hi", "ß", '":"'])


def recording(blocks: Sequence[Sequence[str]], ascii_only: bool) -> Session:
    """A block for each of `blocks`: a prompt, a text, and a call whose result comes in the block after it."""
    lines: list[str] = []
    late = ""
    for number, (asked, said, given_, told) in enumerate(blocks):
        lines.append(prompt(asked, uuid=f"u{number}"))
        if late:
            lines.append(late)
        lines.append(says(said, use(f"t{number}", q=given_, n=1e3), uuid=f"a{number}"))
        late = answers(result(f"t{number}", content=json.dumps({"r": told})), uuid=f"r{number}")
    text = "\n".join([*lines, late]) + "\n"
    if not ascii_only:
        text = "".join(json.dumps(json.loads(line), ensure_ascii=False) + "\n" for line in text.splitlines())
    return read_bytes(text.encode())


def hunted(session: Session, needle: Needle) -> tuple[Hunt, Survey]:
    assert session.scanner is not None
    hunt = Hunt(needle, session.scanner, len(session.blocks))

    def look(block: int) -> tuple[int, ...]:
        return () if hunt.rules_out(block) else needle.rows(session.blocks[block], prepare)

    return hunt, Survey(len(session.blocks), look)


@given(st.lists(st.tuples(WORD, WORD, WORD, WORD), min_size=1, max_size=6), NEEDLE, st.booleans(), st.booleans())
def test_nothing_is_missed(blocks: list[tuple[str, ...]], text: str, ascii_only: bool, exact: bool) -> None:
    session = recording(blocks, ascii_only)
    needle = Needle(text, exact=exact)
    expected = {block.index: rows for block in session.blocks if (rows := needle.rows(block, prepare))}
    hunt, survey = hunted(session, needle)
    found = [*hunt.quick(), *hunt.sure()]
    told = [number for numbers in found for number in numbers]
    assert len(told) == len(set(told))
    if hunt.settled:
        assert set(told) >= set(expected)
    by_bytes = {number: rows for number in range(len(session.blocks)) if (rows := survey.rows(number))}
    assert by_bytes == expected


@given(
    st.lists(st.booleans(), min_size=1, max_size=8),
    st.integers(0, 7),
    st.sampled_from([HEAD, 0]),
    st.booleans(),
    st.booleans(),
)
def test_the_way_to_the_next_hit_is_that_of_the_survey(
    holds: list[bool], block: int, call: int, forward: bool, here: bool
) -> None:
    session = recording([("x", "x", "needle" if each else "x", "x") for each in holds], ascii_only=True)
    hunt, survey = hunted(session, Needle("needle"))
    for _ in hunt.quick():
        pass
    origin = Position(block % len(holds), call)

    def last(steps: Any) -> Position | None:
        return next((step for step in steps if step is not None), None)

    expected = last(survey.seek(origin, forward=forward, here=here))
    assert last(hunt.seek(survey, origin, forward=forward, here=here)) == expected


def test_a_block_that_was_added_to_is_looked_into_again() -> None:
    session = recording([("x", "x", "x", "x")] * 3, ascii_only=True)
    hunt, _ = hunted(session, Needle("needle"))
    assert not hunt.rules_out(1)
    for look in (hunt.quick, hunt.sure):
        assert not any(look())
    assert hunt.rules_out(1)
    assert not hunt.rules_out(3)  # it came later
    hunt.allow([1, 3])
    assert not hunt.rules_out(1)
    assert hunt.rules_out(2)


@pytest.mark.parametrize("text", ["12", '":"', "no result is recorded", "mid"])
def test_what_the_bytes_may_not_hold_rules_nothing_out(text: str) -> None:
    session = recording([("x", "x", "x", "x")], ascii_only=True)
    hunt, _ = hunted(session, Needle(text))
    for look in (hunt.quick, hunt.sure):
        for _ in look():
            pass
    assert not hunt.settled
