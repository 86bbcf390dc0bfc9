"""Recorded times as the clock on the wall showed them here."""

from __future__ import annotations

from datetime import datetime


def local(moment: datetime) -> datetime:
    """The moment in this machine's time zone; as it is where it lies beyond what the machine can tell."""
    try:
        return moment.astimezone()
    except (OverflowError, ValueError, OSError):
        return moment
