"""The sessions of a home: found, counted by this process and by others, and remembered."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from blockview.commands import listing as listing_module
from blockview.commands.counting import Crew
from blockview.commands.listing import FoundSessions
from blockview.commands.listing_cache import ListingCache, stamp_of
from blockview.commands.sessions import counted
from blockview.core.coercion import Depth
from blockview.core.listing import Level, Listing, Numbers
from blockview.readers.discovery import folder_place, own_places
from blockview.readers.places import System
from tests import homes
from tests.work import watched

PER_SESSION = Numbers(blocks=1, calls=2, changed=0, missing=2, errors=1)


class Home:
    """A home, and the cache that goes with it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "home"
        self.cache = folder / "cache" / "sessions" / "sessions.json"
        self.path.mkdir()

    def sessions(self, stamp: str = "stamp") -> FoundSessions:
        environment = {"HOME": str(self.path)}
        return FoundSessions(lambda: list(own_places(environment, System.LINUX)), cache=ListingCache(stamp, self.cache))

    def count(self, stamp: str = "stamp") -> list[Listing]:
        """All sessions as one run of the program finds them."""
        sessions = self.sessions(stamp)
        try:
            return counted(sessions)
        finally:
            sessions.stop()
            sessions.keep()

    def looked_into(self, stamp: str = "stamp") -> list[str]:
        """The names of the files in the home that a run opens."""
        with watched() as heard:
            self.count(stamp)
        started = [what for what in heard if what.startswith("subprocess")]
        assert not started, started
        opened = {what.partition(" ")[2].removeprefix("file:").partition("?")[0] for what in heard}
        return sorted({os.path.basename(path) for path in opened if path.startswith(str(self.path))})


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.mark.parametrize("alone", [True, False], ids=["this-process", "others"])
def test_all_is_found_out_of_every_session(home: Home, alone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not alone:
        monkeypatch.setattr(listing_module, "_FEW", -1)
    homes.make_home(home.path, 12)
    with watched() as heard:
        found = home.count()
    assert any(what.startswith("subprocess") for what in heard) is not alone
    assert {listing.tool for listing in found} == set(homes.TOOLS)
    assert len(found) == 12 and {listing.numbers for listing in found} == {PER_SESSION}
    assert [listing.changed for listing in found] == sorted((listing.changed for listing in found), reverse=True)
    assert not any(listing.problem for listing in found)


def test_the_second_start_opens_the_cache_and_nothing_else(home: Home) -> None:
    homes.make_home(home.path, 12)
    first = home.count()
    assert home.looked_into() == []
    assert home.count() == first


def test_what_was_changed_is_looked_into_again(home: Home) -> None:
    homes.make_home(home.path, 12)
    home.count()
    changed = homes.write_claude(home.path, 0, turns=3)
    assert home.looked_into() == [changed.name]
    assert next(each for each in home.count() if each.path == str(changed)).numbers == Numbers(3, 6, 0, 6, 3)
    changed.unlink()
    assert home.looked_into() == [] and len(home.count()) == 11


def test_of_a_changed_database_the_same_sessions_are_not_counted_again(home: Home) -> None:
    path = homes.write_goose(home.path, range(3))
    home.count()
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("UPDATE sessions SET updated_at = '2027-01-01 00:00:00' WHERE id = 'goose_1'")
        owner.commit()
    sessions = home.sessions()
    (whole,) = sessions.find()
    (entries,) = sessions.look([whole])
    assert {entry.id: entry.level for entry in entries} == {
        "goose_0": Level.COUNTED,
        "goose_1": Level.GLANCED,
        "goose_2": Level.COUNTED,
    }


def test_a_session_that_moved_into_a_database_is_listed_once(home: Home) -> None:
    database = homes.write_goose(home.path, range(2))
    for name in ("goose_1", "older"):
        (database.parent / f"{name}.jsonl").write_text('{"working_dir":"/x","message_count":1}\n')
    for _ in range(2):
        assert sorted(listing.id or Path(listing.path).stem for listing in home.count()) == [
            "goose_0",
            "goose_1",
            "older",
        ]


def test_what_could_not_be_read_is_tried_again(home: Home) -> None:
    path = homes.write_goose(home.path, range(2))
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute("PRAGMA journal_mode = DELETE")
        owner.execute("BEGIN EXCLUSIVE")
        (locked,) = home.count()
        assert "locked" in locked.problem
    os.utime(path, (homes.NEWEST,) * 2)
    assert len(home.count()) == 2


def test_odd_files_in_a_tools_folder_are_listed_with_their_reason(home: Home) -> None:
    folder = homes.write_claude(home.path, 0).parent
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "gone.jsonl").symlink_to("nowhere")
    good, *others = home.count()
    assert good.numbers == PER_SESSION
    assert {other.problem for other in others} == {"a named pipe", "a symbolic link to something that is not there"}


@pytest.mark.parametrize("damage", ["cut", "other", "link", "stamp", "gone"])
def test_a_cache_that_cannot_be_used_costs_only_time(home: Home, damage: str) -> None:
    written = homes.write_claude(home.path, 0)
    home.count()
    match damage:
        case "cut":
            home.cache.write_bytes(home.cache.read_bytes()[:-9])
        case "other":
            home.cache.write_text('{"stamp":"stamp","recordings":[[1,2]]}')
        case "link":
            home.cache.rename(home.cache.with_name("elsewhere"))
            home.cache.symlink_to("elsewhere")
        case "gone":
            shutil.rmtree(home.cache.parent)
    stamp = "another" if damage == "stamp" else "stamp"
    assert home.looked_into(stamp) == [written.name]
    assert home.looked_into(stamp) == []


def test_the_cache_is_private_and_bounded(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockview.commands.listing_cache._MOST", 2)
    homes.make_home(home.path, 12)
    home.count()
    assert home.cache.stat().st_mode & 0o777 == 0o600 and home.cache.parent.stat().st_mode & 0o777 == 0o700
    assert os.listdir(home.cache.parent) == [home.cache.name]
    assert len(ListingCache("stamp", home.cache).load()) == 2


def test_a_cache_that_cannot_be_written_harms_nobody(home: Home) -> None:
    homes.write_claude(home.path, 0)
    home.cache.parent.parent.write_text("a file where a folder should be")
    assert [listing.numbers for listing in home.count()] == [PER_SESSION]


def test_a_file_name_of_any_bytes_is_listed(home: Home) -> None:
    path = homes.write_claude(home.path, 0)
    path.rename(os.fsdecode(os.fsencode(path.parent) + b"/\xff.jsonl"))
    for _ in range(2):
        assert [listing.numbers for listing in home.count()] == [PER_SESSION]


def test_marks_depend_on_the_depth_the_tools_file_and_the_tools_that_servers_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tools = tmp_path / "tools.json"
    tools.write_text("[]")
    stamps = [stamp_of(Depth.TOP, None), stamp_of(Depth.DEEP, None), stamp_of(Depth.TOP, str(tools))]
    tools.write_text("[ ]")
    stamps.append(stamp_of(Depth.TOP, str(tools)))
    listed = tmp_path / "blockview" / "tools" / "1.json"
    listed.parent.mkdir(parents=True)
    listed.write_text("{}")
    stamps.append(stamp_of(Depth.TOP, None))
    assert len(set(stamps)) == len(stamps)
    assert stamp_of(Depth.TOP, None) == stamps[-1]


def test_a_folder_lists_what_its_files_hold_whatever_their_names(home: Home) -> None:
    (home.path / "in").mkdir()
    (home.path / "in" / "anything").write_text(homes.codex(1, 1))
    (home.path / "notes.jsonl").write_text('{"a":1}\n')
    homes.write_goose(home.path / "in", range(2))
    cache = ListingCache("stamp", home.cache)

    def count() -> list[Listing]:
        sessions = FoundSessions(lambda: [folder_place(str(home.path))], doubtful=True, cache=cache)
        found = counted(sessions)
        sessions.keep()
        return found

    first = count()
    assert sorted(listing.made_by for listing in first) == ["codex", "goose", "goose"]
    with watched() as heard:
        assert count() == first
    assert not [what for what in heard if str(home.path) in what]


# The processes


def test_a_process_that_dies_is_replaced_and_the_recording_at_fault_is_named(tmp_path: Path) -> None:
    good, bad = homes.write_claude(tmp_path, 0), homes.write_claude(tmp_path, 1)
    crew = Crew(Depth.TOP)
    # A stand-in for a reader that takes its process with it.
    fatal = f"import os; import blockview.readers.glance as g; look = g._look; bad = {str(bad)!r}; "
    fatal += "g._look = lambda listing, *more: os._exit(1) if listing.path == bad else look(listing, *more); "
    crew._command = [
        part.replace("main(sys", fatal + "main(sys") if "main(sys" in part else part for part in crew._command
    ]
    try:
        (told,), (failed,) = crew.look([Listing(str(path), 1.0, path.stat().st_size) for path in (good, bad)])
        assert told.numbers == PER_SESSION
        assert failed.problem == "the process that read it came to an end"
    finally:
        crew.stop()


def test_stopping_ends_the_processes_and_whoever_waits_for_them(tmp_path: Path) -> None:
    path = homes.write_claude(tmp_path, 0)
    crew = Crew(Depth.TOP)
    asked = [Listing(str(path), 1.0, path.stat().st_size)]
    assert crew.look(asked)[0][0].numbers == PER_SESSION
    (process,) = crew._all
    crew.stop()
    assert process.returncode is not None
    assert crew.look(asked) == [asked]


def test_no_module_of_the_working_folder_is_loaded_by_the_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = homes.write_claude(tmp_path, 0)
    (tmp_path / "msgspec.py").write_text("raise SystemExit('loaded')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    crew = Crew(Depth.TOP)
    try:
        assert crew.look([Listing(str(path), 1.0)])[0][0].numbers == PER_SESSION
    finally:
        crew.stop()
