"""What a needle finds, against plain ways of looking."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from blockview.core.find import HEAD, WHOLE
from blockview.core.jsontext import decode_string
from blockview.core.model import Block, Place, Status, Text
from blockview.core.needle import Hit, Needle, unescaped
from blockview.core.prepare import Prepared, prepare
from tests.samples import make_call, prepare_sample, text_result

LETTERS = 'aAbB1 ."\\/\n\x1béÉ日🙂\ud800'
TEXTS = st.text(st.sampled_from(LETTERS), max_size=12)


@given(st.text(st.sampled_from(LETTERS), min_size=1, max_size=3), TEXTS)
def test_smart_case_is_what_two_plain_searches_tell(text: str, where: str) -> None:
    fits = text in where if text != text.lower() else re.search(re.escape(text), where, re.IGNORECASE) is not None
    assert Needle(text).found_in(where) is fits
    assert Needle(text, exact=True).found_in(where) is (text in where)
    assert bool(Needle(text).spans(where)) is fits


@given(TEXTS, st.booleans())
def test_escapes_of_json_are_read_as_json_reads_them(text: str, ascii_only: bool) -> None:
    written = json.dumps(text, ensure_ascii=ascii_only)
    assert unescaped(written) == f'"{decode_string(written)}"'


@pytest.mark.parametrize(
    ("text", "written", "found"),
    [
        ('say "hi"', '{"a":"say \\"hi\\""}', True),
        ("größe", '{"a":"gr\\u00f6\\u00dfe"}', True),
        ("🙂", '{"a":"\\ud83d\\ude42"}', True),
        ("one\ntwo", '{"a":"one\\ntwo"}', True),
        ("a/b", '{"a":"a\\/b"}', True),
        ('{"a":"', '{"a":"b"}', True),
        ("needle", '{"a":"n\\u0065edle"}', True),
        ("nb", '{"a":"a\\nb"}', True),  # as it is written
        ("needle", '{"a":"nee dle"}', False),
    ],
)
def test_json_is_looked_into_as_written_and_as_meant(text: str, written: str, found: bool) -> None:
    assert Needle(text).found_in_json(written) is found
    call = make_call(written, text_result(written))
    block = Block(0, "", Place(1, 0), (call,))
    assert bool(Needle(text).rows(block, prepare)) is found


def test_a_result_that_is_no_json_is_looked_into_as_it_is() -> None:
    block = Block(0, "", Place(1, 0), (make_call(None, text_result(r"a path: C:\u0041")),))
    assert not Needle("C:A").rows(block, prepare)
    assert Needle(r"C:\u").rows(block, prepare)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"a\d+", "A12", True),
        (r"A\d", "a1", False),
        (r"\Sb", "ab", True),
        (r"(?i)A", "a", True),
        ("a.c", "a\nc", False),
    ],
)
def test_a_regular_expression_has_smart_case_as_well(pattern: str, text: str, found: bool) -> None:
    assert Needle(pattern, regex=True).found_in(text) is found


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "a{99999999999}", r"\8", "(?P<a>.)(?P<a>.)"])
def test_what_is_no_regular_expression_is_refused_in_one_line(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        Needle(pattern, regex=True)


def test_hits_tell_what_was_found_and_the_line_around_it() -> None:
    sent = make_call('{"line":5.0}', text_result("first\nthe needle is here\nlast"), tool="open")
    failed = make_call(None, status=Status.DENIED, number=2, note="needle")
    block = Block(3, "no\nneedle\nno", Place(1, 0), (Text("thinking", "NEEDLE"), sent, failed))
    prepared: list[str] = []

    def prepare_call(call: object) -> Prepared:
        prepared.append("asked")
        return prepare_sample(call)  # type: ignore[arg-type]

    assert list(Needle("needle").hits(block, prepare_call)) == [
        Hit(3, HEAD, "prompt", "", "needle", 0, 6),
        Hit(3, HEAD, "thinking", "", "NEEDLE", 0, 6),
        Hit(3, 0, "result", "editor.open", "the needle is here", 4, 10),
        Hit(3, 1, "call", "editor.open", "needle", 0, 6),
    ]
    (hit,) = Needle('"line":5}').hits(block, prepare_sample)
    assert (hit.what, hit.context) == ("arguments", '{"line":5}')


@given(st.text(st.sampled_from("ab\n"), max_size=900), st.integers(0, 900), st.integers(1, 700))
def test_a_context_is_short_and_holds_the_place(filler: str, at: int, length: int) -> None:
    text = filler[:at] + "X" * length + filler[at:]
    (hit,) = Needle("X+", regex=True).hits(Block(0, text, Place(1, 0)), prepare)
    assert hit.context[hit.start : hit.end] == "X" * min(length, hit.end - hit.start) != ""
    assert len(hit.context) <= 600
    assert "\n" not in hit.context


@pytest.mark.parametrize("text", ["editor.open", "mcp__editor__open", "call-1", "itor.op"])
def test_a_call_is_found_by_the_name_on_screen_the_recorded_one_and_its_id_and_counts_once(text: str) -> None:
    sent = replace(make_call("{}", tool="open"), id="call-1")
    (hit,) = Needle(text).hits(Block(0, "", Place(1, 0), (sent,)), prepare_sample)
    assert (hit.what, hit.name) == ("call", "editor.open")


def test_a_title_is_a_hit_of_the_whole_session() -> None:
    assert list(Needle("up").in_title("Retry in the uploader")) == [
        Hit(WHOLE, HEAD, "title", "", "Retry in the uploader", 13, 15)
    ]
    assert list(Needle("down").in_title("Retry in the uploader")) == []
