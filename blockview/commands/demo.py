"""`blockview demo`: browse the bundled session."""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, Namespace

from blockview.commands.browse import add_browse_options, check_terminal, show
from blockview.commands.sending import Sender
from blockview.commands.shared import DEMO_TOOLS, demo_session

SERVERS = ("deploy", "editor", "faults", "metrics", "tickets")
"""The strict servers that come with the demo."""


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    add_browse_options(parser)


def run(options: Namespace) -> int:
    """Browse the demo, with its own tools file unless another one is given."""
    check_terminal()
    sender = Sender(options)
    demo_options(options)
    sender.check()
    return show(demo_session(), options, sender)


def demo_options(options: Namespace) -> None:
    """Set what the demo has of its own: its tools file, unless another one is given, and its servers."""
    options.tools = options.tools or DEMO_TOOLS
    command = shlex.join((sys.executable, "-P", "-m", "blockview.demo.server"))
    given = {text.partition("=")[0] for text in (*options.server, *options.url, *options.sse)}
    options.server += [f"{name}={command} {name}" for name in SERVERS if name not in given]
