"""Where the conversation of a subagent is that a call started, and how much there is of it."""

from __future__ import annotations

import msgspec

from blockview.core.model import Session


class Subagent(msgspec.Struct, frozen=True):
    """A subagent's conversation: blocks of the same recording, or a session of its own.

    `first` is the first of the blocks in the same recording, `session` the other recording; with neither, `problem`
    says why there is nothing to show.
    """

    blocks: int = 0
    calls: int = 0
    first: int | None = None
    session: Session | None = None
    problem: str = ""

    @property
    def words(self) -> str:
        """How much there is, or why there is nothing."""
        if self.problem:
            return self.problem
        return f"{_number(self.blocks, 'block')}, {_number(self.calls, 'call')}"


def inline_subagent(session: Session, agent: str) -> Subagent | None:
    """The subagent of that id when its blocks stand in the session's own recording; no file is read."""
    blocks = session.agents.get(agent)
    if not blocks:
        return None
    counts = session.call_counts
    return Subagent(len(blocks), sum(counts[block] for block in blocks if block < len(counts)), blocks[0])


def find_subagent(session: Session, agent: str) -> Subagent:
    """The subagent of that id: in the session's own recording, or in one that is opened now."""
    if (inline := inline_subagent(session, agent)) is not None:
        return inline
    try:
        found = session.nested(agent)
    except (OSError, ValueError) as error:
        return Subagent(problem=f"its recording cannot be read: {error}")
    if found is None:
        return Subagent(problem="its recording is not there")
    return Subagent(len(found.blocks), sum(found.call_counts), session=found)


def _number(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
