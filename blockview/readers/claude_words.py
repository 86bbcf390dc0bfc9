"""The words that a Claude Code session shows beside what was recorded."""

from __future__ import annotations

from blockview.readers.claude_known import Known

ADDED = """
300 abandoned action after agent answer are arguments assistant attachment auto available background base64 been before
block boundary branch but call camel can cancelled claude client compact compacted context cut denied document doesn
end ends error errored granted has haven here image init inputvalidationerror interrupted its itself json line longer
mcp microcompact mid mimetype model moved never not note nothing off own part permission permissions proceed queued
read recorded recording redacted refused rejected request requested result rule running sent server servers session
sibling starts still stream subagent such surrogateescape take task text the thinking this tokens told tool tools turns
unknown unparsedtoolinput use user utf validation want was you
"""
"""All words in the texts from which notes and states are made, and then some, in small letters."""


def added(known: Known) -> str:
    """Those words, and what a block may show that stands in records of other blocks: names of servers, tools, agents.

    A tool's name is recorded with its server's name in it, but without the characters that no tool's name may have.
    """
    progress = [name for told in known.progress.values() for name in (told.server, told.tool) if name]
    return " ".join((ADDED, *known.servers, *progress, *known.asked.values())).lower()
