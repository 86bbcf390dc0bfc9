"""What Cline, Roo Code and their kin write as text: calls as XML, results, what the person typed, names of tools."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from blockview.core.model import Status
from blockview.readers.mcp_names import ToolName, resolve

_ANSWER = re.compile(r"\[(\w+)[^\n]*?\] Result:\s*")
_ENVIRONMENT = "<environment_details>"
_TYPED = re.compile(r"\s*<(task|feedback|user_message|answer)>\s*(.*?)\s*</\1>", re.DOTALL)
_NOTES = ("[ERROR]", "[TASK RESUMPTION]", _ENVIRONMENT, "<file_content", "<explicit_instructions")
_NATIVE = re.compile(r"mcp--(.+?)--(.+)", re.DOTALL)
_KEYED = re.compile(r"\w{1,12}0mcp0(.+)", re.DOTALL)
_ERRORS = (
    (r"The user denied this operation", Status.REJECTED, "rejected by the user"),
    (r'\{"status":\s*"denied"', Status.REJECTED, "rejected by the user"),
    (r"[^\n]{0,200}Invalid JSON argument", Status.NEVER_SENT, "the arguments are not JSON"),
    (r'\{"status":\s*"error",\s*"type":\s*"invalid_argument"', Status.NEVER_SENT, "the arguments are not valid"),
    (r"Server '[^'\n]*' is not configured", Status.NEVER_SENT, "no such server"),
    (r"The tool execution failed", Status.TOOL_ERROR, ""),
    (r'\{"status":\s*"error"', Status.TOOL_ERROR, ""),
    (r"Error:\s", Status.TOOL_ERROR, ""),
)
_ENDINGS = tuple((re.compile(pattern), status, note) for pattern, status, note in _ERRORS)
_BEGINNING = 1000
"""How much of a result is looked at: it may be many megabytes."""


class Heard(NamedTuple):
    """What the texts of a user message are: typed by the person, put in by the client, or an MCP call's result."""

    prompts: tuple[str, ...]
    notes: tuple[str, ...]
    answer: str | None


def heard(texts: Iterable[str], *, beside_results: bool) -> Heard:
    """Tell the texts of a user message apart.

    Args:
        texts: The texts in order. A result follows `[use_mcp_tool for 'server'] Result:`, in the same text or the next.
        beside_results: The message holds results in blocks of their own, so that a bare text is the client's.
    """
    prompts: list[str] = []
    notes: list[str] = []
    answer: list[str] | None = None
    holder = notes if beside_results else prompts
    for text in texts:
        if match := _ANSWER.match(text):
            if match[1] != "use_mcp_tool":
                notes.append(text)
                holder = notes
                continue
            answer = holder = [] if answer is None else answer
            text = text[match.end() :]
        text, mark, environment = text.partition(_ENVIRONMENT)
        if typed := _TYPED.match(text):
            prompts.append(typed[2])
        elif text.strip():
            (notes if text.startswith(_NOTES) else holder).append(text)
        if mark:
            notes.append(mark + environment)
    told = None if answer is None else "\n".join(answer).strip()
    return Heard(tuple(prompts), tuple(notes), told)


def is_marked(text: str) -> bool:
    """True for a user's text that only these clients write."""
    return bool(_TYPED.match(text)) or _ENVIRONMENT in text or _ANSWER.match(text) is not None


def ending(text: str, *, failed: bool = False) -> tuple[Status, str]:
    """How a call ended, by its result's text. `failed` is what the result says of itself."""
    beginning = text[:_BEGINNING]
    for pattern, status, note in _ENDINGS:
        if pattern.match(beginning):
            return status, note
    return (Status.TOOL_ERROR, "") if failed else (Status.OK, "")


def name_of(name: str) -> ToolName:
    """The server and the tool of a name: `mcp--server--tool`, `mcp__server__tool`, `server__tool` or `key0mcp0tool`.

    The parts may hold the separator as well, so all of these are guesses; a name without one is the client's own tool.
    """
    if match := _NATIVE.fullmatch(name):
        return ToolName(match[1], match[2], mcp=True, inferred=True)
    if match := _KEYED.fullmatch(name):
        return ToolName(None, match[1], mcp=True, inferred=True)
    server, joined, tool = name.partition("__")
    if server not in ("", "mcp") and joined and tool:
        return ToolName(server, tool, mcp=True, inferred=True)
    return resolve(name)


class XmlCall(NamedTuple):
    """An MCP call as a model writes it in XML; `start` and `end` are where it stands in the text."""

    server: str
    tool: str
    arguments: str | None
    start: int
    end: int


_CALL = re.compile(r"<use_mcp_tool>(.*?)(?:</use_mcp_tool>|\Z)", re.DOTALL)
_MEMBER = {name: re.compile(rf"<{name}>(.*?)</{name}>", re.DOTALL) for name in ("server_name", "tool_name")}
_ARGUMENTS = re.compile(r"<arguments>(.*)</arguments>", re.DOTALL)


def xml_calls(text: str) -> Iterable[XmlCall]:
    """The MCP calls in an assistant's text. The arguments are the model's own characters."""
    for match in _CALL.finditer(text):
        server, tool = (found[1].strip() if (found := _MEMBER[name].search(match[1])) else "" for name in _MEMBER)
        arguments = _ARGUMENTS.search(match[1])
        yield XmlCall(server, tool, arguments[1].strip() if arguments else None, *match.span())
