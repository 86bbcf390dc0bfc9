"""Where this user's recordings are found, and in which order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from blockview.readers.places import PLACES, own_recordings, recordings_in
from tests.readers.lines import prompt


def write(path: Path, seconds: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(prompt("hello"))
    os.utime(path, (seconds, seconds))
    return path


def test_claude_codes_folder_is_below_home_or_where_its_variable_says(tmp_path: Path) -> None:
    (place,) = [place for place in PLACES if place.tool == "Claude Code"]
    assert place.path({"HOME": str(tmp_path)}) == tmp_path / ".claude" / "projects"
    moved = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")}
    assert place.path(moved) == tmp_path / "elsewhere" / "projects"


def test_own_recordings_come_newest_first_without_subagents(tmp_path: Path) -> None:
    projects = tmp_path / ".claude" / "projects"
    old = write(projects / "-a" / "old.jsonl", 1_000)
    new = write(projects / "-b" / "new.jsonl", 2_000)
    write(projects / "-b" / "new" / "subagents" / "agent-1.jsonl", 3_000)
    write(projects / "-b" / "notes.md", 3_000)
    (projects / "-b" / "folder.jsonl").mkdir()
    (projects / "-b" / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    assert own_recordings({"HOME": str(tmp_path)}) == [new, old]


def test_a_user_without_any(tmp_path: Path) -> None:
    assert own_recordings({"HOME": str(tmp_path)}) == []


def test_a_folder_is_searched_two_levels_deep(tmp_path: Path) -> None:
    here, below = write(tmp_path / "a.jsonl", 1), write(tmp_path / "sub" / "b.ndjson", 2)
    unnamed = write(tmp_path / "c", 3)
    write(tmp_path / "sub" / "sub" / "d.jsonl", 4)
    assert recordings_in(tmp_path) == [unnamed, below, here]


def test_a_file_in_a_folder_counts_by_its_content(tmp_path: Path) -> None:
    recording = write(tmp_path / "log.txt", 1)
    (tmp_path / "other.jsonl").write_text('{"a":1}\n')
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "gone.jsonl").symlink_to("nowhere")
    assert recordings_in(tmp_path) == [recording]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        recordings_in(tmp_path / "none")
