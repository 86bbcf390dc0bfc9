"""Files of the user's cache: private to the user, replaced as a whole, and read without trusting what stands there."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

_NO_FOLDER = "a link, or not a folder"


class Unusable(Exception):
    """A file of the cache cannot be used; the message says why."""


def cache_home() -> Path:
    """Where this user's cache is."""
    from platformdirs import user_cache_path

    return user_cache_path("blockview")


def check_folder(folder: Path) -> None:
    """Make sure that a folder of the cache and the one that it is in are the user's own, and no links to others.

    Raises:
        FileNotFoundError: it is not there.
        OSError: it is anything else; `strerror` says what.
    """
    for one in (folder.parent, folder):
        with _opened(one):
            pass


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """The descriptor of a folder that is the user's own and no link; None where folders cannot be opened (Windows)."""
    if not hasattr(os, "O_DIRECTORY"):
        if os.path.islink(folder):
            raise OSError(errno.ENOTDIR, _NO_FOLDER, str(folder))
        yield None
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise OSError(error.errno, _NO_FOLDER, str(folder)) from None
        raise
    try:
        if os.fstat(descriptor).st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, "the folder belongs to another user", str(folder))
        yield descriptor
    finally:
        os.close(descriptor)


def read_private(path: Path, largest: int) -> bytes:
    """The bytes of a regular file that is no link and no larger than `largest` bytes, in a folder of the user's own.

    Raises:
        Unusable: it is anything else, or cannot be read.
    """
    try:
        check_folder(path.parent)
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
        OSError: that is not possible, or the folder is a link or another user's.
    """
    import tempfile

    for folder in (path.parent.parent, path.parent):
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700, parents=True)
        with _opened(folder) as descriptor:
            if descriptor is not None and folder == path.parent:
                os.fchmod(descriptor, 0o700)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
