"""Where each tool keeps its recordings on this machine: one table, by system and environment."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import msgspec


class System(StrEnum):
    """The systems whose folders are known."""

    LINUX = "linux"
    MACOS = "darwin"
    WINDOWS = "win32"

    @classmethod
    def this(cls) -> System:
        """The system that this process runs on; any Unix counts as Linux."""
        return cls(sys.platform) if sys.platform in (cls.MACOS, cls.WINDOWS) else cls.LINUX


Bases = Mapping[System, tuple[str, ...]]
"""For each system the folders that come into question; the first one counts whose variables are all set."""


class Known(msgspec.Struct, frozen=True):
    """A place of one tool.

    `pattern` says which files below the base are recordings: a part of it may hold `*`, may be `**` for any number of
    folders, or names separated by `|`. An empty pattern means that the base is the file itself. `databases` says that
    one file holds many sessions.
    """

    tool: str
    bases: Bases
    pattern: str
    databases: bool = False

    def base(self, environment: Mapping[str, str], system: System) -> Path | None:
        """The base in this environment, whether it exists or not; None when the system has no such place."""
        for template in self.bases.get(system, ()):
            names = _VARIABLE.findall(template)
            if all(environment.get(name) for name in names):
                path = _VARIABLE.sub(lambda match: environment[match[1]], template)
                return _home(environment, system) / path[2:] if path.startswith("~/") else Path(path)
        return None


_VARIABLE = re.compile(r"\$\{(\w+)\}")


def _home(environment: Mapping[str, str], system: System) -> Path:
    home = environment.get("USERPROFILE" if system is System.WINDOWS else "HOME")
    return Path(home) if home else Path.home()


def _everywhere(*bases: str) -> Bases:
    return dict.fromkeys(System, bases)


def _below(bases: Bases, folder: str) -> Bases:
    return {system: tuple(f"{base}/{folder}" for base in each) for system, each in bases.items()}


_CONFIG: Bases = {
    System.LINUX: ("${XDG_CONFIG_HOME}", "~/.config"),
    System.MACOS: ("~/Library/Application Support",),
    System.WINDOWS: ("${APPDATA}", "~/AppData/Roaming"),
}
_DATA = _everywhere("${XDG_DATA_HOME}", "~/.local/share")
_STATE = _everywhere("${XDG_STATE_HOME}", "~/.local/state")
_GOOSE: Bases = {
    System.LINUX: ("${GOOSE_PATH_ROOT}/data", *_below(_DATA, "goose")[System.LINUX]),
    System.MACOS: ("${GOOSE_PATH_ROOT}/data", *_below(_DATA, "goose")[System.MACOS]),
    System.WINDOWS: ("${GOOSE_PATH_ROOT}/data", *_below(_CONFIG, "Block/goose/data")[System.WINDOWS]),
}
_DESKTOP_LOGS: Bases = {
    System.LINUX: _below(_CONFIG, "Claude/logs")[System.LINUX],
    System.MACOS: ("~/Library/Logs/Claude",),
    System.WINDOWS: _below(_CONFIG, "Claude/logs")[System.WINDOWS],
}
_CLAUDE = _everywhere("${CLAUDE_CONFIG_DIR}", "~/.claude")
_CODEX = _everywhere("${CODEX_HOME}", "~/.codex")
_COPILOT = _everywhere("${COPILOT_HOME}", "~/.copilot")
_REMOTE = _everywhere("~/.vscode-server/data")
_DEBUGGER = _everywhere("${MCP_DEBUGGER_DATABASE_PATH}", "~/.mcp-debugger/sessions.db")
_EDITORS = "Code|Code - Insiders|VSCodium|Cursor|Windsurf/User"
"""The editors of the family, below the folder for configuration."""
_EXTENSIONS = {
    "Cline": "saoudrizwan.claude-dev",
    "Roo Code": "rooveterinaryinc.roo-cline",
    "Kilo Code": "kilocode.kilo-code",
}

KNOWN = (
    Known("Claude Code", _CLAUDE, "projects/*/*.jsonl"),
    Known("Claude Desktop", _CONFIG, "Claude/local-agent-mode-sessions/**/projects/*/*.jsonl"),
    Known("Codex", _CODEX, "sessions/**/rollout-*.json*"),
    Known("Codex", _CODEX, "archived_sessions/rollout-*.json*"),
    Known("Gemini CLI", _everywhere("${GEMINI_CLI_HOME}/.gemini", "~/.gemini"), "tmp/*/chats/session-*.json*"),
    Known("OpenCode", _DATA, "opencode/opencode*.db", databases=True),
    Known("OpenCode", _DATA, "opencode/storage/session/*/ses_*.json"),
    Known("Goose", _GOOSE, "sessions/*.db", databases=True),
    Known("Goose", _GOOSE, "sessions/*.jsonl"),
    Known("Copilot CLI", _COPILOT, "session-state/*/events.jsonl"),
    Known("Copilot CLI", _COPILOT, "session-state/*.jsonl"),
    *(
        Known(tool, bases, f"{users}/globalStorage/{extension}/tasks/*/api_conversation_history.json")
        for tool, extension in _EXTENSIONS.items()
        for bases, users in ((_CONFIG, _EDITORS), (_REMOTE, "User"))
    ),
    Known("Cline", _everywhere("${CLINE_DIR}", "~/.cline"), "**/*.messages.json"),
    *(
        Known("VS Code", bases, f"{users}/{pattern}")
        for bases, users in ((_CONFIG, _EDITORS), (_REMOTE, "User"))
        for pattern in ("workspaceStorage/*/chatSessions/*.json*", "globalStorage/emptyWindowChatSessions/*.json*")
    ),
    Known("Claude Desktop", _DESKTOP_LOGS, "mcp*.log"),
    Known("mcporter", _everywhere("~/.mcporter"), "recordings/*.ndjson"),
    Known("mcpsnoop", _everywhere("${MCPSNOOP_HOME}", *_below(_STATE, "mcpsnoop")[System.LINUX]), "sessions/*.jsonl"),
    Known("mcp-debugger", _DEBUGGER, "", databases=True),
)
"""All places, as the tools' sources and manuals tell them.

Claude Code keeps subagents in folders below a session's own, and Gemini CLI as well: these are no sessions of their
own, and the patterns leave them out.
"""
