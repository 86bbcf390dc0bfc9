"""`blockview [PATH ...]`: browse a recording in the app, or choose one from a list."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from blockview.commands import Failure, load
from blockview.commands.sending import Sender, add_wait_options
from blockview.commands.serving import add_server_options
from blockview.commands.shared import (
    STDIN,
    add_coerce_option,
    add_tools_option,
    lookup_for,
    problem,
    read_recording,
    warn,
)
from blockview.core.coercion import Depth
from blockview.core.model import Session

if TYPE_CHECKING:
    from blockview.ui.app import Opened

NO_TERMINAL = "browsing needs a terminal; without one, print the session: blockview render PATH"

_APP = "blockview.ui.app"


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a recording, a folder, or - for stdin")
    add_browse_options(parser)


def add_browse_options(parser: ArgumentParser) -> None:
    """The options of all commands that open the app."""
    add_coerce_option(parser)
    add_tools_option(parser)
    add_server_options(parser)
    add_wait_options(parser)


def run(options: Namespace) -> int:
    """Open one recording, or offer several."""
    sender, paths = Sender(options), options.paths
    sender.check()
    if not paths:
        return _own(options, sender)
    if paths == [STDIN]:
        return _piped(options, sender)
    if len(paths) > 1:
        check_terminal()
        return _choose([_readable(path) for path in paths], Path(), options, sender)
    folder = Path(paths[0])
    if folder.is_dir():
        check_terminal()
        return _choose(_recordings(folder), folder, options, sender)
    session = read_recording(paths[0])
    check_terminal()
    return show(session, options, sender)


def check_terminal() -> None:
    """Refuse to start the app where it would hang: it paints on stderr and reads keys from stdin.

    Raises:
        Failure: one of them is no terminal.
    """
    if not sys.stderr.isatty() or sys.stdin is None or not sys.stdin.isatty():
        raise Failure(NO_TERMINAL)


def show(session: Session, options: Namespace, sender: Sender) -> int:
    """Browse a session until the person leaves."""
    lookup = lookup_for(session, options.tools, sender.lookup)
    load(_APP)
    from blockview.ui.app import Opened, run_app

    try:
        return run_app(Opened(session, lookup), depth=Depth(options.coerce), replayer=sender.replayer)
    finally:
        sender.close()


def _own(options: Namespace, sender: Sender) -> int:
    from blockview.readers.places import PLACES, own_recordings

    check_terminal()
    found, home = own_recordings(), PLACES[0].path()
    if found:
        return _choose(found, home, options, sender)
    warn(f"no sessions in {home}; this is the demo")
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


def _choose(paths: Sequence[Path], base: Path, options: Namespace, sender: Sender) -> int:
    """Let the person choose one of `paths`, which are shown as they stand below `base`."""
    load(_APP)
    from blockview.ui.app import Opened, run_app
    from blockview.ui.screens.picker import Entry

    def open_path(path: Path) -> Opened:
        session = read_recording(str(path))
        return Opened(session, lookup_for(session, options.tools, sender.lookup))

    entries = []
    for path in paths:
        label = path.relative_to(base) if path.is_relative_to(base) else path
        try:
            changed = datetime.fromtimestamp(path.stat().st_mtime)
        except OSError:  # gone since it was listed
            continue
        entries.append(Entry(str(label), f"{changed:%Y-%m-%d %H:%M}", path))
    try:
        return run_app(entries=entries, open_path=open_path, depth=Depth(options.coerce), replayer=sender.replayer)
    finally:
        sender.close()


def _readable(path: str) -> Path:
    try:
        with open(path, "rb"):
            return Path(path)
    except OSError as error:
        raise Failure(f"{path}: {problem(error)}") from None


def _recordings(folder: Path) -> list[Path]:
    from blockview.readers.places import recordings_in

    try:
        found = recordings_in(folder)
    except OSError as error:
        raise Failure(f"{folder}: {problem(error)}") from None
    if not found:
        raise Failure(f"{folder}: no recordings of a known format in this folder or the folders in it")
    return found
