"""The jobs of a connection: any thread puts them in, the connection's own thread takes them out in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

import msgspec

from blockview.core.coercion import Depth
from blockview.core.model import ToolCall
from blockview.core.outcome import Outcome
from blockview.core.prepare import Lookup, Prepared


class Send(msgspec.Struct, frozen=True, eq=False):
    """Prepare a call and send it, if that gives what a person approved. Without a lookup the live list answers."""

    call: ToolCall
    depth: Depth
    lookup: Lookup | None
    future: Future[Outcome]
    approved: Prepared | None = None


class Relist(msgspec.Struct, frozen=True, eq=False):
    """Fetch the list of tools again. Without a future nobody waits for it."""

    future: Future[None] | None = None


Job = Send | Relist
Action = Callable[[], None]


class Mailbox:
    """A queue between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: deque[Job] = deque()
        self._early: list[Action] = []
        self._post: Callable[[Action], object] | None = None
        self._wake: Action | None = None
        self._closed = False

    def open(self, post: Callable[[Action], object], wake: Action) -> None:
        """Let the taker be woken: `post` runs an action on its thread, `wake` is the action for a new job."""
        with self._lock:
            self._post, self._wake = post, wake
            for action in (*self._early, wake):
                post(action)

    def put(self, job: Job) -> bool:
        """Add a job; False when the connection has ended, so that nobody will ever take it."""
        with self._lock:
            if self._closed:
                return False
            self._jobs.append(job)
            if self._post is not None and self._wake is not None and len(self._jobs) == 1:
                self._post(self._wake)
            return True

    def take(self) -> Job | None:
        """The next job, or None when there is none now."""
        with self._lock:
            return self._jobs.popleft() if self._jobs else None

    def peek(self) -> Job | None:
        """The job that `take` would give."""
        with self._lock:
            return self._jobs[0] if self._jobs else None

    def discard(self, future: object) -> bool:
        """Take out the job of that future; False when it is not here (any more)."""
        with self._lock:
            found = next((job for job in self._jobs if job.future is future), None)
            if found is not None:
                self._jobs.remove(found)
            return found is not None

    def run(self, action: Action) -> None:
        """Run an action on the taker's thread, as soon as there is one. Once the connection has ended nothing runs."""
        with self._lock:
            if self._post is not None:
                self._post(action)
            elif not self._closed:
                self._early.append(action)

    def close(self) -> list[Job]:
        """Take no more jobs; gives those that are left."""
        with self._lock:
            self._closed, self._post, self._wake = True, None, None
            left = list(self._jobs)
            self._jobs.clear()
            return left
