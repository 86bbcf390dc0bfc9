"""Which of a recording's calls a replay sends: those that were asked for, or all that reached a server."""

from __future__ import annotations

from argparse import Namespace
from itertools import islice

from blockview.commands import Failure
from blockview.commands.shared import lookup_for, warn
from blockview.core.coercion import Depth
from blockview.core.consentlines import NEVER_RAN, never_ran
from blockview.core.find import HEAD
from blockview.core.model import Session, ToolCall
from blockview.core.names import call_names, shown_name
from blockview.core.prepare import prepare
from blockview.core.query import Query
from blockview.core.queryvalues import Globs
from blockview.core.safetext import short_name

_MOST_NAMES = 8
"""Names of tools that a message tells."""


def chosen_calls(session: Session, options: Namespace) -> list[ToolCall]:
    """The calls to send, in recorded order.

    Raises:
        Failure: there is none, or none of what was asked for.
    """
    wanted = set(options.call)
    tools = [Globs(name) for name in options.tool]
    calls = _filtered(session, options)

    def of_tools(call: ToolCall) -> bool:
        return not tools or any(one.match(name) for one in tools for name in call_names(call))

    if wanted:
        if strange := wanted - {call.id for call in calls}:
            raise Failure(
                f"{session.source}: no call with the id {short_name(min(strange))}; render --format json shows the ids"
            )
        chosen = [call for call in calls if call.id in wanted and of_tools(call)]
        if not chosen:
            raise Failure(f"{session.source}: none of these calls is of the tool {short_name(options.tool[0])}")
        return chosen
    chosen = [call for call in calls if call.mcp and call.status not in NEVER_RAN]
    if not chosen:
        raise Failure(f"{session.source}: it holds no MCP call that reached a server")
    names = dict.fromkeys(shown_name(call) for call in chosen)
    calls = [call for call in calls if of_tools(call)]
    chosen = [call for call in chosen if of_tools(call)]
    if not chosen:
        there = ", ".join(short_name(name) for name in islice(names, _MOST_NAMES))
        raise Failure(
            f"{session.source}: no MCP call that reached a server is of the tool {short_name(options.tool[0])}; "
            f"there are {there}{', …' if len(names) > _MOST_NAMES else ''}"
        )
    if len(calls) > len(chosen):
        warn(f"left out: {_left_out(calls)}")
    return chosen


def _filtered(session: Session, options: Namespace) -> list[ToolCall]:
    """The calls for which the filter holds, all without one.

    Raises:
        Failure: it holds for none.
    """
    query: Query | None = options.filter
    if query is None:
        return [call for block in session.blocks for call in block.calls]
    lookup, depth = lookup_for(session, options.tools), Depth(options.coerce)
    found = [
        block.calls[number]
        for block in session.blocks
        for number in query.rows(block, lambda call: prepare(call, lookup, depth))
        if number != HEAD
    ]
    if not found:
        raise Failure(f"{session.source}: the filter holds for no call: {query.text}")
    return found


def _left_out(calls: list[ToolCall]) -> str:
    """How many of the calls are not sent by themselves, and why."""
    own = sum(not call.mcp for call in calls)
    reasons = [f"{own:,} of the agent's own tools, which no server has"] if own else []
    if others := never_ran(call for call in calls if call.mcp):
        reasons.append(f"{others}; --call ID sends one")
    return "; ".join(reasons)
