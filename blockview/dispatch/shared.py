"""What the front of a connection and its worker both hold: settings, the jobs, and what the worker found out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime

from blockview.catalog.tools import Schemas
from blockview.core.jsontext import Transport
from blockview.core.model import ToolCall, ToolSpec
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import Found, Missing
from blockview.core.replaying import Hints
from blockview.core.safetext import short_name
from blockview.core.toolpages import Page
from blockview.dispatch.mailbox import Mailbox, Send
from blockview.dispatch.servers import Server
from blockview.dispatch.tee import Log


class Listing:
    """A server's list of tools as it was at one moment. Of two tools with one name the first counts."""

    def __init__(self, tools: tuple[ToolSpec, ...], hints: Sequence[Hints], server: str, at: datetime | None) -> None:
        self.tools = tools
        self.at = at
        self._source = f"live server {short_name(server)}"
        self._by_name = {tool.name: (tool, hint) for tool, hint in zip(tools[::-1], hints[::-1], strict=True)}
        self._schemas = Schemas()

    @classmethod
    def of(cls, pages: Sequence[Page], server: str) -> Listing:
        """The list out of its pages, as of now."""
        tools = tuple(tool for page in pages for tool in page.tools)
        return cls(tools, [hint for page in pages for hint in page.hints], server, datetime.now(UTC))

    def lookup(self, call: ToolCall) -> Found | Missing:
        """The input schema of the call's tool."""
        listed = self._by_name.get(call.tool)
        if listed is None:
            return Missing(f"{self._source} does not have {short_name(call.tool)}")
        return self._schemas.answer(listed[0], self._source)

    def hints(self, tool: str) -> Hints:
        """What a tool says of itself."""
        listed = self._by_name.get(tool)
        return Hints() if listed is None else listed[1]

    def output_schema(self, tool: str) -> str | None:
        """The text of a tool's output schema."""
        listed = self._by_name.get(tool)
        return None if listed is None else listed[0].output_schema


Pending = Future[Outcome] | Future[None]


class Shared:
    """One connection's state. Only the worker changes it, but for `closing`.

    `cancel` gives up a call and `stop` the connection; the worker sets both, and they run on its thread.
    """

    def __init__(self, server: Server, connect_timeout: float, timeout: float, longest: int) -> None:
        self.server = server
        self.connect_timeout = connect_timeout
        self.timeout = timeout
        self.longest = longest
        self.transport = Transport.STDIO if server.how == "stdio" else Transport.HTTP
        self.mailbox = Mailbox()
        self.log = Log()
        self.listing = Listing((), (), server.name, None)
        self.alive = False
        self.stale = False
        self.closing = False
        self.group = 0
        """The server's process group, 0 without one."""
        self.over: Outcome | None = None
        """How the connection came to nothing or ended."""
        self.cancel: Callable[[Pending], None] = lambda pending: None
        self.stop: Callable[[], None] = lambda: None

    def lead(self, group: int) -> None:
        """Remember the server's process group."""
        self.group = group

    def lookup(self, call: ToolCall) -> Found | Missing:
        """The live list's schema for a call."""
        return self.listing.lookup(call)

    def gone(self) -> Outcome:
        """The outcome of a call that finds no connection."""
        over = self.over
        if over is None:
            return Outcome(Ended.SERVER_DIED, f"{short_name(self.server.name)} is not connected")
        return Outcome(over.ended, over.detail, over.code, remarks=over.remarks, stderr=over.stderr)

    def finish(self) -> None:
        """Take no more jobs, and answer those that are left."""
        for job in self.mailbox.close():
            if isinstance(job, Send):
                if not job.future.done():
                    job.future.set_result(self.gone())
            elif job.future is not None:
                job.future.set_result(None)
