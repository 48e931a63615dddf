from __future__ import annotations

from typing import Any, Tuple

import pytest

from queuecompat._passes.size_buffers import size_buffers
from queuecompat._plan import ir
from tests.passes.as_text import PRODUCE, kinds, named, plan, run


def queue(capacity: int = 32, minimum: Any = None, specs: str = "int32[]") -> str:
    least = "" if minimum is None else f", min_after_dequeue={minimum}"
    return f"queue(capacity={capacity}{least}) -> {specs}"


def batch(size: int = 4) -> str:
    return f"batch(size={size}) -> int32[{size}]"


def bucket(*sizes: int, capacity: int = 32) -> str:
    """The one component of an element is its bucket's number, so that a batch is that number alone."""
    return f"bucket(sizes={sizes}, drop_remainder=True, padded=False, capacity={capacity}) -> int32[]"


def shuffle(size: int) -> str:
    return f"shuffle(buffer={size}) -> int32[]"


def merge(*lists: str) -> str:
    return "merge() -> int32[]" + "".join(f"\n  plan '{one}' at 'here.py:1'\n    {PRODUCE}" for one in lists)


def held(capacity: int, size: int, calls: int) -> int:
    after = size_buffers(plan(PRODUCE, run(parallel_calls=calls), queue(capacity), batch(size)))
    return int(named(after, "prefetch").count) * size + (calls if calls > 1 else 0)


@pytest.mark.parametrize("calls", [1, 4, 16])
@pytest.mark.parametrize(("capacity", "size"), [(32, 32), (32, 1), (100, 7), (16, 50)])
def test_prefetch_and_calls_fit_into_the_queue_and_one_batch(capacity: int, size: int, calls: int) -> None:
    assert held(capacity, size, calls) <= capacity + size


def test_the_queue_is_used_to_the_full() -> None:
    assert held(100, 10, 1) == 110


def test_the_shuffle_buffer_leaves_room_for_the_calls_after_it() -> None:
    calls = run(parallel_calls=16)
    after = size_buffers(plan(PRODUCE, shuffle(100), calls, queue(100, minimum=20), batch(4)))
    assert after == plan(PRODUCE, shuffle(84), calls, batch(4), "prefetch(count=1) -> int32[4]")


def test_a_seeded_shuffle_buffer_has_one_size_on_every_machine() -> None:
    """Its order was one with 2 processors, and a different one with 8."""
    for calls in (1, 16, 64):
        seeded = shuffle(1000).replace(")", ", seed=3)")
        steps = (PRODUCE, seeded, run(parallel_calls=calls), queue(1000, minimum=20), batch(4))
        assert named(size_buffers(plan(*steps)), "shuffle").buffer == 1000


def test_calls_that_return_many_rows_count_them_all() -> None:
    blocks = run(specs="int32[10]", parallel_calls=4)
    after = size_buffers(plan(PRODUCE, blocks, "unbatch() -> int32[]", queue(100), batch(20)))
    assert named(after, "prefetch").count * 20 + 4 * 10 <= 100 + 20


def test_a_second_queue_does_not_count_the_shuffle_buffer_of_the_first() -> None:
    of_batches = queue(8, specs="int32[1]")
    after = size_buffers(plan(PRODUCE, shuffle(100), queue(100, minimum=20), batch(1), of_batches, batch(2)))
    assert [step.count for step in after.steps if isinstance(step, ir.Prefetch)] == [1, 5]


def test_the_key_of_the_queue_goes_to_the_buffer_in_its_place() -> None:
    keyed = "queue(capacity=32, queue='batch') -> int32[]"
    assert named(size_buffers(plan(PRODUCE, keyed, batch())), "prefetch").queue == "batch"


def test_it_holds_back_in_a_preview() -> None:
    after = size_buffers(plan(PRODUCE, run(), queue(), batch(), preview=True))
    assert kinds(after) == ["produce", "run", "batch"]


def test_a_queue_without_bound_still_has_one_here() -> None:
    assert kinds(size_buffers(plan(PRODUCE, run(), queue(-1), batch())))[-1] == "prefetch"


def test_a_queue_before_buckets_becomes_as_many_batches_as_their_own_queue_held() -> None:
    after = size_buffers(plan(PRODUCE, run(), queue(100), bucket(2, 5, capacity=3)))
    assert after == plan(PRODUCE, run(), bucket(2, 5, capacity=3), "prefetch(count=3) -> int32[]")


@pytest.mark.parametrize(("capacity", "ahead"), [(-1, 16), (1, 1), (40, 40)])
def test_batches_of_buckets_without_bound_are_few_all_the_same(capacity: int, ahead: int) -> None:
    after = size_buffers(plan(PRODUCE, queue(-1), bucket(4, 4, capacity=capacity)))
    assert named(after, "prefetch").count == ahead


def test_buckets_that_are_only_previewed_are_not_read_ahead() -> None:
    after = size_buffers(plan(PRODUCE, queue(), bucket(4, 4), preview=True))
    assert kinds(after) == ["produce", "bucket"]


def test_calls_of_a_slice_before_buckets_are_not_those_of_the_queue_after_them() -> None:
    many = run(parallel_calls=16)
    after = size_buffers(plan(PRODUCE, many, queue(16), bucket(4, 4), run(), queue(20), batch(2)))
    assert [step.count for step in after.steps if isinstance(step, ir.Prefetch)] == [32, 11]


def of_elements(capacity: int, calls: int = 1, minimum: Any = None) -> Tuple[int, int]:
    """The shuffle buffer and the prefetch of a queue whose elements are taken one by one."""
    mixing = () if minimum is None else (shuffle(capacity),)
    after = size_buffers(plan(PRODUCE, *mixing, run(parallel_calls=calls), queue(capacity, minimum)))
    prefetch = named(after, "prefetch")
    assert not prefetch.batched
    return sum(step.buffer for step in after.steps if isinstance(step, ir.Shuffle)), prefetch.count


def test_a_queue_of_single_elements_prefetches_what_it_held() -> None:
    assert of_elements(32) == (0, 32)
    assert of_elements(32, calls=8) == (0, 24)


def test_a_shuffle_buffer_of_single_elements_leaves_a_share_to_the_prefetch() -> None:
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


def test_a_queue_of_single_elements_does_not_change_the_shuffle_buffer_of_the_queue_before_it() -> None:
    lines = (PRODUCE, shuffle(100), queue(100, minimum=20), run(), queue(8))
    assert named(size_buffers(plan(*lines, preview=True)), "shuffle").buffer == 94


@pytest.mark.parametrize(("capacity", "ahead"), [(3, 1), (64, 2), (10_000, 16), (-1, 16)])
def test_branches_of_a_merge_have_a_share_of_the_queue_ready(capacity: int, ahead: int) -> None:
    after = size_buffers(plan(merge("a", "b"), queue(capacity), batch(8)))
    merged, prefetch = named(after, "merge"), named(after, "prefetch")
    assert merged.ahead == ahead
    if capacity > 0:
        assert merged.held + prefetch.count * 8 <= max(capacity, merged.held) + 8


def test_a_queue_further_down_leaves_the_merge_alone() -> None:
    after = size_buffers(plan(merge("a", "b"), queue(4), run(), queue(10_000), batch(8)))
    assert named(after, "merge").ahead == 1


@pytest.mark.parametrize(("capacity", "size", "calls"), [(32, 16, 2), (8, 8, 1), (100, 10, 4)])
def test_batches_that_are_computed_in_parallel_count_as_held(capacity: int, size: int, calls: int) -> None:
    tail = run(specs=f"int32[{size}]", batched=True, parallel_calls=calls)
    after = size_buffers(plan(PRODUCE, queue(capacity), batch(size), tail))
    in_work = calls * size if calls > 1 else 0
    assert named(after, "prefetch").count * size + in_work <= capacity + size


def test_the_shuffle_buffer_leaves_room_for_batches_that_are_computed_in_parallel() -> None:
    tail = run(specs="int32[4]", batched=True, parallel_calls=3)
    after = size_buffers(plan(PRODUCE, shuffle(100), queue(100, minimum=20), batch(4), tail))
    assert after == plan(PRODUCE, shuffle(88), batch(4), tail, "prefetch(count=1) -> int32[4]")
