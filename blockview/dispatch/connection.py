"""A connection to one live server, as other threads see it. The SDK is loaded by the connection's own thread."""

from __future__ import annotations

import atexit
import threading
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime

from blockview.core.coercion import Depth
from blockview.core.jsontext import Transport
from blockview.core.model import ToolCall, ToolSpec
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import Found, Lookup, Missing, Prepared
from blockview.core.replaying import Hints, NotConnected
from blockview.dispatch.mailbox import Relist, Send
from blockview.dispatch.masking import plain_urls
from blockview.dispatch.processes import Owner, end_all
from blockview.dispatch.servers import Server
from blockview.dispatch.shared import Shared
from blockview.dispatch.tee import Passed

_LONGEST = 256 << 20


class Connection:
    """One server, started or reached by `connect`, that calls are sent to in order.

    All methods return at once and may be called from any thread.

    Args:
        server: What to start or reach.
        connect_timeout: Seconds for starting, the handshake and the list of tools.
        timeout: Seconds for each call.
        longest: Bytes of the longest message that is taken; a longer one is dropped with a remark.
    """

    def __init__(
        self, server: Server, *, connect_timeout: float = 20.0, timeout: float = 60.0, longest: int = _LONGEST
    ) -> None:
        self.server = server
        self._shared = Shared(server, connect_timeout, timeout, longest)
        self._connecting: Future[None] | None = None
        self._thread: Owner | None = None
        self._lock = threading.Lock()

    def connect(self) -> Future[None]:
        """Start or reach the server, shake hands and list its tools. A second call gives the same future.

        The future raises NotConnected; its outcome says why, with the end of the server's stderr.
        """
        with self._lock:
            if self._connecting is None:
                self._connecting = Future()
                self._connecting.set_running_or_notify_cancel()
                self._thread = Owner(f"mcp {self.server.name}", self._run, self.close, lambda: self._shared.group)
                atexit.unregister(_at_exit)
                atexit.register(_at_exit)
                self._thread.start()
            return self._connecting

    def _run(self) -> None:
        assert self._connecting is not None and self._thread is not None
        try:
            from blockview.dispatch.worker import Worker

            self._thread.begun = True
            Worker(self._shared, self._connecting).run()
        except BaseException as error:  # nobody may be left waiting
            outcome = Outcome(Ended.SERVER_DIED, f"{type(error).__name__}: {plain_urls(str(error))}")
            self._shared.over = self._shared.over or outcome
            if not self._connecting.done():
                self._connecting.set_exception(NotConnected(outcome))
        finally:
            self._shared.finish()

    @property
    def alive(self) -> bool:
        """Whether calls can be sent now."""
        return self._shared.alive

    @property
    def over(self) -> Outcome | None:
        """How the connection came to nothing or ended; None while it has not."""
        return self._shared.over

    @property
    def transport(self) -> Transport:
        """Whose number spelling the wire has."""
        return self._shared.transport

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The live list; schemas are the server's own characters."""
        return self._shared.listing.tools

    @property
    def listed_at(self) -> datetime | None:
        """When the live list was fetched."""
        return self._shared.listing.at

    @property
    def stale(self) -> bool:
        """True when the server said that its list has changed and it has not been fetched again yet."""
        return self._shared.stale

    def hints(self, tool: str) -> Hints:
        """What a tool says of itself; all None for one that is not listed."""
        return self._shared.listing.hints(tool)

    def lookup(self, call: ToolCall) -> Found | Missing:
        """The input schema of the call's tool in the live list, whatever server the recording names."""
        return self._shared.lookup(call)

    @property
    def messages(self) -> tuple[Passed, ...]:
        """The last messages of both directions, as they were written."""
        return self._shared.log.messages

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was odd on this connection: noise, answers that nobody waits for, malformed tools."""
        return self._shared.log.remarks

    @property
    def stderr(self) -> str:
        """The end (64 KB) of what the server wrote to stderr."""
        return self._shared.log.stderr

    def submit(
        self, call: ToolCall, depth: Depth, lookup: Lookup | None = None, approved: Prepared | None = None
    ) -> Future[Outcome]:
        """Prepare a call and send it, after those submitted before. The future never raises: failures are outcomes.

        Args:
            call: The recorded call.
            depth: How far coercion reaches.
            lookup: The question to the dispatch path's catalog; without it the live list answers.
            approved: What a person agreed to. The call is not sent when its text would be another one by now.
        """
        future: Future[Outcome] = Future()
        future.set_running_or_notify_cancel()
        if self._connecting is None or not self._shared.mailbox.put(Send(call, depth, lookup, future, approved)):
            future.set_result(self._shared.gone())
        return future

    def relist(self) -> Future[None]:
        """Fetch the list of tools again; the future ends when that is done or has failed with a remark."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()
        if self._connecting is None or not self._shared.mailbox.put(Relist(future)):
            future.set_result(None)
        return future

    def cancel(self, pending: Future[Outcome] | Future[None]) -> None:
        """Give up a call, which ends as CANCELLED whether it was sent or still waits, or the connect itself.

        A future of another connection, or one that is done, is left alone.
        """
        shared = self._shared
        if pending is not self._connecting:
            shared.mailbox.run(lambda: shared.cancel(pending))
        elif not pending.done():
            shared.mailbox.run(lambda: None if pending.done() else shared.stop())

    def close(self) -> None:
        """End the connection and its process in the background. What is not answered yet ends as CANCELLED."""
        self._shared.closing = True
        self._shared.mailbox.run(lambda: self._shared.stop())

    def join(self, timeout: float | None = None) -> bool:
        """Wait until the connection and its process have ended; False when that takes more than `timeout` seconds."""
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True


def _at_exit() -> None:
    """For those who use connections without `orderly_end`; after it, there is nothing left to do."""
    with suppress(KeyboardInterrupt):
        end_all()
