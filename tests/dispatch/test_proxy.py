"""`blockview record` around real processes: what passes, what is kept, and how it ends."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from base64 import b64decode
from pathlib import Path

import pytest

from blockview.core.coercion import Depth
from blockview.core.model import Provenance, Status
from blockview.dispatch.connection import Connection
from blockview.dispatch.proxy import Lines
from blockview.dispatch.servers import Server
from blockview.readers.opening import open_session
from tests.samples import make_call

ROOT = Path(__file__).parents[2]
MESSAGES = int(os.environ.get("BLOCKVIEW_EXAMPLES", "0")) * 10 or 300
IDS = (1, 2**53 + 1, 10**30)
KILLS = 100 if "BLOCKVIEW_EXAMPLES" in os.environ else 6
PATIENCE = 60


def recorded_by(output: Path, *command: str) -> list[str]:
    return [sys.executable, "-m", "blockview", "record", "-o", str(output), "--", *command]


def start(output: Path, *command: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(recorded_by(output, *command), stdin=pipe, stdout=pipe, stderr=pipe, env=environment)


def lines(output: Path, way: str) -> list[bytes]:
    """What was kept of one direction, line by line."""
    records = [json.loads(line) for line in output.read_bytes().splitlines()]
    kept = [record for record in records if record.get("way") == way]
    return [record["text"].encode() if "text" in record else b64decode(record["base64"]) for record in kept]


def message(draw: random.Random) -> bytes:
    """A line as a client may write it: numbers in all spellings, any bytes, some megabytes."""
    kinds = (
        b'{"jsonrpc":"2.0","id":%d,"params":{"line":5.0,"n":1e400,"big":12345678901234567890,"n":-0.0}}'
        % draw.choice(IDS),
        bytes(byte for byte in draw.randbytes(draw.randrange(200)) if byte != 0x0A),
        "größe 日本 \u2028 \u202e ".encode() * draw.randrange(9),
        b"\r",
        b"",
    )
    return draw.choice(kinds)


def test_every_byte_passes_both_ways_and_is_kept(tmp_path: Path) -> None:
    draw = random.Random(MESSAGES)
    sent = [message(draw) for _ in range(MESSAGES)]
    sent[MESSAGES // 2] = b'{"huge":"' + b"x" * 5_000_000 + b'"}'
    with start(tmp_path / "out.jsonl", "cat") as process:
        out, err = process.communicate(b"".join(line + b"\n" for line in sent), timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert out == b"".join(line + b"\n" for line in sent)
    assert lines(tmp_path / "out.jsonl", "client→server") == sent
    assert lines(tmp_path / "out.jsonl", "server→client") == sent


def test_a_message_is_passed_on_before_the_next_one_comes(tmp_path: Path) -> None:
    with start(tmp_path / "out.jsonl", "cat") as process:
        assert process.stdin is not None and process.stdout is not None
        for number in range(20):
            process.stdin.write(b"%d\n" % number)
            process.stdin.flush()
            assert process.stdout.readline() == b"%d\n" % number
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


def test_pieces_become_lines_wherever_they_are_cut() -> None:
    kept: list[tuple[bytes, bool]] = []
    cutter = Lines("way", lambda _, line, cut: kept.append((line, cut)))
    for piece in (b"a", b"b\nc\n\nd", b"e", b"\n", b"end"):
        cutter.feed(piece)
    cutter.end()
    assert kept == [(b"ab", False), (b"c", False), (b"", False), (b"de", False), (b"end", True)]


@pytest.mark.parametrize(
    ("script", "code"), [("exit 7", 7), ("kill -KILL $$", -signal.SIGKILL), ("kill -TERM $$", -signal.SIGTERM)]
)
def test_it_ends_as_the_server_did(tmp_path: Path, script: str, code: int) -> None:
    with start(tmp_path / "out.jsonl", "sh", "-c", script) as process:
        assert process.wait(PATIENCE) == code


def test_signals_and_stderr_are_passed_on(tmp_path: Path) -> None:
    script = "trap 'echo told >&2; exit 3' TERM; echo ready >&2; while :; do sleep 0.05; done"
    with start(tmp_path / "out.jsonl", "sh", "-c", script) as process:
        assert process.stderr is not None and process.stderr.readline() == b"ready\n"
        process.terminate()
        assert process.stderr.read() == b"told\n"
        assert process.wait(PATIENCE) == 3
    assert lines(tmp_path / "out.jsonl", "stderr") == [b"ready", b"told"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk here")
def test_a_full_disk_stops_nothing(tmp_path: Path) -> None:
    for output in (Path("/dev/full"), tmp_path / "no" / "such" / "folder"):
        with start(output, "cat") as process:
            out, err = process.communicate(b"one\ntwo\n", timeout=PATIENCE)
        assert (process.returncode, out) == (0, b"one\ntwo\n")
        assert err.count(b"\n") == 1 and b"not recorded" in err and b"the traffic goes on" in err


def test_only_a_recording_is_added_to_and_a_torn_line_is_left_alone(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    for text in (b"one\n", b"two\n"):
        with start(output, "cat") as process:
            process.communicate(text, timeout=PATIENCE)
        with output.open("ab") as file:
            file.write(b'{"torn')
    records = output.read_bytes().split(b"\n")
    assert sum(line.startswith(b'{"blockview-record":1,') for line in records) == 2
    assert records.count(b'{"torn') == 2
    assert oct(output.stat().st_mode & 0o777) == "0o600"
    other = tmp_path / "notes.txt"
    other.write_text("mine\n")
    with start(other, "touch", str(tmp_path / "started")) as process:
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2 and b"choose another file" in err and err.count(b"\n") == 1
    assert other.read_text() == "mine\n" and not (tmp_path / "started").exists()


def test_what_cannot_be_started_is_one_line(tmp_path: Path) -> None:
    with start(tmp_path / "out.jsonl", "/no/such/program") as process:
        _, err = process.communicate(timeout=PATIENCE)
    assert (
        process.returncode == 2
        and err == b"blockview: /no/such/program: cannot be started: No such file or directory\n"
    )


@pytest.mark.parametrize("number", range(KILLS))
def test_a_kill_at_any_moment_loses_at_most_the_message_on_its_way(tmp_path: Path, number: int) -> None:
    output, draw = tmp_path / "out.jsonl", random.Random(number)
    process = start(output, "cat")
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    answered = 0
    until = draw.randrange(1, 400)
    while answered < until:
        process.stdin.write(b"%d %s\n" % (answered, b"x" * draw.randrange(3000)))
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"%d " % answered)
        answered += 1
    process.stdin.write(b"last\n" * draw.randrange(3))
    process.stdin.flush()
    process.kill()
    process.wait(PATIENCE)
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
    *whole, torn = output.read_bytes().split(b"\n")
    kept = [json.loads(line) for line in whole]
    answers = [record["text"] for record in kept if record.get("way") == "server→client" and record["text"] != "last"]
    assert torn == b"" or len(torn) < 4000
    assert [int(text.split()[0]) for text in answers] == list(range(len(answers)))
    assert len(answers) >= answered - 1


def test_a_client_that_goes_away_ends_the_server(tmp_path: Path) -> None:
    with start(tmp_path / "out.jsonl", "sh", "-c", "while echo talk; do sleep 0.02; done; exit 5") as process:
        assert process.stdout is not None and process.stdout.readline() == b"talk\n"
        process.stdout.close()
        assert process.wait(PATIENCE) in (5, -signal.SIGPIPE)


def test_a_client_that_dies_leaves_no_server_behind(tmp_path: Path) -> None:
    mark = tmp_path / "ended"
    command = recorded_by(tmp_path / "out.jsonl", "sh", "-c", f"cat; touch {mark}")
    script = f"import subprocess, time; subprocess.Popen({command!r}, stdin=subprocess.PIPE); "
    script += "print('up', flush=True); time.sleep(60)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    client = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment)
    assert client.stdout is not None and client.stdout.readline() == b"up\n"
    client.kill()
    client.wait(PATIENCE)
    client.stdout.close()
    until = time.monotonic() + PATIENCE
    while not mark.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert mark.exists()


def test_the_recording_of_a_real_session_opens_with_its_calls(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    program = (sys.executable, "-m", "blockview.demo.server", "editor")
    command = (sys.executable, "-m", "blockview", "record", "-o", str(output), "--name", "editor", "--", *program)
    server = Server("editor", "stdio", command, {"PYTHONPATH": str(ROOT)})
    connection = Connection(server)
    connection.connect().result(PATIENCE)
    outcome = connection.submit(make_call('{"line":5.0,"column":1.0,"filePath":"server.go"}'), Depth.TOP).result(
        PATIENCE
    )
    connection.close()
    connection.join()
    session = open_session(output)
    (call,) = [call for block in session.blocks for call in block.calls]
    assert (session.format, call.server, call.tool, call.status) == ("blockview-record", "editor", "open", Status.OK)
    assert (call.arguments, call.provenance) == (outcome.sent, Provenance.WIRE)
    assert call.result is not None and outcome.result is not None and call.result.text == outcome.result.text
    assert {tool.name for tool in session.tools} == {"open", "select", "delete"}
    assert not session.diagnostics
