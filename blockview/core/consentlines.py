"""What a person sees before a server is started and before calls are sent, as rows for every front end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from blockview.core.jsontext import JsonError
from blockview.core.lines import Role, Span
from blockview.core.listrows import name_spans
from blockview.core.live import EDITED, VANISHED, stderr_rows
from blockview.core.marks import ERROR, MISSING, argument_notes, call_marks
from blockview.core.model import Status, ToolCall
from blockview.core.outcome import Outcome
from blockview.core.prepare import Found, Missing
from blockview.core.replaying import Destination, Hints, Inspection, Route
from blockview.core.rows import Row, Section, Target, ends, fit, text_rows
from blockview.core.safetext import cell_width, one_line, short_name, visible, wrap_lines
from blockview.core.trees import arguments_tree

NOWHERE = "give a server for it: blockview --server NAME=COMMAND, or --config FILE"

NEVER_RAN = {
    Status.DENIED: "denied and reached no server",
    Status.REJECTED: "rejected and reached no server",
    Status.NEVER_SENT: "never sent",
    Status.RESULT_WITHOUT_CALL: "a result without its call",
}
"""How calls ended that are not known to have reached a server, in words; they are sent only when asked for."""

_LABEL = 11
_ONE, _MANY = 12, 4
"""Lines of the wire text that are shown before it is folded, of one call and of each of several."""
_PLACES = 20


class Planned(msgspec.Struct, frozen=True):
    """A call that is to be sent.

    `recorded` is the recorded call and `shown` its schema on the display path; `call` is what is sent, which is another
    call where a person edited the arguments. `seen` is what is known about it: from the server's own list where
    `listed`, else from the display path. `unreachable` says why its server was not reached when that was tried.
    """

    recorded: ToolCall
    call: ToolCall
    route: Route
    shown: Found | Missing
    seen: Inspection
    listed: bool = False
    unreachable: str = ""

    @property
    def edited(self) -> bool:
        """Whether the arguments are not the recorded ones."""
        return self.call.arguments != self.recorded.arguments

    @property
    def vanished(self) -> bool:
        """Whether the display path has a schema and the server's list has none."""
        return self.listed and isinstance(self.seen.schema, Missing) and isinstance(self.shown, Found)

    @property
    def destructive(self) -> bool:
        """Whether the tool says of itself, in the server's list, that it is destructive."""
        return self.listed and bool(self.seen.hints.destructive)

    @property
    def hindrance(self) -> str:
        """Why the call cannot be sent; empty if it can."""
        return self.seen.prepared.blocked or self.unreachable or ("" if self.route.destination else self.route.reason)


def never_ran(calls: Iterable[ToolCall]) -> str:
    """How many of the calls are not known to have reached a server, and why; empty when all have."""
    counts = Counter(call.status for call in calls)
    return "; ".join(f"{counts[status]:,} {words}" for status, words in NEVER_RAN.items() if counts[status])


def server_rows(destination: Destination, reason: str, *, connected: bool, width: int) -> list[Row]:
    """A server as a person sees it before it is started: the exact command line or URL, and where it comes from.

    Args:
        destination: The server.
        reason: How it was found for the calls.
        connected: Whether it has been started and answers.
        width: Cells per row.
    """
    state = Span("connected", Role.OK) if connected else Span("not connected", Role.MISSING)
    name = [Span("server ", Role.TITLE), Span(one_line(destination.name, width), Role.TOOL)]
    rows = [Row(ends([*name, Span(f"  {destination.how}", Role.QUIET)], [state], width))]
    hidden = ", ".join(destination.hidden)
    for label, text, role in (
        ("command" if destination.how == "stdio" else "URL", destination.command, Role.STRING),
        ("folder", destination.folder, Role.PLAIN),
        ("config", destination.source, Role.PLAIN),
        ("set, hidden", hidden, Role.PLAIN),
        ("matched", reason, Role.PLAIN),
    ):
        if text:
            rows += _labelled(label, text, role, width)
    return rows


def _labelled(label: str, text: str, role: Role, width: int) -> Iterator[Row]:
    lead = f"  {label:<{_LABEL}} "
    for line in wrap_lines(text, max(width - len(lead), 8)):
        yield Row(fit([Span(lead, Role.QUIET), Span(line, role)], width))
        lead = " " * len(lead)


def failure_rows(outcome: Outcome, width: int, name: str = "") -> list[Row]:
    """Why no connection came about, with the end of what the server wrote to stderr; `name` where it can be several."""
    what = f"{ERROR} {f'{short_name(name)}: ' if name else ''}{outcome.ended}"
    what += f": {outcome.detail}" if outcome.detail else ""
    rows = text_rows(what, Role.ERROR, Target(-1, Section.LIVE), width=width, indent=0)
    return rows + stderr_rows(outcome.stderr, width)


def call_rows(
    planned: Planned, number: int, total: int, *, width: int, toggled: frozenset[Target] = frozenset()
) -> list[Row]:
    """A call as a person sees it before it is sent: the wire text, what is changed in it, what the server says of it.

    Args:
        planned: The call.
        number: Which of the calls this is, from 0; it is `Target.call` of every row.
        total: How many calls there are.
        width: Cells per row, at least 1.
        toggled: Targets that a person opened.
    """
    place, seen = Target(number, Section.CALL), planned.seen
    start = Span(f"call {number + 1}/{total}  " if total > 1 else "call  ", Role.TITLE)
    marks = call_marks(planned.call, seen.prepared).spans
    right = [part for span in marks for part in (Span(" "), span)]
    title = ends([start, *name_spans(planned.call, max(width - 16, 8))], right, width)
    rows = [Row(title, place)]
    for text, role in _statements(planned):
        rows += text_rows(text, role, place, width=width)
    target = Target(number, Section.ARGUMENTS)
    what = "as they go over the wire" if planned.listed else "as they would go over the wire, by what is known here"
    left = [Span("  arguments", Role.TITLE), Span(f"  {what}, coercion {seen.prepared.depth}", Role.QUIET)]
    rows.append(Row(fit(left, width), target))
    wire = seen.prepared.dispatched
    if wire is None:
        return [*rows, Row(fit([Span("    (no arguments)", Role.QUIET)], width), target)]
    limit = _ONE if total == 1 else _MANY
    rows += text_rows(wire, Role.PLAIN, target, width=width, indent=4, opened=target in toggled, limit=limit)
    return [*rows, *_place_rows(planned, target, width)]


def _statements(planned: Planned) -> Iterator[tuple[str, Role]]:
    """What is to be known about a call, what is most dangerous first."""
    if planned.route.destination is None:
        yield f"{ERROR} nowhere to send it: {planned.route.reason}", Role.ERROR
        yield NOWHERE, Role.QUIET
    if planned.seen.prepared.blocked:
        yield f"{ERROR} cannot be sent: {planned.seen.prepared.blocked}", Role.ERROR
    if planned.unreachable:
        yield f"{ERROR} cannot be sent: {planned.unreachable}", Role.ERROR
    if planned.recorded.status in NEVER_RAN:
        yield f"{ERROR} the recording shows that it was {NEVER_RAN[planned.recorded.status]}", Role.ERROR
    if planned.edited:
        yield EDITED, Role.CHANGED
    if planned.listed:
        yield from _hint_lines(planned.seen.hints)
    elif planned.route.destination is not None:
        yield "whether it only reads: known once the server has listed its tools", Role.QUIET
    match planned.seen.schema:
        case Found(source=source):
            yield f"schema from {source}", Role.QUIET
        case Missing() if planned.vanished:
            yield VANISHED, Role.MISSING
        case Missing(reason=reason):
            yield f"{MISSING} schema not found, sent as recorded: {reason}", Role.MISSING
    for line in planned.seen.drift:
        yield f"~ live schema is not the recorded one: {line}", Role.CHANGED
    for line in planned.seen.errors:
        yield f"{ERROR} by the schema: {line}", Role.ERROR


def _hint_lines(hints: Hints) -> Iterator[tuple[str, Role]]:
    if hints.read_only and hints.destructive:
        yield f"{ERROR} the tool says that it is read-only, and that it is destructive", Role.ERROR
        return
    if hints.read_only:
        yield "the tool says that it is read-only", Role.OK
        return
    says = "says that it is not read-only" if hints.read_only is False else "does not say that it is read-only"
    if hints.destructive:
        says += ", and that it is destructive" if hints.read_only is False else ", it says that it is destructive"
    elif hints.destructive is False:
        says += (
            ", and that it is not destructive" if hints.read_only is False else ", it says that it is not destructive"
        )
    yield f"{ERROR} the tool {says}", Role.ERROR if hints.destructive else Role.MISSING


def _place_rows(planned: Planned, target: Target, width: int) -> Iterator[Row]:
    """A row for each place where the wire text is not as recorded, or that is worth a word."""
    prepared = planned.seen.prepared
    try:
        tree = arguments_tree(prepared.dispatched or "")
    except JsonError:
        return
    notes = argument_notes(planned.call, prepared, tree)
    after = {change.path: change.after for change in prepared.changes}
    for path, note in list(notes.items())[:_PLACES]:
        role = note.role or (Role.MISSING if note.mark == MISSING else Role.SPELLING)
        spans = [Span("  "), Span(note.mark or " ", role), Span(" "), Span(visible(path) or "(all)", Role.KEY)]
        if after.get(path):
            spans += [Span("  "), Span(one_line(after[path], max(width // 3, 8)), note.role or Role.PLAIN)]
        words = [part for word in note.words for part in (Span("   "), word)]
        if note.dropped:
            words.append(Span("   duplicate not sent", Role.QUIET))
        if sum(cell_width(span.text) for span in (*spans, *words)) <= width:
            yield Row(fit([*spans, *words], width), target)
        else:
            yield Row(fit(spans, width), target)
            yield Row(fit([Span("     "), *words], width), target)
    if len(notes) > _PLACES:
        yield Row(fit([Span(f"    … {len(notes) - _PLACES:,} more places", Role.QUIET)], width), target)


def always_rows(planned: Sequence[Planned], width: int) -> list[Row]:
    """What it means to answer with `a` to these calls, which are not allowed yet: what is asked about all the same."""
    names = ", ".join(short_name(server.name) for server in destinations(planned))
    tools = ", ".join(dict.fromkeys(short_name(each.call.tool) for each in planned if each.destructive))
    text = f"a: yes, and calls to {names} are not asked about again in this run"
    text += f", the destructive {tools} included; " if tools else "; "
    text += f"still asked about: calls of {'other ' if tools else ''}tools that say that they are destructive"
    return text_rows(text, Role.QUIET, Target(-1, Section.LIVE), width=width, indent=0) if names else []


def still_asked_rows(planned: Sequence[Planned], width: int) -> list[Row]:
    """Why these calls are asked about although `a` was the answer for their server before."""
    names = ", ".join(short_name(server.name) for server in destinations(planned))
    tools = list(dict.fromkeys(short_name(each.call.tool) for each in planned))
    say = "says that it is" if len(tools) == 1 else "say that they are"
    text = f"asked in spite of a for {names}: {', '.join(tools)} {say} destructive"
    return text_rows(text, Role.MISSING, Target(-1, Section.LIVE), width=width, indent=0) if names else []


def destinations(planned: Sequence[Planned]) -> dict[Destination, str]:
    """The servers that the calls go to, in order, each with how it was found."""
    return {each.route.destination: each.route.reason for each in planned if each.route.destination is not None}
