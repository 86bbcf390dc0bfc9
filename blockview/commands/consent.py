"""Asks the person before a server is started and before a call is sent, with all that is known by then."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TextIO

from blockview.commands import Failure
from blockview.commands.shared import paint, terminal_width
from blockview.core.consentlines import Planned, always_rows, call_rows, server_rows, still_asked_rows
from blockview.core.replaying import Destination
from blockview.core.rows import Row
from blockview.core.safetext import short_name, visible
from blockview.core.trust import Trust

_ANSWERS = {"y": "y", "yes": "y", "a": "a", "always": "a", "q": "q", "quit": "q"}
"""Anything else, such as `abort`, is a no."""


class Consent:
    """What the person has allowed in this run. Nothing of it is ever stored."""

    def __init__(self, terminal: TextIO | None, *, given: bool) -> None:
        """Ask on `terminal`; with `given` everything is allowed and nothing is asked."""
        self._terminal = terminal
        self.given = given
        self._trust = Trust()
        self.stopped = False
        """The person wants no more calls to be sent."""

    def covers(self, planned: Planned) -> bool:
        """Whether the call is allowed without a question, whatever its arguments are."""
        return self.given or self._trust.covers(planned)

    def to_start(self, server: Destination, reason: str) -> bool:
        """Whether the server may be started, or reached, and asked for its tools; `reason` says how it was found."""
        if self.given or self._trust.has(server):
            return True
        _tell(server_rows(server, reason, connected=False, width=terminal_width(sys.stderr)))
        what = "start it" if server.how == "stdio" else "connect to it"
        return self._ask(server, f"{what} and list its tools? [y/N/q] ", "yq") == "y"

    def to_send(self, planned: Planned, number: int, total: int) -> bool:
        """Whether a call may be sent as it is; it is the one of `number`, from 0, of `total`.

        `a` is offered where there are calls to come that it could cover.
        """
        server = planned.route.destination
        if server is None or self.covers(planned):
            return True
        width = terminal_width(sys.stderr)
        _tell(call_rows(planned, number, total, width=width))
        _tell(still_asked_rows(self._trust.still_asked([planned]), width))
        answers = "yaq" if number + 1 < total else "yq"
        if "a" in answers:
            _tell(always_rows([planned], width))
        keys = "/".join(["y", "N", *answers[1:]])
        answer = self._ask(server, f"send it to {short_name(server.name)}? [{keys}] ", answers)
        if answer == "a":
            self._trust.give(server, [planned])
        return answer in ("y", "a")

    def _ask(self, server: Destination, question: str, answers: str) -> str:
        if self._terminal is None:
            name = short_name(server.name)
            raise Failure(f"{name} needs your consent and there is no terminal to ask on; in a script give --yes")
        _forget_typed(self._terminal)
        line = ""
        try:
            print(visible(question), end="", file=sys.stderr, flush=True)
            line = self._terminal.readline()
        finally:
            if not line.endswith("\n"):  # what follows does not belong to the question
                print(file=sys.stderr)
        answer = _ANSWERS.get(line.strip().lower(), "")
        self.stopped = answer == "q" or not line
        return answer if answer in answers else ""


def _forget_typed(terminal: TextIO) -> None:
    """Drop what was typed before the question was there: it cannot be the answer to it."""
    try:
        import termios
    except ImportError:  # Windows
        return
    with suppress(OSError, termios.error):
        termios.tcflush(terminal.fileno(), termios.TCIFLUSH)


def _tell(rows: Iterable[Row]) -> None:
    for row in rows:
        print(paint(row.line, sys.stderr), file=sys.stderr)
