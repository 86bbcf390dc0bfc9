"""JSON as text: values with their spans, numbers as written, and the spelling the MCP SDK uses on the wire.

`parse` never turns a number into a float, so what is shown is what was recorded. `loads` gives the Python values that
a dispatch hands to the SDK, and `wire_text` prints them exactly as the SDK's transport does.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from blockview.core.encoder import encoder


class JsonError(ValueError):
    """A text is not JSON. `position` is the offset in characters where reading stopped."""

    def __init__(self, problem: str, position: int) -> None:
        super().__init__(f"{problem} at character {position}")
        self.problem = problem
        self.position = position


class CannotSend(ValueError):
    """A value that the transport's encoder refuses; the message says why."""


class Transport(StrEnum):
    """The transports whose encoders spell numbers differently."""

    STDIO = "stdio"
    HTTP = "http"


class Kind(StrEnum):
    """What a JSON value is. NOT_JSON is a token some recorders write that JSON does not have: NaN, Infinity."""

    OBJECT = "object"
    ARRAY = "array"
    STRING = "string"
    INTEGER = "integer"
    FLOAT = "float"
    TRUE = "true"
    FALSE = "false"
    NULL = "null"
    NOT_JSON = "not-json"


CONTAINERS = frozenset({Kind.OBJECT, Kind.ARRAY})
NUMBERS = frozenset({Kind.INTEGER, Kind.FLOAT})


class Node(NamedTuple):
    """One value: its span in the text, its member name (as written and decoded) and its place in the tree.

    Nodes stand in document order. `after` is the index of the first node behind this one's subtree, `size` the number
    of direct children, `order` the position among its siblings, `parent` the index of its container (-1 at the root).
    """

    kind: Kind
    start: int
    end: int
    key: str | None
    key_literal: str | None
    parent: int
    depth: int
    order: int
    size: int
    after: int


class Tree(NamedTuple):
    """A parsed JSON text. `nodes[0]` is the whole value."""

    text: str
    nodes: Sequence[Node]

    @property
    def root(self) -> int:
        """The index of the whole value."""
        return 0

    def node(self, number: int) -> Node:
        """Node `number`.

        Raises:
            LookupError: there is no such node.
        """
        return self.nodes[number]

    def beginning(self, number: int, count: int) -> str:
        """At most the first `count` characters of node `number`."""
        node = self.nodes[number]
        return self.text[node.start : min(node.end, node.start + count)]

    def literal(self, number: int) -> str:
        """The characters of node `number` as written."""
        node = self.nodes[number]
        return self.text[node.start : node.end]

    def children(self, number: int) -> Iterator[int]:
        """The indexes of the direct children of node `number`, in order, duplicate keys included."""
        child, end = number + 1, self.nodes[number].after
        while child < end:
            yield child
            child = self.nodes[child].after

    def pointer(self, number: int) -> str:
        """The JSON Pointer (RFC 6901) of node `number`."""
        parts: list[str] = []
        while number > 0:
            node = self.nodes[number]
            parts.append(escape_pointer(str(node.order) if node.key is None else node.key))
            number = node.parent
        return "".join("/" + part for part in reversed(parts))


def escape_pointer(part: str) -> str:
    """One reference token of a JSON Pointer (RFC 6901, section 3)."""
    return part.replace("~", "~0").replace("/", "~1") if "~" in part or "/" in part else part


def pointer(path: Sequence[str | int]) -> str:
    """The JSON Pointer of a path of member names and array indexes."""
    return "".join("/" + escape_pointer(str(part)) for part in path)


_STRICT_STRING = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'
_LAX_STRING = r'"[^"\\]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*)*"'
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"


@functools.cache
def _scanner(lax: bool) -> re.Pattern[str]:
    string, special = (_LAX_STRING, "|(NaN|-?Infinity)") if lax else (_STRICT_STRING, "")
    return re.compile(rf"[ \t\n\r]*(?:([{{}}\[\],:])|({string})|({_NUMBER})|(true|false|null){special})")


_SPACE = re.compile(r"[ \t\n\r]*")
_WORDS = {"true": Kind.TRUE, "false": Kind.FALSE, "null": Kind.NULL}
_PUNCTUATION, _STRING, _NUMERIC, _WORD = 1, 2, 3, 4


_LAX = json.JSONDecoder(strict=False)
"""Made once: `json.loads` makes a new one for each text that is not strict."""


def decode_string(literal: str) -> str:
    """The text of a JSON string literal. Raw control characters and lone surrogates are kept."""
    if "\\" not in literal:
        return literal[1:-1]
    return str(_LAX.decode(literal))


class _Open:
    """A container that is being read: its node so far, and how many children it has."""

    __slots__ = ("closer", "node", "number", "size")

    def __init__(self, number: int, node: Node) -> None:
        self.number = number
        self.node = node
        self.closer = "}" if node.kind is Kind.OBJECT else "]"
        self.size = 0


class _Builder:
    """The nodes of a text that is being read, and the containers that are still open."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.open: list[_Open] = []
        self.key: str | None = None
        self.key_literal: str | None = None

    def add(self, kind: Kind, start: int, end: int) -> Node:
        """Put a value into the container that was opened last."""
        parent, order, after = -1, 0, len(self.nodes) + 1
        if self.open:
            holder = self.open[-1]
            parent, order = holder.number, holder.size
            holder.size += 1
        node = Node(kind, start, end, self.key, self.key_literal, parent, len(self.open), order, 0, after)
        self.key = self.key_literal = None
        self.nodes.append(node)
        return node

    def enter(self, kind: Kind, start: int) -> None:
        """Put a container there and open it."""
        node = self.add(kind, start, start + 1)
        self.open.append(_Open(len(self.nodes) - 1, node))

    def leave(self, end: int) -> None:
        """Close the container that was opened last."""
        closed = self.open.pop()
        kind, start, _, key, key_literal, parent, depth, order, _, _ = closed.node
        after = len(self.nodes)
        self.nodes[closed.number] = Node(kind, start, end, key, key_literal, parent, depth, order, closed.size, after)


def parse(text: str, *, lax: bool = False) -> Tree:
    """Read `text` into a tree of spans, at any depth and with numbers of any length.

    Strict reading is RFC 8259. `lax` also takes what recorders write beside it: NaN, Infinity and raw control
    characters inside strings.

    Raises:
        JsonError: the text is not JSON.
    """
    scan = _scanner(lax).match
    built = _Builder()
    position = 0
    want = "value"  # value | first | key | first-key | colon | next | end
    while (match := scan(text, position)) is not None:
        group = match.lastindex or 0
        start, position = match.span(group)
        token = match[group]
        if group == _PUNCTUATION:
            want = _punctuate(built, token, want, start)
        elif group == _STRING and want in ("key", "first-key"):
            built.key, built.key_literal = decode_string(token), token
            want = "colon"
        elif want in ("value", "first"):
            built.add(_kind(group, token), start, position)
            want = "next" if built.open else "end"
        else:
            raise JsonError(f"unexpected {token[:20]!r}", start)
    position = _end_of_space(text, position)
    if position < len(text):
        raise JsonError("not a JSON token", position)
    if want != "end":
        raise JsonError("the text ends too early", position)
    return Tree(text, built.nodes)


def _punctuate(built: _Builder, token: str, want: str, start: int) -> str:
    """Take in a bracket, comma or colon; what is wanted next."""
    if token in "{[" and want in ("value", "first"):
        built.enter(Kind.OBJECT if token == "{" else Kind.ARRAY, start)
        return "first-key" if token == "{" else "first"
    if token in "}]" and built.open and token == built.open[-1].closer and want in ("next", "first", "first-key"):
        built.leave(start + 1)
        return "next" if built.open else "end"
    if token == "," and want == "next":
        return "key" if built.open[-1].closer == "}" else "value"
    if token == ":" and want == "colon":
        return "value"
    raise JsonError(f"unexpected {token!r}", start)


def _end_of_space(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _kind(group: int, token: str) -> Kind:
    if group == _STRING:
        return Kind.STRING
    if group == _NUMERIC:
        return Kind.FLOAT if "." in token or "e" in token or "E" in token else Kind.INTEGER
    return _WORDS[token] if group == _WORD else Kind.NOT_JSON


def exact_int(digits: str) -> int:
    """The integer of a decimal literal of any length (CPython refuses more than 4,300 digits at a time)."""
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    value = 0
    for at in range(0, len(digits), 4000):
        part = digits[at : at + 4000]
        value = value * 10 ** len(part) + int(part)
    return sign * value


def loads(text: str) -> object:
    """The Python value of a recorded JSON text: floats as doubles, integers exact, the last of duplicate keys.

    Takes NaN, Infinity and raw control characters, as recorders write them.

    Raises:
        JsonError: the text is not JSON, or is nested too deeply to be handed on.
    """
    try:
        try:
            return _LAX.decode(text)
        except json.JSONDecodeError:
            raise
        except ValueError:  # an integer with more than 4,300 digits
            return json.loads(text, strict=False, parse_int=exact_int)
    except json.JSONDecodeError as error:
        raise JsonError(error.msg, error.pos) from None
    except RecursionError:
        raise JsonError("nested too deeply", 0) from None


def wire_text(value: object, transport: Transport = Transport.STDIO) -> str:
    """`value` as the MCP SDK writes it into a message.

    The stdio transport prints with pydantic-core, the HTTP transports with Python's `json`; the texts differ for
    floats between 1e-9 and 1e-4. NaN and infinities become null on both.

    Raises:
        CannotSend: the encoder refuses the value.
    """
    core = encoder()
    try:
        if transport is Transport.STDIO:
            printed: bytes = core.to_json(value, inf_nan_mode="null")
            return printed.decode()
        plain = core.to_jsonable_python(value, inf_nan_mode="null")
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode()
        return text
    except (core.PydanticSerializationError, ValueError, RecursionError) as error:
        raise CannotSend(_why_not(error)) from None


def _why_not(error: Exception) -> str:
    reason = str(error)
    if "surrogates not allowed" in reason or "surrogate" in reason:
        return "the text holds a lone surrogate, which UTF-8 cannot carry"
    if "4300 digits" in reason:
        return "an integer has more than 4,300 digits, which the HTTP encoder refuses"
    if "depth" in reason or "ecursion" in reason:
        return "nested more deeply than the encoder allows"
    return reason.removeprefix("Error serializing to JSON: ")


class Difference(NamedTuple):
    """One place where two spellings of a JSON text differ. `after` is empty where the member is not in the second."""

    path: str
    before: str
    after: str


_SPLIT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


def differences(before: str, after: str) -> list[Difference]:
    """The places where `after`, which spells the value of `before`, differs from it; white space does not count.

    A member whose name is spelled otherwise is one difference with the names as literals; a duplicate member that is
    gone is one with an empty `after`.
    """
    if before == after:
        return []
    old, new = _SPLIT.findall(before), _SPLIT.findall(after)
    if len(old) != len(new):
        return _differences_by_tree(before, after)
    changed = [at for at, (left, right) in enumerate(zip(old, new, strict=True)) if left != right]
    return _locate(old, new, changed) if changed else []


def _locate(old: list[str], new: list[str], changed: list[int]) -> list[Difference]:
    """Give the tokens at the indexes `changed` their JSON Pointers, in one walk over the tokens."""
    found: list[Difference] = []
    wanted = set(changed)
    path: list[str | int] = []
    last = changed[-1]
    for at, token in enumerate(old[: last + 1]):
        if token == "{":
            path.append("")
        elif token == "[":
            path.append(0)
        elif token in ("}", "]"):
            path.pop()
        elif token == ",":
            if isinstance(path[-1], int):
                path[-1] += 1
        elif token != ":":
            if at + 1 < len(old) and old[at + 1] == ":":
                path[-1] = decode_string(token)
            if at in wanted:
                found.append(Difference(pointer(path), token, new[at]))
    return found


def _differences_by_tree(before: str, after: str) -> list[Difference]:
    """The slow way, for texts of different shape: `before` has duplicate keys, of which the last one was kept."""
    old, new = parse(before, lax=True), parse(after, lax=True)
    found: list[Difference] = []
    pairs = [(0, 0)]
    while pairs:
        left, right = pairs.pop()
        if old.nodes[left].kind not in CONTAINERS or old.nodes[left].kind is not new.nodes[right].kind:
            if old.literal(left) != new.literal(right):
                found.append(Difference(old.pointer(left), old.literal(left), new.literal(right)))
            continue
        kept: dict[str | int, int] = {}
        for child in old.children(left):
            node = old.nodes[child]
            name = node.order if node.key is None else node.key
            if name in kept:
                found.append(Difference(old.pointer(kept[name]), old.literal(kept[name]), ""))
            kept[name] = child
        for child in new.children(right):
            node = new.nodes[child]
            twin = kept[node.order if node.key is None else node.key]
            if old.nodes[twin].key_literal != node.key_literal:
                found.append(Difference(new.pointer(child), old.nodes[twin].key_literal or "", node.key_literal or ""))
            pairs.append((twin, child))
    return sorted(found)
