"""What Goose keeps: rows of a database, and lines of a file before that."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blockview.core.model import Session
from blockview.readers.opening import open_session
from blockview.readers.registry import reader_for, sessions_in
from blockview.readers.source import Source
from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, texts, told, whole_until

Message = tuple[str, str]
"""A role, and the content as JSON text."""


def request(identity: str, name: str, arguments: str, more: str = "") -> str:
    value = f'{{"name":"{name}","arguments":{arguments}}}'
    return f'{{"type":"toolRequest","id":"{identity}","toolCall":{{"status":"success","value":{value}}}{more}}}'


def response(identity: str, text: str, more: str = "") -> str:
    value = f'{{"content":[{{"type":"text","text":"{text}"}}]{more}}}'
    return f'{{"type":"toolResponse","id":"{identity}","toolResult":{{"status":"success","value":{value}}}}}'


def refused(identity: str, error: str) -> str:
    return f'{{"type":"toolResponse","id":"{identity}","toolResult":{{"status":"error","error":"{error}"}}}}'


def said(text: str) -> str:
    return f'{{"type":"text","text":"{text}"}}'


CONVERSATION: Sequence[Message] = (
    ("user", said("hello")),
    ("assistant", '{"type":"thinking","thinking":"hm","signature":"s"},' + said("I add")),
    ("assistant", request("c1", "demo__add", BIG)),
    ("user", response("c1", "6.50")),
    ("assistant", request("c2", "demo__fail", '{"e":1e3}')),
    ("user", response("c2", "boom", ',"isError":true')),
    ("user", said("and now both")),
    (
        "assistant",
        ",".join(
            (
                request("c3", "demo__one", "{}"),
                request("c4", "demo__two", '{"k":[1.10,-0]}'),
                request("c5", "demo__lost", '{"q":null}'),
            )
        ),
    ),
    ("user", response("c4", "9007199254740993") + ',{"type":"hologram"}'),
    ("user", response("c3", "first")),
)

HEADER = '{"working_dir":"/home/x","description":"A title","message_count":10}'


def lines(messages: Sequence[Message] = CONVERSATION, created: int = 1_700_000_000) -> str:
    told = (f'{{"role":"{role}","created":{created},"content":[{content}]}}' for role, content in messages)
    return "\n".join([HEADER, *told, ""])


def database(path: Path, sessions: dict[str, Sequence[Message]], title: str = "name") -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"""
            CREATE TABLE schema_version (version INTEGER);
            CREATE TABLE sessions (id TEXT PRIMARY KEY, {title} TEXT, working_dir TEXT, created_at TIMESTAMP,
                updated_at TIMESTAMP);
            CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT,
                created_timestamp INTEGER, metadata_json TEXT);
            """
        )
        for day, (session, messages) in enumerate(sessions.items(), 10):
            row = (session, "A title", "/home/x", "2026-01-01 00:00:00", f"2026-01-{day} 12:00:00")
            connection.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", row)
            for second, (role, content) in enumerate(messages):
                connection.execute(
                    "INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES (?, ?, ?, ?)",
                    (session, role, f"[{content}]", 1_700_000_000_000 + 1000 * second),
                )
        connection.commit()
    return path


@pytest.fixture(params=["lines", "name", "description"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Session:
    if request.param == "lines":
        return read(lines())
    sessions = {"20260110_1": (("user", said("another")),), "20260111_1": CONVERSATION}
    return open_session(database(tmp_path / "sessions.db", sessions, request.param))


def test_lines_and_rows_tell_the_same(session: Session) -> None:
    assert told(session) == TOLD
    assert (session.title, [problem.kind for problem in session.diagnostics]) == ("A title", ["unknown"])
    assert (session.counts.messages, session.counts.calls, session.counts.unknown) == (10, 5, 1)
    assert (texts(session, "thinking"), texts(session, "assistant")) == (["hm"], ["I add"])
    first = calls(session)[0]
    assert (first.id, first.name, first.mcp, first.inferred, first.provenance) == (
        "c1",
        "demo__add",
        True,
        True,
        "host",
    )
    assert BIG in session.read_raw(first.place)
    assert all(call.result is None or call.result.raw.startswith('{"type":"toolResponse"') for call in calls(session))


def test_times_in_whole_seconds_tell_no_duration(tmp_path: Path) -> None:
    (call, *_) = calls(read(lines()))
    assert (call.started, call.duration_ms) == (datetime.fromtimestamp(1_700_000_000, UTC), None)
    (call, *_) = calls(open_session(database(tmp_path / "x.db", {"1": CONVERSATION})))
    assert (call.started, call.duration_ms) == (datetime.fromtimestamp(1_700_000_002, UTC), 1000.0)


@pytest.mark.parametrize(
    ("answer", "status", "text"),
    [
        (refused("c1", "-32602: bad arguments"), "protocol-error", "-32602: bad arguments"),
        (refused("c1", "Execution failed: boom"), "tool-error", "Execution failed: boom"),
        (response("c1", "The user has declined to run this tool. DO NOT"), "rejected", "The user has declined"),
        (response("c1", "Let the user know the tool call was skipped in"), "never-sent", "Let the user know"),
        ('{"type":"toolResponse","id":"c1"}', "tool-error", ""),
        (
            '{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":[{"type":"text","text":"old"}]}}',
            "ok",
            "old",
        ),
    ],
)
def test_how_calls_end(answer: str, status: str, text: str) -> None:
    (call,) = calls(read(lines([("assistant", request("c1", "demo__add", "{}")), ("user", answer)])))
    assert call.status == status
    assert call.result is not None
    assert call.result.text.startswith(text)


def test_a_request_that_could_not_be_read_was_never_sent() -> None:
    asked = '{"type":"toolRequest","id":"c1","toolCall":{"status":"error","error":"Could not parse {"}}'
    (call,) = calls(read(lines([("assistant", asked)])))
    assert (call.status, call.arguments) == ("never-sent", None)
    assert "Could not parse {" in call.status_note


@pytest.mark.parametrize(
    ("name", "more", "expected"),
    [
        ("developer__shell", "", ("developer", "shell", True)),
        ("a__b__c", ',"_meta":{"goose_extension":"a__b"}', ("a__b", "c", False)),
        ("shell", ',"metadata":{"goose_extension":"developer"}', ("developer", "shell", False)),
        ("shell", "", (None, "shell", True)),
    ],
)
def test_names(name: str, more: str, expected: tuple[str | None, str, bool]) -> None:
    (call,) = calls(read(lines([("assistant", request("c1", name, "{}", more))])))
    assert (call.server, call.tool, call.inferred) == expected
    assert call.mcp


def test_what_the_person_did_not_type_is_a_note() -> None:
    hidden = '{"role":"user","created":1,"content":[{"type":"text","text":"hidden"}],"metadata":{"userVisible":false}}'
    shown = response("c9", "lost") + "," + said("beside it")
    notice = '{"type":"systemNotification","notificationType":"inlineMessage","msg":"compacted"}'
    session = read(lines([("user", said("hello")), ("user", shown), ("assistant", notice)]) + hidden)
    assert [block.prompt for block in session.blocks] == ["hello"]
    assert texts(session, "note") == ["beside it", "compacted", "hidden"]
    assert [call.status for call in calls(session)] == ["result-without-call"]


def test_a_cut_file_tells_what_stands_before_the_cut() -> None:
    data = lines().encode()
    all_calls = calls(read(data))
    for cut in range(len(HEADER) + 1, len(data)):
        found = whole_until(data, cut)
        assert found is not None
        assert len(found) >= sum(call.place.byte + call.place.length <= cut for call in all_calls)


def test_harmed_files_survive() -> None:
    assert sum(map(survives, harmed(lines().encode()))) > 90


def test_harmed_lines_do_not_harm_the_others() -> None:
    kept = lines().encode().splitlines()
    for number in range(1, len(kept)):
        if b"toolRe" not in kept[number]:
            harmed_lines = [*kept[:number], b'{"role":"user","content":[{"type":7}', *kept[number + 1 :]]
            session = read(b"\n".join(harmed_lines))
            assert len(calls(session)) == 5
            assert [problem.kind for problem in session.diagnostics if problem.kind != "unknown"] == ["malformed"]


def test_a_database_lists_its_sessions(tmp_path: Path) -> None:
    path = database(tmp_path / "x.db", {"a": (("user", said("old")),), "b": (("user", said("new")),)})
    listed = sessions_in(Source.open(path))
    assert [(one.id, one.title, one.project) for one in listed] == [
        ("b", "A title", "/home/x"),
        ("a", "A title", "/home/x"),
    ]
    assert listed[0].updated == datetime(2026, 1, 11, 12, tzinfo=UTC)
    assert open_session(f"{path}#a").blocks[0].prompt == "old"


def test_rows_that_hold_something_else_are_reported(tmp_path: Path) -> None:
    path = database(tmp_path / "x.db", {"a": CONVERSATION})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE messages SET content_json = '{' WHERE id = 2")
        connection.execute(
            "UPDATE messages SET role = 7, created_timestamp = 'soon', content_json = NULL WHERE id = 10"
        )
        connection.commit()
    session = open_session(path)
    assert len(calls(session)) == 5
    assert [problem.place.line for problem in session.diagnostics if problem.kind != "unknown"] == [2, 10]


def test_the_same_name_of_a_table_is_no_goose(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE sessions (id); CREATE TABLE messages (id, direction)")
    reader = reader_for(Source.open(path))
    assert reader is None or reader.format != "goose"


def test_numbers_in_structured_content_are_kept() -> None:
    answer = response("c1", "x", ',"structuredContent":{"id":12345678901234567890,"r":1.0}')
    (call,) = calls(read(lines([("assistant", request("c1", "demo__add", "{}")), ("user", answer)])))
    assert call.result is not None
    assert call.result.structured == '{"id":12345678901234567890,"r":1.0}'
    assert json.loads(call.result.raw)["id"] == "c1"
