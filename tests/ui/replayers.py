"""A replayer without servers: its futures end when a test says so, or at once with prepared outcomes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime

from blockview.core.coercion import Depth
from blockview.core.model import ContentBlock, ToolCall, ToolResult
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import Found, Missing, Prepared, prepare
from blockview.core.replaying import Destination, Hints, Inspection, NotConnected, Route
from tests.ui.sessions import lookup

STARTED = datetime(2026, 8, 19, 15, 31, 7, tzinfo=UTC)
JOBS = Destination("jobs", "stdio", "python jobs.py --strict 'two words'", "/home/me/work", ".mcp.json", ("TOKEN",))
LOGS = Destination("logs", "http", "http://127.0.0.1:8000/mcp", source="--url", hidden=("Authorization",))


def answer(text: str = "ok", *, ended: Ended = Ended.RESULT, others: tuple[ContentBlock, ...] = ()) -> Outcome:
    """What a server answered; what was sent is filled in by the replayer."""
    content = (ContentBlock("text", text), *others)
    result = ToolResult(content, None, ended is not Ended.RESULT, text)
    return Outcome(ended, result=result, raw=text, started=STARTED, duration_ms=212)


_SILENT = Hints()


class FakeReplayer:
    """Knows the servers `jobs` and `logs`.

    `answers` gives the outcome of a call, None for one that stays pending; so does `connects`, False for a failure.
    """

    def __init__(
        self,
        answers: Callable[[ToolCall], Outcome | None] = lambda call: answer(),
        *,
        connects: bool | None = True,
        live: Callable[[ToolCall], Found | Missing] = lookup,
        hints: Hints = _SILENT,
        drift: tuple[str, ...] = (),
        errors: Callable[[str], tuple[str, ...]] = lambda sent: (),
    ) -> None:
        self.answers = answers
        self.connects = connects
        self.dead: set[str] = set()
        """Servers that cannot be reached, whatever `connects` is."""
        self.live = live
        self.hints = hints
        self.drift = drift
        self.errors = errors
        self.started: list[str] = []
        self.sent: list[tuple[str, str | None]] = []
        self.approved: list[str | None] = []
        self.running: set[str] = set()
        self.pending: list[Future[None] | Future[Outcome]] = []
        self.closed = False

    def route(self, call: ToolCall) -> Route:
        found = {"jobs": JOBS, "logs": LOGS}.get(call.server or "")
        return Route(found, "exact name" if found else f"no server is called {call.server}")

    def is_connected(self, destination: Destination) -> bool:
        return destination.name in self.running

    def connect(self, destination: Destination) -> Future[None]:
        self.started.append(destination.name)
        future: Future[None] = Future()
        if self.connects and destination.name not in self.dead:
            self.running.add(destination.name)
            future.set_result(None)
        elif self.connects is None:
            self.pending.append(future)
        else:
            stderr = "Traceback:\n[red]ModuleNotFoundError[/red]: No module named 'jobs'\x1b[2J\n"
            outcome = Outcome(Ended.SERVER_DIED, "exited with code 1 before it answered", stderr=stderr)
            future.set_exception(NotConnected(outcome))
        return future

    def inspect(self, destination: Destination, call: ToolCall, recorded: Found | Missing, depth: Depth) -> Inspection:
        assert self.is_connected(destination)
        prepared = prepare(call, self.live, depth)
        errors = self.errors(prepared.dispatched or "")
        return Inspection(prepared, prepared.schema, self.hints, self.drift, errors)

    def send(
        self, destination: Destination, call: ToolCall, depth: Depth, approved: Prepared | None = None
    ) -> Future[Outcome]:
        assert self.is_connected(destination)
        prepared = prepare(call, self.live, depth)
        self.approved.append(approved and approved.dispatched)
        self.sent.append((call.tool, prepared.dispatched))
        future: Future[Outcome] = Future()
        outcome = self.answers(call)
        if outcome is None:
            self.pending.append(future)
        else:
            fields = {name: getattr(outcome, name) for name in outcome.__struct_fields__}
            future.set_result(Outcome(**{**fields, "sent": prepared.dispatched, "prepared": prepared}))
        return future

    def cancel(self, pending: Future[Outcome] | Future[None]) -> None:
        outcome = Outcome(Ended.CANCELLED, "by the person", started=STARTED)
        self.pending.remove(pending)
        if self.running:
            pending.set_result(outcome)  # type: ignore[arg-type]
        else:
            pending.set_exception(NotConnected(outcome))

    def lookup(self, call: ToolCall) -> Found | Missing:
        return self.live(call) if call.server in self.running else Missing("")

    def close(self) -> None:
        self.closed = True
