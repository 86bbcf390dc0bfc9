"""`blockview record -o FILE -- COMMAND ...`: sit between a client and its stdio server, and keep every message."""

from __future__ import annotations

import os
import signal
import sys
from argparse import ArgumentParser, Namespace
from contextlib import suppress

from blockview.commands import Failure
from blockview.dispatch.proxy import run as run_between
from blockview.dispatch.recording import NotOurs, Recording


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="the recording; one that is there goes on"
    )
    parser.add_argument("--name", metavar="NAME", help="what the server is called (default: its program's name)")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="behind --: the server's program and arguments")


def run(options: Namespace) -> int:
    """Run the server until it ends, and end as it did."""
    program = options.command[0]
    name = options.name or os.path.splitext(os.path.basename(program))[0]
    try:
        recording = Recording(options.output, name, _warn)
    except NotOurs as error:
        raise Failure(str(error)) from None
    try:
        code = run_between(options.command, lambda way, line, cut: recording.add(way, line, cut=cut))
    except OSError as error:
        raise Failure(f"{program}: cannot be started: {error.strerror or error}") from None
    if code < 0:
        with suppress(OSError):  # SIGKILL has no other effect anyway
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    # The thread that waits for the client cannot be woken; nothing else is left to do.
    os._exit(code)


def _warn(text: str) -> None:
    from blockview.core.safetext import visible

    print(f"blockview: {visible(text)}", file=sys.stderr, flush=True)
