"""The coercion rules: a whole-number float becomes an integer where the tool's input schema says `integer`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from blockview.core.jsontext import pointer
from blockview.core.schema import Opinion, Path, TooComplex, declared, opinions

OUT_OF_RANGE = "out of int64 range, sent as it is"
ROUNDED = "possibly rounded upstream: a double holds integers exactly only to 2^53"
_EXACT = 2.0**53
_INT64 = 2.0**63


class Depth(StrEnum):
    """How far coercion reaches.

    TOP looks only at members of the arguments object, DEEP walks the whole schema, OFF changes nothing.
    """

    TOP = "top"
    DEEP = "deep"
    OFF = "off"


class Coerced(NamedTuple):
    """Arguments after coercion. `changed` and `deep_would_change` hold JSON Pointers, `notes` (pointer, text) pairs."""

    arguments: dict[str, object]
    changed: frozenset[str] = frozenset()
    notes: tuple[tuple[str, str], ...] = ()
    deep_would_change: tuple[str, ...] = ()


def coerce(arguments: dict[str, object], schema: Mapping[str, object], depth: Depth = Depth.TOP) -> Coerced:
    """Apply the rules to a call's arguments. The input is not altered; untouched parts are shared with the output.

    Args:
        arguments: The arguments as parsed: floats are doubles, integers exact.
        schema: The tool's input schema.
        depth: How far to look.
    """
    if depth is Depth.OFF:
        return Coerced(arguments)
    places = [path for path, _ in whole_floats(arguments)]
    if not places:
        return Coerced(arguments)
    top = _declared_at_top(arguments, schema)
    deep, trouble = top, ""
    if len(top) < len(places):
        rest = set(places).difference(top)
        try:
            found = opinions(schema, arguments, rest)
            deep = [place for place in places if place not in rest or found.get(place) is Opinion.INTEGER]
        except TooComplex as error:
            trouble = f"deep was not tried: {error}"
    chosen = deep if depth is Depth.DEEP else top
    result = arguments
    changed: list[str] = []
    notes: list[tuple[str, str]] = [("", trouble)] if trouble and depth is Depth.DEEP else []
    sendable = [place for place in chosen if _fits_int64(_at(arguments, place))]
    for place in chosen:
        value = _at(arguments, place)
        if not _fits_int64(value):
            notes.append((pointer(place), OUT_OF_RANGE))
            continue
        changed.append(pointer(place))
        if abs(value) >= _EXACT:
            notes.append((pointer(place), ROUNDED))
    if sendable:
        result = _with_integers(arguments, sendable)
    would = tuple(pointer(place) for place in deep if place not in top and _fits_int64(_at(arguments, place)))
    return Coerced(result, frozenset(changed), tuple(notes), would if depth is Depth.TOP else ())


def whole_floats(arguments: Mapping[str, object]) -> Iterator[tuple[Path, float]]:
    """Every finite whole-number float with its path, in document order, at any depth."""
    pending: list[tuple[Path, Iterator[tuple[str | int, object]]]] = [((), iter(arguments.items()))]
    while pending:
        path, members = pending[-1]
        for step, value in members:
            if isinstance(value, float):
                if value.is_integer():
                    yield (*path, step), value
            elif isinstance(value, dict):
                pending.append(((*path, step), iter(value.items())))
                break
            elif isinstance(value, list):
                pending.append(((*path, step), iter(enumerate(value))))
                break
        else:
            pending.pop()


def _declared_at_top(arguments: Mapping[str, object], schema: Mapping[str, object]) -> list[Path]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return []
    return [
        (name,)
        for name, value in arguments.items()
        if isinstance(value, float) and value.is_integer() and declared(properties.get(name)) is Opinion.INTEGER
    ]


def _fits_int64(value: float) -> bool:
    return -_INT64 <= value < _INT64


def _at(arguments: object, path: Path) -> float:
    value = arguments
    for step in path:
        value = value[step]  # type: ignore[index]
    if not isinstance(value, float):
        raise TypeError(f"no float at {pointer(path)}")
    return value


def _with_integers(arguments: dict[str, object], places: Iterable[Path]) -> dict[str, object]:
    """A copy with integers at `places`; only the containers on the way there are copied."""
    result = dict(arguments)
    copies: dict[Path, object] = {(): result}
    for place in places:
        for length in range(1, len(place)):
            path = place[:length]
            if path not in copies:
                parent = copies[path[:-1]]
                original = parent[path[-1]]  # type: ignore[index]
                copies[path] = dict(original) if isinstance(original, dict) else list(original)
                parent[path[-1]] = copies[path]  # type: ignore[index]
        holder = copies[place[:-1]]
        holder[place[-1]] = int(holder[place[-1]])  # type: ignore[index]
    return result
