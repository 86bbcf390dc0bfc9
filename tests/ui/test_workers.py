"""Work in the background."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

UI = Path(__file__).parents[2] / "blockview" / "ui"


def undescribed() -> Iterator[str]:
    for path in sorted(UI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "work"):
                continue
            if "description" not in {keyword.arg for keyword in node.keywords}:
                yield f"{path.name}:{node.lineno}"


def test_every_worker_has_a_description() -> None:
    """Textual makes one of the arguments' `repr` else, on the thread that paints, and a result may have megabytes."""
    assert list(undescribed()) == []
