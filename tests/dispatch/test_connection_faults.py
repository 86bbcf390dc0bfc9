"""Everything a stdio server can do wrong ends in a named outcome, and the connection lives on where the server does."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from blockview.core.outcome import Ended
from blockview.dispatch.connection import Connection
from blockview.dispatch.servers import Server
from tests.dispatch.live import FAKE, PATIENCE, connection, fake, refused, send

SHORT = 0.5


@pytest.mark.parametrize(
    ("command", "folder", "ended", "detail"),
    [
        (("no-such-command-anywhere",), "", Ended.SERVER_DIED, "command not found: no-such-command-anywhere"),
        (("/",), "", Ended.SERVER_DIED, "the server cannot be started: Permission denied"),
        ((sys.executable, str(FAKE), "dies-at-start"), "", Ended.SERVER_DIED, "the server ended with exit code 1"),
        (("sh", "-c", "kill -9 $$"), "", Ended.SERVER_DIED, "the server was ended by SIGKILL"),
        (("sh", "-c", "exec 1>/dev/null; cat"), "", Ended.SERVER_DIED, "the server closed its output"),
        ((sys.executable, str(FAKE), "mute-at-connect"), "", Ended.TIMED_OUT, "no answer to initialize within 0.5 s"),
        (("sh", "-c", "yes & cat >/dev/null"), "", Ended.TIMED_OUT, "no answer to initialize within 0.5 s"),
        (("cat",), "", Ended.PROTOCOL_ERROR, "initialize: code -32601: Method not found"),
    ],
    ids=["not-found", "no-program", "dies", "killed", "closes-stdout", "mute", "noise", "cat"],
)
def test_no_connection(command: tuple[str, ...], folder: str, ended: Ended, detail: str) -> None:
    with connection(*command, connect_timeout=SHORT if ended is Ended.TIMED_OUT else PATIENCE) as one:
        outcome = refused(one)
        assert (outcome.ended, outcome.detail) == (ended, detail)
        assert not one.alive and one.over == outcome
        assert send(one).detail == detail


def test_the_last_words_of_a_server_that_does_not_start() -> None:
    with connection(sys.executable, str(FAKE), "dies-at-start") as one:
        assert refused(one).stderr == "cannot open the database"


REFUSES = "the MCP SDK refuses this result: "
CANNOT_READ = "the MCP SDK cannot read this answer: "

ANSWERED: list[tuple[str, Ended, str, str]] = [
    # mode, how the call ends, what the result's text or structured content begins with, a remark
    ("noise", Ended.RESULT, "ok", "not a message: starting \\x1b[31mup…"),
    ("invalid-utf8-noise", Ended.RESULT, "ok", "not a message: \\xff\\xfe"),
    ("late", Ended.RESULT, "ok", "for which nobody waits"),
    ("text-id", Ended.RESULT, "ok", ""),
    ("crlf", Ended.RESULT, "ok", ""),
    ("batch", Ended.RESULT, "ok", "a batch of 1 messages"),
    ("no-jsonrpc", Ended.RESULT, "ok", CANNOT_READ + "jsonrpc: Field required"),
    ("tool-error", Ended.TOOL_ERROR, "ok", ""),
    ("error", Ended.PROTOCOL_ERROR, "broken", ""),
    ("refuses", Ended.REFUSED, "no such line", ""),
    ("list-result", Ended.PROTOCOL_ERROR, "", CANNOT_READ),
    ("malformed-id", Ended.PROTOCOL_ERROR, "", CANNOT_READ + "it is not JSON"),
    ("invalid-utf8", Ended.RESULT, "\udcff", CANNOT_READ),
    ("digits", Ended.RESULT, '{"x":7777', CANNOT_READ + "Invalid JSON: number out of range"),
    ("surrogate", Ended.RESULT, "\ud800", CANNOT_READ),
    ("nested", Ended.RESULT, '{"x":[[[', CANNOT_READ + "Invalid JSON: recursion limit exceeded"),
    ("no-content", Ended.RESULT, '{"x": 1}', REFUSES + "it has no content"),
    ("unknown-content", Ended.RESULT, "[hologram block]", REFUSES + "content block 1 (type 'hologram')"),
    ("violates", Ended.RESULT, '{"x": 5}', "violates the output schema at /x"),
    ("no-structured", Ended.RESULT, "", "the result has no structured content"),
    ("large", Ended.RESULT, "x" * 1000, ""),
    ("stderr-flood", Ended.RESULT, "ok", ""),
    ("elicits", Ended.RESULT, '{"code": -32600, "message": "Elicitation not supported"}', "elicitation/create"),
    ("endless-pages", Ended.RESULT, "", ""),
]


@pytest.mark.parametrize(("mode", "ended", "begins", "remark"), ANSWERED, ids=[mode for mode, *_ in ANSWERED])
def test_what_came_is_shown(mode: str, ended: Ended, begins: str, remark: str) -> None:
    with fake(mode) as one:
        outcome = send(one)
        assert outcome.ended is ended, outcome
        assert outcome.result is None or (outcome.result.structured or outcome.result.text).startswith(begins)
        assert remark in "\n".join(outcome.remarks)
        assert bool(outcome.remarks) is bool(remark)
        assert one.alive
        assert send(one, tool="ok").ended is Ended.RESULT


def test_codes_are_kept() -> None:
    with fake("refuses") as one:
        outcome = send(one)
        assert (outcome.code, outcome.detail) == ("-32602", "code -32602: no such line")


UNANSWERED = [
    ("mute", {}, Ended.TIMED_OUT, "no answer within 0.5 s", True),
    (
        "wrong-id",
        {},
        Ended.TIMED_OUT,
        "no answer within 0.5 s; an answer with the id 1003, for which nobody waits",
        True,
    ),
    ("malformed", {}, Ended.TIMED_OUT, "no answer within 0.5 s; not a message: {", True),
    ("dies", {"timeout": PATIENCE}, Ended.SERVER_DIED, "the server ended with exit code 7", False),
    ("dies-mid-line", {"timeout": PATIENCE}, Ended.SERVER_DIED, "the server ended with exit code 0", False),
    ("killed", {"timeout": PATIENCE}, Ended.SERVER_DIED, "the server was ended by SIGKILL", False),
    ("ended-by-35", {"timeout": PATIENCE}, Ended.SERVER_DIED, "the server was ended by signal 35", False),
    ("closes-stdout", {"timeout": PATIENCE}, Ended.SERVER_DIED, "the server closed its output", False),
    ("grandchild", {"timeout": PATIENCE}, Ended.SERVER_DIED, "the server ended with exit code 3", False),
]


@pytest.mark.parametrize(
    ("mode", "options", "ended", "detail", "lives"), UNANSWERED, ids=[row[0] for row in UNANSWERED]
)
def test_no_answer(mode: str, options: dict[str, Any], ended: Ended, detail: str, lives: bool) -> None:
    with fake(mode, **{"timeout": SHORT, **options}) as one:
        outcome = send(one)
        assert outcome.ended is ended
        assert outcome.detail.startswith(detail)
        assert outcome.sent == '{"line":5}' and outcome.result is None
        assert send(one, tool="ok").ended is (Ended.RESULT if lives else Ended.SERVER_DIED)
        assert one.alive is lives


def test_the_last_words_of_a_server_that_dies() -> None:
    with fake("dies") as one:
        assert send(one).stderr == "it broke"


def test_a_line_without_end_is_dropped() -> None:
    with fake("flood", longest=1_000_000) as one:
        outcome = send(one)
        assert outcome.ended is Ended.RESULT
        assert outcome.remarks == ("a line of more than 1,000,000 bytes was dropped",)


def test_stderr_is_bounded() -> None:
    with fake("stderr-flood") as one:
        send(one)
        assert one.stderr == "x" * (64 << 10)


def test_one_bad_tool_does_not_take_the_others() -> None:
    with fake("bad-tool") as one:
        assert [tool.name for tool in one.tools] == ["t", "no-schema", "odd"]
        assert one.tools[2].schema == '{"type": null}'
        assert "tool 3 of a tools/list answer has no name and is left out" in one.remarks
        assert send(one).sent == '{"line":5}'


@pytest.mark.parametrize(
    ("mode", "count", "remark"),
    [
        ("endless-pages", 200, "the list of tools was cut after 200 pages"),
        ("same-cursor", 2, "the list of tools was cut: the server gave the same cursor twice"),
    ],
)
def test_pages_without_end(mode: str, count: int, remark: str) -> None:
    with fake(mode) as one:
        assert len(one.tools) == count
        assert remark in one.remarks


def test_a_server_that_ignores_the_end_of_input_and_sigterm() -> None:
    with fake("stubborn") as one:
        assert send(one).ended is Ended.RESULT
        one.close()
        assert not one.join(0)


def test_a_folder_that_does_not_exist() -> None:
    one = Connection(Server("fake", "stdio", ("true",), folder="/no/such/folder"))
    assert refused(one).detail == "the folder /no/such/folder does not exist"
    assert one.join(PATIENCE)
