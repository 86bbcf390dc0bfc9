"""Asks the person before a server is started and before a call is sent, with all that is known by then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TextIO

from blockview.commands import Failure
from blockview.core.prepare import Found
from blockview.core.replaying import Destination, Hints, Inspection
from blockview.core.safetext import visible

_LONGEST = 4_000
"""Characters of the arguments that a question shows; few people read more before they answer."""


class Consent:
    """What the person has allowed in this run. Nothing of it is ever stored."""

    def __init__(self, terminal: TextIO | None, *, given: bool) -> None:
        """Ask on `terminal`; with `given` everything is allowed and nothing is asked."""
        self._terminal = terminal
        self._given = given
        self._always: set[str] = set()
        self.stopped = False
        """The person wants no more calls to be sent."""

    def to_start(self, server: Destination) -> bool:
        """Whether the server may be started, or reached, and asked for its tools."""
        if self._given or server.name in self._always:
            return True
        _tell([f"server {server.name}", *server_lines(server)])
        what = "start it" if server.how == "stdio" else "connect to it"
        return self._ask(f"{what} and list its tools? [y/N/q] ", "yq") == "y"

    def to_send(self, title: str, server: Destination, found: Inspection) -> bool:
        """Whether the call may be sent as it is."""
        if self._given or server.name in self._always:
            return True
        _tell([title, *call_lines(found)])
        answer = self._ask(f"send it to {server.name}? [y/N/a/q]  (a: all calls to this server in this run) ", "yaq")
        if answer == "a":
            self._always.add(server.name)
        return answer in ("y", "a")

    def _ask(self, question: str, answers: str) -> str:
        if self._terminal is None:
            raise Failure("sending needs your consent and there is no terminal to ask on; in a script give --yes")
        print(visible(question), end="", file=sys.stderr, flush=True)
        line = self._terminal.readline()
        answer = line.strip().lower()[:1]
        self.stopped = answer == "q" or not line
        return answer if answer in answers else ""


def server_lines(server: Destination) -> Iterator[str]:
    """What a person has to know of a server before it is started."""
    yield f"  {'command' if server.how == 'stdio' else 'URL':<9} {server.command}"
    if server.folder:
        yield f"  {'folder':<9} {server.folder}"
    yield f"  {'from':<9} {server.source}"
    if server.hidden:
        yield f"  {'sets':<9} {', '.join(server.hidden)} (values not shown)"


def call_lines(found: Inspection) -> Iterator[str]:
    """What a person has to know of a call before it is sent."""
    prepared = found.prepared
    yield f"  {'sends':<9} {_shortened(prepared.dispatched)}"
    for change in prepared.changes:
        yield f"  {'changed':<9} {change.path or 'arguments'}: {change.before} → {change.after or 'not sent'}"
    yield f"  {'tool':<9} {hints_text(found.hints)}"
    schema = found.schema
    told = schema.source if isinstance(schema, Found) else f"not found, sent as recorded: {schema.reason}"
    yield f"  {'schema':<9} {told}"
    for line in found.drift:
        yield f"  {'drift':<9} {line}"
    for line in found.errors:
        yield f"  {'rejects':<9} {line}"


def hints_text(hints: Hints) -> str:
    """What a tool says of its effects, in words; what it does not say is said."""
    if hints.read_only:
        return "says it is read-only"
    words = ["says it is not read-only" if hints.read_only is False else "does not say that it is read-only"]
    if hints.destructive is not None:
        words.append("says it is destructive" if hints.destructive else "says it is not destructive")
    return ", ".join(words)


def _shortened(text: str | None) -> str:
    if text is None:
        return "no arguments"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… and {len(text) - _LONGEST:,} characters more"


def _tell(lines: list[str]) -> None:
    for line in lines:
        print(visible(line), file=sys.stderr)
