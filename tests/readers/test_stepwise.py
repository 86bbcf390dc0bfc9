"""A recording that is read in steps, or grows while it is read, tells what it tells when it is read at once."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blockview.core.growing import Growing, Grown
from blockview.core.model import Block, Session
from blockview.readers import stepwise
from blockview.readers.opening import open_growing, open_session
from tests.readers.lines import answers, line, prompt, result, says, use

IDS = st.sampled_from(["a", "b", "c", "d", "e", "f", "g"])
STREAMS = st.sampled_from([{}, {}, {}, {"isSidechain": True}, {"isSidechain": True, "agentId": "x"}])


@st.composite
def transcript_lines(draw: st.DrawFn) -> str:
    uuid, parent, second = draw(IDS) + draw(IDS), draw(st.none() | IDS), draw(st.integers(0, 9))
    parent = parent and parent + draw(IDS)
    call, more = "t" + draw(IDS), draw(STREAMS)
    match draw(st.sampled_from(["prompt", "says", "use", "both", "result", "progress", "title", "compact", "unknown"])):
        case "prompt":
            return prompt(draw(st.sampled_from(["go on", "why", "x" * 70])), uuid, parent, second, **more)
        case "says":
            return says("text", uuid=uuid, parent=parent, second=second, **more)
        case "use":
            return says(use(call, a=5.0), uuid=uuid, parent=parent, second=second, **more)
        case "both":
            return says("text", use(call), use(call + "2"), uuid=uuid, parent=parent, second=second, **more)
        case "result":
            return answers(result(call), uuid=uuid, parent=parent, second=second, **more)
        case "progress":
            data = {"type": "mcp_progress", "serverName": "real", "toolName": "add", "elapsedTimeMs": 12}
            return line("progress", uuid, parent, second, toolUseID=call, data=data, **more)
        case "title":
            return line("custom-title", uuid, parent, second, customTitle="a title")
        case "compact":
            return line("system", uuid, parent, second, subtype="compact_boundary", content="compacted", **more)
        case _:
            return line("news", uuid, parent, second)


@st.composite
def capture_lines(draw: st.DrawFn) -> str:
    number, lane = draw(st.integers(0, 5)), draw(st.sampled_from(["client->server", "server->client"]))
    message: dict[str, object] = {"jsonrpc": "2.0", "id": number}
    match draw(st.sampled_from(["call", "call", "answer", "answer", "list", "hello", "cancel", "news"])):
        case "call":
            lane = "client->server"
            message |= {"method": "tools/call", "params": {"name": "add", "arguments": {"a": 5.0}}}
        case "answer":
            lane = "server->client"
            message |= {"result": {"content": [], "serverInfo": {"name": draw(st.sampled_from(["one", "two"]))}}}
        case "list":
            lane = "client->server"
            message |= {"method": "tools/list"}
        case "hello":
            lane = "client->server"
            message |= {"method": "initialize", "params": {}}
        case "cancel":
            message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        case _:
            message = {"jsonrpc": "2.0", "method": "notifications/message"}
    return json.dumps({"ts": 1796081428.5 + number, "dir": lane, "msg": message})


@st.composite
def rollout_lines(draw: st.DrawFn) -> str:
    call, tool, text = "t" + draw(IDS), draw(st.sampled_from(["mcp__demo__add", "shell"])), draw(st.sampled_from("xyz"))
    kinds = ["prompt", "item", "says", "call", "call", "output", "output", "event", "rollback", "spawn", "unknown"]
    match draw(st.sampled_from(kinds)):
        case "prompt":
            kind, payload = "event_msg", {"type": "user_message", "message": text}
        case "item":
            content = [{"type": "input_text", "text": text}]
            kind, payload = "response_item", {"type": "message", "role": "user", "content": content}
        case "says":
            kind, payload = "event_msg", {"type": "agent_message", "message": text}
        case "call":
            payload = {"type": "function_call", "name": tool, "arguments": '{"a":5.0}', "call_id": call}
            kind = "response_item"
        case "output":
            kind, payload = "response_item", {"type": "function_call_output", "call_id": call, "output": text}
        case "event":
            invocation = {"server": draw(st.sampled_from(["demo", "other"])), "tool": "add", "arguments": {"a": 5}}
            payload = {"type": "mcp_tool_call_end", "call_id": call, "invocation": invocation, "result": {"Err": text}}
            kind = "event_msg"
        case "rollback":
            kind, payload = "event_msg", {"type": "thread_rolled_back", "num_turns": 1}
        case "spawn":
            payload = {"type": "collab_agent_spawn_end", "call_id": call, "new_thread_id": "thread-2", "prompt": text}
            kind = "event_msg"
        case _:
            kind, payload = "news", {}
    return json.dumps({"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload})


SPLICED = b'{"type":"user"}{"type":"user"}'
ODD = st.sampled_from([b"", b"  ", b"\0\0", b"{", b'{"type":"user"', b"[1,2]", b"no json", SPLICED])
FIRST = prompt("begin", "aa").encode()
CAPTURE = b'{"ts":1796081428.5,"dir":"client->server","msg":{"jsonrpc":"2.0","id":9,"method":"ping"}}'
ROLLOUT = b'{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":"thread-1"}}'


def many(first: bytes, lines: st.SearchStrategy[str]) -> st.SearchStrategy[list[bytes]]:
    return st.lists(lines.map(str.encode) | ODD, min_size=1, max_size=30).map(lambda more: [first, *more])


RECORDINGS = many(FIRST, transcript_lines()) | many(CAPTURE, capture_lines()) | many(ROLLOUT, rollout_lines())


@pytest.fixture
def tiny_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepwise, "_PIECE", 64)


def told(session: Session) -> tuple[object, ...]:
    """All that a session tells, its blocks decoded."""
    known = msgspec.structs.astuple(session.counts)
    return (list(session.blocks), list(session.call_counts), session.title, session.diagnostics, known, session.agents)


def steps(growing: Growing) -> Iterator[Grown]:
    """Read on in the smallest steps until there is nothing more."""
    while (grown := growing.read_on(0)) is not None:
        yield grown


def read_on(growing: Growing) -> Grown:
    """Read all that is new, of which there must be something."""
    grown = growing.read_on(60)
    assert grown is not None
    assert growing.read_on(60) is None
    return grown


def check_touched(before: Sequence[Block], grown: Grown) -> None:
    """Blocks that are not named as touched tell what they told before."""
    blocks = grown.session.blocks
    for number, block in enumerate(before):
        if number not in grown.touched:
            assert blocks[number].calls == block.calls
            assert blocks[number] == block


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(RECORDINGS, st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.booleans())
def test_steps_end_in_what_one_reading_tells(
    tmp_path: Path, tiny_pieces: None, lines: list[bytes], end: bytes, mark: bool, last: bool
) -> None:
    path = tmp_path / "recording.jsonl"
    data = end.join(lines) + (end if last else b"")
    path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + data)
    os.utime(path, (0, 0))
    before: list[Block] = []
    grown = None
    for grown in steps(open_growing(path)):
        assert not grown.replaced
        check_touched(before, grown)
        before = list(grown.session.blocks)
    assert grown is not None
    assert grown.complete
    assert told(grown.session) == told(open_session(path))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(RECORDINGS, st.lists(st.integers(1, 200), max_size=20))
def test_a_file_that_is_appended_to_tells_what_it_tells_when_read_at_once(
    tmp_path: Path, tiny_pieces: None, lines: list[bytes], cuts: list[int]
) -> None:
    path = tmp_path / "recording.jsonl"
    first, *more = lines
    data = b"\n".join(more) + b"\n"
    path.write_bytes(first + b"\n")
    growing = open_growing(path)
    (*_, grown) = steps(growing)
    before = list(grown.session.blocks)
    at = 0
    for cut in [*cuts, len(data)]:
        with path.open("ab") as file:
            file.write(data[at : at + cut])
        at += cut
        for grown in steps(growing):
            if not grown.replaced:
                check_touched(before, grown)
            before = list(grown.session.blocks)
    os.utime(path, (0, 0))
    (*_, grown) = [grown, *steps(growing)]
    assert told(grown.session) == told(open_session(path))


def test_a_line_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    more = says("hello", parent="aa").encode()
    path.write_bytes(FIRST + b"\n" + more[:20])
    growing = open_growing(path)
    grown = read_on(growing)
    assert (grown.complete, grown.session.diagnostics, len(grown.session.blocks[0].items)) == (True, (), 0)
    path.write_bytes(FIRST + b"\n" + more + b"\n")
    grown = read_on(growing)
    assert (grown.replaced, len(grown.session.blocks[0].items)) == (False, 1)
    assert set(grown.touched) == {0}


def test_a_last_line_that_stays_incomplete_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_bytes(FIRST + b'\n{"type":"user","uu')
    growing = open_growing(path)
    grown = read_on(growing)
    assert grown.session.diagnostics == ()
    os.utime(path, (0, 0))
    grown = read_on(growing)
    assert [one.kind for one in grown.session.diagnostics] == ["truncated_tail"]


@pytest.mark.parametrize("how", ["shorter", "in place", "another file"])
def test_a_recording_that_became_another_one_is_read_anew(tmp_path: Path, how: str) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_bytes(b"\n".join([FIRST, says("one", parent="aa").encode(), b'{"type":']))
    os.utime(path, (0, 0))
    growing = open_growing(path)
    grown = read_on(growing)
    after = {
        "shorter": prompt("anew", "aa").encode() + b"\n",
        "in place": b"\n".join([prompt("begun", "aa").encode()] * 9) + b"\n",
        "another file": path.read_bytes(),
    }[how]
    target = tmp_path / "new" if how == "another file" else path
    target.write_bytes(after)
    target.replace(path)
    os.utime(path, (0, 0))
    grown = read_on(growing)
    assert grown.replaced
    assert told(grown.session) == told(open_session(path))


@pytest.mark.parametrize("more", [b'"news"}\n', b"\n" + prompt("next", "bb").encode()])
def test_what_was_taken_for_the_incomplete_end_is_read_again_when_more_comes(tmp_path: Path, more: bytes) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_bytes(FIRST + b"\n" + b'{"type":')
    os.utime(path, (0, 0))
    growing = open_growing(path)
    assert [one.kind for one in read_on(growing).session.diagnostics] == ["truncated_tail"]
    with path.open("ab") as file:
        file.write(more)
    grown = read_on(growing)
    assert (grown.replaced, list(grown.touched)) == (False, [0])
    assert told(grown.session) == told(open_session(path))


def test_a_file_that_vanishes_is_read_again_when_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_bytes(FIRST + b"\n")
    growing = open_growing(path)
    read_on(growing)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        growing.read_on(1)
    path.write_bytes(prompt("anew", "aa").encode() + b"\n")
    grown = read_on(growing)
    assert (grown.replaced, grown.session.title) == (True, "anew")


def test_an_empty_file_tells_as_soon_as_something_is_written(tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    path.touch()
    growing = open_growing(path)
    grown = read_on(growing)
    assert [one.kind for one in grown.session.diagnostics] == ["empty"]
    path.write_bytes(FIRST + b"\n")
    grown = read_on(growing)
    assert (grown.session.format, len(grown.session.blocks)) == ("claude-code", 1)


def test_a_line_longer_than_a_piece_is_one_line(tmp_path: Path, tiny_pieces: None) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_bytes(FIRST + b"\n" + says("x" * 5000, parent="aa").encode() + b"\n" + prompt("next", "bb").encode())
    grown = read_on(open_growing(path))
    assert [block.prompt for block in grown.session.blocks] == ["begin", "next"]
