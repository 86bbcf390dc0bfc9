"""`blockview coerce`: arguments on stdin, what would be dispatched on stdout."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from blockview.commands import Failure
from blockview.commands.shared import add_coerce_option, problem, stdin_bytes, warn
from blockview.core.coercion import Depth
from blockview.core.jsontext import JsonError, Transport, loads
from blockview.core.model import Place, ToolCall
from blockview.core.prepare import Found, Missing, Prepared, Why, prepare
from blockview.core.safetext import visible_json


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--schema", metavar="FILE", help="the tool's input schema")
    transports = [transport.value for transport in Transport]
    parser.add_argument(
        "--transport", choices=transports, default=Transport.STDIO.value, help="whose spelling (default: stdio)"
    )
    add_coerce_option(parser)


def run(options: Namespace) -> int:
    """Print the dispatched text; what a person should know beside it goes to stderr."""
    schema = _schema(options.schema)
    try:
        recorded = stdin_bytes().decode().strip()
    except UnicodeDecodeError as error:
        raise Failure(f"stdin: not UTF-8 at byte {error.start}") from None
    call = ToolCall("", "", "", recorded, Place(1, 0))
    prepared = prepare(call, lambda _: schema, Depth(options.coerce), Transport(options.transport))
    if prepared.blocked:
        raise Failure(f"stdin: cannot be sent: {prepared.blocked}")
    _warn_of(prepared)
    dispatched = prepared.dispatched or ""
    print(visible_json(dispatched) if sys.stdout.isatty() else dispatched)  # another program gets it as it is
    return 0


def _schema(path: str | None) -> Found | Missing:
    if path is None:
        return Missing("no --schema was given")
    try:
        schema = loads(Path(path).read_text("utf-8-sig", "surrogateescape"))
    except OSError as error:
        raise Failure(f"{path}: {problem(error)}") from None
    except JsonError as error:
        raise Failure(f"{path}: not JSON: {error}") from None
    if _holds_tools(schema):
        raise Failure(f"{path}: tools, not an input schema; --schema takes the inputSchema of one tool")
    return Found(schema, path) if isinstance(schema, dict) else Missing(f"{path}: not a JSON object")


def _holds_tools(value: object) -> bool:
    """Whether that is one tool, or a list of them, as `tools/list` answers it."""
    if isinstance(value, list):
        return any(isinstance(each, dict) and "name" in each for each in value)
    return isinstance(value, dict) and (
        isinstance(value.get("inputSchema"), dict)
        or isinstance(value.get("tools"), list)
        or _holds_tools(value.get("result"))
    )


def _warn_of(prepared: Prepared) -> None:
    if isinstance(prepared.schema, Missing):
        warn(f"schema not found: {prepared.schema.reason}; not coerced")
    for note in prepared.notes:
        warn(f"{note.path or 'arguments'}: {note.text}")
    for change in prepared.changes:
        if change.why is Why.DUPLICATE:
            warn(f"{change.path}: {change.before} is not sent, a later member has the same name")
        elif change.why is Why.NOT_JSON:
            warn(f"{change.path}: {change.before} is no JSON number, null is sent")
    for path in prepared.deep_would_change:
        warn(f"{path}: left as it is; --coerce deep would change it")
