"""The subagents of Codex: which call started which thread, and where the thread's own rollout is.

Source: codex-rs/protocol/src/protocol.rs (`CollabAgentSpawnEndEvent`, `SubAgentActivityEvent`), items.rs and
core/src/tools/handlers/multi_agents in https://github.com/openai/codex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from blockview.core.raw import part_of, string_of
from blockview.readers.codex_events import PAYLOAD, Payload
from blockview.readers.nested import folders_in

_ROLLOUT = re.compile(r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(.+?)\.jsonl(?:\.zst)?")
_TREES = ("sessions", "archived_sessions")


class _Spawned(msgspec.Struct, gc=False):
    agent_id: str = ""


_SPAWNED = msgspec.json.Decoder(_Spawned)


class StartedAgents:
    """Which thread each call started, as far as the records tell that were learnt.

    The host tells it in an event or an item. Before it did, it stood in the output of the call.
    """

    def __init__(self) -> None:
        self._threads: dict[str, str] = {}
        self._spawns: set[str] = set()

    def __len__(self) -> int:
        """How many calls are known to have started a thread."""
        return len(self._threads)

    def learn(self, kind: str, payload: Payload) -> None:
        """Note what a record tells of it."""
        if kind == "response_item":
            self._learn_item(payload)
        elif kind == "event_msg":
            self._learn_event(payload)

    def of(self, call_id: str) -> str:
        """The id of the thread that a call started; empty where none is known."""
        return self._threads.get(call_id, "")

    def _learn_item(self, payload: Payload) -> None:
        if payload.type == "function_call" and payload.name == "spawn_agent":
            self._spawns.add(payload.call_id)
        elif payload.type == "function_call_output" and payload.call_id in self._spawns:
            output = (string_of(payload.output) or "").encode("utf-8", "surrogateescape")
            spawned = part_of(_SPAWNED, output) if output[:1] == b"{" else None
            self._note(payload.call_id, spawned.agent_id if spawned else "")

    def _learn_event(self, payload: Payload) -> None:
        match payload.type:
            case "collab_agent_spawn_end":
                self._note(payload.call_id, payload.new_thread_id or "")
            case "sub_agent_activity" if payload.kind == "started":
                self._note(payload.event_id, payload.agent_thread_id)
            case "item_completed" if b'"SubAgentActivity"' in bytes(payload.item):
                item = part_of(PAYLOAD, payload.item)
                if item is not None and item.type == "SubAgentActivity" and item.kind == "started":
                    self._note(item.id, item.agent_thread_id)

    def _note(self, call_id: str, thread: str) -> None:
        if call_id and thread:
            self._threads[call_id] = thread


def thread_of(name: str) -> str | None:
    """The id of the thread in the name of a rollout; None for any other name."""
    match = _ROLLOUT.fullmatch(name)
    return match[1] if match else None


def rollout_folders(path: Path) -> Iterator[Path]:
    """The folder of a rollout, then those of the other days in the same tree."""
    yield path.parent
    tree = next((folder for folder in path.absolute().parents[:4] if folder.name in _TREES), None)
    if tree is not None:
        for year in folders_in(tree):
            for month in folders_in(year):
                yield from folders_in(month)
