"""Times several actions turn by turn, so that a busy machine slows all of them alike."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import NamedTuple


class Figure(NamedTuple):
    """One line of the table: what was measured, the budget, and the figure, both in `unit`."""

    what: str
    budget: float
    figure: float
    unit: str
    detail: str

    @property
    def ok(self) -> bool:
        return self.figure <= self.budget


Benchmark = Callable[[], Iterator[Figure]]


def interleaved(rounds: int, *actions: Callable[[], object]) -> list[float]:
    """The median seconds of each action over `rounds` turns, after one turn that is not counted.

    The garbage collector runs between the actions, not inside them, else one pays for what another allocated.
    """
    times: list[list[float]] = [[] for _ in actions]
    gc.disable()
    try:
        for turn in range(rounds + 1):
            for spent, action in zip(times, actions, strict=True):
                gc.collect()
                started = perf_counter()
                action()
                if turn:
                    spent.append(perf_counter() - started)
    finally:
        gc.enable()
    return [median(spent) for spent in times]


def ratio(what: str, budget: float, ours: float, base: float, base_name: str) -> Figure:
    """A figure that is `ours` in terms of `base`, both in seconds."""
    return Figure(what, budget, ours / base, "x", f"{ours * 1e3:.2f} ms / {base_name} {base * 1e3:.2f} ms")
