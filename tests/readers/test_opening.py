"""What a path stands for: one session, or several."""

from __future__ import annotations

from pathlib import Path

from blockview.readers.opening import holds_several
from tests.homes import write_claude, write_goose, write_opencode


def test_a_database_of_sessions_holds_several(tmp_path: Path) -> None:
    assert holds_several(write_opencode(tmp_path / "a", range(2)))
    assert holds_several(write_goose(tmp_path / "b", range(3)))
    assert not holds_several(write_opencode(tmp_path / "c", range(1)))


def test_nothing_else_does(tmp_path: Path) -> None:
    assert not holds_several(write_claude(tmp_path, 1))
    assert not holds_several(tmp_path)
    assert not holds_several(tmp_path / "missing")
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"SQLite format 3\0" + b"x" * 500)
    assert not holds_several(broken)
