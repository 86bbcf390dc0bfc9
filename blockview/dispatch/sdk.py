"""What the MCP SDK makes of a message, in words for a person. Loads the SDK."""

from __future__ import annotations

import logging
from typing import Any

from mcp_types import JSONRPCResponse, jsonrpc_message_adapter
from mcp_types.methods import validate_server_result
from pydantic import ValidationError

_LOGGERS = ("mcp", "client", "httpx2")


def silence() -> None:
    """Keep the SDK's log records off stderr, which belongs to the screen. Handlers that somebody set still get them."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


def reading(raw: bytes) -> tuple[object, str]:
    """The SDK's message of a text, and why there is none."""
    try:
        return jsonrpc_message_adapter.validate_json(raw, by_name=False), ""
    except ValidationError as error:
        return None, _first(error)


def refused_result(message: object, version: str) -> str:
    """Why the SDK refuses the result of a tools/call; empty when it takes it.

    Args:
        message: What `reading` made of the answer.
        version: The negotiated version of the protocol.
    """
    if not isinstance(message, JSONRPCResponse):
        return ""
    try:
        validate_server_result("tools/call", version, message.result)
    except ValidationError as error:
        return _in_result(error, message.result)
    except (KeyError, ValueError):
        return ""
    return ""


def leaf(error: BaseException) -> BaseException:
    """The first real error inside nested groups of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _first(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    fitting = [one for one in problems if one["loc"][:1] == ("JSONRPCResponse",)] or problems
    where = ".".join(str(part) for part in fitting[0]["loc"][1:])
    return f"{where}: {fitting[0]['msg']}" if where else fitting[0]["msg"]


def _in_result(error: ValidationError, result: dict[str, Any]) -> str:
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    places = [part for part in problem["loc"] if part not in ("CallToolResult", "InputRequiredResult")]
    match places:
        case ["content"] if problem["type"] == "missing":
            return "it has no content"
        case ["content", int(number), *_]:
            block = result["content"][number]
            kind = block.get("type") if isinstance(block, dict) else None
            named = f" (type {kind!r:.40})" if isinstance(kind, str) else ""
            return f"content block {number + 1}{named} is none that MCP has"
        case _:
            return f"{'.'.join(map(str, places))}: {problem['msg']}"
