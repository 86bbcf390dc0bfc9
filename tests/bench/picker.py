"""The picker on a home with many small sessions: its first screen, all counts, and what a second start opens."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from blockview.commands.listing import FoundSessions
from blockview.commands.listing_cache import ListingCache
from blockview.commands.sessions import counted
from blockview.readers.discovery import own_places
from tests.bench.startup import MINIMAL
from tests.bench.terminal import Program
from tests.bench.timing import Figure, interleaved, ratio
from tests.homes import make_home
from tests.work import watched

SESSIONS, TURNS = 2_000, 4
ROUNDS = 9
SCREEN, ROW = b"looking for sessions", b"claude-0.jsonl"
"""What the first screen has, and the first screen with rows."""


def picker() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        home, cache = Path(folder, "home"), Path(folder, "cache")
        make_home(home, SESSIONS, TURNS)
        yield from _first_screen(home, cache)
        yield from _counts(home, cache)


def _first_screen(home: Path, cache: Path) -> Iterator[Figure]:
    ours = ["env", f"HOME={home}", f"XDG_CACHE_HOME={cache}", sys.executable, "-m", "blockview"]
    minimal = [sys.executable, "-c", MINIMAL]

    def first() -> None:
        shutil.rmtree(cache, ignore_errors=True)
        _paint(ours, SCREEN)

    def rows() -> None:
        shutil.rmtree(cache, ignore_errors=True)
        _paint(ours, ROW)

    def minimum() -> None:
        _paint(minimal, b"minimal-marker")

    screen, row, base = interleaved(ROUNDS, first, rows, minimum)
    yield ratio("picker, first start, first screen", 1.3, screen, base, "minimal app")
    yield ratio("picker, first start, rows", 1.5, row, base, "minimal app")
    _count(home, cache)
    row, base = interleaved(ROUNDS, lambda: _paint(ours, ROW), minimum)
    yield ratio("picker, second start, rows", 1.5, row, base, "minimal app")


def _paint(command: list[str], marker: bytes) -> None:
    with Program(command) as program:
        program.wait(marker)


def _counts(home: Path, cache: Path) -> Iterator[Figure]:
    files = [path for path in home.rglob("*") if path.is_file()]

    def read() -> None:
        for path in files:
            path.read_bytes()

    def count() -> None:
        shutil.rmtree(cache, ignore_errors=True)
        _count(home, cache)

    spent, base = interleaved(3, count, read)
    yield ratio("all counts, files in memory", 3.0, spent, base, "reading")
    spent, base = (median(_after_forgetting(files, action) for _ in range(3)) for action in (count, read))
    yield ratio("all counts, files on disk only", 3.0, spent, base, "reading")
    with watched() as heard:
        _count(home, cache)
    opened = [what for what in heard if str(home) in what or what.startswith("subprocess")]
    yield Figure("second start, recordings opened", 0, len(opened), "files", f"of {len(files):,}")


def _count(home: Path, cache: Path) -> None:
    environment = {"HOME": str(home)}
    kept = ListingCache("bench", cache / "blockview" / "sessions" / "sessions.json")
    sessions = FoundSessions(lambda: list(own_places(environment)), cache=kept)
    try:
        assert len(counted(sessions)) == SESSIONS
    finally:
        sessions.stop()
    sessions.keep()


def _after_forgetting(files: list[Path], action: Callable[[], object]) -> float:
    """The seconds of an action before which the system was asked to forget what it holds of these files in memory."""
    for path in files:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    started = perf_counter()
    action()
    return perf_counter() - started
