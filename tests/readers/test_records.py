import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.core.lenient import BadRecord, decode
from blockview.core.model import Diagnostic, Place
from blockview.readers.records import Record, decoded, records
from blockview.readers.source import Source
from tests.work import calls_in


class Inner(msgspec.Struct):
    name: str | None = None
    raw: msgspec.Raw = msgspec.Raw()


class Outer(msgspec.Struct):
    type: str | None = None
    number: int | None = None
    ratio: float | None = None
    flag: bool | None = None
    inner: Inner | None = None
    many: list[Inner] | None = None
    either: str | list[Inner] | None = None
    raw: msgspec.Raw = msgspec.Raw()


DECODER = msgspec.json.Decoder(Outer)


def lines_of(data: bytes) -> tuple[list[Record], list[Diagnostic]]:
    diagnostics: list[Diagnostic] = []
    return list(records(Source.of_bytes("x", data), diagnostics.append)), diagnostics


def read(data: bytes) -> tuple[list[tuple[int, Outer]], list[tuple[int, str]]]:
    """(line, value) of all records, and (line, kind) of all diagnostics. Places are checked on the way."""
    diagnostics: list[Diagnostic] = []
    source = Source.of_bytes("x", data)
    found = []
    for record, value in decoded(source, DECODER, diagnostics.append):
        place = record.place
        assert source.recorded(place) == record.data
        assert source.read(0, place.byte).count(b"\n") == place.line - 1
        found.append((place.line, value))
    return found, [(diagnostic.place.line, diagnostic.kind) for diagnostic in diagnostics]


def one(data: bytes) -> Outer:
    (found,), problems = read(data)
    assert problems == []
    return found[1]


def test_lines_end_at_line_feeds_only() -> None:
    text = '{"type":"a\u2028b\u2029c\u0085d"}'
    found, problems = lines_of(f"{text}\r\n\n  \n{text}\x0b\n{text}".encode())
    length = len(text.encode())
    assert [record.place for record in found] == [
        Place(1, 0, length),
        Place(4, length + 6, length + 1),
        Place(5, 2 * length + 8, length),
    ]
    assert found[0].data.decode() == text
    assert problems == []


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    found, _ = lines_of(b'\xef\xbb\xbf{"type":"a"}\n')
    assert found == [Record(found[0].place, b'{"type":"a"}')]
    assert found[0].place.byte == 3


def test_nul_bytes_around_lines_are_left_out_and_told() -> None:
    found, problems = lines_of(b'{"a":1}\n\0\0\0\0{"b":2}\0\n\0\0\0')
    assert [(record.data, record.place.line, record.place.byte) for record in found] == [
        (b'{"a":1}', 1, 0),
        (b'{"b":2}', 2, 12),
    ]
    assert [(d.kind, d.place.line, d.place.byte, d.place.length) for d in problems] == [
        ("nul_bytes", 2, 8, 12),
        ("nul_bytes", 3, 21, 3),
    ]


def test_utf16_is_told_once() -> None:
    found, problems = lines_of('\ufeff{"type":"a"}\n{"type":"b"}\n'.encode("utf-16-le"))
    assert [record.data for record in found] == [b'{"type":"a"}', b'{"type":"b"}']
    assert [problem.kind for problem in problems] == ["transcoded"]


@pytest.mark.parametrize(
    ("written", "type_", "raw"),
    [
        (rb'{"type":"\udc88","raw":["\ud800", 1.0]}', "\udc88", rb'["\ud800", 1.0]'),
        (b'{"type":"a\x01\tb","raw":"\x02"}', "a\x01\tb", b'"\x02"'),
        (b'{"type":"\xff","raw":"\xfe"}', "\udcff", b'"\xfe"'),
        (b'{"type":"a","raw":[NaN, -Infinity]}', "a", b"[NaN, -Infinity]"),
        (b'{"type":"a","raw":{"a":1.10,"a":1e400,"b":-0}}', "a", b'{"a":1.10,"a":1e400,"b":-0}'),
        (b'{"type":"a","x":NaN,"raw":' + b"9" * 5000 + b"}", "a", b"9" * 5000),
        (b'{"raw":' + b"[" * 5000 + b"]" * 5000 + b',"type":"a"}', "a", b"[" * 5000 + b"]" * 5000),
        (b'{"type":"a","raw":1,"x":"\x01","raw":2.50}', "a", b"2.50"),
    ],
)
def test_what_recorders_write_beside_json_is_read_with_its_characters(written: bytes, type_: str, raw: bytes) -> None:
    value = one(written)
    assert (value.type, bytes(value.raw)) == (type_, raw)


def test_a_member_of_an_unexpected_type_stays_at_its_default() -> None:
    value = one(b'{"type":5,"number":7,"ratio":[],"flag":"no","inner":[],"many":[{"name":"x"},3,{"name":4}],"raw":{}}')
    assert (value.type, value.number, value.ratio, value.flag, value.inner) == (None, 7, None, None, None)
    assert value.many is not None
    assert [inner.name for inner in value.many] == ["x", None]
    assert bytes(value.raw) == b"{}"


def test_the_slow_way_gives_what_the_fast_way_gives() -> None:
    plain = b'{"type":"a","number":12,"ratio":2,"flag":true,"inner":{"name":null,"raw":[1 ,2]},"many":[],"either":[{}]'
    fast, slow = one(plain + b"}"), one(plain + b',"x":NaN}')
    assert fast == slow


TYPED = {
    "type": st.text(),
    "number": st.integers(-(2**70), 2**70),
    "ratio": st.floats(allow_nan=False, allow_infinity=False),
    "flag": st.booleans(),
    "inner": st.fixed_dictionaries({"name": st.text(), "raw": st.lists(st.text())}),
    "either": st.one_of(st.text(), st.lists(st.fixed_dictionaries({"name": st.text()}))),
    "raw": st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.lists(inner), max_leaves=5),
}


@given(st.fixed_dictionaries({}, optional=TYPED), st.booleans())
def test_both_ways_agree_on_any_record(value: dict[str, object], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    fast = decode(DECODER, text)
    slow = decode(DECODER, text[:-1] + (b"," if value else b"") + b'"x":NaN}')
    assert fast == slow


@pytest.mark.parametrize("written", [b"[]", b"5", b'"text"', b"null"])
def test_json_that_is_no_object_is_told_once(written: bytes) -> None:
    found, problems = read(b'{"type":"a"}\n' + written + b'\n{"type":"b"}\n')
    assert [value.type for _, value in found] == ["a", "b"]
    assert problems == [(2, "malformed")]


STUBS = [
    b'{"type":"pr","sess',
    b'{"type":"pr","session":"abc',
    b'{"type":"pr","session":"abc\\',
    b'{"type":"pr","session":"abc\\u00',
    b'{"type":"pr","session"',
    b'{"type":"pr",',
    b'{"type":"pr","number":12',
    b'{"type":"pr","flag":tru',
    b'{"type":"pr","many":[{"name":"x"}',
    b'{"type":"pr","inner":{"name":"x"}',
    b"{",
    b'name":"x"},"flag":null}}',
]


@pytest.mark.parametrize("stub", STUBS)
def test_a_record_behind_one_that_was_cut_off_is_saved(stub: bytes) -> None:
    found, problems = read(stub + b'{"type":"whole","inner":{"name":"n"}}\n{"type":"next"}\n')
    assert [(line, value.type) for line, value in found] == [(1, "whole"), (2, "next")]
    assert problems == [(1, "truncated_then_spliced")]


@pytest.mark.parametrize("stub", [stub for stub in STUBS if stub.startswith(b"{")])
@pytest.mark.parametrize("padding", [b"", b"\n", b"\r\n\n  \0\0"])
def test_an_incomplete_last_record_is_a_truncated_tail(stub: bytes, padding: bytes) -> None:
    found, problems = read(b'{"type":"a"}\n' + stub + padding)
    assert [value.type for _, value in found] == ["a"]
    assert [problem for problem in problems if problem[1] != "nul_bytes"] == [(2, "truncated_tail")]


@pytest.mark.parametrize("stub", [*STUBS, b"{bad", b"garbage", b"\x00\x01\x02", b'{"a":1} trailing'])
def test_a_bad_line_in_between_is_malformed(stub: bytes) -> None:
    found, problems = read(b'{"type":"a"}\n\n' + stub + b'\n{"type":"b"}\n')
    assert [value.type for line, value in found if line != 3] == ["a", "b"]
    assert (3, "malformed") in problems


def test_the_inside_of_a_headless_record_is_no_record() -> None:
    found, problems = read(b'ens":5},"content":[{"type":"text","text":"x"}]}}\n{"type":"b"}\n')
    assert [value.type for _, value in found] == ["b"]
    assert problems == [(1, "malformed")]


def test_records_without_a_line_end_between_them_are_both_read() -> None:
    found, problems = read('{"type":"é"}{"type":"b"} {"type":"c"}\n{"type":"d"}'.encode())
    assert [(line, value.type) for line, value in found] == [(1, "é"), (1, "b"), (1, "c"), (2, "d")]
    assert problems == [(1, "missing_newline")]


def test_whole_records_before_a_truncated_one_are_read() -> None:
    found, problems = read(b'{"type":"a"}{"type":"b"}{"type":"c')
    assert [value.type for _, value in found] == ["a", "b"]
    assert problems == [(1, "truncated_tail")]


def test_noise_is_left_out_without_a_word() -> None:
    diagnostics: list[Diagnostic] = []
    source = Source.of_bytes("x", b'[DEBUG] hello\n{"type":"a"}\n{broken\n')
    found = list(decoded(source, DECODER, diagnostics.append, noise=lambda record: record.data[:1] != b"{"))
    assert [value.type for _, value in found] == ["a"]
    assert [diagnostic.place.line for diagnostic in diagnostics] == [3]


@pytest.mark.parametrize(
    "hostile",
    [
        b"[" * 100_000,
        b'{"a":' * 300_000,
        b'{"a":' * 300_000 + b"1" + b"}" * 300_000,
        b'{"a":1,{' * 300_000,
        b'{"a":"x' * 300_000,
        b"{" * 1_000_000,
        b'{"' * 1_000_000,
        b"\\" * 1_000_000,
        b'"' * 1_000_000,
        b"{}" * 100_000,
        b"x" + b" " * 1_000_000 + b'{"type":1',
        b'{"raw":[' + b"1," * 1_000_000 + b"NaN]}",
    ],
    ids=range(12),
)
def test_a_hostile_line_ends_quickly_and_hides_nothing(hostile: bytes) -> None:
    found = []
    spent = calls_in(lambda: found.extend(read(b'{"type":"before"}\n' + hostile + b'\n{"type":"after"}\n')[0]))
    assert spent < 20 * len(hostile)
    assert (found[0][1].type, found[-1][1].type) == ("before", "after")


def test_a_value_that_is_not_json_is_a_bad_record() -> None:
    with pytest.raises(BadRecord, match="not JSON"):
        decode(DECODER, b'{"type":x}')


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(data: bytes) -> None:
    read(data)


@given(
    st.lists(st.sampled_from([b'{"type":"a"}', b'{"type":"b', b"\n", b"\0", b"}", b'{"raw":[1]}', b"\r\n", b"\xff"]))
)
def test_any_mixture_can_be_read_and_whole_lines_survive(pieces: list[bytes]) -> None:
    found, _ = read(b"".join(pieces) + b'\n{"type":"whole"}\n')
    assert found[-1][1].type == "whole"
