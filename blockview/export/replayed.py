"""Replayed calls as text and as JSON: what was sent, how it ended, and how that compares with the recording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from blockview.core.compare import Comparison
from blockview.core.diff import DiffRow, Sign
from blockview.core.difflines import Differences, DiffRows, heads, totals_spans
from blockview.core.jsontext import Tree
from blockview.core.lines import Line, Role, Span
from blockview.core.model import ToolCall
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import Prepared
from blockview.core.rows import ends, fit
from blockview.core.safetext import visible, wrap_lines
from blockview.export.json import call_json, encode, result_json

VERSION = 1

_STDERR_LINES = 8


class Replayed(msgspec.Struct, frozen=True):
    """One call that was sent again. `server` is the config's name of the server that got it, empty if none did.

    `prepared` is what was shown before it was sent. `comparison` is None when nothing was tried.
    """

    call: ToolCall
    prepared: Prepared
    outcome: Outcome
    server: str = ""
    comparison: Comparison | None = None

    @property
    def same(self) -> bool:
        """True when the call ended as recorded, with the same value."""
        return self.comparison is not None and self.comparison.same


def replayed_lines(done: Replayed, width: int) -> Iterator[Line]:
    """A call's outcome, and what is different from the recorded one."""
    outcome = done.outcome
    yield fit([Span("─" * width, Role.QUIET)], width)
    name = f"{done.server or done.call.server or '?'}.{done.call.tool or done.call.name}"
    verdict = Span("= same", Role.OK) if done.same else Span("~ differs", Role.CHANGED)
    took = "" if outcome.duration_ms is None else f"{outcome.duration_ms:.0f} ms  "
    role = Role.OK if outcome.ended is Ended.RESULT else Role.ERROR
    right = [Span(f"{outcome.ended}  ", role), Span(took, Role.QUIET), verdict]
    yield ends([Span(visible(name), Role.TOOL), Span(f"  {visible(done.call.id)}", Role.QUIET)], right, width)
    for text, lines_role in _statements(done):
        for line in wrap_lines(text, width):
            yield (Span(line, lines_role),)
    if done.comparison is not None and not done.same and outcome.result is not None:
        yield heads("", "", width, side=False)
        for row in DiffRows(Differences(done.comparison), width=width, side=False):
            yield row.line
        yield fit(totals_spans(done.comparison.totals), width)


def _statements(done: Replayed) -> Iterator[tuple[str, Role]]:
    outcome = done.outcome
    if outcome.ended is not Ended.CANNOT_SEND:
        yield f"sent {outcome.sent if outcome.sent is not None else 'no arguments'}", Role.PLAIN
    if outcome.sent is not None and outcome.sent != done.prepared.dispatched:
        yield f"shown before: {done.prepared.dispatched}", Role.ERROR
    if outcome.detail:
        yield outcome.detail, Role.PLAIN
    for remark in outcome.remarks:
        yield remark, Role.QUIET
    if outcome.ended not in (Ended.RESULT, Ended.TOOL_ERROR):
        for line in outcome.stderr.splitlines()[-_STDERR_LINES:]:
            yield f"stderr: {line}", Role.QUIET


def replayed_json(source: str, calls: Iterable[Replayed]) -> Iterator[str]:
    """All replayed calls as one JSON document, in the order in which they were sent.

    Each call is written as `export.json` writes it, and beside it `live`: how it ended, what was sent, and what came
    back, with `same` and the `differences` by JSON Pointer (RFC 6901).
    """
    yield encode({"blockview": VERSION, "source": source})[:-1] + ',"calls":['
    separator = "\n"
    for done in calls:
        yield separator + encode({**call_json(done.call, done.prepared), "live": _live(done)})
        separator = ",\n"
    yield "\n]}\n"


def _live(done: Replayed) -> dict[str, object]:
    outcome = done.outcome
    written: dict[str, object] = {
        "server": done.server or None,
        "ended": outcome.ended.value,
        "detail": outcome.detail or None,
        "code": outcome.code or None,
        "sent": outcome.sent,
        "result": None if outcome.result is None else result_json(outcome.result),
        "started": outcome.started.isoformat() if outcome.started else None,
        "duration_ms": outcome.duration_ms,
        "remarks": list(outcome.remarks),
        "stderr": outcome.stderr or None,
        "same": done.same,
    }
    if done.comparison is not None:
        written["ended_differently"] = done.comparison.ended or None
        written["differences"] = list(_differences(done.comparison))
    return written


def _differences(found: Comparison) -> Iterator[dict[str, object]]:
    for row in found.rows:
        if row.sign is not Sign.SAME and not row.paired:
            yield {
                "path": _pointer(found, row),
                "sign": row.sign.value,
                "recorded": _literal(found.recorded, row.recorded),
                "live": _literal(found.live, row.live),
            }


def _pointer(found: Comparison, row: DiffRow) -> str:
    if row.live is not None:
        return found.live.pointer(row.live)
    return found.recorded.pointer(row.recorded or 0)


def _literal(tree: Tree, number: int | None) -> str | None:
    return None if number is None else tree.literal(number)
