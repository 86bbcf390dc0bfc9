"""The confirmation: what would be started, what would be sent. Nothing starts and nothing is sent before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from enum import Enum
from time import monotonic

from msgspec.structs import replace
from textual import work
from textual.app import ComposeResult

from blockview.core.consentlines import (
    Planned,
    always_rows,
    call_rows,
    destinations,
    failure_rows,
    server_rows,
    still_asked_rows,
)
from blockview.core.lines import Line, Role, Span
from blockview.core.outcome import Outcome
from blockview.core.replaying import Destination
from blockview.core.rows import Fold, Row, Section, Target, ends, text_rows
from blockview.core.safetext import one_line, short_name
from blockview.ui.actions import Action, Where, footer_actions
from blockview.ui.header import number
from blockview.ui.replays import HEAVY, Replays, connected
from blockview.ui.screens.base import bindings
from blockview.ui.screens.rows import RowsScreen
from blockview.ui.threads import in_thread
from blockview.ui.widgets.bar import Bar, Footer
from blockview.ui.widgets.rows_pane import RowsPane

HELD = 0.5
"""Seconds in which a key that is still held from the first question does not answer the second one."""
_FEW = 2
"""Servers whose names fit in the question; they stand above it as well."""
_NOT_YET = "Enter in a moment"
"""What stands in the second question until it can be answered."""


class _Stage(Enum):
    """What the person is asked, or waits for."""

    START = "start"
    STARTING = "starting"
    SEND = "send"


class Confirm(RowsScreen):
    """Asks before a server is started, and again, with the server's own list, before calls are sent."""

    BINDINGS = bindings(Where.EVERYWHERE, Where.ROWS, Where.CONFIRM)
    AUTO_FOCUS = "#plan"

    def __init__(
        self,
        replays: Replays,
        planned: Sequence[Planned],
        *,
        send: Callable[[list[Planned]], None] | None,
        connected: Callable[[], None],
        note: str = "",
    ) -> None:
        """Ask about calls, of which at least one has a server or `send` is given.

        Args:
            replays: Whom to connect by.
            planned: The calls.
            send: Gets the calls when the person confirmed them; None when the servers are only to list their tools.
            connected: Called when servers were connected, so that what is displayed can follow.
            note: What else is to be known of the calls.
        """
        super().__init__()
        self._replays = replays
        self._planned = list(planned)
        self._send = send
        self._connected = connected
        self._note = note
        self._failed: dict[Destination, Outcome] = {}
        self._pending: Future[None] | None = None
        self._gave_up = False
        self._began = 0.0
        self._armed = True
        self._name = ""
        self._stage = _Stage.START if replays.unconnected(planned) else _Stage.SEND
        self._title = Bar(self._title_line, id="header")
        self._question = Bar(self._question_line, id="question")
        self._footer = Footer(self._footer_actions, id="footer")

    def compose(self) -> ComposeResult:
        """Title, what would be started and sent, the question, footer."""
        yield self._title
        weight = sum(len(each.call.arguments or "") for each in self._planned)
        yield RowsPane(self._rows, id="plan", heavy=weight > HEAVY)
        yield self._question
        yield self._footer

    def on_mount(self) -> None:
        """Start at once what the person trusts, and count the seconds of waiting."""
        self.set_interval(1, self._question.refresh)
        waiting = self._replays.unconnected(self._planned)
        if waiting and all(map(self._replays.trust.has, waiting)):
            self.action_confirm()

    # What is shown

    def _title_line(self, width: int) -> Line:
        what = "replay" if self._send else "schemas"
        if len(self._planned) == 1:
            call = self._planned[0].call
            name = f"{call.server}.{call.tool}" if call.server else call.tool or call.name
        else:
            name = number(len(self._planned), "call")
        right = [Span("edited ", Role.CHANGED)] if any(each.edited for each in self._planned) else []
        return ends([Span(f" {what} ", Role.TITLE), Span(one_line(name, width), Role.TOOL)], right, width)

    def _rows(self, width: int, toggled: frozenset[Target], fold: Fold) -> list[Row]:
        servers: list[Row] = []
        for server, reason in destinations(self._planned).items():
            is_connected = self._replays.replayer.is_connected(server)
            servers += [*server_rows(server, reason, connected=is_connected, width=width), Row(())]
        calls: list[Row] = []
        for at, planned in enumerate(self._planned if self._send is not None else ()):
            opened = toggled ^ {Target(at, Section.ARGUMENTS)} if fold is Fold.OPEN else toggled
            calls += [*call_rows(planned, at, len(self._planned), width=width, toggled=opened), Row(())]
        if self._note:
            calls += [*text_rows(self._note, Role.QUIET, Target(-1, Section.LIVE), width=width, indent=0), Row(())]
        failed: list[Row] = []
        for server, outcome in self._failed.items():
            name = server.name if len(destinations(self._planned)) > 1 else ""
            failed += [*failure_rows(outcome, width, name), Row(())]
        if self._stage is not _Stage.SEND:
            return [*failed, *servers, Row(()), *calls]
        trust = self._replays.trust
        asked = still_asked_rows(trust.still_asked(self._planned), width)
        always = always_rows(trust.not_covered(self._planned), width)
        return [*calls, *failed, *servers, *asked, *always]  # what is asked about comes first

    def _question_line(self, width: int) -> Line:
        waiting = self._replays.unconnected(self._planned)
        if self._stage is _Stage.STARTING:
            text, role = f"{self._name}: {_seconds(self._began)}, Esc gives up", Role.MISSING
        elif self._stage is _Stage.START:
            few = len(waiting) <= _FEW
            names = ", ".join(short_name(server.name) for server in waiting) if few else f"{len(waiting):,} servers"
            start = any(server.how == "stdio" for server in waiting)
            text = f"{'Start' if start else 'Connect to'} {names} and list the tools? No call is sent yet."
            role = Role.PROMPT
        elif not self._sendable:
            text, role = "Nothing here can be sent.", Role.ERROR
        else:
            count = len(self._sendable)
            left_out = len(self._planned) - count
            text = "Send this call?" if count == 1 else f"Send these {count:,} calls, in this order?"
            text += f" {left_out:,} cannot be sent." if left_out else ""
            role = Role.PROMPT
        found = destinations(self._planned)
        trusted = bool(found) and all(map(self._replays.trust.has, found))
        right = [Span("always: on ", Role.CHANGED)] if trusted else []
        if not self._armed:
            right.insert(0, Span(f"{_NOT_YET} ", Role.MISSING))
        return ends([Span(f" {one_line(text, width)}", role)], right, width)

    @property
    def _sendable(self) -> list[Planned]:
        return [each for each in self._planned if not each.hindrance]

    def _footer_actions(self) -> Sequence[Action]:
        label = {_Stage.START: "start", _Stage.STARTING: "wait", _Stage.SEND: "send"}[self._stage]
        left_out = set() if self._stage is _Stage.SEND else {"always"}  # who trusts has seen what is sent
        if self._stage is _Stage.STARTING:
            left_out |= {"confirm", "edit"}
        elif self._send is None:
            left_out |= {"edit"}
        elif self._stage is _Stage.SEND and not self._sendable:
            left_out |= {"confirm", "always"}
        actions = (action for action in footer_actions(Where.CONFIRM) if action.name not in left_out)
        return [action._replace(label=label) if action.name == "confirm" else action for action in actions]

    def _changed(self) -> None:
        self.rows_pane.changed()
        for bar in (self._title, self._question, self._footer):
            bar.refresh()

    # What is done

    def action_confirm(self) -> None:
        """Start the servers; once they are connected send the calls."""
        if not self.is_current or self._stage is _Stage.STARTING:
            return
        if self._stage is _Stage.START:
            self._stage, self._failed = _Stage.STARTING, {}
            self._connect()
        elif self._send is not None and self._sendable and self._armed:
            self.app.pop_screen()
            self._send(self._planned)

    def action_always(self) -> None:
        """Send, and ask no more for the servers of these calls, by the rule of `Trust`."""
        if self._stage is _Stage.SEND and self._armed:
            for server in destinations(self._sendable):
                self._replays.trust.give(server, self._planned)
            self.action_confirm()

    def action_edit(self) -> None:
        """Edit the arguments of the call under the cursor."""
        from blockview.ui.screens.edit_arguments import EditArguments

        if self._send is None or self._stage is _Stage.STARTING:
            return
        row = self.rows_pane.row
        at = row.target.call if row is not None and row.target is not None else -1
        if at < 0 and len(self._planned) > 1:
            self.notify("move to a call: its arguments are edited", markup=False)
            return
        at = max(at, 0)

        def take(planned: Planned) -> None:
            self._planned[at] = planned
            self._changed()

        self.app.push_screen(EditArguments(self._replays, self._planned[at], take))

    def action_back(self) -> None:
        """Give up waiting for a server, or leave; leave as well where giving up does not help."""
        if self._stage is _Stage.STARTING and self._pending is not None and not self._gave_up:
            self._gave_up = True
            self._replays.replayer.cancel(self._pending)
        else:
            super().action_back()

    def action_leave(self) -> None:
        """As `action_back`."""
        self.action_back()

    @work(group="connect", description="connect", exclusive=True)
    async def _connect(self) -> None:
        """Connect to one server after the other. One that fails costs only its own calls."""
        for server in self._replays.unconnected(self._planned):
            self._began = monotonic()
            self._name = f"{'starting' if server.how == 'stdio' else 'connecting to'} {short_name(server.name)}"
            self._gave_up = False
            self._pending = self._replays.replayer.connect(server)
            self._changed()
            failed = await connected(self._pending)
            self._pending = None
            if failed is not None:
                self._failed[server] = failed
        self._planned = await in_thread(lambda: [self._looked_at(each) for each in self._planned])
        none = all(server in self._failed for server in destinations(self._planned))
        self._stage = _Stage.START if none or (self._failed and self._send is None) else _Stage.SEND
        self._hold()
        self._connected()
        if not self._failed and self._send is None:
            self._listed()
            return
        self._changed()
        if self._failed:
            self.rows_pane.move(0)

    def _looked_at(self, planned: Planned) -> Planned:
        """The call with what is known of its server now."""
        server = planned.route.destination
        failed = None if server is None else self._failed.get(server)
        if server is None or failed is None:
            return self._replays.looked_at(replace(planned, unreachable=""))
        why = f"{short_name(server.name)} could not be reached: {failed.detail or failed.ended}"
        return replace(planned, unreachable=why)

    def _hold(self) -> None:
        """Let no key answer for a moment: it may be held from the question before."""
        if self._stage is _Stage.SEND and HELD:
            self._armed = False
            self.set_timer(HELD, self._arm)

    def _arm(self) -> None:
        self._armed = True
        self._question.refresh()

    def _listed(self) -> None:
        names = ", ".join(short_name(server.name) for server in destinations(self._planned))
        self.app.notify(f"{names}: tools listed, their schemas are used", markup=False)
        if self.is_current:
            self.app.pop_screen()


def _seconds(began: float) -> str:
    return f"{monotonic() - began:.0f} s"
