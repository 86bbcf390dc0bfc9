"""Does a result keep to its tool's output schema? Answered in bounded time, whatever schema a server sends."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from blockview.core.jsontext import JsonError, loads, pointer
from blockview.core.safetext import one_line

_LONGEST = 8 << 20
"""Characters of structured content that is still checked."""

_MOST_WORK = 1e6
"""Steps that a schema may ask for at one place of the content; references can multiply them beyond any patience."""

_SHOWN = 200
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_SHELVES = ("$defs", "definitions")
"""Members that hold schemas for references and ask for nothing themselves."""


class _Checker(NamedTuple):
    validator: Any
    problem: str
    size: float
    loops: float


def violation(schema: str, structured: str | None) -> str:
    """What is wrong with structured content by its tool's output schema, in a line; empty when nothing is.

    Args:
        schema: The text of the output schema.
        structured: The text of the structured content, None when the result has none.
    """
    if structured is None:
        return "the result has no structured content, although its tool has an output schema"
    checker = _checker(schema)
    if checker.problem:
        return f"the output schema cannot be used: {checker.problem}"
    if len(structured) > _LONGEST:
        return "the structured content is too long to be checked against the output schema"
    try:
        value = loads(structured)
        if checker.loops > 1 and checker.size * checker.loops ** _depth(value) > _MOST_WORK:
            return "the output schema is too intricate for this structured content to be checked"
        error = next(checker.validator.iter_errors(value), None)
    except (JsonError, ValueError, TypeError, OverflowError, RecursionError) as problem:
        return f"the structured content cannot be checked against the output schema: {one_line(str(problem), _SHOWN)}"
    if error is None:
        return ""
    where = pointer(error.instance_path) or "its root"
    return f"the structured content violates the output schema at {where}: {one_line(error.message, _SHOWN)}"


@lru_cache(maxsize=64)
def _checker(text: str) -> _Checker:
    import jsonschema_rs

    try:
        schema = loads(text)
        if not isinstance(schema, dict | bool):
            return _Checker(None, "it is not an object", 0, 0)
        size, loops = _Walk(schema).size(schema)
        if size > _MOST_WORK:
            return _Checker(None, "it is too large", 0, 0)
        return _Checker(jsonschema_rs.validator_for(schema, offline=True), "", size, loops)
    except (JsonError, ValueError, TypeError, OverflowError, RecursionError) as error:
        return _Checker(None, one_line(str(error), _SHOWN), 0, 0)


class _Walk:
    """Counts the steps of a schema with all its references followed, and how often they lead back into themselves."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._known: dict[str, tuple[float, float]] = {}
        self._open = {"#"}

    def size(self, node: object) -> tuple[float, float]:
        """Steps and loops below a part of the schema."""
        if isinstance(node, list):
            parts = [self.size(one) for one in node]
        elif isinstance(node, dict):
            parts = [
                self._target(value) if key in _REFERENCES and isinstance(value, str) else self.size(value)
                for key, value in node.items()
                if key not in _SHELVES
            ]
        else:
            return 1, 0
        return 1 + sum(steps for steps, _ in parts), sum(loops for _, loops in parts)

    def _target(self, reference: str) -> tuple[float, float]:
        if reference in self._open:
            return 1, 1
        if reference not in self._known:
            self._open.add(reference)
            self._known[reference] = self.size(self._resolve(reference))
            self._open.discard(reference)
        return self._known[reference]

    def _resolve(self, reference: str) -> object:
        """The part that a local reference names, by its JSON Pointer; by another name it could be anything."""
        if not reference.startswith("#/"):
            return self._root
        node = self._root
        for part in reference[2:].split("/"):
            part = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, dict):
                node = node.get(part)
            elif isinstance(node, list) and part.isdecimal() and int(part) < len(node):
                node = node[int(part)]
            else:
                return None
        return node


def _depth(value: object) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        below: list[object] = []
        for one in level:
            if isinstance(one, dict):
                below.extend(one.values())
            elif isinstance(one, list):
                below.extend(one)
        level = below
    return depth
