"""The ends of servers: each leads a process group of its own, so that its children end with it.

A server is in a session of its own too, so no terminal and no shell ends it when the program goes.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable
from time import monotonic

_STEPS = ((0.5, signal.SIGTERM), (1.0, signal.SIGKILL))
"""When the program ends: seconds for a server to end by itself, and what it gets when it has not."""

_REAPED = 0.3
"""Seconds until a killed server has been waited for."""


class Owner(threading.Thread):
    """The thread of one connection. The interpreter's own list of threads knows all that run.

    Args:
        name: The thread's name.
        work: What the thread does: the whole life of the connection.
        close: Asks the connection to end; returns at once.
        group: Gives the server's process group, 0 while there is none.
    """

    def __init__(
        self, name: str, work: Callable[[], object], close: Callable[[], object], group: Callable[[], int]
    ) -> None:
        super().__init__(target=work, name=name, daemon=True)
        self.close, self.group = close, group
        self.begun = False
        """False while the thread only loads what it needs; one that is asked to end by then starts no server."""
        self.left = False
        """True when its server has got SIGKILL, and nobody waits for it any more."""


def end_all() -> None:
    """End all connections and their servers, for the end of the program: within 2 s, whatever the servers do.

    Raises:
        KeyboardInterrupt: the person does not want to wait; the servers are killed by then.
    """
    owners = _running()
    for owner in owners:
        owner.close()
    owners = [owner for owner in owners if owner.begun]
    try:
        for seconds, number in _STEPS:
            _join(owners, seconds)
            _signal(owners, number)
        _join(owners, _REAPED)
    except BaseException:
        _signal(owners, signal.SIGKILL)
        raise
    finally:
        for owner in owners:
            owner.left = True


def kill_all() -> None:
    """End the servers of all connections at once."""
    _signal(_running(), signal.SIGKILL)


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group (0 only asks); False when nobody is left in it, or nobody of ours."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _running() -> list[Owner]:
    return [thread for thread in threading.enumerate() if isinstance(thread, Owner) and not thread.left]


def _join(owners: Iterable[Owner], seconds: float) -> None:
    deadline = monotonic() + seconds
    for owner in owners:
        owner.join(max(0.0, deadline - monotonic()))


def _signal(owners: Iterable[Owner], number: int) -> None:
    for owner in owners:
        if owner.is_alive() and (group := owner.group()):
            signal_group(group, number)
