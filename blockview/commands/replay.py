"""`blockview replay PATH`: send recorded calls again, and compare what comes back with what was recorded."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from concurrent.futures import Future
from typing import TextIO, TypeVar

from msgspec.structs import replace

from blockview.commands import Failure
from blockview.commands.choosing import chosen_calls
from blockview.commands.consent import Consent
from blockview.commands.sending import add_wait_options, end_on_signals, replayer_for
from blockview.commands.serving import add_server_options, servers_from
from blockview.commands.shared import (
    STDIN,
    add_coerce_option,
    add_filter_option,
    add_tools_option,
    is_demo,
    lookup_for,
    paint,
    read_recording,
    terminal_width,
    warn,
)
from blockview.core.coercion import Depth
from blockview.core.compare import compare, is_comparable, is_surprise
from blockview.core.consentlines import NEVER_RAN, Planned
from blockview.core.live import Live
from blockview.core.model import Session, ToolCall
from blockview.core.names import recorded_servers
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import Lookup, prepare
from blockview.core.replaying import Destination, Inspection, NotConnected, Replayer
from blockview.core.safetext import cell_width, one_line, short_name, visible
from blockview.export.replayed import Replayed, replayed_json, replayed_lines

T = TypeVar("T")

_PATIENCE = 0.5
"""Seconds until what was interrupted has ended."""

_NOT_MCP = "not an MCP call: no server would get it"


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("path", metavar="PATH", help="a recording, or - for stdin; the bundled one is called demo")
    parser.add_argument("--call", action="append", default=[], metavar="ID", help="only the call of this id")
    parser.add_argument(
        "--tool", action="append", default=[], metavar="NAME", help="only calls of this tool, or of server.tool"
    )
    add_filter_option(parser)
    add_server_options(parser)
    add_wait_options(parser)
    parser.add_argument(
        "--yes",
        action="store_true",
        help="do not ask; of the configured servers only those of a --config are started",
    )
    parser.add_argument("--continue-on-error", action="store_true", help="go on after an error that was not recorded")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_coerce_option(parser)
    add_tools_option(parser)


def run(options: Namespace) -> int:
    """Send the calls in recorded order. Exit code 0: all the same; 1: one differs; 2: nothing could be sent."""
    from blockview.dispatch.servers import only_given

    end_on_signals()
    session, servers = _session(options), servers_from(options)
    calls = chosen_calls(session, options)
    replayer = replayer_for(only_given(servers) if options.yes else servers, options, recorded_servers(session))
    lookup = lookup_for(session, options.tools, replayer.lookup)
    consent = Consent(_terminal(options), given=options.yes)
    sending = _Run(replayer, lookup, Depth(options.coerce), consent, len(calls))
    done: list[Replayed] = []
    signalled: SystemExit | None = None
    try:
        for one in sending.all(calls, go_on=options.continue_on_error):
            done.append(one)
    except KeyboardInterrupt:
        sending.interrupted = True
    except SystemExit as error:
        signalled = error
    finally:
        replayer.close()
    _print(session, done, options)
    if signalled is not None:
        raise signalled
    if sending.interrupted:
        return 130
    if done and all(one.comparison is None and one.live.outcome.sent is None for one in done):
        raise Failure(f"nothing was sent: {done[0].live.outcome.detail}")
    return 0 if all(one.live.same for one in done) and len(done) == len(calls) else 1


def _session(options: Namespace) -> Session:
    if is_demo(options.path):
        from blockview.commands.demo import demo_options

        demo_options(options)
    return read_recording(options.path)


def _terminal(options: Namespace) -> TextIO | None:
    """Where the person answers: stdin, or the terminal itself when the recording comes in there."""
    if options.path != STDIN:
        return sys.stdin if sys.stdin is not None and sys.stdin.isatty() else None
    try:
        return open("/dev/tty", encoding="utf-8")
    except OSError:
        return None


class _Run:
    """One run over the chosen calls: asks, connects, sends, tells."""

    def __init__(self, replayer: Replayer, lookup: Lookup, depth: Depth, consent: Consent, total: int) -> None:
        self._replayer = replayer
        self._lookup = lookup
        self._depth = depth
        self._consent = consent
        self._total = total
        self._given_up: dict[str, str] = {}
        self.interrupted = False

    def all(self, calls: list[ToolCall], *, go_on: bool) -> Iterator[Replayed]:
        """What became of each call, up to the one that ends the run."""
        for number, call in enumerate(calls):
            done = self._one(number, call)
            if done is not None:
                print(self._progress(number, done), file=sys.stderr, flush=True)
                yield done
            if self.interrupted or self._consent.stopped:
                return
            if done is not None and is_surprise(call, done.live.outcome) and not go_on and number + 1 < self._total:
                left = self._total - number - 1
                what = "1 more call is" if left == 1 else f"{left:,} more calls are"
                name = short_name(call.id)
                warn(f"stopped: call {name} was not recorded as an error; {what} not sent; --continue-on-error goes on")
                return

    def _one(self, number: int, call: ToolCall) -> Replayed | None:
        """Send one call; None when the person does not want it sent."""
        prepared = prepare(call, self._lookup, self._depth)
        planned = Planned(
            call, call, self._replayer.route(call), prepared.schema, Inspection(prepared, prepared.schema)
        )
        server = planned.route.destination
        if not call.mcp:
            return _told(planned, Outcome(Ended.CANNOT_SEND, _NOT_MCP, prepared=prepared))
        if server is None or planned.hindrance:
            return _told(planned, Outcome(Ended.CANNOT_SEND, planned.hindrance, prepared=prepared))
        failed = self._connected(server, planned.route.reason)
        if failed is not None:
            return _told(planned, failed)
        planned = replace(planned, seen=self._replayer.inspect(server, call, planned.shown, self._depth), listed=True)
        if not self._consent.to_send(planned, number, self._total):
            return None
        if call.status in NEVER_RAN and self._consent.given:
            warn(f"call {short_name(call.id)}: the recording shows that it was {NEVER_RAN[call.status]}")
        approved = None if self._consent.covers(planned) else planned.seen.prepared
        sending = self._replayer.send(server, call, self._depth, approved)
        return _told(planned, self._wait(sending, self._title(number, call)))

    def _connected(self, server: Destination, reason: str) -> Outcome | None:
        """Connect if that is allowed; what went wrong, or None."""
        if server.name in self._given_up:
            return Outcome(Ended.CANNOT_SEND, self._given_up[server.name])
        if self._replayer.is_connected(server):
            return None
        if not self._consent.to_start(server, reason):
            self._given_up[server.name] = f"you did not want {short_name(server.name)} to be started"
            return Outcome(Ended.CANNOT_SEND, self._given_up[server.name])
        try:
            self._wait(self._replayer.connect(server), f"connecting to {short_name(server.name)}")
        except NotConnected as failed:
            name = short_name(server.name)
            self._given_up[server.name] = f"{name} could not be reached: {failed.outcome.detail}"
            return failed.outcome
        return None

    def _wait(self, pending: Future[T], title: str) -> T:
        """Wait for an answer; an interrupt ends the waiting and the run, and what there is by then is told.

        On a terminal the title stands there meanwhile.
        """
        shown = one_line(title, max(terminal_width(sys.stderr) - 1, 1)) if sys.stderr.isatty() else ""
        try:
            print(shown, end="\r" if shown else "", file=sys.stderr, flush=True)
            return pending.result()
        except KeyboardInterrupt:
            self.interrupted = True
            self._replayer.cancel(pending)  # type: ignore[arg-type]
            try:
                return pending.result(_PATIENCE)
            except TimeoutError:  # the connection still loads what it needs
                raise KeyboardInterrupt from None
        finally:
            print(" " * cell_width(shown), end="\r" if shown else "", file=sys.stderr, flush=True)

    def _title(self, number: int, call: ToolCall) -> str:
        return f"[{number + 1}/{self._total}] {short_name(call.server or '?')}.{short_name(call.tool or call.name)}"

    def _progress(self, number: int, done: Replayed) -> str:
        outcome = done.live.outcome
        took = "" if outcome.duration_ms is None else f", {outcome.duration_ms:.0f} ms"
        verdict = {None: "", True: ", same", False: ", differs"}[done.live.same]
        if done.live.same is None and outcome.result is not None:
            verdict = ", not compared: too large"
        detail = f": {one_line(outcome.detail, 200)}" if outcome.detail else ""
        return visible(f"{self._title(number, done.call)}  {outcome.ended}{took}{verdict}{detail}{_elsewhere(done)}")


def _elsewhere(done: Replayed) -> str:
    """Which server answered, where it is not the recorded one by name."""
    server, recorded = done.live.server, done.call.server
    if server in ("", recorded):
        return ""
    return f"  ({short_name(server)} answers for {short_name(recorded or 'calls without a server')})"


def _told(planned: Planned, outcome: Outcome) -> Replayed:
    call, prepared = planned.call, planned.seen.prepared
    comparison = compare(call, outcome) if is_comparable(outcome) else None
    same = None if comparison is None else comparison.same
    server = planned.route.destination.name if planned.route.destination else ""
    return Replayed(call, prepared, Live(call, prepared.dispatched, planned.shown, outcome, same, server), comparison)


def _print(session: Session, done: list[Replayed], options: Namespace) -> None:
    if options.json:
        for chunk in replayed_json(session.source, done):
            sys.stdout.write(chunk)
        return
    width = terminal_width(sys.stdout)
    for one in done:
        for line in replayed_lines(one, width):
            print(paint(line, sys.stdout))
