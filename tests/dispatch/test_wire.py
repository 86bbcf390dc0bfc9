"""What the display shows is, character for character, what a real server gets, whatever the two lookups do.

`BLOCKVIEW_EXAMPLES=1000` draws more examples for each transport than an ordinary run does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from blockview.core.coercion import Depth
from blockview.core.model import Place, ToolCall
from blockview.core.outcome import Ended
from blockview.core.prepare import Found, Lookup, Missing, prepare
from blockview.dispatch.connection import Connection
from tests.core.strategies import ARGUMENTS, SCHEMAS, json_texts
from tests.core.test_wire import sent_arguments
from tests.dispatch.live import PATIENCE, connection
from tests.dispatch.servers.raw_http import OK, RawHttp, Reply, message
from tests.dispatch.test_connection_http import reached
from tests.dispatch.test_connection_sse import reached as reached_by_stream

EXAMPLES = int(os.environ.get("BLOCKVIEW_EXAMPLES", "150"))
BYTES = Path(__file__).parents[1] / "core" / "byte_server.py"

Last = Callable[[], str]
"""The message that the server got last."""


@contextmanager
def over_stdio(folder: Path) -> Iterator[tuple[Connection, Last]]:
    kept = folder / "bytes"
    with connection(sys.executable, str(BYTES), str(kept)) as one, kept.open("ab+") as file:
        one.connect().result(PATIENCE)
        position = file.seek(0, os.SEEK_END)

        def last() -> str:
            nonlocal position
            file.seek(position)
            line = file.read()
            position += len(line)
            return line.decode()

        yield one, last


@contextmanager
def over_http(folder: Path) -> Iterator[tuple[Connection, Last]]:
    raw = RawHttp(lambda number: Reply(message(number, OK)))
    with reached(raw) as one:
        one.connect().result(PATIENCE)
        yield one, lambda: raw.bodies[-1].decode()


@contextmanager
def over_sse(folder: Path) -> Iterator[tuple[Connection, Last]]:
    raw = RawHttp(lambda number: Reply(message(number, OK)))
    with reached_by_stream(raw) as one:
        one.connect().result(PATIENCE)
        yield one, lambda: raw.bodies[-1].decode()


def failing(call: ToolCall) -> Found:
    raise RuntimeError("this path's catalog is broken")


LOOKUPS = st.one_of(
    SCHEMAS.map(lambda schema: lambda call: Found(schema, "drawn")),
    st.just(failing),
    st.just(lambda call: Missing("none")),
)
"""A catalog that knows a schema, one that fails, one that knows none."""


@pytest.mark.parametrize("over", [over_stdio, over_http, over_sse])
def test_what_is_shown_is_what_the_server_gets(over: Callable[[Path], object], tmp_path: Path) -> None:
    seen = 0
    with over(tmp_path) as (one, last):  # type: ignore[attr-defined]

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(json_texts(ARGUMENTS), LOOKUPS, LOOKUPS, st.sampled_from(Depth))
        def each(text: str, display: Lookup, dispatch: Lookup, depth: Depth) -> None:
            nonlocal seen
            call = ToolCall("1", "t", "t", text, Place(1, 0))
            shown = prepare(call, dispatch, depth, one.transport)
            displayed = prepare(call, display, depth, one.transport)
            outcome = one.submit(call, depth, dispatch).result(PATIENCE)
            assert outcome.ended is Ended.RESULT, outcome
            got = sent_arguments(last())
            assert got == outcome.sent == shown.dispatched
            # Each path falls back alone: what the other one knows or fails at changes nothing here.
            if isinstance(displayed.schema, Missing):
                assert displayed.dispatched == prepare(call, depth=Depth.OFF, transport=one.transport).dispatched
            seen += 1

        each()
    assert seen >= EXAMPLES


def test_a_schema_that_vanishes_between_display_and_dispatch(tmp_path: Path) -> None:
    call = ToolCall("1", "t", "t", '{"line":5.0}', Place(1, 0))
    known = Found({"properties": {"line": {"type": "integer"}}}, "the list of before")
    with over_stdio(tmp_path) as (one, last):
        assert prepare(call, lambda _: known).dispatched == '{"line":5}'
        outcome = one.submit(call, Depth.TOP, lambda _: Missing("not listed any more")).result(PATIENCE)
        assert sent_arguments(last()) == outcome.sent == '{"line":5.0}'
        assert outcome.prepared is not None
        assert outcome.prepared.schema == Missing("not listed any more")
