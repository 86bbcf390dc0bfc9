"""`blockview find`, as a process of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.readers.lines import answers, prompt, result, says, use

DEMO = Path(__file__).parents[1] / "blockview" / "demo" / "session.jsonl"


def find(*arguments: str | Path, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", **({"HOME": str(home)} if home else {})}
    command = [sys.executable, "-m", "blockview", "find", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=60)


def write(path: Path, word: str, padding: int = 0) -> Path:
    lines = [
        prompt(f"ask for {word}"),
        says(f"I look\nfor \x1b[31m{word} here", use(word=word)),
        answers(result(content=word + " told" + " x" * padding)),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_hits_stand_below_their_session_and_are_safe_to_print(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", "needle")
    done = find("NEEDLE".lower(), path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        str(path),
        "      1 prompt    ask for needle",
        r"      1 assistant for \x1b[31mneedle here",
        '      1 arguments demo.add  {"word":"needle"}',
        "      1 result    demo.add  needle told",
    ]


@pytest.mark.parametrize("large", [False, True])
def test_folders_and_files_are_looked_through(tmp_path: Path, large: bool) -> None:
    padding = 1_500_000 if large else 0  # what is large is looked through by several processes
    first = write(tmp_path / "in" / "deep" / "a.jsonl", "needle one", padding)
    second = write(tmp_path / "b.jsonl", "needle two", padding)
    write(tmp_path / "in" / "c.jsonl", "nothing")
    (tmp_path / "in" / "notes.txt").write_text("a needle that is no recording")
    done = find("--json", "needle", tmp_path / "in", second)
    assert (done.returncode, done.stderr) == (0, "")
    hits = [json.loads(line) for line in done.stdout.splitlines()]
    paths = [hit["path"] for hit in hits]
    assert sorted(paths) == [str(second)] * 4 + [str(first)] * 4
    assert paths in (sorted(paths), sorted(paths, reverse=True))  # each session's hits together
    assert hits[3] == {
        "path": paths[3],
        "block": 1,
        "call": 1,
        "what": "result",
        "name": "demo.add",
        "context": hits[3]["context"],
        "start": 0,
        "end": 6,
    }


def test_without_paths_all_sessions_of_the_tools_are_looked_through(tmp_path: Path) -> None:
    write(tmp_path / ".claude" / "projects" / "p" / "a.jsonl", "needle")
    done = find("needle told", home=tmp_path)
    assert done.returncode == 0
    assert "a.jsonl" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "lines"),
    [
        (["nowhere"], 1, 0),
        (["--case", "NEEDLE"], 1, 0),
        (["--case", "needle"], 0, 5),
        (["--limit", "2", "needle"], 0, 3),
        (["--regex", r"n(e+)dle\b"], 0, 5),
        (["--regex", "n(e+dle"], 2, 0),
        ([""], 2, 0),
        (["--limit", "0", "needle"], 2, 0),
    ],
)
def test_options_and_exit_codes(tmp_path: Path, arguments: list[str], code: int, lines: int) -> None:
    done = find(*arguments, write(tmp_path / "a.jsonl", "needle"))
    assert done.returncode == code
    assert len(done.stdout.splitlines()) == lines
    assert len(done.stderr.splitlines()) == (code == 2)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    missing = find("x", tmp_path / "missing")
    assert (missing.returncode, missing.stderr) == (2, f"blockview: {tmp_path / 'missing'}: no such file\n")
    foreign = tmp_path / "notes.txt"
    foreign.write_text("no recording, but a needle")
    done = find("needle", foreign)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no known recording" in done.stderr
    # What was found counts more.
    assert find("needle", foreign, write(tmp_path / "a.jsonl", "needle")).returncode == 0


def test_stdin_and_the_demo_are_looked_through_as_well() -> None:
    done = find("toolu_08", "demo")
    assert (done.returncode, done.stdout.splitlines()) == (0, ["demo", "      3 call      tickets.search  toolu_08"])
    command = [sys.executable, "-m", "blockview", "find", "--json", "tickets.search", "-"]
    found = subprocess.run(command, input=DEMO.read_bytes(), capture_output=True, check=True, timeout=60).stdout
    assert {json.loads(line)["path"] for line in found.splitlines()} == {"stdin"}


def test_a_title_is_found_where_the_session_begins(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", "needle")
    with path.open("a") as file:
        file.write('{"type":"summary","summary":"Where the haystack is","leafUuid":"x"}\n')
    assert find("haystack", path).stdout.splitlines() == [str(path), "        title     Where the haystack is"]
    hit = json.loads(find("--json", "haystack", path).stdout)
    assert (hit["block"], hit["what"]) == (None, "title")


def test_a_database_is_looked_through_as_well(tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "shared" / "samples" / "mcp-wire" / "mcp-debugger_sessions.db"
    if not sample.exists():
        pytest.skip("the samples are not here")
    path = shutil.copy(sample, tmp_path / "a.db")
    done = find("--limit", "1", "--json", "echo", path)
    assert done.returncode == 0
    name = json.loads(done.stdout)["path"]
    assert name.startswith(str(path))
    assert find("echo", name).stdout.splitlines()[0] == name
    assert find("echo", f"{path}#nothing").returncode == 2


def test_an_interrupt_ends_it_at_once_with_all_it_started(tmp_path: Path) -> None:
    for number in range(2):
        write(tmp_path / f"{number}.jsonl", "needle " * 200_000, 1_500_000)
    command = [sys.executable, "-m", "blockview", "find", "--regex", "needl.", str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)


def test_nobody_reading_on_is_no_error() -> None:
    command = f"{sys.executable} -m blockview find e {DEMO} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == str(DEMO)
