"""The one table of keys: it feeds the bindings, the footer, the help screen, the command palette and the README.

This module imports nothing of Textual, so that the table can be read cheaply.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Where(Enum):
    """On which part of the app a key works."""

    EVERYWHERE = "everywhere"
    SESSION = "session"
    LIST = "list"
    DETAIL = "detail"
    PICKER = "picker"


class Action(NamedTuple):
    """One thing a person can do.

    `name` is the method `action_<name>` that does it, `keys` are Textual's key names, `written` is how the keys are
    shown, `label` the one or two words of footer and palette.
    """

    group: str
    name: str
    keys: tuple[str, ...]
    written: str
    label: str
    help: str
    where: Where = Where.SESSION
    palette: bool = True


MOVE, FOLD, LOOK, FIND, COPY, APP = "Move", "Fold", "Look", "Find", "Copy", "App"

ACTIONS = (
    Action(MOVE, "down", ("j", "down"), "j ↓", "down", "next row", Where.EVERYWHERE, False),
    Action(MOVE, "up", ("k", "up"), "k ↑", "up", "previous row", Where.EVERYWHERE, False),
    Action(MOVE, "top", ("g", "home"), "g Home", "top", "first row", Where.EVERYWHERE, False),
    Action(MOVE, "bottom", ("G", "end"), "G End", "bottom", "last row", Where.EVERYWHERE, False),
    Action(MOVE, "page_down", ("pagedown", "ctrl+f"), "PgDn ^f", "page down", "one page down", Where.EVERYWHERE, False),
    Action(MOVE, "page_up", ("pageup", "ctrl+b"), "PgUp ^b", "page up", "one page up", Where.EVERYWHERE, False),
    Action(MOVE, "half_down", ("ctrl+d",), "^d", "half page down", "half a page down", Where.EVERYWHERE, False),
    Action(MOVE, "half_up", ("ctrl+u",), "^u", "half page up", "half a page up", Where.EVERYWHERE, False),
    Action(MOVE, "open", ("enter",), "Enter", "open", "open the row in the detail; in the detail: fold"),
    Action(MOVE, "pick", ("enter",), "Enter", "open", "open the recording, in the picker", Where.PICKER, False),
    Action(MOVE, "step_in", ("l", "right"), "l →", "in", "unfold, or go one level in", palette=False),
    Action(MOVE, "step_out", ("h", "left"), "h ←", "out", "go one level out, or fold", palette=False),
    Action(MOVE, "next_mark", ("]",), "]", "next mark", "next call with a mark (→ ? !)"),
    Action(MOVE, "previous_mark", ("[",), "[", "previous mark", "previous call with a mark"),
    Action(MOVE, "switch_pane", ("tab", "shift+tab"), "Tab", "other pane", "go between list and detail"),
    Action(FOLD, "fold", ("space",), "Space", "fold", "fold or unfold a block, a container, a long text"),
    Action(FOLD, "expand_all", ("E",), "E", "expand all", "unfold everything in the pane"),
    Action(FOLD, "collapse_all", ("C",), "C", "collapse all", "fold everything in the pane"),
    Action(LOOK, "depth", ("c",), "c", "coerce", "how far coercion reaches: top, deep, off; all follows at once"),
    Action(LOOK, "recorded", ("r",), "r", "recorded", "the recorded text of the arguments, or what is sent"),
    Action(LOOK, "result", ("t",), "t", "result view", "the result as its value, as text, or as the raw record"),
    Action(LOOK, "zoom", ("z",), "z", "zoom", "the focused pane alone, or both"),
    Action(LOOK, "diagnostics", ("D",), "D", "unreadable", "what could not be read, with line, byte and text"),
    Action(FIND, "find", ("/",), "/", "find", "find a text (capitals matter if you type any); nothing is hidden"),
    Action(FIND, "next_found", ("n",), "n", "next hit", "next hit"),
    Action(FIND, "previous_found", ("N",), "N", "previous hit", "previous hit"),
    Action(COPY, "copy", ("y",), "y", "copy", "copy: then v value, a arguments, r result, p path, k key, Y block"),
    Action(COPY, "copy_block", ("Y",), "Y", "copy block", "copy the whole block as text"),
    Action(APP, "help", ("?", "f1"), "?", "help", "all keys and marks", Where.EVERYWHERE),
    Action(APP, "command_palette", ("ctrl+p",), "^p", "palette", "all commands, themes", Where.EVERYWHERE, False),
    Action(APP, "back", ("escape",), "Esc", "back", "one level back; ends find and zoom", Where.EVERYWHERE, False),
    Action(APP, "leave", ("q",), "q", "quit", "one level back, then quit", Where.EVERYWHERE, False),
    Action(APP, "quit", ("ctrl+q",), "^q", "quit at once", "quit at once", Where.EVERYWHERE, False),
)
"""Every key of the app, in the order in which help and README show them."""

MARKS = (
    ("→", "changed", "a value is changed for dispatch; the recorded literal stands beside it"),
    ("≈", "respelled", "the same value, but the wire spells it otherwise"),
    ("?", "no schema", "the tool's schema was not found: shown and sent as recorded"),
    ("!", "error", "the call failed, was denied or cancelled, or cannot be sent"),
)
"""The marks: glyph, word, meaning."""


_FOOTERS = {
    Where.LIST: ("fold", "open", "find", "next_mark", "depth", "copy", "help", "leave"),
    Where.DETAIL: ("back", "fold", "recorded", "find", "depth", "copy", "help", "leave"),
    Where.PICKER: ("pick", "help", "leave"),
}


def footer_actions(where: Where) -> tuple[Action, ...]:
    """The actions of the footer while the focus is on `where` (list, detail or picker), the dearest first."""
    named = {action.name: action for action in ACTIONS}
    return tuple(named[name] for name in _FOOTERS[where])


def keys_markdown() -> str:
    """The keys as a Markdown table, one row for each action: what the README shows."""
    rows = ["| keys | what they do |", "|---|---|"]
    rows += [f"| {_code(action)} | {action.help} |" for action in ACTIONS]
    return "\n".join(rows) + "\n"


def _code(action: Action) -> str:
    return " ".join(f"`{key}`" for key in action.written.split())
