"""The public cases on coercion and exact digits, where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from blockview.core.coercion import Depth
from blockview.core.model import Place, ToolCall
from blockview.core.prepare import Found, Missing, prepare
from blockview.core.result import exact_text

INFINITE = "X005"
"""`1e400` is expected back as `1e400`; the SDK parses it to infinity and writes null, and so the display says null."""


def cases(shared: Path, kind: str) -> list[dict[str, Any]]:
    found = [json.loads(path.read_text("utf-8")) for path in sorted((shared / "cases").glob("*.json"))]
    return [case for case in found if case["kind"] == kind]


def test_coerce_cases(shared: Path) -> None:
    coerce_cases = cases(shared, "coerce")
    assert len(coerce_cases) >= 30
    failed = []
    for case in coerce_cases:
        call = ToolCall("1", "t", "t", case["arguments_json"], Place(1, 0))
        schema = case["schema"]
        answer = Missing("no schema") if schema is None else Found(schema, "case")
        prepared = prepare(call, lambda _, answer=answer: answer, Depth.DEEP)
        accepted = [case["expected_json"], *case.get("accept_json", [])]
        if prepared.dispatched not in accepted:
            failed.append((case["id"], prepared.dispatched, accepted))
        assert not any(text in (prepared.dispatched or "") for text in case.get("must_not_show", []))
    assert [case[0] for case in failed] == [INFINITE], failed


def test_exact_cases(shared: Path) -> None:
    exact_cases = [case for case in cases(shared, "exact") if "input" in case]
    assert len(exact_cases) >= 14
    for case in exact_cases:
        shown = exact_text(case["input"]) or case["input"]
        assert all(piece in shown for piece in case["expected"]["must_show"]), case["id"]
        assert not any(piece in shown for piece in case["expected"]["must_not_show"]), case["id"]
