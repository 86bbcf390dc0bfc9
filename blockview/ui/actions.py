"""The one table of keys: it feeds the bindings, the footer, the help screen, the command palette and the README.

This module imports nothing of Textual, so that the table can be read cheaply.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Where(Enum):
    """On which part of the app a key works."""

    EVERYWHERE = "everywhere"
    ROWS = "rows that fold"
    """On the session, and on the screens of replay."""
    SESSION = "session"
    LIST = "list"
    DETAIL = "detail"
    PICKER = "picker"
    HITS = "hits in sessions"
    CONFIRM = "confirmation"
    EDITOR = "editor"
    SENDING = "sending"
    COMPARED = "recorded and live"


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


MOVE, FOLD, LOOK, FIND, COPY, REPLAY, APP = "Move", "Fold", "Look", "Find", "Copy", "Replay", "App"

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
    Action(MOVE, "pick", ("enter",), "Enter", "open", "open the session", Where.PICKER, False),
    Action(MOVE, "open_hit", ("enter",), "Enter", "open", "open the session at the hit", Where.HITS, False),
    Action(MOVE, "step_in", ("l", "right"), "l →", "in", "unfold, or go one level in", palette=False),
    Action(MOVE, "step_out", ("h", "left"), "h ←", "out", "go one level out, or fold", palette=False),
    Action(MOVE, "next_mark", ("]",), "]", "next mark", "next call with a mark (→ ? !)"),
    Action(MOVE, "previous_mark", ("[",), "[", "previous mark", "previous call with a mark"),
    Action(MOVE, "next_error", ("}",), "}", "next error", "next call with an error (!)"),
    Action(MOVE, "previous_error", ("{",), "{", "previous error", "previous call with an error"),
    Action(MOVE, "switch_pane", ("tab", "shift+tab"), "Tab", "other pane", "go between list and detail"),
    Action(FOLD, "fold", ("space",), "Space", "fold", "fold or unfold a block, a container, a long text", Where.ROWS),
    Action(FOLD, "expand_all", ("E",), "E", "expand all", "unfold everything in the pane", Where.ROWS),
    Action(FOLD, "collapse_all", ("C",), "C", "collapse all", "fold everything in the pane", Where.ROWS),
    Action(LOOK, "depth", ("c",), "c", "coerce", "how far coercion reaches: top, deep, off; all follows at once"),
    Action(LOOK, "recorded", ("r",), "r", "recorded", "the recorded text of the arguments, or what is sent"),
    Action(LOOK, "result", ("t",), "t", "result view", "the result as its value, as text, or as the raw record"),
    Action(LOOK, "follow", ("F",), "F", "follow", "go on with what is written to the recording, or stop that"),
    Action(LOOK, "zoom", ("z",), "z", "zoom", "the focused pane alone, or both"),
    Action(LOOK, "diagnostics", ("D",), "D", "unreadable", "what could not be read, with line, byte and text"),
    Action(FIND, "find", ("/",), "/", "find", "find a text (capitals matter if you type any); nothing is hidden"),
    Action(FIND, "find_regex", ("ctrl+r",), "^r", "regex", "take what is looked for as a regular expression, or not"),
    Action(FIND, "filter", ("f",), "f", "filter", "show only what a filter holds for (Tab completes; Esc shows all)"),
    Action(FIND, "find_session", ("/",), "/", "find", "find sessions by some of their letters", Where.PICKER),
    Action(FIND, "only_tool", ("t",), "t", "tool", "only sessions of the same tool, or of all again", Where.PICKER),
    Action(
        FIND, "only_project", ("p",), "p", "project", "only sessions of the same project, or of all again", Where.PICKER
    ),
    Action(FIND, "sort", ("s",), "s", "sort", "sort sessions by time, calls, errors, project", Where.PICKER),
    Action(FIND, "find_everywhere", ("e",), "e", "everywhere", "find a text in all sessions listed", Where.PICKER),
    Action(FIND, "find_another", ("/",), "/", "find", "find another text in the sessions", Where.HITS),
    Action(FIND, "reload", ("r",), "r", "reload", "search for sessions again", Where.PICKER),
    Action(FIND, "next_found", ("n",), "n", "next hit", "next hit"),
    Action(FIND, "previous_found", ("N",), "N", "previous hit", "previous hit"),
    Action(COPY, "copy", ("y",), "y", "copy", "copy: then v value, a arguments, r result, p path, k key, Y block"),
    Action(COPY, "copy_block", ("Y",), "Y", "copy block", "copy the whole block as text"),
    Action(
        REPLAY,
        "replay",
        ("R",),
        "R",
        "replay",
        "send the call, or the MCP calls of the block, to a live server; asks first",
    ),
    Action(
        REPLAY,
        "replay_shown",
        ("A",),
        "A",
        "replay all",
        "send all MCP calls that the list, or a filter, shows; asks first",
    ),
    Action(REPLAY, "schemas", ("S",), "S", "schemas", "ask the call's live server for its tools' schemas; asks first"),
    Action(REPLAY, "compare", ("d",), "d", "compare", "the recorded result beside the live one"),
    Action(
        REPLAY,
        "confirm",
        ("enter", "s"),
        "Enter s",
        "go on",
        "yes, start the server; yes, send",
        Where.CONFIRM,
    ),
    Action(
        REPLAY,
        "always",
        ("a",),
        "a",
        "always",
        "yes, send; and ask no more about calls to this server, but those of destructive tools",
        Where.CONFIRM,
    ),
    Action(REPLAY, "edit", ("e",), "e", "edit", "edit the arguments before they are sent", Where.CONFIRM),
    Action(REPLAY, "apply", ("ctrl+s",), "^s", "apply", "take the arguments", Where.EDITOR),
    Action(
        REPLAY,
        "show_outcome",
        ("enter",),
        "Enter",
        "compare",
        "recorded and live of a call that was sent",
        Where.SENDING,
    ),
    Action(
        REPLAY,
        "keep_going",
        ("c",),
        "c",
        "keep going",
        "go on with the next call after an error; a server that has ended is started again",
        Where.SENDING,
    ),
    Action(REPLAY, "next_difference", ("n",), "n", "next difference", "next difference", Where.COMPARED),
    Action(REPLAY, "previous_difference", ("N",), "N", "previous", "previous difference", Where.COMPARED),
    Action(REPLAY, "side", ("s",), "s", "side/one", "side by side, or below each other", Where.COMPARED),
    Action(REPLAY, "again", ("R",), "R", "again", "replay the call once more", Where.COMPARED),
    Action(
        REPLAY,
        "copy_outcome",
        ("y",),
        "y",
        "copy",
        "copy a result, what was sent, stderr",
        Where.COMPARED,
    ),
    Action(APP, "help", ("?", "f1"), "?", "help", "all keys and marks", Where.EVERYWHERE),
    Action(APP, "command_palette", ("ctrl+p",), "^p", "palette", "all commands, themes", Where.EVERYWHERE, False),
    Action(APP, "back", ("escape",), "Esc", "back", "one level back; ends find and zoom", Where.EVERYWHERE, False),
    Action(APP, "leave", ("q",), "q", "quit", "one level back, then quit", Where.EVERYWHERE, False),
    Action(APP, "quit", ("ctrl+q",), "^q", "quit at once", "quit at once", Where.EVERYWHERE, False),
)
"""Every key of the app, in the order in which help and README show them."""

MARKS = (
    ("→", "changed", "a value is changed, or a duplicate key dropped, for dispatch; the recorded one stands beside it"),
    ("≈", "respelled", "the same value, but the wire spells it otherwise"),
    ("?", "no schema", "the tool's schema was not found: shown and sent as recorded"),
    ("!", "error", "the call failed, was denied or cancelled, or cannot be sent"),
    ("=", "same", "recorded and live are the same"),
    ("~", "differs", "recorded and live differ"),
    ("-", "only recorded", "the live answer does not have it"),
    ("+", "only live", "the recorded answer does not have it"),
)
"""The marks: glyph, word, meaning."""


_FOOTERS = {
    Where.LIST: ("fold", "open", "find", "next_mark", "depth", "copy", "help", "leave"),
    Where.DETAIL: ("back", "fold", "recorded", "find", "depth", "copy", "help", "leave"),
    Where.PICKER: ("pick", "find_session", "find_everywhere", "only_tool", "only_project", "sort", "help", "leave"),
    Where.HITS: ("open_hit", "find_another", "find_regex", "back", "help", "leave"),
    Where.CONFIRM: ("confirm", "always", "edit", "fold", "back", "help", "leave"),
    Where.EDITOR: ("apply", "back", "quit"),
    Where.SENDING: ("show_outcome", "keep_going", "back", "help", "leave"),
    Where.COMPARED: ("next_difference", "side", "fold", "again", "copy_outcome", "back", "help", "leave"),
}


_GIVES_WAY = {Where.LIST: "next_mark", Where.DETAIL: "depth"}


def footer_actions(where: Where, *, replay: bool = False) -> tuple[Action, ...]:
    """The actions of the footer at `where`, the dearest first.

    Args:
        where: The part of the app that has the focus.
        replay: Whether calls can be replayed there; the key for it then takes the place of another.
    """
    named = {action.name: action for action in ACTIONS}
    names = ["replay" if replay and name == _GIVES_WAY.get(where) else name for name in _FOOTERS[where]]
    return tuple(named[name] for name in names)


def keys_markdown() -> str:
    """The keys as a Markdown table, one row for each action: what the README shows."""
    rows = ["| keys | where | what they do |", "|---|---|---|"]
    rows += [f"| {_code(action)} | {action.where.value} | {action.help} |" for action in ACTIONS]
    return "\n".join(rows) + "\n"


def _code(action: Action) -> str:
    return " ".join(f"`{key}`" for key in action.written.split())
