"""Processes that look through the bytes of a large recording, each through a part of it.

They are told by a pipe what to look for, and end when nobody listens to them any more, so none outlives the process
that started it.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

from blockview.core.bytefind import OVERLAP, Probe
from blockview.readers.scanning import Read, places_in

_PAUSE = 0.05
"""Seconds after which the one who waits hears that nothing was found yet."""
_NICE = 10
"""By how much others go first, above all the one who waits: he has a screen to draw."""
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from blockview.readers.scanners import main; main(sys.argv[2:])"
)
_CLOSED = (EOFError, OSError, ValueError, pickle.UnpicklingError)


def by_processes(path: str, read: Read, size: int, probe: Probe, lanes: int) -> Iterator[list[int]]:
    """As `scanning.places`, for the first `size` bytes of the file at `path`, by so many processes.

    What a process does not finish is looked through here, with `read`.
    """
    told: SimpleQueue[list[int] | None] = SimpleQueue()
    step = -(-size // lanes)
    # What stands across the end of a part is found by the one who looks through the part.
    parts = [(start, min(size, start + step + OVERLAP)) for start in range(0, size, step)]
    processes = [_started(path, *part, probe) for part in parts]
    try:
        for process in processes:
            Thread(target=_hear, args=(process, told), daemon=True).start()
        left = len(processes)
        while left:
            try:
                found = told.get(timeout=_PAUSE)
            except Empty:
                yield []
                continue
            if found is None:
                left -= 1
            else:
                yield found
        for process, part in zip(processes, parts, strict=True):
            if process is None or process.wait():
                yield from places_in(read, *part, probe)
    finally:
        for process in filter(None, processes):
            process.kill()
            process.wait()


def _started(path: str, start: int, end: int, probe: Probe) -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-P", "-c", _START, json.dumps(sys.path), path, str(start), str(end)]
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    with suppress(OSError):  # that it is gone shows when it is listened to
        if process.stdin is not None:
            with process.stdin as pipe:
                pickle.dump(tuple(probe), pipe)
    return process


def _hear(process: subprocess.Popen[bytes] | None, told: SimpleQueue[list[int] | None]) -> None:
    """Pass on what a process tells; None when it tells no more."""
    if process is not None and process.stdout is not None:
        with suppress(*_CLOSED), process.stdout as pipe:
            while True:
                told.put(pickle.load(pipe))
    told.put(None)


def _reading(file: IO[bytes]) -> Read:
    def read(start: int, length: int) -> bytes:
        file.seek(start)
        return file.read(length)

    return read


def main(arguments: list[str]) -> None:
    """What each of the processes does: look through its part of a file, and tell what it finds on stdout."""
    path, start, end = arguments
    if hasattr(os, "nice"):
        os.nice(_NICE)
    probe = Probe(*pickle.load(sys.stdin.buffer))
    with suppress(BrokenPipeError), open(path, "rb", buffering=0) as file:
        for found in places_in(_reading(file), int(start), int(end), probe):
            # Also what is empty is written, so that it ends soon when nobody listens any more.
            pickle.dump(found, sys.stdout.buffer)
            sys.stdout.buffer.flush()
