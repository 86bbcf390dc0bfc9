"""What other programs need beside the model: the schemas for a session's calls, and a session in print."""

from __future__ import annotations

import os
from pathlib import Path

from blockview.catalog.chain import chain
from blockview.catalog.file import FileCatalog, read_tools
from blockview.catalog.recording import RecordingCatalog
from blockview.core.coercion import Depth
from blockview.core.model import Session, ToolCall
from blockview.core.prepare import Lookup, Prepared, prepare
from blockview.core.query import parse
from blockview.export.forms import chunks
from blockview.export.lines import Choice


def lookup_in(session: Session, tools: str | os.PathLike[str] | None = None) -> Lookup:
    """The lookup that asks the recording's own tool lists, then a tools file. `prepare` takes it.

    Args:
        session: The session whose calls are to be looked up.
        tools: A tools/list result, or an array of tools, as JSON.

    Raises:
        ToolsFileError: the file is none; a ValueError.
        OSError: the file cannot be read.
    """
    recorded = RecordingCatalog(session.tools).lookup
    if tools is None:
        return recorded
    path = Path(tools)
    return chain(recorded, FileCatalog(read_tools(path), path.name).lookup)


def render(
    session: Session,
    form: str = "text",
    *,
    tools: str | os.PathLike[str] | None = None,
    lookup: Lookup | None = None,
    depth: Depth | str = Depth.TOP,
    width: int = 100,
    block: int | None = None,
    call: str | None = None,
    filter: str = "",
    recorded: bool = False,
) -> str:
    """A session, or a part of it, as `blockview render` prints it.

    Args:
        session: The session.
        form: "text", "ansi", "markdown", "html", "svg" or "json".
        tools: A tools file for schemas that the recording does not have.
        lookup: Asked for schemas in place of `lookup_in(session, tools)`.
        depth: How far coercion reaches: "top", "deep" or "off".
        width: Cells per line.
        block: Only the block of this number, from 1.
        call: Only the call of this id.
        filter: Only what a filter holds for; in the words of the app's `f`.
        recorded: The recorded text of the arguments, not what is dispatched.

    Raises:
        ValueError: the form, the depth or the filter is none, or a picture would have too many lines.
    """
    asked = lookup or lookup_in(session, tools)
    reach = Depth(depth)

    def prepare_call(one: ToolCall) -> Prepared:
        return prepare(one, asked, reach)

    query = parse(filter) if filter else None
    choice = Choice(
        None if block is None else (block - 1,),
        call,
        None if query is None else lambda one: query.rows(one, prepare_call),
    )
    return "".join(chunks(form, session, prepare_call, width=width, choice=choice, recorded=recorded))
