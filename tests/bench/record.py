"""What `blockview record` adds to a call: one line to a server that echoes it, and its answer."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.terminal import ROOT
from tests.bench.timing import Figure, interleaved

CALLS = 50
TURNS = 40
LINE = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"line":5.0}}}\n'


class _Echo:
    def __init__(self, *before: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([*before, "cat"], stdin=pipe, stdout=pipe, bufsize=0, cwd=ROOT)
        self.many()

    def many(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        for _ in range(CALLS):
            self.process.stdin.write(LINE)
            left = len(LINE)
            while left:
                left -= len(self.process.stdout.read(left))

    def end(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def record() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder, "out.jsonl"))
        plain = _Echo()
        ours = _Echo(sys.executable, "-m", "blockview", "record", "-o", output, "--")
        spent, base = interleaved(TURNS, ours.many, plain.many)
        plain.end()
        ours.end()
    added = (spent - base) / CALLS * 1e3
    yield Figure(
        "record adds to a call", 0.2, added, "ms", f"{spent / CALLS * 1e3:.3f} ms / direct {base / CALLS * 1e3:.3f} ms"
    )
