"""`blockview servers` as a person runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from blockview.cli import main

ROOT = Path(__file__).parents[1]
SECRET = "hunter2hunter2"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command in a folder of its own, with a home folder of its own."""
    folder = tmp_path / "work"
    folder.mkdir()

    def run(*arguments: str | Path, cwd: Path = folder, **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(tmp_path / "home"), "TOKEN": SECRET}
        return subprocess.run(
            [sys.executable, "-m", "blockview", "servers", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**clean, **environment},
            cwd=cwd,
            timeout=60,
        )

    return run


@pytest.fixture
def work(tmp_path: Path, run: Run) -> Path:
    return tmp_path / "work"


def test_what_is_configured_is_listed_with_its_place_and_without_secrets(run: Run, work: Path) -> None:
    config = work / ".mcp.json"
    servers = {
        "寸止": {"command": "run", "args": ["--token", SECRET, "${TOKEN}", "a b\u001b[2J"], "env": {"KEY": SECRET}},
        "web": {"type": "http", "url": f"https://h.example/?k={SECRET}", "headers": {"X-Key": "${TOKEN}"}},
        "bad": {"command": "run", "args": ["${NOPE}"]},
    }
    config.write_text(json.dumps({"mcpServers": servers}))
    done = run("--server", "bad=fine --password p")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"bad   stdio  usable\n  command  fine --password •••\n  folder   {work}\n  from     --server\n"
        f"寸止  stdio  usable\n  command  run --token ••• \"${{TOKEN}}\" 'a b\\x1b[2J'\n  folder   {work}\n"
        f"  from     {config} (Claude Code, project)\n  hidden   KEY\n"
        f"web   http   usable\n  url      https://h.example/?k=•••\n  from     {config} (Claude Code, project)\n"
        "  hidden   X-Key from ${TOKEN}\n"
        "bad   stdio  shadowed by --server; cannot be used: the environment variable NOPE is not set\n"
        f'  command  run "${{NOPE}}"\n  folder   {work}\n  from     {config} (Claude Code, project)\n'
    )


def test_as_json(run: Run, work: Path) -> None:
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"寸止": {"command": "x", "env": {"KEY": SECRET}}}}))
    (work / ".cursor").mkdir()
    (work / ".cursor" / "mcp.json").write_text("{")
    done = run("--json", "--url", "web=https://h.example", "--header", f"X: {SECRET}")
    assert (done.returncode, done.stderr) == (0, "")
    assert SECRET not in done.stdout
    printed = json.loads(done.stdout)
    web, own = printed["servers"]
    assert (web["name"], web["url"], web["command"], web["hidden"], web["scope"]) == (
        "web",
        "https://h.example",
        None,
        ["X"],
        "flag",
    )
    assert own == {
        "name": "寸止",
        "how": "stdio",
        "command": "x",
        "url": None,
        "folder": str(work),
        "hidden": ["KEY"],
        "source": str(work / ".mcp.json"),
        "scope": "project",
        "tool": "Claude Code",
        "usable": True,
        "problem": None,
        "shadowed_by": None,
    }
    (problem,) = printed["problems"]
    assert problem.startswith(str(work / ".cursor" / "mcp.json"))
    assert str(work / ".mcp.json") in printed["looked_at"]


def test_without_any_one_line_says_what_was_looked_at_and_what_to_do(run: Run, work: Path) -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    for word in ("no servers", ".mcp.json", str(work), "Codex", "--server NAME=COMMAND", "--config FILE"):
        assert word in done.stdout
    assert json.loads(run("--json").stdout)["servers"] == []


def test_a_malformed_config_is_one_line_on_stderr(run: Run, work: Path) -> None:
    (work / ".mcp.json").write_text("{\n\n")
    done = run()
    assert done.returncode == 0
    assert done.stderr == f"blockview: {work}/.mcp.json: not JSON: the text ends too early (line 3, byte 3)\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--config", "nope.json"), "nope.json: no such file"),
        (("--server", "x"), "--server takes NAME=COMMAND"),
        (("--url", f"x=ftp://{SECRET}"), "--url x: not an http or https URL"),
        (("--header", f"X: {SECRET}"), "--header needs a --url"),
    ],
)
def test_an_option_that_cannot_be_used(run: Run, arguments: tuple[str, ...], words: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("blockview: ") and done.stderr.count("\n") == 1
    assert words in done.stderr and SECRET not in done.stderr


def test_a_named_config_that_is_also_found_is_listed_once(run: Run, work: Path) -> None:
    (work / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "x"}}}')
    done = run("--config", ".mcp.json")
    assert done.stdout.count("command") == 1
    assert "(Claude Code, --config)" in done.stdout


def test_listing_starts_nothing(run: Run, work: Path) -> None:
    touch = [sys.executable, "-c", "open('STARTED', 'w')"]
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": {"command": touch[0], "args": touch[1:]}}}))
    done = run("--server", f"b={touch[0]} -c \"open('STARTED', 'w')\"")
    assert done.stdout.count("STARTED") == 2
    assert not (work / "STARTED").exists()


def test_what_stands_beside_a_recording_is_no_config(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Project configs are those of the current folder, also for commands that are given a recording elsewhere."""
    from argparse import ArgumentParser

    from blockview.commands.serving import add_server_options, servers_from

    beside = tmp_path / "received"
    beside.mkdir()
    (beside / ".git").mkdir()
    (beside / ".mcp.json").write_text('{"mcpServers": {"planted": {"command": "evil"}}}')
    recording = beside / "session.jsonl"
    recording.write_text('{"mcpServers": {"planted": {"command": "evil"}}}\n')
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    parser = ArgumentParser()
    parser.add_argument("path")
    add_server_options(parser)
    found = servers_from(parser.parse_args([str(recording)]))
    assert found.entries == ()
    assert not any(path.startswith(str(beside)) for path in found.looked_at)
    assert main(["servers"]) == 0
    assert "planted" not in capsys.readouterr().out


def test_no_heavy_module_is_loaded(work: Path, tmp_path: Path) -> None:
    code = "import sys\nfrom blockview.cli import main\nmain(['servers'])\nprint(*sys.modules, file=sys.stderr)"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], cwd=work, env=environment, capture_output=True, text=True)
    assert done.returncode == 0
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "blockview" in loaded
    assert not loaded & {"mcp", "textual", "asyncio", "anyio", "rich"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["-p", SECRET],
        ["--pass", SECRET],
        ["-u", f"me:{SECRET}"],
        ["--jwt", SECRET],
        ["--connection-string", SECRET],
        ["--signature", SECRET],
    ],
)
def test_what_stands_behind_a_secrets_flag_is_masked(run: Run, work: Path, arguments: list[str]) -> None:
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"s": {"command": "run", "args": arguments}}}))
    for done in (run(), run("--json")):
        assert arguments[0] in done.stdout and SECRET not in done.stdout + done.stderr


def test_ports_paths_and_users_stay(run: Run, work: Path) -> None:
    arguments = ["-p", "8080", "-p", "./here", "-u", "me"]
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"s": {"command": "run", "args": arguments}}}))
    assert "run -p 8080 -p ./here -u me" in run().stdout


def test_a_folder_out_of_a_variable_is_shown_by_the_variables_name(run: Run, work: Path) -> None:
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"s": {"command": "run", "cwd": "/at/${TOKEN}"}}}))
    for done in (run(), run("--json")):
        assert "/at/${TOKEN}" in done.stdout and SECRET not in done.stdout + done.stderr


def test_errors_do_not_tell_values_of_variables(run: Run, work: Path) -> None:
    servers = {
        "s": {"command": "run", "cwd": "/at/${TOKEN}"},
        "t": {"command": "/at/${TOKEN}/run"},
    }
    (work / "c.json").write_text(json.dumps({"mcpServers": servers}))
    for name in servers:
        done = subprocess.run(
            [sys.executable, "-m", "blockview", "tools", name, "--config", "c.json", "--yes"],
            cwd=work, capture_output=True, text=True, timeout=60,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(work), "TOKEN": SECRET},
        )  # fmt: skip
        assert done.returncode == 2
        assert "${TOKEN}" in done.stderr and SECRET not in done.stderr, done.stderr
