"""The last passes over a plan, for sessions only: they add counters, and the gates that end a pipeline from outside.

The compiler's passes know nothing of sessions. These run after them, and what they add is plain data, too: steps that
count, and entrances of gates. The session's back end looks up the actual counters and gates (``resources``).

Rule 1: the elements of a queue are counted where they enter the buffers that replace it, and where they leave them. A
        shuffle buffer is only told of several elements at a time: one call per element would cost more than the rest.
Rule 2: a stop shuts the gate of the pipeline's sources. If all sources are the program's own queues, a draw that waits
        in one of them ends there, and the rest of the plan reaches the end of its data as it would at the end of a
        file. Any other plan ends where it counts the elements that enter its queue. Elements that have not got that far
        are lost, as those in TF1's threads were.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Iterator, List, Mapping, Optional, Tuple

from queuecompat._plan import ir

__all__ = ["check_ends", "count_each", "count_queues", "gated", "waits_for_python"]

# The size of a shuffle buffer is known to one part in this many.
COUNTED_SHARES = 64


def count_queues(plan: ir.Plan, capacities: Mapping[str, int]) -> ir.Plan:
    """*plan* with steps that count the elements of its queues.

    Args:
      capacities: the capacities, in elements, of the queues to count, by the keys of their stages.
    """
    steps: List[ir.Step] = [_counted_source(step, capacities) for step in plan.steps]
    for queue in [step.queue for step in steps if isinstance(step, ir.Prefetch)]:
        if queue in capacities:
            _count_queue(steps, queue, capacities[queue])
    return plan.with_steps(tuple(steps))


def _counted_source(step: ir.Step, capacities: Mapping[str, int]) -> ir.Step:
    if isinstance(step, (ir.Zip, ir.Merge)):
        branches = tuple(count_queues(branch, capacities) for branch in step.branches)
        return dataclasses.replace(step, branches=branches)
    if isinstance(step, ir.Produce) and step.queue in capacities:
        return dataclasses.replace(step, is_counted=True)
    return step


def _count_queue(steps: List[ir.Step], queue: str, capacity: int) -> None:
    """Adds the counts of *queue*, whose prefetch is among *steps*.

    If the workers of a data service fill the queue, only the elements in this process are counted.
    """
    place = next(n for n, step in enumerate(steps) if isinstance(step, ir.Prefetch) and step.queue == queue)
    prefetch = steps[place]
    assert isinstance(prefetch, ir.Prefetch)
    is_fetched = isinstance(steps[0], ir.Distribute)
    stacked = _last(steps[:place], (ir.Batch, ir.Bucket)) if prefetch.batched and not is_fetched else None
    if is_fetched:
        counts_rows = any(isinstance(step, ir.Batch) for step in _fetched(steps[0]))
        steps.insert(place + 1, ir.Count(prefetch.components, queue, "left", counts_rows))
        steps.insert(place, ir.Count(prefetch.components, queue, "entered", counts_rows))
        return
    # A bucket's queue held whole batches, so its elements are not rows.
    counts_rows = stacked is not None and isinstance(steps[stacked], ir.Batch)
    share = 1 if prefetch.batched else max(1, capacity // COUNTED_SHARES)
    steps.insert(place + 1, ir.Count(prefetch.components, queue, "left", counts_rows, share))
    entry, batched, every = _entry(steps, queue, place, stacked, capacity)
    components = steps[entry - 1].components
    is_full = any(isinstance(step, ir.Produce) and step.mixes_for == queue for step in steps)
    room = capacity if is_full else 0
    steps.insert(entry, ir.Count(components, queue, "entered", batched and counts_rows, every, room))


def _fetched(step: ir.Step) -> Iterator[ir.Step]:
    """The steps that the workers of a data service run."""
    assert isinstance(step, ir.Distribute)
    (branch,) = step.branches
    return iter(branch.steps)


def _entry(
    steps: List[ir.Step], queue: str, place: int, stacked: Optional[int], capacity: int
) -> Tuple[int, bool, int]:
    """Where to count the elements that enter the queue whose prefetch is at *place*.

    Returns:
      The index at which to insert the count, whether batches pass there, and how many elements to count at once.
    """
    pool = next((n for n, step in enumerate(steps) if isinstance(step, ir.Shuffle) and step.queue == queue), None)
    if pool is not None:
        shuffle = steps[pool]
        assert isinstance(shuffle, ir.Shuffle)
        size = capacity if stacked is None else shuffle.buffer
        if shuffle.growth is not None:  # the progress towards its first batch has to be known, too
            size = min(size, shuffle.needed)
        return pool, False, max(1, size // COUNTED_SHARES)
    if stacked is not None:
        return stacked + 1, True, 1
    return place, False, max(1, capacity // COUNTED_SHARES)


def _last(steps: List[ir.Step], kinds: Tuple[type, ...]) -> int:
    return max(number for number, step in enumerate(steps) if isinstance(step, kinds))


def count_each(plan: ir.Plan) -> ir.Plan:
    """*plan* with each element counted, and gated, as it leaves its queue.

    Only for queues with few elements, such as file names.
    """
    produce = plan.steps[-1]
    if not isinstance(produce, ir.Produce) or not produce.is_counted:
        return plan
    count = ir.Count(plan.components, produce.queue, "left", batched=False, is_gated=True)
    return plan.with_steps((*plan.steps, count))


def gated(plan: ir.Plan, stream: str) -> ir.Plan:
    """*plan*, for the *stream* of that name, with steps that end it when the gate of its session is shut."""
    draws_itself = any(isinstance(step, ir.Run) and step.draws for step in plan.steps)
    ends_at_its_sources = draws_itself or all(map(_is_native, _sources(plan)))
    numbers = itertools.count()
    return ir.mapped(plan, lambda step: _gated(step, ir.Entrance(stream, next(numbers)), ends_at_its_sources))


def _gated(step: ir.Step, entrance: ir.Entrance, ends_at_its_sources: bool) -> ir.Step:
    if isinstance(step, ir.Pull) and step.is_native:
        return dataclasses.replace(step, entrance=entrance)
    if isinstance(step, ir.Run) and step.draws:
        # Only one call at a time may pass an entrance. Expensive work comes after the draws, in a step of its own.
        return dataclasses.replace(step, entrance=entrance, parallel_calls=1)
    if isinstance(step, ir.Count) and not ends_at_its_sources and step.event == "entered":
        return dataclasses.replace(step, is_gated=True)
    return step


def check_ends(plan: ir.Plan) -> ir.Plan:
    """*plan*, in which a TFRecord file that ends within the header of a record is an error.

    The check calls Python once per file. So it is not added to plans that may run in a process without Python: those of
    datasets, and those for the workers of a data service.
    """
    return plan if plan.is_remote else ir.mapped(plan, _with_ends_checked)


def _with_ends_checked(step: ir.Step) -> ir.Step:
    if not isinstance(step, ir.Read) or step.skips or step.open_blocks:
        return step
    return dataclasses.replace(step, checks_ends=step.layout == ir.FileLayout("TFRecord"))


def waits_for_python(plan: ir.Plan) -> bool:
    """Whether a draw may wait for a Python function of the program's that never returns."""
    return any(isinstance(step, ir.Run) and step.body.has_effects for step in ir.all_steps(plan))


def _sources(plan: ir.Plan) -> Iterator[ir.Step]:
    first = plan.steps[0]
    if isinstance(first, (ir.Zip, ir.Merge)):
        for branch in first.branches:
            yield from _sources(branch)
    else:
        yield first


def _is_native(step: ir.Step) -> bool:
    return isinstance(step, ir.Pull) and step.is_native
