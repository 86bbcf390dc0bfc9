"""Blocks and calls as rows: what must be said is said, in the wire's characters, within the width."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from blockview.core.clock import local
from blockview.core.coercion import Depth
from blockview.core.copying import Copy, copy_block, copy_text
from blockview.core.lines import Line, Role, Span, plain
from blockview.core.listrows import duration_text
from blockview.core.marks import CallMarks
from blockview.core.model import Block, ContentBlock, Place, Provenance, Status, Text, ToolCall, ToolResult
from blockview.core.prepare import Found, no_lookup, prepare
from blockview.core.render import (
    Fold,
    ResultView,
    Rows,
    Section,
    Target,
    block_detail,
    block_row,
    call_detail,
    call_marks,
    call_row,
)
from blockview.core.safetext import cell_width, visible
from tests import samples
from tests.core.strategies import ARGUMENTS, json_texts

CALLS = [
    samples.CHANGED,
    samples.SPELLED,
    samples.UNKNOWN,
    samples.DENIED,
    samples.ODD,
    samples.NOTHING,
    samples.BROKEN,
]


def detail(call: ToolCall, width: int = 100, **options: object) -> Rows:
    return call_detail(call, samples.prepare_sample(call), width=width, **options)  # type: ignore[arg-type]


def lines(rows: Rows) -> list[str]:
    return [plain(row.line) for row in rows]


def row_of(call: ToolCall, width: int = 100) -> Line:
    return call_row(call, samples.prepare_sample(call), width)


def test_a_call_row_shows_the_dispatched_arguments_and_marks_what_changed() -> None:
    row = row_of(samples.CHANGED)
    assert plain(row).startswith("  →2  editor.open " + samples.OPEN_SENT + "  → was 5.0, 1.0")
    assert plain(row).endswith("ok 41 ms")
    assert cell_width(plain(row)) == 100
    assert [span.text for span in row if span.role is Role.CHANGED] == ["→2", "5", "1"]


def test_without_a_schema_the_row_shows_the_recorded_text_with_its_mark() -> None:
    call = replace(samples.CHANGED, server="metrics")
    row = plain(row_of(call))
    assert call.arguments is not None
    assert f"metrics.open {call.arguments}" in row
    assert row.startswith("  ?   ")


def test_an_error_is_marked_without_colour() -> None:
    assert plain(row_of(samples.UNKNOWN)).endswith("! tool error")
    assert plain(row_of(samples.DENIED)).endswith("! denied")


def test_what_only_deep_would_change_is_said_in_the_row_at_any_usual_width() -> None:
    assert plain(row_of(samples.SPELLED)).endswith("deep: 1  ok 2.1 s")
    assert plain(row_of(samples.SPELLED, 40)).endswith("deep: 1  ok")
    assert any("deep: 1" in line for line in lines(detail(samples.SPELLED, 40)) if line.startswith("arguments"))


def test_absent_arguments_and_what_cannot_be_sent_are_named_in_the_row() -> None:
    assert "(no arguments)" in plain(row_of(samples.NOTHING))
    assert plain(row_of(samples.BROKEN)).startswith('  !   editor.open {"line":5.0')


def test_the_row_of_huge_arguments_reads_only_their_start() -> None:
    call = replace(samples.CHANGED, arguments='{"text":"' + "x" * 100 + '","line":5.0,"more":[' + "1," * 50_000 + "1]}")
    assert plain(row_of(call, 60)).count("x") < 60


def test_marks_count_changes_spellings_and_what_deep_would_change() -> None:
    assert call_marks(samples.SPELLED, samples.prepare_sample(samples.SPELLED)) == CallMarks(
        changed=3, respelled=1, deep=1
    )
    assert call_marks(samples.UNKNOWN, samples.prepare_sample(samples.UNKNOWN)) == CallMarks(missing=True, error=True)
    assert call_marks(samples.BROKEN, samples.prepare_sample(samples.BROKEN)) == CallMarks(error=True, blocked=True)
    own = replace(samples.UNKNOWN, mcp=False, status=Status.OK, result=None)
    assert not call_marks(own, prepare(own)).remarkable


def test_an_error_result_is_an_error_whatever_became_of_the_call() -> None:
    orphan = replace(
        samples.UNKNOWN, status=Status.RESULT_WITHOUT_CALL, result=samples.text_result("no", is_error=True)
    )
    assert call_marks(orphan, prepare(orphan)).error


def test_a_wire_recording_shows_first_what_the_server_got() -> None:
    wire = replace(samples.CHANGED, provenance=Provenance.WIRE)
    shown = lines(detail(wire, 100))
    headings = [line.split("  ")[1] for line in shown if line.startswith("arguments")]
    assert headings == ["as recorded on the wire", "as a dispatch would send them now, coercion top"]
    assert f"  {wire.arguments}" in shown
    same = lines(detail(replace(wire, arguments='{"line":5}'), 100))
    assert sum(line.startswith("arguments") for line in same) == 1
    assert sum(line.startswith("arguments") for line in lines(detail(samples.CHANGED, 100))) == 1


def test_what_was_not_coerced_or_never_dispatched_does_not_say_that_it_was() -> None:
    (unknown,) = (line for line in lines(detail(samples.UNKNOWN)) if line.startswith("arguments"))
    assert "as dispatched, no schema: not coerced" in unknown
    own = replace(samples.CHANGED, mcp=False, server=None, arguments='{"n":5.0}')
    (heading,) = (line for line in lines(detail(own)) if line.startswith("arguments"))
    assert heading == "arguments  as recorded"
    spelled = lines(detail(replace(own, arguments='{"n":1e3}')))
    assert any(line.startswith("arguments  not an MCP call; as MCP would send them") for line in spelled)


def test_a_dropped_duplicate_is_called_so_and_not_a_change() -> None:
    twice = replace(samples.CHANGED, arguments='{"a":1,"a":2}')
    assert any(line.endswith("  1 → duplicate key dropped") for line in lines(detail(twice)))
    assert any(
        line.endswith("  1 → changed  2 → duplicate keys dropped")
        for line in lines(detail(replace(twice, arguments='{"line":5.0,"a":1,"a":2,"a":3}')))
    )


@pytest.mark.parametrize(
    ("width", "line"), [(100, "call 1/1  editor.open  toolu_01"), (38, "  recorded from the host   id:toolu_01")]
)
def test_a_calls_id_is_shown_whole(width: int, line: str) -> None:
    call = replace(samples.CHANGED, id="toolu_01", tool="open", duration_ms=41)
    assert any(each.startswith(line) for each in lines(detail(call, width)))
    assert "id" not in "\n".join(lines(detail(replace(call, id=""), width))).split("\n")[1]


def test_recorded_times_are_shown_in_the_time_zone_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "IST-5:30")
        time.tzset()
        (head, *_) = lines(block_detail(samples.BLOCKS[0], [samples.prepare_sample(samples.CHANGED)] * 2, width=100))
        row = plain(block_row(samples.BLOCKS[0], 2, 100, folded=False))
    time.tzset()
    assert "2026-03-09 19:32:12 IST" in head
    assert " 19:32 " in row


def test_a_time_beyond_the_clock_is_shown_as_it_is() -> None:
    first = datetime(1, 1, 1, tzinfo=UTC)
    assert local(first) in (first, first.astimezone())
    assert local(datetime.max.replace(tzinfo=UTC)).year == 9999


def test_a_call_that_started_a_subagent_names_it_safely() -> None:
    started = replace(samples.CHANGED, agent="a1\x1b[31m")
    rows = detail(started, agent="2 blocks, 5 calls")
    assert [row.target for row in rows if "subagent" in plain(row.line)] == [Target(0, Section.AGENT)]
    assert "  subagent a1\\x1b[31m: 2 blocks, 5 calls" in lines(rows)
    assert "  subagent a1\\x1b[31m" in lines(detail(started))
    assert not any("subagent" in line for line in lines(detail(samples.CHANGED, agent="2 blocks")))


def test_a_long_server_gives_way_to_the_tool_in_the_title() -> None:
    call = replace(samples.CHANGED, server="a-server-with-a-very-long-name", tool="get-structured-content")
    assert "get-structured-content " in lines(detail(call, 60))[0]


def test_a_block_with_a_label_needs_no_prompt() -> None:
    labelled = Block(3, "", Place(1, 0), label="tools/call")
    assert plain(block_row(labelled, 1, 60, False)).split() == ["▾", "4", "[tools/call]", "1", "call"]
    assert "(no prompt)" in plain(block_row(replace(labelled, label=""), 1, 60, False))


def test_a_block_row_is_one_line_whatever_the_prompt_holds() -> None:
    row = plain(block_row(samples.BLOCKS[0], 2, 80, True))
    assert row.startswith("▸   1 14:02 Open server.go where the [bold]retry[/bold] starts")
    assert row.endswith("2 calls")
    assert plain(block_row(samples.BLOCKS[1], 3, 80, False)).startswith("▾   2 [subagent a1] 中文 and ")
    assert "(no prompt)" in plain(block_row(samples.BLOCKS[2], 0, 80, False))


def test_the_detail_puts_the_recorded_literal_beside_each_change() -> None:
    shown = lines(detail(samples.CHANGED, index=1, total=3))
    assert shown[0].startswith("call 2/3  editor.open")
    assert shown[0].endswith("ok  41 ms")
    assert "schema from tools/list, line 3" in shown[1]
    assert "→     line:     5   was 5.0   integer" in shown
    assert '      filePath: "server.go"' in shown
    assert any(line.startswith("arguments  as dispatched, coercion top") and "2 → changed" in line for line in shown)
    assert shown[-2].startswith("result  text")
    assert shown[-1] == "  5: func retry()"


def test_a_spelling_is_told_apart_from_a_change_and_doubts_are_said() -> None:
    shown = lines(detail(samples.SPELLED, 140))
    assert "→     line:  1000   was 1e3   integer" in shown
    assert "≈     ratio: 0.5   was 0.50   same value, other spelling" in shown
    assert any(
        line.startswith("→     big:   9007199254740992   was") and "possibly rounded upstream" in line for line in shown
    )
    assert "        retries: 3.0   depth deep would change this" in shown
    assert "→     dup:   1   not sent: the last of duplicate keys counts" in shown
    assert "recorded before coercion" in shown[1]


def test_the_result_tree_has_exact_digits_and_all_duplicates() -> None:
    shown = lines(detail(samples.SPELLED))
    at = next(number for number, line in enumerate(shown) if line.startswith("result  JSON text, exact digits"))
    assert shown[at].endswith("2.1 s")
    assert shown[at + 1 :] == [
        "  ▾ {} 5 keys",
        "      id:   1234567890123456789   exact digits",
        "      cost: 0.10000000000000000555",
        "      a:    1",
        "      a:    -0",
        "    ▾ rows: [] 3 items",
        "        0: 1",
        "        1: []",
        "        2: {}",
    ]


def test_a_missing_schema_is_said_with_its_reason_and_marked_where_it_matters() -> None:
    shown = lines(detail(samples.UNKNOWN))
    assert "  ? schema not found: no list for metrics" in shown
    assert "?     lines: 50.0   not changed: no schema" in shown
    assert any(line.startswith("result  ! isError: true") for line in shown)
    assert shown[-1] == "  limit must be integer"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (samples.DENIED, "no result: the call was denied"),
        (replace(samples.NOTHING, status=Status.CANCELLED), "no result: the call was cancelled"),
        (replace(samples.NOTHING, status=Status.NEVER_SENT), "no result: the call was never sent"),
        (samples.NOTHING, "no result recorded"),
        (samples.NOTHING, "  none recorded, none sent"),
        (samples.DENIED, "  the person said [red]no[/red]"),
        (samples.BROKEN, '  {"line":5.0'),
        (samples.BROKEN, "  [1,2"),
        (replace(samples.ODD, result=ToolResult()), "  empty: no content"),
    ],
)
def test_outcomes_are_named(call: ToolCall, said: str) -> None:
    assert said in lines(detail(call))


def test_what_cannot_be_sent_says_why() -> None:
    assert any(
        line.startswith("  ! cannot be sent: the arguments are not JSON") for line in lines(detail(samples.BROKEN))
    )


def test_structured_content_is_the_value_and_other_blocks_are_named() -> None:
    shown = lines(detail(samples.ODD))
    assert "      n: 1.10" in shown
    assert shown[-1] == "  [image block]  image/png, 12.3 KB"
    as_text = lines(detail(samples.ODD, result=ResultView.TEXT))
    assert r"  done \x1b]0;title\x07 \u202eexe" in as_text
    assert "      n: 1.10" not in as_text
    raw = replace(samples.ODD, result=ToolResult(raw='{"content": []}'))
    assert lines(detail(raw, result=ResultView.RAW))[-1] == '  {"content": []}'


def test_an_error_result_keeps_its_message_as_text() -> None:
    call = replace(samples.UNKNOWN, result=samples.text_result('{"code":1}', is_error=True))
    assert lines(detail(call))[-1] == '  {"code":1}'


def test_the_recorded_text_is_one_option_away() -> None:
    rows = detail(samples.SPELLED, recorded=True)
    assert "  " + (samples.SPELLED.arguments or "") in lines(rows)
    assert Target(0, Section.RECORDED) in [row.target for row in rows]
    assert any("as recorded" in line for line in lines(rows))


def test_depth_off_shows_raw_and_says_so() -> None:
    prepared = prepare(samples.CHANGED, lambda call: Found(samples.SCHEMA, "s"), Depth.OFF)
    shown = lines(call_detail(samples.CHANGED, prepared, width=100))
    assert "      line:     5.0" in shown
    assert any(line.startswith("arguments  as dispatched, coercion off") for line in shown)


def test_targets_open_and_fold_trees_and_find_their_rows_again() -> None:
    rows = detail(samples.SPELLED, index=2)
    target = next(row.target for row in rows if plain(row.line).startswith("    ▾ rows:"))
    assert target == Target(2, Section.RESULT, 5)
    folded = detail(samples.SPELLED, index=2, toggled=frozenset({target}))
    assert lines(folded)[-1] == "    ▸ rows: [] 3 items"
    assert folded.index_of(target) == len(folded) - 1
    assert folded.index_of(Target(2, Section.RESULT, 7)) == len(folded) - 1
    assert folded.index_of(Target(0, Section.RESULT, 5)) is None
    assert len(detail(samples.SPELLED, toggled=frozenset({target}))) == len(rows)


def test_a_long_text_result_is_folded_and_opens() -> None:
    call = replace(samples.CHANGED, result=samples.text_result("\n".join(f"line {n}" for n in range(1000))))
    rows = detail(call)
    assert lines(rows)[-1] == "  … 8,889 characters in 1,000 lines, space opens"
    target = rows[-1].target
    assert rows[-1].foldable
    assert target is not None
    opened = lines(detail(call, toggled=frozenset({target})))
    assert opened[-1] == "  line 999"
    assert lines(detail(call, fold=Fold.OPEN)) == opened


def test_rows_behave_like_a_sequence() -> None:
    rows = detail(samples.SPELLED)
    assert list(rows) == [rows[at] for at in range(len(rows))] == rows[:]
    assert rows[-1] == rows[len(rows) - 1]
    assert rows[2:4] == [rows[2], rows[3]]
    with pytest.raises(IndexError):
        rows[len(rows)]


def test_a_block_shows_its_texts_in_order_and_one_row_per_call() -> None:
    block = samples.BLOCKS[0]
    rows = block_detail(block, [samples.prepare_sample(call) for call in block.calls], width=100)
    shown = lines(rows)
    assert shown[0].startswith("block 1")
    assert shown[0].endswith("2026-03-09 14:02:12 UTC  2 calls")
    assert shown[1:3] == ["  Open server.go", "  where the [bold]retry[/bold] starts"]
    assert shown[4:9] == ["thinking", "  Line 5, I think.", "", "assistant", r"  I will open it.\x07"]
    assert [row.target for row in rows[-2:]] == [Target(0, Section.CALL), Target(1, Section.CALL)]
    assert samples.OPEN_SENT in shown[-2]


def test_thinking_is_folded_after_a_few_lines() -> None:
    block = Block(0, "p", Place(1, 0), (Text("thinking", "one\n" * 20), Text("assistant", "two\n" * 20)))
    shown = lines(block_detail(block, [], width=60))
    assert shown.count("  one") == 6
    assert shown.count("  two") == 20
    opened = block_detail(block, [], width=60, toggled=frozenset({Target(-1, Section.TEXT, 0)}))
    assert lines(opened).count("  one") == 20


@pytest.mark.parametrize(
    ("ms", "text"), [(0.4, "0 ms"), (41.0, "41 ms"), (999.6, "1.0 s"), (2100, "2.1 s"), (200_000, "3 min 20 s")]
)
def test_durations(ms: float, text: str) -> None:
    assert duration_text(ms) == text


@pytest.mark.parametrize(
    ("call", "target", "what", "copied"),
    [
        (samples.CHANGED, Target(2, Section.ARGUMENTS, 1), Copy.VALUE, "5"),
        (samples.CHANGED, Target(2, Section.ARGUMENTS, 1), Copy.PATH, "/line"),
        (samples.CHANGED, Target(2, Section.ARGUMENTS, 3), Copy.KEY, "filePath"),
        (samples.CHANGED, Target(2, Section.ARGUMENTS, 3), Copy.VALUE, "server.go"),
        (samples.CHANGED, Target(2, Section.ARGUMENTS, 0), Copy.VALUE, samples.OPEN_SENT),
        (samples.CHANGED, Target(2, Section.ARGUMENTS), Copy.VALUE, samples.OPEN_SENT),
        (samples.CHANGED, Target(2, Section.RECORDED), Copy.VALUE, samples.CHANGED.arguments),
        (samples.CHANGED, Target(2, Section.CALL), Copy.ARGUMENTS, samples.OPEN_SENT),
        (samples.CHANGED, Target(2, Section.CALL), Copy.RECORDED, samples.CHANGED.arguments),
        (samples.CHANGED, Target(2, Section.CALL), Copy.RESULT, "5: func retry()"),
        (samples.CHANGED, Target(2, Section.CALL), Copy.PATH, None),
        (samples.SPELLED, Target(2, Section.RESULT, 1), Copy.VALUE, "1234567890123456789"),
        (samples.SPELLED, Target(2, Section.RESULT, 6), Copy.PATH, "/rows/0"),
        (samples.SPELLED, Target(2, Section.RESULT, 6), Copy.KEY, "0"),
        (samples.SPELLED, Target(2, Section.RESULT, 5), Copy.VALUE, "[1,[],{}]"),
        (samples.ODD, Target(2, Section.ARGUMENTS, 2), Copy.VALUE, "first \x1b[31m\nsecond\nthird"),
        (samples.ODD, Target(2, Section.RESULT), Copy.VALUE, "done \x1b]0;title\x07 \u202eexe\n[image block]"),
        (samples.NOTHING, Target(2, Section.CALL), Copy.ARGUMENTS, None),
        (samples.NOTHING, Target(2, Section.CALL), Copy.RESULT, None),
        (samples.BROKEN, Target(2, Section.ARGUMENTS), Copy.VALUE, '{"line":5.0'),
    ],
)
def test_copies_are_complete_and_in_original_characters(
    call: ToolCall, target: Target, what: Copy, copied: str | None
) -> None:
    assert copy_text(samples.BLOCKS[0], call, samples.prepare_sample(call), target, what) == copied


def test_copies_of_prompts_texts_and_blocks() -> None:
    block = samples.BLOCKS[0]
    assert copy_text(block, None, None, Target(-1, Section.PROMPT), Copy.VALUE) == block.prompt
    assert copy_text(block, None, None, Target(-1, Section.TEXT, 1), Copy.VALUE) == "I will open it.\x07"
    assert copy_text(block, None, None, Target(-1, Section.PROMPT), Copy.PATH) is None
    whole = copy_block(block, [samples.prepare_sample(call) for call in block.calls])
    for part in (block.prompt, "Line 5, I think.", f"editor.open {samples.OPEN_SENT}", "1234567890123456789"):
        assert part in whole


def test_a_string_that_utf8_cannot_carry_is_copied_as_its_literal() -> None:
    call = replace(samples.CHANGED, result=samples.text_result(r'["\ud800"]'))
    target = Target(0, Section.RESULT, 1)
    assert copy_text(samples.BLOCKS[0], call, samples.prepare_sample(call), target, Copy.VALUE) == r'"\ud800"'


def is_fit(line: Line, width: int) -> bool:
    return cell_width(plain(line)) <= width and all(visible(span.text) == span.text for span in line)


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 13, 20, 40, 80, 200])
@pytest.mark.parametrize("fold", list(Fold))
def test_every_line_fits_and_is_safe_at_every_width(width: int, fold: Fold) -> None:
    for block in samples.BLOCKS:
        prepared = [samples.prepare_sample(call) for call in block.calls]
        made = [block_row(block, len(prepared), width, False)]
        made += [row.line for row in block_detail(block, prepared, width=width, fold=fold)]
        for call, sent in zip(block.calls, prepared, strict=True):
            made.append(call_row(call, sent, width))
            for view in ResultView:
                made += [row.line for row in call_detail(call, sent, width=width, fold=fold, result=view)]
            made += [row.line for row in call_detail(call, sent, width=width, recorded=True)]
        assert [line for line in made if not is_fit(line, width)] == []


@given(json_texts(ARGUMENTS), st.text(max_size=30), st.integers(1, 120))
def test_any_call_renders_within_any_width(arguments: str, text: str, width: int) -> None:
    result = ToolResult((ContentBlock("text", text), ContentBlock("audio", note=text)))
    call = ToolCall("i", text, text, arguments, Place(1, 0), server=text, status_note=text, result=result)
    for lookup in (no_lookup, lambda call: Found(samples.SCHEMA, text)):
        prepared = prepare(call, lookup)
        assert is_fit(call_row(call, prepared, width), width)
        assert all(is_fit(row.line, width) for row in call_detail(call, prepared, width=width))


@given(json_texts(ARGUMENTS))
def test_a_wide_row_holds_the_wires_characters(arguments: str) -> None:
    call = replace(samples.CHANGED, arguments=arguments)
    prepared = samples.prepare_sample(call)
    assert prepared.dispatched is not None
    assert visible(prepared.dispatched) in plain(call_row(call, prepared, 20_000))


def test_a_missing_schema_is_no_news_where_nothing_would_change() -> None:
    unknown = replace(samples.UNKNOWN, arguments='{"half":5.5,"whole":5.0}')
    marked = [line for line in lines(detail(unknown)) if "not changed: no schema" in line]
    assert marked == ["?     whole: 5.0   not changed: no schema"]
    own = replace(unknown, mcp=False)
    assert not any("no schema" in line or line.startswith("?") for line in lines(detail(own)))
    assert any("not an MCP call" in line for line in lines(detail(own)))
    off = call_detail(unknown, prepare(unknown, no_lookup, Depth.OFF), width=100)
    assert not any("not changed: no schema" in line for line in lines(off))


def test_changes_inside_lists_are_marked_at_their_place() -> None:
    call = replace(samples.CHANGED, arguments='{"n":[1.5,2.0,[3.0]],"m":2.0}')
    schema = {"properties": {"n": {"type": "array", "items": {"type": "integer"}}}}
    prepared = prepare(call, lambda _: Found(schema, "s"), Depth.DEEP)
    assert prepared.dispatched == '{"n":[1.5,2,[3.0]],"m":2.0}'
    changed = [span.text for span in call_row(call, prepared, 100) if span.role is Role.CHANGED]
    assert changed == ["→1", "2"]


def test_spans_of_the_row_follow_names_and_values() -> None:
    row = row_of(replace(samples.CHANGED, arguments='{"line":5.0,"filePath":"a,b","opts":{"line":[5.0,true]}}'))
    assert Span('"line"', Role.KEY) in row
    assert Span('"a,b"', Role.STRING) in row
    assert Span("5", Role.CHANGED) in row
    assert Span("5.0", Role.NUMBER) in row
    assert Span("true", Role.WORD) in row
