"""The app's side of replay: what a call would send, whom the person trusts in this run, waiting for servers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import TypeVar

from msgspec.structs import replace

from blockview.core.consentlines import Planned
from blockview.core.find import Position
from blockview.core.model import ToolCall
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import prepare
from blockview.core.replaying import Destination, Inspection, NotConnected, Replayer
from blockview.core.trust import Trust
from blockview.core.view import View

HEAVY = 20_000
"""Characters of arguments from which the rows about them are made in a thread."""

T = TypeVar("T")


class Replays:
    """Plans replays of calls and knows which servers need no more confirmation. Lives as long as the app."""

    def __init__(self, replayer: Replayer) -> None:
        """Send by `replayer`."""
        self.replayer = replayer
        self.trust = Trust()

    def plan(self, view: View, position: Position, call: ToolCall | None = None) -> Planned:
        """What a replay of the call at `position` would send, which is `call` where a person edited it."""
        recorded = view.call(position)
        if recorded is None:
            raise LookupError(position)
        call = call or recorded
        shown = view.prepared(position).schema
        prepared = view.prepared(position) if call is recorded else prepare(call, view.lookup, view.depth)
        return self.looked_at(Planned(recorded, call, self.replayer.route(call), shown, Inspection(prepared, shown)))

    def looked_at(self, planned: Planned) -> Planned:
        """The plan with what the server's own list says, where the server is connected."""
        destination = planned.route.destination
        if destination is None or not self.replayer.is_connected(destination):
            return planned
        depth = planned.seen.prepared.depth
        seen = self.replayer.inspect(destination, planned.call, planned.shown, depth)
        return replace(planned, seen=seen, listed=True)

    def edited(self, planned: Planned, arguments: str | None) -> Planned:
        """The plan with other arguments, as JSON text or absent."""
        call = replace(planned.recorded, arguments=arguments)
        prepared = prepare(call, lambda _: planned.shown, planned.seen.prepared.depth)
        return self.looked_at(replace(planned, call=call, seen=Inspection(prepared, planned.shown), listed=False))

    def unconnected(self, planned: Sequence[Planned]) -> list[Destination]:
        """The servers of the calls that are not connected, in order."""
        found = dict.fromkeys(each.route.destination for each in planned)
        return [each for each in found if each is not None and not self.replayer.is_connected(each)]

    def needs_no_question(self, planned: Sequence[Planned]) -> bool:
        """Whether there are calls that can be sent, and the trust that the person gave covers them all."""
        return not all(each.hindrance for each in planned) and not self.trust.not_covered(planned)


async def connected(pending: Future[None]) -> Outcome | None:
    """Wait for a connection; how it ended where none came about."""
    try:
        await ended(pending)
    except NotConnected as error:
        return error.outcome
    except CancelledError:
        return Outcome(Ended.CANCELLED)
    return None


async def answered(pending: Future[Outcome]) -> Outcome:
    """Wait for the answer to a call."""
    try:
        return await ended(pending)
    except CancelledError:
        return Outcome(Ended.CANCELLED)


async def ended(pending: Future[T]) -> T:
    """Wait for a future without a thread, and without cancelling it when the waiting is cancelled."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def tell(_: Future[T]) -> None:
        with suppress(RuntimeError):  # the app has ended, and its loop with it
            loop.call_soon_threadsafe(done.set)

    pending.add_done_callback(tell)
    await done.wait()
    return pending.result()
