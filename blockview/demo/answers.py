"""What the demo's tools answer: the same to the same arguments, and what the bundled session recorded."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAABgAAAAICAIAAABsw6g0AAAAMUlEQVR42mP4TyXAQIwi3dpLQESRQRAjBqtB+I1jIN4IEgxCVorL"
    "IEzjICIM+DUQjwBrEeCS0mysxAAAAABJRU5ErkJggg=="
)
"""A small picture, in base64."""


class Answer(NamedTuple):
    """A tool's result. `structured` is JSON text, sent character for character; `image` is base64 of a PNG."""

    text: str = ""
    structured: str | None = None
    image: str = ""
    is_error: bool = False


Arguments = Mapping[str, Any]

_SERVER_GO = """\
package main

import "context"

func retry(ctx context.Context, attempts int) error {
\tfor i := 0; i < attempts; i++ {
\t\tif err := upload(ctx); err == nil {
\t\t\treturn nil
\t\t}
\t}
\treturn errGaveUp
}
"""
_FILES = {
    "server.go": _SERVER_GO.splitlines(),
    "old_retry.go": ["package main", "", "func oldRetry() {}"],
}

# The numbers are spelled in ways that a decoder and an encoder on the way would lose.
_POINTS = '{"points":%d,"mean":0.040,"max":1.10,"first":-0,"sum":1e400}'
_SERIES = ("upload.errors", "upload.requests")

_STORM, _TIMEOUT = 1234567890123456789, 9007199254740993
_TITLES = {_STORM: "再試行の嵐 (retry storm)", _TIMEOUT: "Uploads time out"}
_TICKETS = {
    _STORM: f'"title":"{_TITLES[_STORM]}","state":"open","votes":42,"cost":0.1234567890123456789',
    _TIMEOUT: f'"title":"{_TITLES[_TIMEOUT]}","state":"closed","votes":3,"cost":1.10',
}
_WORDS = {_STORM: "retry storm uploader", _TIMEOUT: "uploads time out in a retry storm"}
_COMMENTS = {
    _STORM: (
        "[red]not a colour[/red] and [@click=app.bell]not a link[/]",
        "\x1b[31mnot red\x1b[0m \x1b]0;not a title\x07 \x1b]52;c;bm90IGEgY29weQ==\x07",
        "user\u202etxt.exe and zero\u200bwidth\u200djoiner, 進捗 100%",
    ),
    _TIMEOUT: ("Raised the limit to 60 s.",),
}


def _show_line(arguments: Arguments) -> Answer:
    path, line = arguments["filePath"], arguments.get("line", 1)
    if path not in _FILES:
        return _no(f"no file {path}")
    lines = _FILES[path]
    if not 1 <= line <= len(lines):
        return _no(f"{path} has {len(lines)} lines")
    return Answer(f"{line}: {lines[line - 1]}")


def _delete(arguments: Arguments) -> Answer:
    path = arguments["filePath"]
    return Answer(f"deleted {path}") if path in _FILES else _no(f"no file {path}")


def _query(arguments: Arguments) -> Answer:
    if arguments["name"] not in _SERIES:
        return _no(f"no series {arguments['name']}")
    text = _POINTS % arguments.get("limit", 100)
    return Answer(text, structured=text)


def _sample(arguments: Arguments) -> Answer:
    if arguments["name"] not in _SERIES:
        return _no(f"no series {arguments['name']}")
    draw = random.Random(arguments.get("seed", 0))
    return Answer(_json({"name": arguments["name"], "sample": [round(draw.random(), 3) for _ in range(3)]}))


def _chart(arguments: Arguments) -> Answer:
    if arguments["name"] not in _SERIES:
        return _no(f"no series {arguments['name']}")
    return Answer(f"{arguments['name']}, 42 minutes", image=PNG)


def _search(arguments: Arguments) -> Answer:
    page, size = arguments.get("page", 1), arguments.get("size", 20)
    hits = [{"id": id, "title": _TITLES[id]} for id, words in _WORDS.items() if arguments["text"].lower() in words]
    start = max(page - 1, 0) * max(size, 0)
    return Answer(_json({"hits": hits[start : start + max(size, 0)], "total": len(hits)}))


def _get(arguments: Arguments) -> Answer:
    id = arguments.get("id")
    return Answer(f'{{"id":{id},{_TICKETS[id]}}}') if id in _TICKETS else _no(f"no ticket {id}")


def _comments(arguments: Arguments) -> Answer:
    id = arguments.get("id")
    if id not in _COMMENTS:
        return _no(f"no ticket {id}")
    return Answer("\n".join(_COMMENTS[id][: arguments.get("limit")]))


def _create(arguments: Arguments) -> Answer:
    return Answer(_json({"id": _STORM + 1, "title": arguments["title"], "parent": arguments.get("parent")}))


def _status(arguments: Arguments) -> Answer:
    """An answer that looks like JSON and is none."""
    return Answer(f'{{service: "{arguments["service"]}", build: {arguments.get("build", 118)}, healthy: NaN,}}')


def _start(arguments: Arguments) -> Answer:
    return Answer(_json({"service": arguments["service"], "build": arguments["build"], "state": "running"}))


def _big_ids(arguments: Arguments) -> Answer:
    text = f'{{"ids":[{_TIMEOUT},{_STORM},-{_TIMEOUT}],"next":18446744073709551617}}'
    return Answer(text, structured=text)


def _bad_output(arguments: Arguments) -> Answer:
    text = '{"count":"three"}'
    return Answer(text, structured=text)


def _image(arguments: Arguments) -> Answer:
    return Answer(image=PNG)


def _no(reason: str) -> Answer:
    return Answer(reason, is_error=True)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


ANSWERS: Mapping[str, Callable[[Arguments], Answer]] = {
    "open": _show_line,
    "select": _show_line,
    "delete": _delete,
    "query": _query,
    "sample": _sample,
    "chart": _chart,
    "search": _search,
    "get": _get,
    "comments": _comments,
    "create": _create,
    "status": _status,
    "start": _start,
    "big_ids": _big_ids,
    "bad_output": _bad_output,
    "image": _image,
}
"""The answer of each tool to arguments that its input schema accepts."""
