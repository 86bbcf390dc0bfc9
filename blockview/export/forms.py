"""The forms in which a session can be printed, under the names that people choose them by."""

from __future__ import annotations

from collections.abc import Iterator

from blockview.core.lines import plain
from blockview.core.model import Session
from blockview.export.ansi import ansi_line
from blockview.export.lines import EVERYTHING, Choice, PrepareCall, session_lines, session_text

FORMS = ("text", "ansi", "markdown", "html", "svg", "json")


def chunks(
    form: str,
    session: Session,
    prepare_call: PrepareCall,
    *,
    width: int,
    choice: Choice = EVERYTHING,
    recorded: bool = False,
) -> Iterator[str]:
    """The session in one of `FORMS`, piece by piece.

    Args:
        form: Which one.
        session: The session; its blocks are read one at a time.
        prepare_call: Gives the arguments that are shown.
        width: Cells per line; JSON has no lines.
        choice: What is printed.
        recorded: Print the recorded text of the arguments, not what is dispatched; JSON has both.

    Raises:
        ValueError: there is no such form.
        TooLong: there are too many lines for a picture.
    """
    if form == "json":
        from blockview.export.json import json_chunks

        return json_chunks(session, prepare_call, choice)
    if form == "html":
        from blockview.export.html import html_chunks

        return html_chunks(session, prepare_call, width=width, choice=choice, recorded=recorded)
    if form == "markdown":
        from blockview.export.markdown import markdown_chunks

        return markdown_chunks(session, prepare_call, width=width, choice=choice, recorded=recorded)
    if form == "svg":
        from blockview.export.svg import svg_text

        lines = session_lines(session, prepare_call, width=width, choice=choice, recorded=recorded)
        return iter([svg_text(lines, width)])
    if form in ("text", "ansi"):
        paint = ansi_line if form == "ansi" else plain
        return session_text(session, prepare_call, paint, width=width, choice=choice, recorded=recorded)
    raise ValueError(f"no form {form!r}; there are {', '.join(FORMS)}")
