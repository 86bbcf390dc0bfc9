"""The names of servers."""

from __future__ import annotations

from msgspec.structs import replace

from blockview.core import names
from blockview.core.model import Block, Place, Session
from blockview.core.names import recorded_servers
from tests import samples


def test_the_servers_of_mcp_calls_in_order_each_once() -> None:
    assert recorded_servers(samples.SESSION)() == ("editor", "metrics")
    own = replace(samples.CHANGED, mcp=False, server="not one")
    unnamed = replace(samples.CHANGED, server=None)
    session = Session("s", "test", (Block(0, "", Place(1, 0), (own, unnamed)),), call_counts=(2,))
    assert recorded_servers(session)() == ()


def test_nobody_looks_through_a_very_long_recording() -> None:
    long = replace(samples.SESSION, call_counts=(names._MOST_CALLS, 1))
    assert recorded_servers(long)() == ()
