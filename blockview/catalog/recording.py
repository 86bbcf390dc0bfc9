"""A recording's own tools/list results as a catalog."""

from __future__ import annotations

from collections.abc import Sequence

from blockview.catalog.tools import Schemas
from blockview.core.model import ToolCall, ToolSpec
from blockview.core.prepare import Found, Missing
from blockview.core.safetext import short_name


class RecordingCatalog:
    """Answers from the tools that the recording lists.

    A call on a connection asks that connection's lists only; else a call that names its server asks only that server;
    else the first server that lists the tool answers, and a second one makes the answer ambiguous. Of several lists
    the one in force at the call counts; a list that comes after the call serves calls that had none.
    """

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._by_name: dict[str, list[ToolSpec]] = {}
        for spec in tools:
            self._by_name.setdefault(spec.name, []).append(spec)
        self._listed = bool(tools)
        self._schemas = Schemas()

    def lookup(self, call: ToolCall) -> Found | Missing:
        """The input schema of the call's tool as the recording lists it."""
        found = self._find(call)
        return found if isinstance(found, Missing) else self._schemas.answer(*found)

    def output_schema(self, call: ToolCall) -> str | None:
        """The text of the output schema of the call's tool, if the recording lists one."""
        found = self._find(call)
        return None if isinstance(found, Missing) else found[0].output_schema

    def _find(self, call: ToolCall) -> tuple[ToolSpec, str] | Missing:
        """The tool as listed, and where."""
        if not self._listed:
            return Missing("the recording lists no tools")
        specs = self._by_name.get(call.tool, [])
        if call.connection:
            specs = [spec for spec in specs if spec.connection == call.connection]
        elif call.server is not None:
            specs = [spec for spec in specs if spec.server == call.server]
        if not specs:
            where = f" for server {short_name(call.server)}" if call.server else ""
            return Missing(f"the recording's tools/list{where} does not have {short_name(call.tool)}")
        first = specs[0]
        others = {
            spec.server or "" for spec in specs if (spec.server, spec.connection) != (first.server, first.connection)
        }
        mine = [spec for spec in specs if (spec.server, spec.connection) == (first.server, first.connection)]
        spec, when = _in_force(mine, call.place.line)
        if spec is None:
            stale = max(mine, key=lambda one: one.since)
            return Missing(
                f"tools/list, line {stale.since}, was declared changed on line {stale.until} and not listed again"
            )
        doubt = f" (ambiguous: {', '.join(map(short_name, sorted(others)))} has it too)" if others else ""
        return spec, f"tools/list, line {spec.since}{when}{doubt}"


def _in_force(specs: Sequence[ToolSpec], line: int) -> tuple[ToolSpec | None, str]:
    """The spec that holds at `line`, else the next one listed after it; None when all there are went stale before."""
    current = [spec for spec in specs if spec.since <= line and (spec.until is None or line < spec.until)]
    if current:
        return max(current, key=lambda spec: spec.since), ""
    later = [spec for spec in specs if spec.since > line]
    if later:
        return min(later, key=lambda spec: spec.since), ", listed after the call"
    return None, ""
