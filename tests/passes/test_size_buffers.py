from __future__ import annotations

import dataclasses
import types
from typing import Any, Tuple

import pytest

from queuecompat._compiler import ir
from queuecompat._compiler.passes.size_buffers import size_buffers
from tests.passes.plans import NUMBER, batch, bucket, merge, plan, produce, queue, run, text


def held(capacity: int, size: int, calls: int) -> int:
    step = dataclasses.replace(run(), parallel_calls=calls)
    after = size_buffers(plan(produce(), step, queue(capacity), batch(size)))
    prefetch = after.steps[-1]
    assert isinstance(prefetch, ir.Prefetch)
    return prefetch.count * size + (calls if calls > 1 else 0)


@pytest.mark.parametrize("calls", [1, 4, 16])
@pytest.mark.parametrize(("capacity", "size"), [(32, 32), (32, 1), (100, 7), (16, 50)])
def test_prefetch_and_calls_fit_into_the_queue_and_one_batch(capacity: int, size: int, calls: int) -> None:
    assert held(capacity, size, calls) <= capacity + size


def test_the_queue_is_used_to_the_full() -> None:
    assert held(100, 10, 1) == 110


def test_the_pool_leaves_room_for_the_calls_below_it() -> None:
    step = dataclasses.replace(run(), parallel_calls=16)
    before = plan(produce(), ir.Shuffle(NUMBER, 100, None), step, queue(100, minimum=20), batch(4))
    assert text(size_buffers(before)) == (
        "produce int32[] forever, reshuffled every epoch\n"
        "shuffle buffer of 84 of int32[]\n"
        "map f, 16 in parallel -> int32[]\n"
        "batch of 4, last partial batch dropped\n"
        "prefetch 1 batch"
    )


def test_calls_that_give_many_rows_count_them_all() -> None:
    blocks = dataclasses.replace(run(components=batch(10).components), parallel_calls=4)
    before = plan(produce(), blocks, ir.Unbatch(NUMBER), queue(100), batch(20))
    prefetch = size_buffers(before).steps[-1]
    assert isinstance(prefetch, ir.Prefetch)
    assert prefetch.count * 20 + 4 * 10 <= 100 + 20


def test_a_second_queue_does_not_take_the_first_ones_pool_for_its_own() -> None:
    shuffled = (produce(), ir.Shuffle(NUMBER, 100, None), queue(100, minimum=20), batch(1))
    of_batches = queue(8, components=batch(1).components)
    after = size_buffers(plan(*shuffled, of_batches, dataclasses.replace(batch(2))))
    assert [step.count for step in after.steps if isinstance(step, ir.Prefetch)] == [1, 5]


def test_it_holds_back_where_nobody_waits() -> None:
    after = size_buffers(plan(produce(), run(), queue(), batch(), is_peek=True))
    assert not any(isinstance(step, (ir.Prefetch, ir.Queue)) for step in after.steps)


def test_a_queue_without_bound_still_has_one_here() -> None:
    after = size_buffers(plan(produce(), run(), queue(-1), batch()))
    assert isinstance(after.steps[-1], ir.Prefetch)


def test_a_queue_before_buckets_becomes_as_many_batches_as_their_own_queue_held() -> None:
    before = plan(produce(), run(), queue(100), bucket(2, 5, capacity=3))
    assert text(size_buffers(before)) == (
        "produce int32[] forever, reshuffled every epoch\n"
        "map f, one by one -> int32[]\n"
        "bucket 2 buckets, batches of 2, 5, partial batches dropped at the end\n"
        "prefetch 3 batches"
    )


@pytest.mark.parametrize(("capacity", "ahead"), [(-1, 16), (1, 1), (40, 40)])
def test_batches_of_buckets_without_bound_are_few_all_the_same(capacity: int, ahead: int) -> None:
    after = size_buffers(plan(produce(), queue(-1), bucket(4, 4, capacity=capacity)))
    assert after.steps[-1] == ir.Prefetch(NUMBER, ahead)


def test_buckets_that_are_only_looked_at_are_not_read_ahead() -> None:
    after = size_buffers(plan(produce(), queue(), bucket(4, 4), is_peek=True))
    assert not any(isinstance(step, (ir.Prefetch, ir.Queue)) for step in after.steps)


def test_calls_of_a_slice_before_buckets_are_not_those_of_the_queue_after_them() -> None:
    many = dataclasses.replace(run(), parallel_calls=16)
    after = size_buffers(plan(produce(), many, queue(16), bucket(4, 4), run(), queue(20), batch(2)))
    assert after.steps[-1] == ir.Prefetch(batch(2).components, 11)


def test_the_curve_of_buckets_counts_batches() -> None:
    @dataclasses.dataclass(frozen=True)
    class Fullness:
        entered: str = "entered"
        left: str = "left"

    counted = dataclasses.replace(bucket(4, 4, capacity=2), fullness=Fullness())
    after = size_buffers(plan(produce(), queue(), counted))
    assert after.steps[-3:] == (
        ir.Count(NUMBER, "entered", batched=False),
        ir.Prefetch(NUMBER, 2),
        ir.Count(NUMBER, "left", batched=False),
    )


def of_elements(capacity: int, calls: int = 1, minimum: Any = None) -> Tuple[int, int]:
    """The pool and the prefetch of a queue whose elements are taken one by one."""
    step = dataclasses.replace(run(), parallel_calls=calls)
    pool = () if minimum is None else (ir.Shuffle(NUMBER, capacity, None),)
    after = size_buffers(plan(produce(), *pool, step, queue(capacity, minimum)))
    (prefetch,) = (step for step in after.steps if isinstance(step, ir.Prefetch))
    assert not prefetch.batched
    return sum(step.buffer for step in after.steps if isinstance(step, ir.Shuffle)), prefetch.count


def test_a_queue_of_single_elements_prefetches_what_it_held() -> None:
    assert of_elements(32) == (0, 32)
    assert of_elements(32, calls=8) == (0, 24)


def test_a_pool_of_single_elements_gives_a_share_to_those_that_wait() -> None:
    assert of_elements(256, minimum=128) == (240, 16)
    assert of_elements(4, minimum=1) == (3, 1)


@pytest.mark.parametrize("calls", [1, 4, 8])
@pytest.mark.parametrize("minimum", [None, 0])
@pytest.mark.parametrize("capacity", [8, 9, 100])
def test_single_elements_fit_into_the_queue_and_one_hand(capacity: int, minimum: Any, calls: int) -> None:
    assert sum(of_elements(capacity, calls, minimum)) + (calls if calls > 1 else 0) <= capacity + 1 + (minimum == 0)


def test_queues_of_single_elements_without_bound_have_one_here() -> None:
    assert of_elements(-1) == (0, 16)
    assert of_elements(-1, minimum=10)[0] == 1024
    assert of_elements(-1, minimum=5000)[0] == 10000


def test_a_queue_of_single_elements_leaves_the_pool_of_the_one_before_alone() -> None:
    shuffled = (produce(), ir.Shuffle(NUMBER, 100, None), queue(100, minimum=20))
    after = size_buffers(plan(*shuffled, run(), queue(8), is_peek=True))
    (pool,) = (step for step in after.steps if isinstance(step, ir.Shuffle))
    assert pool.buffer == 94


@pytest.mark.parametrize(("capacity", "ahead"), [(3, 1), (64, 2), (10_000, 16), (-1, 16)])
def test_branches_of_a_merge_have_a_share_of_the_queue_ready(capacity: int, ahead: int) -> None:
    after = size_buffers(plan(merge(plan(produce()), plan(produce())), queue(capacity), batch(8)))
    merged, *_, prefetch = after.steps
    assert merged.ahead == ahead
    if capacity > 0:
        assert merged.held + prefetch.count * 8 <= max(capacity, merged.held) + 8


def test_a_queue_further_down_leaves_the_merge_alone() -> None:
    after = size_buffers(plan(merge(plan(produce()), plan(produce())), queue(4), run(), queue(10_000), batch(8)))
    assert after.steps[0].ahead == 1


def test_elements_are_counted_by_shares_where_they_come_in_and_where_they_leave() -> None:
    fullness = types.SimpleNamespace(entered="entered", left="left")
    counted = dataclasses.replace(queue(256, minimum=128), fullness=fullness)
    after = size_buffers(plan(produce(), ir.Shuffle(NUMBER, 256, None), counted))
    assert [type(step).__name__ for step in after.steps] == ["Produce", "Count", "Shuffle", "Prefetch", "Count"]
    assert [(s.counter, s.every) for s in after.steps if isinstance(s, ir.Count)] == [("entered", 4), ("left", 4)]
