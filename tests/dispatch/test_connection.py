"""A connection as its users see it: what is sent, what comes back, in which order, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

from blockview.core.coercion import Depth
from blockview.core.jsontext import Transport
from blockview.core.outcome import Ended
from blockview.core.prepare import Found, Missing, prepare
from blockview.dispatch.processes import Owner, end_all
from tests.dispatch.live import FAKE, PATIENCE, call, connection, fake, processes, refused, send


def test_importing_it_loads_no_sdk() -> None:
    code = "import blockview.dispatch.connection, sys; print({'mcp', 'asyncio', 'anyio'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_a_call_is_prepared_with_the_live_list_and_answered() -> None:
    with fake("echo") as one:
        assert one.alive and one.transport is Transport.STDIO
        assert [tool.name for tool in one.tools] == ["t"]
        found = one.lookup(call())
        assert isinstance(found, Found) and found.source == "live server fake"
        again = one.lookup(call())
        assert isinstance(found, Found) and isinstance(again, Found)
        assert again.schema is found.schema  # what was made of it need not be made again
        assert isinstance(one.lookup(call(tool="gone")), Missing)
        outcome = send(one)
        assert (outcome.ended, outcome.sent) == (Ended.RESULT, '{"line":5}')
        assert outcome.prepared is not None and outcome.prepared.dispatched == outcome.sent
        assert outcome.result is not None
        assert json.loads(outcome.result.text) == {"name": "t", "arguments": {"line": 5}}
        assert outcome.remarks == () and outcome.duration_ms is not None


def test_absent_and_empty_arguments_stay_what_they_are() -> None:
    with fake("echo") as one:
        absent, empty = send(one, None), send(one, "{}")
        assert absent.sent is None and absent.result is not None and absent.result.text == '{"name": "t"}'
        assert empty.sent == "{}"


def test_the_callers_lookup_counts_and_may_fail() -> None:
    def broken(_: object) -> Found:
        raise RuntimeError("no catalog")

    with fake("echo") as one:
        outcome = one.submit(call(), Depth.TOP, broken).result(PATIENCE)
        assert outcome.sent == '{"line":5.0}'
        assert outcome.prepared is not None and isinstance(outcome.prepared.schema, Missing)


def test_what_cannot_be_sent_is_not_sent() -> None:
    with fake("echo") as one:
        before = len(one.messages)
        for arguments in ("[1]", '{"x":', '{"x":"\\ud800"}', '{"x":' + "[" * 300 + "]" * 300 + "}"):
            outcome = send(one, arguments)
            assert outcome.ended is Ended.CANNOT_SEND and outcome.detail
            assert outcome.sent is None
        assert len(one.messages) == before
        assert send(one).ended is Ended.RESULT


def test_arguments_that_only_the_whole_message_makes_too_deep() -> None:
    with fake("echo") as one:
        ends = {depth: send(one, '{"x":' + "[" * depth + "]" * depth + "}").ended for depth in range(240, 262)}
        assert set(ends.values()) == {Ended.RESULT, Ended.CANNOT_SEND}
        assert list(ends.values()) == sorted(ends.values(), key=lambda end: end is Ended.CANNOT_SEND)
        assert send(one).ended is Ended.RESULT


def test_calls_go_out_in_order() -> None:
    with fake("echo") as one:
        futures = [one.submit(call(f'{{"line":{number}}}'), Depth.TOP) for number in range(50)]
        assert [future.result(PATIENCE).sent for future in futures] == [f'{{"line":{number}}}' for number in range(50)]


def test_cancelling_the_running_call_and_a_waiting_one() -> None:
    with fake("mute") as one:
        running, waiting = one.submit(call(), Depth.TOP), one.submit(call(), Depth.TOP)
        one.cancel(waiting)
        assert (waiting.result(PATIENCE).ended, waiting.result().sent) == (Ended.CANCELLED, None)
        assert not running.done()
        one.cancel(running)
        assert running.result(PATIENCE).ended is Ended.CANCELLED
        assert send(one, tool="ok").ended is Ended.RESULT
        assert any("notifications/cancelled" in message.text for message in one.messages)


def test_a_future_of_another_connection_is_left_alone() -> None:
    with fake("mute") as one, fake("echo") as other:
        pending = one.submit(call(), Depth.TOP)
        other.cancel(pending)
        assert send(other).ended is Ended.RESULT
        assert not pending.done()


def test_closing_ends_what_is_outstanding() -> None:
    with fake("mute") as one:
        pending = [one.submit(call(), Depth.TOP) for _ in range(3)]
        one.close()
        assert {future.result(PATIENCE).ended for future in pending} == {Ended.CANCELLED}
        assert one.join(PATIENCE) and not one.alive
        assert send(one).ended is Ended.CANCELLED
        assert one.relist().result(PATIENCE) is None


def test_cancelling_the_connect() -> None:
    with connection(sys.executable, str(FAKE), "mute-at-connect") as one:
        one.cancel(one.connect())
        assert refused(one).ended is Ended.CANCELLED


def test_what_is_closed_before_it_starts_starts_nothing(tmp_path: Path) -> None:
    with connection(sys.executable, "-c", f"open({str(tmp_path / 'started')!r}, 'w')") as one:
        one.close()
        assert refused(one).ended is Ended.CANCELLED
        assert one.join(PATIENCE)
    assert not (tmp_path / "started").exists()


def test_the_end_of_the_program_does_not_wait_for_what_is_only_loading() -> None:
    loaded = threading.Event()
    asked: list[str] = []

    def group() -> int:
        asked.append("group")
        return 0

    owner = Owner("loading", lambda: loaded.wait(PATIENCE), lambda: asked.append("close"), group)
    owner.start()
    end_all()
    assert owner.is_alive() and asked == ["close"]
    loaded.set()
    owner.join()


def test_a_call_before_the_connect() -> None:
    with connection(sys.executable, str(FAKE), "echo") as one:
        assert send(one).ended is Ended.SERVER_DIED
        assert one.join(0)


def test_calls_wait_for_the_connection() -> None:
    with connection(sys.executable, str(FAKE), "echo") as one:
        one.connect()
        assert send(one).ended is Ended.RESULT


def test_a_changed_list_is_fetched_before_the_next_call() -> None:
    with fake("changing") as one:
        assert [tool.name for tool in one.tools] == ["t1"]
        assert send(one).ended is Ended.RESULT
        outcome = send(one, tool="t1")
        assert [tool.name for tool in one.tools] != ["t1"]
        assert outcome.prepared is not None and isinstance(outcome.prepared.schema, Missing)
        assert outcome.ended is Ended.RESULT and outcome.sent == '{"line":5.0}'


def test_what_would_be_another_text_than_was_approved_is_not_sent() -> None:
    with fake("changing") as one:
        shown = prepare(call(tool="t1"), one.lookup)
        assert shown.dispatched == '{"line":5}'
        one.relist().result(PATIENCE)  # the tool is gone from the list, so its schema is, too
        outcome = one.submit(call(tool="t1"), Depth.TOP, approved=shown).result(PATIENCE)
        assert (outcome.ended, outcome.sent) == (Ended.CANNOT_SEND, None)
        assert "other arguments would be sent than you agreed to" in outcome.detail
        assert outcome.prepared and outcome.prepared.dispatched == '{"line":5.0}'
        # Looked at again, or with nobody to ask, it goes out raw.
        again = prepare(call(tool="t1"), one.lookup)
        for approved in (again, None):
            outcome = one.submit(call(tool="t1"), Depth.TOP, approved=approved).result(PATIENCE)
            assert (outcome.ended, outcome.sent) == (Ended.RESULT, '{"line":5.0}')


def test_listing_again_on_request() -> None:
    with fake("changing") as one:
        first = one.listed_at
        one.relist().result(PATIENCE)
        assert [tool.name for tool in one.tools] == ["t2"]
        assert first is not None and one.listed_at is not None and one.listed_at > first


def test_a_server_without_tools() -> None:
    with fake("no-tools") as one:
        assert one.tools == ()
        assert "tools/list: code -32601: Method not found" in one.remarks
        assert send(one).ended is Ended.RESULT


def test_a_server_that_knows_no_handshake() -> None:
    with fake("modern") as one:
        assert [tool.name for tool in one.tools] == ["t"]
        outcome = send(one)
        assert (outcome.ended, outcome.sent, outcome.remarks) == (Ended.RESULT, '{"line":5}', ())
        assert any('"arguments":{"line":5},"_meta":{' in message.text for message in one.messages)


def test_the_environment_that_a_server_gets() -> None:
    code = "import os, sys; sys.exit(' '.join(sorted(os.environ)))"
    with connection(sys.executable, "-c", code) as one:
        inherited = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "BLOCKVIEW_TEST_RUN", "LC_CTYPE"}
        assert set(refused(one).stderr.split()) <= inherited


def test_the_program_ends_and_its_server_with_it() -> None:
    code = """
import sys
from blockview.dispatch.connection import Connection
from blockview.dispatch.servers import Server
from tests.dispatch.live import FAKE, MARK, send
one = Connection(Server("fake", "stdio", (sys.executable, str(FAKE), "stubborn"), {MARK: sys.argv[1]}))
one.connect().result()
print(send(one).ended)
"""
    mark = uuid.uuid4().hex
    done = subprocess.run([sys.executable, "-c", code, mark], capture_output=True, text=True, cwd=FAKE.parents[3])
    assert (done.stdout, done.stderr) == ("result\n", "")
    assert processes(mark) == []


def test_a_server_whose_client_is_killed_sees_the_end_of_its_input() -> None:
    code = """
import os, signal
from tests.dispatch.live import MARK, fake
with fake("echo") as one:
    print(one.server.env[MARK], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=FAKE.parents[3])
    assert done.returncode == -signal.SIGKILL
    gone_by = time.monotonic() + PATIENCE
    while processes(done.stdout.strip()) and time.monotonic() < gone_by:
        time.sleep(0.01)
    assert processes(done.stdout.strip()) == []
