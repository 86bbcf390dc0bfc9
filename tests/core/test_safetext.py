"""Recorded text on a terminal: nothing acts, nothing hides, everything fits."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from wcwidth import iter_graphemes, wcswidth, wcwidth

from blockview.core.safetext import (
    _BEHIND_WIDE,
    _NOT_NARROW,
    _SUSPECT,
    TAB_SIZE,
    _clusters,
    _escape,
    cell_width,
    cut,
    is_narrow,
    one_line,
    visible,
    visible_json,
    wrap,
    wrap_lines,
)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
HOSTILE = st.text(
    st.one_of(
        st.sampled_from(
            "ab \t\n\r\x1b\x07\x7f\x9b\u202e\u2066\u200b\u200d\ufe0f\ufeff\u2028\udcff\ud800\U000e0041中👍\u0301é"
        ),
        st.characters(),
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("10%\r100%\n", r"10%\r100%\n"),
        ("a\bb", r"a\bb"),
        ("a\x00\x7f\x9b", r"a\x00\x7f\x9b"),
        ("file\u202etxt.exe", r"file\u202etxt.exe"),
        ("\u2066x\u2069\u200e\u200f\u061c", r"\u2066x\u2069\u200e\u200f\u061c"),
        ("a\u200b\u200c\u2060\ufeffb", r"a\u200b\u200c\u2060\ufeffb"),
        ("a\u2028b\u2029", r"a\u2028b\u2029"),
        ("\udcff\udc80", r"\xff\x80"),
        ("\ud83d", r"\ud83d"),
        ("\U000e0041\U000e0100", r"\U000e0041\U000e0100"),
        ("\ufffe\uffff\U0001ffff", r"\ufffe\uffff\U0001ffff"),
        ("soft\xadhyphen", r"soft\xadhyphen"),
        ("a\u200db", r"a\u200db"),
        ("a\ufe0f", r"a\ufe0f"),
        ("\ufe0f", r"\ufe0f"),
        ("\u200d👍", "\\u200d👍"),
        ("[12:00] \u05e9\u05dc\u05d5\u05dd 42", "[12:00] \u05e9\u05dc\u05d5\u05dd 42"),
        ("e\u0301", "e\u0301"),
        ("\u2764\ufe0f 1\ufe0f\u20e3", "\u2764\ufe0f 1\ufe0f\u20e3"),
        (FAMILY, FAMILY),
        ("\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f3\ufe0f\u200d\U0001f308"),
        ("[red]x[/red] [@click=app.bell]z[/]", "[red]x[/red] [@click=app.bell]z[/]"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"a":\r"\x9b31m"}', '{"a": "\\u009b31m"}'),
        ('"\u202e\x1b\x7f\udcff\U000e0041"', '"\\u202e\\u001b\\u007f\\udcff\\udb40\\udc41"'),
        ('{\n\t"é": "中👍"}', '{\n\t"é": "中👍"}'),
    ],
)
def test_json_stays_what_it_means(text: str, shown: str) -> None:
    assert visible_json(text) == shown
    assert json.loads(shown) == json.loads(text.replace("\r", " "), strict=False)


def test_a_tab_is_a_gap_to_the_next_stop() -> None:
    assert visible("a\tb") == "a   b"
    assert visible("abcd\tb") == "abcd    b"


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("hello", 5),
        ("中文字👍👍", 10),
        ("\u2764\ufe0f|", 3),
        (FAMILY + "|", 3),
        ("e\u0301", 1),
        ("▾ → ≈ … │ ─", 11),
        ("", 0),
    ],
)
def test_widths(text: str, width: int) -> None:
    assert cell_width(text) == width


def test_what_is_taken_as_narrow_is_narrow() -> None:
    wrong = [code for code in range(0x20, 0x3000) if not _NOT_NARROW.search(chr(code)) and wcwidth(chr(code)) != 1]
    assert wrong == []


def test_what_is_taken_as_wide_is_wide_and_stays_by_itself() -> None:
    wide = [chr(code) for code in range(0x110000) if _BEHIND_WIDE.search(chr(code))]
    assert [each for each in wide if wcwidth(each) != 2 or _SUSPECT.search(each)] == []
    shown = "a".join(wide) + "".join(wide)
    assert list(iter_graphemes(shown)) == list(shown)


def test_what_is_shown_as_an_escape_although_it_is_printable_is_known() -> None:
    every = map(chr, range(0x110000))
    assert [each for each in every if _SUSPECT.search(each) and each.isprintable() and visible(each) == each] == []


@given(HOSTILE)
def test_the_short_ways_to_a_visible_text_lead_where_the_long_one_does(text: str) -> None:
    assert visible(text) == _SUSPECT.sub(_escape, text.expandtabs(TAB_SIZE) if "\t" in text else text)
    assert not is_narrow(text) or (visible(text) == text and wcswidth(text) == len(text))


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("AAAAAAAAA😀tail", 10, "AAAAAAAAA…"),
        ("AAAAAAAA😀tail", 10, "AAAAAAAA…"),
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("exactly ten", 10, "exactly t…"),
        ("中文", 3, "中…"),
        ("中文", 1, "…"),
        ("中文", 0, ""),
        (FAMILY + "xy", 3, FAMILY + "…"),
    ],
)
def test_cut(text: str, width: int, expected: str) -> None:
    assert cut(text, width) == expected


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("the quick brown fox", 10, ["the quick", "brown fox"]),
        ("    indented code", 10, ["    indent", "ed code"]),
        ("  a bb", 4, ["  a", "bb"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a\n\nb\r\nc", 5, ["a", "", "b", "c"]),
        ("", 5, [""]),
        ("ab", 0, ["a", "b"]),
        ("中文字 ab", 4, ["中文", "字", "ab"]),
        ("中 文字", 4, ["中", "文字"]),
        ("中", 1, ["…"]),
        ("x\x1by", 4, [r"x\x1", "by"]),
    ],
)
def test_wrap(text: str, width: int, expected: list[str]) -> None:
    assert wrap(text, width) == expected


def test_wrapping_makes_only_the_lines_that_are_asked_for() -> None:
    lines = wrap_lines("x" * 1_000_000 + "\n\x1b", 80)
    assert [next(lines) for _ in range(3)] == ["x" * 80] * 3


def is_safe(text: str) -> bool:
    """Nothing that acts, and nothing that cannot be written out."""
    return not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in "\u202e\u2066\u200b\ufeff" for c in text)


@given(HOSTILE)
def test_everything_shown_is_safe_and_showing_is_idempotent(text: str) -> None:
    shown = visible(text)
    assert is_safe(shown)
    assert visible(shown) == shown
    assert not any(0xE0000 <= ord(c) <= 0xE0FFF for c in shown)
    shown.encode()


@given(HOSTILE, st.integers(1, 30))
def test_no_line_is_wider_than_asked(text: str, width: int) -> None:
    for line in (*wrap(text, width), cut(visible(text), width), one_line(text, width)):
        assert cell_width(line) <= width
        assert is_safe(line)


@given(HOSTILE, st.integers(2, 30))
def test_wrapping_loses_only_white_space(text: str, width: int) -> None:
    shown = "".join(visible(line.removesuffix("\r")) for line in text.split("\n"))
    assert "".join(wrap(text, width)).replace(" ", "") == shown.replace(" ", "")


@given(st.text(st.sampled_from("ab 中👍\u0301é"), max_size=30), st.integers(1, 30))
def test_a_cut_text_is_a_start_of_the_text_and_uses_the_width(text: str, width: int) -> None:
    shown = cut(text, width)
    if shown != text:
        assert shown.endswith("…")
        assert text.startswith(shown[:-1])
        assert cell_width(shown) >= width - 1


_MIXED = st.text(st.sampled_from("ab   é日한\u0301\u200d👩©▪↔\ufe0f🇩🇪\u0600\u0e33\u1100\u1161क्षि-"), max_size=40)


@given(_MIXED)
def test_clusters_are_those_of_the_whole_text(text: str) -> None:
    assert list(_clusters(text)) == [(cluster, cell_width(cluster)) for cluster in iter_graphemes(text)]


@given(_MIXED, st.integers(1, 12))
def test_wide_lines_are_filled_and_lose_only_the_spaces_at_which_they_break(text: str, width: int) -> None:
    lines = list(wrap_lines(text, width))
    shown = visible(text)
    assert all(sum(cells for _, cells in _clusters(line)) <= width for line in lines)
    if all(cells <= width for _, cells in _clusters(shown)):
        assert "".join(lines).replace(" ", "") == shown.replace(" ", "")


def obvious_lines(line: str, width: int) -> list[str]:
    """What `wrap_lines` makes of a visible line in which something is not narrow: cluster by cluster."""
    rows: list[list[str]] = [[]]
    for cluster in iter_graphemes(line):
        cluster = cluster if cell_width(cluster) <= width else "…"
        row = rows[-1]
        if sum(map(cell_width, row)) + cell_width(cluster) > width:
            spaces = [at for at, each in enumerate(row) if each == " " and "".join(row[:at]).strip(" ")]
            if cluster == " ":
                rows.append([])
                continue
            kept = row[: spaces[-1]] if spaces else row
            rows[-1:] = [kept, row[len(kept) + 1 :]]
        rows[-1].append(cluster)
    return ["".join(row) for row in rows]


_ROWS = st.text(
    st.sampled_from("ab    é日한🙂🙂文字\uff0c\u0301\u200d👩©▪↔\ufe0f🇩🇪\u0600\u0e33\u1100\u1161\u11a8क्षि-"), max_size=60
)


@given(_ROWS, st.integers(1, 12))
def test_a_line_is_wrapped_window_by_window_as_cluster_by_cluster(text: str, width: int) -> None:
    shown = visible(text)
    assume(not is_narrow(shown))
    assert wrap(text, width) == obvious_lines(shown, width)


@given(st.text(st.sampled_from("ab    é-"), max_size=60), st.integers(1, 12))
def test_a_narrow_line_is_wrapped_as_a_wide_one_unless_it_begins_with_spaces(text: str, width: int) -> None:
    assume(not any(row.isspace() for row in wrap(text, width)))
    assert wrap(text, width) == obvious_lines(text, width)


def test_a_line_of_any_length_is_wrapped_at_the_cost_of_its_rows() -> None:
    lines = wrap_lines("e\u0301" * 1_000_000, 80)
    assert [next(lines) for _ in range(3)] == ["e\u0301" * 80] * 3
