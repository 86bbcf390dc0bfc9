"""A live outcome that stands beside a recorded call, and how it is told on one line."""

from __future__ import annotations

import msgspec

from blockview.core.lines import Line, Role, Span
from blockview.core.listrows import duration_text
from blockview.core.marks import CHANGED, ERROR, MISSING
from blockview.core.model import ToolCall
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import Found, Missing
from blockview.core.rows import Fold, Row, Section, Target, ends, fit, text_rows
from blockview.core.safetext import one_line

VANISHED = f"{MISSING} schema missing at dispatch: sent as recorded"
EDITED = f"{CHANGED} edited: this is not the recorded call"

_SENT = 6
"""Lines of the sent arguments that are shown before they are folded."""
_STDERR = 12


class Live(msgspec.Struct, frozen=True):
    """What became of a call that was sent again.

    `call` is what was to be sent, `edited` says that it is not the recorded call, `shown` is the wire text that the
    person saw before it was sent and `schema` the schema it was made with. `same` is None where the two results were
    not compared. `server` is the name that the server has in its config.
    """

    call: ToolCall
    shown: str | None
    schema: Found | Missing
    outcome: Outcome
    same: bool | None
    server: str = ""
    edited: bool = False

    @property
    def as_shown(self) -> bool:
        """Whether the server got what the person saw."""
        return self.outcome.sent == self.shown

    @property
    def vanished(self) -> bool:
        """Whether there was a schema when the call was shown and none when it was sent."""
        prepared = self.outcome.prepared
        return prepared is not None and isinstance(prepared.schema, Missing) and isinstance(self.schema, Found)

    @property
    def failed(self) -> bool:
        """Whether the call ended otherwise than with a result."""
        return self.outcome.ended is not Ended.RESULT

    def clock(self) -> str:
        """When the call was sent, in the clock's time here."""
        return f"{self.outcome.started.astimezone():%H:%M:%S}" if self.outcome.started else ""

    def mark(self, *, word: bool) -> Span:
        """`= same` or `~ differs`, or without the word; blank where nothing was compared."""
        if self.same is None:
            return Span("not compared" if word else "", Role.QUIET)
        sign, said = ("=", "same") if self.same else ("~", "differs")
        return Span(f"{sign} {said}" if word else sign, Role.QUIET if self.same else Role.CHANGED)

    def line(self, width: int) -> Line:
        """The row of a call's detail that leads to the comparison."""
        left = [Span(f"live {self.clock()}".rstrip() + "  ", Role.TITLE), *ended_spans(self.outcome)]
        if self.outcome.detail:
            left.append(Span(f"  {one_line(self.outcome.detail, width)}"))
        if self.edited:
            left.append(Span("  edited", Role.CHANGED))
        return ends(left, [self.mark(word=True)], width)


def ended_spans(outcome: Outcome) -> list[Span]:
    """How a call ended, and how long that took."""
    failed = outcome.ended is not Ended.RESULT
    spans = [Span(f"{ERROR} {outcome.ended}" if failed else str(outcome.ended), Role.ERROR if failed else Role.OK)]
    if outcome.duration_ms is not None:
        spans.append(Span(f"  {duration_text(outcome.duration_ms)}", Role.QUIET))
    return spans


def live_rows(live: Live, *, width: int, toggled: frozenset[Target] = frozenset(), fold: Fold = Fold.AUTO) -> list[Row]:
    """All about a live outcome but the result: how it ended, what was sent and whether that is what was shown.

    Args:
        live: The outcome.
        width: Cells per row, at least 1.
        toggled: Targets whose fold is not the one that `fold` gives them.
        fold: What is open to begin with.
    """
    outcome, place = live.outcome, Target(0, Section.LIVE)
    rows = [Row(ends(ended_spans(outcome), [Span(live.clock(), Role.QUIET)], width), place)]
    said = [(outcome.detail, Role.ERROR if live.failed else Role.PLAIN)] if outcome.detail else []
    said += [(EDITED, Role.CHANGED)] if live.edited else []
    said += [(VANISHED, Role.MISSING)] if live.vanished else []
    said += [(remark, Role.MISSING) for remark in outcome.remarks]
    for text, role in said:
        rows += text_rows(text, role, place, width=width)
    texts: list[tuple[str | None, str]] = [(outcome.sent, _sent(live))]
    if outcome.sent is not None and not live.as_shown:
        texts.append((live.shown, "shown before"))
    if outcome.result is None and outcome.raw:
        texts.append((outcome.raw, "the answer as it came"))
    for number, (shown, what) in enumerate(texts):
        target = Target(0, Section.ARGUMENTS, number)
        rows.append(Row(fit([Span(what, Role.TITLE if live.as_shown else Role.ERROR)], width), target))
        if shown is not None:
            opened = (fold is Fold.OPEN) is not (target in toggled)
            rows += text_rows(shown, Role.PLAIN, target, width=width, opened=opened, limit=_SENT)
    return rows + (stderr_rows(outcome.stderr, width) if live.failed else [])


def _sent(live: Live) -> str:
    if live.outcome.sent is not None:
        return "sent, as shown before" if live.as_shown else f"{ERROR} sent, and not what was shown before"
    return "sent without arguments" if live.as_shown else "nothing was sent"


def stderr_rows(stderr: str, width: int) -> list[Row]:
    """The last lines of a server's stderr, under a heading; nothing where it wrote nothing."""
    if not stderr.strip():
        return []
    lines = stderr.rstrip("\n").split("\n")
    cut = f"the last {_STDERR} of {len(lines):,} lines" if len(lines) > _STDERR else ""
    place = Target(0, Section.LIVE, 1)
    rows = [Row(fit([Span("server's stderr", Role.TITLE), Span(f"  {cut}", Role.QUIET)], width), place)]
    for line in lines[-_STDERR:]:
        rows += text_rows(line, Role.PLAIN, place, width=width, limit=4)
    return rows
