"""The JSON trees of a call: its arguments as dispatched and its result as received."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from blockview.core.jsontext import JsonError, Tree, parse
from blockview.core.lazytree import LAZY, LazyTree, lazy_tree
from blockview.core.model import ToolResult

if TYPE_CHECKING:
    from blockview.core.needle import Needle


# A pane is drawn again for every fold and every resize; the few trees on screen are parsed once.
@lru_cache(maxsize=8)
def arguments_tree(text: str) -> Tree:
    """The tree of an arguments text, which may hold what recorders write beside JSON.

    Raises:
        JsonError: the text is not JSON.
    """
    return parse(text, lax=True)


@lru_cache(maxsize=8)
def _strict_tree(text: str) -> Tree | LazyTree | None:
    if (lazy := _lazily(text)) is not None:
        return lazy
    try:
        return parse(text)
    except JsonError:
        return None


@lru_cache(maxsize=8)
def _structured_tree(text: str) -> Tree | LazyTree | None:
    if (lazy := _lazily(text)) is not None:
        return lazy
    try:
        return arguments_tree(text)
    except JsonError:
        return None


def _lazily(text: str) -> LazyTree | None:
    return lazy_tree(text) if len(text) >= LAZY else None


def values_around(result: ToolResult, needle: Needle, *, forward: bool) -> list[int]:
    """The numbers of the values that hold the first or last place of a needle, in a result that is read bit by bit.

    They lead from the whole value inwards; there are none where the needle is not found, or the tree is read at once.
    """
    tree = result_tree(result)
    offset = needle.place_in_json(tree.data, forward=forward) if isinstance(tree, LazyTree) else None
    return tree.around(offset) if isinstance(tree, LazyTree) and offset is not None else []


def result_tree(result: ToolResult, *, lazily: bool = False) -> Tree | LazyTree | None:
    """The tree of a result's value, or None when the value is a text.

    Structured content is the value where there is some. An error's message stays text, and so does what is not JSON in
    the strict sense.

    Args:
        result: The result.
        lazily: Do not make all nodes of it if that can be helped, and do not keep it, however small it is.
    """
    structured = result.structured
    if structured is None and (result.is_error or not result.content):
        return None
    text = result.text if structured is None else structured
    if lazily and (lazy := lazy_tree(text)) is not None:
        return lazy
    return _strict_tree(text) if structured is None else _structured_tree(text)
