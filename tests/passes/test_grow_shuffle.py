from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.passes.grow_shuffle import grow_shuffle
from queuecompat._compiler.passes.size_buffers import size_buffers
from tests.passes.plans import NUMBER, batch, merge, plan, produce, queue, read, run, text

POOL = ir.Shuffle(NUMBER, 100, None)
AFTER = (batch(4),)


def growth(*before: ir.Step, minimum: int = 20, after: Any = AFTER) -> Any:
    """How the pool of a queue after *before* begins."""
    grown = grow_shuffle(plan(*before, POOL, queue(100, minimum=minimum), *after))
    return next(step.growth for step in grown.steps if isinstance(step, ir.Shuffle))


def test_a_pool_of_what_the_users_ops_made_begins_with_min_after_dequeue_elements() -> None:
    assert text(grow_shuffle(plan(produce(), run(has_effects=True), POOL, queue(100, minimum=20), batch(4)))) == (
        "produce int32[] forever, reshuffled every epoch\n"
        "map f, one by one -> int32[]\n"
        "shuffle buffer of 100 of int32[], begins with 20 and grows\n"
        "queue capacity 100, random, min_after_dequeue 20\n"
        "batch of 4, last partial batch dropped"
    )


def test_it_grows_after_the_first_batch() -> None:
    assert growth(produce(), run()) == ir.Growth(least=20, steady=4)
    assert growth(produce(), run(), after=()) == ir.Growth(least=20, steady=1)


def test_it_holds_back_at_stored_rows_and_records() -> None:
    record = dataclasses.replace(read(), components=NUMBER, with_key=False)
    assert growth(produce()) is None
    assert growth(produce(), record) is None
    assert growth(produce(), run(), record) is None  # a file's name is made, but the pool holds its records
    assert growth(ir.Pull(NUMBER, "stream", "stage"), record) is None


def test_it_holds_back_at_a_slice_that_only_chooses() -> None:
    chosen = run()
    chosen.body.is_empty = True  # type: ignore[misc]
    assert growth(produce(), chosen) is None


@pytest.mark.parametrize(
    "source",
    [
        ir.Pull(NUMBER, "stream", "the program's queue", is_native=True),
        ir.Pull(NUMBER, "stream", "a stage with two consumers", is_computed=True),
        merge(plan(produce()), plan(produce(), run())),
        ir.Zip(NUMBER, (plan(produce(), run()), plan(produce()))),
    ],
    ids=["native", "shared", "merge", "zip"],
)
def test_what_is_expensive_upstream_is_expensive(source: ir.Step) -> None:
    assert growth(source) is not None


@pytest.mark.parametrize(("rows", "grows"), [(10, True), (64, False), (None, False)])
def test_it_holds_back_at_blocks_whose_rows_share_the_cost_of_a_call(rows: Any, grows: bool) -> None:
    """Parsed 64 at a time, a record costs less than the growth of the pool would."""
    blocks = (tf.TensorSpec([rows], tf.int32),)
    assert (growth(produce(), run(components=blocks), ir.Unbatch(NUMBER)) is not None) == grows
    python = run(components=blocks, has_effects=True)
    assert growth(produce(), python, ir.Unbatch(NUMBER)) is not None
    assert growth(produce(), run(has_effects=True), run(components=blocks), ir.Unbatch(NUMBER)) is not None


def test_rows_that_are_cut_or_filtered_are_what_their_slice_made() -> None:
    assert growth(produce(), run(has_effects=True), ir.Unbatch(NUMBER)) is not None
    assert growth(produce(), run(components=NUMBER * 2), ir.Filter(NUMBER)) is not None


def test_a_pool_whose_size_leaves_no_room_to_grow_is_filled_first() -> None:
    for minimum, begins in ((98, True), (99, False), (200, False)):
        grown = size_buffers(grow_shuffle(plan(produce(), run(), POOL, queue(100, minimum=minimum), batch(4))))
        (pool,) = (step for step in grown.steps if isinstance(step, ir.Shuffle))
        assert (pool.growth is not None) == begins
        assert pool.buffer == 100


def test_the_elements_of_its_first_batch_are_counted_by_shares_of_their_own() -> None:
    @dataclasses.dataclass(frozen=True)
    class Fullness:
        entered: str = "entered"
        left: str = "left"

    counted = dataclasses.replace(queue(6400, minimum=124), fullness=Fullness())
    after = size_buffers(grow_shuffle(plan(produce(), run(), ir.Shuffle(NUMBER, 6400, None), counted, batch(4))))
    assert [step.every for step in after.steps if isinstance(step, ir.Count)] == [2, 1]
