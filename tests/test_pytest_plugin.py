"""The pytest plugin, used by the example project in a process of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from blockview import ToolCall, lookup_in, open_session
from blockview.pytest_plugin import assert_dispatched
from tests.test_layers import loaded, tops

ROOT = Path(__file__).parents[1]
EXAMPLE = Path(__file__).parent / "data" / "snapshot_project"
SNAPSHOTS = Path("snapshots") / "test_session"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The example as a project of its own, without snapshots."""
    folder = tmp_path / "project"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "pytest.ini").write_text("[pytest]\n")
    return folder


def run(project: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "blockview.pytest_plugin",
        *arguments,
    ]
    return subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, timeout=120)


def test_snapshots_are_written_when_asked_and_compared_from_then_on(project: Path) -> None:
    first = run(project)
    assert first.returncode == 1
    assert "no snapshot yet: snapshots/test_session/test_the_session.txt" in first.stdout
    assert "pytest --blockview-update" in first.stdout and "Traceback" not in first.stdout
    assert not (project / "snapshots").exists()
    assert run(project, "--blockview-update").returncode == 0
    written = sorted(path.name for path in (project / SNAPSHOTS).iterdir())
    assert written == ["test_the_session.json", "test_the_session.svg", "test_the_session.txt"]
    again = run(project, TZ="Asia/Tokyo", XDG_CACHE_HOME=str(project / "cache"))
    assert again.returncode == 0, again.stdout


def test_what_differs_is_shown_line_by_line(project: Path) -> None:
    run(project, "--blockview-update")
    recording = project / "session.jsonl"
    recording.write_text(recording.read_text().replace('"line":5.0', '"line":6.0'))
    done = run(project)
    assert done.returncode == 1
    for line in ("not as in snapshots/test_session/test_the_session.txt", "-→     line:  5   was 5.0   integer"):
        assert line in done.stdout
    assert "+→     line:  6   was 6.0   integer" in done.stdout
    assert 'call toolu_01 sends   {"path":"server.go","line":6,"scale":1.0}' in done.stdout
    assert 'expected  {"path":"server.go","line":5,"scale":1.0}' in done.stdout


def test_a_project_may_keep_its_snapshots_elsewhere_and_use_several_of_a_kind(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\nblockview_snapshots = kept/here\n")
    (project / "test_session.py").write_text(
        "import pytest\n@pytest.mark.parametrize('name', ['a/b'])\n"
        "def test_it(session_snapshot, name):\n    one = session_snapshot('session.jsonl')\n"
        "    one.text(block=1)\n    one.text(filter='is:error')\n"
    )
    assert run(project, "--blockview-update").returncode == 0
    written = sorted(path.name for path in (project / "kept" / "here" / "test_session").iterdir())
    assert written == ["test_it_a_b_-2.txt", "test_it_a_b_.txt"]
    assert run(project).returncode == 0


def test_the_plugin_loads_nothing_before_it_is_used() -> None:
    found = loaded("import blockview.pytest_plugin")
    assert tops(found).isdisjoint({"textual", "rich", "mcp", "msgspec", "pydantic_core"})
    assert {name for name in found if name.startswith("blockview.")} == {"blockview.pytest_plugin"}


@pytest.fixture
def call() -> ToolCall:
    return open_session(EXAMPLE / "session.jsonl").blocks[0].calls[0]


def test_dispatched_arguments_are_compared_as_text(call: ToolCall) -> None:
    tools = EXAMPLE / "tools.json"
    assert_dispatched(call, '{"path":"server.go","line":5,"scale":1.0}', tools=tools)
    session = open_session(EXAMPLE / "session.jsonl")
    assert_dispatched(call, {"path": "server.go", "line": 5, "scale": 1.0}, lookup=lookup_in(session, tools))
    for wrong in ({"path": "server.go", "line": 5, "scale": 1}, {"line": 5, "path": "server.go", "scale": 1.0}, None):
        with pytest.raises(AssertionError, match=r"sends .*\nexpected .*\n +/line 5\.0 → 5 \(integer\)"):
            assert_dispatched(call, wrong, tools=tools)
    with pytest.raises(AssertionError, match="no schema: no tool list was given"):
        assert_dispatched(call, {"path": "server.go", "line": 5, "scale": 1.0})
