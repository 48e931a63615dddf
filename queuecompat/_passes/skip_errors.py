"""skip_errors: with ``on_error="skip"``, skips and lists elements that a slice fails on, instead of ending the data.

Of a batch of records, only the bad ones are skipped: the lowering searches for them when the whole batch has failed, so
that batches without errors cost no more. A batch that has lost records is filled up from the next one, after the slice.
"""

from __future__ import annotations

import dataclasses
from typing import Iterator, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._plan import ir

__all__ = ["skip_errors"]

_BUFFERS = (ir.Batch, ir.Count, ir.Merge, ir.Prefetch, ir.Queue, ir.Shuffle)


def skip_errors(plan: ir.Plan) -> ir.Plan:
    """Sets ``Run.skip`` and ``Read.skips``.

    Leaves the plan unchanged with ``on_error="raise"``. Leaves a ``Run`` unchanged if it draws from the program's own
    queues itself, since these elements would be lost with it.
    """
    if plan.options.on_error != "skip":
        return plan
    plan = plan.with_steps(_with_places(plan.steps))
    steps: List[ir.Step] = []
    for number, step in enumerate(plan.steps):
        if isinstance(step, ir.Merge):
            step = dataclasses.replace(step, branches=tuple(_of_branch(branch, plan) for branch in step.branches))
        before = [*plan.steps[:number]]
        if isinstance(step, ir.Run) and step.skip is None and _may_be_skipped(step):
            steps += _skipping(step, steps, before)
        elif isinstance(step, ir.Read):
            steps.append(dataclasses.replace(step, skips=True))
        else:
            steps.append(step)
    return plan.with_steps(tuple(steps))


def _of_branch(branch: ir.Plan, plan: ir.Plan) -> ir.Plan:
    return skip_errors(dataclasses.replace(branch, options=plan.options))


def _with_places(steps: Sequence[ir.Step]) -> Tuple[ir.Step, ...]:
    """Returns *steps* without the first selection of components before a slice, which could drop an element's place."""
    for number, choice in enumerate(steps):
        if not isinstance(choice, ir.Run) or not choice.body.is_empty or choice.draws or _place(steps[:number]) is None:
            continue
        end = next((at for at in range(number + 1, len(steps)) if not isinstance(steps[at], _BUFFERS)), len(steps))
        run = steps[end] if end < len(steps) else None
        between = steps[number + 1 : end]
        if isinstance(run, ir.Run) and not any(isinstance(one, ir.Batch) and one.padded for one in between):
            kept = _of_all(between, steps[number - 1].components)
            come = (*choice.uses, len(steps[number - 1].components) - 1)  # the last: a number that it may carry
            run = dataclasses.replace(run, uses=tuple(come[use] for use in run.uses))
            return (*steps[:number], *kept, run, *steps[end + 1 :])
    return tuple(steps)


def _of_all(buffers: Sequence[ir.Step], components: ir.Components) -> Iterator[ir.Step]:
    """Yields *buffers*, which may include a batch, for elements with these *components*."""
    for step in buffers:
        if isinstance(step, ir.Batch):
            rows = step.components[0].shape[0]
            components = tuple(tf.TensorSpec([rows, *spec.shape], spec.dtype) for spec in components)
        yield dataclasses.replace(step, components=components)


def _may_be_skipped(run: ir.Run) -> bool:
    return not (run.body.is_empty or run.draws)


def _skipping(run: ir.Run, steps: List[ir.Step], before: Sequence[ir.Step]) -> List[ir.Step]:
    """Returns the steps that replace *run*; changes the batch in *steps*, and those after it, if it must be filled up.

    Args:
      steps: the changed steps before *run*.
      before: the original steps before *run*.
    """
    has_rows = _are_rows(before) and all(spec.shape.rank for spec in (*before[-1].components, *run.components))
    batch = _before_buffers(steps)
    # Only a batch is filled up, which needs results with a row for each record.
    by_rows = has_rows and (not isinstance(batch, ir.Batch) or run.batched or run.body.keeps_rows)
    skip = ir.Skip(_place(before), by_rows, run.alone if by_rows else None)
    if not by_rows or not isinstance(batch, ir.Batch):
        return [dataclasses.replace(run, skip=skip)]
    first = steps.index(batch)
    steps[first] = dataclasses.replace(batch, drop_remainder=False)
    steps[first:] = [
        dataclasses.replace(one, components=tuple(map(_of_any_size, one.components))) for one in steps[first:]
    ]
    some = tuple(_of_any_size(spec) for spec in run.components)
    refill = ir.Batch(run.components, batch.size, batch.drop_remainder, refills=True)
    return [dataclasses.replace(run, components=some, skip=skip), refill]


def _are_rows(before: Sequence[ir.Step]) -> bool:
    """Whether each element that *before* outputs consists of many records: a batch, or a vector of a file's records."""
    last = _before_buffers(before)
    return isinstance(last, ir.Batch) or (isinstance(last, (ir.Pull, ir.Read)) and last.is_vector)


def _before_buffers(steps: Sequence[ir.Step]) -> Optional[ir.Step]:
    return next((step for step in reversed(steps) if not isinstance(step, (ir.Count, ir.Prefetch, ir.Shuffle))), None)


def _place(before: Sequence[ir.Step]) -> Optional[int]:
    """Returns the index of the component that says where an element was read (a key or file name); None: none does."""
    last = next(
        (step for step in reversed(before) if not isinstance(step, _BUFFERS) or isinstance(step, ir.Merge)), None
    )
    if isinstance(last, ir.Merge):
        places = {_place(branch.steps) for branch in last.branches}
        return places.pop() if len(places) == 1 else None
    is_key = isinstance(last, ir.Read) and last.with_key
    is_drawn = isinstance(last, ir.Pull) and not (last.is_native or last.is_computed)
    is_stored = isinstance(last, ir.Produce) or is_drawn
    is_name = last is not None and is_stored and last.components[0].dtype == tf.string
    return 0 if is_key or is_name else None


def _of_any_size(spec: tf.TensorSpec) -> tf.TensorSpec:
    return tf.TensorSpec([None, *spec.shape[1:]], spec.dtype)
