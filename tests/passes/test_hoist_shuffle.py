from __future__ import annotations

import pytest

from queuecompat._compiler.passes.hoist_shuffle import hoist_shuffle
from tests.passes.plans import batch, bucket, plan, produce, queue, run, text


def test_the_pool_moves_above_the_slice_and_has_the_queues_capacity() -> None:
    before = plan(produce(), run(), queue(100, minimum=20), batch())
    assert text(hoist_shuffle(before)) == (
        "produce int32[] forever, reshuffled every epoch\n"
        "shuffle buffer of 100 of int32[]\n"
        "map f, one by one -> int32[]\n"
        "queue capacity 100, random, min_after_dequeue 20\n"
        "batch of 4, last partial batch dropped"
    )


def test_unseeded_random_ops_do_not_mind() -> None:
    after = hoist_shuffle(plan(produce(), run(is_random=True), queue(100, minimum=20), batch()))
    assert text(after).splitlines()[1].startswith("shuffle")


@pytest.mark.parametrize("nature", [{"is_random": True, "is_seeded": True}, {"has_effects": True}, {"may_end": True}])
def test_it_holds_back_at_a_slice_whose_runs_keep_their_order(nature: dict) -> None:
    after = hoist_shuffle(plan(produce(), run(**nature), queue(100, minimum=20), batch()))
    assert [line.split()[0] for line in text(after).splitlines()] == ["produce", "map", "shuffle", "queue", "batch"]


def test_with_many_threads_a_seed_fixes_no_order() -> None:
    seeded = run(is_random=True, is_seeded=True)
    after = hoist_shuffle(plan(produce(), seeded, queue(100, minimum=20, num_threads=2), batch()))
    assert text(after).splitlines()[1].startswith("shuffle")


def test_it_leaves_a_first_in_first_out_queue_alone() -> None:
    before = plan(produce(), run(), queue(100), batch())
    assert hoist_shuffle(before) == before


def test_it_holds_back_at_buckets() -> None:
    """Which elements meet in a batch is decided there."""
    after = hoist_shuffle(plan(produce(), queue(9), bucket(4, 4), run(), queue(100, minimum=20), batch()))
    kinds = [line.split()[0] for line in text(after).splitlines()]
    assert kinds == ["produce", "queue", "bucket", "shuffle", "map", "queue", "batch"]
