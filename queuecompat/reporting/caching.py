"""What ``--cache`` would keep of a pipeline that has no cache, and how many bytes that are.

It is asked of the pass that would put the cache in, so that nothing is advised that would not be done.
"""

from __future__ import annotations

import dataclasses
from typing import AbstractSet, Optional

from queuecompat._backends import text
from queuecompat._passes import ORDER
from queuecompat._passes.cache_elements import cache_elements
from queuecompat._plan import ir, kept
from queuecompat.reporting.stages import READ, Stage

__all__ = ["Keepable", "keepable"]


@dataclasses.dataclass(frozen=True)
class Keepable:
    """What is the same in every epoch.

    Attributes:
      op_names: of the ops that would not run again, in the user's graph; nor would the files be read.
      bytes: what would be kept; None: not known.
    """

    op_names: AbstractSet[str]
    bytes: Optional[int] = None

    def spares(self, stage: Stage) -> bool:
        """Whether the most expensive part of *stage* would be made once."""
        return stage.op_name in self.op_names or stage.kind == READ

    @property
    def advice(self) -> str:
        """The option that keeps it: in memory, unless it is known to be more than a cache there may take."""
        is_too_large = self.bytes is not None and self.bytes > kept.SHARE_OF_FREE * kept.free_memory()
        needs = "" if self.bytes is None else f" (needs {text.in_bytes(self.bytes)})"
        return f"`--cache {'DIR' if is_too_large else 'ram'}`{needs}"


def keepable(captured: ir.Plan, until_end: Optional[int]) -> Optional[Keepable]:
    """What a cache would keep of the plan *captured*; None: nothing that would be used again.

    Args:
      until_end: how many examples it delivered until its data ended, where they did.
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
    # Before what comes out of the cache may stand what goes past it.
    each = text.element_bytes(cache.components[-len(cache.inner[-1].components) :])
    count = _records(captured, source, until_end) if reads_records else source.rows
    size = None if each is None or count is None else each * count
    return Keepable(frozenset().union(*names), size)


def _records(captured: ir.Plan, source: ir.Produce, until_end: Optional[int]) -> Optional[int]:
    """The records of one epoch, where the data have ended and every record was an example; but for a dropped batch."""
    alike = all(isinstance(step, (ir.Batch, ir.Produce, ir.Queue, ir.Read, ir.Run)) for step in captured.steps)
    return -(-until_end // source.num_epochs) if alike and until_end and source.num_epochs else None
