"""YAML as JSON text: numbers keep the characters that were recorded, and nothing but text is ever made of a document.

Plain scalars are understood by YAML 1.2's core schema (https://yaml.org/spec/1.2.2/#103-core-schema), or as PyYAML
wrote them, whose idea of a number is an older one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from yaml.events import AliasEvent, CollectionStartEvent, Event, NodeEvent, ScalarEvent

_DEEPEST = 1000
_LONGEST_CODED = 3000
"""Digits of an octal or hexadecimal number. Python refuses to print numbers of more than 4,300 decimal digits."""
_MOST_REPEATED = 1 << 23
"""Characters that aliases may add to a text: a few lines of aliases of aliases would fill any memory."""


class YamlError(ValueError):
    """A text is not YAML, or has no counterpart in JSON. `line` says where, from 1."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")
        self.problem = problem
        self.line = line


class Schema(NamedTuple):
    """Which plain scalars are numbers."""

    integer: re.Pattern[str]
    float: re.Pattern[str]


CORE = Schema(
    re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"),
    re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"),
)
PYYAML = Schema(
    re.compile(r"[-+]?(?:0|[1-9][0-9]*)"),
    re.compile(r"[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?"),
)
"""What PyYAML writes for a number: a text such as `1e3` or `0o7`, a number to the core schema, is one that it does
not put in quotes."""

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), "null"),
    **dict.fromkeys(("true", "True", "TRUE"), "true"),
    **dict.fromkeys(("false", "False", "FALSE"), "false"),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), "NaN"),
    **dict.fromkeys((sign + word for sign in ("", "+") for word in (".inf", ".Inf", ".INF")), "Infinity"),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), "-Infinity"),
}
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_PARTS = re.compile(r"([-+]?)0*([0-9]*)(?:\.([0-9]*))?((?:[eE].*)?)")
_RESOLVED = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))
"""Explicit tags under which a scalar is read as a plain one; under any other, it is text."""


class Piece(NamedTuple):
    """A value of a document: its member's name, its JSON text, the line where it begins, its extent in characters."""

    name: str
    json: str
    line: int
    start: int
    end: int


def json_text(text: str, schema: Schema = CORE) -> str:
    """The JSON text of a YAML document; `null` for one that holds nothing.

    A number that JSON can spell so has the characters that stand in the document; `.inf` and `.nan` become
    `Infinity` and `NaN`. Keys are texts, and all of them are kept, also those that are there twice.

    Raises:
        YamlError: the text is not one YAML document, or has no counterpart in JSON: a key that is a list, an alias
            within its own anchor, aliases without end.
    """
    writer = _Writer(schema)
    for event in _events(text):
        writer.take(event)
    return writer.written() or "null"


def pieces(text: str, schema: Schema = CORE) -> Iterator[Piece]:
    """The values of the members of a document that is a mapping; where one is a list, its elements one by one.

    Raises:
        YamlError: as `json_text`; what stands before that place has been given by then.
    """
    writer = _Writer(schema)
    line, counted = 1, 0
    for event in _events(text):
        done = writer.take(event)
        if done is None or not _is_piece(writer.open, event):
            continue
        line += text.count("\n", counted, done.start)
        counted = done.start
        yield Piece(writer.open[0].key, writer.written(done.part), line, done.start, _end(event))


def _is_piece(around: list[_Open], event: Event) -> bool:
    """Whether a value that ends with `event`, within the containers `around`, is one of the document's pieces."""
    if not around or not around[0].mapping:
        return False
    if len(around) == 1:
        return type(event).__name__ != "SequenceEndEvent"
    return len(around) == 2 and not around[1].mapping


def _events(text: str) -> Iterator[Event]:
    import yaml  # few recordings need it

    try:
        yield from yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line, text.count("\n")) + 1 if mark else 1  # the end is a line of its own to libyaml
        raise YamlError(error.problem or "not YAML", line) from None
    except yaml.reader.ReaderError as error:
        before = text.encode("utf-8", "surrogatepass")[: error.position]
        raise YamlError(error.reason, before.count(b"\n") + 1) from None
    except UnicodeError:
        raise YamlError("a character that is not Unicode", 1) from None


class _Open:
    """A container that is being written: where its text begins in the parts and its node in the document."""

    __slots__ = ("anchor", "key", "mapping", "part", "size", "start", "value_next")

    def __init__(self, mapping: bool, anchor: str | None, part: int, start: int) -> None:
        self.mapping = mapping
        self.anchor = anchor
        self.part = part
        self.start = start
        self.key = ""
        self.value_next = False
        self.size = 0


class _Done(NamedTuple):
    """A value that is complete: where its text begins in the parts and its node in the document."""

    part: int
    start: int


class _Anchored(NamedTuple):
    """What an alias stands for: its JSON text, and what it is as a key."""

    json: str
    key: str | None


class _Writer:
    """Writes the JSON text of a document's events."""

    def __init__(self, schema: Schema) -> None:
        self.open: list[_Open] = []
        self._schema = schema
        self._parts: list[str] = []
        self._anchored: dict[str, _Anchored] = {}
        self._repeated = 0

    def written(self, part: int = 0) -> str:
        """The text from a part on."""
        return "".join(self._parts[part:])

    def take(self, event: Event) -> _Done | None:
        """Write an event; what it completes when it is the end of a value."""
        match type(event).__name__:
            case "ScalarEvent":
                return self._scalar(event)  # type: ignore[arg-type]
            case "AliasEvent":
                return self._alias(event)  # type: ignore[arg-type]
            case "MappingStartEvent" | "SequenceStartEvent":
                self._enter(event)  # type: ignore[arg-type]
            case "MappingEndEvent" | "SequenceEndEvent":
                return self._leave()
            case "DocumentStartEvent" if self._parts:
                raise YamlError("a second document begins", _line(event))
        return None

    def _scalar(self, event: ScalarEvent) -> _Done | None:
        value = event.value
        text = json.dumps(value, ensure_ascii=False)
        if event.implicit[0] or event.tag in _RESOLVED:
            text = _WORDS.get(value) or _number(value, self._schema) or text
        if event.anchor:
            self._anchored[event.anchor] = _Anchored(text, value)
        return self._value(event, text, value)

    def _alias(self, event: AliasEvent) -> _Done | None:
        found = self._anchored.get(event.anchor or "")
        if found is None:
            raise YamlError(f"the alias *{event.anchor} stands for nothing that is complete", _line(event))
        self._repeated += len(found.json)
        if self._repeated > _MOST_REPEATED:
            raise YamlError("the aliases repeat too much", _line(event))
        return self._value(event, found.json, found.key)

    def _value(self, event: NodeEvent, text: str, key: str | None) -> _Done | None:
        """Write a value that is one event, or take it as a key."""
        part = len(self._parts)
        if self._separate(event, key):
            self._parts.append(text)
            return _Done(part + 1, _start(event))
        return None

    def _enter(self, event: CollectionStartEvent) -> None:
        mapping = type(event).__name__ == "MappingStartEvent"
        if len(self.open) == _DEEPEST:
            raise YamlError("nested too deeply", _line(event))
        self._separate(event, None)
        self.open.append(_Open(mapping, event.anchor, len(self._parts), _start(event)))
        self._parts.append("{" if mapping else "[")

    def _leave(self) -> _Done:
        closed = self.open.pop()
        self._parts.append("}" if closed.mapping else "]")
        if closed.anchor:
            self._anchored[closed.anchor] = _Anchored(self.written(closed.part), None)
        return _Done(closed.part, closed.start)

    def _separate(self, event: NodeEvent, key: str | None) -> bool:
        """Write what stands before a value, exactly one part; False for a key, which is written with its value."""
        around = self.open[-1] if self.open else None
        if around is None:
            self._parts.append("")
        elif around.mapping and not around.value_next:
            if key is None:
                raise YamlError("a key that is a list or a mapping", _line(event))
            around.key, around.value_next = key, True
            return False
        else:
            name = f"{json.dumps(around.key, ensure_ascii=False)}: " if around.mapping else ""
            self._parts.append(f"{', ' if around.size else ''}{name}")
            around.size += 1
            around.value_next = False
        return True


def _line(event: Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _start(event: Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _end(event: Event) -> int:
    return event.end_mark.index if event.end_mark else 0


def _number(value: str, schema: Schema) -> str | None:
    """A plain scalar as a JSON number, in its own characters where they are one; None when it is no number."""
    if schema.integer.fullmatch(value):
        if value[:2] in ("0o", "0x"):
            return str(int(value, 0)) if len(value) < _LONGEST_CODED else None
    elif not schema.float.fullmatch(value):
        return None
    if _JSON_NUMBER.fullmatch(value):
        return value
    parts = _PARTS.fullmatch(value)
    if parts is None:
        return None
    sign, whole, fraction, exponent = parts.groups()
    point = "" if fraction is None else f".{fraction or '0'}"
    return f"{'-' if sign == '-' else ''}{whole or '0'}{point}{exponent}"
