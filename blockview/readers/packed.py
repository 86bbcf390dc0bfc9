"""Compressed recordings: unpacked once, into a file without a name that goes away with its last user."""

from __future__ import annotations

import io
import tempfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Protocol

_ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31
_PIECE = 1024
"""Bytes unpacked at a time. Zstandard makes up to 128 KB out of 4 bytes, so these become 32 MB at most."""
_LIMIT = 2 << 30
_LEAST, _TIMES = 128 << 20, 100
"""Bytes that any file may unpack to, and how many times its own size a larger one may: a bomb is one long line."""


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def is_packed(start: bytes) -> bool:
    """True when a file that begins like this is compressed."""
    return start.startswith((_ZSTD, _GZIP))


def unpack(file: BinaryIO, limit: int = _LIMIT) -> tuple[BinaryIO, str]:
    """Unpack a file from its beginning on.

    Args:
        file: A compressed file.
        limit: How many bytes to make of it at most; fewer of a small file, which may stand for any number.

    Returns:
        The unpacked bytes, as many as could be had, and what was wrong with the rest (empty: nothing).

    Raises:
        OSError: there is no room for the unpacked bytes.
    """
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115 - it is the caller's
    limit = min(limit, max(_LEAST, _TIMES * file.seek(0, io.SEEK_END)))
    size = 0
    try:
        for piece in _pieces(file):
            unpacked.write(piece[: limit - size])
            size += len(piece)
            if size > limit:
                return unpacked, f"the file unpacks to more than {limit} bytes: what follows these is not read"
    except _Damaged as damage:
        return unpacked, f"the compressed file {damage}: {size} bytes could be unpacked"
    except OSError:
        unpacked.close()
        raise
    return unpacked, ""


class _Damaged(Exception):
    """Why a file cannot be unpacked on."""


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """The unpacked bytes of all members that stand one behind the other in a file."""
    file.seek(0)
    data = file.read(_PIECE)
    while is_packed(data):
        member, error = _unpacker(data)
        while data and not member.eof:
            try:
                yield member.decompress(data)
            except (error, MemoryError) as problem:
                raise _Damaged("is damaged") from problem
            data = file.read(_PIECE)
        if not member.eof:
            raise _Damaged("is cut off")
        data = member.unused_data + data
        data += file.read(_PIECE) if len(data) < len(_ZSTD) else b""
    if data.strip(b"\0"):
        raise _Damaged("is followed by something else")


def _unpacker(start: bytes) -> tuple[_Unpacker, type[Exception]]:
    if start.startswith(_GZIP):
        return zlib.decompressobj(_GZIP_WINDOW), zlib.error
    import zstandard  # loaded for compressed files only: few recordings are

    return zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError
