"""A tools file as a catalog: a tools/list result, or a bare array of tools."""

from __future__ import annotations

from pathlib import Path

from blockview.catalog.tools import Schemas
from blockview.core.jsontext import JsonError, Kind, Tree, decode_string, parse
from blockview.core.model import ToolCall, ToolSpec
from blockview.core.prepare import Found, Missing
from blockview.core.safetext import short_name

_SCHEMA_KEYS = ("inputSchema", "input_schema", "parameters")


class ToolsFileError(ValueError):
    """A tools file cannot be used; the message says what is wrong and where."""


def read_tools(path: Path) -> tuple[ToolSpec, ...]:
    """The tools of a file, with their schemas as written.

    Takes a bare array of tools, a tools/list result or the whole JSON-RPC response around it. A tool may carry a
    "server" member; without it the tool answers for every server.

    Raises:
        ToolsFileError: the file is not JSON or holds no list of tools.
        OSError: the file cannot be read.
    """
    text = path.read_bytes().decode("utf-8-sig", "surrogateescape")
    try:
        tree = parse(text, lax=True)
    except JsonError as error:
        line = text.count("\n", 0, error.position) + 1
        byte = len(text[: error.position].encode("utf-8", "surrogateescape"))
        raise ToolsFileError(f"{path}: not JSON: {error.problem} (line {line}, byte {byte})") from None
    listed = _tools_array(tree)
    if listed is None:
        raise ToolsFileError(f"{path}: no list of tools; expected an array of tools or a tools/list result")
    specs = [spec for number in tree.children(listed) if (spec := _spec(tree, number)) is not None]
    if not specs and tree.nodes[listed].size:
        raise ToolsFileError(f"{path}: no entry of the list is a tool with a name")
    return tuple(specs)


class FileCatalog:
    """Answers from a tools file. A tool without a server there answers for every server."""

    def __init__(self, tools: tuple[ToolSpec, ...], source: str) -> None:
        self._tools = tools
        self._source = source
        self._schemas = Schemas()

    def lookup(self, call: ToolCall) -> Found | Missing:
        """The input schema of the call's tool as the file has it."""
        specs = self._specs(call)
        if not specs:
            return Missing(f"{self._source} does not have {short_name(call.tool)}")
        others = sorted({short_name(spec.server or "another entry") for spec in specs[1:]})
        doubt = f" (ambiguous: {', '.join(others)} has it too)" if others else ""
        return self._schemas.answer(specs[0], f"{self._source}{doubt}")

    def output_schema(self, call: ToolCall) -> str | None:
        """The text of the output schema of the call's tool, if the file has one."""
        specs = self._specs(call)
        return specs[0].output_schema if specs else None

    def _specs(self, call: ToolCall) -> list[ToolSpec]:
        specs = [spec for spec in self._tools if spec.name == call.tool]
        if call.server is not None:
            specs = [spec for spec in specs if spec.server in (None, call.server)]
        return specs


def _tools_array(tree: Tree) -> int | None:
    number = 0
    for _ in range(3):
        if tree.nodes[number].kind is Kind.ARRAY:
            return number
        inner = _member(tree, number, "tools")
        inner = _member(tree, number, "result") if inner is None else inner
        if inner is None:
            return None
        number = inner
    return None


def _member(tree: Tree, number: int, key: str) -> int | None:
    """The index of the last member of that name of an object; None for other values."""
    found = None
    if tree.nodes[number].kind is Kind.OBJECT:
        for child in tree.children(number):
            if tree.nodes[child].key == key:
                found = child
    return found


def _spec(tree: Tree, number: int) -> ToolSpec | None:
    wrapped = _member(tree, number, "function")
    number = number if wrapped is None else wrapped
    name = _string(tree, number, "name")
    if name is None:
        return None
    schema = next((at for key in _SCHEMA_KEYS if (at := _member(tree, number, key)) is not None), None)
    output = _member(tree, number, "outputSchema")
    return ToolSpec(
        server=_string(tree, number, "server"),
        name=name,
        schema=None if schema is None else tree.literal(schema),
        output_schema=None if output is None else tree.literal(output),
    )


def _string(tree: Tree, number: int, key: str) -> str | None:
    at = _member(tree, number, key)
    return decode_string(tree.literal(at)) if at is not None and tree.nodes[at].kind is Kind.STRING else None
