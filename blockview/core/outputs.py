"""Does a result keep to its tool's output schema?"""

from __future__ import annotations

from functools import lru_cache

from blockview.core.jsontext import JsonError, loads
from blockview.core.safetext import one_line
from blockview.core.schemacheck import CannotCheck, Checker

_LONGEST = 8 << 20
"""Characters of structured content that is still checked."""

_SHOWN = 200


def violation(schema: str, structured: str | None) -> str:
    """What is wrong with structured content by its tool's output schema, in a line; empty when nothing is.

    Args:
        schema: The text of the output schema.
        structured: The text of the structured content, None when the result has none.
    """
    if structured is None:
        return "the result has no structured content, although its tool has an output schema"
    checker = _checker(schema)
    if isinstance(checker, str):
        return f"the output schema cannot be used: {checker}"
    if len(structured) > _LONGEST:
        return "the structured content is too long to be checked against the output schema"
    try:
        found = checker.violations(loads(structured), 1)
    except (JsonError, CannotCheck) as error:
        return f"the structured content cannot be checked against the output schema: {one_line(str(error), _SHOWN)}"
    if not found:
        return ""
    ((path, problem),) = found
    place = one_line(path, _SHOWN) or "its root"
    return f"the structured content violates the output schema at {place}: {one_line(problem, _SHOWN)}"


@lru_cache(maxsize=64)
def _checker(text: str) -> Checker | str:
    """The checker for a schema's text, or why there is none."""
    try:
        return Checker(loads(text))
    except (JsonError, CannotCheck) as error:
        return one_line(str(error), _SHOWN)
