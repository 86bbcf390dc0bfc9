"""Tools files, and several catalogs in turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from blockview.catalog.chain import chain
from blockview.catalog.file import FileCatalog, ToolsFileError, read_tools
from blockview.core.model import Place, ToolCall
from blockview.core.prepare import Found, Missing

TOOL = '{"name":"add","inputSchema":{"properties":{"n":{"type":"integer","maximum":9007199254740993}}}}'


def call(tool: str = "add", server: str | None = "calc") -> ToolCall:
    return ToolCall("1", tool, tool, "{}", Place(1, 0), server=server)


def write(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "tools.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        f"[{TOOL}]",
        f'{{"tools":[{TOOL}]}}',
        f'{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{TOOL}]}}}}',
        f"\ufeff[{TOOL}]",
    ],
)
def test_every_shape_is_read_with_exact_schemas(tmp_path: Path, text: str) -> None:
    (spec,) = read_tools(write(tmp_path, text))
    assert spec.name == "add"
    assert spec.schema == '{"properties":{"n":{"type":"integer","maximum":9007199254740993}}}'
    answer = FileCatalog((spec,), "tools.json").lookup(call())
    assert isinstance(answer, Found)
    assert answer.source == "tools.json"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[{"name":"a"}\n,]', r"tools.json: not JSON: .* \(line 2, byte 15\)"),
        ("{}", "no list of tools"),
        ("[1,2]", "no entry of the list is a tool"),
        (b"\xff\xfe\x00", "not JSON"),
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str | bytes, problem: str) -> None:
    with pytest.raises(ToolsFileError, match=problem):
        read_tools(write(tmp_path, text))


def test_a_tool_with_a_server_answers_for_that_server(tmp_path: Path) -> None:
    text = '[{"name":"add","server":"a","inputSchema":{"x":1}},{"name":"add","server":"b","inputSchema":{"x":2}}]'
    catalog = FileCatalog(read_tools(write(tmp_path, text)), "t")
    assert catalog.lookup(call(server="b")) == Found({"x": 2}, "t")
    assert catalog.lookup(call(server=None)) == Found({"x": 1}, "t (ambiguous: b has it too)")
    assert catalog.lookup(call(server="c")) == Missing("t does not have add")


def test_a_chain_gives_the_first_schema_or_all_reasons() -> None:
    def broken(call: ToolCall) -> Found:
        raise OSError("gone")

    found = Found({}, "second")
    assert chain(broken, lambda call: found)(call()) == found
    assert chain(broken, lambda call: Missing("not here"))(call()) == Missing(
        "the lookup failed: OSError: gone; not here"
    )
    assert chain()(call()) == Missing("no tool list was given")
