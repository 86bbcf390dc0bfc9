"""Looks through many recordings for a text: those whose bytes cannot hold it are not even opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from blockview.commands.shared import problem
from blockview.core.bytefind import sure_probe
from blockview.core.coercion import Depth
from blockview.core.hunting import Hunt
from blockview.core.model import Session
from blockview.core.needle import Hit, Needle
from blockview.core.prepare import Lookup, prepare
from blockview.core.safetext import ELLIPSIS
from blockview.core.searching import Told
from blockview.readers.head import Reader
from blockview.readers.opening import open_session
from blockview.readers.registry import UnknownFormat, reader_for, sessions_in
from blockview.readers.scanning import places
from blockview.readers.source import Source


@runtime_checkable
class _Scannable(Reader, Protocol):
    """Reads a format of which bytes can tell that a session does not hold a word: see `core.model.Scanner`."""

    added: str
    """Whatever blocks show that is nowhere in the recording, in small letters."""


LookupOf = Callable[[Session], Lookup]


def search_file(path: str, needle: Needle, lookup_of: LookupOf, depth: Depth) -> Iterator[Told]:
    """Look through all sessions of a file. It never raises; what is told last has no hit.

    Args:
        path: The file.
        needle: What to look for.
        lookup_of: Gives the catalog of a session.
        depth: How far coercion reaches.
    """
    try:
        for name in _sessions(path, needle):
            session = open_session(name)
            yield from search_session(path, name, session, needle, lookup_of(session), depth)
    except UnknownFormat as error:
        yield Told(path, path, problem=str(error).removeprefix(f"{path}: "), foreign=True)
    except OSError as error:
        yield Told(path, path, problem=problem(error))
    except (ValueError, RecursionError, MemoryError) as error:
        yield Told(path, path, problem=str(error) or type(error).__name__)
    else:
        yield Told(path, path)


def search_session(
    path: str, name: str, session: Session, needle: Needle, lookup: Lookup, depth: Depth
) -> Iterator[Told]:
    """The hits of a session that opens by `name`; see `search_file`."""
    if not _is_prompt(session):
        for hit in needle.in_title(session.title):
            yield Told(path, name, hit)
    for hit in _hits(session, needle, lookup, depth):
        yield Told(path, name, hit)


def _is_prompt(session: Session) -> bool:
    """Whether the title is the start of the first prompt, and so no place of its own."""
    prompt = session.blocks[0].prompt if session.blocks else ""
    return " ".join(prompt.split()).startswith(" ".join(session.title.removesuffix(ELLIPSIS).split()))


def _sessions(path: str, needle: Needle) -> list[str]:
    """What opens the sessions of a file; none when its bytes show that it does not hold the needle."""
    if not os.path.exists(path):
        return [path]  # one session of a database, or nothing that can be opened
    with Source.open(Path(path)) as source:
        reader = reader_for(source)
        if isinstance(reader, _Scannable) and _lacks(source, needle, reader.added):
            return []
        return [f"{path}#{one.id}" for one in sessions_in(source)] or [path]


def _lacks(source: Source, needle: Needle, added: str) -> bool:
    """Whether the bytes show that a recording does not hold the needle."""
    probe = sure_probe(needle.parts, added, any_case=needle.any_case)
    return probe is not None and not any(places(source, probe))


def _hits(session: Session, needle: Needle, lookup: Lookup, depth: Depth) -> Iterator[Hit]:
    for number in _blocks(session, needle):
        yield from needle.hits(session.blocks[number], lambda call: prepare(call, lookup, depth))


def _blocks(session: Session, needle: Needle) -> Iterator[int]:
    """The blocks that may hold the needle, those first that are found first."""
    count = len(session.blocks)
    if session.scanner is None:
        yield from range(count)
        return
    hunt = Hunt(needle, session.scanner, count)
    seen = bytearray(count)
    for look in (hunt.quick, hunt.sure):
        for numbers in look():
            for number in numbers:
                seen[number] = 1
                yield number
    if not hunt.settled:
        yield from (number for number in range(count) if not seen[number])
