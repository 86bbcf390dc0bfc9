"""Every shared sample: its format, and its blocks and calls, counted by reading the files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from blockview.readers.opening import open_session

SAMPLES: dict[str, tuple[str, int, dict[str, int]]] = {
    "anthropic/sse_incomplete_partial_json.txt": ("anthropic-messages", 1, {"never-sent": 1}),
    "anthropic/sse_tool_use_response.txt": ("anthropic-messages", 1, {"no-result": 1}),
    "claude-code/agent-sessions_drift_small.jsonl": (
        "claude-code",
        8,
        {"no-result": 2, "result-without-call": 2, "ok": 1},
    ),
    "claude-code/cass_malformed_truncated.jsonl": ("claude-code", 1, {}),
    "claude-code/viewer_1af7fc5e.jsonl": ("claude-code", 1, {"ok": 11, "denied": 1}),
    "claude-stream-json/action_sample-turns.json": ("claude-stream-json", 1, {"ok": 3}),
    "cline/sdk_session.messages.json": ("cline-sdk", 5, {"ok": 11}),
    "codex/agent-sessions_drift_small.jsonl": ("codex", 3, {"ok": 6}),
    "codex/gh-aw_codex_v0.27_human_log_excerpt.txt": ("codex-log", 1, {"ok": 2}),
    "codex/legacy_050.jsonl": ("codex", 0, {}),
    "codex/polylogue_functions_exec_multiple.jsonl": ("codex", 1, {"ok": 1}),
    "copilot-cli/agent-sessions_small_events.jsonl": ("copilot-cli", 4, {"ok": 1, "tool-error": 1}),
    "gemini/agent-sessions_large.json": ("gemini-cli", 2, {"ok": 2}),
    "gemini/agent-sessions_v040.jsonl": ("gemini-cli", 1, {"ok": 1}),
    "mcp-wire/claude-code_debug_stderr_excerpt.txt": ("claude-code-debug", 1, {"ok": 1}),
    "mcp-wire/mcp-debugger_export.json": ("mcp-debugger-export", 10, {"ok": 7, "tool-error": 2}),
    "mcp-wire/mcp-debugger_sessions.db": ("mcp-debugger", 10, {"ok": 7, "tool-error": 2}),
    "mcp-wire/mcp-rec_everything.jsonl": ("mcp-rec", 10, {"ok": 7, "tool-error": 2}),
    "mcp-wire/mcp-recorder_mock_session.json": ("mcp-recorder", 5, {"ok": 4}),
    "mcp-wire/mcp-snoop_everything.log": ("mcp-snoop", 10, {"ok": 7, "tool-error": 2}),
    "mcp-wire/mcp-snoop_everything_summary.log": ("mcp-snoop-summary", 10, {"ok": 9}),
    "mcp-wire/mcp-vcr_tool_binary_response.yaml": ("mcp-vcr", 2, {"ok": 1}),
    "mcp-wire/mcporter_multi_parallel.ndjson": ("mcporter", 7, {"ok": 6}),
    "mcp-wire/mcporter_string-number_error.ndjson": ("mcporter", 2, {"tool-error": 1}),
    "mcp-wire/mcpspy_http.jsonl": ("mcpspy", 5, {"ok": 3, "tool-error": 1}),
    "mcp-wire/mcpspy_stdio.jsonl": ("mcpspy", 5, {"ok": 3, "tool-error": 1}),
    "openai/agents_run_state_hosted_mcp.json": ("openai-agents", 1, {}),
    "opencode/reconcile_basic.json": ("opencode-export", 1, {"ok": 2}),
    "otel/visualstudio_copilot_sample-4.jsonl": ("otlp-genai", 2, {"ok": 3}),
    "roo/cli-continues_ui_messages.json": ("cline-ui", 2, {}),
}


@pytest.mark.parametrize(("name", "expected"), SAMPLES.items(), ids=SAMPLES)
def test_a_sample_has_its_format_blocks_and_calls(
    shared: Path, name: str, expected: tuple[str, int, dict[str, int]]
) -> None:
    session = open_session(shared / "samples" / name)
    blocks = list(session.blocks)
    states = Counter(call.status.value for block in blocks for call in block.calls)
    assert (session.format, len(blocks), dict(states)) == expected
    assert [len(block.calls) for block in blocks] == list(session.call_counts)


def test_no_sample_is_left_out(shared: Path) -> None:
    files = {str(path.relative_to(shared / "samples")) for path in (shared / "samples").rglob("*") if path.is_file()}
    assert files - {"INDEX.tsv"} == SAMPLES.keys()
