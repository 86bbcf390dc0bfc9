"""Captures in logs: Claude Desktop's, Claude Code's debug log, mcp-snoop's."""

from __future__ import annotations

from pathlib import Path

import pytest

from blockview.core.model import Session, Status
from blockview.core.prepare import prepare
from blockview.readers.opening import open_session
from blockview.readers.registry import read_session
from blockview.readers.source import Source
from tests.readers.captures import INITIALIZE, answer, call, calls, shown, traffic


def read(text: str, form: str) -> Session:
    session = read_session(Source.of_bytes("log", text.encode("utf-8", "surrogateescape")))
    assert session.format == form
    return session


# Claude Desktop


def desktop(*said: tuple[str, str], server: str = "files on disk") -> str:
    return "".join(
        f"2026-05-09T15:57:{number:02}.500Z [{server}] [info] Message from {sender}: {text} {{ metadata: undefined }}\n"
        for number, (sender, text) in enumerate(said)
    )


def test_desktop_with_and_without_what_follows_a_message() -> None:
    text = desktop(("client", call("1", '{ "n": 5.0 }')), ("server", answer("1", "a { metadata: undefined }")))
    for log in (text, text.replace(" { metadata: undefined }\n", "\n"), text.replace("}\n", "} and more\n")):
        (made,) = calls(read(log, "claude-desktop"))
        assert (made.server, made.arguments, made.status) == ("files on disk", '{ "n": 5.0 }', Status.OK)
        assert made.result is not None and made.result.text == "a { metadata: undefined }"
        assert made.duration_ms == 1000.0 and made.started is not None


def test_desktop_servers_share_a_file_and_their_ids_do_not_meet() -> None:
    first = desktop(("client", call("1")), ("server", answer("1", "for b")), server="b")
    one, two = first.splitlines(keepends=True)
    other = desktop(("client", call("1")), ("server", answer("1", "for a")), server="a").replace(
        "[a] [info]", "[info] [a]"
    )
    session = read(one + other + "Traceback (most recent call last):\n  {not json\n" + two, "claude-desktop")
    assert [(made.server, made.result and made.result.text) for made in calls(session)] == [
        ("b", "for b"),
        ("a", "for a"),
    ]
    assert session.diagnostics == ()
    assert session.title == "b, a"


def test_desktop_an_answer_whose_middle_was_cut_out() -> None:
    whole = answer("1", "x" * 100)
    cut = f"{whole[:60]}...[14696 chars truncated]...{whole[-20:]}"
    failed = cut.replace("}]}}", '}],"isError":true}}').replace('"id":1', '"id":2')
    refused = '{"jsonrpc":"2.0","id":"3","error":{"code":-32602,"message":"no...[99 chars truncated]...'
    asked = [("client", call(id_)) for id_ in ("1", "2", '"3"')]
    text = desktop(*asked, ("server", cut), ("server", failed), ("server", refused))
    session = read(text, "claude-desktop")
    assert [(made.status, made.status_note) for made in calls(session)] == [
        (Status.OK, "the recorder cut the answer off"),
        (Status.TOOL_ERROR, "the recorder cut the answer off"),
        (Status.PROTOCOL_ERROR, "the recorder cut the answer off"),
    ]
    results = [made.result for made in calls(session) if made.result]
    assert results[0].text == results[0].raw
    assert results[0].text.startswith('{"content":[{') and "...[14696 chars truncated]..." in results[0].text
    assert [(found.kind, found.place.line) for found in session.diagnostics] == [
        ("truncated", line) for line in (4, 5, 6)
    ]


def test_desktop_arguments_whose_middle_was_cut_out_are_shown_and_never_sent() -> None:
    # Within a string, what is left is JSON, and not what was sent.
    params = '{"name":"write","arguments":{"text":"a...[9 chars truncated]...z","n":5.0}}'
    cut = f'{{"method":"tools/call","params":{params},"jsonrpc":"2.0","id":7}}'
    (made,) = calls(read(desktop(("client", cut), ("server", answer("7", "done"))), "claude-desktop"))
    assert (made.id, made.tool, made.status) == ("7", "write", Status.OK)
    assert made.status_note == "the recorder cut the arguments off"
    assert made.arguments is not None and made.arguments.startswith('{"text":"a...[9 chars truncated]...z"')
    assert prepare(made).blocked


def test_desktop_what_cannot_be_told() -> None:
    session = read(desktop(("client", call("1")), ("server", '{"x":...[5 chars truncated]...}')), "claude-desktop")
    assert calls(session)[0].status is Status.NO_RESULT
    assert [found.kind for found in session.diagnostics] == ["truncated"]
    assert shown(traffic(session)[0]) == ['← not JSON {"x":...[5 chars truncated]...}']


def test_desktop_a_batch_and_a_server_that_was_started_again() -> None:
    text = desktop(("client", INITIALIZE), ("client", f"[{call('1')},{call('2')}]"), ("client", INITIALIZE))
    session = read(text, "claude-desktop")
    assert [made.id for made in calls(session)] == ["1", "2"]
    assert len(traffic(session)) == 2


def test_desktop_messages_far_behind_the_beginning() -> None:
    noise = "2026-05-09T15:00:00.000Z [a] [info] Initializing server...\n" + "INFO: nothing to see\n" * 20_000
    assert len(calls(read(noise + desktop(("client", call("1"))), "claude-desktop"))) == 1


# Claude Code's debug log


def test_sample_of_a_debug_log(shared: Path) -> None:
    session = open_session(shared / "samples/mcp-wire/claude-code_debug_stderr_excerpt.txt")
    (made,) = calls(session)
    assert (session.format, made.server, made.tool) == ("claude-code-debug", "safe_outputs", "missing-tool")
    assert made.arguments is not None and made.arguments.startswith('{"tool":"draw_pelican","reason":')
    assert made.result is not None and made.result.text == "success"
    assert "claudecode/toolUseId" in session.read_raw(made.place)


# mcp-snoop


def test_snoop_messages_below_their_headlines() -> None:
    text = (
        "[23:59:59.900] ←CLIENT (raw) Listening on port 3\n"
        f"[23:59:59.950] →SERVER #1 call add()\n{call('1')}\n"
        f'[00:00:00.100] ←CLIENT #1 → text: "[x]"\n{answer("1", "[x]")}\n\n'
        f"[00:00:00.200] →SERVER #2 call add()\n{call('2', '{}')}\n"
    )
    session = read(text, "mcp-snoop")
    assert [(made.status, made.duration_ms, made.started) for made in calls(session)] == [
        (Status.OK, None, None),  # past midnight, of which a log without dates says nothing
        (Status.NO_RESULT, None, None),
    ]
    assert shown(traffic(session)[0]) == ["← not JSON Listening on port 3"]
    assert session.read_raw(calls(session)[0].place) == f"[23:59:59.950] →SERVER #1 call add()\n{call('1')}"


@pytest.mark.parametrize(("put", "kind", "left"), [("{", "malformed", 2), ("", "truncated_tail", 1)])
def test_snoop_a_message_that_is_not_complete(put: str, kind: str, left: int) -> None:
    text = f"[01:00:00.000] →SERVER #1 call\n{call('1')}\n[01:00:00.100] →SERVER #2 call\n{call('2')[:-9]}\n"
    text += f"{put}\n[01:00:00.300] →SERVER #3 call\n{call('3')}\n" if put else ""
    session = read(text, "mcp-snoop")
    assert [(found.kind, found.place.line) for found in session.diagnostics] == [(kind, 3)]
    assert len(calls(session)) == left


SUMMARY = """\
[01:00:00.000] →SERVER #0 initialize raw-driver v0.1
[01:00:00.001] ←CLIENT #0 → server: calc v2.0.0
[01:00:00.002] →SERVER #1 list tools
[01:00:00.003] ←CLIENT #1 → 13 tools
[01:00:01.000] →SERVER #2 call get-sum(a=5, b='x (y)')
[01:00:01.500] →SERVER #s-3 call now()
[01:00:01.600] ←CLIENT #s-3 → ERROR -32602: no such tool
[01:00:01.700] ←CLIENT #2 → text: 'The sum of 5'
[01:00:01.800] ←CLIENT notifications/progress
[01:00:01.900] ←CLIENT (raw) noise
[01:00:02.000] →SERVER #4 call add(a=1)
"""


def test_snoop_summaries_are_marked_and_never_sent() -> None:
    session = read(SUMMARY, "mcp-snoop-summary")
    assert [found.kind for found in session.diagnostics] == ["lossy", "not_json"]
    assert "summaries only" in session.diagnostics[0].problem
    lost, unsure = "only a summary was recorded", "whether it failed was not recorded"
    assert [(made.id, made.tool, made.arguments, made.status, made.status_note) for made in calls(session)] == [
        ("2", "get-sum", "(a=5, b='x (y)')", Status.OK, f"{lost}; {unsure}"),
        ("s-3", "now", "()", Status.PROTOCOL_ERROR, lost),
        ("4", "add", "(a=1)", Status.NO_RESULT, lost),
    ]
    assert all(prepare(made).blocked for made in calls(session))
    assert [made.result and made.result.text for made in calls(session)] == [
        "text: 'The sum of 5'",
        "-32602: no such tool",
        None,
    ]
    assert [made.duration_ms for made in calls(session)] == [700.0, 100.0, None]
    assert session.title == "calc"


def test_samples_of_snoop(shared: Path) -> None:
    verbose = open_session(shared / "samples/mcp-wire/mcp-snoop_everything.log")
    assert (verbose.format, verbose.counts.messages, len(verbose.tools)) == ("mcp-snoop", 28, 13)
    made = calls(verbose)
    assert [one.id for one in made] == ["2", "s-3", "4", "5", "6", "7", "8", "9", "10"]
    assert made[2].arguments is not None and "1234567890123456789" in made[2].arguments
    assert [one.status for one in made].count(Status.TOOL_ERROR) == 2
    assert verbose.diagnostics == ()
    summary = open_session(shared / "samples/mcp-wire/mcp-snoop_everything_summary.log")
    assert (summary.format, summary.counts.messages) == ("mcp-snoop-summary", 28)
    assert [one.id for one in calls(summary)] == [one.id for one in made]
    assert [found.kind for found in summary.diagnostics] == ["lossy"]
