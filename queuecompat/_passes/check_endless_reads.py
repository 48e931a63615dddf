"""check_endless_reads: files without any record, read forever, are an error and not a hang.

A reader skips an empty file. If all are empty and no ``num_epochs`` ends the round, tf.data would
open them again and again inside of one ``sess.run`` that nothing can stop; TF1 waited forever too.
The check opens one file more in epochs 1, 2, 4, 8 ...; what comes after an epoch without a record is never
more than twice as long as what came before. Of several readers that share the files, the stage of the
files knows (see ``stages.plan_of``).
"""

from __future__ import annotations

import dataclasses

from queuecompat._plan import ir

__all__ = ["check_endless_reads"]


def check_endless_reads(plan: ir.Plan) -> ir.Plan:
    """Holds back where epochs are counted: such a pipeline ends by itself; and at blocks, which are never empty."""
    steps = list(plan.steps)
    produce, read = steps[0], steps[1] if len(steps) > 1 else None
    if not isinstance(produce, ir.Produce) or produce.blocks is not None:
        return plan  # an epoch without blocks is one without records
    if produce.num_epochs is None and isinstance(read, ir.Read):
        steps[0] = dataclasses.replace(produce, read_by=read.without_key())
    return plan.with_steps(tuple(steps))
