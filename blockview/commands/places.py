"""`blockview --places [FOLDER ...]`: where recordings are looked for, and what is there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from blockview.core.safetext import cell_width, visible
from blockview.readers.discovery import MOST, Place, folder_place, own_places


def print_places(folders: Sequence[str]) -> int:
    """Print one line for each place of this user, or each of these folders, and one for all in it that is passed over.

    Those that are not there come last. Nothing is opened. Returns the exit code.
    """
    places = list(map(folder_place, folders)) if folders else list(own_places())
    places.sort(key=lambda place: bool(place.problem))
    tools = [visible(place.tool or "folder") for place in places]
    width = max(map(cell_width, tools), default=0)
    for tool, place in zip(tools, places, strict=True):
        print(f"{tool}{' ' * (width - cell_width(tool))}  {visible(place.folder)}  {_state(place)}")
        for path, reason in _passed_over(place):
            print(f"{' ' * width}    {visible(path)}  {visible(reason)}")
    return 0


def _state(place: Place) -> str:
    if place.problem:
        return visible(place.problem)
    many = f", the first {MOST:,} are looked at" if len(place.found) >= MOST else ""
    return (
        f"{len(place.found):,} {'database' if place.databases else 'file'}{'' if len(place.found) == 1 else 's'}{many}"
    )


def _passed_over(place: Place) -> Iterator[tuple[str, str]]:
    yield from ((odd.path, odd.reason) for odd in place.odd)
    for file in place.found:
        if not os.access(file.path, os.R_OK):
            yield file.path, "no permission to read it"
