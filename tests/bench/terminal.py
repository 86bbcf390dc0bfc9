"""A program on a terminal device of its own, to measure what a person waits for."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0


def private_memory(process: int) -> int:
    """Bytes of private memory that a process holds; 0 for one that has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return 1024 * next((int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon:")), 0)


class Program:
    """Starts a program at 120x40; leaving the context stops it."""

    def __init__(self, command: Sequence[str]) -> None:
        self._last = b""
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(ROOT)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
            os.execvp(command[0], command)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._terminal)

    def press(self, key: bytes) -> None:
        os.write(self._terminal, key)

    def wait(self, *markers: bytes, patience: float = PATIENCE) -> None:
        """Return as soon as one of the markers has been painted since the last wait."""
        deadline = monotonic() + patience
        painted = b""
        while not any(marker in painted for marker in markers):
            ready, _, _ = select.select([self._terminal], [], [], max(0.0, deadline - monotonic()))
            if not ready:
                raise TimeoutError(f"{markers!r} was not painted; the end of what was: {painted[-500:]!r}")
            painted += os.read(self._terminal, 65536)

    def shows(self, marker: bytes) -> bool:
        """Whether a marker was painted lately: in what came since this was asked before, or in the last second."""
        deadline = monotonic() + 1.0
        while marker not in self._last and select.select([self._terminal], [], [], max(0.0, deadline - monotonic()))[0]:
            self._last += os.read(self._terminal, 65536)
        found = marker in self._last
        self._last = b""
        return found

    def memory(self) -> int:
        """Bytes of private memory that the program holds."""
        return private_memory(self._pid)

    def settle(self, seconds: float) -> None:
        """Read what is still painted until nothing came for some time, but for no longer than ten times that."""
        deadline = monotonic() + 10 * seconds
        while monotonic() < deadline and select.select([self._terminal], [], [], seconds)[0]:
            self._last = os.read(self._terminal, 65536)
