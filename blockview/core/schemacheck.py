"""Does a value keep to a JSON Schema? Answered in bounded time, whatever schema somebody sends.

The validator is written in Rust and holds the interpreter while it works, so what could take forever is not begun.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from blockview.core.jsontext import pointer
from blockview.core.safetext import one_line

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_MOST_WORK = 1e6
"""Steps that a schema may ask for at one place of the value; references can multiply them beyond any patience."""

_DEEPEST = 500
"""Levels of a value; the validator recurses, and a deep enough one would end the process."""

_WIDEST = 300
"""Characters of one message; the value in it may be megabytes."""

_KEPT = 8
"""Checkers that are kept. That of a large schema takes tens of megabytes."""

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_SHELVES = ("$defs", "definitions")
"""Members that hold schemas for references and ask for nothing themselves."""


class CannotCheck(ValueError):
    """The schema, or the value with it, cannot be checked; the message says why."""


class Checker:
    """Checks values against one schema. Nothing is fetched: a remote reference makes the schema unusable."""

    def __init__(self, schema: object) -> None:
        """Take a schema.

        Raises:
            CannotCheck: it is no schema, or too large.
        """
        if not isinstance(schema, Mapping | bool):
            raise CannotCheck("it is not an object")
        schema = dict(schema) if isinstance(schema, Mapping) else schema
        from jsonschema_rs import ReferencingError, validator_for

        try:
            self._size, self._loops = _Walk(schema).size(schema)
            if self._size > _MOST_WORK:
                raise CannotCheck("it is too large")
            self._validator: Validator = validator_for(schema, offline=True)
        except (ValueError, TypeError, OverflowError, RecursionError, ReferencingError) as error:
            raise CannotCheck(_short(str(error).partition("\n")[0])) from None

    def violations(self, value: object, most: int) -> list[tuple[str, str]]:
        """Up to `most` places where the value violates the schema: JSON Pointer (RFC 6901) and what is wrong there.

        Raises:
            CannotCheck: the value is too deep for this schema, or holds what JSON has not.
        """
        depth = _depth(value)
        if depth > _DEEPEST:
            raise CannotCheck("the value is too deep")
        if self._loops > 1 and self._size * self._loops**depth > _MOST_WORK:
            raise CannotCheck("the schema is too intricate for this value")
        return list(islice(self._errors(value), most))

    def _errors(self, value: object) -> Iterator[tuple[str, str]]:
        try:
            for error in self._validator.iter_errors(value):
                yield pointer(error.instance_path), _short(error.message)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise CannotCheck(_short(str(error).partition("\n")[0])) from None


class Checkers:
    """The checkers of the schemas that were asked for last: to make one of a schema of megabytes takes a second."""

    def __init__(self) -> None:
        self._last: deque[tuple[object, Checker | str]] = deque(maxlen=_KEPT)

    def of(self, schema: object) -> Checker:
        """The checker of this very schema, which must not be changed as long as this object is used.

        Raises:
            CannotCheck: as `Checker` does.
        """
        found = next((made for known, made in tuple(self._last) if known is schema), None)
        if found is None:
            try:
                found = Checker(schema)
            except CannotCheck as error:
                found = str(error)
            self._last.append((schema, found))
        if isinstance(found, str):
            raise CannotCheck(found)
        return found


def _short(text: str) -> str:
    return one_line(text, _WIDEST)


class _Walk:
    """Counts the steps of a schema with all its references followed, and how often they lead back into themselves."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._known: dict[str, tuple[float, float]] = {}
        self._open = {"#"}

    def size(self, node: object) -> tuple[float, float]:
        """Steps and loops below a part of the schema."""
        parts: list[tuple[float, float]] = []
        plain = 1
        if isinstance(node, list):
            inner = [one for one in node if isinstance(one, dict | list)]
            plain += len(node) - len(inner)
            parts = [self.size(one) for one in inner]
        elif isinstance(node, dict):
            for key, value in node.items():
                if key in _REFERENCES and isinstance(value, str):
                    parts.append(self._target(value))
                elif key in _SHELVES:
                    continue
                elif isinstance(value, dict | list):
                    parts.append(self.size(value))
                else:
                    plain += 1
        return plain + sum(steps for steps, _ in parts), sum(loops for _, loops in parts)

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
