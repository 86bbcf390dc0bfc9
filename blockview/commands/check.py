"""`blockview check PATH ...`: what in recorded sessions asks for a second look, for people and for CI."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Collection, Iterator, Sequence

from blockview import __version__
from blockview.catalog.file import FileCatalog, read_tools
from blockview.catalog.recording import RecordingCatalog
from blockview.commands import Failure
from blockview.commands.find import sources_of
from blockview.commands.shared import (
    DEMO_TOOLS,
    add_coerce_option,
    add_filter_option,
    add_tools_option,
    is_demo,
    lookups,
    paint,
    problem,
    read_recording,
    warn,
)
from blockview.core.baseline import Known, baseline_text, known, read_baseline
from blockview.core.coercion import Depth
from blockview.core.findings import FAILING, Checked, Kind, OutputSchema, call_findings, diagnostic_finding
from blockview.core.model import Session, ToolCall
from blockview.core.prepare import Lookup, Prepared, prepare
from blockview.core.query import Query
from blockview.core.queryvalues import duration
from blockview.core.safetext import visible_json
from blockview.core.schemacheck import Checkers
from blockview.export.audit import VERSION, Audit, audit_json, audit_lines, summary

_SLOW = "10s"
_ANY, _NONE = "any", "none"


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="recordings, folders, - for stdin, demo")
    add_filter_option(parser)
    kinds = ", ".join(kind.value for kind in Kind)
    parser.add_argument(
        "--fail-on",
        type=_kinds,
        default=FAILING,
        metavar="KINDS",
        help=f"what makes the exit code 1, behind commas: {kinds}; or any, or none "
        f"(default: {','.join(kind.value for kind in Kind if kind in FAILING)})",
    )
    parser.add_argument(
        "--slow", type=_duration, default=_SLOW, metavar="TIME", help=f"from when a call is slow (default: {_SLOW})"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--junit", metavar="FILE", help="write JUnit's XML as well; - for stdout in place of the table")
    parser.add_argument("--sarif", metavar="FILE", help="write SARIF 2.1.0 as well; - for stdout in place of the table")
    parser.add_argument("--baseline", metavar="FILE", help="known findings, which fail nothing")
    parser.add_argument("--write-baseline", metavar="FILE", help="write a file that accepts all that is found now")
    add_coerce_option(parser)
    add_tools_option(parser)


def run(options: Namespace) -> int:
    """Look at every call. Exit code 0: nothing that fails; 1: something; 2: something could not be read."""
    if (options.json, options.junit, options.sarif).count("-") + options.json > 1:
        raise Failure("only one of --json, --junit - and --sarif - can go to stdout")
    accepted = _baseline(options.baseline)
    check = _Check(options, accepted)
    audits: list[Audit] = []
    table = not options.json and "-" not in (options.junit, options.sarif)
    unreadable = False
    for path, chosen in sources_of(options.paths):
        try:
            audit = check.audit(path)
        except Failure as failure:
            if chosen or "no known recording" not in str(failure):
                warn(str(failure))
                unreadable = True
            continue
        audits.append(audit)
        if table:
            for line in audit_lines(audit):
                print(paint(line, sys.stdout))
    if table:
        print(summary(audits))
    _write(options, audits)
    if unreadable:
        return 2
    return int(_fails(audits, options.fail_on))


class _Check:
    """Looks at sessions, all with the same settings."""

    def __init__(self, options: Namespace, accepted: Collection[Known]) -> None:
        self._options = options
        self._accepted = accepted
        self._depth = Depth(options.coerce)
        self._checkers = Checkers()
        self._lookups: dict[str | None, Callable[[Session], Lookup]] = {}

    def audit(self, path: str) -> Audit:
        """What is found in a session.

        Raises:
            Failure: it cannot be read.
        """
        session = read_recording(path)
        tools = self._options.tools or (DEMO_TOOLS if is_demo(path) else None)
        if tools not in self._lookups:
            self._lookups[tools] = lookups(tools)
        lookup = self._lookups[tools](session)
        calls = tuple(self._calls(session, lookup, _output_schemas(session, tools)))
        query: Query | None = self._options.filter
        unread = () if query is not None else tuple(map(diagnostic_finding, session.diagnostics))
        return Audit(session.source, calls, unread, self._accepted)

    def _calls(self, session: Session, lookup: Lookup, output: OutputSchema) -> Iterator[Checked]:
        query: Query | None = self._options.filter

        def prepare_call(call: ToolCall) -> Prepared:
            return prepare(call, lookup, self._depth)

        for position in range(len(session.blocks)):
            block = session.blocks[position]
            kept = None if query is None else query.rows(block, prepare_call)
            for number, call in enumerate(block.calls):
                if kept is None or number in kept:
                    found = call_findings(call, prepare_call(call), output, self._options.slow, self._checkers.of)
                    yield Checked(block.index, number, call_without_bodies(call), tuple(found))


def call_without_bodies(call: ToolCall) -> ToolCall:
    """The call without its arguments and result, which need not stay in memory once they were looked at."""
    from msgspec.structs import replace

    return replace(call, arguments=None, result=None)


def _output_schemas(session: Session, tools: str | None) -> OutputSchema:
    """The output schemas that the recording lists, else those of the file of `--tools`."""
    recorded = RecordingCatalog(session.tools).output_schema
    if tools is None:
        return recorded
    from pathlib import Path

    given = FileCatalog(read_tools(Path(tools)), tools).output_schema
    return lambda call: recorded(call) or given(call)


def _baseline(path: str | None) -> Collection[Known]:
    if path is None:
        return ()
    try:
        with open(path, "rb") as file:
            return read_baseline(file.read()).keys()
    except OSError as error:
        raise Failure(f"{path}: {problem(error)}") from None
    except ValueError as error:
        raise Failure(f"{path}: {error}") from None


def _write(options: Namespace, audits: Sequence[Audit]) -> None:
    """All that goes to files, and what goes to stdout in place of the table."""
    if options.json:
        found = {"blockview": VERSION, "sessions": [audit_json(audit) for audit in audits]}
        print(visible_json(json.dumps(found, indent=1)))
    if options.junit is not None:
        from blockview.export.junit import junit_text

        _save(options.junit, junit_text(audits, options.fail_on))
    if options.sarif is not None:
        from blockview.export.sarif import sarif_text

        _save(options.sarif, sarif_text(audits, __version__))
    if options.write_baseline is not None:
        pairs = (pair for audit in audits for pair in audit.findings())
        now = [known(found, None if checked is None else checked.call) for checked, found in pairs]
        _save(options.write_baseline, baseline_text(now))


def _save(path: str, text: str) -> None:
    if path == "-":
        sys.stdout.write(text)
        return
    temporary = f"{path}.{os.getpid()}.new"
    try:
        with open(temporary, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        raise Failure(f"{path}: cannot be written: {error.strerror or error}") from None


def _fails(audits: Sequence[Audit], failing: Collection[Kind]) -> bool:
    pairs = ((audit, *pair) for audit in audits for pair in audit.findings())
    return any(found.kind in failing and not audit.knows(checked, found) for audit, checked, found in pairs)


def _kinds(text: str) -> Collection[Kind]:
    if text in (_ANY, _NONE):
        return frozenset(Kind) if text == _ANY else frozenset()
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in list(Kind):
            raise ArgumentTypeError(f"nothing is {name}; there are {', '.join(Kind)}, and any or none alone")
    return frozenset(map(Kind, names))


def _duration(text: str) -> float:
    try:
        return duration(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
