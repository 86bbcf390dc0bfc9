import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from blockview.core.model import Place, Text
from blockview.readers.opening import open_session
from blockview.readers.source import Source
from tests.readers.captures import INITIALIZE, INITIALIZED
from tests.readers.lines import answers, prompt, result, says, use


def test_a_file_is_read_by_place(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\xff\n")
    with Source.open(path) as source:
        assert (source.name, source.path, source.size) == (str(path), path, 9)
        assert source.text(Place(1, 0, 3)) == "one"
        assert source.text(Place(2, 4, 4)).encode("utf-8", "surrogateescape") == b"two\xff"


def test_an_empty_file_is_a_source_without_bytes(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    with Source.open(path) as source:
        assert (source.size, source.content_end, source.text(Place(1, 0, 10))) == (0, 0, "")


def test_bytes_are_a_source() -> None:
    source = Source.of_bytes("stdin", b"abc")
    assert (source.name, source.path, source.text(Place(1, 1, 2))) == ("stdin", None, "bc")


def test_a_pipe_is_read(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"through a pipe")
    os.close(writing)
    with Source.open(Path(f"/dev/fd/{reading}")) as source:
        assert source.text(Place(1, 0, 99)) == "through a pipe"
    os.close(reading)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_held_as_utf8(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "powershell.jsonl"
    path.write_bytes(("\ufeff" + '{"a":"é\u2028"}\n').encode(encoding))
    with Source.open(path) as source:
        assert source.transcoded
        assert source.text(Place(1, 0, source.size)).lstrip("\ufeff") == '{"a":"é\u2028"}\n'


def test_half_a_utf16_character_at_the_end_is_no_error() -> None:
    source = Source.of_bytes("cut", '\ufeff{"a":1}'.encode("utf-16-le") + b"\x00")
    assert source.text(Place(1, 0, source.size)).startswith('{"a":1}')


@pytest.mark.parametrize("tail", [b"", b"\n", b" \r\n\0\0", b"\0" * 200_000])
def test_content_ends_before_padding(tail: bytes) -> None:
    assert Source.of_bytes("x", b"{}" + tail).content_end == 2
    assert Source.of_bytes("x", tail).content_end == 0


def test_what_cannot_be_opened_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Source.open(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        Source.open(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_an_unreadable_file_is_an_os_error(tmp_path: Path) -> None:
    path = tmp_path / "private"
    path.write_text("x")
    path.chmod(stat.S_IWUSR)
    with pytest.raises(PermissionError):
        Source.open(path)


def test_a_closed_source_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    source = Source.open(path)
    source.close()
    source.close()
    assert source.text(Place(1, 0, 3)) == ""


def transcript() -> bytes:
    rows = [
        (prompt(f"do {n}", f"u{n}"), says(use(f"t{n}", a=1.0), uuid=f"a{n}"), answers(result(f"t{n}")))
        for n in range(9)
    ]
    return "\n".join(line for row in rows for line in row).encode()


def capture() -> bytes:
    call = '{{"jsonrpc":"2.0","id":{0},"method":"tools/call","params":{{"name":"t","arguments":{{"a":1.0}}}}}}'
    answer = '{{"jsonrpc":"2.0","id":{0},"result":{{"content":[]}}}}'
    rows = [(call.format(n), answer.format(n)) for n in range(2, 12)]
    return "\n".join([INITIALIZE, INITIALIZED, *(line for row in rows for line in row)]).encode()


@pytest.mark.parametrize("make", [transcript, capture])
@pytest.mark.parametrize("left", [0, 100, 1000])
def test_a_file_that_is_cut_or_rewritten_while_open_is_no_danger(
    tmp_path: Path, make: Callable[[], bytes], left: int
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(make())
    sessions = [open_session(path), open_session(path)]
    os.truncate(path, left)
    assert [len(list(sessions[0].blocks)), len(sessions[0].call_counts)] == [len(sessions[0].blocks)] * 2
    path.write_bytes(b"x" * 10_000)
    said = [item.text for block in sessions[1].blocks for item in block.items if isinstance(item, Text)]
    assert any("can no longer be read" in text for text in said)
