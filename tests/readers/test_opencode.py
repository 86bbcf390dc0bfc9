"""What OpenCode keeps: a database, the tree of files before it, and the document of `opencode export`."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blockview.core.model import Place, Provenance, Session, Status, ToolCall
from blockview.readers.opening import open_session
from blockview.readers.registry import read_session, sessions_in
from blockview.readers.several import NoSuchSession
from blockview.readers.source import Source
from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, texts, told, whole_until

Message = tuple[str, tuple[str, ...]]


def tool(call: str, name: str, state: str) -> str:
    return f'{{"type":"tool","callID":"{call}","tool":"{name}","state":{state}}}'


def done(arguments: str, output: str, start: int = 10, end: int = 35) -> str:
    time = f'"title":"","metadata":{{}},"time":{{"start":{start},"end":{end}}}'
    return f'{{"status":"completed","input":{arguments},"output":"{output}",{time}}}'


def failed(arguments: str, error: str) -> str:
    return f'{{"status":"error","input":{arguments},"error":"{error}","time":{{"start":1,"end":2}}}}'


def user(text: str, created: int = 1000) -> Message:
    return f'{{"role":"user","time":{{"created":{created}}}}}', (f'{{"type":"text","text":"{text}"}}',)


def assistant(*parts: str, more: str = "") -> Message:
    return f'{{"role":"assistant","time":{{"created":5}}{more}}}', parts


CONVERSATION = (
    user("hello"),
    assistant(
        '{"type":"step-start"}',
        '{"type":"reasoning","text":"hm","time":{"start":1}}',
        '{"type":"text","text":"I add"}',
        tool("c1", "demo_add", done(BIG, "6.50")),
        '{"type":"hologram"}',
        tool("c2", "demo_fail", failed('{"e":1e3}', "boom")),
    ),
    user("and now both", 2000),
    assistant(
        tool("c1", "demo_one", done("{}", "first", 20, 40)),
        tool("c4", "demo_two", done('{"k":[1.10,-0]}', "9007199254740993", 20, 30)),
        tool("c5", "demo_lost", '{"status":"running","input":{"q":null},"time":{"start":1}}'),
    ),
)
"""The id `c1` comes twice, as some providers number calls anew in every message."""

SESSION = '"id":"ses_1","projectID":"p","directory":"/home/x","title":"A title","time":{"created":1000,"updated":2000}'


def exported(messages: Sequence[Message] = CONVERSATION, between: str = "") -> str:
    listed = [f'{{"info":{info},{between}"parts":[{",".join(parts)}]}}' for info, parts in messages]
    return f'{{"info":{{{SESSION}}},{between}"messages":[{",".join(listed)}]}}'


def tree(folder: Path, messages: Sequence[Message] = CONVERSATION) -> Path:
    """The session's file in a tree of files."""
    session = folder / "session" / "p" / "ses_1.json"
    files = {session: f"{{{SESSION}}}"}
    for number, (info, parts) in enumerate(messages):
        files[folder / "message" / "ses_1" / f"msg_{number}.json"] = info
        for order, part in enumerate(parts):
            files[folder / "part" / f"msg_{number}" / f"prt_{order}.json"] = part
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return session


def database(path: Path, sessions: dict[str, Sequence[Message]]) -> Path:
    """A database with these sessions, the last of which was written last."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, title TEXT, directory TEXT,
                time_created INTEGER, time_updated INTEGER);
            CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT, time_created INTEGER);
            CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
            """
        )
        for age, (session, messages) in enumerate(sessions.items()):
            times = (age * 1000, age * 1000 + 500)
            row = (session, "p", None, f"Title of {session}", "/home/x", *times)
            connection.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            for number, (info, parts) in enumerate(messages):
                message = f"msg_{session}_{9 - number}"  # the time says the order, not the id
                connection.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (message, session, info, number))
                for order, part in reversed(list(enumerate(parts))):
                    row_ = (f"prt_{session}_{number}_{order}", message, session, part)
                    connection.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row_)
        connection.commit()
    return path


@pytest.fixture(params=["export", "export in lines", "tree", "database"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Session:
    match request.param:
        case "tree":
            return open_session(tree(tmp_path))
        case "database":
            return open_session(database(tmp_path / "opencode.db", {"ses_0": (), "ses_1": CONVERSATION}))
        case "export in lines":
            return read(exported(between="\n"))
    return read(exported())


def test_all_ways_to_keep_it_tell_the_same(session: Session) -> None:
    assert told(session) == TOLD
    assert session.id == "ses_1"
    assert session.title in ("A title", "Title of ses_1")
    assert [found.kind for found in session.diagnostics] == ["unknown"]
    assert (session.counts.messages, session.counts.calls, session.counts.unknown) == (4, 5, 1)
    assert texts(session, "thinking") == ["hm"]
    assert texts(session, "assistant") == ["I add"]
    first, *_, lost = calls(session)
    assert (first.id, first.name, first.mcp, first.inferred, first.provenance) == ("c1", "demo_add", True, True, "host")
    assert (first.started, first.duration_ms) == (datetime.fromtimestamp(0.01, UTC), 25.0)
    assert session.read_raw(first.place) == tool("c1", "demo_add", done(BIG, "6.50"))
    assert lost.status_note == "the call was still running"
    assert session.blocks[1].started == datetime.fromtimestamp(2, UTC)


INVALID = '{"status":"completed","input":{"tool":"demo_add","error":"bad \\"n\\""},"output":"The arguments are bad"}'


@pytest.mark.parametrize(
    ("name", "state", "status", "note"),
    [
        ("demo_add", failed("{}", "The user rejected permission to use this specific tool call."), "rejected", "user"),
        ("demo_add", failed("{}", "The user has specified a rule which prevents you"), "denied", "rule"),
        ("demo_add", failed("{}", "Tool execution aborted"), "cancelled", "aborted"),
        ("demo_add", failed("{}", "MCP error -32602: bad"), "tool-error", ""),
        ("invalid", INVALID, "never-sent", 'demo_add was not sent: bad "n"'),
        ("demo_add", '{"status":"pending","input":{},"raw":"{\\"n\\":5.0"}', "no-result", "still writing"),
        ("demo_add", '{"status":"levitating","input":{}}', "no-result", "not known: levitating"),
        ("demo_add", "7", "no-result", "no result is recorded"),
        (
            "demo_add",
            '{"status":"completed","input":{},"output":"cut","metadata":{"truncated":true,"outputPath":"/t/1"}}',
            "ok",
            "the recorder cut the output; the whole is in /t/1",
        ),
    ],
)
def test_how_calls_end(name: str, state: str, status: str, note: str) -> None:
    (call,) = calls(read(exported([assistant(tool("c1", name, state))])))
    assert (call.server, call.tool, call.status) == ("demo", "add", status)
    assert note in call.status_note
    assert call.result is None or call.result.is_error is call.status.failed


def test_a_call_that_was_not_sent_has_no_arguments_of_the_tool() -> None:
    (call,) = calls(read(exported([assistant(tool("c1", "invalid", INVALID))])))
    assert (call.name, call.arguments) == ("invalid", None)


def test_what_the_model_had_written_of_a_call_is_its_own_text() -> None:
    state = '{"status":"pending","input":{},"raw":"{\\"n\\":5.0"}'
    (call,) = calls(read(exported([assistant(tool("c1", "demo_add", state))])))
    assert (call.arguments, call.provenance) == ('{"n":5.0', Provenance.MODEL)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bash", (None, "bash", False)),
        ("lsp_hover", (None, "lsp_hover", False)),
        ("github_get_issue", ("github", "get_issue", True)),
        ("mytool", (None, "mytool", False)),
        ("_x", (None, "_x", False)),
    ],
)
def test_names(name: str, expected: tuple[str | None, str, bool]) -> None:
    (call,) = calls(read(exported([assistant(tool("c1", name, done("{}", "x")))])))
    assert (call.server, call.tool, call.mcp) == expected


def test_prompts_notes_and_attachments() -> None:
    picture = '{"type":"file","mime":"image/png","filename":"a.png","url":"data:image/png;base64,iVBORw0KGgo="}'
    given = '{"type":"text","text":"look"},{"type":"text","text":"by the client","synthetic":true},' + picture
    state = done('{"subagent_type":"x"}', "done")[:-1] + f',"attachments":[{picture}]}}'
    state = state.replace('"metadata":{}', '"metadata":{"sessionId":"ses_2"}')
    error = ',"error":{"name":"MessageAbortedError","data":{"message":"stopped"}}'
    session = read(
        exported(
            [
                ('{"role":"user"}', (given, '{"type":"agent","name":"build"}')),
                assistant(tool("c1", "task", state), '{"type":"compaction","auto":true}', more=error),
            ]
        )
    )
    (block,) = session.blocks
    assert block.prompt == "look\n[image: a.png, image/png, 8 B]"
    (call,) = block.calls
    assert call.result is not None
    assert call.agent == "ses_2"
    assert [(one.kind, one.text or one.note) for one in call.result.content] == [
        ("text", "done"),
        ("image", "a.png, image/png, 8 B"),
    ]
    assert texts(session, "note") == [
        "by the client",
        "context compacted here (auto)",
        "the answer ended with MessageAbortedError: stopped",
    ]


def test_a_cut_export_tells_what_stands_before_the_cut() -> None:
    data = exported().encode()
    all_calls = calls(read(data))
    known = 0
    for cut in range(20, len(data)):
        found = whole_until(data, cut)
        if found is not None:
            known += 1
            whole = [call for call in all_calls if call.place.byte + call.place.length <= cut]
            assert len(found) == len(whole)
    assert known > len(data) / 2


def test_harmed_exports_survive() -> None:
    assert sum(map(survives, harmed(exported().encode()))) > 50


def test_a_database_lists_its_sessions_and_opens_the_one_that_is_named(tmp_path: Path) -> None:
    path = database(tmp_path / "x.db", {"ses_old": (user("old"),), "ses_new": (user("new"),)})
    listed = sessions_in(Source.open(path))
    assert [(one.id, one.title, one.project) for one in listed] == [
        ("ses_new", "Title of ses_new", "/home/x"),
        ("ses_old", "Title of ses_old", "/home/x"),
    ]
    assert (listed[1].started, listed[0].updated) == (datetime.fromtimestamp(0, UTC), datetime.fromtimestamp(1.5, UTC))
    assert open_session(path).blocks[0].prompt == "new"
    assert open_session(f"{path}#ses_old").blocks[0].prompt == "old"
    with pytest.raises(NoSuchSession, match="no session ses_gone"):
        open_session(f"{path}#ses_gone")
    assert sessions_in(Source.of_bytes("x", exported().encode())) == ()


def test_a_file_whose_name_has_a_number_sign_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "a#b"
    path.write_text(exported())
    assert open_session(path).id == "ses_1"


def test_a_database_is_read_while_its_owner_writes(tmp_path: Path) -> None:
    path = database(tmp_path / "x.db", {"ses_1": CONVERSATION})
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("BEGIN IMMEDIATE")
        owner.execute("UPDATE part SET data = '{}'")
        session = open_session(path)
        assert told(session) == TOLD
        owner.commit()
        assert calls(session)[0].tool == "add"  # the blocks that were looked at are kept


def test_a_locked_database_says_so_where_a_large_block_was(tmp_path: Path) -> None:
    large = assistant(tool("c9", "demo_large", done("{}", "x" * 300_000)))
    path = database(tmp_path / "x.db", {"ses_1": (large, *CONVERSATION)})
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA journal_mode = DELETE")
        session = open_session(path)
        owner.execute("BEGIN EXCLUSIVE")
        (item,) = session.blocks[0].items[:1]
        assert not isinstance(item, ToolCall)
        assert "locked" in item.text
        assert session.read_raw(Place(1, 0)) == ""
        assert session.blocks[1].prompt == "hello"


def test_rows_that_hold_something_else_are_reported(tmp_path: Path) -> None:
    path = database(
        tmp_path / "x.db", {"ses_1": (user("hello"), ("[]", ("7", tool("c1", "demo_one", done("{}", "x")))))}
    )
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE part SET data = x'ff00' WHERE data LIKE '%hello%'")
        connection.commit()
    session = open_session(path)
    assert [call.tool for call in calls(session)] == ["one"]
    assert len(session.diagnostics) == 3
    assert all(session.read_raw(problem.place) for problem in session.diagnostics)


def test_the_folders_of_a_session_in_a_tree_open_it(tmp_path: Path) -> None:
    tree(tmp_path)
    for folder in ("message/ses_1", "part/msg_1"):
        assert told(open_session(tmp_path / folder)) == TOLD
    with pytest.raises(IsADirectoryError):
        open_session(tmp_path / "message")


def test_a_tree_with_strange_files_is_read(tmp_path: Path) -> None:
    path = tree(tmp_path)
    parts = tmp_path / "part" / "msg_1"
    (parts / "prt_2.json").write_bytes(b'{"type":"te')
    (parts / "prt_9.json").symlink_to(tmp_path / "nowhere")
    os.mkfifo(parts / "prt_8.json")
    (parts / "note.txt").write_text("no part")
    (parts / "prt_0.json").unlink()
    session = open_session(path)
    assert told(session) == TOLD
    assert sorted(problem.problem for problem in session.diagnostics) == [
        "not shown: of a kind that is not known",
        "prt_8.json is no file",
        "prt_9.json is no file",
        "the document ends too early",
    ]


def test_a_part_of_a_large_message_that_is_gone_leaves_the_others(tmp_path: Path) -> None:
    *others, (info, parts) = CONVERSATION
    large = info, (*parts, f'{{"type":"text","text":"{"x" * 300_000}"}}')
    session = open_session(tree(tmp_path, (*others, large)))
    (tmp_path / "part" / "msg_3" / "prt_1.json").unlink()
    assert [call.tool for call in session.blocks[1].calls] == ["one", "lost"]


def test_no_path_comes_from_what_a_file_says(tmp_path: Path) -> None:
    path = tree(tmp_path)
    path.write_text(path.read_text().replace('"ses_1"', '"ses_1/../../../../secret"'))
    assert told(open_session(path)) == TOLD


def test_a_session_file_alone_says_what_is_missing(tmp_path: Path) -> None:
    text = f"{{{SESSION}}}"
    lone = tmp_path / "x.json"
    lone.write_text(text)
    for session in (read(text), open_session(lone)):
        assert (len(session.blocks), session.title) == (0, "A title")
        assert [problem.kind for problem in session.diagnostics] == ["incomplete"]


def test_an_empty_database_gives_an_empty_session(tmp_path: Path) -> None:
    session = read_session(Source.open(database(tmp_path / "x.db", {})))
    assert (len(session.blocks), session.format) == (0, "opencode")


def test_only_one_state_is_a_failure_of_a_completed_call() -> None:
    (call,) = calls(read(exported([assistant(tool("c1", "invalid", done("{}", "x")))])))
    assert (call.tool, call.status) == ("invalid", Status.NEVER_SENT)


def test_the_shared_case_counts_an_invalid_call_as_failed(shared: Path) -> None:
    case = json.loads((shared / "cases" / "B105.json").read_text())
    found = calls(read(case["input_text"]))
    assert len(found) == case["expected"]["tool_calls"]
    assert sum(call.status.failed for call in found) == case["expected"]["failed"]


def test_the_shared_sample(shared: Path) -> None:
    session = open_session(shared / "samples" / "opencode" / "reconcile_basic.json")
    assert told(session) == [
        (
            "list files and edit main.py",
            [
                (None, "bash", '{ "command": "ls -la" }', "ok", "total 4\nfile.py"),
                (
                    None,
                    "edit",
                    '{ "filePath": "/home/user/myproj/main.py", "find": "x", "replace": "y" }',
                    "ok",
                    "edited main.py",
                ),
            ],
        )
    ]
    assert [call.duration_ms for call in calls(session)] == [300.0, 500.0]


def test_messages_of_the_same_id_keep_their_parts(tmp_path: Path) -> None:
    path = database(tmp_path / "x.db", {"ses_1": CONVERSATION})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE message RENAME TO once")
        connection.execute("CREATE TABLE message AS SELECT * FROM once UNION ALL SELECT * FROM once")
        connection.commit()
    session = open_session(path)
    assert [len(block.calls) for block in session.blocks] == list(session.call_counts)
