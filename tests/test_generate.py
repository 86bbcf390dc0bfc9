"""The transcripts that benchmarks run on are what they say."""

from pathlib import Path

import pytest

from blockview.readers.opening import open_session
from tests.bench.generate import NEEDLE, SHAPES, generate


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two, other = (tmp_path / name for name in ("one", "two", "other"))
    for path, seed in ((one, 7), (two, 7), (other, 8)):
        generate(path, 300_000, seed=seed)
    assert one.read_bytes() == two.read_bytes() != other.read_bytes()


def test_a_session_is_as_long_as_asked_for_and_holds_the_rare_text_once(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    writer = generate(path, 1_000_000)
    session = open_session(path)
    assert path.stat().st_size == writer.size >= 1_000_000
    assert (session.diagnostics, session.counts.calls) == ((), writer.calls)
    assert [NEEDLE in block.prompt for block in session.blocks].count(True) == 1
    assert path.read_bytes().count(NEEDLE.encode()) == 1


@pytest.mark.parametrize(
    ("shape", "size", "blocks", "calls"),
    [
        ("blocks", 50, 50, 0),
        ("calls", 30, 1, 30),
        ("result", 5000, 1, 1),
        ("line", 5000, 3, 0),
        ("picture", 5000, 1, 1),
    ],
)
def test_the_shapes_have_what_they_are_named_after(
    tmp_path: Path, shape: str, size: int, blocks: int, calls: int
) -> None:
    path = tmp_path / "session.jsonl"
    generate(path, size, SHAPES[shape])
    session = open_session(path)
    assert (len(session.blocks), session.counts.calls, session.diagnostics) == (blocks, calls, ())
