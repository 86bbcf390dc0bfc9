"""The table of keys."""

import subprocess
import sys

import pytest
from textual.keys import _character_to_key
from textual.screen import Screen

from blockview.ui.actions import ACTIONS, MARKS, Where, footer_actions, keys_markdown
from blockview.ui.app import BlockviewApp
from blockview.ui.screens.confirm import Confirm
from blockview.ui.screens.edit_arguments import EditArguments
from blockview.ui.screens.finding_all import FindingAll
from blockview.ui.screens.help import help_lines
from blockview.ui.screens.picker import Picker
from blockview.ui.screens.replay import Compared
from blockview.ui.screens.sending import Sending
from blockview.ui.screens.session import SessionScreen


def test_reading_the_table_imports_no_textual() -> None:
    code = "import sys, blockview.ui.actions; sys.exit(any(name.startswith('textual') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


SCREENS: dict[type[Screen[None]], set[Where]] = {
    SessionScreen: {Where.ROWS, Where.SESSION},
    Picker: {Where.PICKER},
    FindingAll: {Where.HITS},
    Confirm: {Where.ROWS, Where.CONFIRM},
    EditArguments: {Where.EDITOR},
    Sending: {Where.SENDING},
    Compared: {Where.ROWS, Where.COMPARED},
}


@pytest.mark.parametrize("screen", SCREENS)
def test_every_action_is_bound_and_exists(screen: type[Screen[None]]) -> None:
    places = {Where.EVERYWHERE, *SCREENS[screen]}
    bound = {binding.id: binding for binding in screen.BINDINGS}  # type: ignore[union-attr]
    for action in ACTIONS:
        if action.where in places:
            assert bound[action.name].key == ",".join(action.keys)  # type: ignore[union-attr]
            owner, _, name = bound[action.name].action.rpartition(".")  # type: ignore[union-attr]
            assert hasattr(BlockviewApp if owner == "app" else screen, f"action_{name}")


def test_no_key_means_two_things_on_one_screen() -> None:
    for places in SCREENS.values():
        keys = [key for action in ACTIONS if action.where in {Where.EVERYWHERE, *places} for key in action.keys]
        assert len(keys) == len(set(keys))


def test_every_key_is_one_that_textual_knows() -> None:
    named = {"enter", "space", "tab", "shift+tab", "escape", "home", "end", "pageup", "pagedown", "f1"}
    named |= {"up", "down", "left", "right"}
    for action in ACTIONS:
        for key in action.keys:
            assert key in named or key.startswith("ctrl+") or (len(key) == 1 and _character_to_key(key)), key


def test_a_footer_has_six_to_eight_keys() -> None:
    for place in (Where.LIST, Where.DETAIL):
        names = [action.name for action in footer_actions(place)]
        assert 6 <= len(names) <= 8
        assert names[-2:] == ["help", "leave"]
        assert "replay" in [action.name for action in footer_actions(place, replay=True)]
    assert "open" in [action.name for action in footer_actions(Where.LIST)]
    assert "back" in [action.name for action in footer_actions(Where.DETAIL)]


def test_the_markdown_table_has_every_action() -> None:
    lines = keys_markdown().splitlines()
    assert lines[0].startswith("| keys")
    assert len(lines) == 2 + len(ACTIONS)
    assert "| `]` | session | next call with a mark" in keys_markdown()


@pytest.mark.parametrize("width", [1, 20, 40, 90])
def test_help_names_every_key_and_mark_within_its_width(width: int) -> None:
    lines = ["".join(span.text for span in line) for line in help_lines(width, ())]
    assert all(len(line) <= max(width, 1) for line in lines)
    if width >= 40:
        assert all(any(action.written in line for line in lines) for action in ACTIONS)
        assert all(any(f"{glyph} {word}" in line for line in lines) for glyph, word, _ in MARKS)


@pytest.mark.parametrize(("screen", "first", "later"), [(SessionScreen, "]", "^s"), (Picker, "p", "]")])
def test_help_begins_with_the_keys_of_the_screen(screen: type[Screen[None]], first: str, later: str) -> None:
    here = [binding.id for binding in screen.BINDINGS]  # type: ignore[union-attr]
    lines = ["".join(span.text for span in line) for line in help_lines(90, [name for name in here if name])]
    keys = [line.split()[0] for line in lines if line.startswith("   ") and line.strip()]
    assert keys.index(first) < keys.index("→") < keys.index(later)
    assert len([line for line in lines if line.startswith("   ")]) >= len(ACTIONS) + len(MARKS)
