"""Process groups of servers: each server leads a group of its own, so that its children end with it."""

from __future__ import annotations

import os


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group (0 only asks); False when nobody is left in it, or nobody of ours."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
