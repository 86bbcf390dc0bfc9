"""The values that stand in a filter: names with wildcards, times, durations, and what an argument is compared with."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from fnmatch import translate

from blockview.core.jsontext import loads

_UNITS = {"ms": 1.0, "s": 1000.0, "m": 60_000.0, "h": 3_600_000.0, "": 1000.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|)")


class Globs:
    """Names with `*` and `?`, several of them behind commas. Without capitals they match either case."""

    def __init__(self, text: str) -> None:
        case = re.IGNORECASE if text == text.lower() else re.NOFLAG
        self._patterns = [re.compile(translate(part), case) for part in text.split(",") if part]

    def match(self, name: str) -> bool:
        """Whether one of them is the whole name."""
        return any(pattern.match(name) for pattern in self._patterns)


def duration(text: str) -> float:
    """A duration in milliseconds; seconds where no unit is given.

    Raises:
        ValueError: it is none.
    """
    match = _DURATION.fullmatch(text.lower())
    if match is None:
        raise ValueError(f"no duration: {text}; write 120ms, 2s or 1.5m")
    return float(match[1]) * _UNITS[match[2]]


def moment(text: str) -> datetime:
    """A date or a date with a time (ISO 8601); local time where no zone is given.

    Raises:
        ValueError: it is none.
    """
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"no time: {text}; write 2026-08-19 or 2026-08-19T14:02") from None


def argument_test(text: str) -> Callable[[str], bool]:
    """A test of arguments as JSON text: `NAME` is there, or `NAME=VALUE` has that value.

    NAME is a member of the arguments or a JSON Pointer (RFC 6901) that begins with `/`. Numbers are compared by value,
    so that 5 finds 5.0; a string is matched as a name with wildcards; `true`, `false` and `null` are what they say, and
    find strings of that text as well.

    Raises:
        ValueError: the name is empty.
    """
    name, equals, value = text.partition("=")
    if not name:
        raise ValueError("arg: needs a name")
    path = [part.replace("~1", "/").replace("~0", "~") for part in name[1:].split("/")] if name[0] == "/" else [name]
    globs, number = Globs(value.replace(",", "?")) if value else None, _number(value)

    def test(arguments: str) -> bool:
        try:
            found = _at(loads(arguments), path)
        except ValueError:
            return False
        return found is not _NOTHING and (not equals or _is(found, value, globs, number))

    return test


_NOTHING = object()


def _at(value: object, path: Sequence[str]) -> object:
    """What a path leads to, or `_NOTHING`."""
    for part in path:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and len(part) < _DIGITS and int(part) < len(value):
            value = value[int(part)]
        else:
            return _NOTHING
    return value


def _is(found: object, value: str, globs: Globs | None, number: Decimal | None) -> bool:
    if isinstance(found, str):
        return globs.match(found) if globs is not None else not found
    if isinstance(found, bool) or found is None:
        return value == _WORDS[found]
    if number is None or not isinstance(found, int | float):
        return False
    return Decimal(found) == number if isinstance(found, int) else found == float(number)


_WORDS = {True: "true", False: "false", None: "null"}
_DIGITS = 10


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
