"""Names of servers and tools as clients write them where a name may hold few characters."""

from __future__ import annotations

import re

_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")


def sanitised(name: str) -> str:
    """A server or tool name as it stands inside a recorded tool name."""
    return _UNSAFE.sub("_", name)
