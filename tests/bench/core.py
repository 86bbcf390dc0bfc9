"""The exact-digits step against plain decoding, and the step from recorded to dispatched arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from blockview.core.coercion import Depth
from blockview.core.model import Place, ToolCall
from blockview.core.prepare import Found, prepare
from blockview.core.result import exact_value
from tests.bench.timing import Figure, interleaved, ratio

ID = "1234567890123456789"


def result_text(size: int, ids: int) -> str:
    """A JSON text of about `size` characters with 500 long digit runs inside strings and `ids` 19-digit ids."""
    rows: list[str] = []
    length = 0
    while length < size:
        number = len(rows)
        row = {
            "number": number,
            "title": f"upload {number}",
            "trace": f"{10**19 + number}" if number < 500 else None,
            "open": number % 2 == 0,
            "author": {"id": number * 37, "bot": False},
            "labels": [number % 7, number % 11, number % 13],
            "cost": number * 0.125,
            "at": {"x": number % 640, "y": -number, "scale": 1.5},
        }
        text = json.dumps(row, separators=(",", ":"))
        if number < ids:
            text = f'{{"id":{ID},{text[1:]}'
        rows.append(text)
        length += len(text) + 1
    return "[" + ",".join(rows) + "]"


def exact_digits() -> Iterator[Figure]:
    decode = msgspec.json.Decoder().decode
    none, one = result_text(660_000, 0), result_text(660_000, 1)
    assert exact_value(one)[0]["id"] == ID  # type: ignore[index]
    ours_none, base_none, ours_one, base_one = interleaved(
        60, lambda: exact_value(none), lambda: decode(none), lambda: exact_value(one), lambda: decode(one)
    )
    yield ratio("exact digits, 660 KB, no 19-digit id", 1.3, ours_none, base_none, "msgspec")
    yield ratio("exact digits, 660 KB, one 19-digit id", 1.3, ours_one, base_one, "msgspec")


def prepare_step() -> Iterator[Figure]:
    integer, number, string = {"type": "integer"}, {"type": "number"}, {"type": "string"}
    properties = {
        "path": string, "line": integer, "column": integer, "limit": integer, "scale": number,
        "name": string, "offset": integer, "deep": {"type": "boolean"}, "ratio": number, "note": string,
    }  # fmt: skip
    recorded = (
        '{"path":"server.go","line":5.0,"column":1.0,"limit":1000,"scale":1.0,'
        '"name":"retry","offset":-42.0,"deep":true,"ratio":0.25,"note":"three retries"}'
    )
    call = ToolCall("1", "editor.open", "open", recorded, Place(1, 0))
    found = Found({"type": "object", "properties": properties}, "bench")
    assert len(prepare(call, lambda _: found).changes) == 3
    repeats = 1000

    def many() -> None:
        for _ in range(repeats):
            prepare(call, lambda _: found, Depth.TOP)

    (spent,) = interleaved(9, many)
    yield Figure("prepare, ten arguments, top", 50, spent / repeats * 1e6, "us", "3 coerced")
