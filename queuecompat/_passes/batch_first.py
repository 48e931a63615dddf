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
    """Holds back where no op of a slice has a batched form; the text then says why. Where ``keep_input`` leaves out
    elements of a batch, also where it pads, where the queue has no room for a batch that is filled up, and where the
    program's own queues might not have the elements of one more batch."""
    steps = list(plan.steps)
    for number, batch in enumerate(steps):
        if not isinstance(batch, ir.Batch):
            continue
        queue = [one for one in steps[number - 1 : number] if isinstance(one, ir.Queue)]
        run_at = number - len(queue) - 1
        keeps = isinstance(steps[run_at], ir.Filter)
        run_at -= keeps
        run = steps[run_at]
        if not isinstance(run, ir.Run) or run.batched or run.body.is_empty or run.draws:
            continue
        if keeps and not _may_be_filled_up(plan, queue, batch):
            break
        form = _form(run, steps[:run_at], batch, plan, keeps)
        if form is None:
            break
        if form.tail is None:
            steps[run_at] = dataclasses.replace(run, remark=form.remark)
        elif _can_be_stacked(form, steps[run_at - 1]):
            made = _kept_in_batches if keeps else _in_batches
            steps[run_at : number + 1] = made(steps[run_at - 1], run, queue, batch, form)
        break
    return plan.with_steps(tuple(steps))


def _form(run: ir.Run, before: Sequence[ir.Step], batch: ir.Batch, plan: ir.Plan, keeps: bool) -> Optional[InBatches]:
    skips = plan.options.on_error == "skip"
    size = batch.size if batch.drop_remainder and not (skips or keeps) else None  # a batch may lose its elements
    form = run.body.in_batches(_lengths(before, run.uses), size, pads=batch.padded, keeps=keeps)
    if skips and form is not None and (form.head is not None or batch.padded):
        return None  # what comes after the head no longer says which record it is; padded batches are not filled up
    return form


def _in_batches(
    given: ir.Step, run: ir.Run, queue: Sequence[ir.Step], batch: ir.Batch, form: InBatches
) -> List[ir.Step]:
    """What comes in place of *run* and *batch*, after *given*."""
    head, components, uses = _head(given, run, form)
    assert form.tail is not None
    rows = tuple(_rows(spec, batch) for spec in components)
    alone = run if form.head is None else None
    tail = ir.Run(batch.components, form.tail, uses, batched=True, remark=form.remark, alone=alone)
    queues = [dataclasses.replace(step, components=components) for step in queue]
    return [*head, *queues, dataclasses.replace(batch, components=rows, padded=False), tail]


def _kept_in_batches(
    given: ir.Step, run: ir.Run, queue: Sequence[ir.Step], batch: ir.Batch, form: InBatches
) -> List[ir.Step]:
    """The same where the last result says which elements are kept: of each batch those, filled up from the next."""
    head, components, uses = _head(given, run, form)
    assert form.tail is not None
    some = dataclasses.replace(batch, drop_remainder=False)
    rows = tuple(_rows(spec, some) for spec in components)
    kept = tuple(tf.TensorSpec([None, *spec.shape[1:]], spec.dtype) for spec in batch.components)
    remark = "; ".join(filter(None, ["drops what keep_input is false for", form.remark]))
    tail = ir.Run(kept, form.tail, uses, batched=True, remark=remark)
    queues = [dataclasses.replace(step, components=components) for step in queue]
    return [
        *head,
        *queues,
        dataclasses.replace(some, components=rows),
        tail,
        dataclasses.replace(batch, refills=True),
    ]


def _head(given: ir.Step, run: ir.Run, form: InBatches) -> Tuple[List[ir.Step], ir.Components, Tuple[int, ...]]:
    """What runs for each element, what comes out before the batch, and what of that the rest takes."""
    inputs = tuple(run.uses[use] for use in form.uses)
    if form.head is None:
        return [], given.components, inputs
    head = dataclasses.replace(run, components=form.between, body=form.head, uses=inputs)
    return [head], form.between, tuple(range(len(form.between)))


def _may_be_filled_up(plan: ir.Plan, queue: Sequence[ir.Step], batch: ir.Batch) -> bool:
    """Whether a batch may wait for elements of the one after it."""
    room = min((one.capacity for one in queue if isinstance(one, ir.Queue) and one.capacity >= 0), default=None)
    waits = any(isinstance(step, ir.Pull) and (step.is_native or step.is_own) for step in ir.all_steps(plan))
    has_room = room is None or room >= 2 * batch.size
    return has_room and not (waits or batch.padded or plan.is_remote or plan.options.on_error == "skip")


def _can_be_stacked(form: InBatches, before: ir.Step) -> bool:
    """Whether what would be batched has one shape, what the slice does not use included."""
    components = before.components if form.head is None else form.between
    return all(spec.shape.is_fully_defined() for spec in components)


def _rows(spec: tf.TensorSpec, batch: ir.Batch) -> tf.TensorSpec:
    size = batch.size if batch.drop_remainder else None
    return tf.TensorSpec([size, *spec.shape], spec.dtype)


def _lengths(steps: Sequence[ir.Step], uses: Tuple[int, ...]) -> List[Optional[int]]:
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
