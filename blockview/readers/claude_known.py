"""What the pass over a Claude Code session knows: compact columns, of which blocks are made when looked at."""

from __future__ import annotations

from array import array
from typing import NamedTuple

import msgspec

from blockview.readers.columns import Chains, Rows

MAIN = ""
"""The stream of the session itself; a subagent's lines form a stream of their own."""


class Blocks:
    """What is known of the blocks without their records, in columns.

    What a block shows stands in rows from `first` to `last`, -1 when it shows nothing. `results` of a block are the
    rows of what its calls got back; `calls` counts them.
    """

    def __init__(self) -> None:
        self.first = array("q")
        self.last = array("q")
        self.results = Chains()
        self.calls = array("I")
        self.prompted = bytearray()
        self.parents = array("q")
        """The row of the message that a block's prompt follows; -1 for none."""
        self._streams = array("I")
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self.calls)

    def stream(self, block: int) -> str:
        """The stream that a block belongs to."""
        return self._names[self._streams[block]]

    def open(self, stream: str) -> int:
        """Begin the next block, without a prompt; its number."""
        self.first.append(-1)
        self.last.append(-1)
        self.results.open()
        self.calls.append(0)
        self.prompted.append(0)
        self.parents.append(-1)
        number = self._numbers.setdefault(stream, len(self._names))
        if number == len(self._names):
            self._names.append(stream)
        self._streams.append(number)
        return len(self.calls) - 1


class Progress(msgspec.Struct):
    """What a progress line tells of a call: the real names, and the time in milliseconds."""

    server: str | None = None
    tool: str | None = None
    elapsed_ms: float | None = None


class Spot(NamedTuple):
    """Where something is shown: the row of its record and the block."""

    row: int
    block: int


class Known(msgspec.Struct):
    """What blocks are made of when somebody looks at them."""

    rows: Rows = msgspec.field(default_factory=Rows)
    blocks: Blocks = msgspec.field(default_factory=Blocks)
    servers: set[str] = msgspec.field(default_factory=set)
    progress: dict[str, Progress] = msgspec.field(default_factory=dict)
    denied: set[str] = msgspec.field(default_factory=set)
    notified: dict[str, int] = msgspec.field(default_factory=dict)
    """Background task → the row of the notification that it ended."""
    orphans: dict[str, Spot] = msgspec.field(default_factory=dict)
    """Results whose call has not been seen, by its id."""
    repeated: set[tuple[int, str]] = msgspec.field(default_factory=set)
    """(row, call id) of calls that were recorded before."""
    streams: dict[str, list[int]] = msgspec.field(default_factory=dict)
    """The blocks of each stream but the main one."""
    asked: dict[str, str] = msgspec.field(default_factory=dict)
    """What a subagent without a name was asked → its stream; none where several were asked the same."""
    block_of: array[int] = msgspec.field(default_factory=lambda: array("i"))
    """The block that a row stands in, -1 for none."""
    shown: bytearray = msgspec.field(default_factory=bytearray)
    """Whether a row is shown by the block it stands in."""
    elsewhere: dict[int, list[int]] = msgspec.field(default_factory=dict)
    """Row → the blocks that show something of it besides the one it stands in."""

    def rows_of(self, block: int) -> list[int]:
        """The rows that a block shows."""
        shown, block_of = self.shown, self.block_of
        first, last = self.blocks.first[block], self.blocks.last[block]
        return [row for row in range(max(0, first), last + 1) if shown[row] and block_of[row] == block]

    def blocks_at(self, byte: int) -> list[int]:
        """The blocks that show something of the record at an offset."""
        row = self.rows.at(byte)
        if row < 0:
            return []
        own = [self.block_of[row]] if self.block_of[row] >= 0 else []
        return own + self.elsewhere.get(row, [])
