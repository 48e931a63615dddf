"""check_endless_reads: reading files without a single record forever is an error, not a hang.

A reader skips empty files. If all files are empty and there is no ``num_epochs``, tf.data would
open them again and again within one ``sess.run`` that nothing can stop; TF1 waited forever too.
The check looks for a record in epochs 1, 2, 4, 8 ..., so that an epoch without a record is noticed before
twice as many epochs have passed. If several readers share the files, ``stages.plan_of`` adds the check to
the plan of the files.
"""

from __future__ import annotations

import dataclasses

from queuecompat._plan import ir

__all__ = ["check_endless_reads"]


def check_endless_reads(plan: ir.Plan) -> ir.Plan:
    """Sets ``Produce.read_by`` of an endless producer of files.

    Leaves the plan unchanged with ``num_epochs``, since the pipeline then ends, and with blocks, which are never empty.
    """
    steps = list(plan.steps)
    produce, read = steps[0], steps[1] if len(steps) > 1 else None
    if not isinstance(produce, ir.Produce) or produce.blocks is not None:
        return plan  # without records there are no blocks, which the producer checks itself
    if produce.num_epochs is None and isinstance(read, ir.Read):
        steps[0] = dataclasses.replace(produce, read_by=read.without_key())
    return plan.with_steps(tuple(steps))
