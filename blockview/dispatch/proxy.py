"""A transparent proxy between a client and its stdio server: each byte is passed on at once, and then kept.

It starts the server as the client would, with the same folder, variables and process group. Loads nothing but the
standard library.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

TO_SERVER, TO_CLIENT, STDERR = "client→server", "server→client", "stderr"

_PIECE = 1 << 16
_LAST_WORDS = 2.0
"""Seconds for what a server that has ended may have left in its pipes; a child of it can hold them for ever."""

Keep = Callable[[str, bytes, bool], None]
"""Gets which way a line went, its bytes without the newline, and whether the stream ended within it."""


class Lines:
    """Cuts a stream into lines and hands them on."""

    def __init__(self, way: str, keep: Keep) -> None:
        self._way, self._keep = way, keep
        self._begun: list[bytes] = []

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the stream."""
        *whole, rest = piece.split(b"\n")
        for line in whole:
            self._keep(self._way, b"".join((*self._begun, line)), False)
            self._begun.clear()
        if rest:
            self._begun.append(rest)

    def end(self) -> None:
        """The stream has ended."""
        if self._begun:
            self._keep(self._way, b"".join(self._begun), True)
            self._begun.clear()


def run(command: Sequence[str], keep: Keep) -> int:
    """Run a server between this process's own stdin and stdout until it ends.

    Args:
        command: The server's program and arguments.
        keep: Gets every line after it was passed on, from several threads.

    Returns:
        The server's exit code; the negative number of the signal that ended it.

    Raises:
        OSError: it cannot be started.
    """
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    assert server.stdin is not None and server.stdout is not None and server.stderr is not None
    _pass_signals_to(server)
    ways = (
        (TO_SERVER, 0, server.stdin.fileno(), server.stdin.close),
        (TO_CLIENT, server.stdout.fileno(), 1, server.stdout.close),
        (STDERR, server.stderr.fileno(), 2, lambda: None),
    )
    threads = [threading.Thread(target=_pass_on, args=(*way, keep), daemon=True) for way in ways]
    for thread in threads:
        thread.start()
    code = server.wait()
    for thread in threads[1:]:
        thread.join(_LAST_WORDS)
    return code


def _pass_on(way: str, source: int, target: int, ended: Callable[[], None], keep: Keep) -> None:
    """Pass on what comes, until there is no more, or nobody takes it: then the sender is to hear of it."""
    lines = Lines(way, keep)
    with suppress(OSError):
        while piece := os.read(source, _PIECE):
            left = memoryview(piece)
            while left:
                left = left[os.write(target, left) :]
            lines.feed(piece)
    with suppress(OSError):
        ended()
    lines.end()


def _pass_signals_to(server: subprocess.Popen[bytes]) -> None:
    def pass_on(number: int, _: object) -> None:
        # A key of the terminal reaches the whole process group, and with it the server.
        if not (number == signal.SIGINT and _in_front()):
            with suppress(OSError):
                server.send_signal(number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), pass_on)


def _in_front() -> bool:
    """Whether this process belongs to the group that gets the keys of its terminal."""
    if sys.platform == "win32":
        return True
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
