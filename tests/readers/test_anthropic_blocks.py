"""Content blocks: decoded at once or one by one, what comes out is the same."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockview.core.model import Place
from blockview.core.raw import text_of
from blockview.readers.anthropic_blocks import RecordedPart, parts, tool_result

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(),
    st.text(st.characters(), max_size=5),
    st.just([{"type": "text", "text": "in"}]),
)
MEMBERS = ["type", "text", "thinking", "id", "name", "input", "tool_use_id", "content", "is_error", "source", "data"]
KINDS = st.sampled_from(["text", "tool_use", "tool_result", "image"])
BLOCKS = st.builds(
    lambda kind, rest: {"type": kind, **rest}, KINDS, st.dictionaries(st.sampled_from(MEMBERS), VALUES, max_size=3)
)
CONTENTS = st.lists(st.one_of(BLOCKS, st.text(max_size=5)), max_size=4)


def recorded(value: object) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value).encode())


def plain(found: RecordedPart) -> tuple[object, str]:
    return msgspec.to_builtins(found.part, enc_hook=text_of), text_of(found.raw)


@given(CONTENTS)
def test_a_block_in_a_list_is_what_it_is_alone(content: list[object]) -> None:
    together = [plain(found) for found in parts(recorded(content))]
    assert together == [plain(found) for each in content for found in parts(recorded(each))]


@pytest.mark.parametrize(
    ("content", "kinds"),
    [
        (b"", []),
        (b"null", []),
        (b"[]", []),
        (b'"said"', ["text"]),
        (b'{"type":"image"}', ["image"]),
        (
            b'[null,5,{"type":"text","text":7},["x"],"said",{"type":"text"}]',
            ["unknown"] * 2 + ["text", "unknown", "text", "text"],
        ),
        (b'[{"type":"text","text":"\\ud800"},{"type":"tool_use","input":{"n":NaN}}]', ["text", "tool_use"]),
        (b'[{"type":"text","text":"\xff"}]', ["text"]),
    ],
)
def test_what_is_no_block_costs_the_others_nothing(content: bytes, kinds: list[str]) -> None:
    assert [found.part.type for found in parts(msgspec.Raw(content))] == kinds


@given(CONTENTS)
def test_a_result_shows_the_blocks_of_its_content(content: list[object]) -> None:
    (found,) = parts(recorded({"type": "tool_result", "content": content}))
    shown = tool_result(found, None, Place(1, 0)).content
    alone = [
        block
        for each in content
        for (part,) in (parts(recorded({"type": "tool_result", "content": [each]})),)
        for block in tool_result(part, None, Place(1, 0)).content
    ]
    assert list(shown) == alone
