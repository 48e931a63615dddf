"""fuse_batch: a slice that runs in parallel writes its results straight into the batch.

Saves one copy of every element while it is still in the processor's cache, and one wake-up; for
images of 224x224 that is a tenth of all time. It also holds fewer elements: those being worked on
lie in the batch in flight already, so a shuffle's pool keeps its full size.
"""

from __future__ import annotations

import dataclasses

from queuecompat._compiler import ir

__all__ = ["fuse_batch"]


def fuse_batch(plan: ir.Plan) -> ir.Plan:
    """Holds back where batching pads, and where the slice runs one by one."""
    steps = list(plan.steps)
    for number in range(len(steps) - 2):
        run, queue, batch = steps[number : number + 3]
        if not (isinstance(run, ir.Run) and isinstance(queue, ir.Queue) and isinstance(batch, ir.Batch)):
            continue
        if run.parallel_calls > 1 and not batch.padded:
            before = steps[number - 1].components
            fused = ir.RunBatch(batch.components, run, batch)
            steps[number : number + 3] = [dataclasses.replace(queue, components=before), fused]
            break
    return plan.with_steps(tuple(steps))
