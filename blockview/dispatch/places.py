"""Where the tools keep their configs.

| tool | project | user |
|---|---|---|
| Claude Code | `.mcp.json`; `projects` in the user's file | `~/.claude.json`, or in `CLAUDE_CONFIG_DIR` |
| Claude Desktop | | `Claude/claude_desktop_config.json` in the folder for applications |
| VS Code | `.vscode/mcp.json` | `Code/User/mcp.json` and its `profiles`, in the folder for applications |
| Cursor | `.cursor/mcp.json` | `~/.cursor/mcp.json` |
| Codex | `.codex/config.toml` | `config.toml` in `CODEX_HOME`, else `~/.codex` |

The folder for applications is `~/Library/Application Support` on macOS, `APPDATA` on Windows, `XDG_CONFIG_HOME` (else
`~/.config`) elsewhere. Project configs count in the current folder and its parents up to the root of the repository;
outside a repository in the current folder alone, as anybody may write to a parent like /tmp.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from blockview.dispatch.expand import Tool
from blockview.dispatch.servers import Scope

PROJECT_FILES = {
    ".mcp.json": Tool.CLAUDE_CODE,
    ".vscode/mcp.json": Tool.VSCODE,
    ".cursor/mcp.json": Tool.CURSOR,
    ".codex/config.toml": Tool.CODEX,
}
_VSCODE_FOLDERS = ("Code", "Code - Insiders", "VSCodium")


class Place(msgspec.Struct, frozen=True):
    """A path where a config may be. `workspace` is the project's folder, empty for a user's config."""

    path: Path
    tool: Tool
    scope: Scope
    workspace: str = ""


def project_folders(current: Path) -> list[Path]:
    """The current folder and its parents up to the root of the repository, the nearest first."""
    folders = [current, *current.parents]
    root = next((at for at, folder in enumerate(folders) if os.path.exists(folder / ".git")), 0)
    return folders[: root + 1]


def project_places(folder: Path) -> list[Place]:
    """Where the configs of the project in `folder` may be."""
    return [Place(folder / name, tool, Scope.PROJECT, str(folder)) for name, tool in PROJECT_FILES.items()]


def claude_code_file(home: Path, environ: Mapping[str, str]) -> Path:
    """Claude Code's own file, with the user's servers and those of single projects."""
    return Path(environ.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"


def user_places(home: Path, environ: Mapping[str, str], platform: str) -> list[Place]:
    """Where the user's own configs may be, except Claude Code's. `platform` is a value of `sys.platform`."""
    applications = _applications(home, environ, platform)
    paths = [(applications / "Claude" / "claude_desktop_config.json", Tool.CLAUDE_DESKTOP)]
    paths += ((path, Tool.VSCODE) for name in _VSCODE_FOLDERS for path in _vscode_files(applications / name / "User"))
    paths += [
        (home / ".cursor" / "mcp.json", Tool.CURSOR),
        (Path(environ.get("CODEX_HOME") or home / ".codex") / "config.toml", Tool.CODEX),
    ]
    return [Place(path, tool, Scope.USER) for path, tool in paths]


def _vscode_files(user: Path) -> Iterator[Path]:
    yield user / "mcp.json"
    yield from sorted(user.glob("profiles/*/mcp.json"))


def _applications(home: Path, environ: Mapping[str, str], platform: str) -> Path:
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
