"""The filter language: `tool:run_* -is:error arg:limit=5` is parsed once into a test of calls and blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from difflib import get_close_matches
from typing import NamedTuple

import msgspec

from blockview.core.find import HEAD
from blockview.core.marks import CallMarks, call_marks
from blockview.core.model import Block, Status, ToolCall
from blockview.core.names import call_names, server_names
from blockview.core.needle import Needle
from blockview.core.prepare import Prepared
from blockview.core.queryvalues import Globs, argument_test, duration, moment

HELP = (
    ("tool:NAME", "the tool's name, alone or as server.tool, with * and ?; several behind commas, one is enough"),
    ("server:NAME", "the server's name, in the same way"),
    ("status:WORD", "how the call ended, in the same way: ok, tool-error, denied, no-result…"),
    ("is:WORD", "changed, unknown (schema not found), error, pending, blocked, deep, mcp, subagent"),
    ("text:WORDS", "in names, arguments and results, or in prompts and what was said; words alone mean the same"),
    ("arg:NAME=VALUE", "an argument as sent, by name or JSON Pointer; numbers by value, strings with *; or arg:NAME"),
    ("before:TIME", "2026-08-19 or 2026-08-19T14:02, in local time where no zone is given; also after:TIME"),
    ("dur>TIME", "calls that took longer than 120ms, 2s, 1.5m; also dur<TIME"),
    ("-WORD", 'turns any of these around; all must hold; "quotes" keep blanks together'),
)
"""What can be written, for people."""

PENDING = frozenset({Status.NO_RESULT, Status.BACKGROUND, Status.INPUT_REQUIRED})

PrepareCall = Callable[[ToolCall], Prepared]


class QueryError(ValueError):
    """A filter that cannot be read. The message is one line; `at` is the character where the trouble begins, from 0."""

    def __init__(self, problem: str, at: int) -> None:
        super().__init__(problem)
        self.at = at


class Row(NamedTuple):
    """What is tested: a call of a block, or the block's own row (`call` is None)."""

    block: Block
    call: ToolCall | None
    prepare: PrepareCall

    @property
    def marks(self) -> CallMarks:
        """The marks of the call; none for a block's own row."""
        return call_marks(self.call, self.prepare(self.call)) if self.call is not None else CallMarks()


Test = Callable[[Row], bool]


class Query(msgspec.Struct, frozen=True):
    """A filter that can be asked. `text` is what was written, `tests` must all hold."""

    text: str
    tests: tuple[Test, ...]

    def rows(self, block: Block, prepare: PrepareCall) -> tuple[int, ...]:
        """The rows of a block that stay: HEAD for its own row, when its prompt or texts do, and numbers of calls."""
        own = (HEAD,) if self._holds(Row(block, None, prepare)) else ()
        return own + tuple(number for number, call in enumerate(block.calls) if self._holds(Row(block, call, prepare)))

    def _holds(self, row: Row) -> bool:
        return all(test(row) for test in self.tests)


def parse(text: str) -> Query:
    """The filter that a person wrote; one without words lets everything pass.

    Raises:
        QueryError: it cannot be read.
    """
    return Query(text, tuple(_test(word) for word in words(text)))


class Word(NamedTuple):
    """One word of a filter. `key` is what stands before the first `:`, `<` or `>`, and empty for words alone."""

    at: int
    negated: bool
    key: str
    sign: str
    value: str


_WORD = re.compile(
    r"(?P<negated>-?)"
    r"(?:(?P<key>[A-Za-z]+)(?P<sign>:|>=|<=|>|<))?"
    r'(?P<value>(?:"(?:[^"\\]|\\.)*"?|[^\s"])*)'
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)("?)')
_ESCAPED = re.compile(r"\\(.)")


def words(text: str) -> Iterator[Word]:
    """The words of a filter.

    Raises:
        QueryError: a quote is not closed.
    """
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _WORD.match(text, at)
        assert match is not None  # a word may be empty, and then begins with what no word does
        yield Word(
            at,
            match["negated"] == "-" and match.end() > at + 1,
            (match["key"] or "").lower(),
            match["sign"] or "",
            _unquoted(match["value"], match.start("value")) if match[0] != "-" else "-",
        )
        at = match.end()


def _unquoted(value: str, at: int) -> str:
    def inner(match: re.Match[str]) -> str:
        if not match[2]:
            raise QueryError("a quote is not closed", at + match.start())
        return _ESCAPED.sub(r"\1", match[1])

    return _QUOTED.sub(inner, value)


def _test(word: Word) -> Test:
    made = _TESTS.get(word.key)
    if made is None:
        close = get_close_matches(word.key, [*_TESTS, "text"], 1)
        hint = f"did you mean {close[0]}:?" if close else "quote it to look for it as text"
        raise QueryError(f"no filter word {word.key}: — {hint}", word.at)
    if word.key and not word.value:
        raise QueryError(f"{word.key}{word.sign} needs a value", word.at)
    if bool(word.key) and (word.sign != ":") != (word.key == "dur"):
        usage = "dur>2s" if word.key == "dur" else f"{word.key}:{word.value}"
        raise QueryError(f"write {usage}", word.at)
    try:
        test = made(word)
    except ValueError as error:
        raise QueryError(str(error), word.at) from None
    if not word.negated:
        return test
    return lambda row: (row.call is not None or word.key in _OF_BLOCKS) and not test(row)


def _of_call(test: Callable[[ToolCall], bool]) -> Test:
    return lambda row: row.call is not None and test(row.call)


def _tool(word: Word) -> Test:
    globs = Globs(word.value)
    return _of_call(lambda call: any(map(globs.match, call_names(call))))


def _server(word: Word) -> Test:
    globs = Globs(word.value)
    return _of_call(lambda call: any(map(globs.match, server_names(call.server) or ("",))))


def _status(word: Word) -> Test:
    globs = Globs(word.value.lower())
    if not any(globs.match(status.value) for status in Status):
        raise ValueError(f"no status {word.value}; there are {', '.join(Status)}")
    return _of_call(lambda call: globs.match(call.status.value))


_STATES: dict[str, Test] = {
    "changed": lambda row: row.marks.changed > 0,
    "unknown": lambda row: row.marks.missing,
    "error": lambda row: row.marks.error,
    "pending": _of_call(lambda call: call.status in PENDING),
    "blocked": lambda row: row.marks.blocked,
    "deep": lambda row: row.marks.deep > 0,
    "mcp": _of_call(lambda call: call.mcp),
    "subagent": _of_call(lambda call: bool(call.agent)),
}


def _is(word: Word) -> Test:
    named = [name.lower() for name in word.value.split(",")]
    for name in named:
        if name not in _STATES:
            raise ValueError(f"nothing is {name}; there are {', '.join(_STATES)}")
    tests = [_STATES[name] for name in named]
    return lambda row: any(test(row) for test in tests)


def _text(word: Word) -> Test:
    needle = Needle(word.value)

    def test(row: Row) -> bool:
        if row.call is not None:
            return needle.in_call(row.call, row.prepare)
        return needle.in_texts(row.block)

    return test


def _argument(word: Word) -> Test:
    holds = argument_test(word.value)

    def test(row: Row) -> bool:
        if row.call is None or row.call.arguments is None:
            return False
        return holds(row.prepare(row.call).dispatched or row.call.arguments)

    return test


def _time(word: Word) -> Test:
    limit = moment(word.value)
    later = word.key == "after"

    def test(row: Row) -> bool:
        started = (row.call.started if row.call is not None else None) or row.block.started
        return started is not None and (started >= limit if later else started < limit)

    return test


def _duration(word: Word) -> Test:
    limit = duration(word.value)
    above, equal = word.sign[0] == ">", "=" in word.sign

    def test(call: ToolCall) -> bool:
        took = call.duration_ms
        return (took is not None and (took > limit if above else took < limit)) or (equal and took == limit)

    return _of_call(test)


_TESTS: dict[str, Callable[[Word], Test]] = {
    "tool": _tool,
    "server": _server,
    "status": _status,
    "is": _is,
    "text": _text,
    "": _text,
    "arg": _argument,
    "before": _time,
    "after": _time,
    "dur": _duration,
}


_OF_BLOCKS = frozenset({"text", "", "before", "after"})
"""What can be asked of a block's own row. All else is asked of calls, and does not hold for that row either way."""


class Names(msgspec.Struct, frozen=True):
    """Names that can be completed: those of the tools and servers that a session has."""

    tools: Collection[str] = ()
    servers: Collection[str] = ()


def completions(text: str, names: Names) -> list[str]:
    """What the last word of a filter may become, as whole filters, best first."""
    begin = text.rfind(" ") + 1
    head, word = text[:begin], text[begin:]
    sign = "-" if word.startswith("-") else ""
    key, colon, value = word.removeprefix("-").partition(":")
    if not colon:
        found = [f"{name}:" for name in ("tool", "server", "is", "status", "text", "arg", "before", "after")]
        found += ["dur>"]
        return [head + sign + each for each in found if key and each.startswith(key.lower())]
    known: dict[str, Collection[str]] = {
        "tool": names.tools,
        "server": names.servers,
        "is": tuple(_STATES),
        "status": tuple(Status),
    }
    before, comma, last = value.rpartition(",")
    options = sorted(
        each for each in known.get(key.lower(), ()) if each.lower().startswith(last.lower()) and each != last
    )
    return [f"{head}{sign}{key}:{before}{comma}{_quoted(each)}" for each in options]


def _quoted(value: str) -> str:
    value = value.replace(",", "?")  # a comma would part two names
    if not re.search(r'[\s"\\]', value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
