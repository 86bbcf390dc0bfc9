"""Places in bytes, in one process and in several, and the words that no place is to be expected for."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from blockview.core.bytefind import Probe, sure_probe
from blockview.core.model import Block, Text
from blockview.readers import claude_words, codex_words, scanning
from blockview.readers.opening import open_session
from blockview.readers.registry import reader_for
from blockview.readers.scanners import by_processes
from blockview.readers.scanning import places, places_in
from blockview.readers.source import Source
from tests.readers.lines import prompt, says

PROBE = Probe((b"needle",))
SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
PACKAGE = Path(scanning.__file__).parents[1]


@pytest.mark.parametrize("gap", [100, scanning._PIECE - 20, scanning._PIECE - 3, scanning._PIECE, 3 * scanning._PIECE])
def test_a_place_across_the_end_of_a_piece_is_found(gap: int) -> None:
    data = b"x" * gap + b"needle" + b"y" * gap + b"needle"
    found = sorted({place for some in places(Source.of_bytes("a", data), PROBE) for place in some})
    assert found == [gap, 2 * gap + 6]


def test_processes_find_what_one_finds(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(b"%d needle %s\n" % (number, b"z" * (number % 97)) for number in range(5000)))
    with Source.open(path) as source:
        alone = {place for some in places_in(source.read, 0, source.size, PROBE) for place in some}
        together = {place for some in by_processes(str(path), source.read, source.size, PROBE, 3) for place in some}
        assert together == alone
        assert len(alone) == 5000
        # What the processes cannot read is read here.
        missing = str(tmp_path / "missing.jsonl")
        instead = {place for some in by_processes(missing, source.read, source.size, PROBE, 2) for place in some}
        assert instead == alone


def test_a_search_that_nobody_wants_any_more_leaves_no_process(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"needle\n" * 2_000_000)
    with Source.open(path) as source:
        found = by_processes(str(path), source.read, source.size, PROBE, 2)
        assert next(filter(None, found))
        processes = found.gi_frame.f_locals["processes"]  # type: ignore[attr-defined]
        found.close()  # type: ignore[attr-defined]
    assert all(process.returncode is not None for process in processes)


def test_a_place_gives_every_block_that_shows_its_record(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([prompt("needle one"), says("two"), prompt("three", uuid="u2"), says("needle")]) + "\n")
    scanner = open_session(path).scanner
    assert scanner is not None
    assert sorted(block for some in scanner.candidates(PROBE) for block in some) == [0, 1]


SHARED = ["core/media", "core/names", "readers/outcomes", "readers/mcp_names"]
CLAUDE = ["claude_blocks", "claude_calls", "anthropic_blocks"]
CODEX = ["codex", "codex_agents", "codex_events", "codex_names", "codex_outcomes", "conversation", "openai_items"]
MODULES = [
    *((module, added) for module in SHARED for added in (claude_words.ADDED, codex_words.ADDED)),
    *((f"readers/{module}", claude_words.ADDED) for module in CLAUDE),
    *((f"readers/{module}", codex_words.ADDED) for module in CODEX),
]


@pytest.mark.parametrize(("module", "added"), MODULES, ids=[module for module, _ in MODULES])
def test_every_word_that_is_added_to_a_block_is_known(module: str, added: str) -> None:
    tree = ast.parse((PACKAGE / f"{module}.py").read_text())
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in told]
    words = {word.lower() for text in texts if isinstance(text, str) for word in re.findall(r"[^\W_]{3,}", text)}
    assert words <= {*added.split()}


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not here")
@pytest.mark.parametrize("folder", ["claude-code", "claude-stream-json", "codex"])
def test_every_word_that_samples_show_is_in_their_bytes(folder: str) -> None:
    count = 0
    for path in sorted((SAMPLES / folder).iterdir()):
        with Source.open(path) as source:
            reader = reader_for(source)
            added = getattr(reader, "added", None)
            if reader is None or added is None:
                continue
            session = reader.read(source)
            for block in session.blocks:
                for word in {word for text in shown(block) for word in re.findall(r"[^\W_]+", text)}:
                    if (probe := sure_probe((word,), added, any_case=False)) is not None:
                        assert any(places(source, probe)), word
                        count += 1
    assert count > 10


def shown(block: Block) -> Iterator[str]:
    yield block.prompt
    for item in block.items:
        if isinstance(item, Text):
            yield item.text
            continue
        yield from filter(None, (item.name, item.server, item.tool, item.arguments, item.status_note, item.agent))
        if item.result is not None:
            yield item.result.text
            yield item.result.structured or ""
