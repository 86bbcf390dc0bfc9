"""What the commands that know live servers share: the options that name servers, and the configs they add to."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from blockview.commands import Failure

if TYPE_CHECKING:
    from blockview.dispatch.servers import Servers


def add_server_options(parser: ArgumentParser, *, configs: bool = True) -> None:
    """`--server`, `--url`, `--sse`, `--header` and, with `configs`, `--config`; each may be given several times."""
    parser.add_argument(
        "--server", action="append", default=[], metavar="NAME=COMMAND", help="a server that COMMAND starts"
    )
    parser.add_argument("--url", action="append", default=[], metavar="NAME=URL", help="a server at URL (HTTP)")
    parser.add_argument(
        "--sse", action="append", default=[], metavar="NAME=URL", help="a server at URL (the older HTTP with SSE)"
    )
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="[SERVER=]NAME:VALUE",
        help="a header for the --url or --sse server; with several, name it",
    )
    if not configs:
        parser.set_defaults(config=[])
        return
    parser.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="FILE",
        help="a config of Claude Code, Claude Desktop, VS Code, Cursor or Codex",
    )


def servers_from(options: Namespace) -> Servers:
    """All servers for the options of `add_server_options`, the nearest first: flags, named configs, project, user.

    Project configs are those of the current folder; no other option (such as a recording's path) has a say. Nothing
    is started or reached. The caller tells the person of `problems`.

    Raises:
        Failure: a flag cannot be understood, or a config that was named cannot be read.
    """
    from blockview.dispatch.configs import Machine, discover, read_config
    from blockview.dispatch.documents import BadConfig
    from blockview.dispatch.servers import BadOption, Servers, servers_of_flags, with_shadows

    try:
        current = Path.cwd()
    except OSError:
        raise Failure("the current folder is not there any more") from None
    machine = Machine(current, Path(os.path.expanduser("~")), os.environ, sys.platform)
    try:
        flags = servers_of_flags(options.server, options.url, options.header, str(current), options.sse)
        named = [entry for path in options.config for entry in read_config(Path(path), machine)]
    except (BadOption, BadConfig) as error:
        raise Failure(str(error)) from None
    found = discover(machine)
    again = {os.path.abspath(path) for path in options.config}
    others = (entry for entry in found.entries if entry.server.source not in again)
    return Servers(with_shadows([*flags, *named, *others]), found.problems, found.looked_at)
