"""The lines that Claude Code writes, in transcripts and as stream-json, and what its user lines say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

LINE_TYPES = frozenset(
    {
        "user", "assistant", "system", "summary", "attachment", "progress", "queue-operation",
        "file-history-snapshot", "custom-title", "ai-title", "agent-name", "agent-color", "agent-setting",
        "last-prompt", "mode", "permission-mode", "pr-link", "worktree-state", "relocated", "frame-link",
        "started", "result", "bridge-session", "atis-latch", "saved_hook_context", "rewind-pointer",
        "auto-mode-denial", "tag", "stream_event", "rate_limit_event", "control_request", "control_response",
        "control_cancel_request", "keep_alive", "tool_progress", "auth_status", "tool_use_summary",
    }
)  # fmt: skip
"""The types of line that are known, whether or not they show anything."""


class Envelope(msgspec.Struct, rename="camel", gc=False):
    """What lines of all types have in common. Any member may be null or absent."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    timestamp: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    is_meta: bool | None = None
    is_synthetic: bool | None = None
    is_compact_summary: bool | None = None
    parent_call: str | None = msgspec.field(default=None, name="parent_tool_use_id")

    @property
    def hidden(self) -> bool:
        """True for what the client says to the model in the user's name."""
        return bool(self.is_meta or self.is_synthetic)


class IndexPart(msgspec.Struct, gc=False):
    """What the pass wants to know of a content block."""

    type: str | None = None
    id: str | None = None
    tool_use_id: str | None = None
    text: msgspec.Raw = msgspec.Raw()


class IndexMessage(msgspec.Struct, gc=False):
    """What the pass wants to know of a message."""

    id: str | None = None
    content: str | list[IndexPart] | None = None


class _Progress(msgspec.Struct, rename="camel", gc=False):
    type: str | None = None
    server_name: str | None = None
    tool_name: str | None = None
    elapsed_time_ms: float | None = None


class Attachment(msgspec.Struct, rename="camel", gc=False):
    """What the client attached to a prompt; some kinds tell of servers."""

    type: str | None = None
    pending_mcp_servers: list[str] | None = None
    added_names: list[str] | None = None


class Named(msgspec.Struct, gc=False):
    """A server as stream-json's first line lists it."""

    name: str | None = None
    status: str | None = None


class _Denied(msgspec.Struct, gc=False):
    tool_use_id: str | None = None


class IndexLine(Envelope, rename="camel", gc=False):
    """What the pass wants to know of a line."""

    session_id: str | None = None
    session: str | None = msgspec.field(default=None, name="session_id")
    message: IndexMessage | None = None
    content: msgspec.Raw = msgspec.Raw()
    summary: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    data: _Progress | None = None
    call_id: str | None = msgspec.field(default=None, name="toolUseID")
    outer_call_id: str | None = msgspec.field(default=None, name="parentToolUseID")
    attachment: Attachment | None = None
    mcp_servers: list[Named] | None = msgspec.field(default=None, name="mcp_servers")
    denials: list[_Denied] | None = msgspec.field(default=None, name="permission_denials")


class Content(msgspec.Struct, gc=False):
    """A message, of which only the content is shown."""

    content: msgspec.Raw = msgspec.Raw()


class McpMeta(msgspec.Struct, rename="camel", gc=False):
    """What an MCP server sent beside the content of a result."""

    structured_content: msgspec.Raw = msgspec.Raw()


class Compaction(msgspec.Struct, rename="camel", gc=False):
    """Why the context was compacted, and how many tokens it had (transcripts and stream-json spell that apart)."""

    trigger: str | None = None
    pre_tokens: int | None = None
    tokens_before: int | None = msgspec.field(default=None, name="pre_tokens")


class Queued(msgspec.Struct, gc=False):
    """An attachment; a queued command carries a prompt that was typed while the agent worked."""

    type: str | None = None
    prompt: msgspec.Raw = msgspec.Raw()


class BlockLine(Envelope, rename="camel", gc=False):
    """What a block shows of a line."""

    message: Content | None = None
    content: msgspec.Raw = msgspec.Raw()
    tool_use_result: msgspec.Raw = msgspec.Raw()
    mcp_meta: McpMeta | None = None
    tool_denial_kind: str | None = None
    is_aborted_mid_stream: bool | None = None
    compact_metadata: Compaction | None = None
    compaction: Compaction | None = msgspec.field(default=None, name="compact_metadata")
    attachment: Queued | None = None
    model: str | None = None
    tools: list[str] | None = None
    mcp_servers: list[Named] | None = msgspec.field(default=None, name="mcp_servers")
    result: msgspec.Raw = msgspec.Raw()
    is_error: bool | None = msgspec.field(default=None, name="is_error")
    num_turns: int | None = msgspec.field(default=None, name="num_turns")
    duration_ms: float | None = msgspec.field(default=None, name="duration_ms")


class Said(NamedTuple):
    """What a user line says: the person's prompt (None: there is none), and what the client put in."""

    prompt: str | None
    notes: tuple[str, ...]


_INJECTED = re.compile(
    r"\s*<(local-command-\w+|bash-stdout|bash-stderr|task-notification|ide_\w+|system-reminder|user-prompt-submit-hook)>"
    r".*?</\1>\s*",
    re.DOTALL,
)
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_COMMAND_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_BASH = re.compile(r"\s*<bash-input>(.*?)</bash-input>", re.DOTALL)
_INTERRUPTED = "[Request interrupted by user"


def said(texts: Iterable[str]) -> Said:
    """Tell the person's words from what the client injected into a user line's texts."""
    prompts: list[str] = []
    notes: list[str] = []
    for text in texts:
        while match := _INJECTED.match(text):
            notes.append(match[0].strip())
            text = text[match.end() :]
        if text.startswith(_INTERRUPTED):
            notes.append(text)
        elif text.strip():
            prompts.append(_command(text))
    return Said("\n".join(prompts) if prompts else None, tuple(notes))


def _command(text: str) -> str:
    """A slash command or a shell command the way it was typed; any other text as it is."""
    if bash := _BASH.match(text):
        return f"! {bash[1].strip()}"
    if not text.lstrip().startswith(("<command-name>", "<command-message>")):
        return text
    name, arguments = _COMMAND.search(text), _COMMAND_ARGUMENTS.search(text)
    if name is None:
        return text
    return f"/{name[1].strip().removeprefix('/')} {arguments[1].strip() if arguments else ''}".rstrip()


def moment(timestamp: str | None) -> datetime | None:
    """The time of a line; None when it has none or one that cannot be read. Without a zone it counts as UTC."""
    try:
        time = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
