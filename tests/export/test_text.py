"""Sessions as plain text and with terminal colours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from blockview.core import trees
from blockview.core.lazytree import LazyTree
from blockview.core.lines import Paint, Role, Span, plain, printed
from blockview.core.model import Block, Place, Session, Text
from blockview.core.query import parse
from blockview.core.safetext import cell_width, visible
from blockview.core.trees import result_tree
from blockview.export.ansi import ansi_line
from blockview.export.lines import Choice, session_lines, session_text
from tests import samples

Golden = Callable[[str, str], None]


def as_text(session: Session = samples.SESSION, width: int = 100, **options: object) -> str:
    return "".join(session_text(session, samples.prepare_sample, plain, width=width, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [100, 40])
def test_the_whole_session_as_text(golden: Golden, width: int) -> None:
    golden(f"session-{width}.txt", as_text(width=width))


def test_the_session_with_colours(golden: Golden) -> None:
    chunks = session_text(samples.SESSION, samples.prepare_sample, ansi_line, width=80, choice=Choice(blocks=[0]))
    golden("session-80.ansi", "".join(chunks))


def test_colours_are_all_that_the_coloured_text_adds() -> None:
    coloured = "".join(session_text(samples.SESSION, samples.prepare_sample, ansi_line, width=100))
    without = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in without.split("\n")] == as_text().split("\n")


@given(st.text(max_size=60), st.booleans(), st.integers(1, 100), st.sampled_from([plain, ansi_line]))
def test_what_is_printed_in_one_go_is_what_the_lines_are(text: str, as_json: bool, width: int, paint: Paint) -> None:
    answer = samples.text_result(json.dumps({"text": text, text: [text] * 300}) if as_json else text + "\nline" * 300)
    calls = (samples.CHANGED, replace(samples.CHANGED, result=answer), samples.CHANGED)
    block = Block(0, text, Place(1, 0), (Text("assistant", text), *calls, Text("note", f"{text}\n")))
    session = replace(samples.SESSION, blocks=(*samples.BLOCKS, block))
    lines = session_lines(session, samples.prepare_sample, width=width)
    whole = session_text(session, samples.prepare_sample, paint, width=width)
    assert "".join(whole) == "".join(printed(line, paint) for line in lines)


def test_a_coloured_line_ends_without_colour_and_spaces_have_none() -> None:
    assert ansi_line((Span("  "), Span("!", Role.ERROR), Span(" x"))) == "  \x1b[1;31m!\x1b[0m x"
    assert ansi_line((Span("   ", Role.ERROR),)) == "   "


def test_nothing_is_folded_on_paper() -> None:
    long = "\n".join(f"row {number}" for number in range(1000))
    call = replace(samples.CHANGED, result=samples.text_result(long), arguments='{"s":"' + "word " * 100 + 'end"}')
    text = as_text(replace(samples.SESSION, blocks=(Block(0, long, Place(1, 0), (call,)),)))
    assert text.count("  row 999\n") == 2
    assert "end" in text
    assert "space opens" not in text


def test_some_blocks_or_one_call() -> None:
    second = as_text(choice=Choice(blocks={1}))
    assert "block 2" in second
    assert "block 1" not in second
    assert "block 3" not in second
    one = as_text(choice=Choice(call="call_4"))
    assert "call 2/3  editor.erase" in one
    assert "call 1/3" not in one
    assert "two left" not in one
    assert "block 1" not in one
    assert as_text(choice=Choice(call="nobody")).count("\n") == 1


def test_the_recorded_text_instead_of_what_is_sent() -> None:
    text = as_text(choice=Choice(call="call_1"), recorded=True)
    assert "\narguments  as recorded  " in text and f"\n  {samples.CHANGED.arguments}\n" in text
    assert "as dispatched" not in text


def test_diagnostics_come_last_with_their_place() -> None:
    assert as_text().endswith("\n1 diagnostic\nline 17, byte 1543: not JSON: \\x1b[2J\n")


def test_blocks_are_read_one_at_a_time() -> None:
    read: list[int] = []

    class Lazy(tuple[Block, ...]):
        def __getitem__(self, index: object) -> Block:  # type: ignore[override]
            assert isinstance(index, int)
            read.append(index)
            return samples.BLOCKS[index]

    session = replace(samples.SESSION, blocks=Lazy(samples.BLOCKS))
    chunks = session_text(session, samples.prepare_sample, plain, width=80)
    for chunk in chunks:
        if "block 1" in chunk:
            break
    assert read == [0]


@given(st.text(max_size=60), st.integers(1, 100))
def test_no_recorded_text_reaches_the_terminal_raw_or_too_wide(text: str, width: int) -> None:
    call = replace(samples.CHANGED, result=samples.text_result(text), status_note=text, tool=text)
    block = Block(0, text, Place(1, 0), (Text("assistant", text), call), label=text)
    session = Session(text, text, (block,), title=text, call_counts=(1,))
    for line in as_text(session, width).removesuffix("\n").split("\n"):
        assert visible(line) == line
        assert cell_width(line) <= width


@pytest.mark.parametrize(
    ("text", "calls", "texts"),
    [
        ("is:error", [3, 4, 7], False),
        ("tool:run,draw", [2, 5], False),
        ("is:changed arg:column=1", [1], False),
        ('"I will open it"', [], True),
        ("tool:nobody", [], False),
    ],
)
def test_what_a_filter_keeps(text: str, calls: list[int], texts: bool) -> None:
    query = parse(text)
    choice = Choice(rows=lambda block: query.rows(block, samples.prepare_sample))
    kept = as_text(choice=choice)
    assert [number for number in range(1, 8) if f"  call_{number} " in kept] == calls
    assert ("I will open it." in kept) == texts
    assert kept.startswith(as_text().splitlines()[0])


def test_a_result_that_is_split_lazily_is_printed_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps([{"id": number, "inner": {"deep": [number, {"x": f"<{number}>"}]}} for number in range(300)])
    call = samples.make_call("{}", samples.text_result(text))
    one = Session("s.jsonl", "test", (Block(0, "p", Place(1, 0), (call,)),), call_counts=(1,))
    whole = as_text(one)
    monkeypatch.setattr(trees, "LAZY", 100)
    trees._strict_tree.cache_clear()
    try:
        assert isinstance(result_tree(samples.text_result(text)), LazyTree)
        assert as_text(one) == whole
        assert whole.count("<") == 300
    finally:
        trees._strict_tree.cache_clear()
