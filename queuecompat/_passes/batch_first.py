"""batch_first: runs the user's ops once on each batch rather than once on each element.

A function call for each element costs 20 to 40 us before any work, and for tensors as small as a record or a row, most
of the remaining time is the overhead of starting each op. So the elements are batched as they were read, and the
batched form of the slice (``_analysis.batched``) runs after the batch. Ops without such a form, and all ops that these
depend on, still run on single elements before the batch.
"""

from __future__ import annotations

import dataclasses
from typing import List, Optional, Sequence, Tuple, Union

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.bodies import InBatches

__all__ = ["batch_first"]


def batch_first(plan: ir.Plan) -> ir.Plan:
    """Moves the ops of the last slice before the first batch to after it, as far as they have a batched form.

    Leaves the slice unchanged if no op has a batched form, before buckets, if a padded batch would have to be filled
    up, and, after ``keep_input``, if filling up batches would need more elements than the queue held. ``Run.remark``
    then states the reason.
    """
    steps = list(plan.steps)
    for number, batch in enumerate(steps):
        if not isinstance(batch, (ir.Batch, ir.Bucket)):
            continue
        run_at, between = _slice_before(steps, number)
        run = steps[run_at]
        if not isinstance(run, ir.Run) or run.batched or run.body.is_empty or run.draws:
            continue
        why = _why_one_by_one(plan, between, batch)
        form = None if why else _form(run, steps[:run_at], between, batch, plan)
        if why or (form is not None and form.tail is None):
            remark = f"not batched: {why}" if form is None else form.remark
            steps[run_at] = dataclasses.replace(run, remark=_remark(run.remark, remark))
        elif form is not None and isinstance(batch, ir.Batch) and _can_be_stacked(form, steps[run_at - 1]):
            made = _kept_in_batches if _keeps(between) else _in_batches
            queue = [step for step in between if isinstance(step, ir.Queue)]
            steps[run_at : number + 1] = made(steps[run_at - 1], run, queue, batch, form)
        break
    return plan.with_steps(tuple(steps))


def _slice_before(steps: Sequence[ir.Step], number: int) -> Tuple[int, Sequence[ir.Step]]:
    """Returns the index of the last slice before the batch at index *number*, and the steps between the two.

    A shuffle buffer is between them if ``keep_input`` kept it from being moved before the slice.
    """
    place = number - 1
    place -= isinstance(steps[place], ir.Queue)
    if isinstance(steps[place], ir.Shuffle) and isinstance(steps[place - 1], ir.Filter):
        place -= 1
    place -= isinstance(steps[place], ir.Filter)
    return place, steps[place + 1 : number]


def _keeps(between: Sequence[ir.Step]) -> bool:
    """Whether ``keep_input`` may drop elements."""
    return any(isinstance(step, ir.Filter) for step in between)


def _form(
    run: ir.Run,
    before: Sequence[ir.Step],
    between: Sequence[ir.Step],
    batch: Union[ir.Batch, ir.Bucket],
    plan: ir.Plan,
) -> Optional[InBatches]:
    assert isinstance(batch, ir.Batch)
    skips, keeps = plan.options.on_error == "skip", _keeps(between)
    size = batch.size if batch.drop_remainder and not (skips or keeps) else None  # batches may lose elements
    form = run.body.in_batches(_lengths(before, run.uses), size, pads=batch.padded, keeps=keeps)
    if skips and form is not None and form.head is not None:
        return None  # after the head, an element no longer tells which record it came from
    return form


def _in_batches(
    given: ir.Step, run: ir.Run, queue: Sequence[ir.Step], batch: ir.Batch, form: InBatches
) -> List[ir.Step]:
    """Returns the steps that replace those from *run* to *batch*, after the step *given*."""
    head, components, uses = _head(given, run, form)
    assert form.tail is not None
    rows = tuple(_rows(spec, batch) for spec in components)
    alone = run if form.head is None else None
    remark = form.remark if head else _remark(run.remark, form.remark)
    tail = ir.Run(batch.components, form.tail, uses, batched=True, remark=remark, alone=alone)
    queues = [dataclasses.replace(step, components=components) for step in queue]
    return [*head, *queues, dataclasses.replace(batch, components=rows, padded=False), tail]


def _kept_in_batches(
    given: ir.Step, run: ir.Run, queue: Sequence[ir.Step], batch: ir.Batch, form: InBatches
) -> List[ir.Step]:
    """As ``_in_batches``, for a *run* whose last result tells which elements to keep (``keep_input``).

    The others are dropped from each batch, which is then filled up from the next.
    """
    head, components, uses = _head(given, run, form)
    assert form.tail is not None
    some = dataclasses.replace(batch, drop_remainder=False)
    rows = tuple(_rows(spec, some) for spec in components)
    kept = tuple(tf.TensorSpec([None, *spec.shape[1:]], spec.dtype) for spec in batch.components)
    remark = _remark("" if head else run.remark, "drops what keep_input is false for", form.remark)
    tail = ir.Run(kept, form.tail, uses, batched=True, remark=remark)
    queues = [dataclasses.replace(step, components=components) for step in queue]
    return [
        *head,
        *queues,
        dataclasses.replace(some, components=rows),
        tail,
        dataclasses.replace(batch, refills=True),
    ]


def _remark(*remarks: str) -> str:
    return "; ".join(filter(None, remarks))


def _head(given: ir.Step, run: ir.Run, form: InBatches) -> Tuple[List[ir.Step], ir.Components, Tuple[int, ...]]:
    """Returns the steps for each element, the specs of what is batched, and the components that the tail takes."""
    # A run by_number, merged from the lists of a join, also takes a number, which is not among its uses.
    inputs = tuple(run.uses[use] for use in form.uses if not run.by_number or use < len(run.uses))
    if form.head is None:
        return [], given.components, inputs
    head = dataclasses.replace(run, components=form.between, body=form.head, uses=inputs)
    return [head], form.between, tuple(range(len(form.between)))


def _why_one_by_one(plan: ir.Plan, between: Sequence[ir.Step], batch: Union[ir.Batch, ir.Bucket]) -> str:
    """Returns why no op may run on batches, whatever the ops are; empty: they may."""
    skips, keeps = plan.options.on_error == "skip", _keeps(between)
    if isinstance(batch, ir.Bucket):
        return "each element goes into its own bucket"
    if batch.padded and (skips or keeps):
        return "a padded batch that has lost elements cannot be filled up"
    return _why_kept_one_by_one(plan, between, batch) if keeps else ""


def _why_kept_one_by_one(plan: ir.Plan, between: Sequence[ir.Step], batch: ir.Batch) -> str:
    """As ``_why_one_by_one``, if ``keep_input`` drops elements from batches, which are then filled up from the next."""
    if any(isinstance(step, ir.Shuffle) for step in between):
        return "the shuffle buffer holds the elements that keep_input keeps, one by one"
    room = min((one.capacity for one in between if isinstance(one, ir.Queue) and one.capacity >= 0), default=None)
    if room is not None and room < 2 * batch.size:
        return "with keep_input, this needs a capacity of two batches"
    if any(isinstance(step, ir.Pull) and (step.is_native or step.is_own) for step in ir.all_steps(plan)):
        return "with keep_input, this may take more elements than your own queues hold"
    if plan.is_remote or plan.options.on_error == "skip":
        return "keep_input is checked for each element if bad records are skipped, and in a data service"
    return ""


def _can_be_stacked(form: InBatches, before: ir.Step) -> bool:
    """Whether all components that would be batched have a static shape, including those that the slice does not use."""
    components = before.components if form.head is None else form.between
    return all(spec.shape.is_fully_defined() for spec in components)


def _rows(spec: tf.TensorSpec, batch: ir.Batch) -> tf.TensorSpec:
    size = batch.size if batch.drop_remainder else None
    return tf.TensorSpec([size, *spec.shape], spec.dtype)


def _lengths(steps: Sequence[ir.Step], uses: Tuple[int, ...]) -> List[Optional[int]]:
    """Returns, for each of the components *uses*, the length of its strings in bytes; None: it is unknown."""
    length = _record_bytes(steps)
    value = len(steps[-1].components) - (2 if _is_numbered(steps) else 1)
    return [length if use == value else None for use in uses]


def _before_buffers(steps: Sequence[ir.Step]) -> Optional[ir.Step]:
    """Returns the last of *steps* that is not a buffer."""
    return next((step for step in reversed(steps) if not isinstance(step, (ir.Prefetch, ir.Queue, ir.Shuffle))), None)


def _is_numbered(steps: Sequence[ir.Step]) -> bool:
    """Whether the last component is the number of a record (``draw_by_index``), and the record comes before it."""
    last = _before_buffers(steps)
    if isinstance(last, ir.Merge):
        return _is_numbered(last.branches[0].steps)
    return isinstance(last, ir.Read) and last.numbered


def _record_bytes(steps: Sequence[ir.Step]) -> Optional[int]:
    """Returns the size in bytes of the records that *steps* output; None: it may differ, or they output no records."""
    last = _before_buffers(steps)
    if isinstance(last, ir.Merge):
        lengths = {_record_bytes(branch.steps) for branch in last.branches}
        return lengths.pop() if len(lengths) == 1 else None
    return last.layout.record_bytes or None if isinstance(last, ir.Read) and last.up_to is None else None
