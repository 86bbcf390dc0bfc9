"""What the app and the command line need from whoever sends calls. The dispatch layer implements it."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol

import msgspec

from blockview.core.coercion import Depth
from blockview.core.model import ToolCall
from blockview.core.outcome import Outcome
from blockview.core.prepare import Found, Missing, Prepared


class Destination(msgspec.Struct, frozen=True):
    """A server that calls can be sent to, as a person sees it before it is started.

    `name` is its name in the config. `how` is "stdio", "http" or "sse". `command` is the exact command line, quoted for
    a shell, or the URL; values that came out of environment variables or look secret are masked in it. `folder` is the
    working directory of a command. `source` says where it is configured ("--server", a path). `hidden` names the
    environment variables and headers that are set, without their values.
    """

    name: str
    how: str
    command: str
    folder: str = ""
    source: str = ""
    hidden: tuple[str, ...] = ()


class Route(msgspec.Struct, frozen=True):
    """Where a call would go. Without a destination, `reason` says why; with one, how it was found."""

    destination: Destination | None
    reason: str


class Hints(msgspec.Struct, frozen=True):
    """What a tool says of itself (MCP `annotations`); None where it says nothing."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


class Inspection(msgspec.Struct, frozen=True):
    """What is known about a call just before it is sent, from the live server's own list.

    `drift` has one line for each difference between the recorded and the live input schema, `errors` one for each
    violation of the live schema by the arguments as they would be sent, with its JSON Pointer.
    """

    prepared: Prepared
    schema: Found | Missing
    hints: Hints = Hints()
    drift: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class NotConnected(Exception):
    """No connection came about. `outcome` says how that ended and holds the end of the server's stderr."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.detail)
        self.outcome = outcome


class Replayer(Protocol):
    """Sends recorded calls to live servers. Nothing is started or sent but by `connect` and `send`.

    All methods return at once and may be called from any thread; what takes time comes in a Future.
    """

    def route(self, call: ToolCall) -> Route:
        """Which server the call would go to."""

    def is_connected(self, destination: Destination) -> bool:
        """Whether the server has been started and answers."""

    def connect(self, destination: Destination) -> Future[None]:
        """Start or reach the server and list its tools; the Future may raise NotConnected."""

    def inspect(self, destination: Destination, call: ToolCall, recorded: Found | Missing, depth: Depth) -> Inspection:
        """What the connected server's list says about the call. `recorded` is the display path's schema."""

    def send(
        self, destination: Destination, call: ToolCall, depth: Depth, approved: Prepared | None = None
    ) -> Future[Outcome]:
        """Prepare the call with the live list and send it. The Future does not raise: failures are outcomes.

        `approved` is what the person saw and agreed to: the call is not sent when its text would be another one by now.
        """

    def cancel(self, pending: Future[Outcome] | Future[None]) -> None:
        """Give up waiting; a sent call ends as CANCELLED, a connect raises NotConnected with that outcome."""

    def lookup(self, call: ToolCall) -> Found | Missing:
        """The schemas of the servers that are connected, for the display path."""

    def close(self) -> None:
        """End all connections, without waiting for a server that does not listen."""
