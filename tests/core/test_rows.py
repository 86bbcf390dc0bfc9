"""Fitting spans into a line."""

from __future__ import annotations

import pytest

from blockview.core.lines import Role, Span, plain
from blockview.core.rows import Section, Target, ends, fit, text_rows


@pytest.mark.parametrize(
    ("texts", "width", "line"),
    [
        (["abcd", "ef"], 6, "abcdef"),
        (["abcd", "ef"], 5, "abcd…"),
        (["abcd", "ef"], 4, "abc…"),
        (["abcd", "  "], 4, "abcd"),
        (["中文", "字"], 4, "中…"),
        (["ab", "", "c"], 3, "abc"),
        (["ab"], 0, ""),
    ],
)
def test_what_does_not_fit_ends_in_an_ellipsis(texts: list[str], width: int, line: str) -> None:
    assert plain(fit([Span(text) for text in texts], width)) == line


@pytest.mark.parametrize(
    ("left", "right", "width", "line"),
    [
        ("name", "ok", 10, "name    ok"),
        ("a long name", "ok", 10, "a long… ok"),
        ("name", "an endless status", 12, "na… an endl…"),
        ("name", "", 10, "name"),
    ],
)
def test_the_left_end_is_cut_first_but_never_lost(left: str, right: str, width: int, line: str) -> None:
    assert plain(ends([Span(left)], [Span(right)] if right else [], width)) == line


def test_a_text_beyond_its_limit_is_folded_and_says_how_much_there_is() -> None:
    target = Target(-1, Section.PROMPT)
    folded = text_rows("a\nb\nc", Role.PROMPT, target, width=60, limit=2)
    assert [plain(row.line) for row in folded] == ["  a", "  b", "  … 5 characters in 3 lines, space opens"]
    assert all(row.foldable and row.target == target for row in folded)
    opened = text_rows("a\nb\nc", Role.PROMPT, target, width=60, limit=2, opened=True)
    assert [plain(row.line) for row in opened] == ["  a", "  b", "  c"]
    assert not any(row.foldable for row in text_rows("a\nb", Role.PROMPT, target, width=60, limit=2))
