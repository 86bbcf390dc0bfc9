"""What is found out about sessions for the list."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blockview.core.listing import PROMPT_LENGTH, Level, Listing, Numbers
from blockview.core.model import Session
from blockview.core.prepare import Found, Lookup
from blockview.readers import glance
from blockview.readers.glance import look
from tests import homes
from tests.readers.lines import answers, prompt, result, says, use


def listing(path: Path, **members: object) -> Listing:
    return Listing(str(path), 5.0, path.stat().st_size if path.is_file() else 0, **members)  # type: ignore[arg-type]


def one(path: Path, **members: object) -> Listing:
    (found,) = look([listing(path, **members)])[0]
    return found


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.mark.parametrize(
    "write_session", [homes.write_claude, homes.write_codex, homes.write_gemini, homes.write_copilot]
)
def test_a_small_file_tells_all_at_once(tmp_path: Path, write_session: homes.WriteOne) -> None:
    told = one(write_session(tmp_path, 3, 2), tool="A tool")
    assert told.level is Level.COUNTED and told.settled
    assert told.prompt.startswith("prompt 0 of session 3") and told.project == homes.PROJECT
    assert told.numbers == Numbers(blocks=2, calls=4, changed=0, missing=4, errors=2)
    assert told.tool == "A tool" and told.format


def test_the_time_is_that_which_the_session_tells_not_the_files(tmp_path: Path) -> None:
    timed = write(tmp_path / "timed.jsonl", prompt("hello", second=5))
    assert one(timed).changed == datetime(2026, 3, 1, 10, 0, 5, tzinfo=UTC).timestamp()
    untimed = write(tmp_path / "untimed.jsonl", '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    assert one(untimed).changed == 5.0


@pytest.mark.parametrize("write_sessions", [homes.write_opencode, homes.write_goose])
def test_a_database_tells_its_sessions_and_each_is_counted_then(
    tmp_path: Path, write_sessions: homes.WriteMany
) -> None:
    path = write_sessions(tmp_path, range(3), 2)
    (entries,) = look([listing(path)])
    assert [entry.title for entry in entries] == [f"Title of session {number}" for number in range(3)]
    assert [entry.changed for entry in entries] == [homes.NEWEST - 3600 * number for number in range(3)]
    assert {(entry.project, entry.level) for entry in entries} == {(homes.PROJECT, Level.GLANCED)}
    counted = [told for (told,) in look(entries)]
    assert [told.id for told in counted] == [entry.id for entry in entries]
    assert {told.numbers for told in counted} == {Numbers(2, 4, 0, 4, 2)}
    assert counted[1].prompt.startswith("prompt 0 of session 1")


def test_of_a_large_file_the_beginning_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = homes.write_claude(tmp_path, 1, 40)
    monkeypatch.setattr(glance, "_SMALL", 4096)
    told = one(path)
    assert told.level is Level.GLANCED and told.numbers is None
    assert told.prompt.startswith("prompt 0 of session 1") and told.project == homes.PROJECT
    ((whole,),) = look([told])
    assert whole.level is Level.COUNTED and whole.numbers == Numbers(40, 80, 0, 80, 40)


def test_the_catalog_decides_on_marks(tmp_path: Path) -> None:
    schema = Found({"properties": {"line": {"type": "integer"}}}, "test")

    def lookup_of(session: Session) -> Lookup:
        return lambda call: schema if call.tool == "open" else None

    ((told,),) = look([listing(homes.write_claude(tmp_path, 1))], lookup_of)
    assert told.numbers == Numbers(blocks=1, calls=2, changed=1, missing=1, errors=1)


def test_what_is_no_recording_is_dropped_or_says_so(tmp_path: Path) -> None:
    other, empty = write(tmp_path / "a.jsonl", '{"a":1}'), write(tmp_path / "empty.jsonl")
    assert look([listing(other, doubtful=True), listing(empty, doubtful=True)]) == [[], []]
    assert one(other).problem == "no known recording"
    assert one(empty).problem == "the file holds nothing"
    assert not one(write(tmp_path / "notes.txt", prompt("hello")), doubtful=True).doubtful


@pytest.mark.skipif(not os.path.exists("/proc/kmsg"), reason="no files of the kernel")
def test_a_file_of_the_kernel_is_not_opened(tmp_path: Path) -> None:
    os.symlink("/proc/kmsg", tmp_path / "a.jsonl")  # reading it would wait for the kernel's next message
    (told,) = look([listing(tmp_path / "a.jsonl")])
    assert [one.problem for one in told] == ["the file holds nothing"]


def test_files_that_cannot_be_read_say_why_and_block_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    good = write(tmp_path / "good.jsonl", prompt("hello"))
    found = look([listing(tmp_path / "pipe"), Listing(str(tmp_path / "gone"), 1.0), listing(tmp_path), listing(good)])
    assert [told.problem for (told,) in found] == ["it is not a file", "it is gone", "it is not a file", ""]
    assert found[3][0].prompt == "hello"


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", prompt("hello"))
    path.chmod(0)
    assert one(path).problem == "no permission to read it"


def test_a_database_that_its_owner_has_locked_says_so_and_is_read_later(tmp_path: Path) -> None:
    path = homes.write_goose(tmp_path, range(2))
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute("PRAGMA journal_mode = DELETE")
        (entries,) = look([listing(path)])
        owner.execute("BEGIN EXCLUSIVE")
        assert "locked" in one(path).problem
        assert "locked" in look(entries)[0][0].problem
        owner.execute("ROLLBACK")
    assert len(look([listing(path)])[0]) == 2


def test_a_file_that_grows_is_read_as_far_as_it_is_written(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", prompt("hello"), says(use()), answers(result()))
    with path.open("a") as writer:
        writer.write('{"type":"user","mess')
        writer.flush()
        assert one(path).numbers == Numbers(1, 1, 0, 1, 0)


def test_a_reader_that_fails_takes_no_others_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = write(tmp_path / "bad.jsonl", prompt("bad")), write(tmp_path / "good.jsonl", prompt("good"))
    real = glance._numbers

    def numbers(session: Session, *more: object) -> Numbers:
        if session.source == str(bad):
            raise RecursionError("too deep")
        return real(session, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(glance, "_numbers", numbers)
    (failed,), (told,) = look([listing(bad), listing(good)])
    assert failed.problem == "cannot be read: RecursionError: too deep" and failed.settled
    assert told.prompt == "good"


def test_texts_are_kept_in_part_and_can_be_written(tmp_path: Path) -> None:
    told = one(write(tmp_path / "a.jsonl", prompt("\ud800 " + "long " * 1000)))
    assert len(told.prompt) == PROMPT_LENGTH and told.prompt.startswith("? long") and told.prompt.encode()


def test_the_project_of_a_chat_in_vs_code_stands_beside_it(tmp_path: Path) -> None:
    chats = tmp_path / "5f" / "chatSessions"
    chats.mkdir(parents=True)
    request = '{"requestId":"r1","message":{"text":"hello"},"response":[{"value":"hi"}]}'
    chat = write(chats / "1.json", f'{{"version":3,"sessionId":"s","creationDate":1,"requests":[{request}]}}')
    write(tmp_path / "5f" / "workspace.json", '{"folder":"file:///home/someone/my%20project"}')
    assert (one(chat).project, one(chat).prompt) == ("/home/someone/my project", "hello")
