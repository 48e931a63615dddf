"""The threads of a pass, from their start to their end."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, List

__all__ = ["WorkerThreads"]


class WorkerThreads:
    """The threads of one pass. They are daemons, so a worker that hangs does not keep the program from ending."""

    def __init__(self) -> None:
        self._threads: List[threading.Thread] = []

    def start(self, number: int, target: Callable[..., None], argument: Any) -> None:
        thread = threading.Thread(target=target, args=(argument,), name=f"queuecompat-loader-{number}", daemon=True)
        thread.start()
        self._threads.append(thread)

    def includes_this_one(self) -> bool:
        """Returns whether the current thread is one of them."""
        return threading.current_thread() in self._threads

    def have_ended(self, limit: float) -> bool:
        """Waits until all threads have ended, at most until *limit* (``time.monotonic``); returns whether they have."""
        # Without the current thread: a pass may be collected, and closed, on a worker's own thread.
        threads = [thread for thread in self._threads if thread is not threading.current_thread()]
        for thread in threads:
            thread.join(max(0.0, limit - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)
