"""The messages that Cline and Roo Code keep: calls as blocks or as XML in texts, and sessions of Cline's SDK."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blockview.core.model import Provenance, Session
from tests.readers.agents import BIG, TOLD, calls, harmed, read, survives, texts, told, whole_until


def message(role: str, *blocks: str, ts: int = 1_700_000_000_000) -> str:
    return f'{{"role":"{role}","content":[{",".join(blocks)}],"ts":{ts}}}'


def said(text: str) -> str:
    return json.dumps({"type": "text", "text": text})


def use(identity: str, name: str, arguments: str) -> str:
    return f'{{"type":"tool_use","id":"{identity}","name":"{name}","input":{arguments}}}'


def result(identity: str, text: str, more: str = "") -> str:
    return f'{{"type":"tool_result","tool_use_id":"{identity}","content":{json.dumps(text)}{more}}}'


def xml(server: str, tool: str, arguments: str) -> str:
    members = (
        f"<server_name>{server}</server_name>\n<tool_name>{tool}</tool_name>\n<arguments>\n{arguments}\n</arguments>"
    )
    return f"<use_mcp_tool>\n{members}\n</use_mcp_tool>"


RESULT = "[use_mcp_tool for 'demo'] Result:"
ENVIRONMENT = "<environment_details>\n# Files\n</environment_details>"


def native(separator: str) -> str:
    """The conversation with calls as blocks; the names are joined by the separator."""

    def name(tool: str) -> str:
        return separator.join(("mcp", "demo", tool) if separator == "--" else ("demo", tool))

    messages = (
        message("user", said("<task>\nhello\n</task>"), said(ENVIRONMENT)),
        message("assistant", said("I add"), use("c1", name("add"), BIG)),
        message("user", result("c1", "6.50"), said(ENVIRONMENT), ts=1_700_000_000_250),
        message("assistant", '{"type":"hologram"}', use("c2", name("fail"), '{"e":1e3}')),
        message("user", result("c2", "boom", ',"is_error":true')),
        message("user", said("and now both")),
        message(
            "assistant",
            use("c3", name("one"), "{}"),
            use("c4", name("two"), '{"k":[1.10,-0]}'),
            use("c5", name("lost"), '{"q":null}'),
        ),
        message("user", result("c4", "9007199254740993"), result("c3", "first")),
    )
    return "[" + ",".join(messages) + "]"


def sdk() -> str:
    return f'{{"version":1,"agent":"lead","sessionId":"s_1","messages":{native("__")},"system_prompt":"You are"}}'


@pytest.mark.parametrize("data", [native("--"), native("__"), sdk()])
def test_all_ways_to_keep_it_tell_the_same(data: str) -> None:
    session = read(data)
    assert told(session) == TOLD
    assert session.title == "hello"
    assert session.diagnostics == ()
    assert texts(session, "assistant") == ["I add"]
    assert texts(session, "note") == [ENVIRONMENT, ENVIRONMENT, "[hologram block]"]
    first = calls(session)[0]
    assert (first.id, first.inferred, first.provenance) == ("c1", True, Provenance.MODEL)
    assert (first.started, first.duration_ms) == (datetime.fromtimestamp(1_700_000_000, UTC), 250.0)
    assert BIG in session.read_raw(first.place)


def test_formats_and_ids() -> None:
    session = read(sdk())
    assert (session.format, session.id) == ("cline-sdk", "s_1")
    assert read(native("--")).format == "cline-history"


def written(*answers: str, asked: str = f"I add\n\n{xml('demo', 'add', BIG)}\n\nWait.") -> Session:
    """A session in which the assistant writes a text, and these texts answer it."""
    texts = (said("<task>hello</task>"), said(asked))
    first, second = message("user", texts[0]), message("assistant", texts[1])
    return read(f"[{first},{second},{message('user', *map(said, answers))}]")


@pytest.mark.parametrize(
    "answers",
    [(RESULT, "6.50", ENVIRONMENT), (RESULT + "\n6.50\n" + ENVIRONMENT,), (RESULT + "\n\n6.50",)],
)
def test_a_call_as_xml_finds_its_result_in_the_next_message(answers: tuple[str, ...]) -> None:
    session = written(*answers)
    assert told(session) == [("hello", [("demo", "add", BIG, "ok", "6.50")])]
    (call,) = calls(session)
    assert (call.id, call.name, call.inferred) == ("use_mcp_tool 1", "use_mcp_tool", False)
    assert texts(session, "assistant") == ["I add", "Wait."]


def test_results_of_several_texts_are_put_together_and_feedback_is_a_prompt() -> None:
    session = written(RESULT, "The user denied this operation and said:", "<feedback>\nuse 6\n</feedback>")
    assert [(block.prompt, [call.status for call in block.calls]) for block in session.blocks] == [
        ("hello", ["rejected"]),
        ("use 6", []),
    ]


def test_several_calls_as_xml_are_told_apart() -> None:
    session = written(RESULT, asked=xml("demo", "add", "{}") + xml("demo", "two", "not json"))
    assert [(call.id, call.tool, call.arguments, call.status) for call in calls(session)] == [
        ("use_mcp_tool 1", "add", "{}", "ok"),
        ("use_mcp_tool 1.2", "two", "not json", "no-result"),
    ]


def test_results_of_other_tools_are_notes() -> None:
    session = read("[" + message("user", said("[read_file for 'a.py'] Result:\n\n1 | x"), said("more")) + "]")
    assert [block.prompt for block in session.blocks] == [""]
    assert texts(session, "note") == ["[read_file for 'a.py'] Result:\n\n1 | x", "more"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("6.50", "ok"),
        ("Error:\nboom", "tool-error"),
        ("The tool execution failed with the following error:\n<error>\nboom\n</error>", "tool-error"),
        ("Error: Invalid JSON argument used with demo for add.", "never-sent"),
        ("Server 'demo' is not configured. Available servers: x", "never-sent"),
        ("The user denied this operation.", "rejected"),
        ('{"status":"denied","message":"x"}', "rejected"),
        ('{"status":"error","type":"invalid_argument"}', "never-sent"),
    ],
)
def test_how_calls_end(text: str, status: str) -> None:
    for session in (
        written(RESULT, text),
        read(f"[{message('assistant', use('c1', 'mcp--demo--add', '{}'))},{message('user', result('c1', text))}]"),
    ):
        (call,) = calls(session)
        assert call.status == status
        assert call.result is not None
        assert (call.result.text, call.result.is_error) == (text, status != "ok")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mcp--my_server--get--x", ("my_server", "get--x", True, True)),
        ("mcp__demo__add", ("demo", "add", True, True)),
        ("demo__add__two", ("demo", "add__two", True, True)),
        ("abcd12340mcp0add", (None, "add", True, True)),
        ("read_file", (None, "read_file", False, False)),
    ],
)
def test_names(name: str, expected: tuple[str | None, str, bool, bool]) -> None:
    (call,) = calls(read("[" + message("assistant", use("c1", name, "{}")) + "]"))
    assert (call.server, call.tool, call.mcp, call.inferred) == expected


@pytest.mark.parametrize(
    ("arguments", "recorded"), [('{"n":5.0}', '{"n":5.0}'), ('"{\\"n\\":5.0,}"', '{"n":5.0,}'), (None, None)]
)
def test_the_tool_that_wraps_mcp_calls_names_both(arguments: str | None, recorded: str | None) -> None:
    more = "" if arguments is None else f',"arguments":{arguments}'
    given = f'{{"server_name":"demo","tool_name":"add"{more}}}'
    (call,) = calls(read("[" + message("assistant", use("c1", "use_mcp_tool", given)) + "]"))
    assert (call.server, call.tool, call.arguments, call.inferred) == ("demo", "add", recorded, False)


def test_results_of_the_sdks_own_tools_say_whether_all_went_well() -> None:
    content = '[{"query":"a","result":"1","success":true},{"query":"b","result":"","success":false}]'
    answer = f'{{"type":"tool_result","tool_use_id":"c1","content":{content}}}'
    (call,) = calls(
        read("[" + message("assistant", use("c1", "read_files", "{}")) + "," + message("user", answer) + "]")
    )
    assert call.status == "tool-error"
    assert call.result is not None
    assert [block.kind for block in call.result.content] == ["text", "text"]


def test_attached_files_are_named() -> None:
    file = '{"type":"file","path":"/a/b.py","content":"secret text"}'
    session = read("[" + message("user", said("look"), file) + "]")
    assert session.blocks[0].prompt == "look\n[file: /a/b.py]"


@pytest.mark.parametrize("data", [native("--"), sdk()])
def test_a_cut_document_tells_what_stands_before_the_cut(data: str) -> None:
    whole = data.encode()
    ends = [call.place.byte + call.place.length for call in calls(read(whole))]
    for cut in range(300, len(whole), 7):
        found = whole_until(whole, cut)
        assert found is not None
        assert len(found) == sum(end <= cut for end in ends)


@pytest.mark.parametrize("data", [native("--"), sdk()])
def test_harmed_documents_survive(data: str) -> None:
    assert sum(map(survives, harmed(data.encode()))) > 40


def test_the_shared_sample(shared: Path) -> None:
    session = read((shared / "samples" / "cline" / "sdk_session.messages.json").read_bytes())
    found = calls(session)
    assert (len(session.blocks), session.id) == (5, "1784094124598_rruoq")
    assert [len(block.calls) for block in session.blocks] == [2, 1, 5, 3, 0]
    assert {(call.mcp, call.status, call.provenance) for call in found} == {(False, "ok", "model")}
    assert session.diagnostics == ()
