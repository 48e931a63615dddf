"""batch_first: what gives the same rows on a whole batch runs on whole batches.

``slice_input_producer`` gives ``tf.gather(array, index)``, one row at a time, and the user scales it:
a function call for each row. On a batch of indices the same call comes once, and gives the same rows.
``rows.py`` says for which ops that holds.
"""

from __future__ import annotations

import dataclasses

import tensorflow as tf

from queuecompat._compiler import ir

__all__ = ["batch_first"]


def batch_first(plan: ir.Plan) -> ir.Plan:
    """Holds back where a slice does anything that rows.py does not know, or where batching pads."""
    steps = list(plan.steps)
    for number, batch in enumerate(steps):
        if not isinstance(batch, ir.Batch) or batch.padded:
            continue
        run_at = number - 1
        if isinstance(steps[run_at], ir.Queue):
            run_at -= 1
        run = steps[run_at]
        if not (isinstance(run, ir.Run) and _gives_same_rows(run)):
            continue
        before = steps[run_at - 1].components
        rows = tuple(tf.TensorSpec([batch.size if batch.drop_remainder else None, *s.shape], s.dtype) for s in before)
        moved = [
            dataclasses.replace(step, components=before) if isinstance(step, ir.Queue) else step
            for step in steps[run_at + 1 : number]
        ]
        steps[run_at : number + 1] = [
            *moved,
            dataclasses.replace(batch, components=rows),
            dataclasses.replace(run, components=batch.components, batched=True),
        ]
        break
    return plan.with_steps(tuple(steps))


def _gives_same_rows(run: ir.Run) -> bool:
    body = run.body
    return body.gives_rows and not (body.is_random or body.keeps_its_order)
