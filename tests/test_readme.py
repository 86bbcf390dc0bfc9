"""The README says what is true: its keys, its marks, what its commands print, its picture."""

from __future__ import annotations

import re
from collections.abc import Callable
from subprocess import CalledProcessError

import pytest
from textual.pilot import Pilot

from blockview.catalog.file import FileCatalog, read_tools
from blockview.commands.shared import DEMO_FOLDER, demo_session
from blockview.ui.app import BlockviewApp, Opened
from tests.readme import README, ROOT, printed, renewed, steady

TEXT = README.read_text()


def test_keys_marks_and_printed_output_are_as_they_are_now() -> None:
    assert renewed(TEXT) == TEXT, "run: python -m tests.readme"


def test_renewing_replaces_every_kind_of_part() -> None:
    stale = "<!-- keys -->\nx\n<!-- /keys -->\n<!-- marks -->\ny\n<!-- /marks -->\n```console\n$ echo 1\nz\n```\n"
    stale = f"<!-- places -->\nx\n<!-- /places -->\n{stale}"
    fresh = renewed(stale)
    assert "| `j` `↓` |" in fresh
    assert "| `→` | changed |" in fresh
    assert "| Claude Code | `~/.claude` | `CLAUDE_CONFIG_DIR` | `projects/*/*.jsonl` |" in fresh
    assert fresh.endswith("```console\n$ echo 1\n1\n```\n")


def test_every_command_with_its_output_is_a_block_that_is_run() -> None:
    commands = re.findall(r"^\$ (.*)$", TEXT, re.MULTILINE)
    run = re.findall(r"^```console\n\$ (.*)$", TEXT, re.MULTILINE)
    assert commands == run
    assert any(command.startswith("blockview replay ") for command in run)


def test_a_live_run_reads_the_same_whatever_it_took() -> None:
    slow = "[1/1] editor.open  tool error, 1234 ms, differs\n! tool error  1.2 s     09:01:59\n"
    quick = "[1/1] editor.open  tool error, 3 ms, differs\n! tool error  3 ms      14:26:05\n"
    assert steady(slow) == steady(quick) == quick


def test_a_command_that_cannot_is_no_example() -> None:
    with pytest.raises(CalledProcessError):
        printed("blockview render nothing-here.jsonl")


def test_the_example_of_coercion_is_the_promised_one() -> None:
    assert '\n{"line":5,"column":1,"filePath":"server.go"}\n' in TEXT
    assert printed("echo '{}' | blockview coerce").endswith("\n{}\n")


def test_the_whole_check_runs_the_commands_of_the_readme() -> None:
    (line,) = re.findall(r"^python3 .*pytest.*$", TEXT, re.MULTILINE)
    install, test = line.split(" && ")[2:]
    script = (ROOT / ".ci" / "run").read_text().splitlines()
    assert script.index(install) < script.index(test)


def test_the_example_in_python_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    monkeypatch.chdir(DEMO_FOLDER)
    exec(example, {})
    first, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith('toolu_01 mcp__editor__open {"line":5,"column":1,"filePath":"server.go"} (Change(')


def test_every_linked_file_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert links
    for link in links:
        assert (ROOT / link).is_file(), link


def test_the_linked_picture_shows_the_demo() -> None:
    (picture,) = re.findall(r"!\[[^]]*\]\(([^)]+)\)", TEXT)
    drawn = (ROOT / picture).read_text()
    assert "upload.errors" in drawn and "9007199254740992" in drawn


def test_the_screenshot(snap_compare: Callable[..., bool]) -> None:
    tools = FileCatalog(read_tools(DEMO_FOLDER / "tools.json"), "tools.json")
    app = BlockviewApp(Opened(demo_session(), tools.lookup))

    async def settle(pilot: Pilot[None]) -> None:
        await pilot.press(*"jjjjj")
        await pilot.app.workers.wait_for_complete()

    assert snap_compare(app, terminal_size=(120, 30), run_before=settle)
