"""size_buffers: replaces TF1's queues by prefetches, so that no more elements are held than TF1 held.

With a capacity of C elements and batches of B, at most C + B elements may be between the source and
the consumer: those of the queue and one batch in flight. Of these, the shuffle buffer and the parallel calls
of slices take their shares; the rest is prefetched batches. With a queue whose elements are taken one by one,
the limit is C + 1, because TF1's thread held one element while the queue was full.

A shuffle buffer with a seed always has C elements, because its size decides the order, which must be the same on
machines with different numbers of processors, and in a program with ``shuffle(C, seed)``. The elements in parallel
calls, at most an eighth of C, come on top of it, like those that TF1's threads held.

Buckets had two kinds of queues in TF1: one of elements for each bucket, and one of whole batches. As many batches are
prefetched as the latter held; elements wait for the rest of their batch in the buckets themselves, which are
fewer than TF1's threads and queues held.

(tf.data's fused map-and-batch would save a copy, but always works up to 16 batches ahead.)
"""

from __future__ import annotations

import dataclasses
from typing import Optional, Tuple

from queuecompat._plan import ir
from queuecompat._plan.view import Section, sections_of, with_sections

__all__ = ["SHARE_OUTSIDE", "size_buffers"]

# The prefetch of an unbounded queue (capacity < 0), in batches, or in elements if these are taken one by one.
AHEAD_WITHOUT_BOUND = 16
# The size of the shuffle buffer of an unbounded queue, in elements; twice its minimum if that is more.
SHUFFLE_WITHOUT_BOUND = 1024
# 1 / SHARE_OUTSIDE of a shuffling queue's capacity may be outside of the shuffle buffer, such as in parallel calls:
# elements are not mixed there.
SHARE_OUTSIDE = 16
# 1 / SHARE_BESIDE_WINDOWS of a shuffling queue's capacity is left to everything but its windows. The size of the
# windows decides the order, so it must not depend on the number of processors, as the other sizes do.
SHARE_BESIDE_WINDOWS = 4
# The number of elements that a branch of a merge may buffer: with fewer, most of the time is spent on waking threads.
READY_IN_A_BRANCH = 16


def size_buffers(plan: ir.Plan) -> ir.Plan:
    """Replaces every ``Queue`` by a prefetch; in previews, which need not read ahead, only removes it."""
    sized = [_sized(section) for section in sections_of(plan)]
    if plan.is_preview:
        sized = [dataclasses.replace(section, ahead=None) for section in sized]
    return with_sections(plan, sized)


def _sized(section: Section) -> Section:
    """Returns *section* without its queue, whose capacity is divided among the other buffers."""
    queue = section.queue
    if queue is None:
        return section
    if isinstance(section.batch, ir.Bucket):
        return dataclasses.replace(section, queue=None, ahead=_batches_of_buckets(section.batch))
    section = dataclasses.replace(section, before=_with_ready_branches(section, queue))
    batch = section.batch
    shuffle, count = _batches(section, queue, batch) if isinstance(batch, ir.Batch) else _elements(section, queue)
    ahead = ir.Prefetch(section.steps[-1].components, count, batch is not None, queue.queue)
    return dataclasses.replace(section, shuffle=shuffle, queue=None, ahead=ahead)


def _batches_of_buckets(bucket: ir.Bucket) -> ir.Prefetch:
    ahead = AHEAD_WITHOUT_BOUND if bucket.capacity < 0 else max(1, bucket.capacity)
    return ir.Prefetch(bucket.components, ahead, queue=bucket.queue)


def _with_ready_branches(section: Section, queue: ir.Queue) -> Tuple[ir.Step, ...]:
    """Returns ``section.before``; the branches of a merge in it may buffer a share of the queue's capacity."""
    merge = section.source
    if not isinstance(merge, ir.Merge):
        return section.before
    share = queue.capacity // (SHARE_OUTSIDE * len(merge.branches))
    ahead = READY_IN_A_BRANCH if queue.capacity < 0 else min(max(1, share), READY_IN_A_BRANCH)
    return (dataclasses.replace(merge, ahead=ahead), *section.before[1:])


def _batches(section: Section, queue: ir.Queue, batch: ir.Batch) -> Tuple[Optional[ir.Shuffle], int]:
    """Returns the shuffle buffer, and how many batches may be prefetched."""
    in_work = _in_work(section)
    if section.shuffle is not None:
        return _cut(section.shuffle, queue, queue.capacity - in_work), 1  # the batch in flight
    if isinstance(section.source, ir.Produce) and section.source.mixes_for:
        return None, 1  # as with the shuffle buffer that the shuffled epochs replace
    if queue.capacity < 0:
        return None, AHEAD_WITHOUT_BOUND
    return None, max(1, (queue.capacity + batch.size - in_work) // batch.size)


def _elements(section: Section, queue: ir.Queue) -> Tuple[Optional[ir.Shuffle], int]:
    """Returns the shuffle buffer, and how many elements may be prefetched if they are taken one by one."""
    room = queue.capacity - _in_work(section)
    if section.shuffle is not None:
        share = max(1, queue.capacity // SHARE_OUTSIDE)
        return _cut(section.shuffle, queue, room - share), share
    return None, AHEAD_WITHOUT_BOUND if queue.capacity < 0 else max(1, room)


def _cut(shuffle: ir.Shuffle, queue: ir.Queue, size: int) -> ir.Shuffle:
    """Returns *shuffle* with *size* elements, or with the size that a seed, windows or an unbounded queue require."""
    if shuffle.seed is not None:
        size = queue.capacity
    if shuffle.by_windows:
        size = queue.capacity - queue.capacity // SHARE_BESIDE_WINDOWS
    if queue.capacity < 0:
        size = max(SHUFFLE_WITHOUT_BOUND, 2 * (queue.min_after_dequeue or 0))
    return shuffle.sized(max(1, size))


def _in_work(section: Section) -> int:
    """Returns how many elements of the queue's capacity are in parallel calls and in merges."""
    in_work, rows = 0, 1
    filling = section.filling
    for number in range(len(filling) - 1, -1, -1):
        step = filling[number]
        if isinstance(step, ir.Unbatch):
            cut = filling[number - 1].components if number else section.given
            rows = ir.static_rows(cut) or 1
        elif isinstance(step, ir.Run) and step.parallel_calls > 1:
            in_work += step.parallel_calls * rows
        elif isinstance(step, ir.Merge):
            in_work += step.held
    return in_work + _batches_in_work(section)


def _batches_in_work(section: Section) -> int:
    """Returns how many elements are in batches in parallel calls, and in a batch that is being filled up."""
    size = section.batch.size if isinstance(section.batch, ir.Batch) else 0
    runs = [step for step in section.tail if isinstance(step, ir.Run) and step.parallel_calls > 1]
    filled_up = [step.size for step in section.tail if isinstance(step, ir.Batch)]
    return sum(run.parallel_calls * size for run in runs) + sum(filled_up)
