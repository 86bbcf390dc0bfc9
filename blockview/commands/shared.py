"""What several commands need: their common options, opening a recording, its catalog, warnings."""

from __future__ import annotations

import errno
import functools
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from blockview.catalog.chain import chain
from blockview.catalog.file import FileCatalog, ToolsFileError, read_tools
from blockview.catalog.recording import RecordingCatalog
from blockview.commands import Failure
from blockview.core.coercion import Depth
from blockview.core.growing import Growing, Grown
from blockview.core.lines import Line, plain
from blockview.core.model import Session
from blockview.core.prepare import Lookup
from blockview.core.safetext import short_name, visible
from blockview.export.ansi import ansi_line
from blockview.readers.opening import open_growing, open_session, session_of_bytes
from blockview.readers.registry import UnknownFormat

if TYPE_CHECKING:
    from blockview.catalog.cache import ToolsCache
    from blockview.core.query import Query

_FIRST_STEP = 0.02
"""Seconds of reading before the first screen."""

STDIN = "-"
DEMO = "demo"
"""What the bundled session is called where a path is asked for."""
DEMO_FOLDER = Path(__file__).parents[1] / "demo"
DEMO_TOOLS = str(DEMO_FOLDER / "tools.json")

_DIGITS = 18
"""Digits of the largest number that an option takes."""

PAPER_WIDTH = 100
"""Columns where there is no terminal to ask."""


def add_coerce_option(parser: ArgumentParser) -> None:
    """`--coerce`, of all commands that show arguments."""
    depths = [depth.value for depth in Depth]
    parser.add_argument(
        "--coerce", choices=depths, default=Depth.TOP.value, help="how far coercion reaches (default: top)"
    )


def add_filter_option(parser: ArgumentParser) -> None:
    """`--filter`, of all commands that choose calls."""
    parser.add_argument(
        "--filter", type=_filter, metavar="WORDS", help="only what a filter holds for, such as 'tool:run_* is:error'"
    )


def _filter(text: str) -> Query:
    from blockview.core.query import QueryError, parse

    try:
        return parse(text)
    except QueryError as error:
        raise ArgumentTypeError(f"{error}, at character {error.at + 1} of {text!r}") from None


def positive(text: str) -> int:
    """A number of a command line that is at least 1.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not text.isascii() or not text.isdecimal() or len(text) > _DIGITS or not int(text):
        raise ArgumentTypeError(f"{short_name(text)!r} is not a whole number from 1 on")
    return int(text)


def add_tools_option(parser: ArgumentParser) -> None:
    """`--tools`, of all commands that look schemas up."""
    parser.add_argument("--tools", metavar="FILE", help="tool schemas: a tools/list result or an array of tools")


def is_demo(path: str) -> bool:
    """Whether the bundled session is meant: by its name, unless a file is called so."""
    return path == DEMO and not os.path.exists(path)


def read_recording(path: str) -> Session:
    """Open a recording, read it from stdin, or take the bundled one.

    Raises:
        Failure: it cannot be read.
    """
    with readable(path):
        if is_demo(path):
            return demo_session()
        return session_of_bytes("stdin", stdin_bytes()) if path == STDIN else open_session(path)


def begin_recording(path: str) -> tuple[Growing, Grown]:
    """Open a file to be read in steps, and take the first step.

    Raises:
        Failure: it cannot be read.
    """
    with readable(path):
        growing = open_growing(path)
        grown = growing.read_on(_FIRST_STEP)
        if grown is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return growing, grown


@contextmanager
def readable(path: str) -> Iterator[None]:
    """What keeps a recording from being read, told in one line.

    Raises:
        Failure: it cannot be read.
    """
    try:
        yield
    except UnknownFormat as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(f"{path}: {problem(error)}") from None


def demo_session() -> Session:
    """The bundled session, under the name that people call it by."""
    return session_of_bytes(DEMO, (DEMO_FOLDER / "session.jsonl").read_bytes())


def stdin_bytes() -> bytes:
    """All that comes in on stdin.

    Raises:
        Failure: it is closed.
    """
    if sys.stdin is None:
        raise Failure("stdin is closed")
    return sys.stdin.buffer.read()


def lookup_for(session: Session, tools: str | None, live: Lookup | None = None) -> Lookup:
    """The display path's catalog of a session.

    It asks the tools that the recording lists, then those of the file of `--tools`, then `live` (servers that are
    connected), then what servers listed in earlier runs.

    Raises:
        Failure: the file cannot be used.
    """
    return lookups(tools, live)(session)


def lookups(tools: str | None, live: Lookup | None = None) -> Callable[[Session], Lookup]:
    """The display path's catalogs of many sessions, as `lookup_for` gives them.

    Raises:
        Failure: the file of `--tools` cannot be used.
    """
    others: list[Lookup] = []
    if tools is not None:
        others.append(_file_lookup(Path(tools)))
    if live is not None:
        others.append(live)
    others.append(cache_lookup())
    return lambda session: chain(RecordingCatalog(session.tools).lookup, *others)


def _file_lookup(path: Path) -> Lookup:
    try:
        return FileCatalog(read_tools(path), path.name).lookup
    except ToolsFileError as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(f"{path}: {problem(error)}") from None


def cache_lookup() -> Lookup:
    """A lookup in the cache of tool lists. It loads and reads nothing before the first question."""

    @functools.cache
    def cache() -> ToolsCache:
        from blockview.catalog.cache import ToolsCache

        return ToolsCache()

    return lambda call: cache().lookup(call)


def problem(error: OSError) -> str:
    """Why a file cannot be read, in a few words."""
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return "no such file"
        case IsADirectoryError():
            return "a folder, not a file"
        case PermissionError():
            return "no permission to read it"
        case _:
            return error.strerror or str(error)


def uses_colours(stream: TextIO) -> bool:
    """Whether a stream goes to a terminal of a person who did not forbid colours (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def paint(line: Line, stream: TextIO) -> str:
    """A line as it is to be printed on a stream, without trailing blanks."""
    return (ansi_line(line) if uses_colours(stream) else plain(line)).rstrip(" ")


def terminal_width(stream: TextIO) -> int:
    """Columns of the terminal that a stream goes to, or of paper where it goes elsewhere."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or PAPER_WIDTH
    except OSError:
        return PAPER_WIDTH


def warn(text: str) -> None:
    """Tell the person something beside the result."""
    print(f"blockview: {visible(text)}", file=sys.stderr)
