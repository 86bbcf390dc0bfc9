"""The shared cases about exact digits and rendering, as far as no terminal is needed for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blockview.core.copying import Copy, copy_text
from blockview.core.lines import plain
from blockview.core.model import Block, Place, Text
from blockview.core.render import Fold, Section, Target, block_detail, block_row, call_detail
from blockview.core.safetext import cell_width, cut, visible
from tests import samples
from tests.work import calls_in

_VISIBLE_ESCAPES = {"B120", "B121"}
"""Colour codes are shown as escapes, which the cases allow for a raw view: what was recorded is what is shown."""
_TIMED = {"B130": "\n".join(f"line {number:06d} and some more" for number in range(100_000)), "B131": "x" * 1_000_000}


def cases(shared: Path, kind: str) -> Iterator[dict[str, Any]]:
    for path in sorted((shared / "cases").glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if case["kind"] == kind:
            yield case


def on_screen(result: str, width: int = 120) -> str:
    call = samples.make_call("{}", samples.text_result(result))
    rows = call_detail(call, samples.prepare_sample(call), width=width)
    lines = [plain(row.line) for row in rows]
    start = next(at for at, line in enumerate(lines) if line.startswith("result"))
    return "\n".join(lines[start + 1 :])


def test_exact_digits_are_on_screen(shared: Path) -> None:
    seen = 0
    for case in cases(shared, "exact"):
        expected = case["expected"]
        if "input" not in case:
            continue
        shown = on_screen(case["input"])
        for text in expected["must_show"]:
            assert text in shown, case["id"]
        for text in expected["must_not_show"]:
            assert text not in shown, case["id"]
        seen += 1
    assert seen >= 10


def test_an_integer_of_5000_digits_is_shown_and_copied_whole(shared: Path) -> None:
    (case,) = (case for case in cases(shared, "exact") if "generate" in case)
    digits = "7" * case["expected"]["copy_yields_all_digits"]
    text = f'{{"n":{digits}}}'
    assert case["expected"]["must_show_prefix"] in on_screen(text)
    call = samples.make_call("{}", samples.text_result(text))
    target = Target(0, Section.RESULT, 1)
    assert copy_text(samples.BLOCKS[0], call, samples.prepare_sample(call), target, Copy.VALUE) == digits


def test_recorded_text_is_shown_as_it_is_and_harmless(shared: Path) -> None:
    checked: dict[str, int] = {}
    for case in cases(shared, "render"):
        text, expected, name = case["input"], case["expected"], case["id"]
        shown = visible(text)
        block = Block(0, text, Place(1, 0), (Text("assistant", text),))
        row = plain(block_row(block, 0, 200, True))
        body = "\n".join(plain(line.line) for line in block_detail(block, [], width=200))
        for surface in (shown, row, body):
            for raw in expected.get("no_raw", ()):
                assert raw not in surface.replace("\n", ""), name
            if "plain_text" in expected:
                assert expected["plain_text"] in surface, name
        if "width" in expected and name not in _VISIBLE_ESCAPES:
            assert cell_width(shown) == expected["width"], name
        if "width_at_least" in expected:
            assert cell_width(shown) >= expected["width_at_least"], name
        if "visible_text" in expected:
            assert "".join(shown.replace(r"\x1b[32m", "").split(r"\x1b[0m")) == expected["visible_text"], name
        if "truncate_to_columns" in expected:
            assert cut(text, expected["truncate_to_columns"]) == expected["result"], name
        for mark in expected.get("marks", ()):
            assert mark.replace("U+", "\\u").lower() in shown, name
        for key in ("visible_contains", "contains_logical"):
            assert expected.get(key, "") in shown, name
        for key in expected:
            checked[key] = checked.get(key, 0) + 1
    assert checked["plain_text"] >= 6
    assert checked["no_raw"] >= 5
    assert checked["width"] >= 4


def test_degenerate_sizes_do_not_matter(shared: Path) -> None:
    (case,) = (case for case in cases(shared, "render") if "resize" in case["expected"])
    call = samples.make_call("{}", samples.text_result(case["input"]))
    prepared = samples.prepare_sample(call)
    for width, _ in [*case["expected"]["resize"], [0, 0]]:
        assert len(call_detail(call, prepared, width=width)) > 0
    assert case["expected"]["finally_shows"] in on_screen(case["input"], 80)


def test_large_results_show_their_first_rows_at_once_and_are_copied_whole(shared: Path) -> None:
    found = {case["id"]: case["expected"] for case in cases(shared, "render") if case["id"] in _TIMED}
    assert set(found) == set(_TIMED)
    for name, text in _TIMED.items():
        call = samples.make_call("{}", samples.text_result(text))
        prepared = samples.prepare_sample(call)
        assert found[name]["first_paint_ms_at_most"] == 1000
        first = []
        spent = calls_in(lambda: first.extend(call_detail(call, prepared, width=80)[:40]))  # noqa: B023
        assert spent < 5_000, name
        assert len(first) == 40
        target = Target(0, Section.RESULT)
        assert copy_text(samples.BLOCKS[0], call, prepared, target, Copy.VALUE) == text
        opened = call_detail(call, prepared, width=80, fold=Fold.OPEN)
        assert len(opened) >= 12_500
