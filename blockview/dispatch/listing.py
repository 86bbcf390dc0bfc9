"""Fetching a server's list of tools, page by page. Loads the SDK."""

from __future__ import annotations

from typing import NamedTuple

from mcp import ClientSession, MCPError
from mcp_types import PaginatedRequestParams
from pydantic import ValidationError

from blockview.core.jsonrpc import message_of
from blockview.core.toolpages import Page, read_page
from blockview.dispatch.outcomes import error_note
from blockview.dispatch.tee import Tee

_PAGES = 200
_BYTES = 64 << 20


class NoList(NamedTuple):
    """Why a server gives no list of tools; `lost` when the connection is gone."""

    reason: str


async def fetch_pages(session: ClientSession, tee: Tee, server: str) -> tuple[list[Page], str]:
    """All pages of tools/list, as the server wrote them, and what went wrong ("" when nothing did).

    A server may give cursors without end: the same one twice, or too many pages, end the list.
    """
    pages: list[Page] = []
    seen: set[str] = set()
    cursor: str | None = None
    size = 0
    while True:
        exchange = tee.begin()
        problem = ""
        try:
            await session.list_tools(params=None if cursor is None else PaginatedRequestParams(cursor=cursor))
        except ValidationError:
            pass  # the SDK drops a page for one bad tool
        except MCPError as error:
            problem = error.message
        answer, trouble, http = exchange.answer, exchange.trouble, exchange.http
        tee.end()
        message = message_of(answer) if answer is not None else None
        if message is None:
            told = trouble or (f"{http} ({problem})" if http else problem)
            return pages, f"tools/list: {told}"
        if message.failed:
            return pages, f"tools/list: {error_note(message)}"
        page = read_page(message, server)
        pages.append(page)
        size += len(answer or b"")
        cursor = page.cursor
        if cursor is None:
            return pages, ""
        if cursor in seen:
            return pages, "the list of tools was cut: the server gave the same cursor twice"
        if len(pages) >= _PAGES or size > _BYTES:
            return pages, f"the list of tools was cut after {len(pages)} pages"
        seen.add(cursor)
