"""Processes that look through recordings for a text, one for each core.

They are told by a pipe what to look at and end when it is closed, so none outlives the process that started it.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread

from blockview.commands.searching import search_file
from blockview.commands.shared import add_coerce_option, add_tools_option, lookups
from blockview.core.coercion import Depth
from blockview.core.searching import Told, Wanted

_MOST = 8
"""No more processes are started."""
_PAUSE = 0.05
"""Seconds after which the one who waits hears that nothing was found yet."""
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from blockview.commands.searchers import main; main(sys.argv[2:])"
)
_CLOSED = (EOFError, OSError, ValueError, pickle.UnpicklingError)
"""How it shows that the other end of a pipe is gone."""


def search_files(
    paths: Sequence[str], wanted: Wanted, depth: Depth, tools: str | None
) -> Generator[Told | None, None, None]:
    """Look through files on all cores; see `Search` for what is told.

    Args:
        paths: The files, in the order in which they are begun.
        wanted: What to look for.
        depth: How far coercion reaches.
        tools: The file of `--tools`.
    """
    lanes = _Lanes(paths, wanted, depth, tools)
    try:
        yield from lanes.told()
    finally:
        lanes.stop()


class _Lanes:
    def __init__(self, paths: Sequence[str], wanted: Wanted, depth: Depth, tools: str | None) -> None:
        options = ["--coerce", depth.value, *(["--tools", tools] if tools else [])]
        self._command = [sys.executable, "-P", "-c", _START, json.dumps(sys.path), json.dumps(wanted), *options]
        self._paths = iter(paths)
        self._count = min(_MOST, os.cpu_count() or 1, len(paths))
        self._told: SimpleQueue[Told | None] = SimpleQueue()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._lock = Lock()
        self._stopped = False

    def told(self) -> Iterator[Told | None]:
        """What the processes tell, and None when none has told anything for a while."""
        for _ in range(self._count):
            Thread(target=self._lane, daemon=True).start()
        left = self._count
        while left:
            try:
                told = self._told.get(timeout=_PAUSE)
            except Empty:
                yield None
                continue
            if told is None:
                left -= 1
            else:
                yield told

    def _lane(self) -> None:
        process = None
        while (path := self._next()) is not None:
            process = process or self._start()
            if process is None:
                break
            try:
                self._ask(process, path)
            except _CLOSED:
                process.kill()
                process = None
                self._told.put(Told(path, path, problem="the process that read it came to an end"))
        self._told.put(None)

    def _next(self) -> str | None:
        with self._lock:
            return None if self._stopped else next(self._paths, None)

    def _start(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopped:
                return None
            process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self._processes.append(process)
            return process

    def _ask(self, process: subprocess.Popen[bytes], path: str) -> None:
        if process.stdin is None or process.stdout is None:
            raise EOFError
        pickle.dump(path, process.stdin)
        process.stdin.flush()
        told = Told(path, path)
        while True:
            told = pickle.load(process.stdout)
            self._told.put(told)
            if told.hit is None:
                return

    def stop(self) -> None:
        """End all processes, whatever they do."""
        with self._lock:
            self._stopped = True
            processes = self._processes
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def main(arguments: Sequence[str]) -> None:
    """What each of the processes does: look through the files that come in on stdin, until that is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a key that is meant for the program that started it
    parser = ArgumentParser()
    parser.add_argument("wanted", type=json.loads)
    add_coerce_option(parser)
    add_tools_option(parser)
    options = parser.parse_args(arguments)
    needle, lookup_of, depth = Wanted(*options.wanted).needle(), lookups(options.tools), Depth(options.coerce)
    with suppress(*_CLOSED):
        while True:
            for told in search_file(pickle.load(sys.stdin.buffer), needle, lookup_of, depth):
                pickle.dump(told, sys.stdout.buffer)
                sys.stdout.buffer.flush()
