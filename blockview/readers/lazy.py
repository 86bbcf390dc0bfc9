"""Blocks that are read when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import overload

from blockview.core.model import Block

_KEPT = 256


class LazyBlocks(Sequence[Block]):
    """A sequence of `count` blocks; `read` makes the block of an index. The blocks that were used last are kept."""

    def __init__(self, count: int, read: Callable[[int], Block]) -> None:
        self._count = count
        self._read = lru_cache(_KEPT)(read)

    def __len__(self) -> int:
        """The number of blocks."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> Block: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Block, ...]: ...

    def __getitem__(self, index: int | slice) -> Block | tuple[Block, ...]:
        """One block, or a tuple of them for a slice."""
        if isinstance(index, slice):
            return tuple(self._read(number) for number in range(*index.indices(self._count)))
        if not -self._count <= index < self._count:
            raise IndexError("no such block")
        return self._read(index % self._count)
