"""Copies: the complete recorded characters of what a row stands for, whatever is folded or escaped on screen."""

from __future__ import annotations

from enum import StrEnum

from blockview.core.jsontext import JsonError, Kind, Tree, decode_string
from blockview.core.lazytree import LazyTree
from blockview.core.model import Block, Text, ToolCall, ToolResult
from blockview.core.prepare import Prepared
from blockview.core.rows import Section, Target
from blockview.core.trees import arguments_tree, result_tree


class Copy(StrEnum):
    """What to copy."""

    VALUE = "value"
    ARGUMENTS = "arguments"
    RECORDED = "recorded"
    RESULT = "result"
    PATH = "path"
    KEY = "key"


def copy_text(block: Block, call: ToolCall | None, prepared: Prepared | None, target: Target, what: Copy) -> str | None:
    """The text to copy, or None when the target has no such thing.

    A string's value is its text without quotes and escapes, unless that text cannot be written as UTF-8; any other
    value is its literal. VALUE of a row without a node is the whole prompt, text, arguments or result.

    Args:
        block: The block that `target` is in.
        call: The call that `target` is in, if any.
        prepared: That call's arguments.
        target: The row.
        what: Which part of it.
    """
    if what is Copy.VALUE and target.section is Section.PROMPT:
        return block.prompt
    if what is Copy.VALUE and target.section is Section.TEXT and target.node is not None:
        item = block.items[target.node]
        return item.text if isinstance(item, Text) else None
    if call is None or prepared is None:
        return None
    match what:
        case Copy.ARGUMENTS:
            return prepared.dispatched
        case Copy.RECORDED:
            return prepared.recorded
        case Copy.RESULT:
            return result_text(call.result)
        case _:
            return _of_node(call, prepared, target, what)


def result_text(result: ToolResult | None) -> str | None:
    """A result's characters as recorded: the text of its blocks, else its structured content, else the raw record."""
    if result is None:
        return None
    if any(block.kind == "text" for block in result.content):
        return result.text
    return result.structured if result.structured is not None else result.raw or result.text


def _of_node(call: ToolCall, prepared: Prepared, target: Target, what: Copy) -> str | None:
    tree = _tree(call, prepared, target.section)
    try:
        node = None if tree is None or target.node is None else tree.node(target.node)
    except LookupError:
        node = None
    if tree is None or target.node is None or node is None:
        return _whole(call, prepared, target.section) if what is Copy.VALUE else None
    if what is Copy.PATH:
        return tree.pointer(target.node)
    if what is Copy.KEY:
        return node.key if node.key is not None else str(node.order) if node.parent >= 0 else None
    literal = tree.literal(target.node)
    return _plain_string(literal) if node.kind is Kind.STRING else literal


def _plain_string(literal: str) -> str:
    text = decode_string(literal)
    try:
        text.encode()
    except UnicodeEncodeError:
        return literal
    return text


def _tree(call: ToolCall, prepared: Prepared, section: Section) -> Tree | LazyTree | None:
    if section is Section.ARGUMENTS and prepared.dispatched is not None:
        try:
            return arguments_tree(prepared.dispatched)
        except JsonError:
            return None
    return result_tree(call.result) if section is Section.RESULT and call.result is not None else None


def _whole(call: ToolCall, prepared: Prepared, section: Section) -> str | None:
    match section:
        case Section.ARGUMENTS:
            return prepared.dispatched
        case Section.RECORDED:
            return prepared.recorded
        case Section.RESULT:
            return result_text(call.result)
        case Section.AGENT:
            return call.agent
        case _:
            return call.name


def copy_block(block: Block, prepared: list[Prepared] | tuple[Prepared, ...]) -> str:
    """A whole block as text: the prompt, and in order all texts and calls with dispatched arguments and results.

    Args:
        block: The block.
        prepared: The prepared arguments of `block.calls`, in their order.
    """
    pieces = [block.prompt] if block.prompt else []
    each = iter(prepared)
    for item in block.items:
        if isinstance(item, Text):
            pieces.append(item.text)
            continue
        sent = next(each)
        name = f"{item.server}.{item.tool}" if item.server else item.tool or item.name
        pieces.append(f"{name} {sent.dispatched if sent.dispatched is not None else '(no arguments)'}")
        text = result_text(item.result)
        pieces.append(f"{item.status.value}{f': {item.status_note}' if item.status_note else ''}")
        if text:
            pieces.append(text)
    return "\n\n".join(pieces) + "\n"
