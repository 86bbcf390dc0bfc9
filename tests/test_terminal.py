"""The demo in a real terminal (tmux): start, keys, resize and exit. Waits for text, never for time."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests import homes

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "blockview" / "demo" / "session.jsonl"
PATIENCE = 20.0
LARGE = 400_000
"""Prompts that take some seconds to read."""

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


def prompts(*texts: str) -> str:
    """Lines with prompts."""
    start = '{"type":"user","isSidechain":false,"sessionId":"s","parentUuid":null'
    lines = (f'{start},"uuid":"{text}","message":{{"role":"user","content":"prompt {text}"}}}}\n' for text in texts)
    return "".join(lines)


class Terminal:
    """A program in a tmux server of its own."""

    def __init__(self, folder: Path) -> None:
        self._socket = str(folder / "tmux")

    def tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", self._socket, "-f", os.devnull, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout

    def start(
        self, *arguments: str | Path, width: int, height: int, stdin: Path | None = None, **environment: str
    ) -> None:
        """Run blockview; when it ends, its exit code is printed and the terminal stays."""
        program = shlex.join([sys.executable, "-m", "blockview", *map(str, arguments)])
        program = f"cat {shlex.quote(str(stdin))} | {program}" if stdin else program
        script = f"{program}; echo exit code $?; exec sleep {PATIENCE:.0f}"
        # A clean environment: COLUMNS, LINES and Textual's own variables would change what is painted.
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        ours = {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
        assignments = [f"{name}={value}" for name, value in {**kept, **ours, **environment}.items()]
        size = ("-x", str(width), "-y", str(height))
        self.tmux("new-session", "-d", *size, shlex.join(["env", "-i", *assignments, "sh", "-c", script]))

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def resize(self, width: int, height: int) -> None:
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def wait(self, what: Callable[[str], bool] | str) -> str:
        """The screen as soon as it shows a text or fulfils a condition."""
        fulfilled = (lambda screen: what in screen) if isinstance(what, str) else what
        deadline = monotonic() + PATIENCE
        while not fulfilled(screen := self.screen()):
            assert monotonic() < deadline, f"waited in vain for {what}; the screen:\n{screen}"
            sleep(0.02)
        return screen


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    try:
        yield terminal
    finally:
        subprocess.run(["tmux", "-S", str(tmp_path / "tmux"), "kill-server"], capture_output=True)


def test_the_demo_starts_takes_keys_follows_the_size_and_quits(terminal: Terminal) -> None:
    terminal.start("demo", width=120, height=36)
    screen = terminal.wait("server.go")
    assert "Open server.go where the retry starts" in screen
    assert len(screen.splitlines()) == 36

    terminal.press("j")
    terminal.wait("as dispatched")
    terminal.press("?")
    terminal.wait("keys and marks")
    terminal.press("Escape")
    terminal.wait(lambda screen: "keys and marks" not in screen)

    terminal.resize(40, 10)
    narrow = terminal.wait(lambda screen: "server.go" in screen and len(screen.splitlines()) == 10)
    assert all(len(line) <= 40 for line in narrow.splitlines())
    terminal.resize(120, 36)
    terminal.wait(lambda screen: "Open server.go where the retry starts" in screen and "as dispatched" in screen)

    terminal.press("q")
    terminal.wait("exit code 0")


def test_ctrl_q_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    terminal.start("demo", width=80, height=24)
    terminal.wait("server.go")
    terminal.press("C-q")
    screen = terminal.wait("exit code 0")
    assert screen.strip() == "exit code 0"


def test_a_session_from_stdin_takes_keys_from_the_terminal(terminal: Terminal) -> None:
    terminal.start("-", width=100, height=30, stdin=DEMO)
    terminal.wait("server.go")
    terminal.press("q")
    terminal.wait("exit code 0")


def test_without_sessions_of_ones_own_the_demo_opens(terminal: Terminal, tmp_path: Path) -> None:
    terminal.start(width=100, height=30, HOME=str(tmp_path))
    terminal.wait("Open server.go where the retry starts")
    terminal.press("q")
    screen = terminal.wait("exit code 0")
    assert "no sessions of any tool" in screen and "demo" in screen


def test_ones_own_sessions_are_listed_counted_opened_and_come_back_to(terminal: Terminal, tmp_path: Path) -> None:
    homes.make_home(tmp_path, 12)
    terminal.start(width=120, height=30, HOME=str(tmp_path))
    screen = terminal.wait(lambda screen: "12 sessions" in screen and "to look into" not in screen)
    first, second = (line for line in screen.splitlines() if "Claude Code  uploader" in line)
    assert "prompt 0 of session 0" in first and "prompt 0 of session 1" in second
    terminal.press(*"jjjjjjjjj", "Enter")
    terminal.wait("editor.open")
    terminal.press("Escape")
    terminal.wait(lambda screen: "12 sessions" in screen and "claude-1.jsonl" in screen)
    terminal.press("q")
    terminal.wait("exit code 0")


def test_no_color_paints_no_colours(terminal: Terminal) -> None:
    terminal.start("render", DEMO, width=100, height=30, NO_COLOR="1")
    terminal.wait("exit code 0")
    assert "\x1b" not in terminal.tmux("capture-pane", "-p", "-e", "-S", "-")


def test_a_folder_and_several_files_are_offered(terminal: Terminal, tmp_path: Path) -> None:
    names = ("one.jsonl", "two.jsonl")
    for name in names:
        (tmp_path / name).write_text(DEMO.read_text())
    terminal.start(tmp_path, width=100, height=30, XDG_CACHE_HOME=str(tmp_path / "cache"))
    terminal.wait(lambda screen: "2 sessions" in screen and "claude-code" in screen)
    terminal.press("q")
    terminal.wait("exit code 0")


def test_a_missing_file_among_several_is_named_before_the_app_starts(terminal: Terminal) -> None:
    terminal.start(DEMO, "none.jsonl", width=100, height=30)
    screen = terminal.wait("exit code 2")
    assert "blockview: none.jsonl: no such file" in screen


def test_a_recording_is_followed_while_it_is_written_cut_and_replaced(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "followed.jsonl"
    path.write_text(prompts("one", "two"))
    terminal.start("--follow", path, width=120, height=20)
    terminal.wait(lambda screen: "following" in screen and "two" in screen)
    with path.open("a") as file:
        file.write(prompts("three"))
    terminal.wait(lambda screen: "3 blocks" in screen and "three" in screen)

    path.write_text(prompts("cut"))
    terminal.wait(lambda screen: "1 block " in screen and "written anew" in screen and "cut" in screen)

    path.unlink()
    terminal.wait("the file is gone")
    path.write_text(prompts("back", "again"))
    terminal.wait(lambda screen: "2 blocks" in screen and "again" in screen)

    terminal.press("F")
    terminal.wait(lambda screen: "following" not in screen)
    terminal.press("q")
    terminal.wait("exit code 0")


def test_a_large_recording_is_left_while_it_is_read(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    path.write_text(prompts(*map(str, range(LARGE))))
    terminal.start(path, width=120, height=20)
    terminal.wait("reading")
    terminal.press("G")
    terminal.press("q")
    screen = terminal.wait("exit code 0")
    assert screen.strip() == "exit code 0"


def test_what_comes_through_a_pipe_is_not_followed(terminal: Terminal) -> None:
    terminal.start("--follow", "-", width=100, height=30, stdin=DEMO)
    screen = terminal.wait("exit code 2")
    assert "--follow needs a file" in screen
