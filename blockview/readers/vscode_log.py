"""A JSON value that changes: what VS Code's log of changes to a session makes of it, with all recorded characters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from blockview.core.model import Diagnostic, Place
from blockview.core.raw import ABSENT
from blockview.readers.document import elements, member, members
from blockview.readers.records import Record, Report

_DEEPEST = 64
_NOTHING = b"null"
_SET_ALL, _SET, _PUSH, _DELETE = range(4)

Path = list[Any]
"""Names of members and numbers of elements; anything else in it leads nowhere."""


class Change(msgspec.Struct, frozen=True, gc=False):
    """One line: the whole value (`kind` 0), a member set (1), elements appended (2), a member deleted (3).

    `k` is the path from the whole, `v` the value, `i` the length to which an array is cut before more is appended.
    """

    kind: int = -1
    k: Path | None = None
    v: msgspec.Raw = ABSENT
    i: int | None = None


class Node:
    """A value and where it was written. It is taken apart when somebody looks, or a change goes, into it."""

    __slots__ = ("_data", "_held", "place")

    def __init__(self, record: Record) -> None:
        self.place: Place = record.place
        self._data = record.data
        self._held: dict[str, Node] | list[Node] | None = None

    def members(self) -> dict[str, Node]:
        """The members of an object; none of any other value."""
        held = self._open()
        return held if isinstance(held, dict) else {}

    def items(self) -> list[Node]:
        """The elements of an array; none of any other value."""
        held = self._open()
        return held if isinstance(held, list) else []

    def data(self) -> bytes:
        """The JSON text of the value as it is now."""
        if isinstance(self._held, dict):
            pairs = (json.dumps(name).encode() + b":" + node.data() for name, node in self._held.items())
            return b"{" + b",".join(pairs) + b"}"
        if isinstance(self._held, list):
            return b"[" + b",".join(node.data() for node in self._held) + b"]"
        return self._data

    def change(self, path: Path, change: Change, value: Record) -> bool:
        """Change what is at a path below this value; False when there is no such place."""
        node, last = self, path[-1] if path else None
        for step in path if change.kind == _PUSH else path[:-1]:
            found = node._child(step)
            if found is None:
                return False
            node = found
        if change.kind == _PUSH:
            return node._push(change.i, value)
        if last is None:
            return False
        return node._delete(last) if change.kind == _DELETE else node._set(last, Node(value))

    def _open(self) -> dict[str, Node] | list[Node]:
        if self._held is None:
            record = Record(self.place, self._data)
            first = self._data[:1]
            if first == b"{":
                self._held = {name: Node(value) for name, value in members(record)}
            elif first == b"[":
                self._held = [Node(element) for element in elements(record)]
            else:
                return {}
            self._data = b""
        return self._held

    def _child(self, step: int | str) -> Node | None:
        held = self._open()
        if isinstance(held, dict):
            return held.get(step) if isinstance(step, str) else None
        return held[step] if isinstance(step, int) and 0 <= step < len(held) else None

    def _set(self, step: int | str, node: Node) -> bool:
        held = self._open()
        if isinstance(held, dict) and isinstance(step, str) and self._held is not None:
            held[step] = node
        elif isinstance(held, list) and isinstance(step, int) and 0 <= step <= len(held):
            held[step : step + 1] = [node]
        else:
            return False
        return True

    def _delete(self, step: int | str) -> bool:
        held = self._open()
        if isinstance(held, dict) and isinstance(step, str):
            return held.pop(step, None) is not None
        if isinstance(held, list) and isinstance(step, int) and 0 <= step < len(held):
            del held[step]
            return True
        return False

    def _push(self, length: int | None, values: Record) -> bool:
        held = self._open()
        if not isinstance(held, list) or not (values.data[:1] == b"[" or values.data == _NOTHING):
            return False
        if length is not None:
            del held[max(length, 0) :]
        held.extend(map(Node, elements(values)))
        return True


def replay(changes: Iterator[tuple[Record, Change]], report: Report) -> Node | None:
    """The value that all changes together make; None when none of them gives a whole to begin with."""
    root: Node | None = None
    for record, change in changes:
        value = member(record, "v") or Record(record.place, _NOTHING)
        path = change.k or []
        if change.kind == _SET_ALL:
            root = Node(value)
        elif change.kind not in (_SET, _PUSH, _DELETE):
            report(Diagnostic(record.place, f"a change of an unknown kind: {change.kind}", "unknown"))
        elif root is None or len(path) > _DEEPEST or not root.change(path, change, value):
            report(Diagnostic(record.place, "a change of something that is not there"))
    return root
