"""Where the tools of this user keep their recordings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from blockview.readers.registry import reader_for
from blockview.readers.source import Source


@dataclass(frozen=True, slots=True)
class RecordingPlace:
    """One tool's folder of recordings.

    `variable` names the environment variable that moves the tool's home folder from `home` (relative to the user's
    own); below it the recordings lie at `folder` and match `pattern`.
    """

    tool: str
    variable: str
    home: str
    folder: str
    pattern: str

    def path(self, environment: Mapping[str, str] = os.environ) -> Path:
        """The folder, whether it exists or not."""
        moved = environment.get(self.variable)
        base = Path(moved) if moved else Path(environment.get("HOME") or Path.home()) / self.home
        return base / self.folder


PLACES = (RecordingPlace("Claude Code", "CLAUDE_CONFIG_DIR", ".claude", "projects", "*/*.jsonl"),)


def own_recordings(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """All recordings that this user's tools keep, the one that was written last first."""
    return newest_first(path for place in PLACES for path in place.path(environment).glob(place.pattern))


def recordings_in(folder: Path) -> list[Path]:
    """The recordings in a folder and in the folders in it, the one that was written last first.

    Each file is looked into: a recording is known by its content, whatever its name.

    Raises:
        OSError: the folder cannot be read.
    """
    os.scandir(folder).close()
    files = newest_first(path for pattern in ("*", "*/*") for path in folder.glob(pattern))
    return [path for path in files if _is_recording(path)]


def _is_recording(path: Path) -> bool:
    try:
        with Source.open(path) as source:
            return bool(source.content_end) and reader_for(source) is not None
    except OSError:
        return False


def newest_first(paths: Iterator[Path]) -> list[Path]:
    """The files among `paths`, sorted by the time of their last change; files that vanish meanwhile are left out."""
    dated = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        if path.is_file():
            dated.append((-status.st_mtime_ns, str(path), path))
    return [path for *_, path in sorted(dated)]
