"""Replayed calls as text and as JSON: what was sent, how it ended, and how that compares with the recording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from blockview.core.compare import Comparison
from blockview.core.diff import DiffRow, Sign
from blockview.core.difflines import Differences, DiffRows, heads, totals_spans
from blockview.core.jsontext import Tree
from blockview.core.lines import Line, Role, Span
from blockview.core.listrows import name_spans
from blockview.core.live import Live, live_rows
from blockview.core.model import ToolCall
from blockview.core.prepare import Prepared
from blockview.core.rows import Fold, ends, fit
from blockview.core.safetext import visible
from blockview.export.json import call_json, encode, result_json

VERSION = 1


class Replayed(msgspec.Struct, frozen=True):
    """One call that was sent again, or was to be.

    `prepared` is what was shown before it was sent. `comparison` is None when nothing was tried.
    """

    call: ToolCall
    prepared: Prepared
    live: Live
    comparison: Comparison | None = None


def replayed_lines(done: Replayed, width: int) -> Iterator[Line]:
    """A call's outcome, and what is different from the recorded one."""
    yield (Span("─" * width, Role.QUIET),)
    name = [*name_spans(done.call, width), Span(f"  {visible(done.call.id)}", Role.QUIET)]
    yield ends(name, [done.live.mark(word=True)], width)
    for row in live_rows(done.live, width=width, fold=Fold.OPEN):
        yield row.line
    found = done.comparison
    if found is None or found.same or done.live.outcome.result is None:
        return
    yield heads("", "", width, side=False)
    for row in DiffRows(Differences(found), width=width, side=False):
        yield row.line
    yield fit(totals_spans(found.totals), width)


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
    outcome = done.live.outcome
    written: dict[str, object] = {
        "server": done.live.server or None,
        "ended": outcome.ended.value,
        "detail": outcome.detail or None,
        "code": outcome.code or None,
        "sent": outcome.sent,
        "result": None if outcome.result is None else result_json(outcome.result),
        "started": outcome.started.isoformat() if outcome.started else None,
        "duration_ms": outcome.duration_ms,
        "remarks": list(outcome.remarks),
        "stderr": outcome.stderr or None,
        "same": bool(done.live.same),
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
