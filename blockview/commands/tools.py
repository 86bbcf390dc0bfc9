"""`blockview tools`: ask servers for their tools, and print them as a file that `--tools` reads."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

from blockview.catalog.tools import tool_text
from blockview.commands import Failure
from blockview.commands.consent import Consent
from blockview.commands.sending import add_wait_options, end_on_signals, only_named, remember
from blockview.commands.serving import add_server_options, servers_from
from blockview.commands.shared import warn
from blockview.core.replaying import Hints, NotConnected
from blockview.core.safetext import short_name, visible_json
from blockview.dispatch.connection import Connection
from blockview.dispatch.servers import Choice, Scope, Server, Servers, choice_of, destination, find_server

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
        help="a configured server; without a name, all that --server, --url and --config give",
    )
    add_server_options(parser)
    add_wait_options(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask; starts no server but those given here")


def run(options: Namespace) -> int:
    """Start or reach the servers one after the other, print their tools, and keep the lists for later displays.

    Exit code 0: all answered; 1: some did; 2: none.
    """
    end_on_signals()
    servers = servers_from(options)
    if options.yes:
        servers = only_named(servers)
    for problem in servers.problems:
        warn(problem)
    terminal = sys.stdin if sys.stdin is not None and sys.stdin.isatty() else None
    consent = Consent(terminal, given=options.yes)
    chosen = _chosen(servers, options.names)
    lines: list[str] = []
    failed = 0
    for choice in chosen:
        try:
            lines += _tools(choice, servers, consent, options)
        except Failure as failure:
            if len(chosen) == 1:
                raise
            warn(str(failure))
            failed += 1
    if failed < len(chosen):
        print('{"tools":[', visible_json(",\n".join(lines)), "]}", sep="\n")
    return 0 if not failed else 1 if failed < len(chosen) else 2


def _tools(choice: Choice, servers: Servers, consent: Consent, options: Namespace) -> list[str]:
    """The tools of a server, one text each.

    Raises:
        Failure: it cannot be used, may not be started, or does not answer.
    """
    server = choice.server
    if server is None:
        raise Failure(choice.reason)
    if not _on_the_command_line(servers, server) and not consent.to_start(
        destination(server), f"configured in {server.source}"
    ):
        raise Failure(f"{short_name(server.name)} is not started, as you wished")
    return list(_listed(server, options))


def _chosen(servers: Servers, names: Sequence[str]) -> list[Choice]:
    """The servers of these names, or those that the command line gives: to name one is to choose it.

    Raises:
        Failure: there is none.
    """
    if names:
        return [find_server(servers, name) for name in names]
    given = [entry for entry in servers.entries if entry.scope in (Scope.FLAG, Scope.CONFIG) and not entry.shadowed_by]
    if not given:
        raise Failure(
            "no server given; take --server NAME=COMMAND, --url NAME=URL, --config FILE, "
            "or a name that blockview servers lists"
        )
    return [choice_of(entry, f"given by {entry.server.source}") for entry in given]


def _on_the_command_line(servers: Servers, server: Server) -> bool:
    """Whether the person wrote out the command or URL just now, which is consent to exactly that."""
    return any(entry.server is server for entry in servers.entries if entry.scope is Scope.FLAG)


def _listed(server: Server, options: Namespace) -> Iterator[str]:
    """The tools of a server, one text each."""
    name = short_name(server.name)
    connection = Connection(server, connect_timeout=options.connect_timeout, timeout=options.timeout)
    try:
        connection.connect().result()
        for remark in connection.remarks:
            warn(f"{name}: {remark}")
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
