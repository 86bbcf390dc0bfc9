"""The public cases on MCP clients, where they are at hand, each against a real process."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from blockview.core.coercion import Depth
from blockview.core.model import Place, ToolCall
from blockview.core.outcome import Ended
from blockview.core.prepare import Found, prepare
from blockview.core.validation import schema_errors
from blockview.dispatch.connection import Connection
from blockview.dispatch.servers import Entry, Scope, Server, Servers, destination, find_server
from tests.dispatch.live import PATIENCE, connection, refused, send

SCRIPTED = Path(__file__).parent / "servers" / "scripted.py"


@pytest.fixture
def case(shared: Path, request: pytest.FixtureRequest) -> Any:
    number: str = request.param
    return json.loads((shared / "cases" / f"{number}.json").read_text("utf-8"))


def of(*numbers: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", numbers, indirect=True)


@contextmanager
def scripted(steps: list[dict[str, Any]], **options: Any) -> Iterator[Connection]:
    with connection(sys.executable, str(SCRIPTED), json.dumps(steps), **options) as one:
        yield one


@contextmanager
def connected(steps: list[dict[str, Any]], **options: Any) -> Iterator[Connection]:
    with scripted(steps, **options) as one:
        one.connect().result(PATIENCE)
        yield one


@of("B142")
def test_a_server_that_never_answers(case: Any) -> None:
    with scripted(case["input"]["fake_server"], connect_timeout=0.5) as one:
        assert refused(one).ended is Ended.TIMED_OUT  # and no process is left behind: `connection` looks


@of("B143")
def test_the_limit_of_a_call_is_the_one_that_was_set(case: Any) -> None:
    steps = case["input"]["fake_server"]
    merged = [steps[0], {**steps[1], "sleep": 1.5, **steps[2]}]
    with connected(merged, timeout=0.2) as one:
        assert send(one).ended is Ended.TIMED_OUT
    with connected(merged, timeout=PATIENCE) as one:
        assert send(one).ended is Ended.RESULT


@of("B144", "X038", "X039", "X041")
def test_what_comes_beside_the_answer_does_not_hinder_it(case: Any) -> None:
    with connected(case["input"]["fake_server"]) as one:
        outcome = send(one)
        assert outcome.ended is Ended.RESULT
        assert outcome.result and outcome.result.text == "5"
        remarks = [*one.remarks, *outcome.remarks]
        assert not case["expected"].get("warnings") or any("not a message" in remark for remark in remarks), remarks


@of("B146")
def test_absent_arguments_stay_absent(case: Any) -> None:
    """`{}` is expected, and debatable: what the display says of the call is that it has no arguments, and so it is."""
    with connected([{"handshake": True}]) as one:
        outcome = send(one, None)
        assert outcome.result and json.loads(outcome.result.text) == {"name": "t"}
        assert outcome.sent is None


@of("B148")
def test_a_servers_error_is_shown(case: Any) -> None:
    with connected(case["input"]["fake_server"]) as one:
        outcome = send(one)
        assert outcome.ended is Ended.PROTOCOL_ERROR
        assert all(text in outcome.detail for text in case["expected"]["must_show"])


@of("B153", "B157")
def test_all_tools_are_listed_and_can_be_called(case: Any) -> None:
    names = case["expected"].get("tools") or case["input"]["tool_names"]
    pages = [[name] for name in names]
    with connected([{"handshake": True}, {"tools_pages": pages}]) as one:
        assert [tool.name for tool in one.tools] == names
        for name in names:
            outcome = send(one, tool=name)
            assert outcome.result and json.loads(outcome.result.text)["name"] == name
            assert outcome.prepared and isinstance(outcome.prepared.schema, Found)


@of("B155")
def test_of_two_servers_with_one_tool_the_recorded_one_is_asked(case: Any) -> None:
    recorded = case["input"]["recorded"]
    schemas = case["input"]["servers"]
    servers = Servers(tuple(Entry(Server(name, "stdio", (name,)), Scope.FLAG) for name in schemas))
    chosen = find_server(servers, recorded["server"]).server
    assert chosen and chosen.name == case["expected"]["dispatched_to"]
    call = ToolCall("1", "", recorded["name"], recorded["arguments_json"], Place(1, 0), server=recorded["server"])
    schema = Found(schemas[chosen.name][recorded["name"]], chosen.name)
    assert prepare(call, lambda _: schema, Depth.TOP).dispatched == case["expected"]["displayed_json"]


@of("B158")
def test_a_server_may_have_any_name(case: Any) -> None:
    name = case["input"]["server_key"]
    server = Server(name, "stdio", (sys.executable, str(SCRIPTED), '[{"handshake": true}]'))
    assert find_server(Servers((Entry(server, Scope.FLAG),)), name).server is server
    assert destination(server).name == case["expected"]["shown"]
    one = Connection(server)
    try:
        one.connect().result(PATIENCE)
        assert send(one).ended is Ended.RESULT
    finally:
        one.close()
        assert one.join(PATIENCE)


@of("B159")
def test_a_list_that_changed_is_asked_for_again(case: Any) -> None:
    with connected([*case["input"]["fake_server"][:3], {"tools": ["a", "b"]}]) as one:
        send(one, tool="b")
        assert [tool.name for tool in one.tools] == case["expected"]["tools_finally"]


@of("B162")
def test_arguments_that_the_schema_does_not_name_are_told(case: Any) -> None:
    call = ToolCall("1", "t", "t", case["input"]["recorded_arguments_json"], Place(1, 0))
    schema = Found(case["input"]["live_schema"], "live")
    prepared = prepare(call, lambda _: schema, Depth.TOP)
    assert prepared.dispatched == case["expected"]["displayed_json"]
    told = " ".join(schema_errors(prepared, schema))
    assert "/name: the schema does not name it" in told and "not given: arg0" in told


@of("B164")
def test_an_answer_in_an_array_is_taken_with_a_remark(case: Any) -> None:
    """A protocol error is expected; to accept it with a warning is told to be fine, and shows more."""
    raw = case["input"]["fake_server"][1]["stdout_raw"].replace('"id":2', '"id":$ID')
    with connected([{"handshake": True}, {"on": "tools/call", "raw": raw}]) as one:
        outcome = send(one)
        assert outcome.ended is Ended.RESULT
        assert outcome.raw and any("a batch of 1 messages" in remark for remark in outcome.remarks)


@of("B152", "B163")
def test_a_result_is_judged_by_its_structured_content_alone(case: Any) -> None:
    tool = case["input"].get("tool", "t")
    steps = [{"handshake": True}, {"tools": [tool]}, {"on": "tools/call", "reply": case["input"]["result"]}]
    with connected(steps) as one:
        outcome = send(one)
        assert (outcome.ended, outcome.remarks) == (Ended.RESULT, ())
        assert outcome.result
        assert all(text in outcome.result.text for text in case["expected"].get("must_show", ()))


@of("X046")
def test_a_server_gets_no_variable_that_its_config_does_not_set(
    case: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in case["input"]["env"].items():
        monkeypatch.setenv(name, value)
    program = f"env > {tmp_path}/env; exec {sys.executable} {SCRIPTED} '[{{\"handshake\": true}}]'"
    with connection("/bin/sh", "-c", program) as one:
        one.connect().result(PATIENCE)
    names = {line.partition("=")[0] for line in (tmp_path / "env").read_text().splitlines()}
    assert names.issuperset(case["expected"]["child_env_has"])
    assert names.isdisjoint(case["expected"]["child_env_lacks"])
