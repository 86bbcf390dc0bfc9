"""Several catalogs asked in turn."""

from __future__ import annotations

from blockview.core.model import ToolCall
from blockview.core.prepare import Found, Lookup, Missing, ask


def chain(*lookups: Lookup) -> Lookup:
    """A lookup that asks each of `lookups` in turn; the first schema found wins, else all reasons are given.

    A lookup that fails is one reason among the others; one that has nothing to say gives an empty reason.
    """

    def lookup(call: ToolCall) -> Found | Missing:
        reasons: list[str] = []
        for one in lookups:
            answer = ask(one, call)
            if isinstance(answer, Found):
                return answer
            reasons.append(answer.reason)
        return Missing("; ".join(filter(None, reasons)) or "no tool list was given")

    return lookup
