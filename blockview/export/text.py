"""Lines as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from blockview.core.lines import Line, plain


def text_chunks(lines: Iterable[Line]) -> Iterator[str]:
    """The lines as text, each with its newline and without trailing spaces."""
    for line in lines:
        yield plain(line).rstrip(" ") + "\n"
