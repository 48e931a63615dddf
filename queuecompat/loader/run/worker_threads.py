"""The threads of a pass, from their start to their end."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, List

__all__ = ["WorkerThreads"]


class WorkerThreads:
    """Daemon threads: a worker that hangs does not keep the program from ending."""

    def __init__(self) -> None:
        self._threads: List[threading.Thread] = []

    def start(self, number: int, target: Callable[..., None], argument: Any) -> None:
        thread = threading.Thread(target=target, args=(argument,), name=f"queuecompat-loader-{number}", daemon=True)
        thread.start()
        self._threads.append(thread)

    def have_ended(self, limit: float) -> bool:
        """Waits for them, until *limit* on the monotonic clock at most."""
        # A pass may be collected on a worker's own thread, which ends by itself.
        threads = [thread for thread in self._threads if thread is not threading.current_thread()]
        for thread in threads:
            thread.join(max(0.0, limit - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)
