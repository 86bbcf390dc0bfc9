"""What the commands that send to live servers share: how long they wait, and the replayer they send with."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NoReturn

from blockview.commands.serving import servers_from
from blockview.commands.shared import warn
from blockview.core.names import recorded_servers
from blockview.core.prepare import Found, Missing
from blockview.core.safetext import short_name

if TYPE_CHECKING:
    from blockview.core.model import Session, ToolCall, ToolSpec
    from blockview.dispatch.replayer import LiveReplayer
    from blockview.dispatch.servers import Server, Servers

CONNECT_TIMEOUT, TIMEOUT = 20.0, 60.0


def add_wait_options(parser: ArgumentParser) -> None:
    """`--connect-timeout` and `--timeout`."""
    parser.add_argument(
        "--connect-timeout",
        type=_seconds,
        default=CONNECT_TIMEOUT,
        metavar="SECONDS",
        help=f"for a server to start and list its tools (default: {CONNECT_TIMEOUT:.0f})",
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=TIMEOUT,
        metavar="SECONDS",
        help=f"for the answer to a call (default: {TIMEOUT:.0f})",
    )


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number < 1e6:
        raise ValueError
    return number


_seconds.__name__ = "number of seconds"  # argparse names the type in its message


def replayer_for(servers: Servers, options: Namespace, named: Callable[[], Collection[str]]) -> LiveReplayer:
    """The replayer over `servers`, for calls of a recording in which servers have the names that `named` tells.

    Tool lists that come in are kept for later displays. Nothing is started yet.
    """
    from blockview.dispatch.replayer import Limits, LiveReplayer

    for problem in servers.problems:
        warn(problem)
    return LiveReplayer(servers, Limits(options.connect_timeout, options.timeout), remember, named)


def end_on_signals() -> None:
    """Let SIGTERM and SIGHUP end the command as an interrupt does, so that no server that it started is left behind."""
    import signal

    def end(number: int, frame: object) -> NoReturn:
        for each in signals:
            signal.signal(each, signal.SIG_IGN)  # once is enough: what is left to do is to end the servers
        raise SystemExit(128 + number)

    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    for each in signals:
        signal.signal(each, end)


class Sender:
    """The replayer of one run of the app, made when it is first needed: configs are read then, and not before."""

    def __init__(self, options: Namespace) -> None:
        """Take the servers from `options` when the time comes."""
        self._options = options
        self._given = bool(options.server or options.url or options.sse or options.header or options.config)
        self._replayer: LiveReplayer | None = None
        self._named: Callable[[], Collection[str]] = tuple

    def check(self) -> None:
        """Look at once at what the person gave on the command line, so that a mistake is told before the app starts.

        Raises:
            Failure: a flag cannot be understood, or a config that was named cannot be read.
        """
        if self._given:
            self.replayer()

    def replayer(self) -> LiveReplayer:
        """The replayer, the same each time.

        Raises:
            Failure: a config that was named cannot be read.
        """
        if self._replayer is None:
            self._replayer = replayer_for(servers_from(self._options), self._options, lambda: self._named())
        return self._replayer

    def serve(self, session: Session) -> None:
        """Send the calls of this recording from now on; the names of its servers decide which server is meant."""
        self._named = recorded_servers(session)

    def lookup(self, call: ToolCall) -> Found | Missing:
        """The schemas of connected servers; nothing to say before there is any."""
        return Missing("") if self._replayer is None else self._replayer.lookup(call)

    def close(self) -> None:
        """End all connections."""
        if self._replayer is not None:
            self._replayer.close()


def connect_given(replayer: LiveReplayer, servers: Servers) -> None:
    """Connect to the servers that the command line gives, which giving them allows, so that their schemas are known.

    One that cannot be reached is told of, and the others serve all the same.
    """
    from blockview.core.replaying import NotConnected
    from blockview.dispatch.servers import Scope, destination

    given = [entry.server for entry in servers.entries if entry.scope is Scope.FLAG]
    pending = [(server.name, replayer.connect(destination(server))) for server in given]
    for name, connecting in pending:
        try:
            connecting.result()
        except NotConnected as failed:
            warn(f"{short_name(name)}: {failed.outcome.detail}; its schemas are not known")


def remember(server: Server, tools: Sequence[ToolSpec]) -> None:
    """Keep a server's tool list in the cache; a cache that cannot be written costs only the next run's time."""
    from blockview.catalog.cache import ToolsCache
    from blockview.dispatch.servers import destination

    try:
        ToolsCache().store(server.name, destination(server).command, tools, datetime.now().astimezone())
    except OSError as error:
        name, why = short_name(server.name), error.strerror or error
        warn(f"the tool list of {name} is not kept: {error.filename or 'cache'}: {why}")
