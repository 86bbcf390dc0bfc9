"""Sends recorded calls to live servers: which server a call is for, its connection, what its own list says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import TypeVar

import msgspec

from blockview.core.coercion import Depth
from blockview.core.drift import schema_drift
from blockview.core.model import ToolCall, ToolSpec
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import Found, Missing, Prepared, ask, prepare
from blockview.core.replaying import Destination, Inspection, Route
from blockview.core.schemacheck import Checkers
from blockview.core.validation import schema_errors
from blockview.dispatch.connection import Connection
from blockview.dispatch.servers import Server, Servers, find_server

T = TypeVar("T")

Listed = Callable[[Server, Sequence[ToolSpec]], object]
"""Told of each tool list that a server gave."""


class Limits(msgspec.Struct, frozen=True):
    """The longest waits in seconds: for a server to start and list its tools, and for the answer to a call."""

    connect: float = 20.0
    call: float = 60.0


class LiveReplayer:
    """The `Replayer` of the app and the command line, over connections that it keeps until it is closed.

    A server is started by `connect` and by nothing else. One that has ended is started anew by the next `connect`.
    """

    def __init__(
        self,
        servers: Servers,
        limits: Limits,
        listed: Listed | None = None,
        named: Callable[[], Collection[str]] = tuple,
    ) -> None:
        """Send to `servers`.

        Args:
            servers: What calls can be sent to.
            limits: The longest waits.
            listed: Told of the tool lists that come in, from another thread.
            named: All server names in the recording, as `find_server` needs them.
        """
        self._servers = servers
        self._recorded = named
        self._limits = limits
        self._listed = listed
        self._checkers = Checkers()
        self._lock = Lock()
        self._connections: dict[str, Connection] = {}
        self._before: dict[str, Connection] = {}
        """Of servers that were started anew, the connection that listed the tools last."""
        self._named = {entry.server.name: entry.server for entry in servers.entries if not entry.shadowed_by}

    def route(self, call: ToolCall) -> Route:
        """Which server the call would go to."""
        return find_server(self._servers, call.server, self._recorded).route

    def is_connected(self, server: Destination) -> bool:
        """Whether the server has been started and still answers."""
        connection = self._connection(server)
        return connection is not None and connection.alive

    def connect(self, server: Destination) -> Future[None]:
        """Start or reach the server and list its tools; the Future may raise NotConnected."""
        with self._lock:
            known = self._connections.get(server.name)
            if known is not None and known.alive:
                return _done(None)
            if known is not None and known.listed_at is not None:
                self._before[server.name] = known
            configured = self._named[server.name]
            connection = Connection(configured, connect_timeout=self._limits.connect, timeout=self._limits.call)
            self._connections[server.name] = connection
        connecting = connection.connect()
        connecting.add_done_callback(lambda done: self._connected(done, configured, connection))
        return connecting

    def inspect(self, server: Destination, call: ToolCall, recorded: Found | Missing, depth: Depth) -> Inspection:
        """What the connected server's list says about the call; `recorded` is the display path's schema."""
        connection = self._connection(server)
        if connection is None:
            return Inspection(prepare(call, depth=depth), Missing("the server is not connected"))
        prepared = prepare(call, connection.lookup, depth, connection.transport)
        schema = prepared.schema
        return Inspection(
            prepared,
            schema,
            connection.hints(call.tool),
            schema_drift(recorded, schema),
            schema_errors(prepared, schema, self._checkers.of),
        )

    def send(
        self, server: Destination, call: ToolCall, depth: Depth, approved: Prepared | None = None
    ) -> Future[Outcome]:
        """Prepare the call with the live list and send it, if that gives the text that was approved.

        The Future does not raise: failures are outcomes.
        """
        connection = self._connection(server)
        if connection is None:
            return _done(Outcome(Ended.CANNOT_SEND, "the server is not connected"))
        return connection.submit(call, depth, approved=approved)

    def cancel(self, pending: Future[Outcome] | Future[None]) -> None:
        """Give up waiting; a sent call ends as CANCELLED, a connect raises NotConnected with that outcome."""
        with self._lock:
            connections = tuple(self._connections.values())
        for connection in connections:
            connection.cancel(pending)

    def lookup(self, call: ToolCall) -> Found | Missing:
        """The schema that a server listed for the call in this run; the reason is empty where none was connected.

        What a server listed is known also when it has ended: what is displayed does not change by that.
        """
        if not self._connections:
            return Missing("")
        chosen = find_server(self._servers, call.server, self._recorded).server
        if chosen is None:
            return Missing("")
        with self._lock:
            connections = self._connections.get(chosen.name), self._before.get(chosen.name)
        listed = (each for each in connections if each is not None and each.listed_at is not None)
        connection = next(listed, None)
        return Missing("") if connection is None else ask(connection.lookup, call)

    def close(self) -> None:
        """End all connections, without waiting for a server that does not listen."""
        with self._lock:
            connections = tuple(self._connections.values())
            self._connections.clear()
        for connection in connections:
            connection.close()

    def _connection(self, server: Destination) -> Connection | None:
        with self._lock:
            return self._connections.get(server.name)

    def _connected(self, done: Future[None], server: Server, connection: Connection) -> None:
        connected = not done.cancelled() and done.exception() is None
        if self._listed is not None and connected and connection.listed_at is not None:
            self._listed(server, connection.tools)


def _done(value: T) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(value)
    return future
