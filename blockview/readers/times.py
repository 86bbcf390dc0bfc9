"""Times as recorders write them that count from 1970."""

from __future__ import annotations

from datetime import UTC, datetime

_LATEST_SECONDS = 1e11
"""The year 5138: a larger number counts milliseconds."""


def at_ms(milliseconds: float | None) -> datetime | None:
    """The time that many milliseconds after 1970 began; None when there is none, or no such time."""
    return at_seconds(None if milliseconds is None else milliseconds / 1000)


def at_seconds(seconds: float | None) -> datetime | None:
    """The time that many seconds after 1970 began; None when there is none, or no such time."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def at_either(count: float | None) -> datetime | None:
    """The time of a count that is of seconds in some versions of a recorder and of milliseconds in others."""
    return at_ms(count) if count is not None and abs(count) > _LATEST_SECONDS else at_seconds(count)
