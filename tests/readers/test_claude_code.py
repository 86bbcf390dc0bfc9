import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockview.core import lenient, model
from blockview.core.media import digest
from blockview.core.model import Provenance, Session, Status, ToolCall
from blockview.readers.lazy import LazyBlocks
from tests.readers.lines import (
    ADD,
    answers,
    calls,
    line,
    only_call,
    prompt,
    read,
    read_bytes,
    result,
    says,
    texts,
    use,
)
from tests.work import calls_in


def raw_use(call_id: str, arguments: str) -> str:
    """An assistant line whose arguments are exactly this text."""
    return says(use(call_id, marker=1)).replace('{"marker":1}', arguments)


def test_a_prompt_and_all_until_the_next_one_is_a_block() -> None:
    session = read(
        prompt("add two and three"),
        says({"type": "thinking", "thinking": "numbers", "signature": "x"}),
        says("I will add.", uuid="a2", parent="a1"),
        says(use(a=2, b=3), uuid="a3", parent="a2"),
        answers(result(content=[{"type": "text", "text": "5"}]), parent="a3"),
        says("It is 5.", uuid="a4", parent="r1", second=3),
        prompt("thanks", "u2", "a4", 9),
        says("You are welcome.", uuid="a5", parent="u2", second=10),
    )
    assert (session.format, session.id, session.title) == ("claude-code", "session-1", "add two and three")
    assert [block.prompt for block in session.blocks] == ["add two and three", "thanks"]
    first = session.blocks[0]
    assert [item.tool if isinstance(item, ToolCall) else (item.role, item.text) for item in first.items] == [
        ("thinking", "numbers"),
        ("assistant", "I will add."),
        "add",
        ("assistant", "It is 5."),
    ]
    (call,) = first.calls
    assert (call.id, call.name, call.server, call.tool, call.mcp) == ("t1", ADD, "demo", "add", True)
    assert (call.status, call.provenance, call.duration_ms) == (Status.OK, Provenance.MODEL, 1000.0)
    assert call.result is not None
    assert call.result.text == "5"
    assert first.started is not None
    assert first.started.isoformat() == "2026-03-01T10:00:00+00:00"
    assert list(session.call_counts) == [1, 0]
    assert (session.counts.records, session.counts.messages, session.counts.calls) == (8, 8, 1)
    assert session.diagnostics == ()


@pytest.mark.parametrize(
    "arguments",
    [
        '{"line":5.0,"big":12345678901234567890,"e":1e3,"z":-0,"t":1.10}',
        '{ "a" : 1 ,\t"a":2 }',
        '{"s":"\\ud800 \\u0041 \u2028"}',
        '{"n":NaN,"h":1e400,"d":' + "9" * 5000 + "}",
        '{"c":"a\x01b"}',
        '{"deep":' + "[" * 2000 + "]" * 2000 + "}",
        "[1.0]",
        '"text"',
        "null",
        "{}",
    ],
    ids=range(10),
)
def test_arguments_keep_their_characters(arguments: str) -> None:
    session = read(prompt("go"), raw_use("t1", arguments), answers(result()))
    assert only_call(session).arguments == arguments
    assert session.diagnostics == ()


def test_absent_arguments_stay_absent() -> None:
    session = read(prompt("go"), says({"type": "tool_use", "id": "t1", "name": ADD}))
    assert only_call(session).arguments is None


def test_bytes_that_are_no_utf8_stay_what_they_are() -> None:
    session = read(prompt("go"), raw_use("t1", '{"a":"?"}').encode().replace(b"?", b"\xff"), answers(result()))
    call = only_call(session)
    assert call.arguments is not None
    assert call.arguments.encode("utf-8", "surrogateescape") == b'{"a":"\xff"}'


def test_tools_of_the_client_are_no_mcp_calls() -> None:
    call = only_call(read(prompt("go"), says(use(name="Bash", command="ls"))))
    assert (call.name, call.server, call.tool, call.mcp, call.inferred) == ("Bash", None, "Bash", False, False)


def test_names_are_guessed_unless_the_recording_knows_the_servers() -> None:
    name = "mcp__plugin_demo_my__srv__add__all"
    guessed = only_call(read(prompt("go"), says(use(name=name))))
    assert (guessed.name, guessed.server, guessed.tool, guessed.inferred) == (
        name,
        "plugin_demo_my",
        "srv__add__all",
        True,
    )

    known = line(
        "attachment", "x1", "u1", attachment={"type": "mcp_instructions_delta", "addedNames": ["plugin:demo:my__srv"]}
    )
    told = only_call(read(prompt("go"), says(use(name=name)), known))
    assert (told.name, told.server, told.tool, told.inferred) == (name, "plugin:demo:my__srv", "add__all", False)


def progress(**data: Any) -> str:
    return line("progress", ..., None, toolUseID="t1", data={"type": "mcp_progress", **data})


def test_progress_tells_the_real_names_and_the_time() -> None:
    call = only_call(
        read(
            prompt("go"),
            says(use(name="mcp__my_srv__get_it")),
            progress(status="started", serverName="my srv", toolName="get.it"),
            progress(status="completed", serverName="my srv", toolName="get.it", elapsedTimeMs=12.5),
            answers(result(), second=40),
        )
    )
    assert (call.server, call.tool, call.inferred, call.duration_ms) == ("my srv", "get.it", False, 12.5)


def test_time_that_runs_backwards_is_no_duration() -> None:
    assert only_call(read(prompt("go"), says(use(), second=5), answers(result(), second=2))).duration_ms is None
    assert only_call(read(prompt("go"), says(use(), timestamp="yesterday"), answers(result()))).duration_ms is None


def outcome(content: Any, *, is_error: bool = True, **members: Any) -> tuple[Status, str]:
    call = only_call(read(prompt("go"), says(use()), answers(result(content=content, is_error=is_error), **members)))
    return call.status, call.status_note


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ("something broke", Status.TOOL_ERROR),
        ("<tool_use_error>File has not been read</tool_use_error>", Status.TOOL_ERROR),
        ("MCP error -32602: Invalid arguments", Status.TOOL_ERROR),
        ("Error: No such tool available: mcp__demo__add", Status.NEVER_SENT),
        ("<tool_use_error>Error: No such tool available: x</tool_use_error>", Status.NEVER_SENT),
        ("<tool_use_error>InputValidationError: add failed: a is required</tool_use_error>", Status.NEVER_SENT),
        ("The user doesn't want to proceed with this tool use. The tool use was rejected", Status.REJECTED),
        ("[Request interrupted by user for tool use]", Status.CANCELLED),
        ("Claude requested permissions to use mcp__demo__add, but you haven't granted it yet.", Status.DENIED),
        ("Permission to use mcp__demo__add has been denied.", Status.DENIED),
    ],
)
def test_failures_are_told_from_their_words(content: str, status: Status) -> None:
    assert outcome(content)[0] is status
    assert outcome([{"type": "text", "text": content}])[0] is status
    assert outcome(content, is_error=False)[0] is Status.OK


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("permission-rule", Status.DENIED),
        ("user-rejected", Status.REJECTED),
        ("cancelled", Status.CANCELLED),
        ("new-kind", Status.DENIED),
    ],
)
def test_a_recorded_kind_of_denial_decides(kind: str, status: Status) -> None:
    assert outcome("The user doesn't want to proceed with this tool use.", toolDenialKind=kind)[0] is status


def test_the_code_of_an_mcp_error_is_noted() -> None:
    assert outcome("MCP error -32602: bad")[1] == "MCP error -32602"


def test_a_call_without_a_result_is_neither_right_nor_wrong() -> None:
    call = only_call(read(prompt("go"), says(use())))
    assert (call.status, call.result, call.duration_ms) == (Status.NO_RESULT, None, None)


def test_a_call_moved_to_the_background_says_where_its_end_is_told() -> None:
    moved = 'MCP tool "demo/add" is still running after 120s. It was moved to the background as task b-12..'
    told = "<task-notification>\n<task-id>b-12</task-id>\n<status>completed</status>\n</task-notification>"
    session = read(prompt("go"), says(use()), answers(result(content=moved)), prompt(told, "n1", "r1", 200))
    call = only_call(session)
    assert (call.status, call.status_note) == (
        Status.BACKGROUND,
        "moved to the background as task b-12; its end is told at line 4",
    )
    assert texts(session, "note") == [told]
    assert len(session.blocks) == 1


def test_arguments_that_the_client_could_not_parse_are_the_models_own_text() -> None:
    broken = '{"a": 1.0, "b": [2,'
    call = only_call(read(prompt("go"), says(use(__unparsedToolInput={"len": len(broken), "raw": broken}))))
    assert (call.arguments, call.status) == (broken, Status.NEVER_SENT)


def test_an_answer_cut_off_mid_stream_cancels_its_calls() -> None:
    session = read(prompt("go"), says("Let me", use(), isAbortedMidStream=True))
    assert only_call(session).status is Status.CANCELLED
    assert "the answer was cut off mid-stream" in texts(session, "note")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("5", "5"),
        ([{"type": "text", "text": "5"}, {"type": "text", "text": "6"}], "5\n6"),
        (["5", "6"], "5\n6"),
        ({"type": "text", "text": "5"}, "5"),
        (None, ""),
        ([], ""),
        ("", ""),
        (
            [{"type": "text", "text": None}, {"type": "strange", "x": 1}, 7, {}],
            "\n[strange block]\n[unknown block]\n[unknown block]",
        ),
    ],
    ids=range(8),
)
def test_results_come_in_many_shapes(content: Any, expected: str) -> None:
    call = only_call(read(prompt("go"), says(use()), answers(result(content=content))))
    assert call.result is not None
    assert call.result.text == expected


def test_a_result_without_content_is_a_result() -> None:
    bare = {"type": "tool_result", "tool_use_id": "t1"}
    call = only_call(read(prompt("go"), says(use()), answers(bare)))
    assert call.status is Status.OK
    assert call.result is not None
    assert call.result.raw == json.dumps(bare, separators=(",", ":"))


def test_media_become_notes_and_never_text() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD" * 4000}}
    content = [
        picture,
        {"type": "tool_reference", "tool_name": "mcp__demo__add"},
        {"type": "document", "title": "plan", "source": {"type": "text", "media_type": "text/plain", "data": "abc"}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {"type": "audio", "mimeType": "audio/wav", "data": "QQ=="},
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/x", "text": "body"}},
    ]
    session = read(prompt([picture, {"type": "text", "text": "look"}]), says(use()), answers(result(content=content)))
    assert session.blocks[0].prompt == "[image, image/png, 12.0 KB]\nlook"
    held = only_call(session).result
    assert held is not None
    assert [(block.kind, block.text, block.note) for block in held.content] == [
        ("image", "", "image/png, 12.0 KB"),
        ("tool_reference", "", "mcp__demo__add"),
        ("document", "", "plan, text/plain"),
        ("image", "", "https://example.org/a.png"),
        ("audio", "", "audio/wav, 1 B"),
        ("resource", "", "file:///a, text/x"),
    ]
    assert held.content[0].digest == digest(b'"' + b"QUJD" * 4000 + b'"')


def test_structured_content_keeps_its_characters() -> None:
    written = answers(result(), mcpMeta={"structuredContent": {"marker": 1}}).replace(
        '{"marker":1}', '{"v": 5.0, "i":12345678901234567890}'
    )
    held = only_call(read(prompt("go"), says(use()), written)).result
    assert held is not None
    assert held.structured == '{"v": 5.0, "i":12345678901234567890}'


def test_results_are_paired_by_id_wherever_they_are() -> None:
    session = read(
        prompt("go"),
        answers(result("t4", "four"), uuid="r0", parent="a1"),
        says(use("t1"), message_id="m1"),
        says(use("t2"), use("t3"), uuid="a2", parent="a1", message_id="m1"),
        says(use("t4"), uuid="a3", parent="a2", message_id="m1"),
        answers(result("t3", "three"), result("t1", "one"), uuid="r1", parent="a2"),
        prompt("next", "u2", "r1", 9),
        answers(result("t2", "two"), uuid="r2", parent="a1"),
    )
    assert {call.id: call.result and call.result.text for call in calls(session)} == {
        "t1": "one",
        "t2": "two",
        "t3": "three",
        "t4": "four",
    }
    assert list(session.call_counts) == [4, 0]
    assert session.counts.orphan_results == 0


def test_a_result_without_its_call_is_shown() -> None:
    session = read(
        prompt("go"), answers(result("t9", "nine"), result("t8", "eight"), {"type": "tool_result", "content": "no id"})
    )
    assert [(call.id, call.status, call.result and call.result.text) for call in calls(session)] == [
        ("t9", Status.RESULT_WITHOUT_CALL, "nine"),
        ("t8", Status.RESULT_WITHOUT_CALL, "eight"),
        ("", Status.RESULT_WITHOUT_CALL, "no id"),
    ]
    assert (session.counts.orphan_results, session.counts.calls, list(session.call_counts)) == (3, 0, [3])


def test_copies_of_records_count_once() -> None:
    recorded = [prompt("go"), says(use()), answers(result()), says("done", uuid="a2", parent="r1")]
    forked = [text.replace('"session-1"', '"session-2"') for text in recorded]
    rootless = [text.replace('"parentUuid":"a1"', '"parentUuid":null') for text in recorded]
    session = read(*recorded, *forked, *rootless)
    assert (session.counts.messages, session.counts.duplicates, session.counts.roots) == (4, 8, 1)
    assert len(session.blocks) == 1
    assert only_call(session).status is Status.OK


def test_a_copy_that_knows_its_parent_wins_over_one_that_lost_it() -> None:
    orphaned = says("hello").replace('"parentUuid":"u1"', '"parentUuid":null')
    session = read(prompt("go"), orphaned, says("hello"))
    assert (session.counts.roots, session.counts.duplicates) == (1, 1)


def test_records_that_share_an_id_but_not_their_words_are_both_shown() -> None:
    session = read(prompt("go"), says("one"), says("two"))
    assert texts(session, "assistant") == ["one", "two"]
    assert session.counts.duplicates == 0


def test_a_call_that_is_recorded_twice_is_shown_once() -> None:
    session = read(prompt("go"), says(use(), use()), says(use(), uuid="a2", parent="a1"), answers(result(), result()))
    assert len(calls(session)) == 1
    assert session.counts.calls == 1
    assert list(session.call_counts) == [1]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<command-message>init is working</command-message>\n<command-name>/init</command-name>", "/init"),
        ("<command-name>/add-dir</command-name>\n<command-args> ../lib </command-args>", "/add-dir ../lib"),
        ("<bash-input>ls -la</bash-input>", "! ls -la"),
        ("<system-reminder>\nbe kind\n</system-reminder>\nwhat is <b>this</b>?", "what is <b>this</b>?"),
        (
            [{"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}, {"type": "text", "text": "fix it"}],
            "fix it",
        ),
    ],
)
def test_prompts_are_shown_as_they_were_typed(written: Any, shown: str) -> None:
    assert [block.prompt for block in read(prompt(written)).blocks] == [shown]


@pytest.mark.parametrize(
    "written",
    [
        "<local-command-stdout>Set model</local-command-stdout>",
        "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
        "<system-reminder>x</system-reminder>",
        "[Request interrupted by user for tool use]",
    ],
)
def test_what_the_client_says_is_a_note(written: str) -> None:
    session = read(prompt("go"), prompt(written, "u2", "u1", 3))
    assert [block.prompt for block in session.blocks] == ["go"]
    assert "".join(texts(session, "note")) == written


def test_meta_lines_and_text_beside_results_are_notes() -> None:
    session = read(
        prompt("go"),
        prompt("a skill's text", "u2", "u1", 1, isMeta=True),
        says(use()),
        answers(result(), {"type": "text", "text": "by the way"}),
        line("system", "s1", "r1", subtype="informational", content="switched model", level="info"),
        line("system", "s2", "r1", subtype=None, content=None, level=None, timestamp=None),
        line("attachment", "x1", "r1", attachment={"type": "queued_command", "prompt": "also this"}),
    )
    assert len(session.blocks) == 1
    assert texts(session, "note") == ["a skill's text", "by the way", "switched model", "queued: also this"]


def test_records_before_the_first_prompt_form_a_block() -> None:
    session = read(line("summary", ..., None, summary="Old", leafUuid="x"), says("hello"), prompt("go", "u2", "a1"))
    assert [(block.prompt, len(block.items)) for block in session.blocks] == [("", 1), ("go", 0)]


def test_compaction_is_told_and_hides_nothing() -> None:
    boundary = line(
        "system", "c1", None, 5, subtype="compact_boundary", logicalParentUuid="a1", content="Conversation compacted",
        compactMetadata={"trigger": "auto", "preTokens": 155000},
    )  # fmt: skip
    session = read(
        prompt("first"),
        says("one"),
        boundary,
        boundary,
        prompt("This session is being continued.", "u2", "c1", 6, isCompactSummary=True),
        prompt("second", "u3", "u2", 7),
    )
    assert [block.prompt for block in session.blocks] == ["first", "second"]
    assert texts(session, "note") == [
        "context compacted here (auto, 155000 tokens before)",
        "This session is being continued.",
    ]
    assert (session.counts.compactions, session.counts.duplicates) == (1, 1)


def test_a_rewound_prompt_and_what_followed_is_an_abandoned_branch() -> None:
    session = read(
        prompt("start"),
        says("ok"),
        prompt("wrong way", "u2", "a1", 10),
        says("going", uuid="a2", parent="u2", second=11),
        prompt("further", "u3", "a2", 12),
        says("far", uuid="a3", parent="u3", second=13),
        prompt("right way", "u4", "a1", 20),
        says("fine", uuid="a4", parent="u4", second=21),
        prompt("on", "u5", "a4", 22),
    )
    assert [(block.prompt, block.label) for block in session.blocks] == [
        ("start", ""),
        ("wrong way", "abandoned branch"),
        ("further", "abandoned branch"),
        ("right way", ""),
        ("on", ""),
    ]
    assert session.counts.branches == (("a1", 2),)


def test_siblings_by_habit_are_no_branches() -> None:
    session = read(
        prompt("go"),
        says(use("t1"), message_id="m1"),
        says(use("t2"), uuid="a2", parent="a1", message_id="m1"),
        answers(result("t1"), uuid="r1", parent="a1"),
        answers(result("t2"), uuid="r2", parent="a2"),
        says("done", uuid="a3", parent="r1"),
    )
    assert session.counts.branches == ()
    assert session.blocks[0].label == ""


def test_cyclic_parents_end() -> None:
    session = read(
        prompt("go", parent="a2"),
        says("one", parent="a1"),
        says("two", uuid="a2", parent="a1"),
        prompt("on", "u2", "u2"),
    )
    assert texts(session, "assistant") == ["one", "two"]
    assert [block.label for block in session.blocks] == ["", ""]


def test_subagents_have_blocks_of_their_own_however_mixed() -> None:
    agent = {"isSidechain": True, "agentId": "ag1"}
    session = read(
        prompt("go"),
        says(use("task", "Task", prompt="look")),
        prompt("look", "s1", None, 2, **agent),
        says(use("inner", ADD, a=1), uuid="s2", parent="s1", **agent),
        says("meanwhile", uuid="a2", parent="a1"),
        answers(result("inner", "1"), uuid="s3", parent="s2", **agent),
        answers(
            result("task", "looked"), uuid="r1", parent="a1", toolUseResult={"agentId": "ag1", "status": "completed"}
        ),
        says("done", uuid="a3", parent="r1"),
    )
    assert [(block.prompt, block.label, [call.id for call in block.calls]) for block in session.blocks] == [
        ("go", "", ["task"]),
        ("look", "subagent ag1", ["inner"]),
    ]
    assert texts(session) == ["meanwhile", "done"]
    assert [call.agent for call in calls(session)] == ["ag1", ""]
    assert dict(session.agents) == {"ag1": [1]}


def test_sidechains_without_an_agents_name_are_told_apart_by_their_chains() -> None:
    session = read(
        prompt("go"),
        prompt("left", "s1", None, isSidechain=True),
        prompt("right", "s2", None, isSidechain=True),
        says("from left", uuid="s3", parent="s1", isSidechain=True),
        says("from right", uuid="s4", parent="s2", isSidechain=True),
    )
    assert [(block.prompt, block.label, [item.text for item in block.items]) for block in session.blocks[1:]] == [
        ("left", "subagent s1", ["from left"]),
        ("right", "subagent s2", ["from right"]),
    ]


def test_a_subagents_own_file_can_be_opened() -> None:
    session = read(prompt("task", isSidechain=True, agentId="x"), says(use(), isSidechain=True, agentId="x"))
    assert [(block.prompt, block.label, len(block.calls)) for block in session.blocks] == [("task", "subagent x", 1)]


def test_titles_have_an_order() -> None:
    titles = [
        line("summary", ..., None, summary="From a summary", leafUuid="x"),
        line("ai-title", ..., None, aiTitle="From the model"),
        line("custom-title", ..., None, customTitle="Mine, first"),
        line("custom-title", ..., None, customTitle="Mine, last"),
    ]
    first = prompt("\n  From the prompt \nsecond line")
    assert read(first).title == "From the prompt"
    assert [read(first, *titles[:count]).title for count in (1, 2, 3, 4)] == [
        "From a summary",
        "From the model",
        "Mine, first",
        "Mine, last",
    ]


def test_unknown_lines_are_counted_and_bad_ones_located() -> None:
    session = read(
        prompt("go"), '{"type":"hologram"}', "", '{"no":"type"}', "{bad", says("still here"), '{"type":"user","mess'
    )
    assert session.counts.unknown == 2
    assert [(found.place.line, found.kind) for found in session.diagnostics] == [
        (5, "malformed"),
        (7, "truncated_tail"),
        (2, "unknown"),
    ]
    assert [session.read_raw(found.place) for found in session.diagnostics] == [
        "{bad",
        '{"type":"user","mess',
        '{"type":"hologram"}',
    ]
    assert texts(session, "assistant") == ["still here"]


@pytest.mark.parametrize("content", [None, [], "", {}, 5, [None, 5, "text"], [{"type": None}]], ids=range(7))
def test_any_content_may_stand_anywhere(content: Any) -> None:
    session = read(
        prompt("go"),
        line("user", "u2", "u1", message={"content": content}),
        line("assistant", "a1", "u2", message={"content": content}),
        line("assistant", "a2", "u2", message=content),
        says(use()),
        answers(result()),
    )
    assert only_call(session).status is Status.OK
    check(session)


def test_any_scalar_may_be_null_or_something_else() -> None:
    for other in (None, 5, [], {}, "x", True):
        members = {name: other for name in ("uuid", "parentUuid", "timestamp", "isSidechain", "isMeta", "agentId")}
        names = [*members, "toolUseResult", "mcpMeta", "toolDenialKind", "isAbortedMidStream", "attachment", "data"]
        for name in names:
            check(
                read(
                    prompt("first"),
                    line(
                        "user",
                        "u9",
                        "u1",
                        message={"content": "hi"},
                        **{name: other} if name not in ("uuid", "parentUuid", "timestamp") else {},
                    ),
                )
            )
        check(read(prompt("first"), json.dumps({"type": "user", "message": {"content": "hi"}, **members})))


def check(session: Session) -> None:
    """What must hold for every session: all blocks can be made, and the counts are right without making them."""
    assert list(session.call_counts) == [len(block.calls) for block in session.blocks]
    assert [block.index for block in session.blocks] == list(range(len(session.blocks)))
    assert session.counts.calls + session.counts.orphan_results == sum(session.call_counts)


def test_blocks_are_made_when_somebody_looks() -> None:
    session = read(*(prompt(f"prompt {number}", f"u{number}", None) for number in range(200)))
    assert isinstance(session.blocks, LazyBlocks)
    assert session.blocks[-1].prompt == "prompt 199"
    assert [block.prompt for block in session.blocks[10:12]] == ["prompt 10", "prompt 11"]
    assert session.blocks[5] is session.blocks[5]
    with pytest.raises(IndexError):
        session.blocks[200]


def test_the_work_of_reading_follows_the_size() -> None:
    def work(count: int) -> int:
        lines = []
        for number in range(count):
            lines += [
                prompt("go", f"u{number}", f"a{number - 1}"),
                says(use(f"t{number}"), uuid=f"a{number}", parent=f"u{number}"),
            ]
        # All results stand at the end, and as many have no call: the worst order for pairing.
        lines += [answers(result(f"t{number}"), uuid=f"r{number}") for number in range(count * 2)]
        sessions: list[Session] = []
        spent = calls_in(lambda: sessions.append(read(*lines)))
        assert sessions[0].counts.calls == sessions[0].counts.orphan_results == count
        return spent

    work(10)
    assert work(2000) < 4.5 * work(500)


WHOLE = [
    prompt("go"),
    says("text", use("t1", a=1.5), {"type": "thinking", "thinking": "hm"}),
    answers(result("t1", [{"type": "text", "text": "a\u2028é"}])),
    prompt("<command-name>/x</command-name>", "u2", "r1", 5),
    says(use("t2"), uuid="a2", parent="u2", isSidechain=True, agentId="g"),
    answers(result("t2", is_error=True), uuid="r2", parent="a2", toolUseResult={"agentId": "g"}),
    line("system", "c1", None, subtype="compact_boundary", compactMetadata={"trigger": "auto"}),
    line("progress", "p1", "a2", toolUseID="t2", data={"type": "mcp_progress", "elapsedTimeMs": 5}),
    says("end", use("t3"), uuid="a3", parent="c1"),
]


def test_ordinary_lines_are_decoded_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: Any) -> None:
        raise AssertionError("this line was decoded the slow way")

    monkeypatch.setattr(lenient, "_decode_slowly", slow)
    check(read(*WHOLE))


FILE = "\n".join(WHOLE).encode() + b"\n"


def calls_of_whole_lines(data: bytes) -> set[str]:
    """The ids of the calls whose lines stand in `data` unharmed."""
    lines = set(data.split(b"\n"))
    return {
        call_id for text, call_id in ((WHOLE[1], "t1"), (WHOLE[4], "t2"), (WHOLE[8], "t3")) if text.encode() in lines
    }


@settings(max_examples=300)
@given(st.data())
def test_damage_never_raises_and_never_hides_a_whole_call(data: st.DataObject) -> None:
    damaged = bytearray(FILE)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged)))
        kind = data.draw(st.sampled_from(["cut", "insert", "replace", "drop"]))
        some = data.draw(
            st.one_of(st.binary(max_size=8), st.sampled_from([b"\n", b"{", b"}", b'"', b"null", b"\0\0", b"\\ud800"]))
        )
        if kind == "cut":
            del damaged[at:]
        elif kind == "insert":
            damaged[at:at] = some
        elif kind == "replace":
            damaged[at : at + len(some)] = some
        else:
            del damaged[at : at + data.draw(st.integers(1, 300))]
    # One line is put in front so that the file is still known for what it is.
    whole = prompt("first", "u0", None).encode() + b"\n" + bytes(damaged)
    session = read_bytes(whole)
    check(session)
    assert calls_of_whole_lines(bytes(damaged)) <= {call.id for call in calls(session)}


@given(st.permutations(WHOLE), st.integers(0, 9))
def test_lines_in_any_order_and_number_can_be_read(lines: list[str], again: int) -> None:
    session = read(*lines, *lines[:again])
    check(session)
    assert {"t1", "t2", "t3"} <= {call.id for call in calls(session)}


@pytest.mark.parametrize("member", ["preTokens", "pre_tokens"])
def test_a_count_of_five_thousand_digits_is_no_count(member: str) -> None:
    boundary = line("system", "c1", "u1", 1, subtype="compact_boundary", compactMetadata={"trigger": "auto", member: 7})
    session = read(prompt("go"), boundary.replace(":7", ":" + "9" * 5000))
    notes = [item.text for block in session.blocks for item in block.items if isinstance(item, model.Text)]
    assert any("compacted" in note for note in notes)
