"""`blockview demo`: browse the bundled session."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from blockview.commands.browse import check_terminal, show
from blockview.commands.shared import add_coerce_option, add_tools_option
from blockview.core.model import Session
from blockview.readers.opening import session_of_bytes

FOLDER = Path(__file__).parents[1] / "demo"


def describe(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    add_coerce_option(parser)
    add_tools_option(parser)


def run(options: Namespace) -> int:
    """Browse the demo, with its own tools file unless another one is given."""
    check_terminal()
    options.tools = options.tools or str(FOLDER / "tools.json")
    return show(demo_session(), options)


def demo_session() -> Session:
    """The bundled session, under the name that people call it by."""
    return session_of_bytes("demo", (FOLDER / "session.jsonl").read_bytes())
