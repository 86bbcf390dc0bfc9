"""Short notes on content that is not text: its type and its size."""

from __future__ import annotations

import msgspec


def note(*facts: str | None) -> str:
    """The facts that are there, joined: `image/png, 12.3 KB`."""
    return ", ".join(fact for fact in facts if fact)


def digest(data: bytes) -> str:
    """A short hash that tells contents apart; empty for no content."""
    from hashlib import blake2b  # takes a hundredth of the app's start

    return blake2b(data, digest_size=8).hexdigest() if data not in (b"", b"null") else ""


def size(count: int) -> str:
    """A number of bytes for people."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def base64_size(literal: msgspec.Raw | bytes) -> str:
    """The size of what a base64 JSON string (with its quotes) stands for; empty when there is none."""
    text = bytes(literal).strip(b'"')
    return size(len(text) * 3 // 4 - text[-2:].count(b"=")) if text not in (b"", b"null") else ""
