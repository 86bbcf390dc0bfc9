"""`blockview servers`: the servers that calls could be sent to, and where they are configured."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from blockview.commands.serving import add_server_options, servers_from
from blockview.commands.shared import warn
from blockview.core.safetext import cell_width, short_name, visible, visible_json
from blockview.dispatch.places import PROJECT_FILES
from blockview.dispatch.servers import Entry, Servers, destination

_LABEL = 9


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    add_server_options(parser)


def run(options: Namespace) -> int:
    """List what is configured. Nothing is started or reached; values of variables and headers are never printed."""
    servers = servers_from(options)
    if options.json:
        print(visible_json(json.dumps(_as_json(servers), indent=1)))
        return 0
    for problem in servers.problems:
        warn(problem)
    for line in _as_text(servers):
        print(line)
    return 0


def _as_text(servers: Servers) -> Iterator[str]:
    if not servers.entries:
        files = ", ".join(PROJECT_FILES)
        yield (
            f"no servers: looked for {files} in {visible(str(Path.cwd()))} and up to its repository's root, "
            "and for the user's configs of Claude Code, Claude Desktop, VS Code, Cursor and Codex; "
            "give one with --server NAME=COMMAND, --url NAME=URL or --config FILE"
        )
    names = [short_name(entry.server.name) for entry in servers.entries]
    width = max(map(cell_width, names), default=0)
    for name, entry in zip(names, servers.entries, strict=True):
        seen = destination(entry.server)
        yield f"{name}{' ' * (width - cell_width(name))}  {entry.server.how or '?':5}  {visible(_status(entry))}"
        for label, value in (
            ("url" if entry.server.url else "command", seen.command),
            ("folder", seen.folder),
            ("from", f"{seen.source} ({_whose(entry)})" if entry.tool else seen.source),
            ("hidden", ", ".join(seen.hidden)),
        ):
            if value:
                yield f"  {label:{_LABEL}}{visible(value)}"


def _status(entry: Entry) -> str:
    status = f"cannot be used: {entry.problem}" if entry.problem else "usable"
    if not entry.shadowed_by:
        return status
    shadow = f"shadowed by {entry.shadowed_by}"
    return f"{shadow}; {status}" if entry.problem else shadow


def _whose(entry: Entry) -> str:
    return f"{entry.tool}, {entry.scope}"


def _as_json(servers: Servers) -> dict[str, object]:
    return {
        "blockview": 1,
        "servers": [_entry_as_json(entry) for entry in servers.entries],
        "problems": servers.problems,
        "looked_at": servers.looked_at,
    }


def _entry_as_json(entry: Entry) -> dict[str, object]:
    seen = destination(entry.server)
    return {
        "name": entry.server.name,
        "how": entry.server.how or None,
        "command": None if entry.server.url else seen.command,
        "url": seen.command if entry.server.url else None,
        "folder": seen.folder or None,
        "hidden": seen.hidden,
        "source": seen.source,
        "scope": entry.scope,
        "tool": entry.tool or None,
        "usable": not entry.problem and not entry.shadowed_by,
        "problem": entry.problem or None,
        "shadowed_by": entry.shadowed_by or None,
    }
