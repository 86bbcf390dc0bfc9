"""Replay in the app: what is confirmed before anything starts or is sent, and what is shown of the answer."""

from __future__ import annotations

import re
import threading

import pytest
from msgspec.structs import replace

from blockview.core import compare as core_compare
from blockview.core.compare import Comparison, compare
from blockview.core.live import VANISHED
from blockview.core.model import ContentBlock, Status, ToolCall
from blockview.core.outcome import Ended, Outcome
from blockview.core.prepare import Found, Missing
from blockview.core.replaying import Hints
from blockview.ui.app import BlockviewApp, Opened
from blockview.ui.screens import confirm, replaying, sending
from blockview.ui.screens.confirm import Confirm
from blockview.ui.screens.edit_arguments import EditArguments
from blockview.ui.screens.replay import Compared
from blockview.ui.screens.sending import Sending
from blockview.ui.screens.session import SessionScreen
from tests.ui import sessions
from tests.ui.driving import Driver, running
from tests.ui.replayers import STARTED, FakeReplayer, answer

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

CALL = ("]", "]")
"""The keys to the call `run_job` with a changed, a respelled and a nested argument."""
SENT = '{"limit":5,"opts":{"retries":3.0,"ratio":0.5}}'
SAME = '{"state":"done","total":10.0}'
OTHER = '{"state":"failed","total":10,"id":"7f3"}'


def app_with(replayer: FakeReplayer | None, opened: Opened | None = None) -> BlockviewApp:
    return BlockviewApp(opened or sessions.ordinary(), replayer=(lambda: replayer) if replayer else None)


async def glance(app: Driver, *keys: str) -> str:
    """Press keys and give the screen's text, while work goes on."""
    await app.pilot.press(*keys)
    await app.pilot.pause()
    return "\n".join(strip.text.rstrip() for strip in app.app.screen._compositor.render_strips())


def shown(app: Driver, kind: type[Confirm] | type[Compared]) -> str:
    """All rows of a screen, also those that are not on screen."""
    assert isinstance(app.app.screen, kind)
    return "\n".join("".join(span.text for span in row.line) for row in app.app.screen.rows_pane.rows)


async def test_nothing_starts_and_nothing_is_sent_before_the_person_confirms_each() -> None:
    replayer = FakeReplayer(lambda call: answer(SAME))
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R")
        told = shown(app, Confirm)
        assert "python jobs.py --strict 'two words'" in told and "/home/me/work" in told and ".mcp.json" in told
        assert "TOKEN" in told and "exact name" in told and "not connected" in told and SENT in told
        assert (replayer.started, replayer.sent) == ([], [])
        assert "No call is sent yet" in await app.text()
        text = await app.press("enter")
        assert (replayer.started, replayer.sent) == (["jobs"], [])
        assert "as they go over the wire, coercion top" in text and SENT in text and "Send this call?" in text
        await app.press("enter")
        assert replayer.sent == [("run_job", SENT)]


@pytest.mark.parametrize("stage", [0, 1])
async def test_escape_sends_nothing(stage: int) -> None:
    replayer = FakeReplayer()
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", *["s"] * stage, "escape")
        assert isinstance(app.app.screen, SessionScreen)
        assert replayer.sent == [] and len(replayer.started) == stage


async def test_the_answer_stands_beside_the_recorded_result_which_stays() -> None:
    async with running(app=app_with(FakeReplayer(lambda call: answer(OTHER)))) as app:
        await app.press(*CALL)
        view = app.session.view
        before = view.call(view.cursor)
        text = await app.press("R", "enter", "enter")
        assert "result  212 ms" in text and "15:31:07" in text and "sent, as shown before" in text
        assert re.search(r'~ +state: "done" +│ +state: "failed"', text)
        assert re.search(r"≈ +total: 10\.0 +│ +total: 10 +same value, other spelling", text)
        assert "1 other spelling  1 differs  0 only recorded  1 only live" in text
        text = await app.press("escape")
        assert any(re.search(r"212 ms +~ │", line) for line in text.splitlines())
        detail = await app.detail()
        assert re.search(r"live 15:31:07  result  212 ms +~ differs", detail) and 'state: "done"' in detail
        assert view.call(view.cursor) == before


async def test_differences_sides_and_again() -> None:
    replayer = FakeReplayer(lambda call: answer(OTHER))
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter", "enter")
        screen = app.app.screen
        assert isinstance(screen, Compared)
        for keys, sign in ((["n"], "~"), (["n"], "≈"), (["n"], "+"), (["n"], "+"), (["N"], "≈"), (["g", "n"], "~")):
            await app.press(*keys)
            row = screen.rows_pane.row
            assert row is not None and row.line[0].text[0] == sign, keys
        assert "│" in await app.text()
        assert re.search(r'state: recorded "done"\n +live +"failed"', await app.press("s"))
        await app.press("R")
        assert isinstance(app.app.screen, Confirm)
        await app.press("enter")
        assert len(replayer.sent) == 2


async def test_every_outcome_is_kept_and_opens_from_the_detail() -> None:
    texts = iter([SAME, OTHER])
    async with running(app=app_with(FakeReplayer(lambda call: answer(next(texts))))) as app:
        await app.press(*CALL, "d")
        assert app.toasts() == ["no live answer yet: R replays the call"]
        await app.press("R", "enter", "enter", "escape", "R", "enter", "escape")
        detail = (await app.detail()).splitlines()
        lines = [at for at, line in enumerate(detail) if line.startswith("live ")]
        assert "= same" in detail[lines[0]] and "~ differs" in detail[lines[1]]
        await app.press("tab", "g", *["j"] * lines[0], "enter")
        assert "~" not in shown(app, Compared)
        await app.press("escape", "d")
        assert "+     id:" in shown(app, Compared)


async def test_a_key_that_is_held_answers_only_the_first_question(monkeypatch: pytest.MonkeyPatch) -> None:
    replayer = FakeReplayer(lambda call: answer(SAME))
    monkeypatch.setattr(confirm, "HELD", 3600.0)
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter")
        for key in ("enter", "enter", "a"):
            text = await app.press(key)
            assert "Send this call?" in text and "Enter in a moment" in text
        assert replayer.started and not replayer.sent


async def test_the_question_shows_when_it_can_be_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    replayer = FakeReplayer(lambda call: answer(SAME))
    monkeypatch.setattr(confirm, "HELD", 0.01)
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter")
        while "Enter in a moment" in app.painted():
            await app.pilot.pause()
        assert "Send this call?" in await app.text()
        await app.press("enter")
        assert replayer.sent == [("run_job", SENT)]
        assert replayer.approved == [SENT]  # what was read is what may be sent


async def test_trust_lasts_for_this_server_and_this_run() -> None:
    replayer = FakeReplayer()
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter", "a")
        assert replayer.started == ["jobs"] and len(replayer.sent) == 1
        await app.press("escape", "R")
        assert len(replayer.sent) == 2 and isinstance(app.app.screen, Compared)
        replayer.running.clear()
        await app.press("escape", "R")
        assert len(replayer.sent) == 3 and replayer.started == ["jobs", "jobs"]
        await app.press("escape", "j", "j", "R")
        assert isinstance(app.app.screen, Confirm) and replayer.started == ["jobs", "jobs"]
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R")
        assert isinstance(app.app.screen, Confirm)


async def test_trust_is_given_only_with_what_is_sent_in_view() -> None:
    replayer = FakeReplayer()
    async with running(app=app_with(replayer)) as app:
        text = await app.press(*CALL, "R")
        assert " always" not in text and "a: " not in shown(app, Confirm)
        await app.press("a")
        assert replayer.started == []
        text = await app.press("enter")
        assert " a always " in text and "always: on" not in text


async def test_trust_leaves_destructive_tools_to_be_asked_about_and_says_why() -> None:
    replayer = FakeReplayer()
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter")
        told = " ".join(shown(app, Confirm).split())
        words = "a: yes, and calls to jobs are not asked about again in this run; still asked about: calls of tools"
        assert f"{words} that say that they are destructive" in told
        await app.press("a", "escape", "R", "escape")
        assert len(replayer.sent) == 2
        replayer.hints = Hints(destructive=True)
        text = await app.press("R")
        told = " ".join(shown(app, Confirm).split())
        assert "always: on" in text and len(replayer.sent) == 2
        assert "asked in spite of a for jobs: run_job says that it is destructive" in told
        assert "again in this run, the destructive run_job included; still asked about: calls of other tools" in told
        await app.press("a", "escape", "R")  # with the call before them, the person covers its tool
        assert isinstance(app.app.screen, Compared) and len(replayer.sent) == 4


async def test_a_trusted_server_is_not_asked_about_for_calls_that_cannot_be_sent_at_all() -> None:
    calls = (sessions.call("run_job", "{}"), sessions.call("x", "{}", server="else"), sessions.call("run_job", "{}"))
    replayer = FakeReplayer(lambda call: answer("ok"))
    async with running(app=app_with(replayer, sessions.session(sessions.block("p", *calls)))) as app:
        await app.press("R", "enter")
        assert "Send these 2 calls, in this order? 1 cannot be sent." in await app.text()
        await app.press("a")
        assert len(replayer.sent) == 2  # the run does not stop at what was told before
        await app.press("escape", "R")
        assert isinstance(app.app.screen, Sending) and len(replayer.sent) == 4


async def test_a_trusted_server_that_starts_anew_is_asked_about_destructive_tools() -> None:
    replayer = FakeReplayer()
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter", "a", "escape")
        replayer.running.clear()
        replayer.hints = Hints(destructive=True)
        text = await app.press("R")
        assert "! cannot be sent" in text and "destructive" in text and len(replayer.sent) == 1


async def test_a_server_that_ended_meanwhile_is_not_started_without_a_question() -> None:
    replayer = FakeReplayer()
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter")
        replayer.running.clear()
        text = await app.press("enter")
        assert "! cannot be sent" in text and "the server has ended" in text and "nothing was sent" in text
        assert "nothing to compare" in text and "differs" not in text and "not compared" in text
        assert replayer.started == ["jobs"] and replayer.sent == []


async def test_what_the_tool_says_of_itself_drift_and_what_the_schema_refuses() -> None:
    replayer = FakeReplayer(
        hints=Hints(read_only=False, destructive=True),
        drift=("/properties/limit: maximum 3 is new",),
        errors=lambda sent: ("/limit: 5 is greater than 3",),
    )
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter")
        told = shown(app, Confirm)
        assert "! the tool says that it is not read-only, and that it is destructive" in told
        assert "live schema is not the recorded one: /properties/limit: maximum 3 is new" in told
        assert "! by the schema: /limit: 5 is greater than 3" in told
        await app.press("enter")
        assert len(replayer.sent) == 1


@pytest.mark.parametrize(
    ("hints", "words"),
    [
        (Hints(), "does not say that it is read-only"),
        (Hints(read_only=True), "says that it is read-only"),
        (Hints(read_only=True, destructive=True), "says that it is read-only, and that it is destructive"),
        (Hints(destructive=False), "does not say that it is read-only, it says that it is not destructive"),
    ],
)
async def test_hints(hints: Hints, words: str) -> None:
    async with running(app=app_with(FakeReplayer(hints=hints))) as app:
        await app.press(*CALL, "R", "enter")
        assert f"the tool {words}" in shown(app, Confirm)


async def test_a_schema_that_vanishes_before_dispatch_is_marked() -> None:
    replayer = FakeReplayer(lambda call: answer(SAME), live=lambda call: Missing("not in the list"))
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R")
        assert SENT in shown(app, Confirm)
        await app.press("enter")
        raw = '{"limit":5.0,"opts":{"retries":3.0,"ratio":0.5}}'
        assert VANISHED in shown(app, Confirm) and raw in shown(app, Confirm)
        await app.press("enter")
        assert replayer.sent == [("run_job", raw)]


async def test_a_schema_that_vanishes_after_the_question_is_told_with_the_answer() -> None:
    replayer = FakeReplayer(lambda call: answer(SAME))
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter")
        replayer.live = lambda call: Missing("not in the list")
        await app.press("enter")
        told = shown(app, Compared)
        assert VANISHED in told and "! sent, and not what was shown before" in told
        assert '{"limit":5.0,' in told and SENT in told


async def test_no_server_and_no_mcp_call_are_told_with_what_to_do() -> None:
    nowhere = sessions.session(sessions.block("p", sessions.call("run_job", "{}", server="else")))
    replayer = FakeReplayer()
    async with running(app=app_with(replayer, nowhere)) as app:
        await app.press("j", "R")
        told = shown(app, Confirm)
        assert "! nowhere to send it: no server is called else" in told and "--server NAME=COMMAND" in told
        assert "Nothing here can be sent" in await app.press("enter")
        assert replayer.sent == []
        await app.press("a", "e", "escape", "escape", "S")
        assert app.toasts()[-1] == "no server: no server is called else"
    async with running(app=app_with(FakeReplayer())) as app:
        await app.press(*["j"] * 4, "R")
        assert app.toasts() == ["not an MCP call: no server would get it"]
    async with running(app=app_with(None)) as app:
        await app.press("R", "S")
        assert "--server NAME=COMMAND" in app.toasts()[0]


async def test_calls_that_never_ran_are_sent_only_when_they_are_meant() -> None:
    calls = [sessions.call("run_job", "{}"), *[sessions.call("drop", "{}", status=Status.REJECTED)] * 2]
    replayer = FakeReplayer()
    async with running(app=app_with(replayer, sessions.session(sessions.block("p", *calls)))) as app:
        for key in ("R", "A"):
            await app.press(key)
            told = shown(app, Confirm)
            assert "run_job" in told and "drop" not in told
            assert "left out: 2 rejected and reached no server; R on the call itself sends it" in told
            await app.press("escape")
        await app.press("j", "j", "R")
        assert "! the recording shows that it was rejected and reached no server" in shown(app, Confirm)
        await app.press("escape", "g", "R", "enter", "a", "escape", "R")
        assert len(replayer.sent) == 2 and "left out: 2 rejected" in app.toasts()[-1]
    async with running(app=app_with(replayer, sessions.session(sessions.block("p", *calls[1:])))) as app:
        await app.press("R")
        assert isinstance(app.app.screen, SessionScreen) and "left out: 2 rejected" in app.toasts()[-1]


async def test_a_connection_that_fails_says_why_and_can_be_tried_again() -> None:
    replayer = FakeReplayer(connects=False)
    async with running(app=app_with(replayer)) as app:
        text = await app.press(*CALL, "R", "enter")
        assert "! server died: exited with code 1" in text and "[red]ModuleNotFoundError[/red]" in text
        assert r"\x1b[2J" in text and "\x1b" not in text
        replayer.connects = True
        assert "Send this call?" in await app.press("enter")


@pytest.mark.parametrize("dead", ["jobs", "logs"])
async def test_a_server_that_fails_costs_only_its_own_calls(dead: str) -> None:
    replayer = FakeReplayer(lambda call: answer(SAME))
    replayer.dead = {dead}
    async with running(app=app_with(replayer)) as app:
        await app.press(*["j"] * 5, "R")
        text = await app.press("enter")
        assert replayer.started == ["jobs", "logs"]
        count = {"jobs": 1, "logs": 2}[dead]
        sendable = "Send this call?" if count == 1 else "Send these 2 calls, in this order?"
        assert f"{sendable} {3 - count} cannot be sent." in text
        told = " ".join(shown(app, Confirm).split())
        assert f"! cannot be sent: {dead} could not be reached: exited with code 1" in told
        assert f"! {dead}: server died: exited with code 1" in told and "[red]ModuleNotFoundError[/red]" in told
        text = await app.press("enter")
        assert len(replayer.sent) == count and "done: 3 calls" in text
        replayer.dead.clear()
        await app.press("escape", "R", "enter")
        assert replayer.started[2:] == [dead] and "Send these 3 calls" in await app.text()


async def test_the_schemas_of_one_server_are_used_when_another_one_fails() -> None:
    replayer = FakeReplayer()
    replayer.dead = {"jobs"}
    async with running(app=app_with(replayer)) as app:
        await app.press(*["j"] * 5, "S")
        text = await app.press("enter")
        assert replayer.running == {"logs"} and "! jobs: server died" in text and "Start jobs and list" in text
        replayer.dead.clear()
        await app.press("enter")
        assert replayer.started == ["jobs", "logs", "jobs"] and isinstance(app.app.screen, SessionScreen)


async def test_waiting_for_a_server_is_shown_and_given_up() -> None:
    replayer = FakeReplayer(connects=None)
    async with running(app=app_with(replayer)) as app:
        text = await glance(app, *CALL, "R", "enter")
        assert "starting jobs: 0 s, Esc gives up" in text
        text = await glance(app, "enter", "e", "escape")
        assert "! cancelled: by the person" in await app.text()
        await app.press("escape")
        assert isinstance(app.app.screen, SessionScreen)


async def test_waiting_for_an_answer_is_shown_and_cancelled() -> None:
    replayer = FakeReplayer(lambda call: None)
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter")
        text = await glance(app, "enter")
        assert "waiting for the answer, 0 s, Esc cancels" in text
        assert "keys and marks" in await glance(app, "?")
        await glance(app, "escape")
        text = await app.press("escape")
        assert "! cancelled" in text and "by the person" in text
        assert "nothing to compare: cancelled" in text and "differs" not in text
        await app.press("escape")
        assert "! cancelled" in await app.detail()


async def test_leaving_the_app_waits_for_no_server() -> None:
    replayer = FakeReplayer(lambda call: None)
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter")
        await glance(app, "enter")
        await app.pilot.press("ctrl+q")
    pending = replayer.pending[0]
    assert not pending.cancelled()
    pending.set_result(Outcome(Ended.RESULT))  # type: ignore[arg-type]


async def test_a_block_is_sent_in_order_after_one_question() -> None:
    replayer = FakeReplayer(lambda call: answer(SAME))
    async with running(app=app_with(replayer)) as app:
        text = await app.press("j", "j", "j", "j", "j", "R")
        assert "3 calls" in text and "Start jobs, logs" in text
        await app.press("enter")
        assert replayer.started == ["jobs", "logs"] and "Send these 3 calls, in this order?" in await app.text()
        text = await app.press("enter")
        assert [tool for tool, _ in replayer.sent] == ["run_job", "run_job", "get_log"]
        assert "done: 3 calls" in text and text.count("result  212 ms") == 3 and "= same" in text
        await app.press("j", "enter")
        assert '{"limit":5.5}' in shown(app, Compared)
        await app.press("escape")
        assert isinstance(app.app.screen, Sending)
        await app.press("escape")
        assert isinstance(app.app.screen, SessionScreen)
        assert len(app.session.view.live) == 3


async def test_a_block_stops_at_the_first_error_that_is_not_recorded() -> None:
    def answers(call: ToolCall) -> Outcome:
        bad = call.arguments in ('{"limit":5.0,"opts":{"retries":3.0,"ratio":0.50}}', '{"limit":5.5}')
        return answer("limit must be integer", ended=Ended.TOOL_ERROR) if bad else answer(SAME)

    replayer = FakeReplayer(answers)
    async with running(app=app_with(replayer)) as app:
        await app.press("j", "j", "j", "j", "j", "R", "enter")
        text = await app.press("enter")
        assert len(replayer.sent) == 1
        assert "stopped after 1 of 3" in text and "not sent" in text and text.count("! tool error") == 1
        text = await app.press("c")
        assert len(replayer.sent) == 3 and "done: 3 calls" in text and text.count("! tool error") == 2
    async with running(app=app_with(FakeReplayer(lambda call: None))) as app:
        await app.press("j", "j", "j", "j", "j", "R", "enter")
        assert "keeps going" in await glance(app, "enter", "c")
        assert "stopped after 1 of 3" in await app.press("escape")


async def test_who_goes_on_after_a_server_has_ended_starts_it_again() -> None:
    def answers(call: ToolCall) -> Outcome:
        if len(replayer.sent) == 1:
            replayer.running.clear()
            return Outcome(Ended.SERVER_DIED, "exit code 1", started=STARTED)
        return answer(SAME)

    replayer = FakeReplayer(answers)
    async with running(app=app_with(replayer)) as app:
        await app.press(*["j"] * 5, "R", "enter")
        text = await app.press("enter")
        assert len(replayer.sent) == 1 and "stopped after 1 of 3, c starts jobs again and goes on" in text
        await app.press("c")
        assert [tool for tool, _ in replayer.sent] == ["run_job", "run_job", "get_log"]
        assert replayer.started == ["jobs", "logs", "jobs", "logs"]


async def test_a_server_that_cannot_be_started_again_is_tried_once() -> None:
    calls = [sessions.call("run_job", "{}") for _ in range(3)]
    replayer = FakeReplayer()
    async with running(app=app_with(replayer, sessions.session(sessions.block("p", *calls)))) as app:
        await app.press("R", "enter")
        replayer.running.clear()
        replayer.dead = {"jobs"}
        text = await app.press("enter")
        assert "the server has ended" in text and "stopped after 1 of 3, c starts jobs again and goes on" in text
        text = await app.press("c")
        assert replayer.started == ["jobs", "jobs"] and "! server died  exited with code 1" in text
        text = await app.press("c")
        assert replayer.started == ["jobs", "jobs"] and "jobs could not be reached: exited with code 1" in text
        assert "done: 3 calls, 3 not compared; Enter compares" in text and "keep going" not in text
        assert "~" not in text


async def test_what_can_be_done_is_what_the_footer_names() -> None:
    calls = (sessions.call("run_job", "{}"), sessions.call("x", "{}", server="else"))
    async with running(app=app_with(FakeReplayer(), sessions.session(sessions.block("p", *calls)))) as app:
        await app.press("R", "e")  # the cursor is on the server's row
        assert app.toasts() == ["move to a call: its arguments are edited"]
        await app.press("escape")
        text = await app.press("j", "j", "R")
        assert "Nothing here can be sent." in text and "Enter send" not in text and "a always" not in text


async def test_schemas_of_a_live_server_are_shown_without_sending() -> None:
    opened = sessions.ordinary()
    replayer = FakeReplayer(live=lambda call: Found({"properties": {"lines": {"type": "integer"}}}, "live server logs"))

    def chain(call: ToolCall) -> Found | Missing:
        known = opened.lookup(call)
        return known if isinstance(known, Found) else replayer.lookup(call)

    async with running(app=app_with(replayer, Opened(opened.session, chain))) as app:
        await app.press("]", "]", "]", "]")
        assert '{"lines":50.0}' in await app.text()
        text = await app.press("S")
        assert "Connect to logs" in text and "as they" not in text
        text = await app.press("enter")
        assert replayer.started == ["logs"] and replayer.sent == []
        assert isinstance(app.app.screen, SessionScreen)
        assert '{"lines":50}' in text and "was 50.0" in await app.detail()
        assert "? 0 no schema" in text


async def test_the_depth_of_the_session_is_the_depth_of_what_is_sent() -> None:
    replayer = FakeReplayer()
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "c", "c", "R", "enter")
        assert "coercion off" in shown(app, Confirm)
        await app.press("enter")
        assert replayer.sent == [("run_job", '{"limit":5.0,"opts":{"retries":3.0,"ratio":0.5}}')]


# Edited arguments


def area(app: Driver) -> EditArguments:
    assert isinstance(app.app.screen, EditArguments)
    return app.app.screen


async def test_edited_arguments_are_sent_and_marked_everywhere() -> None:
    replayer = FakeReplayer(lambda call: answer(SAME))
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter", "e")
        assert area(app).area.text == '{"limit":5.0,"opts":{"retries":3.0,"ratio":0.50}}'
        area(app).area.clear()
        text = await app.press(*'{"limit":7.0,"big":12345678901234567890,"ratio":1.10}')
        assert '{"limit":7,"big":12345678901234567890,"ratio":1.1}' in text and "edited" in text and "was 7.0" in text
        await app.press("ctrl+s")
        assert "→ edited: this is not the recorded call" in shown(app, Confirm)
        text = await app.press("enter")
        assert replayer.sent == [("run_job", '{"limit":7,"big":12345678901234567890,"ratio":1.1}')]
        assert "edited: this is not the recorded call" in text
        await app.press("escape")
        assert "edited" in (await app.detail()).split("arguments")[0]
        assert '"limit":5,' in await app.text()
        await app.press("d", "R", "enter")
        assert len(replayer.sent) == 2 and replayer.sent[1] == replayer.sent[0]


async def test_what_is_wrong_is_told_while_typing_with_its_place() -> None:
    replayer = FakeReplayer(errors=lambda sent: ("/limit: not an integer",) if "4.2" in sent else ())
    async with running(app=app_with(replayer)) as app:
        await app.press(*CALL, "R", "enter", "e")
        for typed, told in (
            ('{"limit":042}', "line 1, column 11:"),
            ('{\n"limit":4,\n}', "line 3, column 1:"),
            ("[1]", "not a JSON object"),
            ('{"limit":4.2}', "by the schema: /limit: not an integer"),
        ):
            area(app).area.text = typed
            await app.pilot.pause()
            assert told in await app.text(), typed
        area(app).area.text = '{"limit":042}'
        await app.press("ctrl+s")
        assert area(app) and "line 1, column 11" in app.toasts()[-1]


async def test_leaving_the_editor_with_changes_takes_two_keys() -> None:
    async with running(app=app_with(FakeReplayer())) as app:
        await app.press(*CALL, "R", "e", "escape")
        assert isinstance(app.app.screen, Confirm)
        await app.press("e", "x", "escape")
        assert "throws the changes away" in app.toasts()[-1] and area(app)
        await app.press("escape")
        assert "edited" not in shown(app, Confirm)


async def test_the_recorded_text_unchanged_is_the_recorded_call() -> None:
    recorded = '{"text":"a\\tb\x1b[31m\rc","line":5.0}'
    opened = sessions.session(sessions.block("p", sessions.call("open_file", recorded)))
    replayer = FakeReplayer()
    async with running(app=app_with(replayer, opened)) as app:
        text = await app.press("j", "R", "enter", "e")
        assert area(app).area.text == '{"text":"a\\tb\\u001b[31m\\rc","line":5.0}' and "\x1b" not in text
        await app.press("x", "backspace")
        assert "as recorded" in await app.text()
        await app.press("ctrl+s")
        assert "edited" not in shown(app, Confirm)
        await app.press("enter")
        assert replayer.sent == [("open_file", '{"text":"a\\tb\\u001b[31m\\rc","line":5}')]


async def test_a_long_line_is_drawn_at_its_end_as_well() -> None:
    body = ",".join(f'"key{number}":{number}' for number in range(7_000))
    opened = sessions.session(sessions.block("p", sessions.call("run_job", "{" + body + "}")))
    async with running(app=app_with(FakeReplayer(), opened)) as app:
        await app.press("j", "R", "enter", "e")
        area(app).area.move_cursor((0, len(body) + 1))
        text = await app.press(*',"more":1')
        assert '"key6999":6999,"more":1}' in text.replace("\n", "")


async def test_what_is_pasted_is_visible() -> None:
    async with running(app=app_with(FakeReplayer())) as app:
        await app.press(*CALL, "R", "e")
        area(app).area.clear()
        area(app).area.insert('{"a":"\x1b[31m\u202e","b":\t1}\r\n')
        assert area(app).area.text == '{"a":"\\u001b[31m\\u202e","b":    1}\n'
        assert "\x1b" not in await app.text()


# Large, hostile, small


async def test_a_result_that_is_too_large_to_compare_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_compare, "LARGEST", 20)
    async with running(app=app_with(FakeReplayer(lambda call: answer(OTHER)))) as app:
        await app.press(*CALL, "R", "enter", "enter")
        assert "not compared: 69 characters" in shown(app, Compared)
        await app.press("n", "s", "E", "escape")
        assert "not compared" in await app.detail()


async def test_a_large_result_is_compared_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def slowly(call: ToolCall, outcome: Outcome) -> Comparison | None:
        go_on.wait(60)
        return compare(call, outcome)

    monkeypatch.setattr(sending, "compare", slowly)
    heavy = "[" + ",".join(f'{{"id":{number}}}' for number in range(20_000)) + "]"
    opened = sessions.session(sessions.block("p", sessions.call("get_log", "{}", heavy, server="logs")))
    replayer = FakeReplayer(lambda call: answer(heavy.replace(":19990", ":-1")))
    async with running(app=app_with(replayer, opened)) as app:
        await app.press("j", "R", "enter")
        assert "comparing" in await glance(app, "enter")
        assert "keys and marks" in await glance(app, "?")
        await glance(app, "escape")
        go_on.set()
        text = await app.text()
        assert "19,999 same  1 differs" in text
        assert re.search(r"id: 19990 +│ +id: -1", await app.press("n"))
        await app.press("E")
        await app.press("C", "n", "escape")
        assert app.session.view.live


async def test_hostile_answers_are_text() -> None:
    outcome = replace(
        answer(sessions.HOSTILE, ended=Ended.TOOL_ERROR, others=(ContentBlock("image", note=sessions.HOSTILE),)),
        detail=sessions.HOSTILE,
        remarks=(sessions.HOSTILE,),
        stderr=sessions.HOSTILE,
    )
    replayer = FakeReplayer(lambda call: outcome, drift=(sessions.HOSTILE,), errors=lambda sent: (sessions.HOSTILE,))
    opened = sessions.session(
        sessions.block(
            sessions.HOSTILE, sessions.call("open_file", '{"[red]x[/red]":"\\u001b[31m","line":1.0}', sessions.HOSTILE)
        )
    )
    async with running(app=app_with(replayer, opened)) as app:
        screens = [await app.press(*keys) for keys in (["j", "R"], ["enter"], ["e"], ["escape"], ["enter"], ["E"])]
        screens += [await app.press(*keys) for keys in (["s"], ["n"], ["y"], ["escape"], ["escape"], ["tab", "G"])]
        for text in screens:
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)
        assert "[red]not markup[/red]" in screens[4]


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (20, 4), (1, 1)])
async def test_every_size_and_every_key(size: tuple[int, int]) -> None:
    async with running(app=app_with(FakeReplayer(lambda call: answer(OTHER))), size=size) as app:
        await app.press("R", "space", "E", "C", "j", "k", "G", "e", "tab", "tab", "escape", "s", "enter")
        await app.pilot.resize_terminal(80, 24)
        assert "2 calls" in await app.text()
        await app.pilot.resize_terminal(*size)
        await app.press("j", "c", "enter", "n", "N", "s", "space", "E", "C", "y", "escape", "?", "escape", "escape")
        await app.press("escape", "d", "S", "escape", "escape")
        await app.pilot.resize_terminal(120, 36)
        assert "add the retry" in await app.press("g")


async def test_copies_of_a_live_outcome() -> None:
    async with running(app=app_with(FakeReplayer(lambda call: answer(OTHER)))) as app:
        await app.press(*CALL, "R", "enter", "enter", "y", "l")
        assert app.app.clipboard == OTHER
        await app.press("y", "a")
        assert app.app.clipboard == SENT
        await app.press("y", "r")
        assert app.app.clipboard == SAME


async def test_the_keys_of_a_block_row_in_the_detail() -> None:
    replayer = FakeReplayer()
    async with running(app=app_with(replayer)) as app:
        await app.press("enter")
        rows = app.session.detail.rows
        at = next(at for at, row in enumerate(rows) if row.target is not None and row.target.call == 1)
        await app.press(*["j"] * at, "R")
        assert "jobs.search" in (await app.text()).splitlines()[0]


async def test_the_footer_names_replay_only_where_there_is_a_replayer() -> None:
    async with running(app=app_with(FakeReplayer())) as app:
        assert "R replay" in (await app.text()).splitlines()[-1]
        assert "R replay" in (await app.press("tab")).splitlines()[-1]
    async with running(app=app_with(None)) as app:
        assert "R replay" not in (await app.text()).splitlines()[-1]


async def test_a_config_that_cannot_be_read_is_told_when_replay_is_first_wanted() -> None:
    def broken() -> FakeReplayer:
        raise ValueError("servers.json: [red]not JSON[/red]")

    async with running(app=BlockviewApp(sessions.ordinary(), replayer=broken)) as app:
        await app.press(*CALL, "R")
        assert app.toasts() == ["servers.json: [red]not JSON[/red]"]
        assert isinstance(app.app.screen, SessionScreen)


async def test_all_calls_that_a_filter_keeps_are_sent_in_order() -> None:
    replayer = FakeReplayer()
    async with running(app=app_with(replayer)) as app:
        await app.press("f", *"server:jobs", "enter", "A")
        told = shown(app, Confirm)
        view = next(screen.view for screen in app.app.screen_stack if isinstance(screen, SessionScreen))
        kept = [view.call(position) for position in view.all_calls_shown(99)]
        names = [call.tool for call in kept if call is not None and call.status is not Status.DENIED]
        assert len(names) > 1
        assert f"call {len(names)}/{len(names)}" in told
        await app.press("enter")
        await app.press("enter")
        assert [name for name, _ in replayer.sent] == names


async def test_a_block_sends_only_the_calls_that_a_filter_keeps() -> None:
    replayer = FakeReplayer()
    async with running(app=app_with(replayer)) as app:
        await app.press("f", *"tool:run_job is:changed", "enter")
        view = app.session.view
        kept = view.calls_shown(view.cursor.block)
        assert 0 < len(kept) < len(view.block(view.cursor.block).calls)
        await app.press("R", "enter", "enter")
        assert [name for name, _ in replayer.sent] == ["run_job"] * (len(kept) - 1)  # one was denied


async def test_too_many_calls_are_not_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "_MOST", 1)
    async with running(app=app_with(FakeReplayer())) as app:
        await app.press("A")
        assert isinstance(app.app.screen, SessionScreen)
        assert app.toasts() == ["more than 1 calls stand in the list: filter them first (f)"]
