"""size_buffers: TF1's queue becomes a prefetch that never holds more than the queue did.

With a capacity of C elements and batches of B, at most C + B elements may be between the source and
the consumer: the queue's, and one batch in flight. Of these the pool of a shuffle takes its share,
and so does every call of a slice that runs in parallel; the rest is prefetched batches. Of a queue
whose elements are taken one by one, C + 1: TF1's thread had one in hand while the queue was full.

Buckets had two kinds of queues: one a bucket, with elements, and one with whole batches. The batches are
prefetched, as many as that queue held; elements wait for the rest of their batch in the buckets themselves,
which is less than TF1's threads and queues held of them.

(tf.data's fused map-and-batch would save a copy, but works up to 16 batches ahead whatever one says.)
"""

from __future__ import annotations

import dataclasses
from typing import Iterator, List, Optional, Tuple

from queuecompat._compiler import ir

__all__ = ["size_buffers"]

# A pool's fullness is known to one part in so many: a call for every element would cost more than the rest.
COUNTED_SHARES = 64
# Batches made ahead where TF1's queue had no bound (capacity < 0).
AHEAD_WITHOUT_BOUND = 16
# Elements in the pool of a random queue without bound, or twice its minimum if that is more.
POOL_WITHOUT_BOUND = 1024
# The share of a random queue that may wait outside of its pool: it does not mix.
SHARE_OF_POOL = 16
# Elements that a branch of a merge may have ready: with fewer, most of an element's time is waking threads up.
READY_IN_A_BRANCH = 16


def size_buffers(plan: ir.Plan) -> ir.Plan:
    """Removes every ``Queue``. Holds back a prefetch where a peek would read ahead for nothing."""
    steps = list(plan.steps)
    while any(isinstance(step, ir.Queue) for step in steps):
        place = next(n for n, step in enumerate(steps) if isinstance(step, ir.Queue))
        following = next(iter(steps[place + 1 :]), None)
        if isinstance(following, ir.Bucket):
            _size_buckets(steps, place, plan.is_peek)
            continue
        is_batched = isinstance(following, ir.Batch)
        _size_merge(steps, place)
        ahead = _batches_ahead(steps, place) if is_batched else _elements_ahead(steps, place)
        queue = steps.pop(place)
        assert isinstance(queue, ir.Queue)
        if not plan.is_peek:
            end = _end_of_batch(steps, place) if is_batched else place
            components = steps[end - 1].components
            steps.insert(end, ir.Prefetch(components, ahead, is_batched))
            if queue.fullness is not None:
                every = 1 if is_batched else max(1, queue.capacity // COUNTED_SHARES)
                steps.insert(end + 1, ir.Count(components, queue.fullness.left, is_batched, every))
                _count_what_comes_in(steps, place, queue, is_batched)
    return plan.with_steps(tuple(steps))


def _size_buckets(steps: List[ir.Step], place: int, is_peek: bool) -> None:
    """Takes out the queue at *place*; after the buckets comes a prefetch, where it is not a peek."""
    del steps[place]
    bucket = steps[place]
    assert isinstance(bucket, ir.Bucket)
    if is_peek:
        return
    ahead = AHEAD_WITHOUT_BOUND if bucket.capacity < 0 else max(1, bucket.capacity)
    after: List[ir.Step] = [ir.Prefetch(bucket.components, ahead)]
    if bucket.fullness is not None:
        after.insert(0, ir.Count(bucket.components, bucket.fullness.entered, batched=False))
        after.append(ir.Count(bucket.components, bucket.fullness.left, batched=False))
    steps[place + 1 : place + 1] = after


def _size_merge(steps: List[ir.Step], place: int) -> None:
    """Lets the branches that lead to the queue at *place* have a share of its capacity ready."""
    queue, merge = steps[place], steps[0]
    is_near = any(number == 0 for number, _ in _since_the_queue_before(steps, place))
    if isinstance(merge, ir.Merge) and isinstance(queue, ir.Queue) and is_near:
        share = queue.capacity // (SHARE_OF_POOL * len(merge.branches))
        ahead = READY_IN_A_BRANCH if queue.capacity < 0 else min(max(1, share), READY_IN_A_BRANCH)
        steps[0] = dataclasses.replace(merge, ahead=ahead)


def _count_what_comes_in(steps: List[ir.Step], place: int, queue: ir.Queue, is_batched: bool) -> None:
    """Before the pool of a shuffle, a share of it at a time; after the batch where there is none."""
    counter = queue.fullness.entered  # type: ignore[union-attr]
    pool = _pool(steps, place, queue)
    if pool is not None:
        shuffle = steps[pool]
        assert isinstance(shuffle, ir.Shuffle)
        size = shuffle.buffer if is_batched else queue.capacity
        if shuffle.growth is not None:  # how near its first batch is has to be known, too
            size = min(size, shuffle.needed)
        steps.insert(pool, ir.Count(shuffle.components, counter, False, max(1, size // COUNTED_SHARES)))
    elif is_batched:
        steps.insert(place + 1, ir.Count(steps[place].components, counter, batched=True))
    else:
        every = max(1, queue.capacity // COUNTED_SHARES)
        steps.insert(place, ir.Count(queue.components, counter, False, every))


def _batches_ahead(steps: List[ir.Step], place: int) -> int:
    """How many batches may be made ahead of the consumer; a pool before the queue is cut to its share."""
    queue, size = steps[place], steps[place + 1].size  # type: ignore[attr-defined]
    assert isinstance(queue, ir.Queue)
    in_work = _in_work(steps, place)
    if _cut_pool(steps, place, queue, queue.capacity - in_work):
        return 1  # the batch in flight
    if queue.capacity < 0:
        return AHEAD_WITHOUT_BOUND
    return max(1, (queue.capacity + size - in_work) // size)


def _elements_ahead(steps: List[ir.Step], place: int) -> int:
    """How many elements may wait to be taken one by one; a pool before the queue is cut to the rest."""
    queue = steps[place]
    assert isinstance(queue, ir.Queue)
    room = queue.capacity - _in_work(steps, place)
    share = max(1, queue.capacity // SHARE_OF_POOL)
    if _cut_pool(steps, place, queue, room - share):
        return share
    return AHEAD_WITHOUT_BOUND if queue.capacity < 0 else max(1, room)


def _cut_pool(steps: List[ir.Step], place: int, queue: ir.Queue, size: int) -> bool:
    """Whether the queue at *place* has a pool, which then holds *size* elements."""
    pool = _pool(steps, place, queue)
    if pool is None:
        return False
    if queue.capacity < 0:
        size = max(POOL_WITHOUT_BOUND, 2 * (queue.min_after_dequeue or 0))
    steps[pool] = steps[pool].sized(max(1, size))  # type: ignore[attr-defined]
    return True


def _pool(steps: List[ir.Step], place: int, queue: ir.Queue) -> Optional[int]:
    """The number of the queue's shuffle; None: first in, first out."""
    if queue.min_after_dequeue is None:
        return None
    before = _since_the_queue_before(steps, place)
    return next((number for number, step in before if isinstance(step, ir.Shuffle)), None)


def _in_work(steps: List[ir.Step], place: int) -> int:
    """Elements of the queue that calls in parallel are working on."""
    in_work, rows = 0, 1
    for number, step in _since_the_queue_before(steps, place):
        if isinstance(step, ir.Unbatch):
            rows = ir.static_rows(steps[number - 1].components) or 1
        elif isinstance(step, ir.Run) and step.parallel_calls > 1:
            in_work += step.parallel_calls * rows
        elif isinstance(step, ir.Merge):
            in_work += step.held
    return in_work


def _since_the_queue_before(steps: List[ir.Step], place: int) -> Iterator[Tuple[int, ir.Step]]:
    """The steps between the queue before and the one at *place*, the nearest first."""
    for number in range(place - 1, -1, -1):
        if isinstance(steps[number], (ir.Batch, ir.Bucket, ir.Prefetch)):
            return
        yield number, steps[number]


def _end_of_batch(steps: List[ir.Step], place: int) -> int:
    """The number after the batch at *place*, and after what runs on whole batches."""
    end = place + 1
    while end < len(steps) and isinstance(steps[end], ir.Run) and steps[end].batched:  # type: ignore[attr-defined]
        end += 1
    return end
