from __future__ import annotations

import pytest

from queuecompat._passes.hoist_shuffle import hoist_shuffle
from tests.passes.as_text import PRODUCE, kinds, plan, run, steps

QUEUE = "queue(capacity=100, min_after_dequeue=20) -> int32[]\nbatch(size=4) -> int32[4]"


def test_the_shuffle_buffer_moves_before_the_slice_and_has_the_queues_capacity() -> None:
    after = hoist_shuffle(plan(PRODUCE, run(), QUEUE))
    assert after == plan(PRODUCE, "shuffle(buffer=100) -> int32[]", run(), QUEUE)


def test_the_shuffle_buffer_moves_before_unseeded_random_ops() -> None:
    after = hoist_shuffle(plan(PRODUCE, run("is_random=True"), QUEUE))
    assert kinds(after) == ["produce", "shuffle", "run", "queue", "batch"]


@pytest.mark.parametrize("facts", ["is_random=True, is_seeded=True", "has_effects=True", "may_end=True"])
def test_it_holds_back_at_a_slice_that_must_run_in_order(facts: str) -> None:
    after = hoist_shuffle(plan(PRODUCE, run(facts), QUEUE))
    assert kinds(after) == ["produce", "run", "shuffle", "queue", "batch"]


def test_with_many_threads_a_seed_fixes_no_order() -> None:
    queue = "queue(capacity=100, min_after_dequeue=20, num_threads=2) -> int32[]"
    after = hoist_shuffle(plan(PRODUCE, run("is_random=True, is_seeded=True"), queue))
    assert kinds(after) == ["produce", "shuffle", "run", "queue"]


def test_the_shuffle_buffer_has_the_seed_and_the_key_of_its_queue() -> None:
    queue = "queue(capacity=100, min_after_dequeue=20, seed=7, queue='batch') -> int32[]"
    after = hoist_shuffle(plan(PRODUCE, queue))
    assert after == plan(PRODUCE, "shuffle(buffer=100, seed=7, queue='batch') -> int32[]", queue)


def test_it_leaves_a_first_in_first_out_queue_alone() -> None:
    before = plan(PRODUCE, run(), "queue(capacity=100) -> int32[]")
    assert hoist_shuffle(before) == before


def test_it_holds_back_at_buckets() -> None:
    """Which elements meet in a batch is decided there."""
    buckets = (
        "queue(capacity=9) -> int32[]\nbucket(sizes=(4, 4), drop_remainder=True, padded=False, capacity=9) -> int32[]"
    )
    after = hoist_shuffle(plan(PRODUCE, buckets, run(), QUEUE))
    assert kinds(after) == ["produce", "queue", "bucket", "shuffle", "run", "queue", "batch"]
    assert steps(after).splitlines()[3] == "shuffle(buffer=100) -> int32[]"
