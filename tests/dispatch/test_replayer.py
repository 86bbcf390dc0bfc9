"""The replayer over real servers: what it knows of them, also once they have ended."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from blockview.core.coercion import Depth
from blockview.core.model import ToolCall
from blockview.core.outcome import Ended
from blockview.core.prepare import Found, Missing
from blockview.core.replaying import NotConnected
from blockview.dispatch.replayer import Limits, LiveReplayer
from blockview.dispatch.servers import Entry, Scope, Server, Servers
from tests.dispatch.live import FAKE, PATIENCE, call

CALL = replace(call(), server="fake")


def replayer_of(*command: str) -> LiveReplayer:
    return LiveReplayer(Servers((Entry(Server("fake", "stdio", command), Scope.FLAG),)), Limits())


def schema_of(replayer: LiveReplayer, one: ToolCall = CALL) -> object:
    found = replayer.lookup(one)
    return found.schema if isinstance(found, Found) else found.reason


def test_what_a_server_listed_is_known_when_it_has_ended_and_cannot_be_started_again(tmp_path: Path) -> None:
    stop = tmp_path / "stop"
    script = f"test -e {shlex.quote(str(stop))} && exit 3; exec {shlex.join([sys.executable, str(FAKE), 'dies'])}"
    replayer = replayer_of("sh", "-c", script)
    server = replayer.route(CALL).destination
    assert server is not None
    try:
        assert replayer.lookup(CALL) == Missing("")
        replayer.connect(server).result(PATIENCE)
        schema = schema_of(replayer)
        assert isinstance(schema, dict)
        assert replayer.send(server, CALL, Depth.TOP).result(PATIENCE).ended is Ended.SERVER_DIED
        assert not replayer.is_connected(server)
        assert schema_of(replayer) == schema
        stop.touch()
        with pytest.raises(NotConnected):
            replayer.connect(server).result(PATIENCE)
        assert schema_of(replayer) == schema
        stop.unlink()
        replayer.connect(server).result(PATIENCE)
        assert replayer.is_connected(server) and schema_of(replayer) == schema
        assert "does not have gone" in str(schema_of(replayer, replace(CALL, tool="gone")))
    finally:
        replayer.close()
