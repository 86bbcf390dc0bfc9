"""The YAML recordings of mcp-vcr."""

from __future__ import annotations

from pathlib import Path

import yaml

from blockview.core.model import Session, Status
from blockview.readers.opening import open_session
from blockview.readers.registry import read_session
from blockview.readers.source import Source
from tests.readers.captures import calls, traffic

RECORDED = """\
# recorded with care: 中文
messages:
- dir: c2s
  payload:
    id: 1
    jsonrpc: '2.0'
    method: tools/call
    params:
      arguments:
        big: 1234567890123456789
        code: 1e3
        price: 1.0e+21
        whole: 5.0
      name: add
  t: 10
- dir: s2c
  payload:
    id: 1
    jsonrpc: '2.0'
    result:
      content:
      - text: 'one

          two'
        type: text
  t: 35
meta:
  server_command:
  - python
  - calc.py
  session_id: abcdef12
  version: 1
"""


def read(text: str) -> Session:
    session = read_session(Source.of_bytes("vcr", text.encode("utf-8", "surrogateescape")))
    assert session.format == "mcp-vcr"
    return session


def test_what_the_recorder_writes() -> None:
    session = read(RECORDED)
    (made,) = calls(session)
    # To PyYAML, which wrote this without quotes, `1e3` is a text.
    assert made.arguments == '{"big": 1234567890123456789, "code": "1e3", "price": 1.0e+21, "whole": 5.0}'
    assert made.result is not None and made.result.text == "one\ntwo"
    assert (made.duration_ms, made.started) == (25.0, None)
    assert (session.id, session.diagnostics) == ("abcdef12", ())
    assert made.place.line == 3
    assert session.read_raw(made.place).startswith("dir: c2s\n  payload:")
    assert session.read_raw(made.place).endswith("name: add\n  t: 10")


def test_what_pyyaml_does_to_strings_comes_back() -> None:
    texts = [
        "5",
        "1e3",
        "yes",
        "null",
        "0x10",
        "1_0",
        "a: b",
        "  x\n\ny ",
        "é\u2028\x07",
        "2026-01-01",
        "-",
        "'\"",
        "=",
        "1:30",
    ]
    request = {"id": 1, "method": "tools/call", "params": {"name": "n", "arguments": {"texts": texts}}}
    items = [{"t": 1, "dir": "c2s", "payload": request}]
    session = read(yaml.safe_dump({"messages": items, "meta": {}}))
    (made,) = calls(session)
    assert made.arguments is not None and yaml.safe_load(made.arguments) == {"texts": texts}


def test_a_recording_that_stops_in_the_middle() -> None:
    session = read(RECORDED[: RECORDED.index("          two")])
    assert [made.status for made in calls(session)] == [Status.NO_RESULT]
    (found,) = session.diagnostics
    assert found.problem.startswith("not YAML from here on")
    assert found.place.line > 18


def test_what_is_no_message() -> None:
    odd = "- 7\n- {t: 1, dir: c2s}\n- {t: 2, dir: c2s, payload: text}\n- {dir: sideways, payload: {method: ping}}\n"
    session = read(RECORDED.replace("meta:", f"{odd}meta:"))
    assert [found.problem for found in session.diagnostics] == [
        "a message that is not a mapping",
        "a line that is not JSON went over the protocol's channel",
    ]
    assert [block.prompt for block in traffic(session)] == ["not a message, not JSON, 1 notification"]
    assert len(calls(session)) == 1


def test_places_count_bytes() -> None:
    session = read("\ufeff" + RECORDED.replace("# recorded", "# é\n# recorded").replace("\n", "\r\n"))
    (made,) = calls(session)
    assert made.place.line == 4
    assert session.read_raw(made.place).startswith("dir: c2s\r\n")


def test_sample(shared: Path) -> None:
    session = open_session(shared / "samples/mcp-wire/mcp-vcr_tool_binary_response.yaml")
    (made,) = calls(session)
    assert (session.format, session.title, session.id) == ("mcp-vcr", "large-binary-server", "b4a8c3d9")
    assert (made.tool, made.arguments, made.duration_ms, made.status) == ("get_large_image", "{}", 120.0, Status.OK)
    assert made.result is not None and [block.kind for block in made.result.content] == ["text", "image"]
    assert (session.counts.messages, session.diagnostics) == (4, ())
