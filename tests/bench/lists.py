"""The list of a large session against that of a small one: to open it, and to press a key in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from statistics import median
from time import perf_counter
from typing import overload

from blockview.core.model import Block, Place, Session, ToolCall
from blockview.core.prepare import Found
from blockview.ui.app import Opened, run_app
from tests.bench.terminal import Program
from tests.bench.timing import Figure, interleaved

SMALL, LARGE = 100, 100_000
ROUNDS = 9
FRAME_MS = 1000 / 60
SCHEMA = {"properties": {"line": {"type": "integer"}}}


class Generated(Sequence[Block]):
    """Blocks that exist when somebody looks at them, as those of a file do."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int, /) -> Block: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[Block]: ...
    def __getitem__(self, index: int | slice, /) -> Block | Sequence[Block]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._size))]
        if not 0 <= index < self._size:
            raise IndexError(index)
        place = Place(index + 1, index * 100)
        call = ToolCall(f"call-{index}", "mcp__editor__open", "open", '{"line":5.0}', place, server="editor")
        return Block(index, f"prompt <{index}>", place, (call,))


def session(size: int) -> Session:
    blocks = Generated(size)
    return Session("generated.jsonl", "generated", blocks, call_counts=[1] * size)


def browse(size: int) -> None:
    """Run the app on a generated session; what the measured processes do."""
    run_app(Opened(session(size), lambda call: Found(SCHEMA, "bench")))


def _start(size: int) -> Program:
    return Program([sys.executable, "-c", f"from tests.bench.lists import browse; browse({size})"])


def _open(size: int) -> None:
    with _start(size) as program:
        program.wait(b"<0>")


def _key_seconds(program: Program, size: int) -> list[float]:
    """Jump to the end and back: seconds from the key until the other end is painted."""
    spent = []
    for key, marker in ((b"G", f"<{size - 1}>"), (b"g", "<0>")):
        program.settle(0.05)
        started = perf_counter()
        program.press(key)
        program.wait(marker.encode())
        spent.append(perf_counter() - started)
    return spent


def large_list() -> Iterator[Figure]:
    sizes = f"{LARGE:,} / {SMALL:,} blocks"
    large, small = interleaved(ROUNDS, lambda: _open(LARGE), lambda: _open(SMALL))
    detail = f"{sizes}: {large * 1e3:.0f} / {small * 1e3:.0f} ms"
    yield Figure("open the list", 1.1, large / small, "x", detail)
    with _start(SMALL) as few, _start(LARGE) as many:
        few.wait(b"<0>")
        many.wait(b"<0>")
        pairs = [(_key_seconds(many, LARGE), _key_seconds(few, SMALL)) for _ in range(ROUNDS)]
    large, small = (median(chain.from_iterable(column)) for column in zip(*pairs, strict=True))
    detail = f"{sizes}: {large * 1e3:.1f} / {small * 1e3:.1f} ms"
    yield Figure("press a key, longer by", FRAME_MS, max(0.0, large - small) * 1e3, "ms", detail)
