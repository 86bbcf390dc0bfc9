"""`blockview tools`: ask servers for their tools, and print them as a file that `--tools` reads."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

from blockview.catalog.tools import tool_text
from blockview.commands import Failure
from blockview.commands.consent import Consent
from blockview.commands.sending import add_wait_options, end_on_signals, remember
from blockview.commands.serving import add_server_options, servers_from
from blockview.commands.shared import warn
from blockview.core.replaying import Hints, NotConnected
from blockview.core.safetext import short_name, visible_json
from blockview.dispatch.connection import Connection
from blockview.dispatch.servers import GIVEN, Scope, Server, Servers, destination, find_server

_HINTS = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="a server that blockview servers lists; without a name, all that --server, --url, --sse and --config give",
    )
    add_server_options(parser)
    add_wait_options(parser)
    parser.add_argument(
        "--yes",
        action="store_true",
        help="do not ask before a configured server is started: giving its NAME or its --config is enough",
    )


def run(options: Namespace) -> int:
    """Start or reach the servers one after the other, print their tools, and keep the lists for later displays.

    A server that gives no tools costs only its own. Exit code 0: all gave theirs; 1: some did; 2: none did.
    """
    end_on_signals()
    servers = servers_from(options)
    for problem in servers.problems:
        warn(problem)
    terminal = sys.stdin if sys.stdin is not None and sys.stdin.isatty() else None
    consent = Consent(terminal, given=options.yes)
    listed: list[str] = []
    names = _names(servers, options.names)
    failed = 0
    for name in names:
        try:
            server = _allowed(servers, name, consent)
            listed.append(",\n".join(_tools(server, options)))
        except Failure as failure:
            warn(str(failure))
            failed += 1
    if failed < len(names):
        print('{"tools":[', visible_json(",\n".join(filter(None, listed))), "]}", sep="\n")
    return 2 if failed == len(names) else min(failed, 1)


def _names(servers: Servers, names: Sequence[str]) -> list[str]:
    """The servers that are to give their tools: those of these names, or all that the command line gives.

    Raises:
        Failure: there is none.
    """
    given = [entry for entry in servers.entries if entry.scope in GIVEN and not entry.shadowed_by]
    found = list(dict.fromkeys(names or (entry.server.name for entry in given)))
    if not found:
        raise Failure(
            "no server given; take --server NAME=COMMAND, --url NAME=URL, --config FILE, "
            "or a name that blockview servers lists"
        )
    return found


def _allowed(servers: Servers, name: str, consent: Consent) -> Server:
    """The server of that name, once it may be started.

    Raises:
        Failure: there is none, it cannot be used, or the person does not want it started.
    """
    choice = find_server(servers, name)
    server = choice.server
    if server is None:
        raise Failure(choice.reason)
    if not _on_the_command_line(servers, server) and (
        consent.stopped or not consent.to_start(destination(server), choice.reason)
    ):
        raise Failure(f"{short_name(server.name)} is not started, as you wished")
    return server


def _on_the_command_line(servers: Servers, server: Server) -> bool:
    """Whether the person wrote out the command or URL just now, which is consent to exactly that."""
    return any(entry.server is server for entry in servers.entries if entry.scope is Scope.FLAG)


def _tools(server: Server, options: Namespace) -> Iterator[str]:
    """The tools of a server, one text each.

    Raises:
        Failure: the server cannot be reached, or does not list them.
    """
    name = short_name(server.name)
    connection = Connection(server, connect_timeout=options.connect_timeout, timeout=options.timeout)
    try:
        connection.connect().result()
        for remark in connection.remarks:
            warn(f"{name}: {remark}")
        if connection.listed_at is None:
            raise Failure(f"{name}: it did not list its tools")
        remember(server, connection.tools)
        for tool in connection.tools:
            yield tool_text(tool, _annotations(connection.hints(tool.name)))
    except NotConnected as failed:
        for line in failed.outcome.stderr.splitlines():
            warn(f"{name}: {line}")
        raise Failure(f"{name}: {failed.outcome.detail}") from None
    finally:
        connection.close()


def _annotations(hints: Hints) -> str | None:
    said = {key: value for name, key in _HINTS.items() if (value := getattr(hints, name)) is not None}
    return json.dumps(said, separators=(",", ":")) if said else None
