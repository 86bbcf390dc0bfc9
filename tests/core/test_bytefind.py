"""A probe finds a text in every spelling of it as JSON."""

import re
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from blockview.core.bytefind import (
    Probe,
    cases,
    literal_parts,
    quick_probe,
    regex_parts,
    spelled,
    sure_probe,
)
from blockview.core.needle import Needle

LETTERS = 'abekisxz059 _-"\\/\n\t\x1béß\u017f\u212a\u0130\u0131œäÄя日本🙂👩\u2028'
TEXTS = st.text(st.sampled_from(LETTERS), min_size=1, max_size=8)
SHORT = {"\n": "n", "\t": "t", '"': '"', "\\": "\\", "/": "/", "\b": "b", "\f": "f", "\r": "r"}


def spelling(text: str, choose: Callable[[int], int], *, letters: bool = True) -> str:
    """`text` inside a JSON string; `choose` gives a number below its argument.

    `letters` says that plain letters may be escaped, too. JSON inside a string holds escapes, and whoever writes their
    letters as escapes once more is not understood.
    """
    return "".join(char if not letters and char.isascii() and char.isalnum() else _char(char, choose) for char in text)


def _char(char: str, choose: Callable[[int], int]) -> str:
    units = char.encode("utf-16-be")
    numbers = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
    ways = ["".join("\\u" + (n.upper() if choose(2) else n) for n in numbers)]
    if char in SHORT:
        ways.append("\\" + SHORT[char])
    if char not in '"\\' and char >= " ":
        ways.append(char)
    return ways[choose(len(ways))]


def places(probe: Probe, data: bytes) -> list[int]:
    return list(probe.places(data))


@given(TEXTS, TEXTS, TEXTS, st.data())
def test_every_spelling_is_found_at_any_depth(before: str, text: str, behind: str, data: st.DataObject) -> None:
    def choose(ways: int) -> int:
        return data.draw(st.integers(0, ways - 1))

    written = before + (text.upper() if choose(2) else text) + behind
    assume(Needle(text).found_in(written))
    written = spelling(written, choose)
    for _ in range(choose(3)):
        written = spelling(written, choose, letters=False)
    line = ('{"a":"' + written + '"}').encode()
    needle = Needle(text)
    assert re.search(spelled(text, any_case=needle.any_case), line)
    probe = sure_probe(literal_parts(text), "", any_case=needle.any_case)
    if probe is not None:
        assert places(probe, line)


@given(TEXTS, TEXTS, TEXTS)
def test_what_is_spelled_as_usual_is_found_quickly(before: str, text: str, behind: str) -> None:
    line = ('{"a":"' + spelling(before + text + behind, lambda ways: ways - 1) + '"}').encode()
    probe = quick_probe(literal_parts(text), any_case=Needle(text).any_case)
    if probe is not None:
        assert places(probe, line)


def test_all_that_counts_as_the_same_letter_is_known() -> None:
    everything = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    for char in 'aiksz09_é"ßµœωя日\u03c3\u212a':
        assert set(cases(char)) == set(re.findall(re.escape(char), everything, re.IGNORECASE)), char


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("needle", b'{"a":"a NEEDLE"}', True),
        ("Needle", b'{"a":"a needle"}', False),
        ('say "hi" now', b'{"a":"{\\"b\\":\\"say \\\\\\"hi\\\\\\" now\\"}"}', True),
        ('say "hi" now', b'{"a":"say hi now"}', False),
        ("c:\\temp\\dir", b'{"a":"c:\\\\temp\\\\dir"}', True),
        ("one\ntwo", b'{"a":"one\\ntwo"}', True),
        ("größe", b'{"a":"GR\\u00D6SSE gr\\u00f6\\u00dfe"}', True),
        ("🙂", b'{"a":"\\ud83d\\uDE42"}', True),
        ("🙂", b'{"a":"\\ud83d\\uDE43"}', False),
        ("日本", "{'a':'日本'}".encode(), True),
    ],
)
def test_a_quick_probe_finds_what_it_should_and_nothing_near_it(text: str, line: bytes, found: bool) -> None:
    probe = quick_probe(literal_parts(text), any_case=Needle(text).any_case)
    assert probe is not None
    assert bool(places(probe, line)) is found


@pytest.mark.parametrize("text", ["12345", "1e3", "ab", '": "', "tool", "{}", "\n", "…"])
def test_what_may_not_be_recorded_as_it_is_shown_has_no_sure_probe(text: str) -> None:
    assert sure_probe(literal_parts(text), "status of a tool, told …", any_case=True) is None


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("error", ("error",)),
        (r"error \d+ in foo\.py", ("error ", " in foo.py")),
        ("colou?r", ("colo", "r")),
        ("ab+c", ("ab", "c")),
        ("ab{0,3}c", ("a", "c")),
        ("a|b", ()),
        ("x(a|b)*y", ("x", "y")),
        ("x[a|(]y", ("x", "y")),
        (r"\bword\b", ("word",)),
        ("(?i)word", ("word",)),
        ("(?x) w o r d", ()),
        ("one\ntwo", ("one", "two")),
        ("^start.*end$", ("start", "end")),
    ],
)
def test_texts_that_every_match_holds(pattern: str, parts: tuple[str, ...]) -> None:
    assert regex_parts(pattern) == parts


ATOMS = [
    "a",
    "b",
    "ab",
    "1",
    ".",
    "(a|b)",
    "a?",
    "b*",
    "ab+",
    "[ab]",
    r"\d",
    "a{0,2}",
    "(?:ab){2}",
    "|",
    r"\.",
    "b{1,2}?",
]


@given(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=6).map("".join), st.data())
def test_every_match_holds_them(pattern: str, data: st.DataObject) -> None:
    match = data.draw(st.from_regex(pattern, fullmatch=True))
    assert all(part in match for part in regex_parts(pattern))
