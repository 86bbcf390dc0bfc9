"""The command line as a person runs it: real processes, their output, their exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.readers.lines import answers, prompt, result, says, use

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "blockview" / "demo"
SCHEMA = '{"properties":{"line":{"type":"integer"},"column":{"type":"integer"},"filePath":{"type":"string"}}}'
RECORDED = '{"line":5.0,"column":1.0,"filePath":"server.go"}'
DISPATCHED = '{"line":5,"column":1,"filePath":"server.go"}'

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run(*arguments: str | Path, stdin: str | bytes = b"", **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CLAUDE_CONFIG_DIR")}
        done = subprocess.run(
            [sys.executable, "-m", "blockview", *map(str, arguments)],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**clean, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), **environment},
            cwd=tmp_path,
            timeout=60,
        )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def assert_one_clear_line(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("blockview: ")
    assert done.stderr.count("\n") == 1, done.stderr
    for word in words:
        assert word in done.stderr


# Help and usage


def test_help_names_every_command_and_common_option(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    assert done.stderr == ""
    for word in (
        "blockview demo",
        "blockview render PATH",
        "blockview coerce",
        "--coerce top|deep|off",
        "--tools FILE",
    ):
        assert word in done.stdout
    assert run("-h").stdout == done.stdout


def test_version(run: Run) -> None:
    import blockview

    assert run("--version").stdout == f"blockview {blockview.__version__}\n"


@pytest.mark.parametrize(
    "command", ["render", "check", "coerce", "demo", "replay", "find", "sessions", "servers", "tools"]
)
def test_each_command_has_its_own_help(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: blockview {command}")


def test_an_unknown_option_is_one_line_with_a_hint(run: Run) -> None:
    assert_one_clear_line(run("--colour"), "--colour", "blockview --help")
    assert_one_clear_line(run("coerce", "--schemas", "x"), "--schemas", "blockview coerce --help")


def test_a_wrong_choice_names_the_choices(run: Run) -> None:
    assert_one_clear_line(run("coerce", "--coerce", "all"), "'all'", "top", "deep", "off")
    assert_one_clear_line(run("render", DEMO / "session.jsonl", "--width", "0"), "--width", "0")


def test_render_without_a_path_is_a_usage_error(run: Run) -> None:
    assert_one_clear_line(run("render"), "PATH", "blockview render --help")


# coerce


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "schema.json"
    path.write_text(SCHEMA)
    return path


def test_coerce_prints_what_would_be_dispatched(run: Run, schema: Path) -> None:
    done = run("coerce", "--schema", schema, stdin=RECORDED)
    assert (done.returncode, done.stdout, done.stderr) == (0, DISPATCHED + "\n", "")


def test_coerce_off_sends_raw(run: Run, schema: Path) -> None:
    assert run("coerce", "--schema", schema, "--coerce", "off", stdin=RECORDED).stdout == RECORDED + "\n"


def test_coerce_without_a_schema_keeps_the_text_and_says_why(run: Run) -> None:
    done = run("coerce", stdin=RECORDED)
    assert (done.returncode, done.stdout) == (0, RECORDED + "\n")
    assert "schema not found" in done.stderr and "--schema" in done.stderr


def test_a_schema_that_is_no_object_keeps_the_text_and_says_why(run: Run, schema: Path) -> None:
    schema.write_text("[1]")
    done = run("coerce", "--schema", schema, stdin=RECORDED)
    assert (done.returncode, done.stdout) == (0, RECORDED + "\n")
    assert "not a JSON object" in done.stderr and "schema.json" in done.stderr


@pytest.mark.parametrize("text", ["{", ""])
def test_a_schema_file_that_is_not_json_is_an_error(run: Run, schema: Path, text: str) -> None:
    schema.write_text(text)
    assert_one_clear_line(run("coerce", "--schema", schema, stdin=RECORDED), "schema.json", "not JSON")


@pytest.mark.parametrize(
    "text",
    [
        '{"tools":[]}',
        '[{"name":"open","inputSchema":{}}]',
        '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"open"}]}}',
        '{"name":"open","inputSchema":{}}',
    ],
)
def test_a_list_of_tools_is_no_schema(run: Run, schema: Path, text: str) -> None:
    schema.write_text(text)
    assert_one_clear_line(run("coerce", "--schema", schema, stdin=RECORDED), "schema.json", "inputSchema of one tool")


def test_only_deep_changes_what_is_nested_and_top_says_so(run: Run, schema: Path) -> None:
    schema.write_text('{"properties":{"opts":{"properties":{"retries":{"type":"integer"}}}}}')
    nested = '{"opts":{"retries":3.0}}'
    top = run("coerce", "--schema", schema, stdin=nested)
    assert top.stdout == nested + "\n"
    assert "/opts/retries" in top.stderr and "--coerce deep" in top.stderr
    deep = run("coerce", "--schema", schema, "--coerce", "deep", stdin=nested)
    assert (deep.stdout, deep.stderr) == ('{"opts":{"retries":3}}\n', "")


def test_the_transport_decides_how_small_numbers_are_spelled(run: Run) -> None:
    small = '{"x":0.00001}'
    assert run("coerce", stdin=small).stdout == '{"x":0.00001}\n'
    assert run("coerce", "--transport", "http", stdin=small).stdout == '{"x":1e-05}\n'


def test_a_note_on_a_value_is_a_warning(run: Run, schema: Path) -> None:
    done = run("coerce", "--schema", schema, stdin='{"line":9007199254740992.0,"column":1e20}')
    assert done.stdout == '{"line":9007199254740992,"column":1e+20}\n'
    assert "/line: possibly rounded" in done.stderr
    assert "/column: out of int64 range" in done.stderr


def test_what_is_lost_on_the_wire_is_a_warning(run: Run) -> None:
    done = run("coerce", stdin='{"a":1,"a":2,"b":NaN}')
    assert (done.returncode, done.stdout) == (0, '{"a":2,"b":null}\n')
    assert "/a: 1 is not sent" in done.stderr
    assert "/b: NaN" in done.stderr


@pytest.mark.parametrize(
    ("stdin", "word"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[1.0]", "not a JSON object"),
        (b'{"x":"\\ud800"}', "lone surrogate"),
        (b'{"x":' * 400 + b"1" + b"}" * 400, "nested"),
        (b'{"x":"\xff"}', "not UTF-8 at byte 6"),
    ],
)
def test_arguments_that_cannot_be_sent_are_refused(run: Run, schema: Path, stdin: bytes, word: str) -> None:
    assert_one_clear_line(run("coerce", "--schema", schema, stdin=stdin), "stdin", word)


def test_wide_characters_survive_any_locale(run: Run) -> None:
    text = '{"text":"再試行"}\n'
    assert run("coerce", stdin=text, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").stdout == text


def test_a_schema_file_that_is_missing_is_an_error(run: Run) -> None:
    assert_one_clear_line(run("coerce", "--schema", "none.json", stdin=RECORDED), "none.json", "no such file")


# render


def test_render_prints_text_without_escape_codes_into_a_pipe(run: Run) -> None:
    done = run("render", DEMO / "session.jsonl", "--tools", DEMO / "tools.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "server.go" in done.stdout


def test_render_ansi_paints_when_asked(run: Run) -> None:
    text = run("render", DEMO / "session.jsonl", "--format", "text").stdout
    ansi = run("render", DEMO / "session.jsonl", "--format", "ansi").stdout
    assert "\x1b[" in ansi
    assert without_styles(ansi) == text


def without_styles(ansi: str) -> str:
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", ansi)


def test_render_json_shows_recorded_and_dispatched(run: Run) -> None:
    done = run("render", DEMO / "session.jsonl", "--tools", DEMO / "tools.json", "--format", "json")
    shown = json.loads(done.stdout)
    assert shown["blockview"] == 1
    assert shown["format"] == "claude-code"
    call = shown["blocks"][0]["calls"][0]
    assert call["recorded"] == '{"line":5.0,"column":1.0,"filePath":"server.go"}'
    assert call["dispatched"] == '{"line":5,"column":1,"filePath":"server.go"}'
    assert call["changes"][0] == {"path": "/line", "from": "5.0", "to": "5", "why": "integer"}
    assert call["schema"] == {"state": "found", "source": "tools.json"}


def test_render_one_block_and_one_call(run: Run) -> None:
    both = ("render", DEMO / "session.jsonl", "--format", "json")
    block = json.loads(run(*both, "--block", "2").stdout)["blocks"]
    assert [one["index"] for one in block] == [1]
    wanted = block[0]["calls"][0]["id"]
    found = json.loads(run(*both, "--call", wanted).stdout)["blocks"]
    assert [call["id"] for one in found for call in one["calls"]] == [wanted]


def test_render_says_which_block_or_call_is_not_there(run: Run) -> None:
    assert_one_clear_line(run("render", DEMO / "session.jsonl", "--block", "99"), "99")
    assert_one_clear_line(run("render", DEMO / "session.jsonl", "--call", "none"), "none")


def test_render_one_subagent_of_the_same_recording(run: Run) -> None:
    demo = ("render", DEMO / "session.jsonl", "--format", "json")
    blocks = json.loads(run(*demo).stdout)["blocks"]
    (agent,) = [call["agent"] for block in blocks for call in block["calls"] if "agent" in call]
    mine = [block for block in blocks if block.get("label") == f"subagent {agent}"]
    assert mine
    assert json.loads(run(*demo, "--agent", agent).stdout)["blocks"] == mine
    number = mine[0]["index"] + 1
    assert json.loads(run(*demo, "--agent", agent, "--block", str(number)).stdout)["blocks"] == mine[:1]
    assert_one_clear_line(run(*demo, "--agent", agent, "--block", "1"), "block 1 is not one of subagent", agent)
    assert_one_clear_line(run(*demo, "--agent", "../secret"), "subagent ../secret: its recording is not there")


def test_render_a_subagent_of_a_subagent_in_recordings_of_their_own(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    for path, agent in ((tmp_path / "s.jsonl", "a1"), (folder / "agent-a1.jsonl", "b2")):
        path.write_text("\n".join(starting(agent)) + "\n")
    (folder / "agent-b2.jsonl").write_text(prompt("deepest") + "\n")
    done = run("render", tmp_path / "s.jsonl", "--format", "text", "--agent", "a1", "--agent", "b2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "deepest" in done.stdout
    assert "subagent b2" in run("render", tmp_path / "s.jsonl", "--format", "text", "--agent", "a1").stdout


def starting(agent: str) -> tuple[str, str, str]:
    told = {"agentId": agent}
    return prompt("go"), says(use("t1", "Agent")), answers(result("t1", "looked"), toolUseResult=told)


def test_render_reads_stdin(run: Run) -> None:
    text = (DEMO / "session.jsonl").read_text()
    piped = json.loads(run("render", "-", "--format", "json", stdin=text).stdout)
    direct = json.loads(run("render", DEMO / "session.jsonl", "--format", "json").stdout)
    assert piped["blocks"] == direct["blocks"]
    assert piped["source"] == "stdin"


def test_render_keeps_to_the_width(run: Run) -> None:
    from blockview.core.safetext import cell_width

    text = run("render", DEMO / "session.jsonl", "--width", "60").stdout
    assert max(cell_width(line) for line in text.splitlines()) <= 60


# What cannot be read


def test_an_absurd_width_is_no_danger(run: Run) -> None:
    done = run("render", DEMO / "session.jsonl", "--block", "1", "--width", "99999999999")
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 10_000


@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_closed_stream_is_no_danger(tmp_path: Path, closed: str) -> None:
    command = f"{sys.executable} -m blockview render {DEMO / 'session.jsonl'} {closed}>&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0
    assert done.stderr == b""
    assert bool(done.stdout) == (closed == "2")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("render - <&-", b"blockview: stdin is closed\n"),
        ("coerce <&-", b"blockview: stdin is closed\n"),
        ("--help >/dev/full", b"blockview: standard output: No space left on device\n"),
        ("render nope 2>/dev/full", b""),
        ("render nope 2>&-", b""),
        (f"{'a' * 5000} </dev/null", b"File name too long\n"),
    ],
    ids=range(6),
)
def test_streams_that_cannot_be_used_end_in_exit_code_2(command: str, said: bytes) -> None:
    whole = f"{sys.executable} -m blockview {command}"
    done = subprocess.run(["bash", "-c", whole], capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 2
    assert done.stderr.endswith(said)
    assert b"Traceback" not in done.stderr


def test_a_missing_file(run: Run) -> None:
    assert_one_clear_line(run("render", "none.jsonl"), "none.jsonl", "no such file")


def test_a_hostile_file_name_is_shown_harmlessly_on_one_line(run: Run) -> None:
    assert_one_clear_line(run("render", "a\x1b[31m\nb.jsonl"), r"a\x1b[31m\nb.jsonl", "no such file")


def test_a_folder_cannot_be_rendered(run: Run, tmp_path: Path) -> None:
    assert_one_clear_line(run("render", tmp_path), str(tmp_path), "a folder")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "secret.jsonl"
    path.touch(mode=0o000)
    assert_one_clear_line(run("render", path), "no permission")


def test_an_unknown_format(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are notes\n")
    assert_one_clear_line(run("render", path), "notes.txt", "no known recording", "blockview --help")


def test_a_tools_file_that_is_none(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text('{"tools": 1}')
    assert_one_clear_line(run("render", DEMO / "session.jsonl", "--tools", path), "tools.json", "no list of tools")
    assert_one_clear_line(run("render", DEMO / "session.jsonl", "--tools", "none"), "none", "no such file")


def test_an_empty_file_renders_as_nothing_with_a_diagnostic(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    done = run("render", path, "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["diagnostics"][0]["line"] == 1


def test_options_before_the_command_get_a_hint(run: Run) -> None:
    assert_one_clear_line(run("--coerce", "deep", "render", DEMO), "the command comes first: blockview render")


def test_the_demo_is_a_name_unless_a_file_is_called_so(run: Run, tmp_path: Path) -> None:
    done = run("render", "demo", "--call", "toolu_01", "--recorded")
    assert done.returncode == 0
    assert f"  {RECORDED}\n" in done.stdout and "schema from tools.json" in done.stdout
    assert_one_clear_line(run("--coerce", "deep", "demo"), "needs a terminal")
    (tmp_path / "demo").write_text("these are notes\n")
    assert_one_clear_line(run("render", "demo"), "no known recording")


def test_what_is_wrong_with_the_paths_comes_before_the_terminal(run: Run, tmp_path: Path) -> None:
    path = DEMO / "session.jsonl"
    for paths, words in (
        (["none.jsonl"], ["none.jsonl: no such file"]),
        ([path, "none.jsonl"], ["none.jsonl: no such file"]),
        ([path, tmp_path], [f"{tmp_path}: a folder", "one folder"]),
    ):
        assert_one_clear_line(run(*paths), *words)


# Without a terminal


@pytest.mark.parametrize("arguments", [(), ("demo",), (str(DEMO / "session.jsonl"),), ("-",), (str(DEMO),)])
def test_the_browser_does_not_start_without_a_terminal(run: Run, arguments: tuple[str, ...]) -> None:
    assert_one_clear_line(run(*arguments), "terminal", "blockview render")


def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from blockview import cli
    from blockview.commands import render

    def interrupted(options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(render, "run", interrupted)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(io.BytesIO()))
    assert cli.main(["render", "x"]) == 130
    sys.stderr.seek(0)
    assert sys.stderr.read() == ""


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m blockview render {DEMO / 'session.jsonl'} | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 141)
    assert done.stderr == ""


def test_render_only_what_a_filter_holds_for(run: Run) -> None:
    done = run("render", "demo", "--filter", "is:error tool:select")
    assert done.returncode == 0
    assert "editor.select" in done.stdout and "editor.open" not in done.stdout
    one = json.loads(run("render", "demo", "--format", "json", "--filter", "is:error tool:select").stdout)
    assert {call["tool"] for block in one["blocks"] for call in block["calls"]} == {"select"}


@pytest.mark.parametrize(("form", "start"), [("html", "<!DOCTYPE html>"), ("markdown", "```text\n"), ("svg", "<svg ")])
def test_render_as_a_document(run: Run, form: str, start: str) -> None:
    done = run("render", "demo", "--format", form, "--block", "1", "--width", "70")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(start) and "toolu_02" in done.stdout and "toolu_08" not in done.stdout


def test_a_picture_that_would_be_too_long_says_what_to_do(run: Run, tmp_path: Path) -> None:
    text = "\\n".join(map(str, range(3000)))
    line = '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"' + text + '"}}\n'
    (tmp_path / "long.jsonl").write_text(line)
    done = run("render", "long.jsonl", "--format", "svg")
    assert_one_clear_line(done, "too many for a picture", "--block")


def test_a_filter_may_begin_with_a_minus_sign(run: Run) -> None:
    for words in (["--filter", "-is:error"], ["--filter=-is:error"]):
        done = run("render", "demo", *words)
        assert done.returncode == 0 and "editor.open" in done.stdout and "tool error" not in done.stdout


def test_a_filter_that_holds_for_nothing_says_so(run: Run) -> None:
    done = run("render", "demo", "--format", "json", "--filter", "tool:nothing")
    assert (done.returncode, json.loads(done.stdout)["blocks"]) == (0, [])
    assert done.stderr == "blockview: demo: the filter holds for nothing here: tool:nothing\n"


def test_a_filter_that_cannot_be_read(run: Run) -> None:
    done = run("render", "demo", "--filter", "is:error foo:1")
    assert done.returncode == 2
    assert "no filter word foo:" in done.stderr and "at character 10" in done.stderr
    assert done.stderr.count("\n") == 1


def test_follow_needs_a_file(run: Run) -> None:
    done = run("--follow", "-", stdin="")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--follow needs a file" in done.stderr
