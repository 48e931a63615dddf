"""batch_first: the user's ops run once on a whole batch, and not on one element after the other.

A function call for each element costs 20 to 40 us before any work, and tensors as small as a record or a row cost most
of the rest in starting one op after the other. So what was read is batched as it is, and the batched form of the slice
(``batched/``) runs after that. What has no such form, and all that comes before it, stays with the elements.
"""

from __future__ import annotations

import dataclasses
from typing import List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.bodies import InBatches

__all__ = ["batch_first"]


def batch_first(plan: ir.Plan) -> ir.Plan:
    """Holds back where no op of a slice has a batched form; the text then says why."""
    skips = plan.options.on_error == "skip"
    steps = list(plan.steps)
    for number, batch in enumerate(steps):
        if not isinstance(batch, ir.Batch):
            continue
        run_at = number - (2 if isinstance(steps[number - 1], ir.Queue) else 1)
        run = steps[run_at]
        if not isinstance(run, ir.Run) or run.batched or run.body.is_empty or run.draws:
            continue
        size = batch.size if batch.drop_remainder and not skips else None  # a batch may lose some of its elements
        form = run.body.in_batches(_lengths(steps[:run_at], run.uses), size, batch.padded)
        if skips and form is not None and (form.head is not None or batch.padded):
            break  # what comes after the head no longer says which record it is; padded batches are not filled up
        if form is not None and form.tail is None:
            steps[run_at] = dataclasses.replace(run, remark=form.remark)
        elif form is not None and _can_be_stacked(form, steps[run_at - 1]):
            steps[run_at : number + 1] = _in_batches(steps[run_at - 1 : number + 1], form)
        break
    return plan.with_steps(tuple(steps))


def _in_batches(steps: List[ir.Step], form: InBatches) -> List[ir.Step]:
    """What comes in place of all *steps* but the first: a run, perhaps a queue, and the batch."""
    given, run, *queue, batch = steps
    assert isinstance(run, ir.Run) and isinstance(batch, ir.Batch) and form.tail is not None
    head, components, uses = [], given.components, run.uses
    inputs = tuple(run.uses[use] for use in form.uses)
    if form.head is not None:
        head = [dataclasses.replace(run, components=form.between, body=form.head, uses=inputs)]
        components, uses = form.between, tuple(range(len(form.between)))
    else:
        uses = inputs
    rows = tuple(_rows(spec, batch) for spec in components)
    alone = run if form.head is None else None
    tail = ir.Run(batch.components, form.tail, uses, batched=True, remark=form.remark, alone=alone)
    queues = [dataclasses.replace(step, components=components) for step in queue]
    return [*head, *queues, dataclasses.replace(batch, components=rows, padded=False), tail]


def _can_be_stacked(form: InBatches, before: ir.Step) -> bool:
    """Whether what would be batched has one shape, what the slice does not use included."""
    components = before.components if form.head is None else form.between
    return all(spec.shape.is_fully_defined() for spec in components)


def _rows(spec: tf.TensorSpec, batch: ir.Batch) -> tf.TensorSpec:
    size = batch.size if batch.drop_remainder else None
    return tf.TensorSpec([size, *spec.shape], spec.dtype)


def _lengths(steps: List[ir.Step], uses: Tuple[int, ...]) -> List[Optional[int]]:
    """The bytes of each string of the components *uses*, where what they were read from says it."""
    length = _record_bytes(steps)
    value = len(steps[-1].components) - 1
    return [length if use == value else None for use in uses]


def _record_bytes(steps: Sequence[ir.Step]) -> Optional[int]:
    """The bytes of the records that *steps* end in; None where they may differ, or where they are no records."""
    before = [step for step in steps if not isinstance(step, (ir.Prefetch, ir.Queue, ir.Shuffle))]
    last = before[-1] if before else None
    if isinstance(last, ir.Merge):
        lengths = {_record_bytes(branch.steps) for branch in last.branches}
        return lengths.pop() if len(lengths) == 1 else None
    return last.layout.record_bytes or None if isinstance(last, ir.Read) and last.up_to is None else None
