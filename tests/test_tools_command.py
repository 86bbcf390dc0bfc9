"""`blockview tools` against real servers: consent, the printed file, the cache, and what goes wrong."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from blockview.catalog.cache import ToolsCache
from blockview.catalog.file import read_tools
from blockview.core.model import Place, ToolCall
from blockview.core.prepare import Found
from tests.dispatch.live import FAKE

EDITOR = f"{shlex.quote(sys.executable)} -m blockview.demo.server editor"

LISTER = """
import json, sys
ANSWERS = {
    "initialize": '{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}',
    "tools/list": '{"tools": [{"name": "t", "inputSchema": SCHEMA}]}',
}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = ANSWERS.get(asked["method"])
        answer = f'"result":{result}' if result else '"error":{"code":-32601,"message":"no such method"}'
        print(f'{{"jsonrpc":"2.0","id":{json.dumps(asked["id"])},{answer}}}', flush=True)
"""
"""A server that lists one tool, with exactly these characters for its schema."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with nothing in it."""
    path = tmp_path / "home"
    path.mkdir()
    return path


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `blockview tools` in an empty home folder and without a terminal."""
    environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home)}
    command = [sys.executable, "-m", "blockview", "tools", *arguments]
    return subprocess.run(command, cwd=home, env=environment, input="", capture_output=True, text=True)


def configured(home: Path) -> Path:
    """A config with one server; starting it leaves a file."""
    script = f"touch {shlex.quote(str(home / 'started'))}; exec {EDITOR}"
    config = home / "servers.json"
    config.write_text(json.dumps({"mcpServers": {"my.editor": {"command": "sh", "args": ["-c", script]}}}))
    return config


def test_the_printed_file_is_read_back(home: Path) -> None:
    done = run(home, "--server", f"editor={EDITOR}")
    assert (done.returncode, done.stderr) == (0, "")
    file = home / "tools.json"
    file.write_text(done.stdout)
    assert [(tool.server, tool.name) for tool in read_tools(file)] == [
        ("editor", "open"),
        ("editor", "select"),
        ("editor", "delete"),
    ]
    delete = json.loads(done.stdout)["tools"][2]
    assert delete["annotations"] == {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False}


def test_the_list_is_kept_for_later_displays(home: Path) -> None:
    run(home, "--server", f"editor={EDITOR}")
    call = ToolCall("1", "open", "open", "{}", Place(1, 0), server="editor")
    found = ToolsCache(home / "cache" / "blockview" / "tools").lookup(call)
    assert isinstance(found, Found)
    assert found.source.startswith("cache, 20")


def test_several_servers_make_one_file(home: Path) -> None:
    metrics = EDITOR.replace("editor", "metrics")
    done = run(home, "--server", f"one={EDITOR}", "--server", f"two={metrics}")
    assert [tool["server"] for tool in json.loads(done.stdout)["tools"]] == ["one"] * 3 + ["two"] * 3


DEAD = "dead=sh -c 'echo no key >&2; exit 3'"


@pytest.mark.parametrize("order", [1, -1])
def test_a_server_that_cannot_be_reached_costs_only_its_own_tools(home: Path, order: int) -> None:
    given = ("--server", f"one={EDITOR}", "--server", DEAD, "--server", "gone=/nonexistent/command")
    done = run(home, *[word for pair in list(zip(given[::2], given[1::2], strict=True))[::order] for word in pair])
    assert done.returncode == 1
    assert [tool["server"] for tool in json.loads(done.stdout)["tools"]] == ["one"] * 3
    told = [line for line in done.stderr.splitlines() if line != "blockview: dead: no key"]
    assert {line.split(":")[1].strip() for line in told} == {"dead", "gone"}
    assert len(told) == 2


def test_an_entry_of_a_config_that_cannot_be_used_costs_only_its_own_tools(home: Path) -> None:
    servers = {
        "editor": {"command": "sh", "args": ["-c", f"exec {EDITOR}"]},
        "unset": {"command": "${NOT_SET_ANYWHERE}"},
        "dead": {"command": "false"},
    }
    (home / "servers.json").write_text(json.dumps({"mcpServers": servers}))
    done = run(home, "--config", "servers.json", "--yes")
    assert done.returncode == 1
    assert {tool["server"] for tool in json.loads(done.stdout)["tools"]} == {"editor"}
    assert "unset in " in done.stderr and "NOT_SET_ANYWHERE" in done.stderr
    named = run(home, "nobody", "editor", "--config", "servers.json", "--yes")
    assert (named.returncode, named.stdout) == (1, done.stdout)
    assert "nobody" in named.stderr


def test_no_server_at_all_prints_nothing(home: Path) -> None:
    done = run(home, "--server", DEAD, "--server", "gone=/nonexistent/command")
    assert (done.returncode, done.stdout) == (2, "")
    assert "dead: " in done.stderr and "gone: " in done.stderr


def test_a_server_without_a_list_of_tools_gives_none_and_nothing_is_kept(home: Path) -> None:
    done = run(home, "--server", f"x={shlex.join([sys.executable, str(FAKE), 'no-tools'])}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "x: it did not list its tools" in done.stderr
    assert not (home / "cache").exists()


def test_what_needs_consent_and_cannot_be_asked_for_costs_only_its_own_tools(home: Path) -> None:
    done = run(home, "--server", f"one={EDITOR}", "--config", str(configured(home)))
    assert done.returncode == 1
    assert {tool["server"] for tool in json.loads(done.stdout)["tools"]} == {"one"}
    assert "my.editor" in done.stderr and "--yes" in done.stderr
    assert not (home / "started").exists()


def test_schemas_keep_the_characters_of_the_server(home: Path) -> None:
    schema = '{"type": "object", "properties": {"id": {"maximum": 9007199254740993.0, "default": 1.10}}}'
    script = home / "server.py"
    script.write_text(LISTER.replace("SCHEMA", schema))
    done = run(home, "--server", f"x={shlex.quote(sys.executable)} {shlex.quote(str(script))}")
    assert done.returncode == 0, done.stderr
    assert f'"inputSchema":{schema}' in done.stdout


def test_what_a_terminal_obeys_is_escaped_in_schemas(home: Path) -> None:
    script = home / "server.py"
    script.write_text(LISTER.replace("SCHEMA", '{"title": "\\x9b31m\\u202e"}'))
    done = run(home, "--server", f"x={shlex.quote(sys.executable)} {shlex.quote(str(script))}")
    assert done.stdout.isascii() and '"inputSchema":{"title": "\\u009b31m\\u202e"}' in done.stdout


@pytest.mark.parametrize("by", ["name", "config"])
def test_a_configured_server_is_not_started_without_consent(home: Path, by: str) -> None:
    config = configured(home)
    names = ["my.editor"] if by == "name" else []
    done = run(home, *names, "--config", str(config))
    assert done.returncode == 2
    assert done.stdout == ""
    assert "--yes" in done.stderr
    assert "exec" in done.stderr
    assert not (home / "started").exists()
    assert run(home, *names, "--config", str(config), "--yes").returncode == 0
    assert (home / "started").exists()


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 2), ("", 2)])
def test_a_person_is_asked_on_the_terminal(home: Path, answer: str, code: int) -> None:
    config = configured(home)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "blockview", "tools", "my.editor", "--config", str(config)]
    environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    with subprocess.Popen(
        command, cwd=home, env=environment, stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as done:
        assert done.stderr is not None
        told = b""
        while b"[y/N/q]" not in told:
            piece = os.read(done.stderr.fileno(), 4096)
            assert piece, told
            told += piece
        os.write(ours, f"{answer}\n".encode())
        done.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == code
    assert (home / "started").exists() == (answer == "y")
    assert b"start it and list its tools?" in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no server given"),
        (("nonsense",), "no server named nonsense"),
        (("--server", "x=/nonexistent/command"), "x: "),
        (("--server", "x=false"), "x: "),
    ],
)
def test_what_cannot_be_done_is_one_line(home: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run(home, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_the_last_words_of_a_server_are_shown_harmless(home: Path) -> None:
    done = run(home, "--server", "x=sh -c \"printf 'no \\033[31mkey\\n' >&2; exit 3\"")
    assert done.returncode == 2
    assert "x: no " in done.stderr
    assert "\x1b" not in done.stderr


def test_yes_starts_a_server_of_a_found_config_by_its_name_and_no_other(home: Path) -> None:
    servers = {
        name: {"command": "sh", "args": ["-c", f"touch {name}; exec {EDITOR}"]} for name in ("named", "stranger")
    }
    (home / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    done = run(home, "--yes")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no server given" in done.stderr
    assert run(home, "--yes", "--server", f"one={EDITOR}").returncode == 0
    assert not {"named", "stranger"}.intersection(os.listdir(home))
    done = run(home, "named", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert {tool["server"] for tool in json.loads(done.stdout)["tools"]} == {"named"}
    assert {"named", "stranger"}.intersection(os.listdir(home)) == {"named"}
