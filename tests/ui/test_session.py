"""The session screen: what keys and clicks do."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual import events
from textual.widgets import Input

from blockview.core.coercion import Depth
from blockview.core.find import HEAD
from blockview.readers.opening import open_session
from blockview.ui.app import BlockviewApp, Opened
from tests.ui import sessions
from tests.ui.driving import Driver, running

DEMO = Path(__file__).parents[2] / "blockview" / "demo" / "session.jsonl"

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


async def test_the_list_shows_dispatched_arguments_marks_and_counts() -> None:
    async with running(sessions.ordinary()) as app:
        text = await app.text()
        assert 'jobs.open_file {"line":5,"column":1,' in text
        assert "→2" in text and "? " in text and "! tool error" in text and "! denied" in text
        assert "4 blocks  7 calls" in text
        assert "→ 3 changed   ? 1 no schema   ! 2 errors" in text
        assert "coerce: top" in text


async def test_the_detail_follows_the_cursor() -> None:
    async with running(sessions.ordinary()) as app:
        assert "block 1" in await app.detail()
        await app.press("j")
        detail = await app.detail()
        assert re.search(r"→ +line: +5 +was 5\.0 +integer", detail)
        assert "schema from tools/list, line 3" in detail
        await app.press("j")
        assert "1234567890123456789" in await app.detail()
        await app.press("G", "k", "k")
        assert "logs.get_log" in await app.detail()


async def test_movement_keys() -> None:
    async with running(sessions.large(500), size=(120, 24)) as app:
        screen = app.session
        page = screen.blocks.page
        for keys, line in (
            (["j"], 1),
            (["down"], 2),
            (["k"], 1),
            (["up"], 0),
            (["G"], 499),
            (["g"], 0),
            (["end"], 499),
            (["home"], 0),
            (["pagedown"], page),
            (["ctrl+f"], 2 * page),
            (["ctrl+b"], page),
            (["pageup"], 0),
            (["ctrl+d"], page // 2),
            (["ctrl+u"], 0),
            (["k"], 0),
        ):
            await app.press(*keys)
            assert screen.view.cursor_line == line, keys
            top = screen.blocks.scroll_offset.y
            assert top <= line < top + page


async def test_folding_in_the_list() -> None:
    async with running(sessions.ordinary()) as app:
        text = await app.press("space")
        assert "jobs.open_file" not in text.split("│")[0] and "▸" in text
        await app.press("l", "l")
        assert app.session.view.cursor == (0, 0)
        await app.press("h", "h")
        assert app.session.view.cursor == (0, HEAD) and not app.session.view.is_open(0)
        await app.press("E")
        assert app.session.view.lines == 4 + 7
        await app.press("C")
        assert app.session.view.lines == 4


async def test_folding_in_the_detail_is_kept_per_call() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("j", "enter")
        assert app.session.in_detail
        rows = app.session.detail.rows
        tree = next(at for at, row in enumerate(rows) if row.foldable)
        await app.press(*["j"] * tree, "space")
        assert "filePath" not in await app.detail()
        await app.press("escape", "j", "k")
        assert "filePath" not in await app.detail()
        await app.press("tab", "E")
        assert "filePath" in await app.detail()


async def test_folding_everything_in_the_detail() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("]", "]", "enter")
        assert "retries" in await app.detail()
        await app.press("C")
        assert "retries" not in await app.detail() and "opts" in await app.detail()
        await app.press("E")
        assert "retries" in await app.detail()


async def test_going_in_and_out_with_h_and_l() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("j", "l")
        assert app.session.in_detail
        rows = app.session.detail.rows
        tree = next(at for at, row in enumerate(rows) if row.foldable)
        await app.press(*["j"] * (tree + 2), "h")
        assert app.session.detail.cursor_line == tree
        await app.press("h")
        assert "filePath" not in await app.detail()
        await app.press("l")
        assert "filePath" in await app.detail()
        await app.press("g", "h")
        assert not app.session.in_detail


async def test_enter_on_a_call_in_the_detail_of_a_block_goes_to_the_call() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("enter")
        rows = app.session.detail.rows
        call = next(at for at, row in enumerate(rows) if row.target is not None and row.target.call == 1)
        await app.press(*["j"] * call, "enter")
        assert app.session.view.cursor == (0, 1)
        assert "jobs.search" in await app.detail()


async def test_recorded_text() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("j", "r")
        assert '{"line":5.0,"column":1.0,"filePath":"server.go"}' in await app.detail()
        await app.press("r")
        assert "was 5.0" in await app.detail()


async def test_one_key_changes_the_depth_everywhere_at_once() -> None:
    async with running(sessions.ordinary(), size=(160, 36)) as app:
        text = await app.press("j", "c")
        assert '"opts":{"retries":3,"ratio":0.5}' in text and "coerce: deep" in text
        text = await app.press("c")
        assert '{"line":5.0,"column":1.0' in text and "coerce: off" in text and "→ 0 changed" in text
        assert "was 5.0" not in await app.detail()
        assert "coerce: top" in await app.press("c")


async def test_the_depth_can_be_given() -> None:
    async with running(sessions.ordinary(), depth=Depth.DEEP) as app:
        assert "coerce: deep" in await app.text()


async def test_marks_forward_and_back() -> None:
    async with running(sessions.ordinary()) as app:
        seen = []
        for _ in range(6):
            await app.press("]")
            seen.append(tuple(app.session.view.cursor))
        assert seen == [(0, 0), (2, 0), (2, 1), (2, 2), (2, 3), (0, 0)]
        await app.press("[")
        assert app.session.view.cursor == (2, 3)


async def test_errors_forward_and_back_and_around() -> None:
    async with running(sessions.ordinary()) as app:
        seen = []
        for key in "}}}{{":
            await app.press(key)
            call = app.session.view.call(app.session.view.cursor)
            assert call is not None and call.status.failed
            seen.append(app.session.view.cursor)
        assert seen[0] == seen[2] == seen[4] != seen[1] == seen[3]
    async with running(sessions.large(3)) as app:
        await app.press("}")
        assert app.toasts() == ["no call has an error"]


async def test_no_mark_anywhere_is_told() -> None:
    async with running(sessions.session(sessions.block("p"))) as app:
        await app.press("]")
        assert app.toasts() == ["no call has a mark"]


async def test_find_goes_along_hides_nothing_and_counts() -> None:
    async with running(sessions.ordinary()) as app:
        lines = app.session.view.lines
        text = await app.press("/", *"limit")
        assert isinstance(app.app.focused, Input)
        assert "1 of 6" in text
        text = await app.press("enter")
        assert " /limit" in text and "1 of 6" in text
        assert app.session.view.lines == lines
        text = await app.press("n")
        assert "2 of 6" in text and app.session.view.cursor == (0, 1)
        assert "1 of 6" in await app.press("N")
        text = await app.press("escape")
        assert "/limit" not in text and app.session.view.needle is None


async def test_find_steps_through_the_detail_when_it_has_the_focus() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("j", "enter", "/", *"column", "enter")
        assert app.session.in_detail
        row = app.session.detail.row
        assert row is not None and any("column" in span.text for span in row.line)


async def test_escape_while_typing_goes_back_to_where_it_began() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("j", "/", *"thanks")
        assert app.session.view.cursor == (3, HEAD)
        await app.press("escape")
        assert app.session.view.cursor == (0, 0)
        assert app.session.focused is app.session.blocks


async def burst(app: Driver, keys: str) -> None:
    """Send keys all at once, as a paste or a slow line does."""
    for key in keys:
        name = {"\n": "enter"}.get(key, key)
        app.app.post_message(events.Key(name, key))
    await app.text()
    await app.text()


async def test_keys_in_one_burst_go_where_they_belong() -> None:
    async with running(sessions.ordinary()) as app:
        await burst(app, "/limit")
        assert app.session.view.needle is not None and app.session.view.needle.text == "limit"
        await burst(app, "\nn")
        assert app.session.view.needle.text == "limit" and app.session.view.cursor == (0, 1)
        assert app.session.focused is app.session.blocks
        await burst(app, "/thanks\n")
        assert app.session.view.needle.text == "thanks" and app.session.view.cursor == (3, HEAD)


async def test_what_is_not_found_is_said_and_moves_nothing() -> None:
    async with running(sessions.ordinary()) as app:
        text = await app.press("j", "/", *"[red]")
        assert "not found" in text
        assert app.session.view.cursor == (0, 0)
        await app.press("enter", "n")
        assert app.session.view.cursor == (0, 0)


async def test_a_hit_in_a_folded_text_is_unfolded() -> None:
    text = "\n".join(f"line {number}" for number in range(900))
    async with running(sessions.session(sessions.block("p", sessions.call("get_log", "{}", text)))) as app:
        await app.press("/", *"line 877", "enter")
        assert app.session.view.cursor == (0, 0)
        row = app.session.detail.row
        assert row is not None and any("line 877" in span.text for span in row.line)


async def copied(app: Driver, *keys: str) -> str:
    await app.press(*keys)
    return app.app.clipboard


async def test_copies_are_complete_and_told() -> None:
    async with running(sessions.ordinary()) as app:
        text = await app.press("j", "y")
        assert "arguments as sent" in text and "arguments as recorded" in text
        sent = '{"line":5,"column":1,"filePath":"server.go"}'
        assert await copied(app, "a") == sent
        assert app.toasts() == [f"copied: arguments as sent, {len(sent)} characters"]
        assert await copied(app, "y", "o") == '{"line":5.0,"column":1.0,"filePath":"server.go"}'
        assert await copied(app, "y", "r") == '{"text":"func main() {","line":5}'
        assert await copied(app, "y", "v") == sent
        await app.press("enter")
        rows = app.session.detail.rows
        node = next(at for at, row in enumerate(rows) if any("filePath" in span.text for span in row.line))
        await app.press(*["j"] * node)
        assert await copied(app, "y", "v") == "server.go"
        assert await copied(app, "y", "p") == "/filePath"
        assert await copied(app, "y", "k") == "filePath"
        whole = await copied(app, "Y")
        assert whole.startswith("add the retry to the uploader\n") and "9007199254740993" in whole


async def test_the_path_of_the_root_is_called_so_and_where_nothing_is_to_copy_that_is_told() -> None:
    async with running(sessions.ordinary(diagnostics=True)) as app:
        await app.press("j", "enter")
        while "{} " not in "".join(span.text for span in app.session.detail.row.line):
            await app.press("j")
        assert 'path of the root, ""' in await app.press("y")
        await app.press("p")
        assert app.toasts()[-1] == 'copied: path of the root, "", 0 characters'
        await app.press("escape", "G", "y")
        assert app.toasts()[-1] == "nothing to copy here"


async def test_the_title_stands_beside_the_name_where_there_is_room() -> None:
    opened = sessions.ordinary()
    titled = opened._replace(session=replace(opened.session, title="Retry in the uploader"))
    async with running(titled, size=(140, 20)) as app:
        assert "uploader.jsonl  Retry in the uploader" in (await app.text()).split("\n")[0]
    async with running(titled, size=(100, 20)) as app:
        assert "Retry" not in (await app.text()).split("\n")[0]


async def test_the_copy_menu_by_cursor_and_left_by_escape() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("j", "y", "escape")
        assert app.app.clipboard == ""
        assert await copied(app, "y", "down", "enter") == '{"line":5,"column":1,"filePath":"server.go"}'


async def test_what_could_not_be_read_is_within_reach() -> None:
    async with running(sessions.ordinary(diagnostics=True)) as app:
        assert "1 not read" in await app.text()
        await app.press("D")
        detail = await app.detail()
        assert "line 7, byte 1,234" in detail and "ends too early" in detail
        assert '"content":[red]half a' in detail
        await app.press("j", "j", "space")
        assert "half a" not in await app.detail()
        await app.press("y", "Y")
        assert app.app.clipboard == ""


async def test_nothing_unreadable_is_told() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("D")
        assert app.toasts() == ["everything could be read"]


async def test_help_and_back() -> None:
    async with running(sessions.ordinary()) as app:
        text = await app.press("?")
        assert "keys and marks" in text and "next call with a mark" in text
        await app.press("escape")
        assert app.session.blocks.has_focus
        await app.press("?", "q")
        assert app.session.blocks.has_focus


async def test_the_palette_runs_the_table_of_actions() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("ctrl+p", *"coerce")
        await app.pilot.pause(0.3)
        await app.press("enter", "enter")
        assert app.session.view.depth is Depth.DEEP


async def test_one_pane_below_a_hundred_columns() -> None:
    async with running(sessions.ordinary(), size=(99, 24)) as app:
        assert not app.session.detail.display and app.session.blocks.display
        await app.press("j", "enter")
        assert app.session.detail.display and not app.session.blocks.display
        await app.press("q")
        assert app.session.blocks.display and app.app.is_running
        await app.pilot.resize_terminal(100, 24)
        await app.text()
        assert app.session.detail.display and app.session.blocks.display


async def test_the_cursor_shows_where_colours_are_few_and_only_in_the_pane_that_has_the_keys() -> None:
    async with running(sessions.ordinary(), size=(100, 12)) as app:
        app.app.add_class("-few-colors")
        await app.press("j")

        def underlined() -> list[int]:
            strips = app.app.screen._compositor.render_strips()
            return [y for y, strip in enumerate(strips) if any(part.style and part.style.underline for part in strip)]

        assert underlined() == [2]
        await app.press("tab")
        assert underlined() == [1, 2]


async def test_zoom() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("j", "z")
        assert not app.session.detail.display
        await app.press("tab")
        assert app.session.detail.display and not app.session.blocks.display
        await app.press("escape")
        assert app.session.detail.display and app.session.blocks.display


async def test_q_leaves_and_escape_does_not() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("escape", "escape")
        assert app.app.is_running
        await app.pilot.press("q")
        await app.pilot.pause()
        assert not app.app.is_running


async def test_degenerate_sizes_and_back() -> None:
    async with running(sessions.ordinary(diagnostics=True), size=(80, 24)) as app:
        for size in ((1, 1), (2, 1), (3, 2), (40, 10), (1, 30), (200, 1), (80, 24)):
            await app.pilot.resize_terminal(*size)
            await app.press("j", "enter", "j", "tab", "?", "escape", "y", "escape", "/", "x", "escape", "escape")
        assert "add the retry" in await app.press("escape", "escape", "g")


async def test_an_empty_session() -> None:
    async with running(sessions.session()) as app:
        for key in "jkgG]/[nNEChlyYcrtzD?":
            await app.press(key, "escape", "escape")
        await app.press("enter", "space", "tab", "space", "pagedown")
        assert "0 blocks" in await app.text()


async def test_the_wheel_scrolls_and_a_click_selects_and_folds() -> None:
    async with running(sessions.ordinary()) as app:
        await app.pilot.click("#list", offset=(20, 2))
        assert app.session.view.cursor == (0, 1)
        await app.pilot.click("#list", offset=(0, 0))
        assert not app.session.view.is_open(0)
        await app.pilot.click("#list", offset=(20, 0))
        assert not app.session.view.is_open(0)
        await app.pilot.double_click("#list", offset=(20, 1))
        assert app.session.in_detail


async def test_a_click_in_the_footer_does_what_it_says() -> None:
    async with running(sessions.ordinary()) as app:
        footer = (await app.text()).splitlines()[-1]
        await app.pilot.click("#footer", offset=(footer.index("coerce"), 0))
        assert app.session.view.depth is Depth.DEEP


async def test_who_presses_ctrl_c_is_told_how_to_leave_in_the_words_of_the_keys() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("ctrl+c")
        assert app.toasts() == ["^q quits at once, q goes one level back"]


async def test_dragging_copies_text_without_padding() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("j", "enter")
        detail = app.session.detail
        rows = ["".join(span.text for span in row.line).rstrip() for row in detail.rows]
        first = rows.index(next(row for row in rows if "line:" in row))
        await app.pilot.mouse_down("#detail", offset=(2, first))
        await app.pilot.hover("#detail", offset=(40, first + 1))
        await app.pilot.mouse_up("#detail", offset=(40, first + 1))
        await app.press("ctrl+c")
        copied_lines = app.app.clipboard.split("\n")
        assert len(copied_lines) == 2
        assert copied_lines[0] and rows[first].endswith(copied_lines[0])
        assert rows[first + 1].startswith(copied_lines[1].rstrip())
        assert all(line == line.rstrip() for line in copied_lines)


async def test_hostile_text_is_shown_as_text_everywhere() -> None:
    async with running(sessions.hostile()) as app:
        screens = [await app.press(*keys) for keys in (["j"], ["r"], ["r", "j"], ["y"], ["escape", "D"], ["escape"])]
        screens += [await app.press("g", "Y"), await app.press("/", *"[red]"), await app.press("enter", "n")]
        for text in screens:
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)
        assert "[red]not markup[/red] [@click=app.quit]click[/]" in screens[0]
        assert app.app.is_running


async def test_nothing_recorded_reaches_the_terminal_as_a_control_sequence() -> None:
    async with running(sessions.hostile()) as app:
        await app.press("j", "tab")
        console = app.app.console
        drawn = "".join(strip.render(console) for strip in app.app.screen._compositor.render_strips())
        without_colours = re.sub(r"\x1b\[[\d;]*m", "", drawn)
        assert "\x1b" not in without_colours and "\x07" not in without_colours


async def test_every_theme_shows_the_cursor() -> None:
    async with running(sessions.ordinary(), size=(100, 12)) as app:
        await app.press("j")
        for theme in app.app.available_themes:
            app.app.theme = theme
            await app.text()
            strips = app.app.screen._compositor.render_strips()
            cursor, other = (next(iter(strip)).style for strip in (strips[2], strips[3]))
            assert cursor is not None and other is not None
            assert cursor.without_color != other.without_color or cursor.bgcolor != other.bgcolor, theme


async def test_a_heavy_result_is_read_in_the_background() -> None:
    heavy = "[" + ",".join(f'{{"id":{number}}}' for number in range(100_000)) + "]"
    opened = sessions.session(sessions.block("p", sessions.call("get_log", "{}", heavy), sessions.call("search", "{}")))
    async with running(opened) as app:
        app.session.action_down()
        await asyncio.sleep(0.02)
        assert "reading 1,288,8" in "".join(span.text for span in app.session.detail.rows[0].line)
        app.session.action_down()
        assert "call 2/2" in await app.detail()
        await app.press("k")
        assert "100,000 items" in await app.text()
        await app.press("enter", "/", *"99999", "enter")
        row = app.session.detail.row
        assert row is not None and any("99999" in span.text for span in row.line)
        await app.press("escape", "C")
        assert app.session.detail.line_count < 100_100


async def test_keys_do_not_wait_for_the_count_of_marks() -> None:
    app = BlockviewApp(sessions.large(100_000))
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        await asyncio.sleep(0.05)
        driver.session.action_down()
        await asyncio.sleep(0.05)
        assert driver.session.view.cursor_line == 1
        assert not driver.session.view.marked.complete
        strips = app.screen._compositor.render_strips()
        assert "…" in strips[0].text


@pytest.mark.parametrize("pane", ["list", "detail"])
async def test_no_key_is_a_danger_where_there_is_nothing(pane: str) -> None:
    async with running(sessions.session()) as app:
        if pane == "detail":
            await app.press("tab")
        keys = ["enter", "space", "h", "l", "E", "C", "j", "k", "g", "G", "]", "[", "r", "t", "z", "n", "N", "Y", "D"]
        for key in keys:
            await app.press(key, *(["escape"] if key == "D" else []))
        assert "0 blocks" in await app.text()


async def test_keys_in_a_burst_leave_a_menu_once() -> None:
    async with running(sessions.ordinary()) as app:
        await app.press("j")
        for key in ("y", "v", "v", "escape", "escape", "y", "escape", "escape"):
            app.app.simulate_key(key)
        assert "4 blocks" in await app.text()
        assert app.app.is_running


async def test_a_recording_that_is_rewritten_under_the_app_is_no_danger(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    shutil.copy(DEMO, path)
    async with running(Opened(open_session(path))) as app:
        path.write_bytes(b"x" * 300)
        text = await app.press("G", "enter", "E", "y", "escape", "escape", "Y", "g", "]", "space")
        assert "8 blocks" in text


async def test_find_can_be_opened_again_at_once() -> None:
    async with running(sessions.ordinary()) as app:
        screen = app.session
        screen.action_find()
        screen.end_find()
        screen.action_find()  # the first line is not gone yet
        await app.press("j", "o", "b")
        assert screen.view.needle is not None and screen.view.needle.text == "job"
