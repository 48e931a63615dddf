"""The compiler's passes, in the order in which they run.

A pass is a function from a plan to a plan that implements one idea. The pass, its file and its test have the same name.
To add one: write ``_passes/<name>.py``, insert it into ``ORDER``, and test it in ``tests/passes/test_<name>.py``.
Every pass preserves the elements (as a multiset, and their order where TF1 fixes it), the bits of all seeded
results, and TF1's bound on the number of elements held.
"""

from __future__ import annotations

import dataclasses
from typing import Callable

from queuecompat._passes.batch_first import batch_first
from queuecompat._passes.cache_elements import cache_elements
from queuecompat._passes.check_endless_reads import check_endless_reads
from queuecompat._passes.crop_early import crop_early
from queuecompat._passes.cut_epochs import cut_epochs
from queuecompat._passes.distribute import distribute
from queuecompat._passes.draw_by_index import draw_by_index
from queuecompat._passes.drop_keys import drop_keys
from queuecompat._passes.fuse_draws import fuse_draws
from queuecompat._passes.grow_shuffle import grow_shuffle
from queuecompat._passes.hoist_shuffle import hoist_shuffle
from queuecompat._passes.merge_alike import merge_alike
from queuecompat._passes.order_by_position import order_by_position
from queuecompat._passes.parallelise import parallelise
from queuecompat._passes.size_buffers import size_buffers
from queuecompat._passes.skip_errors import skip_errors
from queuecompat._plan import ir

__all__ = ["ORDER", "optimise"]

ORDER = (
    fuse_draws,
    drop_keys,
    check_endless_reads,
    cache_elements,
    draw_by_index,
    merge_alike,
    hoist_shuffle,
    grow_shuffle,
    crop_early,
    batch_first,
    cut_epochs,
    parallelise,
    order_by_position,
    size_buffers,
    skip_errors,
    distribute,
)


def optimise(plan: ir.Plan, seen: Callable[[str, ir.Plan], None] = lambda name, plan: None) -> ir.Plan:
    """Returns *plan* after all passes; they run on the branches of a ``Zip`` or ``Merge`` first.

    Args:
      seen: called after each pass, with the name of the pass and the plan or branch that it returned.
    """
    first = plan.steps[0]
    if isinstance(first, (ir.Zip, ir.Merge)):
        branches = tuple(optimise(branch, seen) for branch in first.branches)
        plan = plan.with_steps((dataclasses.replace(first, branches=branches),) + plan.steps[1:])
    for one in ORDER:
        plan = ir.validate(one(plan))
        seen(one.__name__, plan)
    return plan
