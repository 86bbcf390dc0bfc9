"""Opens a recording from where it is: a file, or bytes that came through a pipe."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from blockview.core.growing import Growing, Grown
from blockview.core.model import Session
from blockview.readers.growing import Whole
from blockview.readers.head import DATABASE_MAGIC
from blockview.readers.registry import read_session, sessions_in, taker_for
from blockview.readers.source import Source
from blockview.readers.stepwise import Stepwise


def open_session(path: str | PathLike[str]) -> Session:
    """Open a recording of any known format. Its blocks are read when somebody looks at them.

    Of a recording that holds several sessions it opens the newest one, or the one whose id stands behind a `#`:
    `opencode.db#ses_123`. A folder is opened when it is one of those in which OpenCode kept a session.

    Raises:
        UnknownFormat: no reader knows the recording.
        OSError: the file is missing, a folder, or may not be read, or it has no session of that id.
    """
    file, session_id = _parted(str(path))
    return read_session(Source.open(_file(Path(file))), session_id)


def open_growing(path: str | PathLike[str]) -> Growing:
    """Open a recording to be read in steps, and followed while it is written. Paths are those of `open_session`.

    Reading raises UnknownFormat when no reader knows the recording.

    Raises:
        OSError: the file is missing, a folder, or may not be read.
    """
    name, session_id = _parted(str(path))
    file = _file(Path(name))
    source = Source.open(file)
    if source.plain and not session_id:
        begin = taker_for(source)
        if begin is not None:
            return Stepwise(source, begin)
    empty = not source.content_end
    source.close()
    whole = Whole(file, lambda: open_session(path))
    return _Begun(file, whole) if empty else whole


class _Begun:
    """A file that holds nothing yet: how it is read is settled once it does."""

    def __init__(self, file: Path, empty: Growing) -> None:
        self._file = file
        self._growing = empty
        self._settled = False

    def read_on(self, seconds: float, rest: Callable[[], object] = bool) -> Grown | None:
        """What is in the file, as soon as something is."""
        if not self._settled and self._file.exists() and self._file.stat().st_size:
            self._growing, self._settled = open_growing(self._file), True
        return self._growing.read_on(seconds, rest)


def holds_several(path: str | PathLike[str]) -> bool:
    """Whether a file is a database with more than one session; False for what cannot be opened, too."""
    try:
        with open(path, "rb") as file:
            if file.read(len(DATABASE_MAGIC)) != DATABASE_MAGIC:
                return False
        with Source.open(Path(path)) as source:
            return len(sessions_in(source)) > 1
    except OSError:
        return False


def _file(path: Path) -> Path:
    if not path.is_dir():
        return path
    from blockview.readers.opencode import session_file

    return session_file(path) or path


def _parted(path: str) -> tuple[str, str]:
    """A path and the id behind its last `#`; the path alone when that is the name of a file."""
    file, mark, session_id = path.rpartition("#")
    return (file, session_id) if mark and not Path(path).exists() and Path(file).is_file() else (path, "")


def session_of_bytes(name: str, data: bytes) -> Session:
    """Read a recording that is in memory already.

    Raises:
        UnknownFormat: no reader knows the recording.
    """
    return read_session(Source.of_bytes(name, data))
