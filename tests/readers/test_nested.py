"""Subagents: which call started them, and where their conversation is, for each tool that keeps them."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from blockview.core.model import Session
from blockview.core.subagents import find_subagent
from blockview.readers.opening import open_session
from tests.readers import test_codex as codex
from tests.readers import test_copilot_cli as copilot
from tests.readers import test_gemini_cli as gemini
from tests.readers import test_opencode as opencode
from tests.readers.lines import ADD, answers, calls, prompt, read, result, says, use

ESCAPES = ["../victim", "..", ".", "", "/etc/passwd", "a/b", "..\\victim", "x\0y", "*", "é" * 300]
"""What a hostile recording may name as the id of a subagent."""


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


def only_agent(session: Session) -> str:
    (agent,) = (call.agent for call in calls(session) if call.agent)
    return agent


def entered(session: Session) -> Session:
    """The session of the one subagent that a call started."""
    found = session.nested(only_agent(session))
    assert found is not None
    return found


def prompts(session: Session) -> list[str]:
    return [block.prompt for block in session.blocks]


# Claude Code


def parent(agent: str = "a1", call_id: str = "task") -> list[str]:
    """A session in which a call starts a subagent that has a file of its own."""
    told = {"agentId": agent, "status": "completed"}
    return [
        prompt("go"),
        says(use(call_id, "Agent", prompt="look")),
        answers(result(call_id, "looked"), toolUseResult=told),
    ]


def child(agent: str = "a1", *more: str, asked: str = "look") -> list[str]:
    mine = {"isSidechain": True, "agentId": agent}
    return [prompt(asked, "s1", None, **mine), says(use("inner", ADD, a=1.0), uuid="s2", parent="s1", **mine), *more]


@pytest.mark.parametrize(
    "place", ["session-1/subagents/agent-a1.jsonl", "session-1/subagents/workflows/w/agent-a1.jsonl", "agent-a1.jsonl"]
)
def test_claude_code_keeps_subagents_beside_the_session(tmp_path: Path, place: str) -> None:
    path = write(tmp_path / "session-1.jsonl", *parent())
    write(tmp_path / place, *child())
    write(tmp_path / "session-1" / "subagents" / "agent-a1.meta.json", "{}")
    write(tmp_path / "session-2" / "subagents" / "agent-a1.jsonl", *child(asked="another session's"))
    session = open_session(path)
    assert prompts(entered(session)) == ["look"]
    assert [call.arguments for call in calls(entered(session))] == ['{"a":1.0}']


def test_a_subagents_subagents_lie_beside_it(tmp_path: Path) -> None:
    path = write(tmp_path / "session-1.jsonl", *parent())
    folder = tmp_path / "session-1" / "subagents"
    write(folder / "agent-a1.jsonl", *parent("a2"))
    write(folder / "workflows" / "w" / "agent-a2.jsonl", *parent("a3"))
    write(folder / "agent-a3.jsonl", *child("a3", asked="deepest"))
    assert prompts(entered(entered(entered(open_session(path))))) == ["deepest"]


def test_a_subagent_whose_file_is_gone_is_not_there(tmp_path: Path) -> None:
    session = open_session(write(tmp_path / "session-1.jsonl", *parent()))
    assert only_agent(session) == "a1"
    assert session.nested("a1") is None
    assert find_subagent(session, "a1").problem == "its recording is not there"


def test_pipes_and_links_are_no_recordings(tmp_path: Path) -> None:
    path = write(tmp_path / "session-1.jsonl", *parent())
    outside = write(tmp_path / "elsewhere" / "secret", *child())
    folder = tmp_path / "session-1" / "subagents"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "agent-a1.jsonl")
    (folder / "agent-a2.jsonl").symlink_to(outside)
    session = open_session(path)
    assert (session.nested("a1"), session.nested("a2")) == (None, None)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_subagent_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "session-1.jsonl", *parent())
    write(tmp_path / "agent-a1.jsonl", *child()).chmod(0)
    assert "cannot be read" in find_subagent(open_session(path), "a1").problem


def test_an_inline_subagent_without_a_name_is_known_by_what_it_was_asked() -> None:
    side = {"isSidechain": True}
    session = read(
        prompt("go"),
        says(use("t1", "Task", prompt="left"), use("t2", "Task", prompt="right"), use("t3", "Task", prompt="twice")),
        prompt("right", "s1", None, **side),
        prompt("left", "s2", None, **side),
        says("from left", uuid="s3", parent="s2", **side),
        prompt("twice", "s4", None, **side),
        prompt("twice", "s5", None, **side),
    )
    assert [call.agent for call in calls(session)] == ["s2", "s1", ""]
    assert {agent: list(blocks) for agent, blocks in session.agents.items()} == {
        "s1": [1], "s2": [2], "s4": [3], "s5": [4],
    }  # fmt: skip


def test_stream_json_names_the_call_on_the_lines_of_its_subagent() -> None:
    def event(kind: str, part: dict[str, Any], agent: str | None = None) -> str:
        message = {"role": kind, "content": [part]}
        return json.dumps({"type": kind, "message": message, "session_id": "s", "parent_tool_use_id": agent})

    session = read(
        '{"type":"system","subtype":"init","session_id":"s","tools":[],"mcp_servers":[]}',
        event("assistant", use("task", "Task", prompt="look")),
        event("user", {"type": "text", "text": "look"}, "task"),
        event("assistant", use("inner"), "task"),
    )
    assert session.format == "claude-stream-json"
    assert [(call.id, call.agent) for call in calls(session)] == [("task", "task"), ("inner", "")]
    assert find_subagent(session, "task").words == "1 block, 1 call"


def test_a_partial_compaction_is_told() -> None:
    boundary = json.loads(prompt("x", "c1", "u1", 1))
    for content, told in ((None, "context compacted in part here"), ("Microcompacted", "Microcompacted")):
        line = {**boundary, "type": "system", "subtype": "microcompact_boundary", "content": content}
        (block,) = read(prompt("go"), json.dumps(line)).blocks
        assert [getattr(item, "text", "") for item in block.items] == [told]


# Codex

THREAD = "0199aaaa-bbbb-7ccc-8ddd-eeeeffff0001"
STARTED = {"kind": "started", "agent_thread_id": THREAD, "agent_path": "/root/look"}


def activity(members: dict[str, str]) -> str:
    return codex.row("event_msg", {"type": "sub_agent_activity", "event_id": "c1", **members})


SPAWNS = {
    "event": [
        codex.hears("c1", '{"task_name":"/root/look"}'),
        codex.event("collab_agent_spawn_end", call_id="c1", sender_thread_id="thread-1", new_thread_id=THREAD),
    ],
    "activity": [activity(STARTED)],
    "item": [codex.event("item_completed", item={"type": "SubAgentActivity", "id": "c1", **STARTED})],
    "output": [codex.hears("c1", f'{{"agent_id":"{THREAD}"}}')],
}


def rollout(*more: str) -> list[str]:
    return [codex.meta(), codex.event("user_message", message="go"), codex.asks("c1", name="spawn_agent"), *more]


@pytest.mark.parametrize("told", SPAWNS)
@pytest.mark.parametrize("day", ["2026/03/01", "2026/03/02"])
def test_codex_keeps_subagents_in_the_same_tree(tmp_path: Path, told: str, day: str) -> None:
    tree = tmp_path / "sessions"
    path = write(tree / "2026" / "03" / "01" / "rollout-2026-03-01T10-00-00-thread-1.jsonl", *rollout(*SPAWNS[told]))
    file = tree / day / f"rollout-2026-03-02T10-00-00-{THREAD}.jsonl"
    write(file, codex.meta(id=THREAD), codex.event("user_message", message="look"), codex.asks("x"))
    session = open_session(path)
    assert only_agent(session) == THREAD
    assert prompts(entered(session)) == ["look"]
    packed = file.with_name(f"{file.name}.zst")
    packed.write_bytes(zstandard.compress(file.read_bytes().replace(b'"look"', b'"packed"')))
    assert prompts(entered(session)) == ["look"], "the plain one comes first"
    file.unlink()
    assert prompts(entered(session)) == ["packed"]


def test_only_the_start_of_a_codex_subagent_belongs_to_the_call() -> None:
    interacted = {**STARTED, "kind": "interacted"}
    session = read(
        *rollout(activity(interacted)),
        codex.asks("c2", name="read_file"),
        codex.hears("c2", f'{{"agent_id":"{THREAD}"}}'),
    )
    assert [call.agent for call in calls(session)] == ["", ""]


# Gemini CLI


def test_gemini_cli_keeps_subagents_in_a_folder_of_the_session(tmp_path: Path) -> None:
    def told(identity: str, *messages: str, kind: str = "main") -> tuple[str, ...]:
        return f'{{{gemini.META},"kind":"{kind}"}}'.replace('"s1"', f'"{identity}"'), *messages

    starts = [gemini.call("c1", "look", "{}", '{"output":"x"}', more=f',"agentId":"{agent}"') for agent in ("x#1", "y")]
    chats = tmp_path / "chats"
    session = write(chats / "session-1.jsonl", *told("s1", gemini.user("m1", "go"), gemini.model("m2", "", starts[0])))
    write(
        chats / "s1" / "x_1.jsonl", *told("x#1", gemini.user("n1", "look"), gemini.model("n2", "", starts[1])), "{bad"
    )
    nested = entered(open_session(session))
    assert (nested.id, prompts(nested), len(nested.diagnostics)) == ("x#1", ["look"], 1)
    write(chats / "s1" / "y.jsonl", *told("y", gemini.user("o1", "beside")))
    assert prompts(entered(nested)) == ["beside"]
    write(chats / "x_1" / "y.jsonl", *told("y", gemini.user("o1", "below its own")))
    assert prompts(entered(nested)) == ["below its own"]


# OpenCode


def task(agent: str) -> opencode.Message:
    state = opencode.done('{"prompt":"look"}', "looked").replace(
        '"metadata":{}', f'"metadata":{{"sessionId":"{agent}"}}'
    )
    return opencode.assistant(opencode.tool("c1", "task", state))


def test_opencode_keeps_subagents_in_the_same_database(tmp_path: Path) -> None:
    held = {"ses_sub": [opencode.user("look")], "ses_main": [opencode.user("go"), task("ses_sub")]}
    path = opencode.database(tmp_path / "opencode.db", held)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE session SET parent_id = 'ses_main' WHERE id = 'ses_sub'")
        connection.commit()
    session = open_session(f"{path}#ses_main")
    assert prompts(entered(session)) == ["look"]
    assert session.nested("ses_gone") is None


def test_opencode_kept_subagents_in_the_same_tree(tmp_path: Path) -> None:
    path = opencode.tree(tmp_path, [opencode.user("go"), task("ses_2")])
    session = open_session(path)
    assert session.nested("ses_2") is None
    write(tmp_path / "session" / "q" / "ses_2.json", path.read_text().replace("ses_1", "ses_2"))
    write(tmp_path / "message" / "ses_2" / "msg_x.json", opencode.user("look")[0])
    write(tmp_path / "part" / "msg_x" / "prt_1.json", *opencode.user("look")[1])
    assert prompts(entered(session)) == ["look"]


def test_an_output_that_compaction_dropped_is_told() -> None:
    state = opencode.done("{}", "x").replace('"end":35', '"end":35,"compacted":40')
    (call,) = calls(read(opencode.exported([opencode.assistant(opencode.tool("c1", "demo_add", state))])))
    assert call.status_note == "compaction took the output out of the context later"


# Copilot CLI


def test_copilot_cli_tells_subagents_in_the_same_file() -> None:
    session = read(
        copilot.START,
        copilot.event("user.message", content="go"),
        copilot.start("t1", name="task"),
        copilot.start("t2", name="task"),
        copilot.start("t3", name="task"),
        copilot.event("subagent.started", toolCallId="t1", agentName="explore"),
        copilot.event("assistant.message", content="looking", parentToolCallId="t1"),
        copilot.event("subagent.started", agent="named", toolCallId="t2", agentName="review"),
        copilot.start("c1", parentToolCallId="t1", **copilot.MCP),
    )
    assert [(call.id, call.agent) for call in calls(session)] == [
        ("t1", "t1"), ("t2", "named"), ("t3", ""), ("c1", ""),
    ]  # fmt: skip
    assert {agent: list(blocks) for agent, blocks in session.agents.items()} == {"t1": [1], "named": [2]}
    assert find_subagent(session, "t1").first == 1


# All of them


@pytest.mark.parametrize("agent", ESCAPES)
def test_an_id_is_no_path(tmp_path: Path, agent: str) -> None:
    sessions = [
        write(tmp_path / "claude" / "session-1.jsonl", *parent(agent)),
        write(tmp_path / "codex" / "rollout-2026-03-01T10-00-00-thread-1.jsonl", *rollout()),
        write(tmp_path / "gemini" / "chats" / "session-1.jsonl", f"{{{gemini.META}}}", gemini.user("m1", "go")),
        opencode.tree(tmp_path / "opencode"),
        opencode.database(tmp_path / "opencode.db", {"ses_1": [opencode.user("go")]}),
    ]
    for folder in (tmp_path, *(path.parent for path in sessions), *(path.parent.parent for path in sessions)):
        for name in ("victim.jsonl", "victim.json", "agent-victim.jsonl"):
            write(folder / name, *child())
    assert [open_session(path).nested(agent) for path in sessions] == [None] * len(sessions)
