"""What a person has allowed for one run. Nothing of it is ever stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from blockview.core.consentlines import Planned
from blockview.core.replaying import Destination


class Trust:
    """The servers that need no more questions, and those of their destructive tools that need none either.

    Trust in a server covers the tools that do not say that they are destructive. A tool that says so is covered when
    it said so as a call of it stood before the person who gave the trust; else each of its calls is asked about.
    """

    def __init__(self) -> None:
        self._servers: set[Destination] = set()
        self._tools: set[tuple[Destination, str]] = set()

    def give(self, server: Destination, seen: Iterable[Planned] = ()) -> None:
        """Ask no more for this very command or URL; `seen` are the calls that the person had before them."""
        self._servers.add(server)
        here = [each for each in seen if each.route.destination == server]
        self._tools |= {(server, each.call.tool) for each in here if each.destructive}

    def has(self, server: Destination) -> bool:
        """Whether the server needs no more questions to be started, or to be sent what is not destructive."""
        return server in self._servers

    def covers(self, planned: Planned) -> bool:
        """Whether the call needs no question, by what is known of its tool."""
        server = planned.route.destination
        if server is None or server not in self._servers:
            return False
        return not planned.destructive or (server, planned.call.tool) in self._tools

    def not_covered(self, planned: Iterable[Planned]) -> list[Planned]:
        """Of these calls those that can be sent and need a question."""
        return [each for each in planned if not each.hindrance and not self.covers(each)]

    def still_asked(self, planned: Sequence[Planned]) -> list[Planned]:
        """Of these calls those that need a question although their server is trusted."""
        return [each for each in self.not_covered(planned) if each.route.destination in self._servers]
