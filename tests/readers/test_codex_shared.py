"""The shared cases and samples of Codex, Copilot CLI and their logs."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from blockview.core.model import Status
from blockview.readers.opening import open_session
from tests.readers.lines import calls, only_call, read_bytes


def case(shared: Path, name: str) -> tuple[bytes, dict[str, Any]]:
    found = json.loads((shared / "cases" / f"{name}.json").read_text(encoding="utf-8"))
    if "input_base64" in found:
        return base64.b64decode(found["input_base64"]), found["expected"]
    return found["line_ending"].join(found["input_lines"]).encode(), found["expected"]


def test_integers_in_arguments_that_are_a_text_keep_their_digits(shared: Path) -> None:
    data, expected = case(shared, "B065")
    call = only_call(read_bytes(data))
    assert call.result is not None
    shown = f"{call.arguments} {call.result.text}"
    assert all(number in shown for number in expected["must_show"])
    assert not any(number in shown for number in expected["must_not_show"])
    assert (call.mcp, call.server, call.tool) == (True, "demo", "add")


def test_a_byte_order_mark_is_no_matter(shared: Path) -> None:
    data, expected = case(shared, "B094")
    session = read_bytes(data)
    assert (session.id, list(session.diagnostics)) == (expected["session_id"], expected["diagnostics"])
    assert session.counts.messages >= expected["messages_at_least"]


def test_printed_events_are_no_rollout(shared: Path) -> None:
    data, expected = case(shared, "B097")
    session = read_bytes(data)
    call = only_call(session)
    assert call.result is not None
    assert (session.format, sum(one.mcp for one in calls(session))) == (expected["detected"], expected["mcp_calls"])
    assert call.result.text == expected["result_text"]


# Format, then calls per block, counted by reading the files. In the first and the last one most ids are blanked: all
# calls with such an id are one.
SAMPLES = {
    "codex/agent-sessions_drift_small.jsonl": ("codex", [6, 0, 0]),
    "codex/legacy_050.jsonl": ("codex", []),
    "codex/polylogue_functions_exec_multiple.jsonl": ("codex", [1]),
    "codex/gh-aw_codex_v0.27_human_log_excerpt.txt": ("codex-log", [2]),
    "copilot-cli/agent-sessions_small_events.jsonl": ("copilot-cli", [0, 1, 1, 0]),
}


@pytest.mark.parametrize(("name", "expected"), SAMPLES.items())
def test_samples_are_read_whole(shared: Path, name: str, expected: tuple[str, list[int]]) -> None:
    session = open_session(shared / "samples" / name)
    assert (session.format, [len(block.calls) for block in session.blocks]) == expected
    assert list(session.call_counts) == expected[1]
    assert (session.diagnostics, session.counts.unknown) == ((), 0)
    assert all(session.read_raw(call.place) for call in calls(session))


def test_the_log_for_people_has_its_calls(shared: Path) -> None:
    session = open_session(shared / "samples/codex/gh-aw_codex_v0.27_human_log_excerpt.txt")
    assert [(call.server, call.tool, call.arguments, call.status, call.duration_ms) for call in calls(session)] == [
        ("time", "get_current_time", '{"timezone":"UTC"}', Status.OK, 2.0),
        (
            "github",
            "list_pull_requests",
            '{"owner":"githubnext","repo":"gh-aw","state":"open","perPage":100}',
            Status.OK,
            175.0,
        ),
    ]
