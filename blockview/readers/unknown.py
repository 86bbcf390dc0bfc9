"""What to report of records, or parts of them, that a reader leaves out because it does not know their kind."""

from __future__ import annotations

from collections.abc import Collection

from blockview.core.model import Diagnostic, Place


def left_out(count: int, first: Place | None) -> tuple[Diagnostic, ...]:
    """One diagnostic for all of them, at the first: a newer recorder may write thousands of such records.

    Args:
        count: How many there are.
        first: Where the first one stands; None when there is none.
    """
    if first is None:
        return ()
    more = f" (and {count - 1:,} more)" if count > 1 else ""
    return (Diagnostic(first, f"not shown: of a kind that is not known{more}", "unknown"),)


def left_out_at(places: Collection[Place]) -> tuple[Diagnostic, ...]:
    """As `left_out`, for those at these places."""
    return left_out(len(places), min(places, key=lambda place: (place.line, place.byte), default=None))
