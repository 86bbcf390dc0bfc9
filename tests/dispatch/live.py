"""Connections to servers that exist only for a test, and the proof that no process outlives them."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from blockview.core.coercion import Depth
from blockview.core.model import Place, ToolCall
from blockview.core.outcome import Outcome
from blockview.core.replaying import NotConnected
from blockview.dispatch.connection import Connection
from blockview.dispatch.servers import Server

FAKE = Path(__file__).parent / "servers" / "fake.py"
PATIENCE = 30.0
"""Seconds after which a test gives up on what should have ended long before."""

MARK = "BLOCKVIEW_TEST_RUN"


def call(arguments: str | None = '{"line":5.0}', tool: str = "t") -> ToolCall:
    return ToolCall("1", tool, tool, arguments, Place(1, 0))


@contextmanager
def connection(*command: str, **options: Any) -> Iterator[Connection]:
    """A connection to a command, not yet made. At the end it is closed, and nothing of it may still run."""
    mark = uuid.uuid4().hex
    one = Connection(Server("fake", "stdio", command, env={MARK: mark}), **options)
    try:
        yield one
    finally:
        one.close()
        assert one.join(PATIENCE)
        assert processes(mark) == []


@contextmanager
def fake(mode: str, **options: Any) -> Iterator[Connection]:
    """A connection to the fake server in one of its modes, made."""
    with connection(sys.executable, str(FAKE), mode, **options) as one:
        one.connect().result(PATIENCE)
        yield one


def send(one: Connection, arguments: str | None = '{"line":5.0}', tool: str = "t") -> Outcome:
    return one.submit(call(arguments, tool), Depth.TOP).result(PATIENCE)


def refused(one: Connection) -> Outcome:
    """How connecting failed."""
    with pytest.raises(NotConnected) as failure:
        one.connect().result(PATIENCE)
    return failure.value.outcome


def processes(mark: str) -> list[int]:
    """The processes that were started with this mark in their environment, zombies aside."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if f"{MARK}={mark}".encode() in environment:
            found.append(int(folder.name))
    return found
