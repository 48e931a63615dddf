"""The worker pools of a loader's passes: new threads for each pass, and processes that may stay for the next pass.

Rule 1: processes are slow to start, so a ``with`` block keeps them. They end with the block, when the loader is closed,
        or when nothing refers to the loader any more.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import Callable, List, Optional

from queuecompat.loader.calls import Call
from queuecompat.loader.memory.blocks import Memory
from queuecompat.loader.run.work import PoolConfig, WorkerPool
from queuecompat.loader.settings import Settings
from queuecompat.loader.workers.process_pool import ProcessPool
from queuecompat.loader.workers.thread_pool import ThreadPool

__all__ = ["Pools"]


class Pools:
    """Makes the worker pools of a loader's passes.

    Args:
      owner: the loader; the processes end when it is collected.
    """

    def __init__(self, owner: object) -> None:
        self._kept: Optional[ProcessPool] = None
        self._ends = contextlib.ExitStack()
        weakref.finalize(owner, self._ends.close)

    def next(
        self, call: Call, settings: Settings, *, keeps: bool, allocated: Optional[Callable[[int], Memory]] = None
    ) -> WorkerPool:
        """Returns the worker pool for the next pass.

        Args:
          keeps: whether its processes, if any, stay for later passes.
          allocated: allocates the memory of the consumer's batches; None for ordinary memory.
        """
        config = PoolConfig(
            call, settings.seed, settings.num_workers, settings.items_at_once, settings.made_at, allocated
        )
        if settings.workers == "threads":
            return ThreadPool(config)
        if self._kept is not None and self._kept.is_usable:
            return self._kept
        self.close()
        pool = ProcessPool(config)
        self._kept = pool if keeps else None
        self._ends.callback(pool.close)
        return pool

    def closers_of(self, pool: WorkerPool) -> List[Callable[[], None]]:
        """Returns the functions to call when the pass of *pool* ends: they end processes that are not kept."""
        return [pool.close] if isinstance(pool, ProcessPool) and pool is not self._kept else []

    def close(self) -> None:
        """Ends the processes that were kept, if any."""
        self._kept = None
        self._ends.close()
