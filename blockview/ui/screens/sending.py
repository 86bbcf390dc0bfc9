"""Calls that are being sent, one after the other, each with how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from enum import Enum
from time import monotonic

from msgspec.structs import replace
from textual import work
from textual.app import ComposeResult

from blockview.core.compare import Comparison, compare, is_comparable, is_surprise
from blockview.core.consentlines import Planned
from blockview.core.lines import Line, Role, Span
from blockview.core.listrows import name_spans
from blockview.core.live import Live, ended_spans
from blockview.core.outcome import Ended, Outcome
from blockview.core.replaying import Destination
from blockview.core.rows import ends
from blockview.core.safetext import one_line, short_name
from blockview.ui.actions import Action, Where, footer_actions
from blockview.ui.header import number
from blockview.ui.replays import Replays, answered, connected
from blockview.ui.screens.base import PaneScreen, bindings
from blockview.ui.threads import in_thread
from blockview.ui.widgets.bar import Bar, Footer
from blockview.ui.widgets.lines_pane import LinesPane
from blockview.ui.widgets.pane import Pane


class _Doing(Enum):
    """What goes on."""

    CONNECTING = "connecting"
    SENDING = "waiting for the answer"
    COMPARING = "comparing"
    STOPPED = "stopped"
    DONE = "done"


class Sending(PaneScreen):
    """Sends calls in order and stops at the first that ends badly, unless the recorded one did or one keeps going."""

    BINDINGS = bindings(Where.EVERYWHERE, Where.SENDING)
    AUTO_FOCUS = "#calls"

    def __init__(
        self,
        replays: Replays,
        planned: Sequence[Planned],
        *,
        keep: Callable[[int, Live], None],
        show: Callable[[int, Live, Comparison | None], None],
        connected: Callable[[], None],
    ) -> None:
        """Send calls that the person confirmed.

        Args:
            replays: Whom to send by.
            planned: The calls, in order.
            keep: Gets the number of each call that was sent and what became of it; again once that was compared.
            show: Shows what became of a call in place of this screen's row; a single call is shown at once.
            connected: Called when a trusted server was connected.
        """
        super().__init__()
        self._replays = replays
        self._planned = list(planned)
        self._keep = keep
        self._show = show
        self._connected = connected
        self._done: list[tuple[Live, Comparison | None]] = []
        self._pending: Future[None] | Future[Outcome] | None = None
        self._gave_up = False
        self._keeps_going = False
        self._goes_on = False
        self._unreachable: dict[Destination, str] = {}
        self._doing = _Doing.SENDING
        self._began = monotonic()
        self._status = Bar(self._status_line, id="question")
        self._calls = LinesPane(self._lines, id="calls")
        self._footer = Footer(self._footer_actions, id="footer")

    def compose(self) -> ComposeResult:
        """Title, a row for each call, what goes on, footer."""
        yield Bar(self._title_line, id="header")
        yield self._calls
        yield self._status
        yield self._footer

    def on_mount(self) -> None:
        """Begin."""
        self.set_interval(1, self._status.refresh)
        self._send()

    # What is shown

    def _footer_actions(self) -> Sequence[Action]:
        actions = footer_actions(Where.SENDING)
        if self._doing is _Doing.DONE:
            return [action for action in actions if action.name != "keep_going"]
        stopped = self._doing is _Doing.STOPPED
        return [each._replace(label="go on") if stopped and each.name == "keep_going" else each for each in actions]

    def _title_line(self, width: int) -> Line:
        return ends([Span(" replay ", Role.TITLE), Span(number(len(self._planned), "call"), Role.TOOL)], [], width)

    def _lines(self, width: int) -> list[Line]:
        lines = []
        for at, planned in enumerate(self._planned):
            left = [Span(f" {at + 1:>3} ", Role.QUIET), *name_spans(planned.call, max(width // 3, 8)), Span("  ")]
            right: list[Span] = []
            if at < len(self._done):
                live = self._done[at][0]
                left += ended_spans(live.outcome)
                left.append(Span(f"  {one_line(live.outcome.detail, width)}"))
                right = [live.mark(word=width >= 60), Span(" ")]
            elif at == len(self._done) and self._doing not in (_Doing.STOPPED, _Doing.DONE):
                left.append(Span(f"{self._doing.value}…", Role.MISSING))
            else:
                left.append(Span("not sent", Role.QUIET))
            lines.append(ends(left, right, width))
        return lines

    def _status_line(self, width: int) -> Line:
        of = f"{min(len(self._done) + 1, len(self._planned)):,} of {len(self._planned):,}"
        right = [Span("keeps going ", Role.CHANGED)] if self._keeps_going else []
        match self._doing:
            case _Doing.DONE:
                text, role = f"done: {number(len(self._done), 'call')}{self._verdicts()}; Enter compares", Role.OK
            case _Doing.STOPPED:
                ended = self._ended()
                goes_on = "goes on" if ended is None else f"starts {short_name(ended.name)} again and goes on"
                text, role = f"stopped after {len(self._done):,} of {len(self._planned):,}, c {goes_on}", Role.ERROR
            case _:
                esc = "" if self._doing is _Doing.COMPARING else ", Esc cancels"
                text, role = f"{of}: {self._doing.value}, {monotonic() - self._began:.0f} s{esc}", Role.MISSING
        return ends([Span(f" {one_line(text, width)}", role)], right, width)

    def _verdicts(self) -> str:
        """How many of the calls that are done are the same, differ, and could not be compared."""
        found = Counter(live.same for live, _ in self._done)
        words = {True: "same", False: "differs" if found[False] == 1 else "differ", None: "not compared"}
        return "".join(f", {found[same]:,} {word}" for same, word in words.items() if found[same])

    def _ended(self) -> Destination | None:
        """The server of the next call, if it has ended and only a key starts it again."""
        planned = self._planned[len(self._done)]
        server = planned.route.destination
        if server is None or planned.hindrance or self._replays.replayer.is_connected(server):
            return None
        return None if server in self._unreachable or self._replays.trust.has(server) else server

    def _changed(self, doing: _Doing) -> None:
        self._doing = doing
        self._calls.changed()
        self._status.refresh()
        self._footer.refresh()

    # What is done

    @work(group="send", description="send", exclusive=True)
    async def _send(self) -> None:
        while len(self._done) < len(self._planned):
            planned = self._planned[len(self._done)]
            self._began = monotonic()
            outcome = await self._outcome(planned)
            self._pending = None
            self._changed(_Doing.COMPARING)
            schema, shown = planned.seen.schema, planned.seen.prepared.dispatched
            server = planned.route.destination.name if planned.route.destination else ""
            live = Live(planned.call, shown, schema, outcome, None, server, planned.edited)
            self._keep(len(self._done), live)
            compared = await in_thread(compare, planned.recorded, outcome) if is_comparable(outcome) else None
            if compared is not None:
                live = replace(live, same=compared.same)
                self._keep(len(self._done), live)
            self._done.append((live, compared))
            if len(self._planned) == 1 and self.is_current:
                self._show(0, live, compared)
                return
            told = bool(planned.hindrance)  # that it cannot be sent, before anything was
            surprise = is_surprise(planned.recorded, outcome) and not told
            if self._gave_up or (surprise and not self._keeps_going):
                break
        finished = len(self._done) == len(self._planned)
        self._changed(_Doing.DONE if finished else _Doing.STOPPED)

    async def _outcome(self, planned: Planned) -> Outcome:
        """Send one call. A server that has ended is started again where the person trusts it or wants to go on."""
        destination, replayer = planned.route.destination, self._replays.replayer
        if destination is None or planned.hindrance:
            return Outcome(Ended.CANNOT_SEND, planned.hindrance)
        if not replayer.is_connected(destination):
            if destination in self._unreachable:
                return Outcome(Ended.CANNOT_SEND, self._unreachable[destination])
            if not (self._replays.trust.has(destination) or self._goes_on):
                return Outcome(Ended.CANNOT_SEND, "the server has ended; replay the call to start it again")
            connecting = replayer.connect(destination)
            self._pending = connecting
            self._changed(_Doing.CONNECTING)
            failed = await connected(connecting)
            self._connected()
            if failed is not None:
                why = f"{short_name(destination.name)} could not be reached: {failed.detail or failed.ended}"
                self._unreachable[destination] = why
                return failed
            if not planned.listed and not self._replays.trust.covers(await in_thread(self._replays.looked_at, planned)):
                return Outcome(Ended.CANNOT_SEND, "the tool says that it is destructive; replay the call to be asked")
        seen = planned.seen.prepared
        approved = seen if planned.listed and not self._replays.trust.covers(planned) else None
        sending = replayer.send(destination, planned.call, seen.depth, approved)
        self._pending = sending
        self._changed(_Doing.SENDING)
        return await answered(sending)

    def on_pane_chosen(self, event: Pane.Chosen) -> None:
        """Show what was double-clicked."""
        self.action_show_outcome()

    def action_show_outcome(self) -> None:
        """Recorded and live of the call under the cursor."""
        at = self._calls.cursor_line
        if at < len(self._done) and self.is_current:
            self._show(at, *self._done[at])
        elif self.is_current:
            self.notify("this call is not sent yet", markup=False)

    def action_keep_going(self) -> None:
        """Go on after errors, or not; where it has stopped, go on with the next call.

        Who goes on after a server has ended wants it started again, by the same command as before.
        """
        if self._doing is _Doing.STOPPED:
            self._gave_up, self._goes_on = False, True
            self._send()
        elif self._doing is not _Doing.DONE:
            self._keeps_going = self._goes_on = not self._keeps_going
            self._status.refresh()

    def action_back(self) -> None:
        """Cancel the call that is being sent, and the ones after it; else leave."""
        if self._pending is not None and not self._gave_up:
            self._gave_up = True
            self._replays.replayer.cancel(self._pending)
        else:
            super().action_back()

    def action_leave(self) -> None:
        """As `action_back`."""
        self.action_back()
