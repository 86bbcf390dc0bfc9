"""The shared cases and samples of Claude Code's formats."""

import base64
import json
import os
from pathlib import Path
from typing import Any

from blockview.core.model import Session, Status, ToolCall
from blockview.readers.opening import open_growing, open_session
from tests.readers.lines import ADD, answers, calls, prompt, read_bytes, result, says, texts, use

GENERATED = {
    "B076": lambda case: [
        prompt("hi"),
        case["template_line"].replace("iVBORw0KGgo=", "iVBORw0KGgo" + "A" * 2_000_000),
        says(use("toolu_1", ADD, a=2, b=3), uuid="a9", parent="u9"),
        answers(result("toolu_1"), parent="a9"),
    ],
    "X028": lambda case: [
        prompt("hi"),
        "[" * 100_000,
        says(use("toolu_1", ADD, a=2, b=3)),
        answers(result("toolu_1")),
    ],
}


def case_bytes(case: dict[str, Any]) -> bytes:
    if "input_base64" in case:
        return base64.b64decode(case["input_base64"])
    lines = GENERATED[case["id"]](case) if case["id"] in GENERATED else case["input_lines"]
    return case.get("line_ending", "\n").join(lines).encode("utf-8", "surrogatepass")


def shown_text(session: Session) -> str:
    results = [call.result.text for call in calls(session) if call.result is not None]
    return "\n".join([*(block.prompt for block in session.blocks), *texts(session), *results])


def result_text(call: ToolCall) -> str:
    assert call.result is not None
    return call.result.text


def check(case: dict[str, Any], session: Session) -> set[str]:
    """Compare a session with a case's expectations; the names of those that are known here."""
    expected: dict[str, Any] = case["expected"]
    made = calls(session)
    by_id = {call.id: call for call in made}
    found = [(diagnostic.place.line, diagnostic.kind) for diagnostic in session.diagnostics]
    counts = session.counts
    known: dict[str, Any] = {
        "mcp_calls": sum(call.mcp for call in made),
        "messages": counts.messages,
        "duplicates": counts.duplicates,
        "roots": counts.roots,
        "compactions": counts.compactions,
        "orphan_results": counts.orphan_results,
        "branches_at": dict(counts.branches),
        "skipped_lines": len(found),
        "results_for_toolu_1": sum(call.id == "toolu_1" and call.result is not None for call in made),
        "results": {call_id: result_text(by_id[call_id]) for call_id in expected.get("results", {})},
        "pairs": {call_id: result_text(by_id[call_id]) for call_id in expected.get("pairs", {})},
    }
    for name, value in known.items():
        if name in expected:
            assert value == expected[name], name
    if "call" in expected:
        (call,) = made
        assert (call.server, call.tool, call.arguments) == tuple(
            expected["call"][name] for name in ("server", "tool", "arguments_json")
        )
        assert result_text(call) == expected["call"]["result_text"]
    if "diagnostics" in expected:
        assert len(found) == len(expected["diagnostics"])
        for (line, kind), wanted in zip(found, expected["diagnostics"], strict=True):
            assert line == wanted["line"]
            assert kind == wanted.get("kind", kind)
    text = shown_text(session)
    assert all(wanted in text for wanted in expected.get("must_show", []))
    assert not any(unwanted in text for unwanted in expected.get("must_not_show", []))
    assert expected.get("image_placeholder", "") in text
    if "status" in expected:
        assert [call.status for call in made] == [Status.NO_RESULT]
    if "shown_full_name" in expected:
        assert [call.name for call in made] == [expected["shown_full_name"]]
    checked = {"call", "diagnostics", "must_show", "must_not_show", "image_placeholder", "must_terminate_ms", "status"}
    return checked | known.keys() | {"shown_full_name", "no_exception"}


def test_every_transcript_case_of_claude_code(shared: Path) -> None:
    seen = 0
    for path in sorted((shared / "cases").glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if case["kind"] != "transcript" or case.get("format") != "claude-code":
            continue
        seen += 1
        session = read_bytes(case_bytes(case))
        blocks = list(session.blocks)
        assert [len(block.calls) for block in blocks] == list(session.call_counts), case["id"]
        try:
            checked = check(case, session)
        except AssertionError as error:
            raise AssertionError(f"case {case['id']}: {error}") from error
        assert case["expected"].keys() <= checked, case["id"]
    assert seen >= 20


def test_the_case_of_gemini_cli(shared: Path, tmp_path: Path) -> None:
    case = json.loads((shared / "cases" / "B103.json").read_text(encoding="utf-8"))
    path = tmp_path / "chat"
    path.write_text(case["input_text"])
    session = open_session(path)
    shown = sum(1 + len(block.items) for block in session.blocks)
    assert (session.id, shown) == (case["expected"]["session_id"], case["expected"]["messages"])


def test_every_case_of_a_recording_that_is_followed(shared: Path, tmp_path: Path) -> None:
    seen = 0
    for case_file in sorted((shared / "cases").glob("*.json")):
        case = json.loads(case_file.read_text(encoding="utf-8"))
        if case["kind"] != "follow":
            continue
        path = tmp_path / case["id"]
        path.touch()
        growing = open_growing(path)
        grown = growing.read_on(9)
        for step in case["steps"]:
            if "append" in step:
                with path.open("a", encoding="utf-8") as file:
                    file.write(step["append"])
            elif "truncate_to" in step:
                os.truncate(path, step["truncate_to"])
            grown = growing.read_on(9) or grown
            if "expect_messages" in step:
                seen += 1
                assert grown is not None
                assert grown.session.counts.messages == step["expect_messages"], case["id"]
    assert seen >= 2


def test_every_sample_can_be_read_whole(shared: Path) -> None:
    seen = 0
    for folder in ("claude-code", "claude-stream-json"):
        for path in sorted((shared / "samples" / folder).iterdir()):
            session = open_session(path)
            assert session.format == ("claude-code" if folder == "claude-code" else "claude-stream-json")
            assert [len(block.calls) for block in session.blocks] == list(session.call_counts)
            assert all(session.read_raw(call.place) for call in calls(session))
            seen += 1
    assert seen >= 4
