"""Compressed recordings: unpacked by content, within a bound, and as far as they go."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from blockview.core.model import Place
from blockview.readers.opening import open_session
from blockview.readers.packed import unpack
from blockview.readers.source import Source
from tests.readers.lines import prompt, read_bytes, says

TEXT = "\n".join([prompt("hi \u00e9"), says("hello")]).encode() + b"\n"
PACKERS: list[Callable[[bytes], bytes]] = [zstandard.compress, gzip.compress]


@pytest.fixture(params=PACKERS, ids=["zstd", "gzip"])
def pack(request: pytest.FixtureRequest) -> Callable[[bytes], bytes]:
    packer: Callable[[bytes], bytes] = request.param
    return packer


def test_a_compressed_recording_is_read_as_if_it_were_plain(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "any.name"
    path.write_bytes(pack(TEXT))
    session = open_session(path)
    assert (session.format, session.title, session.diagnostics) == ("claude-code", "hi é", ())
    assert session.read_raw(session.blocks[0].place) == TEXT.decode().splitlines()[0]
    assert path.read_bytes() == pack(TEXT)


def test_members_that_follow_each_other_are_one_recording(pack: Callable[[bytes], bytes]) -> None:
    lines = TEXT.splitlines(keepends=True)
    with Source.of_bytes("x", pack(lines[0]) + pack(lines[1]) + b"\0\0") as source:
        assert (source.read(0, source.size), source.damage) == (TEXT, "")


def test_large_content_comes_whole(pack: Callable[[bytes], bytes]) -> None:
    large = b"".join(b"%d\n" % number for number in range(300_000))
    with Source.of_bytes("x", pack(large)) as source:
        assert source.read(0, source.size) == large
        assert source.text(Place(2, 2, 1)) == "1"


def test_a_file_in_two_wrappings_is_not_unpacked_further() -> None:
    with Source.of_bytes("x", gzip.compress(gzip.compress(TEXT))) as source:
        assert source.read(0, 2) == b"\x1f\x8b"


@pytest.mark.parametrize("keep", [20, 100])
def test_what_is_whole_of_a_cut_file_is_read(pack: Callable[[bytes], bytes], keep: int) -> None:
    packed = pack(TEXT) + pack(TEXT * 500)[:keep]
    session = read_bytes(packed)
    assert session.title == "hi é"
    assert (session.diagnostics[0].kind, "is cut off" in session.diagnostics[0].problem) == ("truncated_tail", True)


@pytest.mark.parametrize(("pack", "left"), [(zstandard.compress, 40), (gzip.compress, -8)], ids=["zstd", "gzip"])
def test_damage_is_reported_and_what_stands_before_it_is_read(pack: Callable[[bytes], bytes], left: int) -> None:
    whole = pack(TEXT * 50)
    session = read_bytes(pack(TEXT) + whole[:left] + b"\xff" * len(whole[left:]))
    assert session.title == "hi é"
    assert "is damaged" in session.diagnostics[0].problem


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("openai-chat", 'data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"hi"}}]}\n\n'),
        ("mcp-vcr", "messages:\n- dir: c2s\n  t: 0.0\n  msg:\n    jsonrpc: '2.0'\n    method: ping\n    id: 1\n"),
        ("mcp-snoop", '[10:00:00.000] →SERVER #1 ping\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n'),
        ("warp-yaml", "---\ntype: user_query\nquery: hi\n"),
    ],
)
def test_damage_is_reported_of_texts_that_are_not_lines_of_json(format_: str, text: str) -> None:
    cut = read_bytes(gzip.compress(text.encode()) + gzip.compress(b"\n" * 5000)[:-8])
    assert (cut.format, [found.kind for found in cut.diagnostics]) == (format_, ["truncated_tail"])
    other = read_bytes(("\ufeff" + text).encode("utf-16-le"))
    assert (other.format, [found.kind for found in other.diagnostics]) == (format_, ["transcoded"])


def test_what_follows_is_reported(pack: Callable[[bytes], bytes]) -> None:
    with Source.of_bytes("x", pack(TEXT) + b"and so on") as source:
        assert (source.read(0, source.size), "something else" in source.damage) == (TEXT, True)


def test_a_file_that_unpacks_to_very_much_stops_at_the_limit(pack: Callable[[bytes], bytes]) -> None:
    file, damage = unpack(io.BytesIO(pack(b"a\n" * 1_000_000)), limit=5001)
    with file:
        assert file.seek(0, io.SEEK_END) == 5001
    assert "more than 5001 bytes" in damage


def test_a_small_file_does_not_unpack_to_what_fills_the_memory() -> None:
    file, damage = unpack(io.BytesIO(zstandard.compress(bytes(150 << 20))))
    with file:
        assert file.seek(0, io.SEEK_END) == 128 << 20
    assert "more than 134217728 bytes" in damage


def test_a_packed_utf16_file_is_both_unpacked_and_decoded(pack: Callable[[bytes], bytes]) -> None:
    with Source.of_bytes("x", pack(("\ufeff" + TEXT.decode()).encode("utf-16-le"))) as source:
        assert source.transcoded
        assert source.read(0, source.size) == TEXT
