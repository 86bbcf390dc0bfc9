"""What all tests share: a fixed environment, pictures in top-level `snapshots/`, the shared reference files."""

from __future__ import annotations

import os
import tempfile

# Textual reads these once, when it is imported.
for name in ("NO_COLOR", "TEXTUAL_THEME", "TEXTUAL_DIM_FACTOR", "TEXTUAL_COLOR_SYSTEM", "TEXTUAL_FILTERS"):
    os.environ.pop(name, None)
os.environ["TEXTUAL_ANIMATIONS"] = "none"
os.environ["TZ"] = "UTC"
# No test may read or fill the user's own cache, and neither may a process that it starts.
_CACHE = tempfile.TemporaryDirectory(prefix="blockview-tests-")
os.environ["XDG_CACHE_HOME"] = _CACHE.name

from pathlib import Path  # noqa: E402

import pytest  # noqa: E402
import pytest_textual_snapshot as pts  # noqa: E402
from syrupy.location import PyTestLocation  # noqa: E402

TESTS = Path(__file__).parent
collect_ignore = ["data"]
SNAPSHOTS = TESTS.parent / "snapshots"


class TopLevelSVG(pts.SVGImageExtension):
    """Stores the pictures of tests/ui/test_x.py in snapshots/ui/test_x/."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        where = Path(test_location.filepath).relative_to(TESTS)
        return str(SNAPSHOTS / where.with_suffix(""))


pts.SVGImageExtension = TopLevelSVG


@pytest.fixture
def shared() -> Path:
    """The directory of shared reference files beside the repository; the test is skipped where there is none."""
    path = TESTS.parent.parent / "shared"
    if not path.is_dir():
        pytest.skip("no shared reference files beside the repository")
    return path
