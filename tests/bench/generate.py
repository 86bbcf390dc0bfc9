"""Makes transcripts of any size: `python -m tests.bench.generate SIZE_MB OUT.jsonl [--seed N] [--shape NAME]`.

The same seed and size give the same bytes. Records are those of Claude Code; a text that occurs nowhere else stands
near nine tenths of the file.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

NEEDLE = "xylophone-9f3a-needle"
WORDS = (
    *("the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "server", "result", "id", "value", "größer"),
    *("naïve", "日本語", "emoji", "🙂", "error", "path", "file", "line", "limit", "retry", "upload", "parse"),
    *('"quoted"', "back\\slash", "tab\there", "null", "schema", "number", "digits", "exact", "rounded"),
)
_POOL = 64
_PICTURE = 60_000
_BIG_ROWS = 1_700
_ENCODERS = tuple(json.JSONEncoder(ensure_ascii=escapes, separators=(",", ":")) for escapes in (False, True))


def _uuid(bits: int) -> str:
    """A version 4 UUID; a million of them through `uuid.UUID` would take seconds."""
    digits = f"{bits & ~(0xC000 << 48) & ~(0xF000 << 64) | 0x8000 << 48 | 4 << 76:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _timestamp(second: float) -> str:
    """A time so many seconds after the start of the year; months have 28 days."""
    minute, second = divmod(second, 60)
    hour, minute = divmod(int(minute), 60)
    day, hour = divmod(hour, 24)
    month, day = divmod(day, 28)
    return f"2026-{month % 12 + 1:02}-{day + 1:02}T{hour:02}:{minute:02}:{second:06.3f}Z"


class Writer:
    """Writes records one after the other, each the child of the one before."""

    def __init__(self, file: BinaryIO, seed: int) -> None:
        self.random = random.Random(seed)
        self.size = 0
        self.calls = 0
        self._file = file
        self._parent: str | None = None
        self._second = 0.0
        self._texts = [" ".join(self.random.choices(WORDS, k=60)) for _ in range(_POOL)]
        self._results = [self._rows(_BIG_ROWS) for _ in range(4)]
        self.small = [self._rows(12) for _ in range(_POOL)]
        self._picture = base64.b64encode(self.random.randbytes(_PICTURE)).decode()

    def write(self, kind: str, message: dict[str, Any], **members: Any) -> None:
        """Write one record. Half of them spell what is not ASCII as escapes, as recorders do."""
        uuid = _uuid(self.random.getrandbits(128))
        self._second += 0.25
        record = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "cwd": "/home/someone/project",
            "sessionId": "generated",
            "version": "2.1.4",
            "type": kind,
            "message": message,
            "uuid": uuid,
            "timestamp": _timestamp(self._second),
            **members,
        }
        self._parent = uuid
        line = _ENCODERS[self.random.random() < 0.5].encode(record).encode() + b"\n"
        self.size += len(line)
        self._file.write(line)

    def prompt(self, text: str) -> None:
        self.write("user", {"role": "user", "content": text})

    def says(self, *content: dict[str, Any]) -> None:
        number = f"msg_{self.random.getrandbits(60)}"
        self.write("assistant", {"id": number, "type": "message", "role": "assistant", "content": list(content)})

    def text(self) -> dict[str, Any]:
        return {"type": "text", "text": self.random.choice(self._texts)}

    def use(self) -> dict[str, Any]:
        """A call with floats, nested arguments and an id of 19 digits."""
        self.calls += 1
        given = {
            "line": float(self.random.randrange(1, 5000)),
            "ratio": self.random.random(),
            "id": self.big(),
            "options": {"retries": 3.0, "paths": [f"src/{self.random.randrange(99)}.go", 1.0, {"deep": True}]},
        }
        name = f"mcp__editor__tool_{self.random.randrange(20)}"
        return {"type": "tool_use", "id": f"toolu_{self.calls}", "name": name, "input": given}

    def answer(self, call: dict[str, Any], content: Any = None, *, failed: bool = False) -> None:
        """A result: most often some hundred bytes of JSON, at times 200 KB of it or a picture, at times an error."""
        draw = self.random.random()
        if content is None and draw < 0.012:
            content = self.random.choice(self._results)
        elif content is None and draw < 0.02:
            source = {"type": "base64", "media_type": "image/png", "data": self._picture}
            content = [{"type": "image", "source": source}]
        elif content is None:
            content = [{"type": "text", "text": self.random.choice(self.small)}]
        block = {"type": "tool_result", "tool_use_id": call["id"], "content": content}
        failed = failed or draw > 0.97
        result = block | {"is_error": True} if failed else block
        self.write("user", {"role": "user", "content": [result]}, toolUseResult=content)

    def big(self) -> int:
        return self.random.randrange(10**18, 10**19)

    def _rows(self, count: int) -> str:
        rows = [
            {"id": self.big(), "name": self.random.choice(WORDS), "score": self.random.random(), "at": [1.0, 2, None]}
            for _ in range(count)
        ]
        return json.dumps(rows, ensure_ascii=False)


Shape = Callable[[Writer, int], None]


def session(writer: Writer, size: int) -> None:
    """What people's sessions look like: prompts, texts, calls one by one and side by side, results of all sizes."""
    hidden = False
    while writer.size < size:
        prompt = writer.text()["text"]
        if not hidden and writer.size >= size * 0.9:
            hidden, prompt = True, f"{prompt} {NEEDLE}"
        writer.prompt(prompt)
        for _ in range(writer.random.randrange(1, 6)):
            calls = [writer.use() for _ in range(writer.random.choice((1, 1, 1, 2)))]
            writer.says(writer.text())
            for call in calls:
                writer.says(call)
            for call in reversed(calls):
                writer.answer(call)
        writer.says(writer.text())


def blocks(writer: Writer, size: int) -> None:
    """`size` blocks, each a short prompt and a short answer."""
    for number in range(size):
        writer.prompt(f"prompt <{number}>")
        writer.says({"type": "text", "text": "yes"})


def calls(writer: Writer, size: int) -> None:
    """One block with `size` calls."""
    writer.prompt("many calls")
    for _ in range(size):
        call = writer.use()
        writer.says(call)
        writer.answer(call, [{"type": "text", "text": "done"}])


def result(writer: Writer, size: int) -> None:
    """One call whose result is a JSON text of `size` bytes."""
    writer.prompt("one large result")
    call = writer.use()
    writer.says(call)
    row = writer.random.choice(writer.small)[1:-1]
    count = size // (len(row.encode()) + 2)
    writer.answer(call, [{"type": "text", "text": f"[{', '.join([row] * count)}]"}])


def line(writer: Writer, size: int) -> None:
    """A prompt of `size` bytes on one line, between two short blocks."""
    writer.prompt("before")
    writer.prompt(("long " * (size // 5)) + "end")
    writer.prompt("after")


def picture(writer: Writer, size: int) -> None:
    """A result that is a picture of `size` bytes of base64."""
    writer.prompt("a picture")
    call = writer.use()
    writer.says(call)
    data = base64.b64encode(writer.random.randbytes(size * 3 // 4)).decode()
    writer.answer(call, [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}])


SHAPES: dict[str, Shape] = {shape.__name__: shape for shape in (session, blocks, calls, result, line, picture)}


def generate(path: Path, size: int, shape: Shape = session, seed: int = 7) -> Writer:
    """Write a transcript.

    Args:
        path: Where to.
        size: Bytes, or what the shape counts.
        shape: What is in it.
        seed: What is drawn.

    Returns:
        The writer, which knows how much it wrote.
    """
    with path.open("wb", buffering=1 << 20) as file:
        writer = Writer(file, seed)
        shape(writer, size)
    return writer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", type=float, help="MB, or number of blocks or calls")
    parser.add_argument("path", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--shape", choices=SHAPES, default="session")
    options = parser.parse_args()
    counted = options.shape in ("blocks", "calls")
    size = int(options.size if counted else options.size * 1_000_000)
    writer = generate(options.path, size, SHAPES[options.shape], options.seed)
    print(f"{writer.size:,} bytes, {writer.calls:,} calls")


if __name__ == "__main__":
    main()
