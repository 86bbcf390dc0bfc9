"""Listed tools: their schemas, parsed when they are first asked for, and their text in a tools file."""

from __future__ import annotations

import json
from collections.abc import Mapping

from blockview.core.jsontext import JsonError, loads
from blockview.core.model import ToolSpec
from blockview.core.prepare import Found, Missing
from blockview.core.safetext import short_name


class Schemas:
    """Turns a listed tool into an answer. Each schema is parsed once."""

    def __init__(self) -> None:
        self._parsed: dict[str, Mapping[str, object] | str] = {}

    def answer(self, spec: ToolSpec, source: str) -> Found | Missing:
        """The schema of `spec`, or why it has none that can be used.

        Args:
            spec: The tool as listed.
            source: Where it is listed, for the reader.
        """
        if spec.schema is None:
            return Missing(f"{source} has no input schema for {short_name(spec.name)}")
        if spec.schema not in self._parsed:
            self._parsed[spec.schema] = _parse(spec.schema)
        schema = self._parsed[spec.schema]
        return Missing(f"{source}: {schema}") if isinstance(schema, str) else Found(schema, source)


def tool_text(tool: ToolSpec, annotations: str | None = None) -> str:
    """A tool as a tools file has it, on one line unless its schemas have several; they keep their own characters.

    Args:
        tool: The tool as listed.
        annotations: JSON text of what it says of itself.
    """
    members = {
        "server": None if tool.server is None else json.dumps(tool.server),
        "name": json.dumps(tool.name),
        "inputSchema": tool.schema,
        "outputSchema": tool.output_schema,
        "annotations": annotations,
    }
    return "{" + ",".join(f'"{key}":{text}' for key, text in members.items() if text is not None) + "}"


def _parse(text: str) -> Mapping[str, object] | str:
    try:
        schema = loads(text)
    except JsonError as error:
        return f"the input schema is not JSON: {error}"
    return schema if isinstance(schema, dict) else "the input schema is not an object"
