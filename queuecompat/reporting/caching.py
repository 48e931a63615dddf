"""What ``--cache`` would keep of a pipeline that has no cache, and its size in bytes.

This is found by running the pass that would insert the cache, so that the advice is never something that would not
work.
"""

from __future__ import annotations

import dataclasses
from typing import AbstractSet, Optional

from queuecompat._backends import text
from queuecompat._passes import ORDER
from queuecompat._passes.cache_elements import cache_elements
from queuecompat._plan import cache_store, ir
from queuecompat.reporting.stages import READ, Stage

__all__ = ["Cacheable", "cacheable"]


@dataclasses.dataclass(frozen=True)
class Cacheable:
    """The work whose results are the same in every epoch.

    Attributes:
      op_names: the names, in the user's graph, of the ops that a cache would spare; the files would not be read again
        either.
      bytes: the size of what would be kept; None: not known.
    """

    op_names: AbstractSet[str]
    bytes: Optional[int] = None

    def spares(self, stage: Stage) -> bool:
        """Whether a cache would spare the most expensive part of *stage*."""
        return stage.op_name in self.op_names or stage.kind == READ

    @property
    def advice(self) -> str:
        """The option that keeps it: in memory, unless it is known to be larger than a cache in memory may be."""
        is_too_large = self.bytes is not None and self.bytes > cache_store.SHARE_OF_FREE * cache_store.free_memory()
        needs = "" if self.bytes is None else f" (needs {text.in_bytes(self.bytes)})"
        return f"`--cache {'DIR' if is_too_large else 'ram'}`{needs}"


def cacheable(captured: ir.Plan, until_end: Optional[int]) -> Optional[Cacheable]:
    """Returns what a cache would keep of the plan *captured*; None if it would keep nothing that is used again.

    Args:
      until_end: the number of examples that the pipeline delivered until its data ended, if it did.
    """
    source = captured.steps[0]
    if captured.options.cache is not None or not isinstance(source, ir.Produce) or source.num_epochs == 1:
        return None
    options = dataclasses.replace(captured.options, cache="ram", cache_bytes=None)
    plan = dataclasses.replace(captured, options=options)
    for one in ORDER[: ORDER.index(cache_elements) + 1]:
        plan = one(plan)
    cache = next((step for step in plan.steps if isinstance(step, ir.Cache)), None)
    if cache is None:
        return None
    names = [step.body.op_names for step in cache.inner if isinstance(step, ir.Run)]
    reads_records = isinstance(cache.inner[0], ir.Read)
    # The cache's components may be preceded by components that bypass the cached steps.
    each = text.element_bytes(cache.components[-len(cache.inner[-1].components) :])
    count = _records(captured, source, until_end) if reads_records else source.rows
    size = None if each is None or count is None else each * count
    return Cacheable(frozenset().union(*names), size)


def _records(captured: ir.Plan, source: ir.Produce, until_end: Optional[int]) -> Optional[int]:
    """Returns the records per epoch, if the data has ended and each record was an example (except a dropped batch)."""
    alike = all(isinstance(step, (ir.Batch, ir.Produce, ir.Queue, ir.Read, ir.Run)) for step in captured.steps)
    return -(-until_end // source.num_epochs) if alike and until_end and source.num_epochs else None
