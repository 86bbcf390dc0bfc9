"""How a call of Claude Code ended, told from its result: mostly prose that changed over the versions."""

from __future__ import annotations

import re

from blockview.core.model import Status

_DENIALS = {
    "permission-rule": (Status.DENIED, "denied by a permission rule"),
    "user-rejected": (Status.REJECTED, "rejected by the user"),
    "cancelled": (Status.CANCELLED, "cancelled"),
}
_PROSE = (
    (r"(<tool_use_error>)?\s*(Error: )?No such tool available", Status.NEVER_SENT, "no such tool"),
    (r"(<tool_use_error>)?\s*InputValidationError", Status.NEVER_SENT, "refused by the client's own validation"),
    (r"The user doesn't want to (proceed|take this action)", Status.REJECTED, "rejected by the user"),
    (r"\[Request interrupted by user", Status.CANCELLED, "interrupted by the user"),
    (r"(<tool_use_error>)?\s*(Error: )?(Cancelled|Sibling tool call errored)", Status.CANCELLED, "cancelled"),
    (r"Claude requested permissions? to .* but you haven't granted it", Status.DENIED, "permission was not granted"),
    (r"Permission to use .* has been (auto-)?denied", Status.DENIED, "denied by a permission rule"),
)
_FAILURES = tuple((re.compile(pattern, re.DOTALL), status, note) for pattern, status, note in _PROSE)
_MCP_ERROR = re.compile(r"MCP error (-?\d+)")
_BACKGROUND = re.compile(
    r"MCP tool \".{1,300}?\" is still running after .{1,40}? moved to the background as task ([\w-]+)"
)
_READ = 1000
"""The prose stands at the beginning; a result may be many megabytes."""


def outcome(text: str, *, is_error: bool, denial: str | None) -> tuple[Status, str]:
    """The status of an answered call and a note on it.

    Args:
        text: The result's text.
        is_error: What the result says of itself.
        denial: The recorded kind of denial, where the client wrote one.
    """
    if denial is not None:
        return _DENIALS.get(denial, (Status.DENIED, denial))
    beginning = text[:_READ]
    if not is_error:
        task = background_task(beginning)
        return (Status.BACKGROUND, f"moved to the background as task {task}") if task else (Status.OK, "")
    for pattern, status, note in _FAILURES:
        if pattern.match(beginning):
            return status, note
    code = _MCP_ERROR.search(beginning)
    return Status.TOOL_ERROR, code[0] if code else ""


def background_task(text: str) -> str | None:
    """The task to which a call was moved, when its result says so."""
    match = _BACKGROUND.match(text[:_READ])
    return match[1] if match else None
