"""`blockview sessions` and `blockview --places`, as a person runs them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import homes

ROOT = Path(__file__).parents[1]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "TZ": "UTC"}
        command = [sys.executable, "-m", "blockview", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, cwd=tmp_path)

    return run


def test_all_sessions_as_a_table_newest_first(run: Run, tmp_path: Path) -> None:
    homes.make_home(tmp_path, 12, turns=2)
    done = run("sessions")
    assert (done.returncode, done.stderr) == (0, "")
    names, first, *others = done.stdout.splitlines()
    assert names.split() == ["when", "tool", "project", "blocks", "calls", "→", "?", "!", "first", "prompt", "path"]
    assert first.split()[:9] == ["2026-05-28", "12:26", "OpenCode", "uploader", "2", "4", "0", "4", "2"]
    assert len(others) == 11
    for line in (first, *others):
        path, _, _ = line[line.index(" ~/") :].strip().removeprefix("~/").partition("#")
        assert (tmp_path / path).is_file()
    assert run("sessions").stdout == done.stdout, "from the cache"


def test_the_same_list_as_json(run: Run, tmp_path: Path) -> None:
    homes.make_home(tmp_path, 12)
    listed = json.loads(run("sessions", "--json").stdout)
    assert listed["blockview"] == 1 and len(listed["sessions"]) == 12
    codex = next(each for each in listed["sessions"] if each["tool"] == "Codex")
    assert codex == {
        "path": str(tmp_path / ".codex/sessions/2026/03/03/rollout-2026-03-01T10-00-00-2.jsonl"),
        "id": None,
        "tool": "Codex",
        "format": "codex",
        "project": homes.PROJECT,
        "title": codex["title"],
        "prompt": "prompt 0 of session 2: port the parser to exact numbers, and keep each digit as it is",
        "changed": "2026-03-01T08:00:00+00:00",
        "size": codex["size"],
        "blocks": 1,
        "calls": 2,
        "marks": {"changed": 0, "no_schema": 2, "errors": 1},
        "problem": None,
    }
    goose = next(each for each in listed["sessions"] if each["tool"] == "Goose")
    shown = json.loads(run("render", f"{goose['path']}#{goose['id']}", "--format", "json").stdout)
    assert len(shown["blocks"]) == goose["blocks"]


def test_a_folder_and_files(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    path = homes.write_claude(folder, 0)
    (folder / "notes.txt").write_text("nothing")
    for arguments in ([folder], [path], [path, path]):
        listed = json.loads(run("sessions", "--json", *arguments).stdout)["sessions"]
        assert {each["path"] for each in listed} == {str(path)}
    os.mkfifo(folder / "pipe")
    for arguments, reason in (([folder / "none"], "no such file"), ([folder / "pipe"], "a named pipe")):
        done = run("sessions", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"blockview: {arguments[0]}: {reason}\n"


def test_a_file_that_is_no_recording_is_told(run: Run, tmp_path: Path) -> None:
    path = homes.write_claude(tmp_path, 0)
    (tmp_path / "notes.txt").write_text("nothing")
    done = run("sessions", path, tmp_path / "notes.txt")
    assert done.returncode == 2 and path.name in done.stdout
    assert done.stderr == f"blockview: {tmp_path / 'notes.txt'}: no known recording\n"


def test_a_tools_file_changes_the_marks(run: Run, tmp_path: Path) -> None:
    path = homes.write_claude(tmp_path / "logs", 0)
    tools = tmp_path / "tools.json"
    tools.write_text('[{"name":"open","inputSchema":{"properties":{"line":{"type":"integer"}}}}]')

    def marks(*arguments: str | Path) -> dict[str, int]:
        (listed,) = json.loads(run("sessions", "--json", path, *arguments).stdout)["sessions"]
        found: dict[str, int] = listed["marks"]
        return found

    assert marks() == {"changed": 0, "no_schema": 2, "errors": 1}
    assert marks("--tools", tools) == {"changed": 1, "no_schema": 1, "errors": 1}
    assert marks("--tools", tools, "--coerce", "off") == {"changed": 0, "no_schema": 1, "errors": 1}
    tools.write_text("no tools")
    done = run("sessions", path, "--tools", tools)
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_without_sessions_it_says_where_they_are_looked_for(run: Run) -> None:
    done = run("sessions")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "blockview: no sessions found; blockview --places tells where they are looked for\n"


def test_places_say_what_is_there_what_is_odd_and_what_is_not_there(run: Run, tmp_path: Path) -> None:
    homes.make_home(tmp_path, 12)
    folder = tmp_path / ".claude/projects/-home-someone-p0"
    os.mkfifo(folder / "pipe.jsonl")
    done = run("--places")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [shlex.split(line) for line in done.stdout.splitlines()]
    assert lines[0] == ["Claude", "Code", str(tmp_path / ".claude/projects"), "2", "files"]
    assert lines[1] == [str(folder / "pipe.jsonl"), "a", "named", "pipe"]
    assert ["OpenCode", str(tmp_path / ".local/share/opencode"), "1", "database"] in lines
    assert ["mcporter", str(tmp_path / ".mcporter/recordings"), "not", "there"] in lines
    assert run("--places", folder).stdout.startswith(f"folder  {folder}  1 file\n")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_places_name_files_that_may_not_be_read(run: Run, tmp_path: Path) -> None:
    path = homes.write_claude(tmp_path, 0)
    path.chmod(0)
    assert f"{path}  no permission to read it" in run("--places").stdout
    (listed,) = json.loads(run("sessions", "--json").stdout)["sessions"]
    assert listed["problem"] == "no permission to read it"
