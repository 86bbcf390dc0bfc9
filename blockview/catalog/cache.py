"""The tool lists that servers gave before, kept between runs: one private file for each server.

Nothing depends on the cache: without it a list is fetched again, and a file in it that cannot be used is passed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from blockview.catalog.private import Unusable, cache_home, check_folder, read_private, write_private
from blockview.catalog.tools import Schemas, tool_text
from blockview.core.model import ToolCall, ToolSpec
from blockview.core.names import sanitised
from blockview.core.prepare import Found, Missing
from blockview.core.raw import ABSENT, part_of, present, text_of
from blockview.core.safetext import short_name

_LARGEST = 8_000_000
"""No larger file is read, in bytes."""

_MOST = 1_000
"""No more files are read."""


class _Tool(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    input_schema: msgspec.Raw = ABSENT
    output_schema: msgspec.Raw = ABSENT


class _List(msgspec.Struct, frozen=True):
    """One server's list as a file holds it. `listed` is the time in ISO 8601."""

    server: str
    listed: str
    tools: list[_Tool]


class _Cached(msgspec.Struct, frozen=True):
    """One server's list as lookups use it."""

    server: str
    listed: datetime
    tools: dict[str, ToolSpec]

    @property
    def source(self) -> str:
        """The list, for the reader."""
        return f"cache, {self.listed.date().isoformat()}"


_LIST = msgspec.json.Decoder(_List)


def cache_folder() -> Path:
    """Where this user's cache is."""
    return cache_home() / "tools"


class ToolsCache:
    """A folder of tool lists. It is read when the first lookup comes, not before.

    Args:
        folder: Where the lists are; by default in the user's cache.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._newest: Mapping[str, _Cached] | None = None
        self._ignored: tuple[str, ...] = ()
        self._schemas = Schemas()

    @property
    def folder(self) -> Path:
        """Where the lists are."""
        return self._folder or cache_folder()

    @property
    def ignored(self) -> tuple[str, ...]:
        """One line for each file that was passed over, with the reason."""
        self._lists()
        return self._ignored

    def store(self, server: str, identity: str, tools: Sequence[ToolSpec], at: datetime) -> None:
        """Keep a server's list, in place of the one that the same server gave before.

        Args:
            server: Its name in the config.
            identity: What tells it from another one of that name, such as its command or URL, without secrets.
            tools: What it listed.
            at: When it listed them.

        Raises:
            OSError: the list cannot be written.
        """
        import hashlib

        # A name from outside never becomes part of a path.
        digest = hashlib.sha256(f"{server}\0{identity}".encode("utf-8", "surrogatepass")).hexdigest()
        text = _text_of_list(server, tools, at).encode("utf-8", "surrogateescape")
        write_private(self.folder / f"{digest[:32]}.json", text)
        self._newest = None

    def lookup(self, call: ToolCall) -> Found | Missing:
        """The input schema of the call's tool as its server listed it in an earlier run.

        A server is found by its exact name, else by its name as clients write it in tool names; of several lists under
        one name the newest counts. A call that names no server is answered when just one server has its tool. The
        reason of `Missing` is empty where the cache knows nothing of the call's server.
        """
        lists = self._of_server(call)
        having = [cached for cached in lists if call.tool in cached.tools]
        if len(having) == 1:
            return self._schemas.answer(having[0].tools[call.tool], having[0].source)
        if having:
            names = ", ".join(sorted(short_name(cached.server) for cached in having))
            return Missing(f"the cache has {short_name(call.tool)} of several servers: {names}")
        reasons = [
            f"{cached.source}, does not have {short_name(call.tool)}" for cached in lists if call.server is not None
        ]
        return Missing("; ".join((*reasons, *self._ignored)))

    def _of_server(self, call: ToolCall) -> list[_Cached]:
        """The lists of the servers that the call may mean."""
        lists = self._lists()
        if call.server is None:
            return list(lists.values()) if call.mcp else []
        if call.server in lists:
            return [lists[call.server]]
        written = sanitised(call.server)
        return [cached for name, cached in lists.items() if sanitised(name) == written]

    def _lists(self) -> Mapping[str, _Cached]:
        """The newest list of each server, read from the folder if that is still to be done."""
        if self._newest is None:
            self._newest, self._ignored = _read(self.folder)
        return self._newest


def _read(folder: Path) -> tuple[Mapping[str, _Cached], tuple[str, ...]]:
    """The newest list of each server, and why files were passed over."""
    newest: dict[str, _Cached] = {}
    ignored: list[str] = []
    try:
        check_folder(folder)
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except FileNotFoundError:
        return {}, ()
    except OSError as error:
        return {}, (f"the cache cannot be read: {error.strerror}",)
    for name in names[:_MOST]:
        try:
            cached = _cached(read_private(folder / name, _LARGEST))
        except Unusable as problem:
            ignored.append(f"cache file {name} is ignored: {problem}")
            continue
        if cached.server not in newest or newest[cached.server].listed < cached.listed:
            newest[cached.server] = cached
    return newest, tuple(ignored)


def _cached(data: bytes) -> _Cached:
    content = part_of(_LIST, data)
    if content is None:
        raise Unusable("not a list of tools")
    try:
        listed = datetime.fromisoformat(content.listed).astimezone()
    except (OverflowError, ValueError, OSError):
        raise Unusable("its date cannot be used") from None
    tools = {
        tool.name: ToolSpec(
            content.server, tool.name, _text(tool.input_schema), output_schema=_text(tool.output_schema)
        )
        for tool in content.tools
    }
    return _Cached(content.server, listed, tools)


def _text(raw: msgspec.Raw) -> str | None:
    return text_of(raw) if present(raw) else None


def _text_of_list(server: str, tools: Sequence[ToolSpec], at: datetime) -> str:
    """What a file holds: a tools file, with the server and the time beside the tools."""
    listed = ",\n".join(map(tool_text, tools))
    return f'{{"server":{json.dumps(server)},"listed":"{at.astimezone().isoformat()}","tools":[\n{listed}\n]}}\n'
