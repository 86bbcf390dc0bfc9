"""Processes that look into recordings for the list of sessions, so that nothing waits and all cores help.

They are told what to look at by a pipe and end when it is closed, so none outlives the process that started it.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import IO

from msgspec.structs import replace

from blockview.core.coercion import Depth
from blockview.core.listing import Listing

_MOST = 8
"""No more processes are started."""

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from blockview.commands.counting import main; main(sys.argv[2:])"
)
"""What a process runs: with the modules of this one, and with none that happens to be in the working folder."""

_CLOSED = (EOFError, OSError, ValueError, pickle.UnpicklingError)
"""How it shows that the other end of a pipe is gone."""


class Crew:
    """Looks into recordings in processes of its own, which are started when they are needed.

    Args:
        depth: How far coercion reaches.
        tools: The file of `--tools`.
    """

    def __init__(self, depth: Depth, tools: str | None = None) -> None:
        options = ["--coerce", depth.value, *(["--tools", tools] if tools else [])]
        self._command = [sys.executable, "-P", "-c", _START, json.dumps(sys.path), *options]
        self._idle: list[subprocess.Popen[bytes]] = []
        self._all: list[subprocess.Popen[bytes]] = []
        self._lock = Lock()
        self._stopped = False
        self.lanes = min(_MOST, os.cpu_count() or 1)
        """How many calls of `look` at a time make sense."""

    def look(self, listings: Sequence[Listing]) -> Sequence[Sequence[Listing]]:
        """As `readers.glance.look` does, in one of the processes; when they were stopped, nothing new is known."""
        process = self._taken()
        if process is None:
            return [[listing] for listing in listings]
        try:
            _send(process.stdin, list(listings))
            found: list[list[Listing]] = _received(process.stdout)
        except _CLOSED:
            process.kill()
            return self._without_it(listings)
        with self._lock:
            self._idle.append(process)
        return found

    def _taken(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopped:
                return None
            if self._idle:
                return self._idle.pop()
            process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self._all.append(process)
            return process

    def _without_it(self, listings: Sequence[Listing]) -> Sequence[Sequence[Listing]]:
        """Go on after a process has died: one of the recordings is at fault, and it is found by taking each alone."""
        if self._stopped:
            return [[listing] for listing in listings]
        if len(listings) == 1:
            problem = "the process that read it came to an end"
            return [[replace(listings[0], problem=problem, doubtful=False)]]
        return [self.look([listing])[0] for listing in listings]

    def stop(self) -> None:
        """End all processes, whatever they do."""
        with self._lock:
            self._stopped = True
            started, self._all, self._idle = self._all, [], []
        for process in started:
            process.kill()
        for process in started:
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError, ValueError):
                    pipe.close()  # type: ignore[union-attr]


def _send(pipe: IO[bytes] | None, what: object) -> None:
    if pipe is None:
        raise EOFError
    pickle.dump(what, pipe)
    pipe.flush()


def _received(pipe: IO[bytes] | None) -> list[list[Listing]]:
    if pipe is None:
        raise EOFError
    found: list[list[Listing]] = pickle.load(pipe)
    return found


def main(arguments: Sequence[str]) -> None:
    """What each of the processes does: look at what comes in on stdin, until that is closed."""
    from blockview.commands.shared import add_coerce_option, add_tools_option, lookups
    from blockview.readers.glance import look

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a key that is meant for the program that started it
    parser = ArgumentParser()
    add_coerce_option(parser)
    add_tools_option(parser)
    options = parser.parse_args(arguments)
    lookup_of, depth = lookups(options.tools), Depth(options.coerce)
    with suppress(*_CLOSED):
        while True:
            listings: list[Listing] = pickle.load(sys.stdin.buffer)
            _send(sys.stdout.buffer, look(listings, lookup_of, depth))
