"""size_buffers: TF1's queue becomes a prefetch that never holds more than the queue did.

With a capacity of C elements and batches of B, at most C + B elements may be between the source and
the consumer: the queue's, and one batch in flight. Of these the pool of a shuffle takes its share,
and so does every call of a slice that runs in parallel; the rest is prefetched batches. Of a queue
whose elements are taken one by one, C + 1: TF1's thread had one in hand while the queue was full.

The pool of a shuffle with a seed has C elements, as its size decides the order: that is the same on machines with
other numbers of processors, and in a program with ``shuffle(C, seed)``. What calls are working on, an eighth of C
at most, comes on top of it, as what TF1's threads had in hand.

Buckets had two kinds of queues: one a bucket, with elements, and one with whole batches. The batches are
prefetched, as many as that queue held; elements wait for the rest of their batch in the buckets themselves,
which is less than TF1's threads and queues held of them.

(tf.data's fused map-and-batch would save a copy, but works up to 16 batches ahead whatever one says.)
"""

from __future__ import annotations

import dataclasses
from typing import Optional, Tuple

from queuecompat._plan import ir
from queuecompat._plan.view import Section, sections_of, with_sections

__all__ = ["size_buffers"]

# Batches made ahead where TF1's queue had no bound (capacity < 0).
AHEAD_WITHOUT_BOUND = 16
# Elements in the pool of a random queue without bound, or twice its minimum if that is more.
POOL_WITHOUT_BOUND = 1024
# The share of a random queue that may wait outside of its pool: it does not mix.
SHARE_OF_POOL = 16
# The share of a random queue's capacity that its windows leave to everything else. The windows decide the order, so
# that their size must not depend on the number of processors, as the size of everything else does.
SHARE_BESIDE_WINDOWS = 4
# Elements that a branch of a merge may have ready: with fewer, most of an element's time is waking threads up.
READY_IN_A_BRANCH = 16


def size_buffers(plan: ir.Plan) -> ir.Plan:
    """Removes every ``Queue``. Holds back a prefetch where a preview would read ahead for nothing."""
    sized = [_sized(section) for section in sections_of(plan)]
    if plan.is_preview:
        sized = [dataclasses.replace(section, ahead=None) for section in sized]
    return with_sections(plan, sized)


def _sized(section: Section) -> Section:
    """*section* without its queue, whose capacity the other buffers share."""
    queue = section.queue
    if queue is None:
        return section
    if isinstance(section.batch, ir.Bucket):
        return dataclasses.replace(section, queue=None, ahead=_batches_of_buckets(section.batch))
    section = dataclasses.replace(section, before=_with_ready_branches(section, queue))
    batch = section.batch
    pool, count = _batches(section, queue, batch) if isinstance(batch, ir.Batch) else _elements(section, queue)
    ahead = ir.Prefetch(section.steps[-1].components, count, batch is not None, queue.queue)
    return dataclasses.replace(section, pool=pool, queue=None, ahead=ahead)


def _batches_of_buckets(bucket: ir.Bucket) -> ir.Prefetch:
    ahead = AHEAD_WITHOUT_BOUND if bucket.capacity < 0 else max(1, bucket.capacity)
    return ir.Prefetch(bucket.components, ahead, queue=bucket.queue)


def _with_ready_branches(section: Section, queue: ir.Queue) -> Tuple[ir.Step, ...]:
    """What comes before, in which the branches of a merge have a share of the capacity ready."""
    merge = section.source
    if not isinstance(merge, ir.Merge):
        return section.before
    share = queue.capacity // (SHARE_OF_POOL * len(merge.branches))
    ahead = READY_IN_A_BRANCH if queue.capacity < 0 else min(max(1, share), READY_IN_A_BRANCH)
    return (dataclasses.replace(merge, ahead=ahead), *section.before[1:])


def _batches(section: Section, queue: ir.Queue, batch: ir.Batch) -> Tuple[Optional[ir.Shuffle], int]:
    """The pool, and how many batches may be made ahead of the consumer."""
    in_work = _in_work(section)
    if section.pool is not None:
        return _cut(section.pool, queue, queue.capacity - in_work), 1  # the batch in flight
    if isinstance(section.source, ir.Produce) and section.source.mixes_for:
        return None, 1  # as with the shuffle buffer that this is in place of
    if queue.capacity < 0:
        return None, AHEAD_WITHOUT_BOUND
    return None, max(1, (queue.capacity + batch.size - in_work) // batch.size)


def _elements(section: Section, queue: ir.Queue) -> Tuple[Optional[ir.Shuffle], int]:
    """The pool, and how many elements may wait to be taken one by one."""
    room = queue.capacity - _in_work(section)
    if section.pool is not None:
        share = max(1, queue.capacity // SHARE_OF_POOL)
        return _cut(section.pool, queue, room - share), share
    return None, AHEAD_WITHOUT_BOUND if queue.capacity < 0 else max(1, room)


def _cut(pool: ir.Shuffle, queue: ir.Queue, size: int) -> ir.Shuffle:
    """*pool* of *size* elements, its share of the queue's capacity."""
    if pool.seed is not None:
        size = queue.capacity
    if pool.by_windows:
        size = queue.capacity - queue.capacity // SHARE_BESIDE_WINDOWS
    if queue.capacity < 0:
        size = max(POOL_WITHOUT_BOUND, 2 * (queue.min_after_dequeue or 0))
    return pool.sized(max(1, size))


def _in_work(section: Section) -> int:
    """Elements of the queue that calls in parallel are working on."""
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
    """Elements of the batches that calls in parallel are working on, and of one that is being filled up."""
    size = section.batch.size if isinstance(section.batch, ir.Batch) else 0
    runs = [step for step in section.tail if isinstance(step, ir.Run) and step.parallel_calls > 1]
    filled_up = [step.size for step in section.tail if isinstance(step, ir.Batch)]
    return sum(run.parallel_calls * size for run in runs) + sum(filled_up)
