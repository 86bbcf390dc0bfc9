"""One conversation, written down by different tools, is one conversation."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from blockview.core.model import Place
from blockview.core.prepare import Missing, prepare
from blockview.export.json import json_chunks
from blockview.readers.linewise import Told
from blockview.readers.opening import open_session
from tests.readers import test_acp as acp
from tests.readers import test_codex as codex
from tests.readers import test_codex_exec as exec_json
from tests.readers import test_copilot_cli as copilot
from tests.readers.lines import answers, prompt, read, result, says, texts, use

ARGUMENTS = '{"line": 5.0, "ratio":0.10, "id":1234567890123456789}'
VALUE = '{"id": 1234567890123456789, "cost": 0.10}'
DEMO = {"mcpServerName": "demo", "mcpToolName": "add"}


def claude_code() -> list[str]:
    marked = says("I will add.", use("c1", marker=1), use("c2"), use("c3"))
    return [
        prompt("Add them"),
        marked.replace('{"marker":1}', ARGUMENTS),
        answers(result("c2", "no", is_error=True), uuid="r2"),
        answers(result("c1", VALUE), uuid="r1"),
        says("Done.", uuid="a2", parent="r1"),
    ]


def codex_rollout() -> list[str]:
    failed = {"Ok": {"content": [{"type": "text", "text": "no"}], "isError": True}}
    return [
        codex.meta(),
        codex.event("user_message", message="Add them"),
        codex.event("agent_message", message="I will add."),
        *[codex.asks(one, ARGUMENTS if one == "c1" else "{}") for one in ("c1", "c2", "c3")],
        codex.done("c2", "{}", failed),
        codex.done("c1", ARGUMENTS, {"Ok": {"content": [{"type": "text", "text": VALUE}]}}),
        codex.event("agent_message", message="Done."),
    ]


def copilot_events() -> list[str]:
    return [
        copilot.START,
        copilot.event("user.message", content="Add them"),
        copilot.says("I will add."),
        *[copilot.start(one, ARGUMENTS if one == "c1" else "{}", **DEMO) for one in ("c1", "c2", "c3")],
        copilot.complete("c2", success=False, result={"content": "no"}),
        copilot.complete("c1", result={"content": VALUE}),
        copilot.says("Done."),
    ]


def acp_messages() -> list[str]:
    return [
        acp.prompt("Add them"),
        acp.chunk("I will "),
        acp.chunk("add."),
        *[acp.call(one, ARGUMENTS if one == "c1" else "{}") for one in ("c1", "c2", "c3")],
        acp.change("c2", status="failed", content=acp.shown("no")),
        acp.change("c1", status="completed", content=acp.shown(VALUE)),
        acp.chunk("Done."),
    ]


def view(lines: list[str]) -> Any:
    """The JSON view without what each tool has of its own: ids, times and where the arguments were recorded."""
    session = read(*lines)
    document = json.loads("".join(json_chunks(session, lambda call: prepare(call, lambda _: Missing("none")))))
    assert document["diagnostics"] == []
    for block in document["blocks"]:
        del block["started"]
        for call in block["calls"]:
            for name in ("id", "provenance", "started", "duration_ms"):
                del call[name]
    return document["title"], document["blocks"]


@pytest.mark.parametrize("lines", [codex_rollout, copilot_events, acp_messages])
def test_one_conversation_has_one_view(lines: Any) -> None:
    title, blocks = view(lines())
    assert (title, blocks) == view(claude_code())
    (block,) = blocks
    assert [call["recorded"] for call in block["calls"]] == [ARGUMENTS, "{}", "{}"]
    assert [call["status"] for call in block["calls"]] == ["ok", "tool-error", "no-result"]
    assert block["calls"][0]["result"]["value"] == {"id": "1234567890123456789", "cost": 0.1}


@pytest.mark.parametrize("lines", [codex_rollout, copilot_events, acp_messages, lambda: exec_json.WHOLE])
@pytest.mark.parametrize("left", [0, 100, 400])
def test_a_file_that_is_cut_or_rewritten_while_open_is_no_danger(tmp_path: Path, lines: Any, left: int) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines()))
    sessions = [open_session(path), open_session(path)]
    os.truncate(path, left)
    assert len(list(sessions[0].blocks)) == len(sessions[0].call_counts)
    path.write_bytes(b"x" * 10_000)
    assert any("can no longer be read" in text for text in texts(sessions[1]))


def test_a_text_is_told_again_only_by_another_kind_of_record() -> None:
    told, again = Told("event", "item"), []
    heard = ["event a", "item a", "item a", "event a", "event a", "item b", "event  b "]
    for byte, (kind, text) in enumerate(one.split(" ", 1) for one in heard):
        told.note(Place(1, byte), 0, kind, "assistant", text)
        again.append(told.again(Place(1, byte)))
    assert again == [False, True, False, True, False, False, True]
