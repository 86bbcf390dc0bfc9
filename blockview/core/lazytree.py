"""A JSON text of any size as a tree whose containers are read when somebody opens them.

A whole parse makes an object for each value, which takes many times as long as decoding. Here one container at a time
is split into its members, at the decoder's speed; a value's number is where it begins, so that numbers mean the same
whatever was opened before.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from operator import add

import msgspec

from blockview.core.jsontext import CONTAINERS, Kind, Node, decode_string, escape_pointer

_FEW = 64
"""Elements of an array that are found one after the other."""
LAZY = 1_000_000
"""Characters from which a text is read container by container."""

_SYNTAX = msgspec.json.Decoder(msgspec.Raw)
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_NEXT = re.compile(rb"[ \t\n\r]*,?[ \t\n\r]*")
_KEY = re.compile(rb'[ \t\n\r]*,?[ \t\n\r]*("[^"\\]*(?:\\.[^"\\]*)*")[ \t\n\r]*:[ \t\n\r]*', re.DOTALL)
_CLOSE = re.compile(rb"[ \t\n\r]*[\]}]")
_TEXTUAL = json.JSONDecoder(parse_int=str, parse_float=str)
"""Finds where a value ends; numbers stay text, so that none is too long."""

_KINDS = {
    ord("{"): Kind.OBJECT,
    ord("["): Kind.ARRAY,
    ord('"'): Kind.STRING,
    ord("t"): Kind.TRUE,
    ord("f"): Kind.FALSE,
    ord("n"): Kind.NULL,
}


class _Members:
    """Where the direct children of one container stand: their values, and their names in an object."""

    __slots__ = ("depth", "ends", "keys", "starts")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.starts = array("q")
        self.ends = array("q")
        self.keys = array("q")


class LazyTree:
    """A strict JSON text, read container by container. The whole value's number is `root`."""

    def __init__(self, data: bytes) -> None:
        """The tree of a text that is known to be strict JSON, as UTF-8."""
        self._data = data
        space = _NEXT.match(data)
        self.root = space.end() if space else 0
        self._members: dict[int, _Members] = {}
        self._nodes: dict[int, Node] = {}
        self._counts: dict[int, int] = {}
        end = len(data.rstrip(b" \t\n\r"))
        self._nodes[self.root] = self._node(self.root, end, None, -1, 0, 0)

    def node(self, number: int) -> Node:
        """The value that begins at byte `number`.

        Raises:
            LookupError: no value begins there.
        """
        known = self._nodes.get(number)
        if known is not None:
            return known
        holder = self.root
        while self._nodes[holder].kind in CONTAINERS:
            members = self._split(holder)
            order = bisect_right(members.starts, number) - 1
            if order < 0 or number >= members.ends[order]:
                break
            child = members.starts[order]
            self._keep(holder, members, order)
            if child == number:
                return self._nodes[child]
            holder = child
        raise LookupError(number)

    def literal(self, number: int) -> str:
        """The characters of value `number` as written."""
        node = self.node(number)
        return self._data[node.start : node.end].decode()

    def beginning(self, number: int, count: int) -> str:
        """At most the first `count` characters of value `number`."""
        node = self.node(number)
        return self._data[node.start : min(node.end, node.start + 4 * count)].decode(errors="ignore")[:count]

    def children(self, number: int) -> Sequence[int]:
        """The numbers of the direct children of a value, in order, duplicate keys included."""
        return self._split(number).starts if self.node(number).size else ()

    @property
    def data(self) -> bytes:
        """The whole text, as UTF-8."""
        return self._data

    def around(self, offset: int) -> list[int]:
        """The numbers of the values that hold byte `offset`, or whose name does, from the whole value inwards."""
        found = [self.root]
        while (node := self._nodes[found[-1]]).kind in CONTAINERS and node.size:
            members = self._split(found[-1])
            order = bisect_right(members.keys or members.starts, offset) - 1
            if order < 0 or offset >= members.ends[order]:
                break
            self._keep(found[-1], members, order)
            found.append(members.starts[order])
        return found

    def pointer(self, number: int) -> str:
        """The JSON Pointer (RFC 6901) of value `number`."""
        parts: list[str] = []
        while number != self.root:
            node = self.node(number)
            parts.append(escape_pointer(str(node.order) if node.key is None else node.key))
            number = node.parent
        return "".join("/" + part for part in reversed(parts))

    def _keep(self, holder: int, members: _Members, order: int) -> None:
        start, end = members.starts[order], members.ends[order]
        if start not in self._nodes:
            literal = None
            if members.keys:
                found = _KEY.match(self._data, members.keys[order])
                literal = found[1].decode() if found else ""
            self._nodes[start] = self._node(start, end, literal, holder, members.depth, order)

    def _node(self, start: int, end: int, key_literal: str | None, parent: int, depth: int, order: int) -> Node:
        kind = _KINDS.get(self._data[start])
        size = 0
        if kind is None:
            number = self._data[start:end]
            kind = Kind.FLOAT if b"." in number or b"e" in number or b"E" in number else Kind.INTEGER
        elif kind in CONTAINERS:
            size = self._count(kind, start, end, depth)
        key = None if key_literal is None else decode_string(key_literal)
        return Node(kind, start, end, key, key_literal, parent, depth, order, size, end)

    def _count(self, kind: Kind, start: int, end: int, depth: int) -> int:
        """How many children a container has. In an object they are told apart by walking it: names may be doubled."""
        if kind is Kind.ARRAY:
            return len(_ITEMS.decode(memoryview(self._data)[start:end]))
        members = self._members[start] = self._object(start, end, depth + 1)
        return len(members.starts)

    def _split(self, number: int) -> _Members:
        members = self._members.get(number)
        if members is None:
            node = self._nodes[number]
            split = self._object if node.kind is Kind.OBJECT else self._array
            members = self._members[number] = split(node.start, node.end, node.depth + 1)
        return members

    def _array(self, start: int, end: int, depth: int) -> _Members:
        items = _ITEMS.decode(memoryview(self._data)[start:end])
        return self._evenly(items, start, depth) or self._one_by_one(items, start, depth)

    def _evenly(self, items: list[msgspec.Raw], start: int, depth: int) -> _Members | None:
        """The members of an array between which always the same stands, as nearly every writer has it; else None."""
        if len(items) < _FEW:
            return None
        lead = _NEXT.match(self._data, start + 1)
        first = lead.end() if lead else start + 1
        behind = first + len(items[0])
        between = _NEXT.match(self._data, behind)
        separator = between[0] if between else b""
        if not self._data.startswith(separator.join(items), first):
            return None
        members = _Members(depth)
        sizes = array("q", map(len, items))
        gap = len(separator)
        members.starts = array("q", accumulate(map(gap.__add__, sizes[:-1]), initial=first))
        members.ends = array("q", map(add, members.starts, sizes))
        return members

    def _one_by_one(self, items: list[msgspec.Raw], start: int, depth: int) -> _Members:
        members = _Members(depth)
        at, after = start + 1, _NEXT.match
        for raw in items:
            space = after(self._data, at)
            at = space.end() if space else at
            members.starts.append(at)
            at += memoryview(raw).nbytes
            members.ends.append(at)
        return members

    def _object(self, start: int, end: int, depth: int) -> _Members:
        members = _Members(depth)
        at = start + 1
        for key, raw in _MEMBERS.decode(memoryview(self._data)[start:end]).items():
            name = _KEY.match(self._data, at)
            value = memoryview(raw)
            if (
                name is None
                or decode_string(name[1].decode()) != key
                or memoryview(self._data)[name.end() : name.end() + value.nbytes] != value
            ):
                return self._object_with_doubles(start, end, depth)
            members.keys.append(at)
            members.starts.append(name.end())
            at = name.end() + value.nbytes
            members.ends.append(at)
        closed = _CLOSE.match(self._data, at)
        return members if closed and closed.end() == end else self._object_with_doubles(start, end, depth)

    def _object_with_doubles(self, start: int, end: int, depth: int) -> _Members:
        """The members of an object in which a name stands twice; a decoder keeps only one of them."""
        members = _Members(depth)
        text = self._data[start:end].decode("latin-1")  # one character is one byte
        at = start + 1
        while (name := _KEY.match(self._data, at)) is not None:
            members.keys.append(at)
            members.starts.append(name.end())
            _, length = _TEXTUAL.raw_decode(text, name.end() - start)
            at = start + length
            members.ends.append(at)
        return members


def lazy_tree(text: str) -> LazyTree | None:
    """The tree of a text; None when it is not JSON in the strict sense, or only a whole parse can tell."""
    try:
        data = text.encode()
        _SYNTAX.decode(data)
    except (UnicodeEncodeError, msgspec.DecodeError, RecursionError):
        return None
    return LazyTree(data)
