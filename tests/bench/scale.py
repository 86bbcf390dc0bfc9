"""A transcript of 500 MB beside the machine's own tools: the index, the first screen, find, memory, keys and output.

`BLOCKVIEW_BENCH_MB` sets another size.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import msgspec

from blockview.readers.opening import open_session
from tests.bench.generate import NEEDLE, generate
from tests.bench.startup import MINIMAL
from tests.bench.terminal import Program, private_memory
from tests.bench.timing import Figure, interleaved, ratio

MEGABYTES = int(os.environ.get("BLOCKVIEW_BENCH_MB", "500"))
ROUNDS = 3
FIRST_PROMPT = b"blocks"
"""What the header of the first screen holds."""
READING = b"reading"
"""What the header holds while the recording is read."""
HITS = (b"1 so far", b"1 of 1")
"""What is shown as soon as the one hit is found, and once all was looked through."""
ALLOWED_STALL_MS = 50.0
MEMORY_MB, MEMORY_SHARE = 120.0, 0.05


class _Typed(msgspec.Struct, gc=False):
    type: str | None = None


def scale() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder, "large.jsonl"), Path(folder, "small.jsonl")
        generate(large, MEGABYTES * 1_000_000)
        generate(small, 1_000_000)
        yield from _floors(large)
        yield from _index(large)
        yield from _screens(large, small)
        yield from _memory_and_keys(large)
        yield from _find(large)
        yield from _output(large)
        yield from _follow(Path(folder, "followed.jsonl"))


def _run(*command: str) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def _each_line(path: Path, decode: Callable[[memoryview], object]) -> None:
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        memoryview(data) as view,
    ):
        begin = 0
        while (end := data.find(b"\n", begin)) >= 0:
            decode(view[begin:end])
            begin = end + 1


def _types(path: Path) -> None:
    _each_line(path, msgspec.json.Decoder(_Typed).decode)


def _whole(path: Path) -> None:
    _each_line(path, msgspec.json.Decoder().decode)


def _floors(path: Path) -> Iterator[Figure]:
    """What the machine's own tools take; no budget."""
    name = str(path)
    cat, lines, grep, types, whole = interleaved(
        ROUNDS,
        lambda: _run("cat", name),
        lambda: _run("wc", "-l", name),
        lambda: _run("grep", "-c", NEEDLE, name),
        lambda: _types(path),
        lambda: _whole(path),
    )
    floors = (("cat", cat), ("grep -c", grep), ("msgspec, type only", types), ("msgspec, whole", whole))
    for what, spent in floors:
        yield ratio(f"floor, {MEGABYTES} MB: {what}", float("inf"), spent, lines, "wc -l")


def _index(path: Path) -> Iterator[Figure]:
    ours, base = interleaved(ROUNDS, lambda: open_session(path), lambda: _types(path))
    yield ratio("the whole index", 1.5, ours, base, "type only")


def _app(path: Path, *options: str) -> Program:
    return Program([sys.executable, "-m", "blockview", str(path), *options])


def _screens(large: Path, small: Path) -> Iterator[Figure]:
    def paint(path: Path) -> None:
        with _app(path) as program:
            program.wait(FIRST_PROMPT)

    def minimal() -> None:
        with Program([sys.executable, "-c", MINIMAL]) as program:
            program.wait(b"minimal-marker")

    many, few, base = interleaved(9, lambda: paint(large), lambda: paint(small), minimal)
    yield ratio(f"first screen, {MEGABYTES} MB", 1.3, many, base, "minimal app")
    yield ratio("first screen, 1 MB", 1.3, few, base, "minimal app")


def _memory_and_keys(path: Path) -> Iterator[Figure]:
    """Open and close the help while the file is read and afterwards, then look at what the process holds."""
    with _app(path) as program:
        program.wait(FIRST_PROMPT)
        busy = []
        while program.shows(READING):
            busy.append(_help(program))
        idle = [_help(program) for _ in range(9)]
        held = program.memory()
    longer = max(0.0, max(busy, default=0.0) - median(idle)) * 1e3
    detail = f"of {len(busy)}; medians {median(busy or [0.0]) * 1e3:.0f} / idle {median(idle) * 1e3:.0f} ms"
    yield Figure("a key while reading, longer by at most", ALLOWED_STALL_MS, longer, "ms", detail)
    allowed = MEMORY_MB + MEMORY_SHARE * MEGABYTES
    yield Figure("memory after reading", allowed, held / 1e6, "MB", "private pages")


def _help(program: Program) -> float:
    """Seconds until the help is painted."""
    started = time.perf_counter()
    program.press(b"?")
    program.wait(b"keys and marks")
    spent = time.perf_counter() - started
    program.press(b"q")
    program.settle(0.05)
    return spent


def _find(path: Path) -> Iterator[Figure]:
    spent = []
    for _ in range(ROUNDS):
        with _app(path) as program:
            program.wait(FIRST_PROMPT)
            while program.shows(READING):
                time.sleep(0.02)
            program.press(b"/")
            program.settle(0.1)
            started = time.perf_counter()
            program.press(NEEDLE.encode())
            program.wait(*HITS)
            spent.append(time.perf_counter() - started)
    (base,) = interleaved(ROUNDS, lambda: _run("grep", "-c", NEEDLE, str(path)))
    yield ratio("find a rare text", 3.0, median(spent), base, "grep -c")


def _output(path: Path) -> Iterator[Figure]:
    command = [sys.executable, "-m", "blockview", "render", "--format", "json", str(path)]
    started, held = time.perf_counter(), 0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        held = max(held, private_memory(process.pid))
        time.sleep(0.05)
    spent = time.perf_counter() - started
    (base,) = interleaved(1, lambda: _whole(path))
    yield ratio("render --format json", 4.0, spent, base, "msgspec, whole")
    allowed = MEMORY_MB + MEMORY_SHARE * MEGABYTES
    yield Figure("its memory", allowed, held / 1e6, "MB", "private pages")


def _follow(path: Path) -> Iterator[Figure]:
    generate(path, 1_000_000)
    waits = []
    with _app(path, "--follow") as program:
        program.wait(FIRST_PROMPT)
        program.press(b"G")
        program.settle(0.5)
        for number in range(9):
            record = {"type": "user", "uuid": f"f{number}", "parentUuid": None, "sessionId": "generated"}
            message = {"role": "user", "content": f"followed <{number}>"}
            with path.open("ab") as file:
                file.write(msgspec.json.encode({**record, "message": message}) + b"\n")
            started = time.perf_counter()
            program.wait(f"<{number}>".encode())
            waits.append(time.perf_counter() - started)
    yield Figure("follow shows a new line, median", 300.0, median(waits) * 1e3, "ms", f"at most {max(waits) * 1e3:.0f}")
