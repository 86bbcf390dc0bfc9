"""What a server's tools/list answers say: the tools with the server's own characters, and their hints."""

from __future__ import annotations

import msgspec

from blockview.core.jsonrpc import Message
from blockview.core.model import ToolSpec
from blockview.core.raw import ABSENT, part_of, present, string_of, text_of
from blockview.core.replaying import Hints


class Page(msgspec.Struct, frozen=True):
    """One tools/list answer.

    `hints` stand in the order of `tools`. `cursor` asks for the next page; it is None on the last one. `problems` has
    one line for each tool that was left out, and for an answer that holds no list at all.
    """

    tools: tuple[ToolSpec, ...] = ()
    hints: tuple[Hints, ...] = ()
    cursor: str | None = None
    problems: tuple[str, ...] = ()


class _Page(msgspec.Struct, frozen=True, gc=False):
    tools: list[msgspec.Raw] | None = None
    cursor: msgspec.Raw = msgspec.field(default=ABSENT, name="nextCursor")


class _Tool(msgspec.Struct, frozen=True, gc=False):
    name: msgspec.Raw = ABSENT
    schema: msgspec.Raw = msgspec.field(default=ABSENT, name="inputSchema")
    output: msgspec.Raw = msgspec.field(default=ABSENT, name="outputSchema")
    annotations: msgspec.Raw = ABSENT


class _Annotations(msgspec.Struct, frozen=True, gc=False):
    read_only: msgspec.Raw = msgspec.field(default=ABSENT, name="readOnlyHint")
    destructive: msgspec.Raw = msgspec.field(default=ABSENT, name="destructiveHint")
    idempotent: msgspec.Raw = msgspec.field(default=ABSENT, name="idempotentHint")
    open_world: msgspec.Raw = msgspec.field(default=ABSENT, name="openWorldHint")


_PAGE = msgspec.json.Decoder(_Page)
_TOOL = msgspec.json.Decoder(_Tool)
_ANNOTATIONS = msgspec.json.Decoder(_Annotations)


def read_page(message: Message, server: str) -> Page:
    """The tools of one answer to tools/list. A malformed tool is left out and does not take the others with it.

    Args:
        message: The answer.
        server: The name of the server, for the tools.
    """
    page = part_of(_PAGE, message.result)
    if page is None or page.tools is None:
        return Page(problems=("the answer to tools/list holds no list of tools",))
    tools: list[ToolSpec] = []
    hints: list[Hints] = []
    problems: list[str] = []
    for number, raw in enumerate(page.tools, 1):
        tool = part_of(_TOOL, raw)
        name = string_of(tool.name) if tool is not None else None
        if tool is None or name is None:
            problems.append(f"tool {number} of a tools/list answer has no name and is left out")
            continue
        tools.append(ToolSpec(server, name, _text(tool.schema), output_schema=_text(tool.output)))
        hints.append(_hints(tool.annotations))
    return Page(tuple(tools), tuple(hints), string_of(page.cursor), tuple(problems))


def _text(raw: msgspec.Raw) -> str | None:
    return text_of(raw) if present(raw) else None


def _hints(raw: msgspec.Raw) -> Hints:
    said = part_of(_ANNOTATIONS, raw) if present(raw) else None
    if said is None:
        return Hints()
    return Hints(
        *(_WORDS.get(bytes(one)) for one in (said.read_only, said.destructive, said.idempotent, said.open_world))
    )


_WORDS = {b"true": True, b"false": False}
