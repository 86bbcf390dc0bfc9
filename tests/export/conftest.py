"""Golden text files: compared always, written only when `--snapshot-update` is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[2] / "snapshots" / "text"


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with `snapshots/text/<name>`; on `--snapshot-update` write it there."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--snapshot-update", default=False):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"{path} does not exist: run with --snapshot-update"
        assert text == path.read_text(encoding="utf-8")

    return compare
