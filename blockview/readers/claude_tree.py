"""The tree of messages in a Claude Code session: which were answered more than once, and which prompts were rewound."""

from __future__ import annotations

from array import array

_NONE = -1
_ROOM = 4096


class MessageTree:
    """Knows of each record its first child only, as a hash, and the prompt that follows it, as a block's number.

    Most records have one child, so sets are made for the few that have more.
    """

    def __init__(self) -> None:
        self._children = array("q")
        self._prompts = array("i")
        self._lost_children: dict[str, int] = {}
        self._lost_prompts: dict[str, int] = {}
        self._branches: dict[str, set[int]] = {}

    def link(self, parent: str, row: int, child: str) -> None:
        """Note that a record has a child.

        Args:
            parent: The uuid of the record.
            row: Its row; -1 when the record itself was not seen.
            child: What the child is told from others by.
        """
        key = hash(child) or 1
        if row >= 0:
            if row >= len(self._children):
                self._reach(row)
            first = self._children[row]
            if not first:
                self._children[row] = key
                return
        else:
            first = self._lost_children.setdefault(parent, key)
        if first != key:
            self._branches.setdefault(parent, {first}).add(key)

    def prompted(self, parent: str, row: int, block: int) -> int:
        """Note that a block's prompt follows a record.

        Returns:
            The block whose prompt followed it before; -1 when none did.
        """
        if row >= 0:
            if row >= len(self._children):
                self._reach(row)
            before = self._prompts[row]
            self._prompts[row] = block
        else:
            before = self._lost_prompts.get(parent, _NONE)
            self._lost_prompts[parent] = block
        return before

    def _reach(self, row: int) -> None:
        """Make room for a row and more."""
        more = row + _ROOM - len(self._children)
        self._children.extend(array("q", [0]) * more)
        self._prompts.extend(array("i", [_NONE]) * more)

    @property
    def branches(self) -> tuple[tuple[str, int], ...]:
        """(uuid, children) of each record that has more than one child."""
        return tuple((uuid, len(children)) for uuid, children in self._branches.items())
