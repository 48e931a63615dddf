"""batch_first: what computes the same rows on a whole batch runs on whole batches.

``slice_input_producer`` returns ``tf.gather(array, index)``, one row at a time, and the user scales it:
a function call for each row. On a batch of indices the same call comes once, and computes the same rows.
``rows.py`` says for which ops that holds.
"""

from __future__ import annotations

import dataclasses

import tensorflow as tf

from queuecompat._plan import ir

__all__ = ["batch_first"]


def batch_first(plan: ir.Plan) -> ir.Plan:
    """Holds back where a slice does anything that rows.py does not know, or where batching pads.

    Of a slice that ends in casts and constant arithmetic, that end alone runs on batches, if the
    elements before it take fewer bytes.
    """
    steps = list(plan.steps)
    for number, batch in enumerate(steps):
        if not isinstance(batch, ir.Batch) or batch.padded:
            continue
        run_at = number - (2 if isinstance(steps[number - 1], ir.Queue) else 1)
        run = steps[run_at]
        if not isinstance(run, ir.Run) or run.batched:
            continue
        if _gives_same_rows(run):
            head, tail = [], dataclasses.replace(run, components=batch.components, batched=True)
        elif (split := run.body.split()) is not None and split.tail is not None:
            head = [ir.Run(split.between, split.head, tuple(run.uses[use] for use in split.uses))]
            tail = ir.Run(batch.components, split.tail, tuple(range(len(split.between))), batched=True)
        else:
            continue
        before = (head or steps[run_at - 1 : run_at])[0].components
        queue = [dataclasses.replace(step, components=before) for step in steps[run_at + 1 : number]]
        size = batch.size if batch.drop_remainder else None
        rows = tuple(tf.TensorSpec([size, *spec.shape], spec.dtype) for spec in before)
        steps[run_at : number + 1] = [*head, *queue, dataclasses.replace(batch, components=rows), tail]
        break
    return plan.with_steps(tuple(steps))


def _gives_same_rows(run: ir.Run) -> bool:
    body = run.body
    return body.is_batchable and not (body.is_random or body.keeps_its_order)
