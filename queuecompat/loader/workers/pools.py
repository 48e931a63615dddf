"""The workers of a loader's passes: new threads for each, processes that may stay for the next.

Rule 1: processes are slow to start, so a ``with`` block keeps them. They end with the block, with the loader, or when
        nothing refers to it any more.
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
    """See the module.

    Args:
      owner: the loader.
    """

    def __init__(self, owner: object) -> None:
        self._kept: Optional[ProcessPool] = None
        self._ends = contextlib.ExitStack()
        weakref.finalize(owner, self._ends.close)

    def next(
        self, call: Call, settings: Settings, *, keeps: bool, allocated: Optional[Callable[[int], Memory]] = None
    ) -> WorkerPool:
        """The workers of the next pass.

        Args:
          keeps: whether processes stay for the pass after it.
          allocated: allocates the consumer's memory.
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

    def ends_of(self, pool: WorkerPool) -> List[Callable[[], None]]:
        """What ends with the pass of *pool*: processes that are not kept."""
        return [pool.close] if isinstance(pool, ProcessPool) and pool is not self._kept else []

    def close(self) -> None:
        """Ends the processes that were kept, if any."""
        self._kept = None
        self._ends.close()
