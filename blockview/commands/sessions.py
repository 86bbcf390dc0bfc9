"""`blockview sessions [PATH ...]`: the list that the picker shows, complete, as a table or as JSON."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from blockview.commands.listing import FoundSessions, named_sessions, own_sessions
from blockview.commands.shared import add_coerce_option, add_tools_option, terminal_width, warn
from blockview.core.lines import Line, plain
from blockview.core.listing import Listing, newest_first
from blockview.core.pickerlines import names_line, session_line
from blockview.core.safetext import cell_width, visible, visible_json

_BATCH = 32
"""Sessions that are looked into at a time."""
_NARROWEST = 100
"""Columns of the table before the paths where it does not go to a terminal, or to a narrower one."""
_GAP = 2


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="recordings, or a folder; by default all of your tools"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object, with paths and whole prompts")
    add_coerce_option(parser)
    add_tools_option(parser)


def run(options: Namespace) -> int:
    """List all sessions with all that can be known of them, the newest first."""
    sessions = named_sessions(options.paths, options) if options.paths else own_sessions(options)
    try:
        listings = counted(sessions)
    finally:
        sessions.stop()
    sessions.keep()
    if options.json:
        found = {"blockview": 1, "sessions": list(map(_as_json, listings))}
        print(visible_json(json.dumps(found, indent=1)))
        return 0
    unreadable = [listing for listing in listings if listing.problem and listing.path in options.paths]
    for listing in unreadable:
        warn(f"{listing.path}: {listing.problem}")
    if not listings:
        warn("no sessions found; blockview --places tells where they are looked for")
        return 0
    paths = [_from_home(listing.name) for listing in listings]
    width = max(_NARROWEST, terminal_width(sys.stdout) - _GAP - max(map(cell_width, paths)))
    for line, path in ((names_line(width), "path"), *zip(_lines(listings, width), paths, strict=True)):
        text = plain(line)
        print(f"{text}{' ' * (width + _GAP - cell_width(text))}{path}")
    return 2 if unreadable else 0


def _lines(listings: Sequence[Listing], width: int) -> Iterator[Line]:
    return (session_line(listing, width) for listing in listings)


def _from_home(path: str) -> str:
    """The path as a person types it, with what is not to be printed made visible."""
    home = os.path.expanduser("~") + os.sep
    return visible(f"~{os.sep}{path.removeprefix(home)}" if path.startswith(home) else path)


def counted(sessions: FoundSessions) -> list[Listing]:
    """All sessions, looked into until nothing more can be found out, the newest first."""
    listings = sessions.find()
    done = [listing for listing in listings if listing.settled]
    left = [listing for listing in listings if not listing.settled]
    with ThreadPoolExecutor(sessions.lanes) as lanes:
        while left:
            levels = {listing.name: listing.level for listing in left}
            found = [each for some in lanes.map(sessions.look, _batches(left)) for each in some]
            told = [listing for some in found for listing in some]
            left = [each for each in told if not each.settled and levels.get(each.name) is not each.level]
            names = {listing.name for listing in left}
            done += [listing for listing in told if listing.name not in names]
    return newest_first(done)


def _batches(listings: Sequence[Listing]) -> Iterator[Sequence[Listing]]:
    return (listings[start : start + _BATCH] for start in range(0, len(listings), _BATCH))


def _as_json(listing: Listing) -> dict[str, object]:
    numbers = listing.numbers
    marks = numbers and {"changed": numbers.changed, "no_schema": numbers.missing, "errors": numbers.errors}
    return {
        "path": listing.path,
        "id": listing.id or None,
        "tool": listing.tool or None,
        "format": listing.format or None,
        "project": listing.project or None,
        "title": listing.title or None,
        "prompt": listing.prompt or None,
        "changed": _moment(listing.changed),
        "size": listing.size,
        "blocks": numbers.blocks if numbers else None,
        "calls": numbers.calls if numbers else None,
        "marks": marks,
        "problem": listing.problem or None,
    }


def _moment(seconds: float) -> str | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else None
    except (OverflowError, ValueError, OSError):
        return None
