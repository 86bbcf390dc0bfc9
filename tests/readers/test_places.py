"""Where each tool's recordings are looked for, by system and environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from blockview.readers.places import KNOWN, System

HOME = {"HOME": "/home/me"}
WINDOWS = {"USERPROFILE": "/users/me", "APPDATA": "/users/me/AppData/Roaming"}


def base(tool: str, environment: dict[str, str], system: System = System.LINUX, pattern: str = "") -> Path | None:
    known = next(known for known in KNOWN if known.tool == tool and pattern in known.pattern)
    return known.base(environment, system)


@pytest.mark.parametrize(
    ("tool", "pattern", "expected", "variable", "moved"),
    [
        ("Claude Code", "", ".claude", "CLAUDE_CONFIG_DIR", "/x"),
        ("Codex", "", ".codex", "CODEX_HOME", "/x"),
        ("Gemini CLI", "", ".gemini", "GEMINI_CLI_HOME", "/x/.gemini"),
        ("OpenCode", "", ".local/share", "XDG_DATA_HOME", "/x"),
        ("Goose", "", ".local/share/goose", "GOOSE_PATH_ROOT", "/x/data"),
        ("Goose", "", ".local/share/goose", "XDG_DATA_HOME", "/x/goose"),
        ("Copilot CLI", "", ".copilot", "COPILOT_HOME", "/x"),
        ("Cline", "messages", ".cline", "CLINE_DIR", "/x"),
        ("Cline", "tasks", ".config", "XDG_CONFIG_HOME", "/x"),
        ("mcpsnoop", "", ".local/state/mcpsnoop", "MCPSNOOP_HOME", "/x"),
        ("mcp-debugger", "", ".mcp-debugger/sessions.db", "MCP_DEBUGGER_DATABASE_PATH", "/x"),
    ],
)
def test_a_place_is_below_home_or_where_a_variable_says(
    tool: str, pattern: str, expected: str, variable: str, moved: str
) -> None:
    assert base(tool, HOME, pattern=pattern) == Path("/home/me") / expected
    assert base(tool, HOME | {variable: ""}, pattern=pattern) == Path("/home/me") / expected
    assert base(tool, HOME | {variable: "/x"}, pattern=pattern) == Path(moved)


def test_systems_have_folders_of_their_own() -> None:
    assert base("VS Code", HOME, System.MACOS) == Path("/home/me/Library/Application Support")
    assert base("VS Code", WINDOWS, System.WINDOWS) == Path("/users/me/AppData/Roaming")
    assert base("Goose", WINDOWS, System.WINDOWS) == Path("/users/me/AppData/Roaming/Block/goose/data")
    assert base("Claude Desktop", HOME, System.MACOS, "mcp") == Path("/home/me/Library/Logs/Claude")
    assert base("Claude Code", WINDOWS, System.WINDOWS) == Path("/users/me/.claude")


def test_every_place_is_somewhere_on_every_system() -> None:
    for known in KNOWN:
        for system in System:
            assert known.base(HOME | WINDOWS, system), (known.tool, system)
