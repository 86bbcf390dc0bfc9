"""Servers out of the configs that people already have, each read as the tool that owns it reads it.

Configs are looked for in the current folder and in the user's own folders, never beside a recording. Nothing is
started or reached here, and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from blockview.dispatch.documents import BadConfig, json_object, member, read_file, toml_table
from blockview.dispatch.entries import read_entry
from blockview.dispatch.expand import Discreet, Surroundings, Tool
from blockview.dispatch.places import (
    PROJECT_FILES,
    Place,
    claude_code_file,
    project_folders,
    project_places,
    user_places,
)
from blockview.dispatch.servers import Entry, Scope, Servers

_WITH_COMMENTS = (Tool.VSCODE, Tool.CURSOR)
_EDITOR_FORMS = ("${env:", "${userHome}", "${workspaceFolder", "${pathSeparator}", "${/}")


class Machine(Discreet, frozen=True):
    """What configs are looked for and read with. `platform` is a value of `sys.platform`."""

    current: Path
    home: Path
    environ: Mapping[str, str]
    platform: str

    def fit_to_show(self) -> list[tuple[str, Any]]:
        """All but the environment."""
        return [("current", self.current), ("home", self.home), ("platform", self.platform)]

    def around(self, workspace: str) -> Surroundings:
        """What variables are replaced from in the configs of a project."""
        return Surroundings(self.environ, str(self.home), str(self.current), workspace)


def discover(machine: Machine) -> Servers:
    """All servers that the person's tools would find in the current folder, the nearest first.

    A config that cannot be read is one of the `problems`, and the others are read all the same.
    """
    entries: list[Entry] = []
    problems: list[str] = []
    own = claude_code_file(machine.home, machine.environ)
    places = user_places(machine.home, machine.environ, machine.platform)
    looked_at = [place.path for place in places] + [own]
    claude = _claude_code(own, machine, problems)
    for folder in project_folders(machine.current):
        entries += claude.get(str(folder), ())
        for place in project_places(folder):
            if place.path not in looked_at:  # in the home folder a user's config stands where a project's would
                entries += _read_place(place, machine, problems)
                looked_at.append(place.path)
    entries += claude.get("", ())
    for place in places:
        entries += _read_place(place, machine, problems)
    return Servers(tuple(entries), tuple(problems), tuple(map(str, looked_at)))


def read_config(path: Path, machine: Machine) -> tuple[Entry, ...]:
    """The servers of a config that the person named, of whichever tool: its content tells.

    Raises:
        BadConfig: it is not there, cannot be read, or is no config with servers.
    """
    data = read_file(path)
    if data is None:
        raise BadConfig(f"{path}: no such file")
    whole = Path(os.path.abspath(path))
    marker = next((name for name in PROJECT_FILES if whole.as_posix().endswith(f"/{name}")), None)
    workspace = "" if marker is None else str(whole.parents[marker.count("/")])
    if path.suffix == ".toml":
        servers = toml_table(path, data).get("mcp_servers")
        return _all_entries(path, servers, Place(path, Tool.CODEX, Scope.CONFIG, workspace), machine)
    document = json_object(path, data, comments=True)
    key, tool = _json_kind(path, document, marker)
    local: list[Entry] = []
    if "projects" in document:
        by_folder = _projects(path, document, machine, Scope.CONFIG)
        local = [entry for folder in project_folders(machine.current) for entry in by_folder.get(str(folder), ())]
    if key is None and "projects" not in document:
        raise BadConfig(f'{path}: no servers: expected "mcpServers", "servers" or [mcp_servers]')
    servers = member(path, document.get(key)) if key else None
    place = Place(path, tool, Scope.CONFIG, workspace)
    return (*local, *(_all_entries(path, servers, place, machine) if key else ()))


def _json_kind(path: Path, document: Mapping[str, msgspec.Raw], marker: str | None) -> tuple[str | None, Tool]:
    """The member that holds the servers, and the tool that writes such files."""
    if "mcpServers" in document:
        if path.name == "claude_desktop_config.json":
            return "mcpServers", Tool.CLAUDE_DESKTOP
        if marker is not None:
            return "mcpServers", PROJECT_FILES[marker]
        text = bytes(document["mcpServers"]).decode("utf-8", "replace")
        as_editor = any(form in text for form in _EDITOR_FORMS)
        return "mcpServers", Tool.CURSOR if as_editor else Tool.CLAUDE_CODE
    return ("servers", Tool.VSCODE) if "servers" in document else (None, Tool.CLAUDE_CODE)


def _read_place(place: Place, machine: Machine, problems: list[str]) -> tuple[Entry, ...]:
    try:
        data = read_file(place.path)
        if data is None:
            return ()
        if place.tool is Tool.CODEX:
            servers = toml_table(place.path, data).get("mcp_servers", {})
        else:
            document = json_object(place.path, data, comments=place.tool in _WITH_COMMENTS)
            servers = _servers(place.path, document, "servers" if place.tool is Tool.VSCODE else "mcpServers")
        return _all_entries(place.path, servers, place, machine)
    except BadConfig as error:
        problems.append(str(error))
        return ()


def _servers(path: Path, document: Mapping[str, msgspec.Raw], key: str) -> object:
    return member(path, document[key]) if key in document else {}


def _all_entries(path: Path, servers: object, place: Place, machine: Machine) -> tuple[Entry, ...]:
    if not isinstance(servers, dict):
        raise BadConfig(f"{path}: the servers are not in an object")
    around = machine.around(place.workspace)
    return tuple(
        read_entry(name, options, place.tool, place.scope, str(path), around) for name, options in servers.items()
    )


def _claude_code(path: Path, machine: Machine, problems: list[str]) -> Mapping[str, Iterable[Entry]]:
    """The servers of Claude Code's own file: by project folder, and the user's under the empty text."""
    try:
        data = read_file(path)
        if data is None:
            return {}
        document = json_object(path, data, comments=False)
        servers = _servers(path, document, "mcpServers")
        mine = _all_entries(path, servers, Place(path, Tool.CLAUDE_CODE, Scope.USER), machine)
        return {**_projects(path, document, machine, Scope.PROJECT), "": mine}
    except BadConfig as error:
        problems.append(str(error))
        return {}


def _projects(
    path: Path, document: Mapping[str, msgspec.Raw], machine: Machine, scope: Scope
) -> dict[str, tuple[Entry, ...]]:
    """The servers that Claude Code keeps for single projects, where they matter to the current folder."""
    projects = member(path, document.get("projects"))
    found: dict[str, tuple[Entry, ...]] = {}
    for folder in project_folders(machine.current):
        for key in dict.fromkeys((str(folder), folder.as_posix())):
            project = projects.get(key) if isinstance(projects, dict) else None
            servers = project.get("mcpServers") if isinstance(project, dict) else None
            if isinstance(servers, dict):
                place = Place(path, Tool.CLAUDE_CODE, scope, str(folder))
                found[str(folder)] = _all_entries(path, servers, place, machine)
    return found
