"""`blockview [PATH ...]`: browse a recording in the app, or choose one from a list."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from blockview.commands import Failure, load
from blockview.commands.sending import Sender, add_wait_options
from blockview.commands.serving import add_server_options
from blockview.commands.shared import (
    STDIN,
    add_coerce_option,
    add_tools_option,
    begin_recording,
    is_demo,
    lookups,
    read_recording,
    warn,
)
from blockview.core.coercion import Depth
from blockview.core.model import Session
from blockview.readers.opening import holds_several

if TYPE_CHECKING:
    from blockview.commands.listing import FoundSessions
    from blockview.core.growing import Growing
    from blockview.core.searching import Told, Wanted
    from blockview.ui.app import Opened

NO_TERMINAL = "browsing needs a terminal; without one, print the session: blockview render PATH"

_APP = "blockview.ui.app"


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a recording, a folder, - for stdin, or demo")
    parser.add_argument(
        "--places", action="store_true", help="print where recordings are looked for, and what is there"
    )
    parser.add_argument(
        "--follow", action="store_true", help="go on with what is written to the recording, as tail -f does"
    )
    add_browse_options(parser)


def add_browse_options(parser: ArgumentParser) -> None:
    """The options of all commands that open the app."""
    add_coerce_option(parser)
    add_tools_option(parser)
    add_server_options(parser)
    add_wait_options(parser)


def run(options: Namespace) -> int:
    """Open one recording, or offer several."""
    if options.places:
        from blockview.commands.places import print_places

        return print_places(options.paths)
    sender, paths = Sender(options), options.paths
    sender.check()
    if not paths:
        return _own(options, sender)
    if paths == [STDIN]:
        if options.follow:
            raise Failure("--follow needs a file: what comes in on stdin is read to its end first")
        return _piped(options, sender)
    if len(paths) == 1 and is_demo(paths[0]):
        return _demo(options)
    if len(paths) > 1 or os.path.isdir(paths[0]) or holds_several(paths[0]):
        from blockview.commands.listing import named_sessions

        sessions = named_sessions(paths, options)
        check_terminal()
        return _choose(sessions, paths[0] if len(paths) == 1 else f"{len(paths)} files", options, sender)
    growing, grown = begin_recording(paths[0])
    check_terminal()
    return show(grown.session, options, sender, growing, complete=grown.complete)


def check_terminal() -> None:
    """Refuse to start the app where it would hang: it paints on stderr and reads keys from stdin.

    Raises:
        Failure: one of them is no terminal.
    """
    if not sys.stderr.isatty() or sys.stdin is None or not sys.stdin.isatty():
        raise Failure(NO_TERMINAL)


def show(
    session: Session, options: Namespace, sender: Sender, growing: Growing | None = None, *, complete: bool = True
) -> int:
    """Browse a session until the person leaves.

    Args:
        session: What is known of it.
        options: The options of the command.
        sender: Sends calls.
        growing: Reads on, if there may be more.
        complete: Whether all that is there now was read.
    """
    catalogs = lookups(options.tools, sender.lookup)
    sender.serve(session)
    load(_APP)
    from blockview.ui.app import Opened, run_app

    following = getattr(options, "follow", False)
    opened = Opened(session, catalogs(session), catalogs, growing, complete, following, sender.serve)
    try:
        return run_app(opened, depth=Depth(options.coerce), replayer=sender.replayer)
    finally:
        sender.close()


def _own(options: Namespace, sender: Sender) -> int:
    check_terminal()
    from blockview.commands.listing import has_own_sessions, own_sessions

    if has_own_sessions():
        return _choose(own_sessions(options), "all tools", options, sender)
    warn("no sessions of any tool (blockview --places tells where they are looked for); this is the demo")
    return _demo(options)


def _demo(options: Namespace) -> int:
    from blockview.commands import demo

    return demo.run(options)


def _piped(options: Namespace, sender: Sender) -> int:
    """Read the recording from stdin to its end, then take the keys from the terminal itself."""
    if not sys.stderr.isatty():
        raise Failure(NO_TERMINAL)
    session = read_recording(STDIN)
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        raise Failure(NO_TERMINAL) from None
    os.dup2(terminal, 0)
    os.close(terminal)
    return show(session, options, sender)


def _choose(sessions: FoundSessions, where: str, options: Namespace, sender: Sender) -> int:
    """Let the person choose one of these sessions, which the picker searches for once it is on screen."""
    load(_APP)
    from blockview.ui.app import Opened, run_app
    from blockview.ui.screens.picker import Picker

    catalogs = lookups(options.tools, sender.lookup)

    def search(paths: Sequence[str], wanted: Wanted) -> Generator[Told | None, None, None]:
        from blockview.commands.searchers import search_files

        return search_files(paths, wanted, Depth(options.coerce), options.tools)

    def open_path(name: str) -> Opened:
        growing, grown = begin_recording(name)
        sender.serve(grown.session)
        session, complete = grown.session, grown.complete
        return Opened(session, catalogs(session), catalogs, growing, complete, options.follow, sender.serve)

    try:
        return run_app(
            picker=lambda: Picker(sessions, where, search),
            open_path=open_path,
            depth=Depth(options.coerce),
            replayer=sender.replayer,
        )
    finally:
        sender.close()
        sessions.stop()
        sessions.keep()
