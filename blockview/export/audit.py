"""What a check found, as lines for a person and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import msgspec

from blockview.core.baseline import Known, known
from blockview.core.findings import Checked, Finding, Kind, Level
from blockview.core.lines import Line, Role, Span
from blockview.core.model import ToolCall
from blockview.core.safetext import short_name, visible

VERSION = 1

_ROLES = {Level.ERROR: Role.ERROR, Level.WARNING: Role.CHANGED, Level.NOTE: Role.QUIET}
_KIND_WIDTH = max(len(kind) for kind in Kind) + 2


class Audit(msgspec.Struct, frozen=True):
    """What a check found in one session.

    `calls` are the calls that were looked at, in order, `unread` what was skipped or guessed on reading, `known` what
    a baseline accepts.
    """

    source: str
    calls: Sequence[Checked]
    unread: Sequence[Finding]
    known: Collection[Known] = ()

    def findings(self) -> Iterator[tuple[Checked | None, Finding]]:
        """All findings, each with its call."""
        yield from ((checked, found) for checked in self.calls for found in checked.findings)
        yield from ((None, found) for found in self.unread)

    def knows(self, checked: Checked | None, finding: Finding) -> bool:
        """Whether the baseline accepts a finding of a call, or of none."""
        return bool(self.known) and known(finding, None if checked is None else checked.call) in self.known


def call_name(call: ToolCall) -> str:
    """A call's server and tool, visible and short."""
    tool = short_name(call.tool or call.name)
    return f"{short_name(call.server)}.{tool}" if call.server else tool


def audit_lines(audit: Audit) -> Iterator[Line]:
    """The findings of a session below its name, those that are known left out; nothing when there is none."""
    new = [pair for pair in audit.findings() if not audit.knows(*pair)]
    if not new:
        return
    yield (Span(visible(audit.source), Role.TITLE),)
    for checked, found in new:
        place = f"line {found.place.line}"
        where = "" if checked is None else f"block {checked.block + 1}, {call_name(checked.call)}, "
        path = f"{visible(found.path)} " if found.path else ""
        yield (
            Span("  "),
            Span(f"{found.kind.value:<{_KIND_WIDTH}}", _ROLES[found.kind.level]),
            Span(f"{where}{place}: ", Role.QUIET),
            Span(f"{path}{visible(found.message)}"),
        )


def summary(audits: Sequence[Audit]) -> str:
    """How much was looked at and what was found, in a line."""
    calls = sum(len(audit.calls) for audit in audits)
    counts: Counter[Kind] = Counter()
    accepted = 0
    for audit in audits:
        for checked, found in audit.findings():
            if audit.knows(checked, found):
                accepted += 1
            else:
                counts[found.kind] += 1
    looked = f"{calls:,} call{'' if calls == 1 else 's'} in {len(audits):,} session{'' if len(audits) == 1 else 's'}"
    told = ", ".join(f"{counts[kind]:,} {kind.value}" for kind in Kind if counts[kind]) or "nothing found"
    return f"{looked}: {told}" + (f"; {accepted:,} known" if accepted else "")


def audit_json(audit: Audit) -> dict[str, object]:
    """A session's part of the JSON document."""
    return {
        "source": audit.source,
        "calls": len(audit.calls),
        "findings": [_finding(audit, *one) for one in audit.findings()],
    }


def _finding(audit: Audit, checked: Checked | None, found: Finding) -> dict[str, object]:
    call = None if checked is None else checked.call
    return {
        "kind": found.kind.value,
        "level": found.kind.level.value,
        "block": None if checked is None else checked.block + 1,
        "call": None if checked is None else checked.number + 1,
        "id": None if call is None else call.id,
        "server": None if call is None else call.server,
        "tool": None if call is None else call.tool or call.name,
        "path": found.path,
        "message": found.message,
        "line": found.place.line,
        "byte": found.place.byte,
        "known": audit.knows(checked, found),
    }
