"""`blockview render PATH`: print a session as text, with colours, or as JSON."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterator

from blockview.commands import Failure
from blockview.commands.sending import add_wait_options, connect_given, end_on_signals, replayer_for
from blockview.commands.serving import add_server_options, servers_from
from blockview.commands.shared import (
    DEMO_TOOLS,
    PAPER_WIDTH,
    STDIN,
    add_coerce_option,
    add_filter_option,
    add_tools_option,
    is_demo,
    lookup_for,
    positive,
    read_recording,
    terminal_width,
    uses_colours,
    warn,
)
from blockview.core.coercion import Depth
from blockview.core.model import Block, Session, ToolCall
from blockview.core.names import recorded_servers
from blockview.core.prepare import Lookup, Prepared, prepare
from blockview.core.query import Query
from blockview.core.subagents import find_subagent
from blockview.export.forms import FORMS, chunks
from blockview.export.lines import Choice, PrepareCall, chosen_blocks
from blockview.export.svg import TooLong

_WIDEST = 10_000
"""No wider lines are made: rules and right-aligned words would fill the memory with blanks."""


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("path", metavar="PATH", help="a recording, - for stdin, or demo for the bundled one")
    parser.add_argument(
        "--format",
        choices=FORMS,
        help="what to print (default: ansi on a terminal without NO_COLOR, else text)",
    )
    parser.add_argument("--width", type=positive, metavar="N", help="columns (default: the terminal's, else 100)")
    parser.add_argument("--block", type=positive, metavar="N", help="only the block of this number, from 1")
    parser.add_argument("--call", metavar="ID", help="only the call of this id")
    add_filter_option(parser)
    parser.add_argument(
        "--agent", action="append", metavar="ID", help="only this subagent's part; again for a subagent of that one"
    )
    parser.add_argument(
        "--recorded", action="store_true", help="the recorded text of the arguments, not what is sent (json has both)"
    )
    add_coerce_option(parser)
    add_tools_option(parser)
    add_server_options(parser, configs=False)
    add_wait_options(parser)


def run(options: Namespace) -> int:
    """Print the session, or the part that was asked for."""
    if is_demo(options.path):
        options.tools = options.tools or DEMO_TOOLS
    session, blocks = _subagent(read_recording(options.path), options)
    if not (options.server or options.url or options.sse or options.header):
        return _print(session, blocks, lookup_for(session, options.tools), options)
    end_on_signals()
    servers = servers_from(options)
    replayer = replayer_for(servers, options, recorded_servers(session))
    try:
        connect_given(replayer, servers)
        return _print(session, blocks, lookup_for(session, options.tools, replayer.lookup), options)
    finally:
        replayer.close()


def _subagent(session: Session, options: Namespace) -> tuple[Session, Collection[int] | None]:
    """The session to print and, where it is not all to be printed, its blocks: those of a subagent."""
    blocks: Collection[int] | None = None
    for agent in options.agent or ():
        found = find_subagent(session, agent)
        if found.problem:
            raise Failure(f"{_name(options)}: subagent {agent}: {found.problem}")
        session, blocks = (session, session.agents[agent]) if found.session is None else (found.session, None)
    return session, blocks


def _name(options: Namespace) -> str:
    return "stdin" if options.path == STDIN else str(options.path)


def _print(session: Session, blocks: Collection[int] | None, lookup: Lookup, options: Namespace) -> int:
    depth = Depth(options.coerce)
    name = _name(options)
    if options.block and options.block > len(session.blocks):
        raise Failure(f"{name}: no block {options.block}, it has {len(session.blocks)}")
    if options.block and blocks is not None and options.block - 1 not in blocks:
        raise Failure(f"{name}: block {options.block} is not one of subagent {options.agent[-1]}")
    choice = Choice(blocks if options.block is None else (options.block - 1,), options.call)
    if options.call is not None and next(chosen_blocks(session, choice), None) is None:
        raise Failure(f"{name}: no call with the id {options.call}; the ids stand beside the calls' names")

    def prepare_call(call: ToolCall) -> Prepared:
        return prepare(call, lookup, depth)

    query: Query | None = options.filter
    matched = query is None

    def rows(block: Block) -> Collection[int]:
        nonlocal matched
        found = query.rows(block, prepare_call) if query is not None else ()
        matched = matched or bool(found)
        return found

    if query is not None:
        choice = choice._replace(rows=rows)
    for chunk in _chunks(session, prepare_call, options, choice):
        sys.stdout.write(chunk)
    if not matched:
        warn(f"{name}: the filter holds for nothing here: {options.filter.text}")
    return 0


def _chunks(session: Session, prepare_call: PrepareCall, options: Namespace, choice: Choice) -> Iterator[str]:
    form = options.format or ("ansi" if uses_colours(sys.stdout) else "text")
    own = terminal_width(sys.stdout) if form in ("text", "ansi") else PAPER_WIDTH
    width = min(options.width or own, _WIDEST)
    try:
        yield from chunks(form, session, prepare_call, width=width, choice=choice, recorded=options.recorded)
    except TooLong as error:
        raise Failure(f"{_name(options)}: {error}; choose with --block, --call or --filter") from None
