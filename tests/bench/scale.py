"""Huge transcripts beside the machine's own tools: index, first screen, find, memory, keys, large results, output.

`python -m tests.bench scale [--size MB] [--keep FOLDER]`
"""

from __future__ import annotations

import mmap
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from statistics import median

import msgspec

from blockview.readers.opening import open_session
from tests.bench.generate import NEEDLE, blocks, generate, result
from tests.bench.startup import MINIMAL
from tests.bench.terminal import PATIENCE, Program, private_memory
from tests.bench.timing import Figure, interleaved, ratio

ROUNDS = 3
FIRST_PROMPT = b"blocks"
"""What the header of the first screen holds."""
READING = b"reading"
"""What the header holds while the recording is read."""
HITS = (b"1 so far", b"1 of 1")
"""What is shown as soon as the one hit is found, and once all was looked through."""
ALLOWED_STALL_MS = 50.0
MEMORY_MB, MEMORY_SHARE = 120.0, 0.05
MANY, FEW = 1_000_000, 1_000
"""Blocks of the sessions in which a page down is compared."""
RESULT_MB = 50
THIRTEENTH = b"m12\x1b"
"""What is painted of an item on the first screen of a large result: its number, in colours."""
COUNTING = "… changed".encode()
"""What the header holds while the marks are counted."""
PAGE = 38
"""Rows of the list at 40 lines."""
PAGES = 12
BEFORE_THE_END = 0.9
"""The share of the reading after which the end of a file counts as shown before all of it is read."""


class _Typed(msgspec.Struct, gc=False):
    type: str | None = None


def scale(megabytes: int = 500, keep: Path | None = None) -> Iterator[Figure]:
    """Measure everything.

    Args:
        megabytes: The size of the large transcript.
        keep: Where the transcripts are written to and stay; without it they are removed.
    """
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    with nullcontext(str(keep)) if keep else tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder, "large.jsonl"), Path(folder, "small.jsonl")
        many, few, heavy = (Path(folder, f"{name}.jsonl") for name in ("many", "few", "result"))
        generate(large, megabytes * 1_000_000)
        generate(small, 1_000_000)
        yield from _floors(large)
        yield from _index(large)
        yield from _screens(large, small)
        yield from _memory_and_keys(large)
        yield from _find(large)
        yield from _output(large)
        yield from _follow(Path(folder, "followed.jsonl"))
        generate(heavy, RESULT_MB * 1_000_000, result)
        yield from _large_result(heavy)
        generate(many, MANY, blocks)
        generate(few, FEW, blocks)
        yield from _end_and_pages(many, few)


def _megabytes(path: Path) -> float:
    return path.stat().st_size / 1e6


def _allowed_memory(path: Path) -> float:
    """MB of private memory for a recording."""
    return MEMORY_MB + MEMORY_SHARE * _megabytes(path)


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
        yield ratio(f"floor, {_megabytes(path):.0f} MB: {what}", float("inf"), spent, lines, "wc -l")


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
    yield ratio(f"first screen, {_megabytes(large):.0f} MB", 1.3, many, base, "minimal app")
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
    yield Figure("memory after reading", _allowed_memory(path), held / 1e6, "MB", "private pages")


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
    yield Figure("its memory", _allowed_memory(path), held / 1e6, "MB", "private pages")


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


def _large_result(path: Path) -> Iterator[Figure]:
    """Go to a call with a large result, then unfold that, against one decode of the result's text."""
    message = msgspec.json.decode(path.read_bytes().splitlines()[2])["message"]
    text = message["content"][0]["content"][0]["text"].encode()
    items = f"{len(msgspec.json.decode(text)):,}".encode()
    turns = [_unfold(path, items) for _ in range(ROUNDS)]
    (base,) = interleaved(ROUNDS, lambda: msgspec.json.decode(text))
    folded, opened = (median(column) for column in zip(*turns, strict=True))
    size = f"{len(text) / 1e6:.0f} MB"
    yield ratio(f"a call with a result of {size}, folded", 1.5, folded, base, "one decode")
    yield ratio(f"the result of {size} unfolded", 1.5, opened, base, "one decode")


def _unfold(path: Path, items: bytes) -> tuple[float, float]:
    """Seconds until the call is shown with its result folded, and from there until the result is unfolded."""
    with _app(path) as program:
        program.wait(b"one large result")
        _pressed(program, b"l")
        shown = _seconds(program, b"j", items)
        _pressed(program, b"\t")
        _pressed(program, b"G")
        return shown, _seconds(program, b"l", THIRTEENTH)


def _pressed(program: Program, key: bytes) -> None:
    program.settle(0.2)
    program.press(key)
    program.settle(0.2)


def _seconds(program: Program, key: bytes, *markers: bytes, patience: float = PATIENCE) -> float:
    """From a key until a marker is painted."""
    started = time.perf_counter()
    program.press(key)
    program.wait(*markers, patience=patience)
    return time.perf_counter() - started


def _end_and_pages(many: Path, few: Path) -> Iterator[Figure]:
    with _app(many) as large, _app(few) as small:
        large.wait(b"<0>")
        small.wait(b"<0>")
        yield _end_before_all_is_read(large)
        for program, size in ((large, MANY), (small, FEW)):
            _count_marks(program)
            _pages_before_the_end(program, size)
        pairs = [(_page_down(large, MANY, at), _page_down(small, FEW, at)) for at in range(PAGES, 0, -1)]
    ours, base = (median(column) for column in zip(*pairs, strict=True))
    yield ratio(f"a page down at {MANY:,} blocks", 1.5, ours, base, f"at {FEW:,}")


def _end_before_all_is_read(program: Program) -> Figure:
    """Press G right after the first screen: when is the last block shown, and when is everything read?"""
    started = time.perf_counter()
    end = _seconds(program, b"G", f"<{MANY - 1}>".encode(), patience=10 * PATIENCE)
    read = end
    while program.shows(READING):
        read = time.perf_counter() - started
    detail = f"G on the first screen: {end:.1f} s, all is read: {read:.1f} s"
    return Figure("the last block shown, share of reading", BEFORE_THE_END, end / read, "x", detail)


def _count_marks(program: Program) -> None:
    """Wait until the marks are counted, which goes on behind the first screen."""
    until = time.monotonic() + 2 * PATIENCE
    while program.shows(COUNTING) and time.monotonic() < until:
        pass


def _pages_before_the_end(program: Program, size: int) -> None:
    _pressed(program, b"g")
    _seconds(program, b"G", f"<{size - 1}>".encode())
    for page in range(1, PAGES + 1):
        _seconds(program, b"\x02", _row_of_page(size, page))


def _page_down(program: Program, size: int, at: int) -> float:
    """Seconds of a page down, from the page that is so many pages before the last."""
    program.settle(0.05)
    return _seconds(program, b"\x06", _row_of_page(size, at - 1))


def _row_of_page(size: int, page: int) -> bytes:
    """A row in the middle of the page that is so many pages before the last."""
    return f"<{size - PAGE * page - PAGE // 2}>".encode()
