"""`blockview find TEXT [PATH ...]`: look for a text in all sessions of your tools, or in some files and folders."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

import msgspec

from blockview.commands import Failure
from blockview.commands.shared import (
    DEMO_TOOLS,
    STDIN,
    add_coerce_option,
    add_tools_option,
    is_demo,
    lookups,
    paint,
    positive,
    problem,
    read_recording,
    terminal_width,
    warn,
)
from blockview.core.coercion import Depth
from blockview.core.find import WHOLE
from blockview.core.hitlines import hit_line
from blockview.core.lines import Role, Span
from blockview.core.safetext import visible
from blockview.core.searching import Told, Wanted
from blockview.readers.discovery import Found, folder_place, found_at, found_in, own_places

_LITTLE = 4_000_000
"""So many bytes are looked through by this process: to start others would take longer."""
_CLEAR = "\r\x1b[K"
"""Empties the line of a terminal."""


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("text", metavar="TEXT", help="what to look for; capitals matter if it has any")
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="recordings, folders, - for stdin, demo; by default all of your tools",
    )
    parser.add_argument("--regex", action="store_true", help="TEXT is a regular expression, as Python writes them")
    parser.add_argument("--case", action="store_true", help="capitals matter in any case")
    parser.add_argument("--limit", type=positive, metavar="N", help="stop after N hits")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each hit, one on a line")
    add_coerce_option(parser)
    add_tools_option(parser)


def run(options: Namespace) -> int:
    """Print every hit as it is found: 0 when there is one, 1 when there is none, 2 when a file could not be read."""
    if not options.text:
        raise Failure("nothing to look for: TEXT is empty")
    wanted = Wanted(options.text, options.regex, options.case)
    try:
        wanted.needle()
    except ValueError as error:
        raise Failure(f"{options.text}: no regular expression: {error}") from None
    lookups(options.tools)  # it tells what is wrong with the file of --tools
    files = _files(options.paths)
    printer = _JsonPrinter() if options.json else _Printer()
    progress = _Progress(files)
    hits, failed = 0, False
    try:
        for told in _grouped(_told(files, wanted, options)):
            if told is None:
                progress.show()
                continue
            progress.clear()
            if told.hit is not None:
                printer.print(told)
                hits += 1
                if hits == options.limit:
                    return 0
                continue
            progress.ended(told.path)
            if told.problem and (not told.foreign or told.path in options.paths):
                warn(f"{told.path}: {told.problem}")
                failed = True
    finally:
        progress.clear()
    return 0 if hits else 2 if failed else 1


def _files(paths: Sequence[str]) -> list[Found]:
    """What is looked through: the files and folders of `paths`, or all sessions of this user's tools, newest first.

    Raises:
        Failure: one of them cannot be read.
    """
    if not paths:
        return list({file.path: file for file in found_in(own_places())}.values())
    found: dict[str, Found] = {}
    for path in paths:
        try:
            if _opened(path):
                found[path] = Found(path, 0, 0)
            elif os.path.isdir(path):
                os.scandir(path).close()
                found.update((file.path, file) for file in found_in([folder_place(path)]))
            else:
                # One session of a database is called by the file's name, a # and its id.
                file = path if os.path.exists(path) else path.rpartition("#")[0] or path
                found[path] = msgspec.structs.replace(found_at(file), path=path)
        except OSError as error:
            raise Failure(f"{path}: {problem(error)}") from None
    return list(found.values())


def sources_of(paths: Sequence[str]) -> list[tuple[str, bool]]:
    """What opens each recording of these files and folders, and whether somebody named it, not only its folder.

    Raises:
        Failure: one of them cannot be read.
    """
    found = [file.path for file in _files(paths)]
    return [(path, path in paths) for path in found]


def _told(files: Sequence[Found], wanted: Wanted, options: Namespace) -> Iterator[Told | None]:
    named = [file.path for file in files]
    paths, depth = [path for path in named if not _opened(path)], Depth(options.coerce)
    for path in named:
        if _opened(path):
            yield from _in_memory(path, wanted, options, depth)
    if len(files) > 1 and sum(file.size for file in files) > _LITTLE:
        from blockview.commands.searchers import search_files

        yield from search_files(paths, wanted, depth, options.tools)
        return
    from blockview.commands.searching import search_file

    needle, lookup_of = wanted.needle(), lookups(options.tools)
    for path in paths:
        yield from search_file(path, needle, lookup_of, depth)


def _opened(path: str) -> bool:
    """Whether a path names no file: stdin, or the bundled session."""
    return path == STDIN or is_demo(path)


def _in_memory(path: str, wanted: Wanted, options: Namespace, depth: Depth) -> Iterator[Told]:
    from blockview.commands.searching import search_session

    session = read_recording(path)
    lookup = lookups(options.tools or (DEMO_TOOLS if is_demo(path) else None))(session)
    yield from search_session(path, session.source, session, wanted.needle(), lookup, depth)
    yield Told(path, session.source)


def _grouped(told: Iterator[Told | None]) -> Iterator[Told | None]:
    """The same with what is told of a file together: that of one file at once, that of others when their turn comes."""
    current = ""
    held: dict[str, list[Told]] = {}
    for each in told:
        if each is None:
            yield None
            continue
        current = current or each.path
        if each.path != current:
            held.setdefault(each.path, []).append(each)
            continue
        yield each
        while each.hit is None:  # the file has come to its end: now those that have too, and the next one so far
            current = next(iter(held), "")
            if not current:
                break
            some = held.pop(current)
            yield from some
            each = some[-1]


class _Printer:
    """Prints hits for a person, below the name of their session."""

    def __init__(self) -> None:
        self._name = ""
        self._width = terminal_width(sys.stdout)

    def print(self, told: Told) -> None:
        """Print a hit."""
        if told.name != self._name:
            gap = "\n" if self._name else ""
            self._name = told.name
            print(gap + paint((Span(visible(told.name), Role.TITLE),), sys.stdout))
        if told.hit is not None:
            print(paint(hit_line(told.hit, self._width), sys.stdout), flush=True)


class _JsonPrinter(_Printer):
    """Prints hits for a program."""

    def print(self, told: Told) -> None:
        """Print a hit."""
        if (hit := told.hit) is not None:
            found = {
                "path": told.name,
                "block": hit.block + 1 if hit.block != WHOLE else None,
                "call": hit.call + 1 if hit.call >= 0 else None,
                "what": hit.what,
                "name": hit.name or None,
                "context": hit.context,
                "start": hit.start,
                "end": hit.end,
            }
            print(json.dumps(found), flush=True)


class _Progress:
    """Tells on a terminal how far the search is."""

    def __init__(self, files: Sequence[Found]) -> None:
        self._left = {file.path for file in files}
        self._count = len(self._left)
        self._tells = sys.stderr.isatty()
        self._shown = False

    def ended(self, path: str) -> None:
        """A file was looked through."""
        self._left.discard(path)

    def show(self) -> None:
        """Say it."""
        if self._tells:
            done = self._count - len(self._left)
            print(f"{_CLEAR}looked through {done:,} of {self._count:,} files", end="", file=sys.stderr, flush=True)
            self._shown = True

    def clear(self) -> None:
        """Take back what was said."""
        if self._shown:
            print(_CLEAR, end="", file=sys.stderr, flush=True)
            self._shown = False
