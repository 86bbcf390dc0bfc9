"""What is found in places: by names and states alone, whatever lies there."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from blockview.readers import discovery
from blockview.readers.discovery import Place, folder_place, found_at, found_in, own_places
from blockview.readers.places import System
from tests.homes import TOOLS, make_home, write_claude

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def places(home: Path) -> list[Place]:
    return list(own_places({"HOME": str(home)}, System.LINUX))


def place(home: Path, tool: str) -> Place:
    return next(place for place in places(home) if place.tool == tool)


def write(path: Path, text: str = "x", seconds: int = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (seconds, seconds))
    return path


def names(place: Place) -> list[str]:
    return [os.path.basename(file.path) for file in found_in([place])]


def odd(place: Place) -> dict[str, str]:
    return {os.path.basename(odd.path): odd.reason for odd in place.odd}


def test_every_tools_recordings_are_found_newest_first(tmp_path: Path) -> None:
    make_home(tmp_path, 12)
    found = found_in(places(tmp_path))
    assert {file.tool for file in found} == set(TOOLS)
    assert len(found) == 4 * 2 + 2
    times = [file.changed_ns for file in found]
    assert times == sorted(times, reverse=True)
    assert [known.databases for known in places(tmp_path) if known.found and known.tool in ("Goose", "Codex")] == [
        False,
        True,
    ]


def test_nothing_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_home(tmp_path, 12)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("opened")

    for owner, name in ((os, "open"), (discovery, "open")):
        monkeypatch.setattr(owner, name, refuse, raising=False)
    monkeypatch.setattr("builtins.open", refuse)
    assert len(found_in([*places(tmp_path), folder_place(str(tmp_path))])) == 20


def test_subagents_notes_and_what_lies_deeper_are_no_sessions(tmp_path: Path) -> None:
    session = write_claude(tmp_path, 0)
    write(session.with_suffix("") / "subagents" / "agent-1.jsonl")
    write(session.with_name("notes.md"))
    session.with_name("folder.jsonl").mkdir()
    assert names(place(tmp_path, "Claude Code")) == ["claude-0.jsonl"]


def test_a_place_that_is_not_there_says_so(tmp_path: Path) -> None:
    assert {place.problem for place in places(tmp_path)} == {"not there"}
    write(tmp_path / ".claude")
    assert place(tmp_path, "Claude Code").problem == "not there"


def test_odd_files_have_their_reason_and_harm_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_claude(tmp_path, 0).parent
    (folder / "gone.jsonl").symlink_to("nowhere")
    (folder / "round.jsonl").symlink_to("round.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as owner:
        monkeypatch.chdir(folder)  # the name of a socket may not be long
        owner.bind("socket.jsonl")
        found = place(tmp_path, "Claude Code")
    assert names(found) == ["claude-0.jsonl"]
    assert odd(found) == {
        "gone.jsonl": "a symbolic link to something that is not there",
        "round.jsonl": "a symbolic link that leads back to itself",
        "pipe.jsonl": "a named pipe",
        "socket.jsonl": "a socket",
    }
    with pytest.raises(OSError, match="a named pipe"):
        found_at(str(folder / "pipe.jsonl"))


@pytest.mark.skipif(AS_ROOT, reason="root may read everything")
def test_folders_without_permission_have_their_line(tmp_path: Path) -> None:
    folder = write_claude(tmp_path, 0).parent
    write_claude(tmp_path, 1)
    folder.chmod(0)
    try:
        found = place(tmp_path, "Claude Code")
        assert names(found) == ["claude-1.jsonl"]
        assert odd(found) == {folder.name: "no permission to read it"}
        folder.chmod(0o700)
        folder.parent.chmod(0)
        assert place(tmp_path, "Claude Code").problem == "no permission to read it"
    finally:
        folder.parent.chmod(0o700)
        folder.chmod(0o700)


def test_a_folder_that_vanishes_while_it_is_searched_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stays, goes = write_claude(tmp_path, 0).parent, write_claude(tmp_path, 1).parent
    real = os.scandir

    def scandir(path: str) -> object:
        if os.fspath(path) == str(goes):
            for file in goes.iterdir():
                file.unlink()
            goes.rmdir()
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = place(tmp_path, "Claude Code")
    assert names(found) == ["claude-0.jsonl"] and not found.odd and stays.exists()


def test_of_a_plain_and_a_packed_recording_the_plain_one_counts(tmp_path: Path) -> None:
    day = tmp_path / ".codex/sessions/2026/03/01"
    write(day / "rollout-1.jsonl")
    write(day / "rollout-1.jsonl.zst")
    write(day / "rollout-2.jsonl.zst", seconds=2)
    assert names(place(tmp_path, "Codex")) == ["rollout-2.jsonl.zst", "rollout-1.jsonl"]


def test_a_database_is_as_new_as_its_log(tmp_path: Path) -> None:
    base = tmp_path / ".local/share/opencode"
    write(base / "opencode.db", "12345")
    write(base / "opencode.db-wal", "678", seconds=7)
    write(base / "opencode.db-shm", seconds=9)
    (file,) = place(tmp_path, "OpenCode").found
    assert (file.size, file.changed_ns) == (8, 7_000_000_000)
    assert found_at(str(base / "opencode.db")).changed_ns == 7_000_000_000
    assert names(folder_place(str(base))) == ["opencode.db"]


def test_editors_are_looked_for_one_by_one(tmp_path: Path) -> None:
    task = "User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json"
    write(tmp_path / ".config/Cursor" / task)
    write(tmp_path / ".config/Code/User/workspaceStorage/5f/chatSessions/1.json")
    assert {file.tool for file in found_in(places(tmp_path))} == {"Cline", "VS Code"}


def test_a_folder_is_searched_with_all_below_it_but_not_for_ever(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl")
    write(tmp_path / "b" / "c" / "d", seconds=2)
    write(tmp_path / "node_modules" / "e.jsonl")
    write(tmp_path.joinpath(*"123456789") / "f.jsonl")
    (tmp_path / "b" / "up").symlink_to(tmp_path, target_is_directory=True)
    assert names(folder_place(str(tmp_path))) == ["d", "a.jsonl"]


def test_a_folder_of_very_many_files_is_taken_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MOST", 3)
    for number in range(5):
        write(tmp_path / str(number))
    assert len(folder_place(str(tmp_path)).found) == 3
