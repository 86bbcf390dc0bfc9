"""Find in a session that is read from a file, and in many of them."""

import json
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot

from blockview.commands.searchers import search_files
from blockview.core.coercion import Depth
from blockview.core.find import HEAD
from blockview.core.lines import plain
from blockview.core.listing import Listing
from blockview.core.needle import Hit
from blockview.core.searching import Told, Wanted
from blockview.readers.opening import open_session
from blockview.ui.app import BlockviewApp, Opened
from blockview.ui.screens.finding_all import FindingAll
from blockview.ui.screens.picker import Picker
from blockview.ui.screens.session import SessionScreen
from tests.readers.lines import answers, prompt, result, says, use
from tests.ui.driving import running, settle

FILLER = 120


def write(path: Path, *words: str) -> Path:
    """A transcript whose first block and whose last blocks hold each of `words`, with many blocks between them."""
    lines = []
    for number, word in enumerate([words[0], *(["filler"] * FILLER), *words]):
        lines.append(prompt(f"say {number}", uuid=f"u{number}", parent=f"r{number - 1}" if number else None))
        lines.append(says(use(f"t{number}", q=word), uuid=f"a{number}", parent=f"u{number}"))
        lines.append(answers(result(f"t{number}", content=f"told {word}"), uuid=f"r{number}", parent=f"a{number}"))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


async def test_a_hit_far_away_is_found_by_the_bytes(tmp_path: Path) -> None:
    session = open_session(write(tmp_path / "a.jsonl", "start", "größer", 'a "quoted" word'))
    async with running(Opened(session)) as app:
        text = await app.press("/", *"grö")
        assert app.session.view.cursor == (FILLER + 2, 0)
        assert "1 of 1" in text
        assert app.session.view.hunt is not None and app.session.view.hunt.settled
        await app.press("escape", "/", *'"quoted"')
        assert app.session.view.cursor == (FILLER + 3, 0)
        assert "not found" in await app.press("escape", "/", *"nowhere")


@pytest.mark.parametrize("looked_for", ["the needle", "größe", 'a "quoted"'])
async def test_a_hit_in_a_large_folded_result_unfolds_only_what_holds_it(tmp_path: Path, looked_for: str) -> None:
    rows = [{"name": "filler", "more": ["x" * 300]} for _ in range(4_000)]
    rows[2_000]["more"] = ["y", 'the needle, größer than a "quoted" one']
    path = tmp_path / "a.jsonl"
    path.write_text(
        "\n".join((prompt("go"), says(use("t", q=1)), answers(result("t", content=json.dumps({"rows": rows}))))) + "\n"
    )
    async with running(Opened(open_session(path))) as app:
        await app.press("/", *looked_for, "enter")
        detail = app.session.detail
        await detail.ready()
        await app.text()
        assert detail.row is not None and looked_for[:5] in plain(detail.row.line).replace("\\u00f6", "ö").replace(
            "\\", ""
        )
        assert 4_000 < detail.line_count < 4_100


async def test_what_only_the_reader_says_is_found_too(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", "start")
    with path.open("a") as file:
        file.write(says(use("t-last", q=1.0), uuid="last", parent=f"r{FILLER + 1}") + "\n")
    async with running(Opened(open_session(path))) as app:
        text = await app.press("/", *"no result is recorded")
        assert "1 of 1" in text
        assert app.session.view.cursor.block == FILLER + 1


async def test_a_regular_expression_while_typing(tmp_path: Path) -> None:
    session = open_session(write(tmp_path / "a.jsonl", "start", "needle42", "needle"))
    async with running(Opened(session)) as app:
        assert "not found" in await app.press("/", *r"needle\d+")
        text = await app.press("ctrl+r")
        assert "regex" in text and "1 of 1" in text
        assert app.session.view.cursor == (FILLER + 2, 0)
        text = await app.press("(")
        assert "not a regex: missing ), unterminated subpattern" in text
        assert app.session.view.needle is None
        assert "1 of 1" in await app.press("backspace", "enter")
        assert "regex" in app.painted()
        assert "not found" in await app.press("ctrl+r")


class Files:
    """Sessions in files, of which nothing is found out."""

    lanes = 1

    def __init__(self, *paths: Path) -> None:
        self._paths = paths

    def find(self) -> list[Listing]:
        return [Listing(str(path), 0, problem="not looked into") for path in self._paths]

    def look(self, listings: Sequence[Listing]) -> list[list[Listing]]:
        return [[listing] for listing in listings]

    def keep(self) -> None: ...

    def stop(self) -> None: ...


def search(paths: Sequence[str], wanted: Wanted) -> Generator[Told | None, None, None]:
    return search_files(paths, wanted, Depth.TOP, None)


def picking(*paths: Path) -> BlockviewApp:
    return BlockviewApp(
        picker=lambda: Picker(Files(*paths), "files", search), open_path=lambda name: Opened(open_session(name))
    )


async def test_a_text_is_found_in_all_sessions_and_opened_there(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{number}.jsonl", "start", f"needle{number}") for number in range(3)]
    async with running(app=picking(*paths)) as app:
        await app.press("e")
        assert isinstance(app.app.screen, FindingAll)
        text = await app.press(*"needle2", "enter")
        assert "2.jsonl" in text and "1.jsonl" not in text
        assert "2 hits" in text
        await app.press("j", "enter")
        await app.text()
        assert isinstance(app.app.screen, SessionScreen)
        assert app.session.view.cursor == (FILLER + 2, 0)
        assert "1 of 1" in await app.text()
        await app.press("escape", "escape")
        assert isinstance(app.app.screen, FindingAll)


async def test_what_cannot_be_a_regular_expression_is_said_while_it_is_typed(tmp_path: Path) -> None:
    async with running(app=picking(write(tmp_path / "a.jsonl", "start"))) as app:
        text = await app.press("e", "ctrl+r", "[")
        assert "not a regex" in text
        await app.press("escape")
        assert isinstance(app.app.screen, Picker)


HITS = (
    Hit(3, HEAD, "prompt", "", "set the retry limit to five", 8, 19),
    Hit(3, 1, "arguments", "mcp__jobs__run_job", '{"name":"retry limit","limit":5}', 9, 20),
    Hit(41, 0, "result", "mcp__logs__get_log", "x" * 150 + " the Retry Limit was 5 \x1b[31m[red]日本語", 155, 166),
)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 10)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_picture(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    def told(paths: Sequence[str], wanted: Wanted) -> Generator[Told | None, None, None]:
        for name in ("/recordings/uploader.jsonl", "/recordings/opencode.db#ses_123"):
            yield from (Told(name, name, hit) for hit in HITS)
            yield Told(name, name)
        yield Told("/recordings/odd", "/recordings/odd", problem="no permission to read it")

    app = BlockviewApp(picker=lambda: Picker(Files(), "files", told))

    async def ready(pilot: Pilot[None]) -> None:
        app.push_screen(FindingAll(told, ["a", "b", "c"]))
        await pilot.pause()
        await pilot.press(*"retry", "space", *"limit", "enter")
        await settle(app)
        await pilot.press("j", "j")
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=ready)
    assert app.return_code in (None, 0), "the app failed: what was compared is no picture of it"
