"""Files of the user's cache: private to the user, replaced as a whole, and read without trusting what stands there."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path


class Unusable(Exception):
    """A file of the cache cannot be used; the message says why."""


def cache_home() -> Path:
    """Where this user's cache is."""
    from platformdirs import user_cache_path

    return user_cache_path("blockview")


def read_private(path: Path, largest: int) -> bytes:
    """The bytes of a regular file that is no link and no larger than `largest` bytes.

    Raises:
        Unusable: it is anything else, or cannot be read.
    """
    try:
        with open(path, "rb", opener=_open) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Unusable("not a regular file")
            if status.st_size > largest:
                raise Unusable("too large")
            return file.read(largest)
    except OSError as error:
        raise Unusable(error.strerror or "it cannot be read") from None


def _open(path: str, flags: int) -> int:
    """Open without following a link and without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))


def write_private(path: Path, data: bytes) -> None:
    """Put bytes into a file that only the user may read, whole or not at all; its folder is made if need be.

    Raises:
        OSError: that is not possible.
    """
    import tempfile

    for folder in (path.parent.parent, path.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chmod(path.parent, 0o700)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
