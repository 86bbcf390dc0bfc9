"""blockview shows what an agent's MCP tool calls really sent, and the exact digits that came back.

The public names are resolved when they are first used, so that `import blockview` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blockview.core.coercion import Depth as Depth
    from blockview.core.model import Block as Block
    from blockview.core.model import Session as Session
    from blockview.core.model import ToolCall as ToolCall
    from blockview.core.model import ToolResult as ToolResult
    from blockview.core.prepare import prepare as prepare
    from blockview.core.result import result_value as result_value
    from blockview.library import lookup_in as lookup_in
    from blockview.library import render as render
    from blockview.readers.opening import open_session as open_session

__version__ = "0.1.0"

_HOMES = {
    "Block": "core.model",
    "Depth": "core.coercion",
    "Session": "core.model",
    "ToolCall": "core.model",
    "ToolResult": "core.model",
    "lookup_in": "library",
    "open_session": "readers.opening",
    "prepare": "core.prepare",
    "render": "library",
    "result_value": "core.result",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
