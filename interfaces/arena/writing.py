"""A thread for the disk, so that a slow disk delays only the messages that depend on it."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Callable


T = TypeVar("T")


class _Job:
    """A function to call, and its result."""

    def __init__(self, function: Callable[[], Any], *, is_awaited: bool = True) -> None:
        self.function = function
        self.done = trio.Event()
        self.is_awaited = is_awaited
        self.result: Any = None
        self.error: BaseException | None = None


class WriterThread:
    """Calls functions one after the other in one thread, which owns what they open.

    It must be entered in a trio run, and left before that ends.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._token = trio.lowlevel.current_trio_token()
        self._thread = threading.Thread(target=self._work, name="arena writer", daemon=True)
        self._thread.start()

    async def run(self, function: Callable[[], T]) -> T:
        """Call a function in the thread, and return its result or raise its error.

        The call goes on even if the wait is cancelled.
        """
        job = _Job(function)
        self._jobs.put(job)
        await job.done.wait()
        if job.error is not None:
            raise job.error
        found: T = job.result
        return found

    def later(self, function: Callable[[], Any]) -> None:
        """Queue a function for the thread without waiting. It must not raise."""
        self._jobs.put(_Job(function, is_awaited=False))

    def stop(self) -> None:
        """End the thread after all queued functions."""
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job.result = job.function()
            except BaseException as error:
                job.error = error
            if job.is_awaited:
                try:
                    self._token.run_sync_soon(job.done.set)
                except trio.RunFinishedError:
                    return
