"""The latest answers of a function, some of which can be forgotten."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Keeps what a function gave for the arguments that it was asked for last."""

    def __init__(self, make: Callable[[K], V], size: int) -> None:
        """Keep at most `size` answers of `make`."""
        self._make = make
        self._size = size
        self._answers: dict[K, V] = {}

    def __call__(self, key: K) -> V:
        """The answer for `key`, made if it is not there."""
        answer = self._answers.pop(key) if key in self._answers else self._make(key)
        self._answers[key] = answer
        if len(self._answers) > self._size:
            del self._answers[next(iter(self._answers))]
        return answer

    def forget(self, stale: Callable[[K], bool] = lambda key: True) -> None:
        """Forget the answers for which `stale` holds, or all."""
        self._answers = {key: answer for key, answer in self._answers.items() if not stale(key)}
