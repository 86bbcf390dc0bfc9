"""How long a person waits: `blockview --help`, and the first screen of the demo in a real terminal device."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence

from tests.bench.terminal import ROOT, Program
from tests.bench.timing import Figure, interleaved, ratio

MINIMAL = """
from textual.app import App
from textual.widgets import Static
class Minimal(App):
    def compose(self):
        yield Static("minimal-marker")
Minimal().run()
"""


def help_text() -> Iterator[Figure]:
    def run(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)

    ours, base = interleaved(30, lambda: run("-m", "blockview", "--help"), lambda: run("-c", "pass"))
    yield ratio("blockview --help", 3.0, ours, base, "python -c pass")


def first_screen() -> Iterator[Figure]:
    demo = [sys.executable, "-m", "blockview", "demo"]
    minimal = [sys.executable, "-c", MINIMAL]
    ours, base = interleaved(15, lambda: _paint(demo, b"server.go"), lambda: _paint(minimal, b"minimal-marker"))
    yield ratio("first screen of the demo", 1.3, ours, base, "minimal app")


def _paint(command: Sequence[str], marker: bytes) -> None:
    with Program(command) as program:
        program.wait(marker)
