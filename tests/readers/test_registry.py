import json
from pathlib import Path

import pytest

from blockview.readers.head import Head
from blockview.readers.registry import UnknownFormat, read_session, reader_for
from blockview.readers.source import Source
from tests.readers.lines import answers, prompt, read_bytes, says, use


def head_of(data: bytes) -> Head:
    return Head.of(Source.of_bytes("x", data))


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\r\n  \n", b"\0" * 5000, b"\xef\xbb\xbf\n"[3:]])
def test_an_empty_recording_is_a_session_without_blocks(data: bytes) -> None:
    session = read_bytes(data)
    assert (session.format, len(session.blocks), session.counts.messages) == ("empty", 0, 0)
    assert [diagnostic.kind for diagnostic in session.diagnostics] == ["empty"]


def test_an_empty_file_is_a_session_without_blocks(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert read_session(Source.open(path)).format == "empty"


@pytest.mark.parametrize(
    "data", [b"hello\n", b'{"a":1}\n', b"[1,2]\n", b"\x89PNG\r\n\x1a\n\0\0", b"{}" * 10, b"\xff" * 100]
)
def test_what_no_reader_knows_is_an_error_that_helps(data: bytes) -> None:
    with pytest.raises(UnknownFormat) as caught:
        read_session(Source.of_bytes("holiday.txt", data))
    message = str(caught.value)
    assert message.startswith("holiday.txt: ")
    assert "blockview --help" in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "first",
    [
        prompt("hi"),
        '{"type":"summary","summary":"An older session","leafUuid":"x"}',
        '{"type":"file-history-snapshot","messageId":"m","snapshot":{},"isSnapshotUpdate":false}',
        '{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"hi"}',
        '{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"hi"}}',
        '{"message":{"content":"' + "x" * 400_000 + '"},"type":"user","sessionId":"s","parentUuid":null,"uuid":"u"}',
        "{bad\n\n" + prompt("hi"),
    ],
)
def test_transcripts_are_known_by_their_lines(first: str) -> None:
    reader = reader_for(Source.of_bytes("x.txt", first.encode() + b"\n"))
    assert reader is not None
    assert reader.format == "claude-code"


INIT = {"type": "system", "subtype": "init", "session_id": "s", "tools": ["Bash"], "mcp_servers": []}


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(INIT),
        json.dumps([INIT]),
        json.dumps([INIT], indent=2),
        "npm warn something\n[DEBUG] Watching {\n" + json.dumps(INIT),
        "[DEBUG] noise\n" * 50_000 + json.dumps([INIT]),
        "[DEBUG] noise\n" * 50_000 + json.dumps(INIT),
        '{"type":"assistant","message":{"content":[]},"parent_tool_use_id":null,"session_id":"s","uuid":"u"}',
    ],
    ids=range(7),
)
def test_stream_json_is_known_also_within_a_log(data: str) -> None:
    reader = reader_for(Source.of_bytes("x", data.encode()))
    assert reader is not None
    assert reader.format == "claude-stream-json"


def test_a_transcript_that_quotes_stream_json_is_a_transcript() -> None:
    quoted = json.dumps(INIT)
    session = read_bytes("\n".join([prompt(quoted), says(use()), answers(quoted)]).encode())
    assert session.format == "claude-code"


def test_the_head_of_lines_is_their_first_records() -> None:
    head = head_of(b'\xef\xbb\xbf\n{"a":1}\nnoise\n{"b":NaN}\n{"c":1}{"d":2}\n' + b'{"e":1}\n' * 50)
    assert head.document == ""
    assert [list(record) for record in head.records[:5]] == [["a"], ["b"], ["c"], ["d"], ["e"]]
    assert len(head.records) == 20


def test_the_head_of_an_array_is_its_first_elements() -> None:
    for indent in (None, 2):
        head = head_of(json.dumps([{"n": n} for n in range(30)], indent=indent).encode())
        assert head.document == "array"
        assert [record["n"] for record in head.records] == list(range(20))


def test_the_head_of_an_object_that_spans_lines_is_its_members() -> None:
    head = head_of(json.dumps({"version": 1, "items": [{"a": 1}], "end": None}, indent=1).encode())
    assert (head.document, head.records) == ("object", ({"version": 1, "items": [{"a": 1}], "end": None},))


def test_a_cut_document_still_shows_its_first_members() -> None:
    head = head_of(b'{\n "version": 1,\n "messages": [\n {"a": 1},')
    assert (head.document, head.records) == ("object", ({"version": 1, "messages": None},))


@pytest.mark.parametrize(
    "data",
    [b"[DEBUG] x\n", b"[" * 50_000, b'{"a":' * 50_000 + b"\n", b"[\n", b"{\n", b"[{", b"\xff\xfe["],
    ids=range(7),
)
def test_a_strange_beginning_has_no_records(data: bytes) -> None:
    assert head_of(data).records == ()


@pytest.mark.parametrize("odd", ["[]", "{}", "1", "null", '["user"]', "1e400", '"\\ud800"'])
@pytest.mark.parametrize(
    "member", ["type", "subtype", "dir", "msg", "_meta", "jsonrpc", "sessionId", "session_id", "seq"]
)
def test_a_member_of_another_type_is_no_danger(member: str, odd: str) -> None:
    line = f'{{"type":"user","dir":"x","msg":{{}},"{member}":{odd}}}'.encode()
    for data in (line, b"[" + line + b"]", b"{\n" + line[1:]):
        try:
            session = read_session(Source.of_bytes("odd", data))
        except UnknownFormat:
            continue
        assert session.format


def test_looking_stops_after_the_window() -> None:
    head = head_of(b"noise\n" * 100_000 + b'{"a":1}\n')
    assert head.records == ()
