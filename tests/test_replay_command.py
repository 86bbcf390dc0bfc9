"""`blockview replay` against the strict servers of the demo, and what it asks before it sends."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from blockview.cli import main
from tests.dispatch.live import FAKE, MARK, processes
from tests.dispatch.servers.raw_http import OK, RawHttp, Reply, message, serving

ROOT = Path(__file__).parents[1]
FAULTS = f"faults={shlex.join([sys.executable, '-m', 'blockview.demo.server', 'faults'])}"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No config of the machine may be found."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def replay(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, Any, str]]:
    """Run the command; the exit code, the calls of its JSON document, and what it told on stderr."""

    def replay(*arguments: str | Path) -> tuple[int, Any, str]:
        code = main(["replay", *map(str, arguments), "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out)["calls"] if out else None, err

    return replay


def recording(folder: Path, *calls: tuple[str, str, str], results: Sequence[str] = ()) -> Path:
    """A transcript of calls (id, `server__tool`, arguments) with the texts that they got, where there are any."""
    common = '"isSidechain":false,"userType":"external","cwd":"/x","sessionId":"s","version":"2.1.0"'
    lines = []
    for number, (identity, name, arguments) in enumerate(calls):
        use = f'{{"type":"tool_use","id":"{identity}","name":"mcp__{name}","input":{arguments}}}'
        lines.append(
            f'{{"parentUuid":null,{common},"type":"assistant","message":{{"id":"m{number}","role":"assistant",'
            f'"content":[{use}]}},"uuid":"a{number}","timestamp":"2026-01-01T00:00:0{number}.000Z"}}'
        )
    for number, text in enumerate(results):
        answer = json.dumps({"type": "tool_result", "tool_use_id": calls[number][0], "content": text})
        lines.append(
            f'{{"parentUuid":"a{number}",{common},"type":"user","message":{{"role":"user","content":[{answer}]}},'
            f'"uuid":"r{number}","timestamp":"2026-01-01T00:00:0{number}.500Z"}}'
        )
    path = folder / "recording.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


# What is sent


def test_a_float_for_an_integer_is_accepted_with_coercion_and_refused_without(replay: Any) -> None:
    code, (call,), told = replay("demo", "--yes", "--call", "toolu_01")
    assert code == 0
    assert call["recorded"] == '{"line":5.0,"column":1.0,"filePath":"server.go"}'
    assert call["dispatched"] == call["live"]["sent"] == '{"line":5,"column":1,"filePath":"server.go"}'
    assert (call["live"]["ended"], call["live"]["same"]) == ("result", True)
    assert "[1/1] editor.open  result" in told

    code, (call,), told = replay("demo", "--yes", "--call", "toolu_01", "--coerce", "off")
    assert code == 1
    assert call["live"]["sent"] == call["recorded"]
    assert call["live"]["ended"] == "tool error"
    assert "Failed to parse literal '5.0' as an int value" in call["live"]["result"]["text"]
    assert call["live"]["ended_differently"] == "recorded: ok, live: tool error"


def test_a_fraction_reaches_the_server_as_it_is_and_its_refusal_is_told(replay: Any) -> None:
    code, (call,), _ = replay("demo", "--yes", "--call", "toolu_02")
    assert code == 0  # it was recorded as refused
    assert call["live"]["sent"] == '{"filePath":"server.go","line":5.5}'
    assert "Failed to parse literal '5.5' as an int value" in call["live"]["result"]["text"]


def test_several_calls_are_sent_in_recorded_order_and_compared(replay: Any) -> None:
    code, calls, told = replay("demo", "--yes", "--tool", "select", "--tool", "open")
    assert [call["id"] for call in calls] == ["toolu_01", "toolu_02", "toolu_03"]
    assert code == 0
    assert told.count(", same") == 3


def test_the_text_shows_the_difference(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "faults__big_ids", "{}"), results=['{"ids":[9007199254740993]}'])
    assert main(["replay", str(path), "--server", FAULTS, "--yes"]) == 1
    out = capsys.readouterr().out
    assert "faults.big_ids  t1" in out and "~ differs" in out
    assert "sent, as shown before\n  {}\n" in out
    assert "only live" in out


def test_a_server_behind_a_url_gets_its_header_and_the_text_in_the_spelling_of_http(
    replay: Any, tmp_path: Path
) -> None:
    raw = RawHttp(lambda number: Reply(message(number, OK)))
    path = recording(tmp_path, ("t1", "web__t", '{"line":5.0,"small":1e-5}'), results=["ok"])
    with serving(raw) as url:
        code, (call,), _ = replay(path, "--url", f"web={url}", "--header", "X-Key: secret", "--yes")
    assert code == 0
    assert call["live"]["sent"] == '{"line":5,"small":1e-05}'
    assert b'"arguments":{"line":5,"small":1e-05}' in next(body for body in raw.bodies if b"tools/call" in body)
    assert {headers.get("X-Key") for headers in raw.headers} == {"secret"}


def test_the_only_given_server_answers_for_the_only_recorded_one_and_that_is_told(replay: Any, tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "theirs__big_ids", "{}"))
    code, (call,), told = replay(path, "--server", FAULTS, "--yes")
    assert call["live"]["ended"] == "result"
    assert "[1/1] theirs.big_ids  result" in told and "(faults answers for theirs)" in told
    both = recording(tmp_path, ("t1", "theirs__big_ids", "{}"), ("t2", "others__big_ids", "{}"))
    code, _, told = replay(both, "--server", FAULTS, "--yes", "--continue-on-error")
    assert code == 2
    assert "the recording names theirs, others; given: faults; for example --server theirs=COMMAND" in told


def test_the_demos_servers_are_its_own_whatever_stands_in_the_current_folder(replay: Any, tmp_path: Path) -> None:
    stranger = tmp_path / "blockview" / "demo" / "server.py"
    stranger.parent.mkdir(parents=True)
    stranger.write_text(f"open({str(tmp_path / 'hijacked')!r}, 'w')")
    assert replay("demo", "--yes", "--call", "toolu_01")[0] == 0
    assert not (tmp_path / "hijacked").exists()


# When a call goes wrong


def test_a_run_ends_at_an_error_that_was_not_recorded(replay: Any, tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "faults__crash", "{}"), ("t2", "faults__big_ids", "{}"))
    code, calls, told = replay(path, "--server", FAULTS, "--yes")
    assert code == 1
    assert [call["live"]["ended"] for call in calls] == ["server died"]
    assert "demo server: crashed, as it was asked to" in calls[0]["live"]["stderr"]
    assert "stopped: call t1 was not recorded as an error; 1 more call is not sent; --continue-on-error goes" in told


def test_a_run_can_go_on_with_the_server_started_anew(replay: Any, tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "faults__crash", "{}"), ("t2", "faults__image", "{}"))
    _, calls, _ = replay(path, "--server", FAULTS, "--yes", "--continue-on-error")
    assert [call["live"]["ended"] for call in calls] == ["server died", "result"]


def test_a_server_that_cannot_be_started_is_tried_once_and_nothing_differs(replay: Any, tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "x__a", "{}"), ("t2", "x__b", "{}"))
    code, calls, told = replay(path, "--server", "x=no-such-command-here", "--yes", "--continue-on-error")
    assert code == 2
    assert [call["live"]["ended"] for call in calls] == ["server died", "cannot be sent"]
    assert "differs" not in told
    assert told.splitlines()[-1] == "blockview: nothing was sent: command not found: no-such-command-here"


@pytest.mark.parametrize("dead", ["no-such-command-here", "false"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_dead_server_loses_none_of_the_calls_of_others(replay: Any, tmp_path: Path, dead: str, order: int) -> None:
    path = recording(tmp_path, *[("t1", "dead__a", "{}"), ("t2", "faults__image", "{}")][::order])
    servers = ("--server", f"dead={dead}", "--server", FAULTS, "--yes")
    code, calls, _ = replay(path, *servers, "--continue-on-error")
    assert (code, {call["server"]: call["live"]["ended"] for call in calls}) == (
        1,
        {"faults": "result", "dead": "server died"},
    )
    code, calls, told = replay(path, *servers)
    assert [call["live"]["ended"] for call in calls] == ["server died"] if order == 1 else ["result", "server died"]
    assert code == (2 if order == 1 else 1)
    assert ("1 more call is not sent; --continue-on-error goes on" in told) == (order == 1)


def test_a_tool_of_the_agents_own_is_sent_to_no_server(replay: Any) -> None:
    code, (call,), told = replay("demo", "--yes", "--call", "toolu_12")
    assert (code, call["tool"], call["live"]["ended"]) == (2, "Task", "cannot be sent")
    assert "not an MCP call" in told


def test_a_call_without_an_answer_ends_at_its_limit(replay: Any, tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "faults__sleep", '{"seconds":60}'))
    code, (call,), _ = replay(path, "--server", FAULTS, "--yes", "--timeout", "0.2")
    assert (code, call["live"]["ended"]) == (1, "timed out")


# What is not sent


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--yes",), ("nothing was sent", "no server named x is configured", "--server x=COMMAND")),
        (("--yes", "--call", "t9"), ("no call with the id t9",)),
        (("--yes", "--call", "t1", "--tool", "b"), ("none of these calls is of the tool b",)),
        (("--yes", "--tool", "nothing"), ("no MCP call that reached a server is of the tool nothing",)),
        (("--server", "x=true"), ("needs your consent", "--yes")),
        (("--server", "x"), ("--server takes NAME=COMMAND",)),
        (("--timeout", "-1"), ("number of seconds",)),
    ],
)
def test_what_cannot_be_done_is_one_line(
    arguments: tuple[str, ...], words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recording(tmp_path, ("t1", "x__a", "{}"))
    assert main(["replay", str(path), *arguments]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("blockview: ")
    assert all(word in last for word in words), last


def test_yes_starts_no_server_of_a_config_that_was_not_named(replay: Any, tmp_path: Path) -> None:
    touch = {"command": sys.executable, "args": ["-c", "open('started', 'w')"]}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"x": touch}}))
    path = recording(tmp_path, ("t1", "x__a", "{}"))
    code, _, told = replay(path, "--yes")
    assert code == 2
    config = tmp_path / ".mcp.json"
    assert f"x is configured in {config}, but without asking" in told and f"add --config {config}\n" in told
    assert not (tmp_path / "started").exists()
    assert replay(path, "--yes", "--config", ".mcp.json")[0] == 2  # it is no server
    assert (tmp_path / "started").exists()


def test_calls_that_never_ran_are_sent_only_by_name(replay: Any, tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "faults__image", "{}"), ("t2", "faults__image", "{}"))
    refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    with path.open("a") as file:
        answer = {"type": "tool_result", "tool_use_id": "t1", "content": refusal, "is_error": True}
        line = {"type": "user", "uuid": "r", "parentUuid": "a0", "sessionId": "s", "toolDenialKind": "user-rejected"}
        file.write(json.dumps({**line, "message": {"role": "user", "content": [answer]}}) + "\n")
    _, calls, told = replay(path, "--server", FAULTS, "--yes")
    assert [call["id"] for call in calls] == ["t2"]
    assert told.count("left out: 1 rejected and reached no server; --call ID sends one\n") == 1
    _, calls, told = replay(path, "--server", FAULTS, "--yes", "--call", "t1")
    assert [call["id"] for call in calls] == ["t1"]
    assert "blockview: call t1: the recording shows that it was rejected and reached no server\n" in told


def test_calls_are_chosen_by_the_name_on_screen_and_by_a_filter(replay: Any) -> None:
    for chosen in (["--tool", "editor.select"], ["--tool", "editor.sel*"], ["--filter", "tool:editor.select"]):
        _, calls, _ = replay("demo", "--yes", "--continue-on-error", *chosen)
        assert [call["tool"] for call in calls] == ["select", "select"], chosen
    _, calls, _ = replay("demo", "--yes", "--filter", "-is:error tool:select")
    assert [call["tool"] for call in calls] == ["select"]


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (["--tool", "tickets"], "is of the tool tickets; there are editor.open, editor.select, metrics.query"),
        (["--filter", "tool:nothing"], "the filter holds for no call: tool:nothing"),
    ],
)
def test_what_chooses_nothing_says_so(chosen: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "demo", "--yes", *chosen]) == 2
    assert said in capsys.readouterr().err


def test_what_is_left_out_is_told_once_with_the_reason(replay: Any) -> None:
    _, calls, told = replay("demo", "--yes", "--tool", "Task", "--tool", "open")
    assert {call["tool"] for call in calls} == {"open"}
    assert told.count("left out: 1 of the agent's own tools, which no server has\n") == 1


def test_a_result_that_is_too_large_to_compare_says_so(replay: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockview.core.compare.LARGEST", 10)
    code, (call,), told = replay("demo", "--yes", "--call", "toolu_01")
    assert (code, call["live"]["ended"]) == (1, "result")
    assert "ms, not compared: too large" in told


# What is asked


class Terminal:
    """The command with a terminal of its own as stdin and stderr."""

    def __init__(self, *arguments: str | Path) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "blockview", "replay", *map(str, arguments)],
            stdin=slave, stderr=slave, stdout=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "NO_COLOR": "1"},
        )  # fmt: skip
        os.close(slave)
        self.told = ""
        self._told = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                piece = os.read(self._master, 4096)
            except OSError:  # the other end is closed
                return
            with self._told:
                self.told += piece.decode().replace("\r\n", "\n")
                self._told.notify_all()

    def wait_for(self, text: str) -> None:
        with self._told:
            assert self._told.wait_for(lambda: text in self.told, timeout=30), self.told

    def wait_for_question(self, about: str) -> None:
        """Wait until the question that follows a text is asked: what is typed earlier is dropped."""
        with self._told:
            assert self._told.wait_for(lambda: "? [y/N" in self.told.partition(about)[2], timeout=30), self.told

    def answer(self, text: str) -> None:
        os.write(self._master, f"{text}\n".encode())

    def end(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=30)
        os.close(self._master)
        return self.process.returncode, out


def test_the_person_sees_command_and_wire_text_and_allows_both_steps() -> None:
    terminal = Terminal("demo", "--call", "toolu_01", "--call", "toolu_03", "--json")
    terminal.wait_for("start it and list its tools? [y/N/q]")
    shown = " ".join(terminal.told.split())
    assert "command" in shown and "-m blockview.demo.server editor" in shown
    assert "config --server" in shown
    terminal.answer("y")
    terminal.wait_for("send it to editor?")
    for told in (
        '{"line":5,"column":1,"filePath":"server.go"}\n',
        "the tool says that it is read-only",
        "schema from live server editor",
    ):
        assert told in terminal.told
    assert "→ /line  5   was 5.0   integer" in terminal.told
    terminal.answer("a")  # the second call is not asked about
    code, out = terminal.end()
    assert code == 0
    assert [call["live"]["ended"] for call in json.loads(out)["calls"]] == ["result", "result"]
    waiting = "connecting to editor"
    assert f"{waiting}\r{' ' * len(waiting)}\r" in terminal.told


def test_always_leaves_the_calls_of_other_destructive_tools_to_be_asked_about(tmp_path: Path) -> None:
    names = ("select", "delete", "select", "delete", "delete")
    path = recording(tmp_path, *((f"t{number}", f"editor__{name}", "{}") for number, name in enumerate(names)))
    editor = shlex.join([sys.executable, "-m", "blockview.demo.server", "editor"])
    terminal = Terminal(path, "--server", f"editor={editor}", "--json", "--continue-on-error")
    for question, answer in (("not connected", "y"), ("call 1/5", "a"), ("call 2/5", "n"), ("call 4/5", "a")):
        terminal.wait_for_question(question)
        terminal.answer(answer)
    assert [call["id"] for call in json.loads(terminal.end()[1])["calls"]] == ["t0", "t2", "t3", "t4"]
    told = " ".join(terminal.told.split())
    words = "a: yes, and calls to editor are not asked about again in this run"
    assert f"{words}; still asked about: calls of tools that say that they are destructive" in told
    assert f"{words}, the destructive delete included; still asked about: calls of other tools" in told
    assert told.count("asked in spite of a for editor: delete says that it is destructive") == 2


def test_nothing_is_started_or_sent_without_a_yes(tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "x__a", "{}"))
    touch = shlex.join([sys.executable, "-c", "open('started', 'w')"])
    terminal = Terminal(path, "--server", f"x={touch}")
    terminal.wait_for("start it and list its tools?")
    terminal.answer("")
    code, _ = terminal.end()
    assert (code, "you did not want x to be started" in terminal.told) == (2, True)
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("answer", ["abort", "nay", "yikes", "Y N", ""])
def test_what_is_no_clear_yes_is_a_no(tmp_path: Path, answer: str) -> None:
    path = recording(tmp_path, ("t1", "faults__image", "{}"), ("t2", "faults__image", "{}"))
    terminal = Terminal(path, "--server", FAULTS, "--json")
    for question, text in (("not connected", "yes"), ("call 1/2", answer), ("call 2/2", "Y")):
        terminal.wait_for_question(question)
        terminal.answer(text)
    assert [call["id"] for call in json.loads(terminal.end()[1])["calls"]] == ["t2"]


def test_an_interrupt_at_a_question_ends_its_line(tmp_path: Path) -> None:
    terminal = Terminal(recording(tmp_path, ("t1", "faults__image", "{}")), "--server", FAULTS)
    terminal.wait_for_question("not connected")
    terminal.process.send_signal(signal.SIGINT)
    terminal.wait_for("[y/N/q] \n")
    assert terminal.end()[0] == 130


def test_a_call_that_is_not_wanted_is_passed_over_and_q_ends_the_run() -> None:
    terminal = Terminal("demo", "--tool", "open", "--tool", "select", "--json")
    for question, answer in (("not connected", "y"), ("call 1/3", "n"), ("call 2/3", "q")):
        terminal.wait_for_question(question)
        terminal.answer(answer)
    code, out = terminal.end()
    assert code == 1
    assert json.loads(out)["calls"] == []


def test_what_is_typed_before_the_question_is_no_answer(tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "faults__image", "{}"))
    terminal = Terminal(path, "--server", FAULTS, "--json")
    terminal.answer("y\ny")
    terminal.wait_for("start it and list its tools?")
    terminal.answer("y")
    terminal.wait_for("send it to faults?")
    terminal.answer("n")
    assert json.loads(terminal.end()[1])["calls"] == []


def test_an_interrupt_cancels_the_call_and_tells_what_there_is(tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "faults__image", "{}"), ("t2", "faults__sleep", '{"seconds":600}'))
    terminal = Terminal(path, "--server", FAULTS, "--json", "--continue-on-error")
    terminal.wait_for_question("not connected")
    terminal.answer("y")
    terminal.wait_for_question("call 1/2")
    terminal.answer("a")
    terminal.wait_for("[2/2] faults.sleep")
    terminal.process.send_signal(signal.SIGINT)
    code, out = terminal.end()
    assert code == 130
    calls = json.loads(out)["calls"]
    assert [call["live"]["ended"] for call in calls] == ["result", "cancelled"]
    assert "differences" not in calls[1]["live"] and "may have done it all the same" in calls[1]["live"]["detail"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_server_behind(number: signal.Signals, tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    server = shlex.join(["env", f"{MARK}={mark}", sys.executable, str(FAKE), "stubborn"])
    path = recording(tmp_path, ("t1", "x__t", "{}"))
    terminal = Terminal(path, "--server", f"x={server}")
    terminal.wait_for_question("not connected")
    terminal.answer("y")
    terminal.wait_for_question("call")
    assert processes(mark)
    terminal.process.send_signal(number)
    assert terminal.end()[0] == 128 + number
    assert processes(mark) == []


def test_a_signal_loses_nothing_of_what_was_sent_before(tmp_path: Path) -> None:
    path = recording(tmp_path, ("t1", "faults__image", "{}"), ("t2", "faults__sleep", '{"seconds":600}'))
    terminal = Terminal(path, "--server", FAULTS, "--json", "--continue-on-error", "--yes")
    terminal.wait_for("[2/2] faults.sleep")
    terminal.process.send_signal(signal.SIGTERM)
    code, out = terminal.end()
    assert code == 128 + signal.SIGTERM
    assert [call["id"] for call in json.loads(out)["calls"]] == ["t1"]
