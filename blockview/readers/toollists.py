"""The tool lists that a server gave on one connection, and the lines for which each of them holds."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from blockview.core.model import Diagnostic, Place, ToolSpec
from blockview.core.raw import ABSENT, part_of, present, text_of
from blockview.readers.records import Report


class _Page(msgspec.Struct, frozen=True, gc=False):
    tools: list[msgspec.Raw] | None = None
    next: msgspec.Raw = msgspec.field(default=ABSENT, name="nextCursor")


class _Tool(msgspec.Struct, frozen=True, gc=False):
    name: str | None = None
    schema: msgspec.Raw = msgspec.field(default=ABSENT, name="inputSchema")
    output: msgspec.Raw = msgspec.field(default=ABSENT, name="outputSchema")


class _Asked(msgspec.Struct, frozen=True, gc=False):
    cursor: msgspec.Raw = ABSENT


_PAGE = msgspec.json.Decoder(_Page)
_TOOL = msgspec.json.Decoder(_Tool)
_ASKED = msgspec.json.Decoder(_Asked)


def asks_for_first_page(params: msgspec.Raw) -> bool:
    """True when a tools/list request begins a new list, False when it asks for a further page of one."""
    asked = part_of(_ASKED, params)
    return asked is None or not present(asked.cursor)


class _Listed(msgspec.Struct):
    name: str
    schema: str | None
    output: str | None
    since: int
    until: int | None = None


class ToolLists:
    """Collects the tools/list results of one connection in recorded order."""

    def __init__(self) -> None:
        self._all: list[_Listed] = []
        self._outdated = 0
        self._complete = 0

    def add_page(self, result: msgspec.Raw, place: Place, first: bool, report: Report) -> None:
        """Take in one tools/list result. A list replaces the one before it when its last page is there."""
        page = part_of(_PAGE, result)
        if page is None or page.tools is None:
            report(Diagnostic(place, "a tools/list result holds no list of tools"))
            return
        if first:
            self._complete = len(self._all)
        for number, raw in enumerate(page.tools, 1):
            tool = part_of(_TOOL, raw)
            if tool is None or tool.name is None:
                report(Diagnostic(place, f"tool {number} of a tools/list result has no name and is left out"))
            else:
                self._all.append(_Listed(tool.name, _text(tool.schema), _text(tool.output), place.line))
        if not present(page.next):
            self._end(self._complete, place.line)

    def changed(self, line: int) -> None:
        """The server said that its tools have changed: what was listed so far holds no longer."""
        self._end(len(self._all), line)

    def specs(self, server: str | None, connection: str) -> Iterator[ToolSpec]:
        """All tools that were listed, in recorded order."""
        for tool in self._all:
            yield ToolSpec(server, tool.name, tool.schema, tool.since, tool.until, connection, tool.output)

    def _end(self, stop: int, line: int) -> None:
        for tool in self._all[self._outdated : stop]:
            tool.until = line
        self._outdated = max(self._outdated, stop)


def _text(raw: msgspec.Raw) -> str | None:
    return text_of(raw) if present(raw) else None
