"""Members of a JSON record kept as their recorded characters: whether they are there, and what they hold."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from blockview.core.jsontext import decode_string
from blockview.core.lenient import BadRecord, decode

T = TypeVar("T")

ABSENT = msgspec.Raw()
"""A member that is not there."""

_EMPTY = frozenset({b"", b"null"})


def present(raw: msgspec.Raw) -> bool:
    """True when a member is there and is not null."""
    return len(raw) > 4 or bytes(raw) not in _EMPTY


def first_byte(raw: msgspec.Raw) -> bytes:
    """The byte with which a member begins, which tells what kind of value it is; empty when it is absent."""
    return bytes(memoryview(raw)[:1])


def text_of(raw: msgspec.Raw | bytes) -> str:
    """The recorded characters. A byte that is not UTF-8 becomes a lone surrogate, so nothing is lost."""
    return str(raw, "utf-8", "surrogateescape")


def raw_of(text: str) -> msgspec.Raw:
    """A member that holds these characters; `text_of` gives them back."""
    return msgspec.Raw(text.encode("utf-8", "surrogateescape"))


def part_of(decoder: msgspec.json.Decoder[T], raw: msgspec.Raw | bytes) -> T | None:
    """A member of a record in the decoder's type; None when it is absent or something else altogether."""
    try:
        return decode(decoder, raw)
    except BadRecord:
        return None


def string_of(raw: msgspec.Raw) -> str | None:
    """The text of a member that is a JSON string; None for any other member."""
    return decode_string(text_of(raw)) if first_byte(raw) == b'"' else None
