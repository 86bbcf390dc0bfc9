"""The schemas of listed tools, parsed when they are first asked for."""

from __future__ import annotations

from collections.abc import Mapping

from blockview.core.jsontext import JsonError, loads
from blockview.core.model import ToolSpec
from blockview.core.prepare import Found, Missing


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
            return Missing(f"{source} has no input schema for {spec.name}")
        if spec.schema not in self._parsed:
            self._parsed[spec.schema] = _parse(spec.schema)
        schema = self._parsed[spec.schema]
        return Missing(f"{source}: {schema}") if isinstance(schema, str) else Found(schema, source)


def _parse(text: str) -> Mapping[str, object] | str:
    try:
        schema = loads(text)
    except JsonError as error:
        return f"the input schema is not JSON: {error}"
    return schema if isinstance(schema, dict) else "the input schema is not an object"
